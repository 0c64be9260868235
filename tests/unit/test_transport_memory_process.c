/* SPDX-License-Identifier: MIT
 *
 * Servers inside the process: which of them a forked child has, how long they live, and how much
 * memory they take.
 */
#include "check.h"
#include "memory_link.h"
#include "peer.h"
#include "transport/rl_memory.h"
#include "transport/rl_os.h"
#include "transport/rl_process.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The bytes that are allocated. NULL = this compiler has no sanitizer that counts them. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static rl_net net;
static rl_link *link_;
static rl_link *other;

static void close_links(void)
{
	if (link_ != NULL) {
		net.transport.close(link_);
	}
	if (other != NULL) {
		net.transport.close(other);
	}
	link_ = other = NULL;
}

static void clean_up(void)
{
	close_links();
	rl_net_destroy(&net);
	rl_memory_tear_down();
}

static void begin(void)
{
	rl_process_watch_forks();
	rl_memory_set_up();
	rl_net_init(&net);
	link_ = memory_dial(&net, "server", RL_FAULT_NONE, NULL);
}

#define ASK(link, command, wanted) \
 (memory_say(link, command), CHECK_TEXT(memory_hear(link), wanted))

/* ---- forks ---- */

static int status_of(pid_t pid)
{
	int status = -1;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	return status;
}

/* 0 = all is well with the child. */
static int child(void)
{
	rl_error err = {0};
	if (memory_dial(&net, "server", RL_FAULT_NONE, &err) != NULL || err.status != RL_ERR_CONNECT ||
		strstr(err.message, "belongs to the parent") == NULL) {
		return 1;
	}
	close_links(); /* as PHP does at the end of the child */
	link_ = memory_dial(&net, "child's", RL_FAULT_NONE, NULL);
	ASK(link_, "SET k child NX PX 60000", "+OK");
	clean_up();
	return 0;
}

static void a_child_has_servers_of_its_own(void)
{
	static const char command[] =
		"*6\r\n$3\r\nSET\r\n$1\r\nl\r\n$3\r\ntok\r\n$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n60000\r\n";
	begin();
	other = memory_dial(&net, "server", RL_FAULT_NONE, NULL);
	ASK(link_, "SET k tok NX PX 60000", "+OK");
	ASK(other, "BLPOP k::rl-wake 60.000", "none");
	/* A command that is on its way during the fork belongs to the parent. */
	CHECK_INT(send(rl_link_fd(link_), command, sizeof command - 1, 0), sizeof command - 1);
	pid_t pid = fork();
	if (pid == 0) {
		alarm(10);
		_exit(child());
	}
	CHECK_INT(status_of(pid), 0);
	CHECK_TEXT(memory_hear(link_), "+OK");
	CHECK(net.transport.is_alive(link_, false));
	ASK(link_, "EXISTS l", ":1");
	ASK(link_, "GET k", "tok");
	CHECK_TEXT(memory_hear(other), "none"); /* still blocked */
	CHECK(rl_link_wake_at(other) != RL_NEVER);
}

static _Atomic bool is_over;

static void *talk(void *unused)
{
	static rl_net own;
	rl_net_init(&own);
	rl_link *link = memory_dial(&own, "server", RL_FAULT_NONE, NULL);
	while (!atomic_load(&is_over)) {
		memory_say(link, "GET k");
		memory_hear(link);
	}
	own.transport.close(link);
	rl_net_destroy(&own);
	return unused;
}

/* The mutex of the servers must be free in the child, and no signal may stay blocked. */
static void a_fork_waits_for_the_command_of_another_thread(void)
{
	pthread_t thread;
	sigset_t after;
	begin();
	atomic_store(&is_over, false);
	CHECK_INT(pthread_create(&thread, NULL, talk, NULL), 0);
	unsigned well = 0;
	for (unsigned i = 0; i < 50; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			alarm(10);
			rl_link *link = memory_dial(&net, "child's", RL_FAULT_NONE, NULL);
			pthread_sigmask(SIG_SETMASK, NULL, &after);
			_exit(link == NULL || sigismember(&after, SIGTERM));
		}
		well += status_of(pid) == 0;
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	CHECK_INT(well, 50);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	CHECK_INT(sigismember(&after, SIGTERM), 0);
}

/* ---- the life of servers ---- */

static void a_torn_down_server_goes_with_its_last_link(void)
{
	begin();
	other = memory_dial(&net, "server", RL_FAULT_NONE, NULL);
	ASK(link_, "SET k tok NX PX 60000", "+OK");
	rl_memory_tear_down();
	net.transport.close(link_);
	ASK(other, "GET k", "tok"); /* the watchdog's thread may still have leases there */
	link_ = NULL;
	net.transport.close(other);
	other = NULL;
	begin();
	ASK(link_, "GET k", "nil");
}

static void a_server_without_links_goes_when_it_is_torn_down(void)
{
	begin();
	ASK(link_, "SET k tok NX PX 60000", "+OK");
	close_links();
	begin();
	ASK(link_, "GET k", "tok");
	close_links();
	rl_memory_tear_down();
	begin();
	ASK(link_, "GET k", "nil");
}

/* ---- memory ---- */

static void take_locks(unsigned round, unsigned count)
{
	char command[64];
	for (unsigned i = 0; i < count; i++) {
		snprintf(command, sizeof command, "SET k%u-%u tok NX PX 10000", round, i);
		ASK(link_, command, "+OK");
		snprintf(command, sizeof command, "EXISTS nothing%u-%u", round, i);
		ASK(link_, command, ":0");
	}
}

static void a_lock_stays_as_long_as_a_link_waits_for_it(void)
{
	begin();
	other = memory_dial(&net, "server", RL_FAULT_NONE, NULL);
	ASK(other, "BLPOP k::rl-wake 0", "none");
	take_locks(0, 3000); /* some of them next to k */
	ASK(link_, "SET k tok NX PX 60000", "+OK");
	memory_say(link_, "EVAL @try 3 k k::rl-wait k::rl-wake w0 60000 0 0 w0 2000");
	CHECK(strncmp(memory_hear(link_), "[:0 ", 4) == 0);
	ASK(link_, "EVAL @release 3 k k::rl-wait k::rl-wake tok", ":1");
	CHECK_TEXT(memory_hear(other), "[k::rl-wake 1]");
}

static void locks_that_have_ended_take_no_memory(void)
{
	if (__sanitizer_get_current_allocated_bytes == NULL) {
		return;
	}
	begin();
	size_t at_first = 0;
	for (unsigned round = 0; round < 20; round++) {
		take_locks(round, 2000);
		CHECK(rl_os_advance_to(rl_os_now() + 11 * RL_NS_PER_SECOND));
		at_first = round == 0 ? __sanitizer_get_current_allocated_bytes() : at_first;
	}
	CHECK(__sanitizer_get_current_allocated_bytes() < 2 * at_first);
}

static const check_test tests[] = {
	TEST(a_child_has_servers_of_its_own),
	TEST(a_fork_waits_for_the_command_of_another_thread),
	TEST(a_torn_down_server_goes_with_its_last_link),
	TEST(a_server_without_links_goes_when_it_is_torn_down),
	TEST(a_lock_stays_as_long_as_a_link_waits_for_it),
	TEST(locks_that_have_ended_take_no_memory),
};

CHECK_MAIN(tests, clean_up)
