/* SPDX-License-Identifier: MIT
 *
 * The watchdog's thread over real sockets: what it writes, when it is woken, and how it ends. Which
 * renewals are due when is tested without the thread (test_renewer*.c).
 */
#include "check.h"
#include "peer.h"
#include "transport/rl_os.h"
#include "transport/rl_process.h"
#include "transport/rl_sigterm.h"
#include "transport/rl_watchdog.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS RL_NS_PER_MS
#define LEASES_MAX 1000

static rl_set set;
static rl_target target;
static rl_random stock;
static rl_env env;
static rl_resolver resolver;
static peer server;
static rl_renewal *kept[LEASES_MAX];
static unsigned kept_count;
static char loopback[] = "127.0.0.1";
static char localhost[] = "localhost";
static char name[] = "redis://server";

/* ---- the system calls of the thread ---- */

static _Atomic unsigned commands_sent; /* calls of send that begin with a command */
static _Atomic unsigned wakes;         /* writes of one byte */
static _Atomic unsigned sleeps;        /* calls of ppoll */

ssize_t send(int fd, const void *data, size_t len, int flags)
{
	atomic_fetch_add(&commands_sent, *(const char *) data == '*');
	return syscall(SYS_sendto, fd, data, len, flags, NULL, 0);
}

ssize_t write(int fd, const void *data, size_t len)
{
	atomic_fetch_add(&wakes, len == 1);
	return syscall(SYS_write, fd, data, len);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *signals)
{
	/* The system call writes to it. */
	struct timespec left = timeout != NULL ? *timeout : (struct timespec){0};
	atomic_fetch_add(&sleeps, 1);
	return (int) syscall(
		SYS_ppoll, fds, count, timeout != NULL ? &left : NULL, signals, (size_t) (_NSIG / 8));
}

static bool lacks_threads;

/* A program of clang has its sanitizer within itself, and this is the sanitizer's function. */
#pragma weak __interceptor_pthread_create
int __interceptor_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg);

int pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);
	if (lacks_threads) {
		return EAGAIN;
	}
	if (real == NULL) {
		real = __interceptor_pthread_create;
	}
	if (real == NULL) {
		*(void **) &real = dlsym(RTLD_NEXT, "pthread_create");
	}
	return real(thread, attributes, run, arg);
}

/* ---- the server: answers each command on one connection after the other ---- */

static _Atomic unsigned connections; /* how many the server still accepts */
static _Atomic unsigned heard;       /* commands that have arrived */
static _Atomic bool is_silent;       /* the server does not even read */
static _Atomic char answer;          /* the answer to each command */
static _Atomic uint64_t bytes;

static void serve(int fd)
{
	static char chunk[1 << 16];
	ssize_t got = 1;
	while (got != 0) {
		got = atomic_load(&is_silent) ? -1 : recv(fd, chunk, sizeof chunk, MSG_DONTWAIT);
		if (got < 0) {
			peer_sleeps(1);
		}
		for (ssize_t i = 0; i < got; i++) {
			char reply[] = {':', atomic_load(&answer), '\r', '\n', '\0'};
			if (chunk[i] == '*') {
				atomic_fetch_add(&heard, 1);
				peer_says(fd, reply);
			}
		}
		atomic_fetch_add(&bytes, got > 0 ? (uint64_t) got : 0);
	}
	close(fd);
}

static void talk(peer *self)
{
	int fd;
	while (atomic_load(&connections) > 0 && (fd = peer_accept(self)) >= 0) {
		atomic_fetch_sub(&connections, 1);
		serve(fd);
	}
}

/* ---- the test's frame ---- */

static void drop(unsigned i, bool is_released)
{
	rl_lease *lease = kept[i]->lease;
	rl_watchdog_pause(kept[i]);
	if (is_released) {
		rl_lease_end(lease);
	}
	rl_watchdog_end(kept[i]);
	free(kept[i]);
	rl_lease_free(lease);
	kept[i] = NULL;
}

static void drop_all(bool is_released)
{
	for (unsigned i = 0; i < kept_count; i++) {
		drop(i, is_released);
	}
	kept_count = 0;
}

static void clean_up(void)
{
	drop_all(true);
	rl_watchdog_stop();
	atomic_store(&is_silent, false);
	rl_resolver_clear(&resolver);
	if (server.listener > 0) {
		peer_close(&server);
	}
}

static void begin(bool is_tcp, unsigned connections_to_come)
{
	static bool is_set_up;
	if (!is_set_up) {
		is_set_up = true;
		rl_process_watch_forks();
		rl_watchdog_set_up();
	}
	env = rl_process_env(&stock);
	memset(rl_process_stats(), 0, sizeof *rl_process_stats());
	commands_sent = wakes = heard = 0;
	bytes = 0;
	answer = '1';
	is_silent = false;
	connections = connections_to_come;
	CHECK(is_tcp ? peer_open_tcp(&server, 16) : peer_open_unix(&server, 16));
	target = (rl_target){.refs = 1,
		.name = name,
		.address = {.kind = is_tcp ? RL_NET_TCP : RL_NET_UNIX,
			.host = is_tcp ? loopback : server.path,
			.port = server.port}};
	set = (rl_set){.count = 1, .drift_factor = 0.01};
	set.members[0] =
		(rl_member){.target = &target, .timeout_ns = 2000 * MS, .connect_timeout_ns = 2000 * MS};
	peer_start(&server, talk);
}

static rl_renewal *keep_key(rl_bytes key, int64_t ttl_ms)
{
	int sys_errno;
	rl_lease *lease = rl_lease_new(&env, key, 0, 16, 0.01, RL_NAMES_PLAIN);
	rl_renewal *renewal = rl_renewal_new(&set, lease);
	CHECK_INT(rl_watchdog_prepare(renewal, &set, &sys_errno), RL_OK);
	renewal->renews = true;
	int64_t ttl = ttl_ms * MS;
	rl_lease_begin(lease, bytes_of("tok"), ttl, rl_os_now() + ttl - rl_drift(0.01, ttl));
	kept[kept_count++] = renewal;
	rl_watchdog_begin(renewal, &set, &resolver);
	return renewal;
}

static rl_renewal *keep(int64_t ttl_ms)
{
	return keep_key(bytes_of("k"), ttl_ms);
}

static uint64_t renewed(void)
{
	return atomic_load(&rl_process_stats()->renewed);
}

/* ---- the writes of the thread ---- */

static void a_thousand_leases_are_renewed_in_one_write(void)
{
	begin(false, 1);
	int64_t begun = rl_os_now();
	for (unsigned i = 0; i < LEASES_MAX; i++) {
		char key[16];
		snprintf(key, sizeof key, "k%u", i);
		keep_key(bytes_of(key), 3000);
	}
	/* Otherwise the leases are not due in one write. */
	bool is_quick = rl_os_now() - begun < 200 * MS;
	AWAIT(renewed() == LEASES_MAX);
	CHECK(!is_quick || commands_sent == 1);
	CHECK(heard == LEASES_MAX + 1); /* and CLIENT SETNAME */
	CHECK(rl_process_stats()->connects == 1);
}

static void long_key_of(char *key, size_t len, unsigned number)
{
	memset(key, 'k', len);
	snprintf(key, 16, "%u", number);
}

/* Makes the lease due now. */
static void renew_now(rl_renewal *one)
{
	rl_watchdog_hold(one);
	one->renew_at = rl_os_now();
	rl_watchdog_let_go(one);
}

static void a_server_that_does_not_read_is_waited_for_asleep(void)
{
	static char key[16000];
	begin(false, 1);
	set.members[0].timeout_ns = 20 * RL_NS_PER_SECOND;
	atomic_store(&is_silent, true);
	for (unsigned i = 0; i < 100; i++) {
		long_key_of(key, sizeof key, i);
		renew_now(keep_key(rl_bytes_of(key, sizeof key), 60000));
	}
	AWAIT(commands_sent > 0);
	peer_sleeps(20); /* the thread writes what the system takes */
	unsigned before = sleeps;
	peer_sleeps(100);
	CHECK(sleeps - before < 10);
	atomic_store(&is_silent, false);
	AWAIT(renewed() == 100);
	CHECK(rl_process_stats()->connects == 1);
}

/* The releases are more than the system takes at once, and the leases are freed before the system
 * takes the rest. */
static void a_release_is_written_to_its_end(void)
{
	static char key[65536];
	begin(false, 1);
	for (unsigned i = 0; i < 2; i++) {
		long_key_of(key, sizeof key, i);
		renew_now(keep_key(rl_bytes_of(key, sizeof key), 60000));
	}
	AWAIT(renewed() >= 2);
	atomic_store(&is_silent, true);
	peer_sleeps(5);
	uint64_t before = bytes;
	renew_now(kept[0]);
	renew_now(kept[1]);
	peer_sleeps(20);
	drop_all(false);
	atomic_store(&is_silent, false);
	/* Two renewals, and two releases after them. */
	AWAIT(bytes - before > 4 * sizeof key);
}

/* ---- the sleep of the thread ---- */

static void a_sleeping_thread_does_nothing(void)
{
	begin(false, 1);
	keep(1000);
	AWAIT(renewed() >= 1);
	unsigned before = sleeps;
	CHECK(before > 0);
	peer_sleeps(250);
	CHECK(sleeps - before < 10);
}

static void a_lease_that_is_due_sooner_wakes_the_thread(void)
{
	begin(false, 1);
	keep(60000);
	peer_sleeps(50); /* the thread sleeps now */
	int64_t before = rl_os_now();
	keep(2400);
	AWAIT(renewed() >= 1);
	CHECK(rl_os_now() - before >= 400 * MS);
	CHECK(rl_lease_is_held(kept[1]->lease));
}

static void a_ttl_that_gets_shorter_wakes_the_thread(void)
{
	begin(false, 1);
	rl_renewal *one = keep(60000);
	peer_sleeps(50);
	unsigned before_it = wakes;
	rl_watchdog_hold(one);
	rl_lease_expect(one->lease, 2400 * MS);
	CHECK(rl_lease_confirm(one->lease, 2400 * MS, rl_os_now()));
	rl_watchdog_let_go(one);
	AWAIT(renewed() >= 1);
	CHECK(rl_lease_is_held(one->lease));
	CHECK(wakes == before_it + 1);
	unsigned before = sleeps; /* the thread falls asleep again */
	peer_sleeps(50);
	CHECK(sleeps - before < 10);
}

static void leases_that_come_and_go_do_not_each_wake_the_thread(void)
{
	begin(false, 0);
	for (unsigned i = 0; i < 100; i++) {
		keep(30000);
		drop_all(true);
		peer_sleeps(2);
	}
	CHECK(wakes <= 10);
	CHECK(commands_sent == 0);
}

static _Atomic unsigned losses;

static int64_t note_loss(void *ctx)
{
	(void) ctx;
	atomic_fetch_add(&losses, 1);
	return 0;
}

static void a_loss_is_reported_at_once(void)
{
	begin(false, 1);
	losses = 0;
	atomic_store(&answer, '0');
	rl_renewal *one = keep(1500);
	rl_watchdog_hold(one);
	one->on_lost = note_loss;
	rl_watchdog_let_go(one);
	AWAIT(losses > 0);
	CHECK(rl_lease_is_lost(one->lease));
	CHECK(rl_process_stats()->lost == 1);
	CHECK(losses == 1);
}

static void without_a_server_a_lease_is_lost_in_time(void)
{
	begin(false, 0);
	losses = 0;
	unlink(server.path);
	rl_renewal *one = keep(300);
	one->on_lost = note_loss; /* before the lease is due */
	AWAIT(losses > 0);
	CHECK(!rl_lease_is_held(one->lease));
	CHECK(rl_process_stats()->connects < 12);
}

/* ---- names ---- */

static void the_thread_learns_addresses_and_resolves_no_names(void)
{
	if (!peer_knows_localhost()) {
		return;
	}
	begin(true, 1);
	target.address.host = localhost;
	keep(300);
	AWAIT(rl_process_stats()->lost == 1); /* the name is not resolved yet */
	CHECK(heard == 0);
	rl_resolve(&resolver, &target.address, 0);
	keep(600);
	AWAIT(renewed() >= 1);
}

/* ---- the life of the thread ---- */

static void the_thread_ends_at_once_and_may_begin_again(void)
{
	begin(false, 3);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t renewed_before = renewed();
		keep(600);
		AWAIT(renewed() > renewed_before);
		atomic_store(&is_silent, true);
		peer_sleeps(220); /* the next renewal is in flight */
		int64_t before = rl_os_now();
		rl_watchdog_stop();
		CHECK(peer_in_time(before, 1000 * MS));
		atomic_store(&is_silent, false);
		rl_watchdog_stop();
		drop_all(true);
	}
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void) number;
	signals = signals + 1;
}

static void the_thread_takes_no_signals(void)
{
	begin(false, 0);
	signals = 0;
	sigset_t one;
	sigset_t before;
	struct sigaction action = {.sa_handler = on_signal};
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigaction(SIGUSR1, &action, NULL);
	keep(60000);
	peer_close(&server); /* the thread of the server would take the signal */
	pthread_sigmask(SIG_BLOCK, &one, &before);
	kill(getpid(), SIGUSR1);
	peer_sleeps(20);
	CHECK_INT(signals, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	CHECK_INT(signals, 1);
}

/* @return the errno of a watchdog that cannot be prepared */
static int errno_of_prepare(void)
{
	rl_lease *lease = rl_lease_new(&env, bytes_of("k"), 0, 16, 0.01, RL_NAMES_PLAIN);
	rl_renewal *renewal = rl_renewal_new(&set, lease);
	int sys_errno = 0;
	rl_status status = rl_watchdog_prepare(renewal, &set, &sys_errno);
	rl_watchdog_end(renewal);
	free(renewal);
	rl_lease_free(lease);
	return status == RL_ERR_MEMORY ? sys_errno : -1;
}

static unsigned next_descriptor(void)
{
	int fd = dup(0);
	close(fd);
	return (unsigned) fd;
}

static void a_lack_of_descriptors_is_an_error(void)
{
	begin(false, 1);
	struct rlimit limit;
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
	/* With a limit of 0 the server could not even poll. */
	struct rlimit none = {.rlim_cur = next_descriptor(), .rlim_max = limit.rlim_max};
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	int code = errno_of_prepare();
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_INT(code, EMFILE);
	keep(600);
	AWAIT(renewed() >= 1);
}

static void a_lack_of_threads_is_an_error(void)
{
	begin(false, 1);
	unsigned before = next_descriptor();
	lacks_threads = true;
	int code = errno_of_prepare();
	lacks_threads = false;
	CHECK_INT(code, EAGAIN);
	CHECK_INT(next_descriptor(), before); /* the pipe is closed */
	keep(600);
	AWAIT(renewed() >= 1);
}

/* ---- forks ---- */

/* @return 0 = all is well with the child */
static int child(rl_renewal *parents)
{
	if (rl_lease_is_held(parents->lease)) {
		return 1;
	}
	drop_all(false);
	if (commands_sent != 0) {
		return 2;
	}
	rl_renewal *mine = keep(600);
	for (int tries = 0; renewed() < 2; tries++) {
		if (tries == 3000) {
			return 3;
		}
		peer_sleeps(1);
	}
	int result = rl_lease_is_held(mine->lease) ? 0 : 4;
	drop_all(true);
	rl_watchdog_stop();
	return result;
}

static void a_child_has_a_thread_of_its_own(void)
{
	begin(false, 1);
	peer others;
	CHECK(peer_open_unix(&others, 16));
	rl_renewal *one = keep(600);
	AWAIT(renewed() > 0);
	pid_t pid = fork();
	if (pid == 0) {
		commands_sent = 0;
		connections = 1;
		target.address.host = others.path;
		peer_start(&others, talk);
		_exit(child(one));
	}
	int status = -1;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	uint64_t before = renewed();
	AWAIT(renewed() > before + 1);
	peer_close(&others);
	CHECK_INT(status, 0);
	CHECK(rl_lease_is_held(one->lease));
	CHECK(rl_process_stats()->connects == 1); /* the parent's connection was left alone */
	CHECK(rl_process_stats()->lost == 0);
}

static atomic_bool is_at_work;
static int64_t work_ends_at;

static void *hold_it(void *one)
{
	rl_watchdog_hold(one);
	atomic_store(&is_at_work, true);
	peer_sleeps(100);
	work_ends_at = rl_os_now();
	rl_watchdog_let_go(one);
	return NULL;
}

static void a_fork_waits_for_the_thread_at_work(void)
{
	begin(false, 0);
	rl_renewal *one = keep(60000);
	pthread_t thread;
	CHECK_INT(pthread_create(&thread, NULL, hold_it, one), 0);
	AWAIT(atomic_load(&is_at_work));
	pid_t pid = fork();
	int64_t forked_at = rl_os_now();
	if (pid == 0) {
		alarm(30);
		drop_all(false); /* in the child the mutex is free */
		_exit(0);
	}
	int status = -1;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	pthread_join(thread, NULL);
	CHECK_INT(status, 0);
	CHECK(forked_at >= work_ends_at);
	CHECK(rl_lease_is_held(one->lease));
}

/* PHP may shut down and start again in one process, with the module still loaded. The test does so
 * in a child, because the fork handlers stay registered. */
static int start_again_and_fork(void)
{
	alarm(30);
	rl_process_watch_forks();
	rl_watchdog_set_up();
	uint64_t before = rl_process_fork_generation();
	pid_t pid = fork();
	if (pid == 0) {
		_exit(rl_process_fork_generation() == before + 1 ? 0 : 2);
	}
	int status = -1;
	return waitpid(pid, &status, 0) == pid ? status : 1;
}

static void a_process_that_starts_the_watchdog_twice_may_fork(void)
{
	begin(false, 0);
	pid_t pid = fork();
	if (pid == 0) {
		_exit(start_again_and_fork() == 0 ? 0 : 1);
	}
	int status = -1;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

static void gives_up_nothing(rl_renewer *renewer)
{
	(void) renewer;
}

static bool is_never_in_handler(void)
{
	return false;
}

/* Runs in a child. The signal comes while this thread has the mutex, and ends the child. */
static void get_signal_inside(int ready)
{
	static const rl_sigterm_host host = {
		.give_up = gives_up_nothing, .is_in_handler = is_never_in_handler};
	struct sigaction action = {.sa_handler = rl_sigterm_handle};
	alarm(30);
	rl_renewal *one = keep(3000); /* the runner does not notice when a child stands still */
	AWAIT(renewed() >= 1);
	rl_sigterm_arm(&host);
	sigaction(SIGTERM, &action, NULL);
	rl_watchdog_hold(one);
	close(ready);
	peer_sleeps(100);
	rl_watchdog_let_go(one);
	while (true) {
		peer_sleeps(1);
	}
}

static void sigterm_frees_leases_also_inside_the_mutex(void)
{
	int ready[2];
	char nothing;
	begin(false, 1);
	CHECK_INT(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		get_signal_inside(ready[1]);
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &nothing, 1), 0);
	close(ready[0]);
	unsigned before = atomic_load(&heard);
	kill(pid, SIGTERM);
	int status = -1;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status));
	CHECK_INT(WTERMSIG(status), SIGTERM);
	AWAIT(atomic_load(&heard) > before); /* the release */
}

static const check_test tests[] = {
	TEST(a_thousand_leases_are_renewed_in_one_write),
	TEST(a_server_that_does_not_read_is_waited_for_asleep),
	TEST(a_release_is_written_to_its_end),
	TEST(a_sleeping_thread_does_nothing),
	TEST(a_lease_that_is_due_sooner_wakes_the_thread),
	TEST(a_ttl_that_gets_shorter_wakes_the_thread),
	TEST(leases_that_come_and_go_do_not_each_wake_the_thread),
	TEST(a_loss_is_reported_at_once),
	TEST(without_a_server_a_lease_is_lost_in_time),
	TEST(the_thread_learns_addresses_and_resolves_no_names),
	TEST(the_thread_ends_at_once_and_may_begin_again),
	TEST(the_thread_takes_no_signals),
	TEST(a_lack_of_descriptors_is_an_error),
	TEST(a_lack_of_threads_is_an_error),
	TEST(a_child_has_a_thread_of_its_own),
	TEST(a_fork_waits_for_the_thread_at_work),
	TEST(a_process_that_starts_the_watchdog_twice_may_fork),
	TEST(sigterm_frees_leases_also_inside_the_mutex),
};

CHECK_MAIN(tests, clean_up)
