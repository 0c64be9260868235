/* SPDX-License-Identifier: MIT
 *
 * rl_channel.h: channels and lines.
 */
#include "invariants.h"

static rl_channel *asked_at(const rl_line *line, uint64_t number)
{
	return line->asked[number & (line->room - 1)];
}

static bool is_on_its_line(const rl_channel *channel)
{
	const rl_line *line = channel->line;
	return holds(channel->lines != NULL, "rl_channel: a channel on a line shares connections") &&
		holds(
			line->conn == channel->conn, "rl_channel: a channel uses the connection of its line") &&
		holds(channel->asked == 0 ||
				(channel->asked >= line->first_asked && channel->asked < line->next_asked &&
					asked_at(line, channel->asked) == channel),
			"rl_channel: the line has the channel in the place of its command");
}

bool invariants_of_channel(const rl_channel *channel)
{
	const rl_conn *conn = channel->conn;
	if (conn == NULL) {
		return true;
	}
	return holds(conn->away_link != NULL || conn->next == NULL,
			   "rl_channel: its connection is in no list of the pool but `away`") &&
		holds(channel->command_end <= conn->last_byte,
			"rl_channel: its command was queued on its connection") &&
		holds(!rl_channel_is_handed_over(channel) || channel->sent_at != 0,
			"rl_channel: a command that was handed over has a time at which that began") &&
		(channel->line != NULL ? is_on_its_line(channel) : invariants_of_conn(conn));
}

static bool has_good_ring(const rl_line *line)
{
	uint64_t count = line->next_asked - line->first_asked;
	if (!holds(line->first_asked > 0 && count <= line->room,
			"rl_line: the commands without a reply fit into the ring")) {
		return false;
	}
	for (uint64_t i = line->first_asked; i < line->next_asked; i++) {
		const rl_channel *channel = asked_at(line, i);
		if (!holds(channel == NULL || (channel->line == line && channel->asked == i),
				"rl_line: a channel in the ring points back to its place")) {
			return false;
		}
	}
	return line->conn == NULL ||
		holds(line->conn->life == RL_CONN_LIFE_BROKEN || count == commands_on(line->conn),
			"rl_line: the ring has a place for each reply to come");
}

/* A later line to the same target takes new channels, too. */
static bool is_doubled(const rl_line *line)
{
	bool is_doubled = false;
	for (const rl_line *other = line->next; other != NULL; other = other->next) {
		is_doubled = is_doubled ||
			(other->conn != NULL && !other->is_retired &&
				rl_target_equal(line->target, other->target));
	}
	return is_doubled;
}

static bool is_good_line(const rl_line *line)
{
	if (line->conn == NULL) {
		return holds(line->err.status != RL_OK, "rl_line: a dead line has a reason") &&
			holds(line->next_asked == line->first_asked, "rl_line: no reply comes on a dead line");
	}
	return holds(line->turn == NULL, "rl_line: no line has a turn") &&
		holds(line->giving.is_trusted || line->is_retired,
			"rl_line: a connection that is not trusted takes no new channels") &&
		holds(line->refusal == NULL || line->is_retired,
			"rl_line: a connection whose login has failed takes no new channels") &&
		holds(line->is_retired || !is_doubled(line),
			"rl_line: at most one line to a target takes new channels") &&
		invariants_of_conn(line->conn) && has_good_ring(line);
}

bool invariants_of_lines(const rl_lines *lines)
{
	for (const rl_line *line = lines->first; line != NULL; line = line->next) {
		if (!is_good_line(line)) {
			return false;
		}
	}
	return true;
}
