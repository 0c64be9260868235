/* SPDX-License-Identifier: MIT
 *
 * Servers inside the process, over links as core has them: replies and faults. The effect of
 * commands on the data is compared with real servers elsewhere (tests/sim/conformance.c).
 */
#include "memory_links.h"
#include "transport/rl_memory.h"
#include "transport/rl_os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

/* ---- replies ---- */

static void a_link_is_connected_at_once(void)
{
	begin(1);
	CHECK(net.transport.is_connected(links[0]));
	CHECK(rl_link_fd(links[0]) > 2);
	CHECK_INT(rl_link_events(links[0]), POLLIN);
	CHECK_INT(rl_link_wake_at(links[0]), RL_NEVER);
	CHECK(net.transport.is_alive(links[0], false));
}

static void plain_commands_are_answered(void)
{
	begin(1);
	ASK(0, "CLIENT SETNAME me", "+OK");
	ASK(0, "GET k", "nil");
	ASK(0, "PTTL k", ":-2");
	ASK(0, "SET k tok NX PX 60000", "+OK");
	ASK(0, "SET k other NX PX 60000", "nil");
	ASK(0, "GET k", "tok");
	ASK(0, "EXISTS k", ":1");
	ASK(0, "EXISTS l", ":0");
	ASK(0, "FLUSHALL", "-ERR a server in memory does not know this command");
	ASK(0, "WAIT 1 100", "-ERR a server in memory does not know this command");
	HEARS(0, "none");
}

static void scripts_are_answered(void)
{
	begin(1);
	ASK(0, "EVALSHA #release 1 k tok", ":0"); /* never NOSCRIPT */
	ASK(0, "EVAL @release 1 k tok", ":0");
	ASK(0, "SET k tok NX PX 60000", "+OK");
	ASK(0, "EVALSHA #release 1 k other", ":0");
	ASK(0, "EVALSHA #release 1 k tok", ":1");
	ASK(0, "EVALSHA #release 1 k tok", ":0");
	ASK(0, "EVAL @inspect 1 k", "[:-2 :0 :0  ]");
	ASK(0, "SET k foreign NX PX 60000", "+OK");
	say(0, "EVALSHA #inspect 1 k");
	const char *state = memory_hear(links[0]);
	CHECK(strncmp(state, "[:", 2) == 0 && atoi(state + 2) > 50000 && atoi(state + 2) <= 60000);
	CHECK_HAS(state, " foreign ]");
}

static void bytes_that_are_no_command_end_the_connection(void)
{
	static const char *const words[] = {"GET k\r\n", "*1\r\n:1\r\n", "*1\r\n$1\r\nG\r\n", "*0\r\n"};
	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
		begin(1);
		CHECK_INT(
			send(rl_link_fd(links[0]), words[i], strlen(words[i]), 0), (int64_t) strlen(words[i]));
		HEARS(0, "down");
		clean_up();
	}
}

static void replies_to_many_commands_come_in_order(void)
{
	begin(1);
	memory_append(links[0], "SET k tok NX PX 60000");
	memory_append(links[0], "GET k");
	memory_append(links[0], "EVAL @release 1 k tok");
	memory_append(links[0], "GET k");
	CHECK(!memory_has_arrived(links[0]));
	net.transport.flush(links[0]);
	CHECK(memory_has_arrived(links[0])); /* before the driver waits */
	HEARS(0, "+OK");
	HEARS(0, "tok");
	HEARS(0, ":1");
	HEARS(0, "nil");
	HEARS(0, "none");
}

static void each_name_is_another_server(void)
{
	begin(1);
	links[1] = memory_dial(&net, "other", RL_FAULT_NONE, NULL);
	links[2] = memory_dial(&net, "", RL_FAULT_NONE, NULL);
	links[3] = memory_dial(&net, "server", RL_FAULT_NONE, NULL);
	ASK(0, "SET k tok NX PX 60000", "+OK");
	ASK(1, "EXISTS k", ":0");
	ASK(2, "EXISTS k", ":0");
	ASK(3, "EXISTS k", ":1");
	close_link(0);
	close_link(3);
	links[0] = memory_dial(&net, "server", RL_FAULT_NONE, NULL);
	ASK(0, "EXISTS k", ":1"); /* a server stays without links, as a real one does */
}

/* The replies are larger than what a socket takes, and so are the commands. */
static void a_flood_that_is_not_read_at_once_is_answered(void)
{
	enum { COMMANDS = 20000 };
	char command[64];
	begin(1);
	ASK(0, "SET k a-token-that-makes-the-replies-longer NX PX 60000", "+OK");
	for (unsigned i = 0; i < COMMANDS; i++) {
		snprintf(command, sizeof command, i % 2 == 0 ? "GET k" : "EXISTS no-lock-%u", i);
		memory_append(links[0], command);
	}
	for (unsigned rounds = 0; rl_link_events(links[0]) != POLLIN; rounds++) {
		CHECK(rounds < 1000);
		net.transport.flush(links[0]);
	}
	CHECK_INT(rl_link_wake_at(links[0]), 0); /* the socket is full */
	for (unsigned i = 0; i < COMMANDS; i++) {
		const char *reply = memory_hear(links[0]);
		for (unsigned tries = 0; strcmp(reply, "none") == 0 && tries < 10; tries++) {
			reply = memory_hear(links[0]);
		}
		CHECK_TEXT(reply, i % 2 == 0 ? "a-token-that-makes-the-replies-longer" : ":0");
	}
	HEARS(0, "none");
	CHECK_INT(rl_link_wake_at(links[0]), RL_NEVER);
}

static void set(const char *data, size_t len)
{
	const rl_bytes argv[] = {bytes_of("SET"), rl_bytes_of(data, len), bytes_of("tok"),
		bytes_of("NX"), bytes_of("PX"), bytes_of("60000")};
	CHECK(net.transport.append(links[0], 6, argv) > 0);
	net.transport.flush(links[0]);
}

static void a_key_may_have_any_bytes(void)
{
	static char large[64 * 1024];
	begin(1);
	for (size_t i = 0; i < sizeof large; i++) {
		large[i] = (char) (i * 7);
	}
	static const struct {
		const char *data;
		size_t len;
	} keys[] = {{large, sizeof large}, {large, sizeof large - 1}, {"", 0}, {"\0", 1}, {"\0\0", 2},
		{"\r\n", 2}, {"*1\r\n", 4}, {"k", 1}, {"k\0", 2}, {"::rl-wake", 9}, {"\xff\xfe", 2}};
	for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		set(keys[i].data, keys[i].len);
		HEARS(0, "+OK");
		set(keys[i].data, keys[i].len);
		HEARS(0, "nil");
	}
}

static void a_flush_deletes_all_keys_of_all_servers(void)
{
	begin(1);
	links[1] = memory_dial(&net, "other", RL_FAULT_NONE, NULL);
	links[2] = memory_dial(&net, "other", RL_FAULT_READONLY, NULL);
	ASK(0, "SET k tok NX PX 60000", "+OK");
	ASK(0, "SET l tok NX PX 60000", "+OK");
	ASK(1, "SET k tok NX PX 60000", "+OK");
	rl_memory_flush();
	ASK(0, "EXISTS k", ":0");
	ASK(0, "EXISTS l", ":0");
	ASK(2, "EXISTS k", ":0");
	ASK(1, "SET k other NX PX 60000", "+OK");
	ASK(2, "GET k", "other");
}

/* ---- faults ---- */

static void a_server_may_refuse_connections(void)
{
	rl_error err = {0};
	begin(1);
	CHECK(memory_dial(&net, "server", RL_FAULT_REFUSED, &err) == NULL);
	CHECK_INT(err.status, RL_ERR_CONNECT);
	CHECK_INT(err.sys_errno, ECONNREFUSED);
	CHECK_HAS(err.message, "fail=refused");
}

static void a_server_may_time_out(void)
{
	begin(1);
	links[1] = memory_dial(&net, "server", RL_FAULT_TIMEOUT, NULL);
	say(1, "SET k tok NX PX 60000");
	CHECK(rl_os_advance_to(rl_os_now() + RL_NS_PER_SECOND));
	HEARS(1, "none");
	net.transport.end(links[1]);
	CHECK(!net.transport.is_over(links[1]));
	close_link(1);
	ASK(0, "EXISTS k", ":0");
}

static void a_server_may_be_read_only(void)
{
	begin(1);
	links[1] = memory_dial(&net, "server", RL_FAULT_READONLY, NULL);
	static const char denial[] = "-READONLY You can't write against a read only replica.";
	ASK(0, "SET k tok NX PX 60000", "+OK");
	ASK(1, "SET l tok NX PX 60000", denial);
	ASK(1, "EVAL @release 1 k tok", denial);
	ASK(1, "BLPOP k::rl-wake 10.000", denial);
	ASK(1, "GET k", "tok");
	ASK(0, "EVAL @release 1 k tok", ":1"); /* the other links may write */
	ASK(0, "EXISTS l", ":0");
}

static void a_server_may_lose_its_replies(void)
{
	begin(1);
	links[1] = memory_dial(&net, "server", RL_FAULT_LOST_REPLY, NULL);
	ASK(1, "SET k tok NX PX 60000", "down");
	ASK(0, "GET k", "tok");
	links[2] = memory_dial(&net, "server", RL_FAULT_LOST_REPLY, NULL);
	ASK(2, "EVAL @release 1 k tok", "down");
	ASK(0, "EXISTS k", ":0");
}

static const check_test tests[] = {
	TEST(a_link_is_connected_at_once),
	TEST(plain_commands_are_answered),
	TEST(scripts_are_answered),
	TEST(bytes_that_are_no_command_end_the_connection),
	TEST(replies_to_many_commands_come_in_order),
	TEST(each_name_is_another_server),
	TEST(a_flood_that_is_not_read_at_once_is_answered),
	TEST(a_key_may_have_any_bytes),
	TEST(a_flush_deletes_all_keys_of_all_servers),
	TEST(a_server_may_refuse_connections),
	TEST(a_server_may_time_out),
	TEST(a_server_may_be_read_only),
	TEST(a_server_may_lose_its_replies),
};

CHECK_MAIN(tests, clean_up)
