/* SPDX-License-Identifier: MIT
 *
 * The simulator: many worlds, each from its seed. docs/internals/simulation.md explains what it
 * shows.
 */
#include "acts.h"
#include "client.h"
#include "cluster.h"
#include "cover.h"
#include "done.h"
#include "excuses.h"
#include "faults.h"
#include "judge.h"
#include "network.h"
#include "routes.h"
#include "sentinel.h"
#include "server.h"
#include "undone.h"
#include "votes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS_MOST 400000 /* a seed with more events is stuck */
#define EVENTS_MOST_FAIR 40000000
/* After so many seeds each kind of fault and of branch must have occurred. A run for a time has as
 * many as its machine is fast, and is not judged by that. */
#define ENOUGH_SEEDS 5000
#define FAILURES_MOST 10

typedef struct options {
	uint64_t from;
	uint64_t seeds; /* 0 = as many as the time allows */
	double seconds; /* 0 = no limit */
	unsigned members;
	plan_mode mode;
	bool is_one;
	bool is_tracing;
	bool is_quiet;
	bool stops; /* stop at the first failure */
	bool has_clusters;
	bool has_sentinels;
	bool has_kinds;
} options;

static uint64_t total_events;

static void dispatch(const event *e)
{
	switch (e->kind) {
		case EVENT_NONE:
			break;
		case EVENT_DIALLED:
		case EVENT_CONNECTED:
		case EVENT_COMMANDS:
		case EVENT_FIN:
		case EVENT_REPLIES:
		case EVENT_DOWN:
			net_on_event(e);
			break;
		case EVENT_UNBLOCKED:
		case EVENT_BLOCK_END:
		case EVENT_EXPIRY:
		case EVENT_RESTART:
		case EVENT_AWAKE:
			server_on_event(e);
			break;
		case EVENT_SCRIPT:
		case EVENT_WATCH:
		case EVENT_REBORN:
			client_on_event(e);
			break;
		case EVENT_FAULT:
			faults_happen();
			break;
		case EVENT_STRIKE:
			faults_strike(e->what);
			break;
		case EVENT_LEFTOVER:
			judge_on_leftover(e->what);
			break;
		case EVENT_HUNGER:
			judge_on_hunger(e->what);
			break;
		case EVENT_TARDY:
			excuses_on_tardy(e->what, e->life, e->until);
			break;
		case EVENT_UNDONE:
			undone_on_look(e->what);
			break;
		case EVENT_SPREAD:
			judge_on_spread(e->what);
			break;
		case EVENT_ALL_TOLD:
			done_on_look(e->what, e->until);
			break;
		case EVENT_HELPERS:
			judge_on_helpers(e->what, e->until);
			break;
		case EVENT_MOVE:
		case EVENT_MOVE_END:
		case EVENT_DETECTED:
		case EVENT_TAKE_OVER:
		case EVENT_TOLD:
		case EVENT_CRON:
			cluster_on_event(e);
			break;
		case EVENT_COPY:
		case EVENT_PROMOTE:
		case EVENT_LEARN:
		case EVENT_DEMOTE:
		case EVENT_RETURN:
			sentinel_on_event(e);
			break;
	}
	judge_look();
}

static void run_events(void)
{
	bool is_closing = false;
	uint64_t most = plan.mode == PLAN_FAIR ? EVENTS_MOST_FAIR : EVENTS_MOST;
	event e;
	while (!world.is_violated && world_next(&e)) {
		dispatch(&e);
		if (!is_closing && world.events >= plan.events && world.now >= plan.ends_at) {
			is_closing = true;
			faults_end();
			client_close_all();
		}
		if (world.events > most) {
			world_violate("it does not end");
		}
	}
	if (!world.is_violated && !client_all_are_over()) {
		world_violate("an operation waits for nothing");
	}
}

/* @return true = no rule was violated */
static bool run_seed(uint64_t seed, const options *o)
{
	world_begin(seed, o->is_tracing);
	net_begin();
	plan_begin(o->mode, o->members, o->has_clusters, o->has_sentinels, o->has_kinds);
	judge_begin();
	done_begin();
	routes_begin();
	votes_begin();
	undone_begin();
	server_begin();
	cluster_begin();
	sentinel_begin();
	client_begin();
	faults_begin();
	run_events();
	client_end();
	total_events += world.events;
	return !world.is_violated;
}

static void report(uint64_t seed)
{
	printf("seed %" PRIu64 ", %u members, %u clients, faults %x, %" PRIu64 " events: %s\n", seed,
		plan.members, plan.clients, plan.faults, world.events,
		world.is_violated ? world.violation : "nothing is violated");
}

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static int run_one(const options *o)
{
	bool is_good = run_seed(o->from, o);
	report(o->from);
	return is_good ? 0 : 1;
}

static int run_many(const options *o)
{
	double begun = now_s();
	uint64_t done = 0;
	uint64_t failures = 0;
	while ((o->seeds == 0 || done < o->seeds) && failures < FAILURES_MOST &&
		!(o->stops && failures > 0)) {
		if ((done & 63) == 0 && o->seconds > 0 && now_s() - begun >= o->seconds) {
			break;
		}
		if (!run_seed(o->from + done, o)) {
			report(o->from + done);
			failures++;
		}
		done++;
	}
	double took = now_s() - begun;
	cover_part part = o->has_sentinels ? COVER_OF_SENTINELS
		: o->has_clusters              ? COVER_OF_CLUSTERS
									   : COVER_OF_ALL;
	part = o->has_kinds ? COVER_OF_SEVERAL : part;
	unsigned missing = cover_report(part, o->is_quiet);
	bool is_enough = o->seeds > 0 && done >= ENOUGH_SEEDS && o->mode == PLAN_USUAL &&
		o->members == 0 && failures == 0;
	printf("%" PRIu64 " seeds from %" PRIu64 ", %" PRIu64
		   " events in %.1f s: %.0f events a second\n",
		done, o->from, total_events, took, (double) total_events / took);
	printf("%" PRIu64 " failed, %u kinds never met%s\n", failures, missing,
		missing > 0 && is_enough ? ": that is a failure, too" : "");
	return failures == 0 && (missing == 0 || !is_enough) ? 0 : 1;
}

static int usage(void)
{
	fputs("usage: sim [--seed X [--trace]] [--from X] [--seeds N] [--seconds S] [--members N]\n"
		  "           [--mode usual|fair|unclean|jumps|failover|grace] [--clusters | --sentinels]\n"
		  "           [--kinds] [--stop] [--quiet]\n",
		stderr);
	return 2;
}

static bool read_options(options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (strcmp(argv[i], "--trace") == 0) {
			o->is_tracing = true;
			continue;
		}
		if (strcmp(argv[i], "--stop") == 0) {
			o->stops = true;
			continue;
		}
		if (strcmp(argv[i], "--clusters") == 0) {
			o->has_clusters = true;
			continue;
		}
		if (strcmp(argv[i], "--sentinels") == 0) {
			o->has_sentinels = true;
			continue;
		}
		if (strcmp(argv[i], "--kinds") == 0) {
			o->has_kinds = true;
			continue;
		}
		if (strcmp(argv[i], "--quiet") == 0) {
			o->is_quiet = true;
			continue;
		}
		i++;
		if (strcmp(argv[i - 1], "--seed") == 0) {
			o->is_one = true;
			o->from = strtoull(value, NULL, 10);
		} else if (strcmp(argv[i - 1], "--from") == 0) {
			o->from = strtoull(value, NULL, 10);
		} else if (strcmp(argv[i - 1], "--seeds") == 0) {
			o->seeds = strtoull(value, NULL, 10);
		} else if (strcmp(argv[i - 1], "--seconds") == 0) {
			o->seconds = strtod(value, NULL);
		} else if (strcmp(argv[i - 1], "--members") == 0) {
			o->members = (unsigned) strtoul(value, NULL, 10);
		} else if (strcmp(argv[i - 1], "--mode") == 0) {
			o->mode = strcmp(value, "unclean") == 0 ? PLAN_UNCLEAN
				: strcmp(value, "jumps") == 0       ? PLAN_JUMPS
				: strcmp(value, "failover") == 0    ? PLAN_FAILOVER
				: strcmp(value, "grace") == 0       ? PLAN_GRACE
				: strcmp(value, "fair") == 0        ? PLAN_FAIR
													: PLAN_USUAL;
		} else {
			return false;
		}
	}
	bool has_mode = !(o->has_clusters && o->mode == PLAN_FAIR) &&
		!(o->has_sentinels && (o->mode == PLAN_FAIR || o->mode == PLAN_JUMPS));
	has_mode = has_mode && (o->has_sentinels || o->mode != PLAN_GRACE);
	return o->members <= PLAN_MEMBERS && has_mode && !(o->has_clusters && o->has_sentinels);
}

int main(int argc, char **argv)
{
	options o = {.from = 1};
	if (!read_options(&o, argc, argv)) {
		return usage();
	}
	if (!words_know_scripts()) {
		return 2;
	}
	return o.is_one ? run_one(&o) : run_many(&o);
}
