/* SPDX-License-Identifier: MIT */
#include "looking.h"

#include "check.h"
#include "core/base/rl_time.h"
#include "fake_net.h"
#include "invariants.h"

#include <stdio.h>

#define STEPS 1000

static char common_host[] = "a";
static rl_target common;
rl_route *lookup_route;
rl_lookup *lookup;
rl_error lookup_err;
unsigned most_links;

void end_lookup(void)
{
	rl_route_unref(lookup_route);
	lookup_route = NULL;
	fake_end();
}

void begin_quorum(unsigned sentinels, unsigned quorum)
{
	fake_begin(sentinels);
	common = (rl_target){.refs = 1, .address = {.host = common_host, .port = 1}};
	lookup_route = rl_route_new(RL_ROUTE_SENTINEL, &common);
	CHECK(lookup_route != NULL && rl_route_set_service(lookup_route, bytes_of("mymaster")));
	lookup_route->sentinel_quorum = quorum;
	for (unsigned i = 0; i < sentinels; i++) {
		CHECK(rl_route_add_seed(lookup_route, &fake_targets[i]));
	}
	lookup = rl_lookup_of(lookup_route, &fake_pool);
	CHECK(lookup != NULL);
	most_links = 0;
}

void begin_sentinels(unsigned sentinels)
{
	begin_quorum(sentinels, 0);
}

void warm_sentinels(void)
{
	for (unsigned i = 0; i < lookup_route->seed_count; i++) {
		fake_warm(i);
	}
}

void all_say(const char *text)
{
	for (unsigned i = 0; i < lookup_route->seed_count; i++) {
		fake_says(i, text);
	}
}

void start_lookup(void)
{
	rl_lookup_join(lookup, fake_clock + TIME, fake_clock);
}

int64_t next_time(rl_wait *wait)
{
	rl_wait_begin(wait);
	rl_lookup_add_to_wait(lookup, wait);
	most_links = wait->count > most_links ? wait->count : most_links;
	int64_t at = wait->until;
	for (unsigned i = 0; i < wait->count; i++) {
		at = rl_time_earlier(at, fake_next_on(wait->links[i]));
	}
	return at;
}

rl_vote drive_to(int64_t time)
{
	rl_tick tick = {.now = fake_clock, .seen = 0};
	for (unsigned i = 0; i < STEPS; i++) {
		rl_vote vote = rl_lookup_step(lookup, &tick);
		invariants_of_lookup(lookup);
		invariants_of_pool(lookup->pool);
		CHECK_INT(rl_lookup_is_open(lookup), vote == RL_VOTE_OPEN);
		if (vote != RL_VOTE_OPEN) {
			return vote;
		}
		rl_wait wait;
		int64_t at = next_time(&wait);
		if (at > fake_end_of(time)) {
			fake_clock = time > fake_clock ? time : fake_clock;
			return RL_VOTE_OPEN;
		}
		fake_clock = at > fake_clock ? at : fake_clock;
		for (unsigned j = 0; j < wait.count; j++) {
			fake_read(wait.links[j]);
		}
		tick = (rl_tick){.now = fake_clock, .seen = fake_clock};
	}
	FAIL("no end after %d steps", STEPS);
}

rl_vote look_up(void)
{
	start_lookup();
	rl_vote vote = drive_to(RL_NEVER - 1);
	if (vote != RL_VOTE_GRANTED) {
		rl_lookup_explain(lookup, &lookup_err);
	}
	return vote;
}

const char *primary(void)
{
	static char text[300];
	const rl_target *node = rl_route_node(lookup_route, 0);
	snprintf(text, sizeof text, "%s:%u", node != NULL ? node->address.host : "-",
		node != NULL ? (unsigned) node->address.port : 0);
	return text;
}
