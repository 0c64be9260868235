/* SPDX-License-Identifier: MIT
 *
 * Servers inside the process, over links as core has them: replies, BLPOP, the ends of links, and
 * faults. What the commands do to the data is compared with real servers elsewhere
 * (tests/sim/conformance.c).
 */
#include "check.h"
#include "core/base/rl_time.h"
#include "memory_link.h"
#include "peer.h"
#include "transport/rl_memory.h"
#include "transport/rl_os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define MS RL_NS_PER_MS
#define LINKS_MAX 4

/* The lock k, whose waiters are woken. */
#define TRY "EVAL @try 3 k k::rl-wait k::rl-wake "
#define RELEASE "EVAL @release 3 k k::rl-wait k::rl-wake "

static rl_net net;
static rl_link *links[LINKS_MAX];

static void close_link(unsigned i)
{
	if (links[i] != NULL) {
		net.transport.close(links[i]);
		links[i] = NULL;
	}
}

/* Each test begins without servers. */
static void clean_up(void)
{
	for (unsigned i = 0; i < LINKS_MAX; i++) {
		close_link(i);
	}
	rl_net_destroy(&net);
	rl_memory_tear_down();
}

static void begin(unsigned count)
{
	rl_memory_set_up();
	rl_net_init(&net);
	for (unsigned i = 0; i < count; i++) {
		links[i] = memory_dial(&net, "server", RL_FAULT_NONE, NULL);
	}
}

static void say(unsigned i, const char *command)
{
	memory_say(links[i], command);
}

#define HEARS(i, wanted) CHECK_TEXT(memory_hear(links[i]), wanted)

/* Says it, and checks the reply. */
#define ASK(i, command, wanted) (say(i, command), HEARS(i, wanted))

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
	ASK(0, "EVALSHA #release 1 k tok", "-NOSCRIPT No matching script. Please use EVAL.");
	ASK(0, "EVAL @release 1 k tok", ":0");
	ASK(0, "SET k tok NX PX 60000", "+OK");
	ASK(0, "EVALSHA #release 1 k other", ":0");
	ASK(0, "EVALSHA #release 1 k tok", ":1");
	ASK(0, "EVALSHA #release 1 k tok", ":0");
	ASK(0, "EVAL @inspect 1 k", "[:-2 :0 :0 ]");
	ASK(0, "SET k foreign NX PX 60000", "+OK");
	say(0, "EVALSHA #inspect 1 k");
	const char *state = memory_hear(links[0]);
	CHECK(strncmp(state, "[:", 2) == 0 && atoi(state + 2) > 50000 && atoi(state + 2) <= 60000);
	CHECK_HAS(state, " foreign]");
}

static void what_is_no_command_ends_the_connection(void)
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

static void a_name_is_a_server(void)
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

/* Its replies are larger than what a socket takes, and so are the commands. */
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

/* ---- BLPOP ---- */

/* The link's waiter enters the queue of k. */
static void enqueue(unsigned i, const char *waiter)
{
	char command[128];
	snprintf(command, sizeof command, TRY "%s 60000 0 0 %s 2000", waiter, waiter);
	say(i, command);
	CHECK(strncmp(memory_hear(links[i]), "[:0 ", 4) == 0);
	ASK(i, "BLPOP k::rl-wake 10.000", "none");
}

static void another_link_wakes_a_blocked_one(void)
{
	begin(2);
	ASK(1, "SET k tok NX PX 60000", "+OK");
	enqueue(0, "w0");
	say(1, RELEASE "tok");
	CHECK(memory_has_arrived(links[0]));
	HEARS(1, ":1");
	HEARS(0, "[k::rl-wake 1]");
	say(0, TRY "w0 60000 0 1 w0 0");
	CHECK(strncmp(memory_hear(links[0]), "[:1 ", 4) == 0);
	ASK(1, "GET k", "w0");
	CHECK_INT(rl_link_wake_at(links[0]), RL_NEVER);
}

static void those_who_wait_are_woken_in_their_order(void)
{
	static const char *const waiters[] = {"w0", "w1", "w2"};
	char command[128];
	begin(4);
	ASK(3, "SET k w3 NX PX 60000", "+OK");
	enqueue(1, "w1");
	enqueue(0, "w0");
	enqueue(2, "w2");
	static const unsigned order[] = {3, 1, 0, 2};
	for (unsigned i = 0; i < 3; i++) {
		unsigned next = order[i + 1];
		snprintf(command, sizeof command, RELEASE "w%u", order[i]);
		ASK(order[i], command, ":1");
		for (unsigned other = 0; other < 3; other++) {
			CHECK_INT(memory_has_arrived(links[other]), other == next);
		}
		HEARS(next, "[k::rl-wake 1]");
		snprintf(command, sizeof command, TRY "%s 60000 0 1 %s 0", waiters[next], waiters[next]);
		say(next, command);
		CHECK(strncmp(memory_hear(links[next]), "[:1 ", 4) == 0);
	}
}

static void what_stands_behind_a_blpop_runs_after_it(void)
{
	begin(2);
	ASK(1, "SET k tok NX PX 60000", "+OK");
	enqueue(0, "w0");
	say(0, "SET late tok NX PX 60000");
	ASK(1, "EXISTS late", ":0");
	ASK(1, RELEASE "tok", ":1");
	ASK(1, "EXISTS late", ":1");
	HEARS(0, "[k::rl-wake 1]");
	HEARS(0, "+OK");
}

static void a_ticket_is_there_for_who_comes_later(void)
{
	begin(2);
	ASK(1, "SET k tok NX PX 60000", "+OK");
	say(0, TRY "w0 60000 0 0 w0 2000");
	CHECK(strncmp(memory_hear(links[0]), "[:0 ", 4) == 0);
	ASK(1, RELEASE "tok", ":1");
	ASK(0, "BLPOP k::rl-wake 10.000", "[k::rl-wake 1]");
	ASK(0, "BLPOP k::rl-wake 10.000", "none"); /* there was one */
}

static void a_blpop_ends_in_time(void)
{
	begin(2);
	int64_t before = rl_os_now();
	ASK(0, "BLPOP k::rl-wake 60.250", "none");
	int64_t at = rl_link_wake_at(links[0]);
	CHECK(at >= before + 60250 * MS && at <= rl_os_now() + 60250 * MS);
	CHECK(rl_os_advance_to(at - 1000 * MS));
	HEARS(0, "none");
	CHECK(rl_os_advance_to(at));
	HEARS(0, "nil");
	HEARS(0, "none");
	CHECK_INT(rl_link_wake_at(links[0]), RL_NEVER);
	ASK(0, "BLPOP k::rl-wake 0", "none"); /* for ever */
	CHECK_INT(rl_link_wake_at(links[0]), RL_NEVER);
}

static rl_net of_thread;

static void *release_soon(void *unused)
{
	rl_net_init(&of_thread);
	rl_link *link = memory_dial(&of_thread, "server", RL_FAULT_NONE, NULL);
	peer_sleeps(20);
	memory_say(link, RELEASE "tok");
	of_thread.transport.close(link);
	rl_net_destroy(&of_thread);
	return unused;
}

static void another_thread_wakes_a_blocked_link(void)
{
	pthread_t thread;
	begin(2);
	ASK(1, "SET k tok NX PX 60000", "+OK");
	enqueue(0, "w0");
	CHECK_INT(pthread_create(&thread, NULL, release_soon, NULL), 0);
	struct pollfd poll_fd = {.fd = rl_link_fd(links[0]), .events = POLLIN};
	int ready = rl_os_poll(&poll_fd, 1, 10 * RL_NS_PER_SECOND, NULL, NULL);
	pthread_join(thread, NULL);
	CHECK_INT(ready, 1);
	HEARS(0, "[k::rl-wake 1]");
}

/* ---- the ends of links ---- */

/* Its place in the queue goes, as on a real server, and so do the commands behind its BLPOP. */
static void a_blocked_link_that_ends_is_not_woken(void)
{
	for (int is_closed = 0; is_closed <= 1; is_closed++) {
		begin(3);
		ASK(2, "SET k tok NX PX 60000", "+OK");
		enqueue(0, "w0");
		enqueue(1, "w1");
		memory_say(links[0], "SET never tok NX PX 60000");
		if (is_closed) {
			close_link(0);
		} else {
			net.transport.end(links[0]);
			CHECK(net.transport.is_over(links[0]));
		}
		ASK(2, RELEASE "tok", ":1");
		CHECK(memory_has_arrived(links[1]));
		HEARS(1, "[k::rl-wake 1]");
		ASK(2, "EXISTS never", ":0");
		clean_up();
	}
}

static void what_was_sent_before_the_end_is_run(void)
{
	static const char command[] =
		"*6\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\ntok\r\n$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n60000\r\n";
	for (int is_closed = 0; is_closed <= 1; is_closed++) {
		begin(2);
		/* As if the link had been stopped between writing and waiting. */
		CHECK_INT(send(rl_link_fd(links[0]), command, sizeof command - 1, 0),
			(int64_t) sizeof command - 1);
		ASK(1, "EXISTS k", ":0");
		if (is_closed) {
			close_link(0);
		} else {
			net.transport.end(links[0]);
			CHECK(net.transport.is_over(links[0]));
		}
		ASK(1, "EXISTS k", ":1");
		clean_up();
	}
}

/* ---- faults ---- */

static void refused(void)
{
	rl_error err = {0};
	begin(1);
	CHECK(memory_dial(&net, "server", RL_FAULT_REFUSED, &err) == NULL);
	CHECK_INT(err.status, RL_ERR_CONNECT);
	CHECK_INT(err.sys_errno, ECONNREFUSED);
	CHECK_HAS(err.message, "fail=refused");
}

static void timed_out(void)
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

static void read_only(void)
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

static void lost_reply(void)
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
	TEST(what_is_no_command_ends_the_connection),
	TEST(replies_to_many_commands_come_in_order),
	TEST(a_name_is_a_server),
	TEST(a_flood_that_is_not_read_at_once_is_answered),
	TEST(a_key_may_have_any_bytes),
	TEST(another_link_wakes_a_blocked_one),
	TEST(those_who_wait_are_woken_in_their_order),
	TEST(what_stands_behind_a_blpop_runs_after_it),
	TEST(a_ticket_is_there_for_who_comes_later),
	TEST(a_blpop_ends_in_time),
	TEST(another_thread_wakes_a_blocked_link),
	TEST(a_blocked_link_that_ends_is_not_woken),
	TEST(what_was_sent_before_the_end_is_run),
	TEST(refused),
	TEST(timed_out),
	TEST(read_only),
	TEST(lost_reply),
};

CHECK_MAIN(tests, clean_up)
