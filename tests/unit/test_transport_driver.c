/* SPDX-License-Identifier: MIT
 *
 * Whole operations, driven over real sockets against a thread that plays the server.
 */
#include "check.h"
#include "peer.h"
#include "core/lock/rl_acquire.h"
#include "core/lock/rl_plain.h"
#include "transport/rl_driver.h"
#include "transport/rl_os.h"
#include "transport/rl_process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS RL_NS_PER_MS

static rl_net net;
static rl_random stock;
static rl_env env;
static rl_pool pool;
static rl_set set;
static rl_target target;
static peer server;
static rl_op *op;
static char loopback[] = "127.0.0.1";
static char name[] = "redis://server";

static void free_op(void)
{
	rl_op_free(op);
	op = NULL;
}

static void clean_up(void)
{
	free_op();
	rl_pool_clear(&pool);
	rl_net_destroy(&net);
	if (server.listener > 0) {
		peer_close(&server);
	}
}

static void begin(bool is_tcp)
{
	rl_net_init(&net);
	env = rl_process_env(&stock);
	memset(rl_process_stats(), 0, sizeof *rl_process_stats());
	rl_pool_init(&pool, &net.transport, &env);
	CHECK(is_tcp ? peer_open_tcp(&server, 16) : peer_open_unix(&server, 16));
	target = (rl_target){.refs = 1000,
		.name = name,
		.address = {.kind = is_tcp ? RL_NET_TCP : RL_NET_UNIX,
			.host = is_tcp ? loopback : server.path,
			.port = server.port}};
	set = (rl_set){.count = 1,
		.backoff = {10 * MS, 200 * MS, 0},
		.retries = RL_RETRIES_UNLIMITED,
		.outage_wait_ns = RL_NEVER,
		.drift_factor = 0.01};
	set.members[0] =
		(rl_member){.target = &target, .timeout_ns = 2000 * MS, .connect_timeout_ns = 2000 * MS};
}

static rl_acquire *acquire(int64_t wait_ns)
{
	rl_acquire_args args = {
		.key = bytes_of("the-key"), .token = {NULL, 0}, .ttl_ms = 30000, .wait_ns = wait_ns};
	free_op();
	op = rl_acquire_new(&set, &pool, &env, &args);
	CHECK(op != NULL);
	return (rl_acquire *) op;
}

static rl_status drive(void)
{
	CHECK(rl_drive(&net, op, NULL));
	return op->status;
}

/* ---- an answer ---- */

static void talk_grant(peer *self)
{
	int fd = peer_accept(self);
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_says(fd, "+OK\r\n+OK\r\n");
	}
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_sleeps(60); /* longer than one recv waits */
		peer_says(fd, "$-1\r\n");
	}
	peer_sees_end(fd);
	close(fd);
}

static void cold_and_warm(bool is_tcp)
{
	begin(is_tcp);
	peer_start(&server, talk_grant);
	int64_t before = rl_os_now();
	rl_acquire *taken = acquire(0);
	CHECK_INT(drive(), RL_OK);
	CHECK(taken->proven_until > before + 29000 * MS &&
		taken->proven_until < rl_os_now() + 30000 * MS);
	CHECK_INT(pool.count, 1);
	acquire(0);
	before = rl_os_now();
	CHECK_INT(drive(), RL_BUSY);
	CHECK(rl_os_now() - before >= 60 * MS);
	CHECK_INT(rl_process_stats()->connects, 1);
	clean_up();
	CHECK_HAS(server.heard, "*6\r\n$3\r\nSET\r\n$7\r\nthe-key\r\n$28\r\nrl1.");
	CHECK_HAS(
		server.heard, "$5\r\n30000\r\n*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$9\r\nredislock\r\n");
}

static void a_call_works_over_a_unix_socket(void)
{
	cold_and_warm(false);
}

static void a_call_works_over_tcp(void)
{
	cold_and_warm(true);
}

static void talk_drip(peer *self)
{
	int fd = peer_accept(self);
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_drips(fd, "+OK\r\n-ERR x\r\n", 5);
	}
	peer_sees_end(fd);
	close(fd);
}

static void an_answer_may_drip(void)
{
	begin(false);
	peer_start(&server, talk_drip);
	acquire(0);
	CHECK_INT(drive(), RL_OK);
	clean_up();
}

static void talk_in_two_parts(peer *self)
{
	int fd = peer_accept(self);
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_sleeps(70); /* the driver now waits in poll */
		peer_says(fd, "+O");
		peer_sleeps(70);
		peer_says(fd, "K\r\n+OK\r\n");
	}
	peer_sees_end(fd);
	close(fd);
}

static void half_an_answer_counts_as_an_answer_in_time(void)
{
	begin(false);
	set.members[0].timeout_ns = 600 * MS;
	set.members[0].connect_timeout_ns = 200 * MS;
	peer_start(&server, talk_in_two_parts);
	acquire(0);
	CHECK_INT(drive(), RL_OK);
	clean_up();
}

static void talk_late(peer *self)
{
	peer_sleeps(60);
	int first = peer_accept(self);
	int second = peer_accept(self);
	int fd = peer_accept(self);
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_says(fd, "+OK\r\n+OK\r\n");
	}
	peer_sees_end(fd);
	close(fd);
	close(first);
	close(second);
}

/* Two connections that are not accepted yet fill the queue. */
static void a_full_listen_queue_is_tried_until_there_is_room(void)
{
	begin(false);
	int fds[2];
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	strcpy(to.sun_path, server.path);
	CHECK_INT(listen(server.listener, 1), 0);
	for (unsigned i = 0; i < 2; i++) {
		fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		CHECK_INT(connect(fds[i], (struct sockaddr *) &to, sizeof to), 0);
	}
	peer_start(&server, talk_late);
	acquire(0);
	int64_t before = rl_os_now();
	CHECK_INT(drive(), RL_OK);
	int64_t took = rl_os_now() - before;
	CHECK(took >= 50 * MS && peer_in_time(before, 800 * MS));
	clean_up();
	close(fds[0]);
	close(fds[1]);
}

/* ---- no answer ---- */

static void talk_nothing(peer *self)
{
	int fd = peer_accept(self);
	peer_hears(self, fd, "EVAL\r\n"); /* the undo */
	peer_sees_end(fd);
	close(fd);
}

static void silence_ends_by_the_timeout(void)
{
	begin(false);
	set.members[0].timeout_ns = 100 * MS;
	set.members[0].connect_timeout_ns = 50 * MS;
	peer_start(&server, talk_nothing);
	acquire(0);
	int64_t before = rl_os_now();
	CHECK_INT(drive(), RL_ERR_TIMEOUT);
	int64_t took = rl_os_now() - before;
	CHECK(took >= 100 * MS && peer_in_time(before, 1500 * MS));
	CHECK_INT(pool.count, 0);
	clean_up();
	CHECK_HAS(server.heard, "EVAL\r\n");
}

static void talk_drip_for_ever(peer *self)
{
	int fd = peer_accept(self);
	peer_hears(self, fd, "30000\r\n");
	char byte = '+';
	while (send(fd, &byte, 1, MSG_NOSIGNAL) == 1) {
		byte = 'x';
		peer_sleeps(3);
	}
	close(fd);
}

static void an_endless_drip_ends_by_the_timeout(void)
{
	begin(false);
	set.members[0].timeout_ns = 100 * MS;
	set.members[0].connect_timeout_ns = 50 * MS;
	peer_start(&server, talk_drip_for_ever);
	acquire(0);
	int64_t before = rl_os_now();
	CHECK_INT(drive(), RL_ERR_TIMEOUT);
	CHECK(peer_in_time(before, 1500 * MS));
	clean_up();
}

/* ---- breaks ---- */

static void talk_break(peer *self)
{
	int fd = peer_accept(self);
	peer_hears(self, fd, "30000\r\n");
	close(fd);
	fd = peer_accept(self);
	if (peer_hears(self, fd, "EVALSHA\r\n") && peer_hears(self, fd, "30000\r\n$1\r\n1\r\n")) {
		peer_says(fd, "*2\r\n:1\r\n:0\r\n+OK\r\n");
	}
	peer_sees_end(fd);
	close(fd);
}

static void a_lost_reply_is_asked_for(bool is_tcp)
{
	begin(is_tcp);
	peer_start(&server, talk_break);
	acquire(0);
	CHECK_INT(drive(), RL_OK);
	CHECK_INT(rl_process_stats()->reconnects, 1);
	clean_up();
}

static void a_lost_reply_over_a_unix_socket_leaves_no_key(void)
{
	a_lost_reply_is_asked_for(false);
}

static void a_lost_reply_over_tcp_leaves_no_key(void)
{
	a_lost_reply_is_asked_for(true);
}

static void talk_reset(peer *self)
{
	int fd = peer_accept(self);
	peer_hears(self, fd, "30000\r\n");
	peer_resets(fd);
	fd = peer_accept(self);
	if (peer_hears(self, fd, "30000\r\n$1\r\n1\r\n")) {
		peer_says(fd, "*5\r\n:0\r\n:0\r\n:5000\r\n:4\r\n:0\r\n+OK\r\n");
	}
	peer_sees_end(fd);
	close(fd);
}

static void a_reset_is_asked_for(void)
{
	begin(true);
	peer_start(&server, talk_reset);
	acquire(0);
	CHECK_INT(drive(), RL_BUSY);
	clean_up();
}

/* ---- TLS ---- */

/* Closes each connection when a plain command arrives, as OpenSSL does, until the listener ends. */
static void close_each(peer *self)
{
	int fd;
	while ((fd = peer_accept(self)) >= 0) {
		peer_hears(self, fd, "the-key");
		close(fd);
	}
}

/* The call fails because each of its connections was closed. */
static void fail_at_closed_connections(void)
{
	set.members[0].timeout_ns = 100 * MS;
	rl_status status = RL_ERR_TIMEOUT;
	/* On a busy machine the time may end before the last connection is closed. */
	for (unsigned tries = 0; status == RL_ERR_TIMEOUT && tries < 20; tries++) {
		free_op();
		acquire(0);
		status = drive();
	}
	CHECK_INT(status, RL_ERR_CLOSED);
	CHECK_HAS(op->err->message, "the server closed the connection");
	shutdown(server.listener, SHUT_RDWR);
}

static void a_port_that_closes_gets_a_hint_and_no_probe(void)
{
	begin(true);
	peer_start(&server, close_each);
	fail_at_closed_connections();
	CHECK_HAS(op->err->message, "(if this port speaks TLS, use rediss:// in the DSN)");
	clean_up();
	CHECK(strchr(server.heard, '\x16') == NULL);
}

static void talk_alert(peer *self)
{
	int fd = peer_accept(self);
	peer_hears(self, fd, "30000\r\n");
	peer_says(fd, "\x15\x03\x01\x01");
	close(fd);
}

static void an_alert_says_that_no_command_ran(void)
{
	begin(true);
	peer_start(&server, talk_alert);
	acquire(0);
	CHECK_INT(drive(), RL_ERR_TLS);
	CHECK(strstr(op->err->message, "unknown") == NULL);
	clean_up();
}

static void talk_redis_then_break(peer *self)
{
	int fd = peer_accept(self);
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_says(fd, "$-1\r\n+OK\r\n");
	}
	close(fd);
	close_each(self);
}

static void a_server_that_has_spoken_redis_gets_no_hint(void)
{
	begin(true);
	peer_start(&server, talk_redis_then_break);
	acquire(0);
	CHECK_INT(drive(), RL_BUSY);
	rl_pool_clear(&pool);
	fail_at_closed_connections();
	CHECK(strstr(op->err->message, "TLS") == NULL);
	clean_up();
}

static void talk_nonsense(peer *self)
{
	int fd = peer_accept(self);
	peer_hears(self, fd, "30000\r\n");
	peer_says(fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
	peer_hears(self, fd, "EVAL\r\n");
	peer_sees_end(fd);
	close(fd);
}

static void nonsense_is_undone_and_reported(void)
{
	begin(true);
	peer_start(&server, talk_nonsense);
	acquire(RL_NEVER);
	CHECK_INT(drive(), RL_ERR_PROTOCOL);
	clean_up();
	CHECK_HAS(server.heard, "EVAL\r\n");
}

static void talk_hang_up_politely(peer *self)
{
	int fd = peer_accept(self);
	peer_says(fd, "-DENIED Redis is running in protected mode\r\n");
	close(fd);
}

static void a_server_that_hangs_up_is_quoted(void)
{
	begin(false);
	set.members[0].timeout_ns = 150 * MS;
	set.members[0].connect_timeout_ns = 150 * MS;
	peer_start(&server, talk_hang_up_politely);
	acquire(0);
	rl_status status = drive();
	char message[sizeof op->err->message];
	snprintf(message, sizeof message, "%s", op->err->message);
	clean_up();
	CHECK_HAS(message, "protected mode");
	CHECK_INT(status, RL_ERR_SERVER);
}

static void a_server_that_is_not_there_is_tried_until_the_deadline(void)
{
	begin(true);
	peer_close(&server);
	acquire(120 * MS);
	int64_t before = rl_os_now();
	CHECK_INT(drive(), RL_ERR_CONNECT);
	int64_t took = rl_os_now() - before;
	CHECK(took >= 120 * MS && peer_in_time(before, 2000 * MS));
	CHECK_INT(op->err->sys_errno, ECONNREFUSED);
	clean_up();
}

static void sleeping_costs_no_time_of_the_processor(void)
{
	begin(true);
	peer_close(&server);
	set.backoff = (rl_backoff){100 * MS, 100 * MS, 0};
	acquire(300 * MS);
	clock_t before = clock();
	CHECK_INT(drive(), RL_ERR_CONNECT);
	CHECK((clock() - before) * 1000 / CLOCKS_PER_SEC < 60);
	clean_up();
}

static void a_dead_idle_connection_is_noticed(void)
{
	begin(false);
	/* The peer answers one command, and ends when the connection is closed. */
	peer_start(&server, talk_drip);
	acquire(0);
	CHECK_INT(drive(), RL_OK);
	shutdown(rl_link_fd(pool.idle->link), SHUT_RDWR); /* then the peer closes, too */
	peer_close(&server);
	peer_sleeps(110);
	acquire(0);
	CHECK_INT(drive(), RL_ERR_CONNECT);
	CHECK_INT(rl_process_stats()->reconnects, 1);
	clean_up();
}

/* ---- large ---- */

static char large_key[600 * 1024];

static void talk_slow_reader(peer *self)
{
	int fd = peer_accept(self);
	int size = 4096;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	static char sink[11 + 64 * 1024]; /* the last 11 bytes stay in front */
	bool is_whole = false;
	while (!is_whole) {
		ssize_t some = recv(fd, sink + 11, sizeof sink - 11, 0);
		if (some <= 0) {
			break;
		}
		memmove(sink, sink + some, 11);
		is_whole = memcmp(sink, "redislock\r\n", 11) == 0;
		peer_sleeps(2);
	}
	if (is_whole) {
		peer_says(fd, "+OK\r\n+OK\r\n");
	}
	peer_sees_end(fd);
	close(fd);
}

static void a_large_command_goes_in_parts(void)
{
	begin(false);
	peer_start(&server, talk_slow_reader);
	memset(large_key, 'k', sizeof large_key);
	rl_acquire_args args = {.key = rl_bytes_of(large_key, sizeof large_key), .ttl_ms = 30000};
	op = rl_acquire_new(&set, &pool, &env, &args);
	CHECK_INT(drive(), RL_OK);
	clean_up();
}

/* ---- the guard ---- */

static volatile sig_atomic_t has_signal;
static unsigned runs;
static bool gives_up;

static void on_signal(int number)
{
	(void) number;
	has_signal = 1;
}

static bool is_due(void *ctx)
{
	(void) ctx;
	return has_signal != 0;
}

static bool run_guard(void *ctx)
{
	(void) ctx;
	has_signal = 0;
	runs++;
	return !gives_up;
}

static const rl_guard guard = {.is_due = is_due, .run = run_guard};

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigaction(SIGUSR1, &action, NULL);
	has_signal = 0;
	runs = 0;
	gives_up = false;
}

static pthread_t main_thread;

static void talk_signals(peer *self)
{
	int fd = peer_accept(self);
	peer_hears(self, fd, "30000\r\n");
	for (unsigned i = 0; i < 10; i++) {
		pthread_kill(main_thread, SIGUSR1);
		peer_sleeps(15);
	}
	peer_says(fd, "+OK\r\n+OK\r\n");
	peer_sees_end(fd);
	close(fd);
}

static void the_guard_runs_signals_while_a_call_waits(void)
{
	begin(false);
	catch_signals();
	main_thread = pthread_self();
	peer_start(&server, talk_signals);
	acquire(0);
	CHECK(rl_drive(&net, op, &guard));
	CHECK_INT(op->status, RL_OK);
	CHECK(runs >= 5);
	clean_up();
}

static void talk_one_signal(peer *self)
{
	int fd = peer_accept(self);
	peer_hears(self, fd, "30000\r\n");
	peer_sleeps(30);
	pthread_kill(main_thread, SIGUSR1);
	peer_hears(self, fd, "EVAL\r\n");
	peer_sees_end(fd);
	close(fd);
}

static void the_guard_may_abandon_a_call(void)
{
	begin(false);
	catch_signals();
	gives_up = true;
	main_thread = pthread_self();
	peer_start(&server, talk_one_signal);
	acquire(0);
	int64_t before = rl_os_now();
	CHECK(!rl_drive(&net, op, &guard));
	CHECK(peer_in_time(before, 1500 * MS));
	rl_op_abandon(op, rl_os_now(), false);
	clean_up();
	CHECK_HAS(server.heard, "EVAL\r\n");
}

static void talk_refuse_and_signal(peer *self)
{
	int fd = peer_accept(self);
	peer_hears(self, fd, "30000\r\n");
	peer_says(fd, "$-1\r\n+OK\r\n");
	peer_sleeps(60); /* the driver now sleeps, without a connection */
	pthread_kill(main_thread, SIGUSR1);
	peer_sees_end(fd);
	close(fd);
}

static void a_sleep_is_given_up_at_once(void)
{
	begin(false);
	catch_signals();
	gives_up = true;
	set.backoff = (rl_backoff){900 * MS, 900 * MS, 0};
	main_thread = pthread_self();
	peer_start(&server, talk_refuse_and_signal);
	acquire(RL_NEVER);
	int64_t before = rl_os_now();
	CHECK(!rl_drive(&net, op, &guard));
	CHECK(peer_in_time(before, 700 * MS));
	rl_op_abandon(op, rl_os_now(), false);
	clean_up();
}

static void a_guard_that_is_due_already_runs_first(void)
{
	begin(true);
	peer_close(&server);
	catch_signals();
	has_signal = 1;
	gives_up = true;
	acquire(RL_NEVER);
	CHECK(!rl_drive(&net, op, &guard));
	CHECK_INT(runs, 1);
	rl_op_abandon(op, rl_os_now(), false);
	clean_up();
}

static void talk_flag(peer *self)
{
	(void) self;
	peer_sleeps(50);
	has_signal = 1; /* another thread that wants PHP's attention does so without a signal */
}

static void a_guard_that_is_due_without_a_signal_runs_within_a_second(void)
{
	begin(true);
	catch_signals();
	gives_up = true;
	set.backoff = (rl_backoff){20 * RL_NS_PER_SECOND, 20 * RL_NS_PER_SECOND, 0};
	close(server.listener);
	server.listener = dup(0);
	peer_start(&server, talk_flag);
	acquire(RL_NEVER);
	int64_t before = rl_os_now();
	CHECK(!rl_drive(&net, op, &guard));
	CHECK(peer_in_time(before, 5 * RL_NS_PER_SECOND));
	rl_op_abandon(op, rl_os_now(), false);
	clean_up();
}

static int64_t due_at;

static int64_t guard_due_at(void *ctx)
{
	(void) ctx;
	return due_at;
}

static bool is_due_by_time(void *ctx)
{
	(void) ctx;
	return rl_os_now() >= due_at;
}

static bool run_at_its_time(void *ctx)
{
	(void) ctx;
	CHECK(rl_os_now() >= due_at);
	due_at += 100 * MS;
	return ++runs < 3;
}

/* The driver waits for one connection, which is silent. */
static void the_guard_is_due_at_its_time(void)
{
	static const rl_guard timed = {
		.is_due = is_due_by_time, .due_at = guard_due_at, .run = run_at_its_time};
	begin(false);
	catch_signals();
	set.members[0].timeout_ns = 20 * RL_NS_PER_SECOND;
	peer_start(&server, talk_nothing);
	acquire(0);
	int64_t before = rl_os_now();
	due_at = before + 100 * MS;
	CHECK(!rl_drive(&net, op, &timed));
	CHECK_INT(runs, 3);
	CHECK(rl_os_now() - before >= 300 * MS);
	CHECK(peer_in_time(before, 900 * MS));
	rl_op_abandon(op, rl_os_now(), false);
	clean_up();
}

/* A signal that comes between the look and the sleep. */
static bool is_due_too_late(void *ctx)
{
	(void) ctx;
	raise(SIGUSR1);
	return false;
}

static void poll_is_woken_by_a_signal_before_it_sleeps(void)
{
	catch_signals();
	int64_t before = rl_os_now();
	CHECK_INT(rl_os_poll(NULL, 0, 3 * RL_NS_PER_SECOND, is_due_too_late, NULL), -1);
	CHECK(peer_in_time(before, 2 * RL_NS_PER_SECOND));
	CHECK(has_signal != 0);
}

static void poll_misses_no_signal(void)
{
	catch_signals();
	has_signal = 1;
	CHECK_INT(rl_os_poll(NULL, 0, RL_NS_PER_SECOND, is_due, NULL), -1);
	CHECK_INT(errno, EINTR);
	has_signal = 0;
	int64_t before = rl_os_now();
	CHECK_INT(rl_os_poll(NULL, 0, 20 * MS, is_due, NULL), 0);
	CHECK(rl_os_now() - before >= 20 * MS);
	CHECK_INT(rl_os_poll(NULL, 0, 0, NULL, NULL), 0);
	sigset_t mask;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	CHECK(!sigismember(&mask, SIGUSR1)); /* the mask is the same as before */
	struct itimerval timer = {.it_value = {.tv_usec = 20000}};
	struct sigaction action = {.sa_handler = on_signal};
	struct sigaction old;
	sigaction(SIGALRM, &action, &old);
	unsigned left = alarm(0);
	setitimer(ITIMER_REAL, &timer, NULL);
	CHECK_INT(rl_os_poll(NULL, 0, 5 * RL_NS_PER_SECOND, is_due, NULL), -1);
	sigaction(SIGALRM, &old, NULL);
	alarm(left);
	CHECK(has_signal != 0);
}

/* ---- fork ---- */

static void talk_one_grant(peer *self)
{
	int fd = peer_accept(self);
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_says(fd, "+OK\r\n+OK\r\n");
	}
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_says(fd, "$-1\r\n");
	}
	peer_sees_end(fd);
	close(fd);
}

static unsigned char *shared; /* the bytes that the child drew */

static int in_child(void)
{
	if (!rl_random_draw(&stock, rl_process_fork_generation(), shared, 16)) {
		return 3;
	}
	if (rl_process_fork_generation() != 1 || rl_process_stats()->connects != 0) {
		return 1;
	}
	rl_conn *conn = rl_pool_take(&pool, &target, RL_WANT_ANY, rl_os_now());
	return conn == NULL && pool.count == 0 ? 0 : 2;
}

static void a_child_does_not_use_its_parents_connection(void)
{
	rl_process_watch_forks();
	begin(false);
	CHECK_INT(rl_process_fork_generation(), 0);
	peer_start(&server, talk_one_grant);
	acquire(0);
	CHECK_INT(drive(), RL_OK);
	unsigned char ours[16];
	CHECK(rl_random_draw(&stock, rl_process_fork_generation(), ours, sizeof ours));
	shared = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	pid_t child = fork();
	if (child == 0) {
		_exit(in_child());
	}
	int status = -1;
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 0);
	CHECK(rl_random_draw(&stock, rl_process_fork_generation(), ours, sizeof ours));
	CHECK(memcmp(shared, ours, sizeof ours) != 0);
	munmap(shared, 16);
	acquire(0);
	/* The child has closed its copy of the connection, which still works here. */
	CHECK_INT(drive(), RL_BUSY);
	CHECK_INT(rl_process_stats()->connects, 1);
	clean_up();
}

/* ---- other code runs meanwhile ---- */

/* An operation that waits for a link of the server, until its time is over. */
typedef struct waiting_op {
	rl_op op;
	rl_link *link; /* NULL = it was closed */
	unsigned steps;
	int64_t end_at;
	int64_t stepped_at; /* tick->now of the latest step */
} waiting_op;

static waiting_op waiting;

static bool wait_for_link(rl_op *self, const rl_tick *tick, rl_wait *wait)
{
	(void) self;
	waiting.steps++;
	waiting.stepped_at = tick->now;
	if (tick->now >= waiting.end_at) {
		return true;
	}
	rl_wait_until(wait, waiting.end_at);
	if (waiting.link != NULL) {
		rl_wait_for(wait, waiting.link, RL_NEVER);
	}
	return false;
}

static void talk_silence(peer *self)
{
	int fd = peer_accept(self);
	peer_sees_end(fd);
	close(fd);
}

static void begin_waiting(int64_t ns)
{
	static const rl_op_class class = {.step = wait_for_link};
	rl_error err;
	begin(false);
	peer_start(&server, talk_silence);
	int64_t now = rl_os_now();
	waiting = (waiting_op){.op = {.class = &class}, .end_at = now + ns};
	waiting.link = net.transport.dial(&net.transport, &target.address, now + 1000 * MS, &err);
	CHECK(waiting.link != NULL);
}

static void close_link(void)
{
	net.transport.close(waiting.link);
	waiting.link = NULL;
}

static bool is_link_open(void *ctx)
{
	(void) ctx;
	return waiting.link != NULL;
}

static bool run_and_close_link(void *ctx)
{
	(void) ctx;
	close_link();
	return true;
}

/* As a signal handler does whose own call ends a lookup that the operation waits for. */
static void a_handler_may_close_a_link_of_the_wait(void)
{
	begin_waiting(20 * MS);
	rl_guard closing = {.is_due = is_link_open, .run = run_and_close_link};
	CHECK(rl_drive(&net, &waiting.op, &closing));
	CHECK(waiting.link == NULL && waiting.steps >= 2);
	clean_up();
}

static unsigned yields;
static rl_yielded answer_of_yield;

static rl_yielded yield_and_close_link(
	void *ctx, const struct pollfd *fds, unsigned count, int64_t at)
{
	(void) ctx;
	CHECK_INT(at, waiting.end_at);
	CHECK_INT(count, waiting.link != NULL);
	CHECK(count == 0 || fds[0].fd == rl_link_fd(waiting.link));
	yields++;
	if (answer_of_yield != RL_YIELD_REFUSED && waiting.link != NULL) {
		close_link();
	}
	return answer_of_yield;
}

static bool drive_yielding(rl_yielded answer)
{
	rl_guard yielding = {.yield = yield_and_close_link};
	yields = 0;
	answer_of_yield = answer;
	begin_waiting(20 * MS);
	return rl_drive(&net, &waiting.op, &yielding);
}

/* A waiter that returns too early is asked again, and the operation ends by its time. */
static void a_guard_may_wait_in_the_drivers_place(void)
{
	CHECK(drive_yielding(RL_YIELDED));
	CHECK(yields >= 2 && waiting.link == NULL);
	CHECK(waiting.stepped_at >= waiting.end_at);
	clean_up();
}

static void a_guard_that_cannot_wait_leaves_that_to_the_driver(void)
{
	CHECK(drive_yielding(RL_YIELD_REFUSED));
	CHECK(yields >= 1 && yields <= 2 && waiting.link != NULL);
	close_link();
	clean_up();
}

static void a_guard_that_waits_may_abandon_a_call(void)
{
	CHECK(!drive_yielding(RL_YIELD_ABANDONED));
	CHECK_INT(yields, 1);
	CHECK_INT(waiting.steps, 1);
	clean_up();
}

static const check_test tests[] = {
	TEST(a_call_works_over_a_unix_socket),
	TEST(a_call_works_over_tcp),
	TEST(an_answer_may_drip),
	TEST(half_an_answer_counts_as_an_answer_in_time),
	TEST(a_full_listen_queue_is_tried_until_there_is_room),
	TEST(silence_ends_by_the_timeout),
	TEST(an_endless_drip_ends_by_the_timeout),
	TEST(a_lost_reply_over_a_unix_socket_leaves_no_key),
	TEST(a_lost_reply_over_tcp_leaves_no_key),
	TEST(a_reset_is_asked_for),
	TEST(a_port_that_closes_gets_a_hint_and_no_probe),
	TEST(an_alert_says_that_no_command_ran),
	TEST(a_server_that_has_spoken_redis_gets_no_hint),
	TEST(nonsense_is_undone_and_reported),
	TEST(a_server_that_hangs_up_is_quoted),
	TEST(a_server_that_is_not_there_is_tried_until_the_deadline),
	TEST(sleeping_costs_no_time_of_the_processor),
	TEST(a_dead_idle_connection_is_noticed),
	TEST(a_large_command_goes_in_parts),
	TEST(the_guard_runs_signals_while_a_call_waits),
	TEST(the_guard_may_abandon_a_call),
	TEST(a_sleep_is_given_up_at_once),
	TEST(a_guard_that_is_due_already_runs_first),
	TEST(a_guard_that_is_due_without_a_signal_runs_within_a_second),
	TEST(the_guard_is_due_at_its_time),
	TEST(a_handler_may_close_a_link_of_the_wait),
	TEST(a_guard_may_wait_in_the_drivers_place),
	TEST(a_guard_that_cannot_wait_leaves_that_to_the_driver),
	TEST(a_guard_that_waits_may_abandon_a_call),
	TEST(poll_is_woken_by_a_signal_before_it_sleeps),
	TEST(poll_misses_no_signal),
	TEST(a_child_does_not_use_its_parents_connection),
};

CHECK_MAIN(tests, clean_up)
