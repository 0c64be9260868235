/* SPDX-License-Identifier: MIT
 *
 * rl_lookup.c: the stages of the Sentinels, and the outcome.
 */
#include "invariants.h"

static bool is_open_as_it_should(const rl_sentinel *sentinel)
{
	const rl_conn *conn = sentinel->channel.conn;
	switch (sentinel->stage) {
		case RL_SENTINEL_START:
			return holds(false, "rl_lookup: each step asks the Sentinels that may be asked");
		case RL_SENTINEL_BACKED_OFF:
		case RL_SENTINEL_FAILED:
			return holds(conn == NULL,
				"rl_lookup: a Sentinel that is backed off or has failed has no connection");
		case RL_SENTINEL_ASKED:
			return holds(conn != NULL && commands_on(conn) == 1,
				"rl_lookup: a Sentinel that was asked has a connection with the question");
		case RL_SENTINEL_NAMED:
		case RL_SENTINEL_UNAWARE:
			return holds(conn != NULL && commands_on(conn) == 0,
				"rl_lookup: a Sentinel that has answered keeps its connection until the end");
	}
	return holds(false, "rl_lookup: a Sentinel has one of the stages");
}

static bool is_named_like(const rl_sentinel *sentinel, const rl_sentinel *like)
{
	return sentinel->stage == RL_SENTINEL_NAMED && like->stage == RL_SENTINEL_NAMED &&
		rl_address_equal(&sentinel->named, &like->named);
}

/* The number of the Sentinels that name the most frequent address. */
static unsigned count_most_alike(const rl_lookup *lookup)
{
	unsigned most = 0;
	for (unsigned i = 0; i < lookup->route->seed_count; i++) {
		unsigned alike = 0;
		for (unsigned j = i; j < lookup->route->seed_count; j++) {
			alike += is_named_like(&lookup->sentinels[i], &lookup->sentinels[j]);
		}
		most = alike > most ? alike : most;
	}
	return most;
}

static bool is_open_lookup_good(const rl_lookup *lookup)
{
	const rl_route *route = lookup->route;
	unsigned quorum =
		route->sentinel_quorum > 0 ? route->sentinel_quorum : rl_quorum(route->seed_count);
	unsigned asked = 0;
	unsigned named = 0;
	for (unsigned i = 0; i < route->seed_count; i++) {
		const rl_sentinel *sentinel = &lookup->sentinels[i];
		bool has_named = sentinel->stage == RL_SENTINEL_NAMED;
		asked += sentinel->stage <= RL_SENTINEL_ASKED;
		named += has_named;
		if (!is_open_as_it_should(sentinel) || !invariants_of_channel(&sentinel->channel) ||
			!holds(!has_named || (sentinel->named.host != NULL && sentinel->channel.sent_at != 0),
				"rl_lookup: an address that was named is kept, with the time of its question")) {
			return false;
		}
	}
	return holds(asked > 0, "rl_lookup: while it is open a Sentinel may still answer") &&
		holds(named < quorum || count_most_alike(lookup) < quorum,
			"rl_lookup: it is open only until a quorum of the Sentinels names one address");
}

bool invariants_of_lookup(const rl_lookup *lookup)
{
	if (rl_lookup_is_open(lookup)) {
		return is_open_lookup_good(lookup);
	}
	for (unsigned i = 0; lookup->route != NULL && i < lookup->route->seed_count; i++) {
		if (!holds(lookup->sentinels[i].channel.conn == NULL,
				"rl_lookup: it has no connection while it is closed")) {
			return false;
		}
	}
	return true;
}
