/* SPDX-License-Identifier: MIT
 *
 * rl_errand.c: state, vote, channel and lookup.
 */
#include "invariants.h"

/* The channel is open, and waits for so many commands. On a line it sees its own command only. */
static bool waits_for(const rl_errand *errand, unsigned commands)
{
	const rl_channel *channel = &errand->channel;
	unsigned waiting = 0;
	if (channel->conn != NULL) {
		waiting = channel->line == NULL ? commands_on(channel->conn) : channel->asked != 0;
	}
	return channel->conn != NULL && waiting == commands;
}

static bool is_looking(const rl_errand *errand)
{
	const rl_route *route = errand->server->route;
	return route != NULL && route->kind == RL_ROUTE_SENTINEL && errand->lookup != NULL &&
		rl_lookup_is_open(errand->lookup);
}

static bool is_state_good(const rl_errand *errand)
{
	const rl_channel *channel = &errand->channel;
	bool is_open = rl_channel_is_open(channel);
	bool is_queued = errand->terms->request.place == RL_PLACE_QUEUED;
	switch (errand->state) {
		case RL_ERRAND_START:
			return holds(false, "rl_errand: a step leaves START");
		case RL_ERRAND_LOOKUP:
			return holds(!is_open, "rl_errand: LOOKUP has no connection") &&
				holds(is_looking(errand) || is_queued,
					"rl_errand: LOOKUP has an open lookup, or is stepped at once");
		case RL_ERRAND_BACKED_OFF:
			return holds(!is_open && errand->vain == 0, "rl_errand: BACKED_OFF has sent nothing");
		case RL_ERRAND_PAUSED:
			return holds(!is_open, "rl_errand: PAUSED has no connection") &&
				holds(errand->vain > 0, "rl_errand: PAUSED follows a command in vain") &&
				holds(errand->resume_at < errand->budget_end,
					"rl_errand: PAUSED ends within the budget");
		case RL_ERRAND_NAMING:
			return holds(!is_open, "rl_errand: NAMING has no connection");
		case RL_ERRAND_LOGIN:
			return holds(waits_for(errand, 0), "rl_errand: LOGIN has sent no command") &&
				holds(channel->line != NULL || errand->terms->waits_for_login ||
						!rl_channel_is_logged_in(channel),
					"rl_errand: LOGIN ends with the login");
		case RL_ERRAND_ANSWER:
			return holds(waits_for(errand, is_queued && errand->blpop == RL_BLPOP_UNHEARD ? 2 : 1),
				"rl_errand: ANSWER has a command under way, in the queue after its BLPOP");
		case RL_ERRAND_REFUSED:
		case RL_ERRAND_UNDOING:
			return holds(waits_for(errand, 1),
					   "rl_errand: REFUSED and UNDOING have a command under way") &&
				holds(channel->conn->life >= RL_CONN_LIFE_REFUSED && errand->err->status != RL_OK,
					"rl_errand: REFUSED and UNDOING follow a login that has failed");
		case RL_ERRAND_CHECKING:
			return holds(waits_for(errand, 0), "rl_errand: CHECKING has its answer") &&
				holds(errand->heard_at != 0 && errand->answer.vote != RL_VOTE_OPEN,
					"rl_errand: CHECKING has its answer") &&
				holds(is_looking(errand), "rl_errand: CHECKING has an open lookup");
		case RL_ERRAND_DONE:
			return true;
	}
	return holds(false, "rl_errand: it has one of the states");
}

static bool is_vote_good(const rl_errand *errand)
{
	bool has_answer = errand->vote == RL_VOTE_GRANTED || errand->vote == RL_VOTE_REFUSED;
	int64_t sent_at = errand->channel.sent_at;
	return holds((errand->vote != RL_VOTE_OPEN) == (errand->state == RL_ERRAND_DONE),
			   "rl_errand: it is DONE when it has a vote, and only then") &&
		holds(errand->vote != RL_VOTE_FAILED || errand->err->status != RL_OK,
			"rl_errand: a failure has a reason") &&
		holds(!has_answer || (sent_at != 0 && sent_at <= errand->heard_at),
			"rl_errand: a vote was heard after its command was sent");
}

bool invariants_of_errand(const rl_errand *errand)
{
	const rl_conn *conn = errand->channel.conn;
	return is_vote_good(errand) && is_state_good(errand) &&
		invariants_of_channel(&errand->channel) &&
		holds(conn == NULL || conn->target == errand->node ||
				(errand->node != NULL && rl_target_equal(conn->target, errand->node)),
			"rl_errand: its connection leads to its node") &&
		holds(errand->budget_end <= errand->budget_max, "rl_errand: the budget has its limit") &&
		holds(errand->hops <= RL_HOPS_MAX + 1, "rl_errand: it asks few other nodes") &&
		holds((errand->text != NULL) == (errand->text_len + errand->labels_len > 0),
			"rl_errand: its text and its labels have a length");
}

bool invariants_of_resting_errand(const rl_errand *errand)
{
	return holds(errand->channel.conn == NULL,
			   "rl_errand: it has no connection before it begins, and after it was settled") &&
		holds(errand->state == RL_ERRAND_DONE || errand->state == RL_ERRAND_START,
			"rl_errand: it is DONE after it was settled");
}
