/* SPDX-License-Identifier: MIT */
#include "memory_link.h"

#include "check.h"
#include "core/wire/rl_script.h"
#include "transport/rl_os.h"

#include <stdio.h>

#define WORDS_MAX 16

static const char *const script_names[RL_SCRIPTS] = {[RL_SCRIPT_TRY] = "try",
	[RL_SCRIPT_RELEASE] = "release",
	[RL_SCRIPT_INSPECT] = "inspect",
	[RL_SCRIPT_FENCE] = "fence",
	[RL_SCRIPT_FREE_ANY] = "free"};

rl_link *memory_dial(rl_net *net, const char *name, rl_fault fault, rl_error *err)
{
	/* A link borrows its address, so the addresses stay here. The names are constants. */
	static rl_address addresses[64];
	static unsigned used;
	rl_error unused = {0};
	rl_address *address = &addresses[used++ % 64];
	*address = (rl_address){.kind = RL_NET_MEMORY, .host = (char *) name, .fault = fault};
	rl_link *link = net->transport.dial(
		&net->transport, address, rl_os_now() + RL_NS_PER_SECOND, err != NULL ? err : &unused);
	if (link == NULL && err == NULL) {
		FAIL("no link to memory://%s: %s", name, unused.message);
	}
	return link;
}

static rl_bytes read_word(rl_bytes word)
{
	for (unsigned i = 0; i < RL_SCRIPTS && word.len > 0 && strchr("@#", word.data[0]); i++) {
		const char *name = script_names[i];
		if (name != NULL &&
			rl_bytes_equal(rl_bytes_of(word.data + 1, word.len - 1), bytes_of(name))) {
			const rl_script *script = rl_script_get((rl_script_id) i);
			return word.data[0] == '#' ? rl_bytes_of(script->sha1, 40)
									   : rl_bytes_of(script->text, script->text_len);
		}
	}
	return word;
}

/* The functions of a link. All nets have the same ones. */
static const rl_transport *functions(void)
{
	static rl_net any;
	if (any.transport.append == NULL) {
		rl_net_init(&any);
	}
	return &any.transport;
}

void memory_append(rl_link *link, const char *command)
{
	rl_bytes argv[WORDS_MAX];
	unsigned argc = 0;
	for (const char *at = command; *at != '\0' && argc < WORDS_MAX; argc++) {
		size_t len = strcspn(at, " ");
		argv[argc] = read_word(rl_bytes_of(at, len));
		at += len + (at[len] == ' ');
	}
	CHECK(functions()->append(link, argc, argv) > 0);
}

void memory_say(rl_link *link, const char *command)
{
	memory_append(link, command);
	functions()->flush(link);
}

/* ---- replies ---- */

static char heard[1024];

static void write_down(const rl_reply *reply)
{
	size_t used = strlen(heard);
	char *out = heard + used;
	size_t room = sizeof heard - used;
	switch (reply->type) {
		case RL_REPLY_STATUS:
			snprintf(out, room, "+%.*s", (int) reply->text.len, reply->text.data);
			break;
		case RL_REPLY_ERROR:
			snprintf(out, room, "-%.*s", (int) reply->text.len, reply->text.data);
			break;
		case RL_REPLY_STRING:
			snprintf(out, room, "%.*s", (int) reply->text.len, reply->text.data);
			break;
		case RL_REPLY_INTEGER:
			snprintf(out, room, ":%lld", (long long) reply->integer);
			break;
		case RL_REPLY_ARRAY:
			strcat(heard, "[");
			for (size_t i = 0; i < reply->count; i++) {
				strcat(heard, i > 0 ? " " : "");
				write_down(&reply->elements[i]);
			}
			strcat(heard, "]");
			break;
		default:
			snprintf(out, room, "nil");
			break;
	}
}

const char *memory_hear(rl_link *link)
{
	rl_reply reply;
	rl_error err;
	rl_link_advance(link, 0, rl_os_now());
	rl_link_event event = functions()->receive(link, &reply, &err);
	heard[0] = '\0';
	if (event == RL_LINK_REPLY) {
		write_down(&reply);
		return heard;
	}
	return event == RL_LINK_NONE ? "none" : "down";
}

bool memory_has_arrived(const rl_link *link)
{
	struct pollfd poll_fd = {.fd = rl_link_fd(link), .events = POLLIN};
	return rl_os_poll(&poll_fd, 1, 0, NULL, NULL) > 0;
}
