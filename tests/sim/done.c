/* SPDX-License-Identifier: MIT
 *
 * The rules about work that is to be done once. The header explains them.
 */
#include "done.h"

#include "cluster.h"
#include "cover.h"
#include "faults.h"
#include "server.h"

#include <string.h>

/* All in true time. */
static int64_t surely_until[WORDS_KEYS]; /* a quorum has a mark until then */
static int64_t maybe_until[WORDS_KEYS];  /* some member may have a mark until then; 0 = none ever */
static int64_t marked_at[WORDS_KEYS];    /* the latest confirmation */
static uint32_t marks[WORDS_KEYS];

void done_begin(void)
{
	memset(surely_until, 0, sizeof surely_until);
	memset(maybe_until, 0, sizeof maybe_until);
	memset(marked_at, 0, sizeof marked_at);
	memset(marks, 0, sizeof marks);
}

/* Each clock differs from true time by less than this. */
static int64_t drift(int64_t ns)
{
	return (int64_t) (plan.drift_factor * (double) ns) + 2 * MS;
}

void done_marking(unsigned key, int64_t done_ns, int64_t ttl_ns)
{
	int64_t latest = world.now + 2 * ttl_ns + faults_longest() + 64 * plan.delay_most + SECOND;
	int64_t until = latest + done_ns + drift(done_ns) + drift(ttl_ns);
	maybe_until[key] = until > maybe_until[key] ? until : maybe_until[key];
}

void done_marked(unsigned key, int64_t done_ns, int64_t begun_at)
{
	int64_t until = begun_at + done_ns - drift(done_ns);
	COVER(marked_done);
	surely_until[key] = until > surely_until[key] ? until : surely_until[key];
	marked_at[key] = world.now;
	marks[key]++;
	bool is_judged = plan.faults == 0 && plan.members == 1 && plan.replicas == 0 &&
		!plan.is_forbidden && !plan.has_pollers && plan.delay_most <= 5 * MS;
	if (is_judged) {
		world_plan(EVENT_ALL_TOLD, world.now + 300 * MS + 40 * plan.delay_most, key, 0, marks[key]);
	}
}

void done_run_begins(const sim_client *c, unsigned key)
{
	/* A call that began before the mark may have won before it, and hear of that later. */
	bool is_after = c->begun_at > marked_at[key];
	if (is_after && surely_until[key] > world.now && !plan_loses_data() && plan_is_sound()) {
		world_violate("again: c%u runs k%u at %.6f ms, and its mark lasts until %.6f ms",
			(unsigned) c->index, key, (double) world.now / 1e6, (double) surely_until[key] / 1e6);
	}
}

void done_told(const sim_client *c, unsigned key)
{
	COVER(told_done);
	/* The client may have stood still between the answer and now. */
	if (c->begun_at > maybe_until[key] && plan.mode != PLAN_JUMPS) {
		world_violate("done: c%u is told that k%u is done, and the last mark was over at %.6f ms",
			(unsigned) c->index, key, (double) maybe_until[key] / 1e6);
	}
}

void done_on_look(unsigned key, uint32_t number)
{
	const sim_server *s = member_place(0, key);
	const rl_store_key *k = &s->store.keys[key];
	int64_t now_ms = server_us(s) / 1000;
	bool is_marked = k->exists && rl_store_is_done(&k->value) && now_ms <= k->expires_ms;
	world_uncount();
	if (number != marks[key] || !is_marked) {
		return;
	}
	COVER(all_told);
	for (unsigned i = 0; i < plan.clients; i++) {
		const sim_client *c = &clients[i];
		if (c->is_alive && c->is_waiter && c->is_once && c->subject->key == key &&
			c->queued_at < marked_at[key]) {
			world_violate("cascade: c%u was in the queue when k%u was done, and waits on", i, key);
		}
	}
}
