/* SPDX-License-Identifier: MIT
 *
 * The rules of success. The header explains them.
 */
#include "success.h"

#include "cluster.h"
#include "cover.h"
#include "faults.h"
#include "sentinel_parts.h"

#include <string.h>

#define NEVER_TOUCHED (-SECOND)

static bool is_candidate[PLAN_CLIENTS]; /* no reason for a failure was there when the call began */
static int64_t touched_at[WORDS_KEYS][PLAN_CLIENTS];
static int64_t changed_at[WORDS_KEYS];
/* The token that the client has tried to release last, in each of its places. */
static uint64_t tried[PLAN_CLIENTS][CLIENT_HOLDINGS];

void success_begin(void)
{
	memset(is_candidate, 0, sizeof is_candidate);
	memset(tried, 0, sizeof tried);
	for (unsigned key = 0; key < WORDS_KEYS; key++) {
		changed_at[key] = NEVER_TOUCHED;
		for (unsigned i = 0; i < PLAN_CLIENTS; i++) {
			touched_at[key][i] = NEVER_TOUCHED;
		}
	}
}

void success_touched(const sim_client *c, unsigned key)
{
	touched_at[key][c->index] = world.now;
}

void success_key_changed(unsigned key)
{
	changed_at[key] = world.now;
}

/* ---- healthy members ---- */

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Since when the client can use the server; RL_NEVER = it cannot. */
static int64_t server_since(const sim_client *c, unsigned n)
{
	const sim_server *s = &servers[n];
	if (!s->is_up || (plan.has_names && c->names[n].reign != s->reign)) {
		return RL_NEVER;
	}
	return later(net_calm_at(c->index, n), s->calm_since);
}

/* With grace: since when each Sentinel that names the primary has known it for long enough. */
static int64_t settled_since(unsigned member)
{
	int64_t since = 0;
	int64_t grace = plan.grace_ns + (int64_t) (2 * plan.drift_factor * (double) plan.grace_ns);
	for (unsigned n = sentinel_first(member); plan.grace_ns > 0 && n < sentinel_end(member); n++) {
		const sentinel_part *p = &sentinel_parts[n];
		int64_t at = p->known_at + grace;
		since = p->names == sentinel_groups[member].primary ? later(since, at) : since;
	}
	return since;
}

static int64_t sentinels_since(const sim_client *c, unsigned member)
{
	int64_t since = later(sentinel_calm_at(member), settled_since(member));
	for (unsigned n = sentinel_first(member); n < sentinel_end(member); n++) {
		since = later(since, net_calm_at(c->index, n));
	}
	return later(since, server_since(c, sentinel_place(member)->index));
}

static int64_t member_since(const sim_client *c, unsigned member)
{
	if (plan_is_sentinel(member)) {
		return sentinels_since(c, member);
	}
	int64_t since = plan_is_cluster(member) ? cluster_calm_at(member) : 0;
	for (unsigned n = plan.first[member]; n < plan.first[member] + plan.count[member]; n++) {
		since = later(since, server_since(c, n));
	}
	return since;
}

/* A connection of PHP's thread is dead, and the client has not noticed. */
static bool has_dead_link(const sim_client *c)
{
	for (unsigned i = 0; net_link_at(i) != NULL; i++) {
		const rl_link *link = net_link_at(i);
		if (link->is_open && link->client == c->index && !link->is_watch &&
			(link->is_mute_up || link->is_mute_down)) {
			return true;
		}
	}
	return false;
}

/* How long a client may be busy after a fault: two calls that fail, the longest pauses after them,
 * and the time for which an answer of the Sentinels counts. */
static int64_t aftermath(void)
{
	int64_t failure = plan.timeout_ns + plan.connect_timeout_ns + 1200 * MS;
	return 2 * failure + RL_CHECK_NS + 64 * plan.delay_most;
}

static bool is_healthy(const sim_client *c)
{
	int64_t since = plan_is_calm() ? 0 : faults_calm_at();
	for (unsigned i = plan.dead; i < plan.members; i++) {
		since = later(since, member_since(c, i));
	}
	bool is_well = since <= 0 || (since < RL_NEVER / 2 && since + aftermath() <= c->begun_at);
	return is_well && c->paused_ns == 0 && c->script.frozen_until <= c->begun_at &&
		!has_dead_link(c);
}

static bool has_time(const sim_client *c)
{
	/* A packet may take 16 times as long as others where something breaks, and each of several
	 * members may take a tenth of the TTL. */
	int64_t quick = (plan.faults == 0 ? 20 : 100) * plan.delay_most + 5 * MS;
	bool is_patient = plan.timeout_ns >= quick && plan.connect_timeout_ns >= quick;
	/* WAIT has a twentieth of the TTL, half of a timeout, or 0.1 s. */
	int64_t confirmed = (plan.faults == 0 ? 4 : 20) * plan.delay_most + 5 * MS;
	is_patient = is_patient &&
		(plan.replicas == 0 || (confirmed <= c->ttl_ns / 20 && confirmed <= 100 * MS));
	bool lasts = c->ttl_ns >= 50 * MS + (plan.members > 1 ? 10 : 2) * quick;
	/* WAIT has a part of the timeout and of the TTL, and replicas take some milliseconds. Behind
	 * Sentinels a replica may have its own troubles, which the rule of health does not see. */
	bool is_confirmed = plan.replicas == 0 ||
		(plan.timeout_ns >= 200 * MS + quick && c->ttl_ns >= 2 * SECOND + 10 * quick &&
			!(plan.has_sentinels && plan.faults != 0));
	return is_patient && is_confirmed && (lasts || (c->act != ACT_TAKE && c->act != ACT_EXTEND));
}

/* ---- the key ---- */

/* After this time the commands about the key on their way to the servers have arrived, also where
 * some packets take 16 times as long as others. */
static int64_t settle_time(void)
{
	return (plan.faults == 0 ? 8 : 64) * plan.delay_most + 5 * MS;
}

static bool is_held_by_any(const sim_client *c, unsigned key)
{
	for (unsigned i = 0; i < plan.clients; i++) {
		const sim_client *o = &clients[i];
		for (unsigned j = 0; j < CLIENT_HOLDINGS; j++) {
			const holding *h = &o->holdings[j];
			if (h->lease != NULL && h->key == key && !(o == c && h == c->subject)) {
				return true;
			}
		}
	}
	return false;
}

static bool is_on_a_server(unsigned key)
{
	for (unsigned n = 0; n < plan.servers; n++) {
		if (servers[n].store.keys[key].exists) {
			return true;
		}
	}
	return false;
}

static bool is_wanted_by_others(const sim_client *c, unsigned key, int64_t since)
{
	bool is_wanted = false;
	for (unsigned i = 0; i < plan.clients; i++) {
		const sim_client *o = &clients[i];
		bool is_busy = o->is_alive && o->op != NULL && o->subject->key == key;
		is_wanted = is_wanted || (o != c && (is_busy || touched_at[key][i] >= since));
	}
	return is_wanted;
}

static bool is_free(const sim_client *c, unsigned key)
{
	int64_t quiet_since = c->begun_at - settle_time();
	return !is_on_a_server(key) && !is_held_by_any(c, key) && changed_at[key] < quiet_since &&
		touched_at[key][c->index] < quiet_since && !is_wanted_by_others(c, key, quiet_since);
}

/* All living members have the lock, for longer than the call may take. */
static bool is_whole(const holding *h)
{
	uint64_t token = rl_words_text(rl_lease_token(h->lease)).mark;
	for (unsigned i = plan.dead; i < plan.members; i++) {
		sim_server *s = member_place(i, h->key);
		int64_t ends_at = clock_when(&s->clock, s->store.keys[h->key].expires_ms * MS);
		if (!server_holds(s, h->key, token) || ends_at < world.now + 2 * settle_time() + 50 * MS) {
			return false;
		}
	}
	return true;
}

/* ---- calls ---- */

static bool is_judged(void)
{
	bool is_sound = plan.mode == PLAN_USUAL || plan.mode == PLAN_GRACE;
	return is_sound && !plan.has_twins && !plan.has_small_buffers;
}

/* A release after an abandoned one may find that the first one has freed the lock. */
static bool is_first_release(const sim_client *c)
{
	const holding *h = c->subject;
	uint64_t *before = &tried[c->index][h - c->holdings];
	uint64_t token = rl_words_text(rl_lease_token(h->lease)).mark;
	bool is_first = *before != token;
	*before = token;
	return is_first;
}

static bool may_begin(const sim_client *c)
{
	const holding *h = c->subject;
	switch (c->act) {
		case ACT_TAKE:
			return is_free(c, h->key);
		case ACT_EXTEND:
		case ACT_FENCE:
			return is_whole(h);
		case ACT_RELEASE:
			return is_first_release(c) && is_whole(h);
		default:
			return false;
	}
}

void success_call_begins(const sim_client *c)
{
	is_candidate[c->index] = may_begin(c) && is_judged() && has_time(c) && is_healthy(c);
	success_touched(c, c->subject->key);
}

static const char *name_of(const sim_client *c)
{
	return c->act == ACT_TAKE  ? "take"
		: c->act == ACT_EXTEND ? "extend"
		: c->act == ACT_FENCE  ? "fence"
							   : "release";
}

/* Checks that a failure gives no impossible reason. */
static void check_reason(const sim_client *c, const char *why)
{
	bool is_never_held_back =
		c->act == ACT_RELEASE || c->act == ACT_RELEASE_LOOSE || c->act == ACT_FENCE;
	if (strstr(why, "out of memory") != NULL && strstr(why, "OOM") == NULL) {
		world_violate("reason: c%u has failed with k%u, and memory is not out: %s",
			(unsigned) c->index, (unsigned) c->subject->key, why);
	} else if (is_never_held_back && strstr(why, "failover_grace") != NULL) {
		world_violate("reason: c%u cannot %s k%u because of a time of grace: %s",
			(unsigned) c->index, name_of(c), (unsigned) c->subject->key, why);
	}
}

void success_call_ends(const sim_client *c)
{
	const char *why = c->op->err != NULL ? c->op->err->message : "it is refused";
	rl_status status = c->op->status;
	if (status != RL_OK) {
		check_reason(c, why);
	}
	if (!is_candidate[c->index] || !is_healthy(c) ||
		(c->act == ACT_TAKE && is_wanted_by_others(c, c->subject->key, c->begun_at))) {
		return;
	}
	if (c->act == ACT_TAKE) {
		COVER(healthy_take);
	} else {
		COVER(healthy_call);
	}
	if (status != RL_OK) {
		world_violate("success: c%u cannot %s k%u since %.6f ms, and nothing speaks against it: %s",
			(unsigned) c->index, name_of(c), (unsigned) c->subject->key, (double) c->begun_at / 1e6,
			why);
	}
}
