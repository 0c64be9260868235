/* SPDX-License-Identifier: MIT
 *
 * Servers inside the process, over links as core has them: links that are blocked in BLPOP, which
 * of them are woken, and how they end.
 */
#include "core/base/rl_time.h"
#include "memory_links.h"
#include "peer.h"
#include "transport/rl_memory.h"
#include "transport/rl_os.h"

#include <stdio.h>
#include <sys/socket.h>

#define MS RL_NS_PER_MS

/* The lock k, whose waiters are woken. */
#define TRY "EVAL @try 3 k k::rl-wait k::rl-wake "
#define RELEASE "EVAL @release 3 k k::rl-wait k::rl-wake "

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

static void blocked_links_are_woken_in_their_order(void)
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

static void a_link_stays_blocked_when_the_servers_are_emptied(void)
{
	begin(2);
	ASK(1, "SET k tok NX PX 60000", "+OK");
	enqueue(0, "w0");
	rl_memory_flush();
	ASK(1, "EXISTS k", ":0");
	HEARS(0, "none");
	say(1, TRY "w1 60000 0 0 w1 2000"); /* another waiter, whose release hands out a ticket */
	CHECK(strncmp(memory_hear(links[1]), "[:1 ", 4) == 0);
	say(1, TRY "w2 60000 0 0 w2 2000");
	CHECK(strncmp(memory_hear(links[1]), "[:0 ", 4) == 0);
	ASK(1, RELEASE "w1", ":1");
	HEARS(0, "[k::rl-wake 1]");
}

static void commands_after_a_blpop_run_when_it_is_over(void)
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

static void a_ticket_stays_for_a_later_blpop(void)
{
	begin(2);
	ASK(1, "SET k tok NX PX 60000", "+OK");
	say(0, TRY "w0 60000 0 0 w0 2000");
	CHECK(strncmp(memory_hear(links[0]), "[:0 ", 4) == 0);
	ASK(1, RELEASE "tok", ":1");
	ASK(0, "BLPOP k::rl-wake 10.000", "[k::rl-wake 1]");
	ASK(0, "BLPOP k::rl-wake 10.000", "none"); /* there was one ticket */
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

/* The place in the queue goes, as on a real server, and so do the commands after the BLPOP. */
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

static void commands_that_were_sent_before_the_end_are_run(void)
{
	static const char command[] =
		"*6\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\ntok\r\n$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n60000\r\n";
	for (int is_closed = 0; is_closed <= 1; is_closed++) {
		begin(2);
		/* The command was written, and the link ends before the server has run it. */
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

static const check_test tests[] = {
	TEST(another_link_wakes_a_blocked_one),
	TEST(blocked_links_are_woken_in_their_order),
	TEST(a_link_stays_blocked_when_the_servers_are_emptied),
	TEST(commands_after_a_blpop_run_when_it_is_over),
	TEST(a_ticket_stays_for_a_later_blpop),
	TEST(a_blpop_ends_in_time),
	TEST(another_thread_wakes_a_blocked_link),
	TEST(a_blocked_link_that_ends_is_not_woken),
	TEST(commands_that_were_sent_before_the_end_are_run),
};

CHECK_MAIN(tests, clean_up)
