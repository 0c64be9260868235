/* SPDX-License-Identifier: MIT
 *
 * The replies of a server inside the process.
 */
#include "transport/rl_memory_reply.h"

#include <inttypes.h>
#include <stdio.h>

/* A type, a number, and the end of the line. */
static bool put_line(rl_buffer *out, char type, int64_t number)
{
	char line[32];
	int len = snprintf(line, sizeof line, "%c%" PRId64 "\r\n", type, number);
	return rl_buffer_append(out, line, (size_t) len);
}

static bool put_words(rl_buffer *out, const char *words)
{
	return rl_buffer_append(out, words, strlen(words));
}

bool rl_memory_put_bytes(rl_buffer *out, rl_bytes bytes)
{
	return put_line(out, '$', (int64_t) bytes.len) &&
		(bytes.len == 0 || rl_buffer_append(out, bytes.data, bytes.len)) && put_words(out, "\r\n");
}

static bool put_text(rl_buffer *out, const rl_model_text *text)
{
	return rl_memory_put_bytes(out, rl_bytes_of(text->bytes, text->len));
}

static bool put_numbers(rl_buffer *out, const rl_model_reply *reply)
{
	bool is_state = reply->type == RL_SAYS_STATE;
	bool is_put = put_line(out, '*', reply->count + (is_state ? 2 : 0));
	for (unsigned i = 0; i < reply->count; i++) {
		bool is_label = reply->label_at > 0 && reply->label_at == i;
		is_put = is_put &&
			(is_label ? put_text(out, &reply->label) : put_line(out, ':', reply->number[i]));
	}
	return is_put && (!is_state || (put_text(out, &reply->text) && put_text(out, &reply->waiting)));
}

static bool put_ticket(rl_buffer *out, rl_bytes key)
{
	static const char suffix[] = RL_TICKETS_SUFFIX;
	return put_words(out, "*2\r\n") &&
		put_line(out, '$', (int64_t) (key.len + sizeof suffix - 1)) &&
		rl_buffer_append(out, key.data, key.len) && put_words(out, suffix) &&
		put_words(out, "\r\n$1\r\n1\r\n");
}

bool rl_memory_put_reply(rl_buffer *out, const rl_model_reply *reply, rl_bytes key)
{
	switch (reply->type) {
		case RL_SAYS_STATUS:
			return put_words(out, "+OK\r\n");
		case RL_SAYS_ERROR:
			return put_words(out, "-") && put_words(out, reply->error) && put_words(out, "\r\n");
		case RL_SAYS_TEXT:
		case RL_SAYS_DIGITS:
			return put_text(out, &reply->text);
		case RL_SAYS_NUMBER:
			return put_line(out, ':', reply->number[0]);
		case RL_SAYS_NUMBERS:
		case RL_SAYS_STATE:
			return put_numbers(out, reply);
		case RL_SAYS_TICKET:
			return put_ticket(out, key);
		case RL_SAYS_NIL:
		case RL_SAYS_MOVED: /* from here on: of clusters and Sentinels */
		case RL_SAYS_ASK:
		case RL_SAYS_MAP:
		case RL_SAYS_ROLE:
		case RL_SAYS_ADDRESS:
		case RL_SAYS_MASTER:
			break;
	}
	return put_words(out, "$-1\r\n");
}
