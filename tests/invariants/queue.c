/* SPDX-License-Identifier: MIT
 *
 * rl_queue.h: the state of the place, and its connection.
 */
#include "invariants.h"

static bool is_state_good(const rl_queue *queue)
{
	const rl_conn *conn = queue->channel.conn;
	unsigned commands = conn != NULL ? commands_on(conn) : 0;
	switch (queue->state) {
		case RL_QUEUE_OUT:
			return holds(conn == NULL, "rl_queue: OUT has no connection");
		case RL_QUEUE_LOGIN:
			return holds(conn != NULL && conn->logins_pending > 0,
					   "rl_queue: LOGIN has a connection, and ends with the login") &&
				holds(commands == 0, "rl_queue: LOGIN has sent no command");
		case RL_QUEUE_IN:
			return holds(conn != NULL && commands == 2, "rl_queue: IN has BLPOP and try under way");
		case RL_QUEUE_WOKEN:
			return holds(conn != NULL && commands == 1, "rl_queue: WOKEN has the try under way") &&
				holds(rl_conn_is_confirming(conn),
					"rl_queue: WOKEN waits for the replicas, or an empty command follows");
		case RL_QUEUE_PRODDED:
			return holds(conn != NULL && commands == 1, "rl_queue: PRODDED has the try under way");
		case RL_QUEUE_ANSWERED:
			return holds(conn != NULL && commands == 0, "rl_queue: ANSWERED is still connected");
	}
	return holds(false, "rl_queue: it has one of the states");
}

bool invariants_of_queue(const rl_queue *queue, const rl_quorum_call *call)
{
	const rl_channel *channel = &queue->channel;
	bool is_open = channel->conn != NULL;
	bool is_sent = queue->state >= RL_QUEUE_IN && queue->state <= RL_QUEUE_PRODDED;
	return is_state_good(queue) && invariants_of_channel(channel) &&
		holds(queue->doubt == RL_DOUBT_NONE || queue->doubt == RL_DOUBT_UNKNOWN,
			"rl_queue: the try has run, or has not, or that is unknown") &&
		holds(queue->member < call->terms.set->count, "rl_queue: its member is one of the set") &&
		holds(queue->hops <= RL_HOPS_MAX, "rl_queue: it follows few redirects") &&
		holds(!is_open || queue->at.node != NULL, "rl_queue: a place has a node") &&
		holds(!is_open || channel->conn->target == queue->at.node ||
				rl_target_equal(channel->conn->target, queue->at.node),
			"rl_queue: its connection leads to its node") &&
		holds(!is_sent || queue->answer_end > queue->slice_end,
			"rl_queue: the answers may come after the end of the slice");
}
