/* SPDX-License-Identifier: MIT
 *
 * Links on real sockets.
 */
#include "check.h"
#include "peer.h"
#include "transport/rl_link.h"
#include "transport/rl_os.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MS RL_NS_PER_MS

static rl_net net;
static peer server;
static rl_address address;
static rl_link *link_;
static int fd = -1;
static rl_reply reply;
static rl_error err;

static void clean_up(void)
{
	if (link_ != NULL) {
		net.transport.close(link_);
		link_ = NULL;
	}
	if (fd >= 0) {
		close(fd);
		fd = -1;
	}
	if (server.listener > 0) {
		peer_close(&server);
	}
	rl_net_destroy(&net);
}

static void begin_unix(int backlog)
{
	clean_up();
	rl_net_init(&net);
	CHECK(peer_open_unix(&server, backlog));
	address = (rl_address){.kind = RL_NET_UNIX, .host = server.path};
}

static char loopback[] = "127.0.0.1";

static void begin_tcp(void)
{
	clean_up();
	rl_net_init(&net);
	CHECK(peer_open_tcp(&server, 16));
	address = (rl_address){.kind = RL_NET_TCP, .host = loopback, .port = server.port};
}

static rl_link *dial(void)
{
	memset(&err, 0, sizeof err);
	link_ = net.transport.dial(&net.transport, &address, rl_os_now() + 2 * RL_NS_PER_SECOND, &err);
	return link_;
}

/* Waits as the driver does, until the link is connected or down. */
static void finish_connecting(void)
{
	for (unsigned i = 0; i < 400 && !net.transport.is_connected(link_); i++) {
		struct pollfd poll_fd = {.fd = rl_link_fd(link_), .events = rl_link_events(link_)};
		int ready = rl_os_poll(&poll_fd, 1, 5 * MS, NULL, NULL);
		rl_link_advance(link_, ready > 0 ? poll_fd.revents : 0, rl_os_now());
		if (net.transport.receive(link_, &reply, &err) == RL_LINK_DOWN) {
			return;
		}
	}
}

static void connect_it(void)
{
	CHECK(dial() != NULL);
	finish_connecting();
	CHECK(net.transport.is_connected(link_));
	fd = peer_accept(&server);
	CHECK(fd >= 0);
}

/* Waits for the socket, then reads what is there. */
static void advance(void)
{
	struct pollfd poll_fd = {.fd = rl_link_fd(link_), .events = rl_link_events(link_)};
	int ready = rl_os_poll(&poll_fd, 1, RL_NS_PER_SECOND, NULL, NULL);
	rl_link_advance(link_, ready > 0 ? poll_fd.revents : 0, rl_os_now());
}

static rl_link_event receive(void)
{
	memset(&err, 0, sizeof err);
	return net.transport.receive(link_, &reply, &err);
}

static uint64_t append(const char *word)
{
	const rl_bytes argv[] = {bytes_of("ECHO"), bytes_of(word)};
	return net.transport.append(link_, 2, argv);
}

static void flush(void)
{
	net.transport.flush(link_);
}

/* ---- connecting ---- */

static void unix_connects_at_once(void)
{
	begin_unix(4);
	CHECK(dial() != NULL);
	CHECK(net.transport.is_connected(link_));
	CHECK_INT(rl_link_wake_at(link_), RL_NEVER);
	CHECK_INT(rl_link_events(link_), POLLIN);
	int flags = fcntl(rl_link_fd(link_), F_GETFD);
	CHECK(flags >= 0 && (flags & FD_CLOEXEC) != 0);
	CHECK((fcntl(rl_link_fd(link_), F_GETFL) & O_NONBLOCK) == 0);
}

static void tcp_connects(void)
{
	begin_tcp();
	connect_it();
	append("x");
	flush();
	CHECK(peer_hears(&server, fd, "$4\r\nECHO\r\n$1\r\nx\r\n"));
	peer_says(fd, "$1\r\nx\r\n");
	advance();
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(receive(), RL_LINK_NONE);
}

static int option(int level, int name)
{
	int value = -1;
	socklen_t len = sizeof value;
	CHECK(getsockopt(rl_link_fd(link_), level, name, &value, &len) == 0);
	return value;
}

/* 30 s idle, then 3 probes 5 s apart. */
static void the_other_side_s_silence_is_noticed(void)
{
	begin_tcp();
	connect_it();
	CHECK_INT(option(SOL_SOCKET, SO_KEEPALIVE), 1);
#ifdef TCP_KEEPIDLE
	CHECK_INT(option(IPPROTO_TCP, TCP_KEEPIDLE), 30);
#endif
#ifdef TCP_KEEPINTVL
	CHECK_INT(option(IPPROTO_TCP, TCP_KEEPINTVL), 5);
	CHECK_INT(option(IPPROTO_TCP, TCP_KEEPCNT), 3);
#endif
#ifdef TCP_USER_TIMEOUT
	CHECK_INT(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 45000);
#endif
}

static void a_refusal_by_tcp_is_an_error(void)
{
	begin_tcp();
	peer_close(&server);
	if (dial() != NULL) {
		finish_connecting();
		CHECK_INT(receive(), RL_LINK_DOWN);
	}
	CHECK_INT(err.status, RL_ERR_CONNECT);
	CHECK_INT(err.sys_errno, ECONNREFUSED);
	CHECK_HAS(err.message, "is a server running there?");
}

static void a_missing_socket_is_an_error(void)
{
	begin_unix(4);
	char path[] = "/tmp/rl-unit-nothing-here.sock";
	address.host = path;
	CHECK(dial() == NULL);
	CHECK_INT(err.status, RL_ERR_CONNECT);
	CHECK_INT(err.sys_errno, ENOENT);
	CHECK_HAS(err.message, "is this its socket's path?");
}

static void a_socket_without_a_listener_is_an_error(void)
{
	begin_unix(4);
	close(server.listener);
	server.listener = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK(dial() == NULL);
	CHECK_INT(err.sys_errno, ECONNREFUSED);
}

static void a_file_that_is_no_socket_is_an_error(void)
{
	begin_unix(4);
	char path[] = "/dev/null";
	address.host = path;
	CHECK(dial() == NULL);
	CHECK_INT(err.status, RL_ERR_CONNECT);
}

/* Fills the queue of a unix listener; returns how many got in. */
static unsigned fill_queue(int *fds, unsigned count)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	strcpy(to.sun_path, server.path);
	unsigned used = 0;
	for (unsigned i = 0; i < count; i++) {
		fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		used += connect(fds[i], (struct sockaddr *) &to, sizeof to) == 0;
	}
	return used;
}

static void a_full_listen_queue_is_tried_again(void)
{
	int fds[8];
	begin_unix(1);
	CHECK(fill_queue(fds, 8) < 8);
	CHECK(dial() != NULL);
	CHECK(!net.transport.is_connected(link_));
	CHECK_INT(rl_link_fd(link_), -1);
	CHECK(rl_link_wake_at(link_) <= rl_os_now() + 5 * MS);
	rl_link_advance(link_, 0, rl_link_wake_at(link_));
	CHECK(!net.transport.is_connected(link_));
	fd = peer_accept(&server);
	finish_connecting();
	CHECK(net.transport.is_connected(link_));
	for (unsigned i = 0; i < 8; i++) {
		close(fds[i]);
	}
}

static void a_full_listen_queue_may_be_given_up(void)
{
	int fds[8];
	begin_unix(1);
	fill_queue(fds, 8);
	CHECK(dial() != NULL);
	clean_up();
	for (unsigned i = 0; i < 8; i++) {
		close(fds[i]);
	}
}

static void each_address_has_its_share_of_the_time(void)
{
	begin_tcp();
	connect_it();
	CHECK_INT(rl_link_wake_at(link_), RL_NEVER);
	clean_up();
	/* Servers at addresses for documentation (RFC 5737) never answer, or the dial is refused at
	 * once. */
	rl_net_init(&net);
	char host[] = "192.0.2.1";
	address = (rl_address){.kind = RL_NET_TCP, .host = host, .port = 9};
	if (dial() != NULL) {
		CHECK(!net.transport.is_connected(link_));
		CHECK_INT(rl_link_wake_at(link_), RL_NEVER); /* the only address has all of the time */
		CHECK_INT(rl_link_events(link_), POLLOUT);
		CHECK_INT(receive(), RL_LINK_NONE);
		CHECK(!net.transport.is_alive(link_, false));
	} else {
		CHECK_INT(err.status, RL_ERR_CONNECT);
	}
}

static void a_name_must_be_resolved_before(void)
{
	if (!peer_knows_localhost()) {
		return;
	}
	begin_tcp();
	char name[] = "localhost";
	address.host = name;
	CHECK(dial() == NULL);
	CHECK_INT(err.status, RL_ERR_NAME);
	rl_resolve(&net.resolver, &address, 0);
	connect_it();
	char nowhere[] = "no.such.name.invalid";
	address.host = nowhere;
	rl_resolve(&net.resolver, &address, 0);
	rl_link *kept = link_;
	CHECK(dial() == NULL);
	link_ = kept;
	CHECK_INT(err.status, RL_ERR_NAME);
	CHECK_HAS(err.message, "could not be resolved");
}

/* ---- bytes ---- */

static void replies_come_in_order(void)
{
	begin_unix(4);
	connect_it();
	CHECK_INT(receive(), RL_LINK_NONE);
	peer_says(fd, "+A\r\n+B\r\n+C");
	advance();
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(reply.text.data[0], 'A');
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(reply.text.data[0], 'B');
	CHECK_INT(receive(), RL_LINK_NONE);
	peer_says(fd, "\r\n");
	advance();
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(reply.text.data[0], 'C');
}

static void nothing_is_read_without_waiting(void)
{
	begin_unix(4);
	connect_it();
	peer_says(fd, "+A\r\n");
	CHECK_INT(receive(), RL_LINK_NONE);
	advance();
	CHECK_INT(receive(), RL_LINK_REPLY);
}

static void more_than_a_chunk_is_read(void)
{
	begin_unix(4);
	connect_it();
	int size = 256 * 1024;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	peer_says(fd, peer_large_answer());
	advance();
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(reply.text.len, PEER_LARGE);
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(reply.text.data[0], 'Z');
}

static void the_end_is_reported_after_the_replies(void)
{
	begin_unix(4);
	connect_it();
	peer_says(fd, "+A\r\n-ERR bye\r\n");
	close(fd);
	fd = -1;
	advance();
	advance();
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(receive(), RL_LINK_DOWN);
	CHECK_INT(err.status, RL_ERR_CLOSED);
	CHECK_TEXT(err.message, "the server closed the connection");
	CHECK_INT(receive(), RL_LINK_DOWN);
	CHECK_INT(rl_link_fd(link_), -1);
	CHECK_INT(rl_link_wake_at(link_), 0);
	CHECK(!net.transport.is_connected(link_));
	CHECK(!net.transport.is_alive(link_, true));
	CHECK_INT(rl_link_block(link_), RL_LINK_BLOCKED_NOTHING);
	rl_link_advance(link_, POLLIN, rl_os_now());
}

static void a_reset_is_reported(void)
{
	begin_tcp();
	connect_it();
	peer_resets(fd);
	fd = -1;
	advance();
	CHECK_INT(receive(), RL_LINK_DOWN);
	CHECK_INT(err.status, RL_ERR_CLOSED);
	CHECK_INT(err.sys_errno, ECONNRESET);
	CHECK_HAS(err.message, "the connection broke: ");
}

static void sending_to_the_dead_raises_no_signal(void)
{
	begin_unix(4);
	connect_it();
	peer_says(fd, "-ERR too many\r\n");
	close(fd);
	fd = -1;
	uint64_t end = append("x");
	CHECK(end > 0);
	flush(); /* EPIPE, without SIGPIPE */
	CHECK(net.transport.sent(link_) < end);
	CHECK(!net.transport.is_connected(link_));
	/* The last reply of the server comes before the break. */
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(reply.type, RL_REPLY_ERROR);
	CHECK_INT(receive(), RL_LINK_DOWN);
	CHECK_INT(err.status, RL_ERR_CLOSED);
	flush();
	CHECK(append("y") > end);
}

static void a_link_can_still_send_after_nonsense(void)
{
	begin_unix(4);
	connect_it();
	peer_says(fd, "+A\r\nHTTP/1.1 400\r\n+B\r\n");
	advance();
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(receive(), RL_LINK_DOWN);
	CHECK_INT(err.status, RL_ERR_PROTOCOL);
	CHECK_INT(receive(), RL_LINK_DOWN);
	CHECK_INT(err.status, RL_ERR_PROTOCOL);
	CHECK(net.transport.is_connected(link_));
	CHECK(!net.transport.is_alive(link_, true));
	CHECK_INT(rl_link_wake_at(link_), 0);
	append("undo");
	flush();
	CHECK(peer_hears(&server, fd, "undo\r\n"));
}

static void a_flood_is_cut_off(void)
{
	begin_unix(4);
	connect_it();
	static char flood[64 * 1024];
	memset(flood, 'x', sizeof flood);
	peer_says(fd, "+");
	for (unsigned i = 0; i < 40 && receive() == RL_LINK_NONE; i++) {
		send(fd, flood, sizeof flood, MSG_DONTWAIT | MSG_NOSIGNAL);
		advance();
	}
	CHECK_INT(receive(), RL_LINK_DOWN);
	CHECK_INT(err.status, RL_ERR_PROTOCOL);
}

static void bytes_that_the_system_does_not_take_wait(void)
{
	static char word[400 * 1024];
	begin_unix(4);
	connect_it();
	int size = 8 * 1024;
	setsockopt(rl_link_fd(link_), SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	memset(word, 'w', sizeof word - 1);
	uint64_t first = append("a");
	uint64_t second = append(word);
	uint64_t third = append("last");
	CHECK(first > 0 && second > first + sizeof word - 1 && third > second);
	flush();
	CHECK(net.transport.sent(link_) >= first);
	CHECK(net.transport.sent(link_) < second);
	CHECK_INT(rl_link_events(link_), POLLIN | POLLOUT);
	peer_says(fd, "+A\r\n");
	CHECK_INT(rl_link_block(link_), RL_LINK_BLOCKED_NOTHING); /* the driver must wait in poll */
	CHECK_INT(receive(), RL_LINK_NONE);
	static char sink[64 * 1024];
	uint64_t got = 0;
	while (got < third) {
		ssize_t some = recv(fd, sink, sizeof sink, MSG_DONTWAIT);
		got += some > 0 ? (uint64_t) some : 0;
		flush();
	}
	CHECK_INT(net.transport.sent(link_), (int64_t) third);
	CHECK_INT(got, (int64_t) third);
	CHECK(memcmp(sink, "", 1) != 0);
	CHECK_INT(rl_link_events(link_), POLLIN);
	/* The buffer is used again. */
	CHECK_INT(append("a"), (int64_t) (third + first));
}

static void nothing_is_sent_before_the_link_is_connected(void)
{
	int fds[8];
	begin_unix(1);
	fill_queue(fds, 8);
	CHECK(dial() != NULL);
	CHECK(append("x") > 0);
	flush();
	CHECK_INT(net.transport.sent(link_), 0);
	for (unsigned i = 0; i < 8; i++) {
		close(fds[i]);
	}
}

static void closing_sends_the_bytes_that_the_system_has_taken(void)
{
	begin_unix(4);
	connect_it();
	append("last words");
	flush();
	net.transport.close(link_);
	link_ = NULL;
	CHECK(peer_hears(&server, fd, "last words\r\n"));
	CHECK(peer_sees_end(fd));
}

static void an_ended_link_is_over_when_the_other_side_is(void)
{
	begin_unix(4);
	connect_it();
	append("last words");
	flush();
	net.transport.end(link_);
	CHECK(!net.transport.is_over(link_));
	CHECK(peer_hears(&server, fd, "last words\r\n"));
	CHECK(peer_sees_end(fd));
	peer_says(fd, "+OK\r\n"); /* the link drops this reply */
	CHECK(!net.transport.is_over(link_));
	close(fd);
	fd = -1;
	CHECK(net.transport.is_over(link_));
}

static void a_reply_that_has_arrived_can_be_read_at_once(void)
{
	begin_unix(4);
	connect_it();
	net.transport.take_in(link_);
	CHECK_INT(receive(), RL_LINK_NONE);
	peer_says(fd, "+A\r\n");
	net.transport.take_in(link_);
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(reply.text.data[0], 'A');
}

/* ---- looks and waits ---- */

/* No call waits for the link. Core looks at it now and then. */
static void take_in_goes_on_connecting(void)
{
	begin_tcp();
	CHECK(dial() != NULL);
	for (unsigned i = 0; i < 400 && !net.transport.is_connected(link_); i++) {
		net.transport.take_in(link_);
		rl_os_poll(NULL, 0, MS, NULL, NULL);
	}
	CHECK(net.transport.is_connected(link_));
	fd = peer_accept(&server);
	append("x");
	flush();
	CHECK(peer_hears(&server, fd, "x\r\n"));
}

static void take_in_reports_a_refusal(void)
{
	begin_tcp();
	peer_close(&server);
	CHECK(dial() != NULL);
	for (unsigned i = 0; i < 400 && receive() == RL_LINK_NONE; i++) {
		net.transport.take_in(link_);
		rl_os_poll(NULL, 0, MS, NULL, NULL);
	}
	CHECK_INT(receive(), RL_LINK_DOWN);
	CHECK_INT(err.status, RL_ERR_CONNECT);
}

static void an_unsent_command_can_be_retracted(void)
{
	int fds[8];
	begin_unix(1);
	fill_queue(fds, 8);
	CHECK(dial() != NULL);
	uint64_t first = append("login");
	CHECK(append("never") > first);
	CHECK(append("nor this") > first);
	flush();
	CHECK(net.transport.retract(link_, first));
	CHECK(net.transport.retract(link_, first)); /* there is nothing left to retract */
	uint64_t second = append("after");
	CHECK_INT(second, (int64_t) (2 * first)); /* both commands have the same length */
	fd = peer_accept(&server);
	finish_connecting();
	flush();
	CHECK_INT(net.transport.sent(link_), (int64_t) second);
	for (unsigned i = 0; i < 8; i++) {
		close(fds[i]);
	}
}

static void a_sent_command_cannot_be_retracted(void)
{
	begin_unix(4);
	connect_it();
	uint64_t first = append("one");
	uint64_t second = append("two");
	flush();
	CHECK_INT(net.transport.sent(link_), (int64_t) second);
	CHECK(!net.transport.retract(link_, first));
	CHECK(!net.transport.retract(link_, 0));
	CHECK(net.transport.retract(link_, second));
	CHECK(append("three") > second);
	CHECK(net.transport.retract(link_, second));
	CHECK(peer_hears(&server, fd, "two\r\n"));
	CHECK_INT(append("four"), (int64_t) (second + first + 1));
	flush();
	CHECK(peer_hears(&server, fd, "four\r\n"));
}

static void an_idle_link_is_alive(void)
{
	begin_unix(4);
	connect_it();
	CHECK(net.transport.is_alive(link_, false));
	CHECK(net.transport.is_alive(link_, true));
	peer_says(fd, "+A\r\n");
	CHECK(!net.transport.is_alive(link_, false));
	CHECK(net.transport.is_alive(link_, true));
	advance(); /* the look has read nothing */
	CHECK_INT(receive(), RL_LINK_REPLY);
	close(fd);
	fd = -1;
	CHECK(!net.transport.is_alive(link_, false));
	CHECK(!net.transport.is_alive(link_, true));
}

static void a_reset_link_is_dead(void)
{
	begin_tcp();
	connect_it();
	peer_resets(fd);
	fd = -1;
	peer_sleeps(20);
	CHECK(!net.transport.is_alive(link_, true));
}

static void a_link_may_block_for_a_moment(void)
{
	begin_unix(4);
	connect_it();
	int64_t before = rl_os_now();
	CHECK_INT(rl_link_block(link_), RL_LINK_BLOCKED_NOTHING);
	int64_t took = rl_os_now() - before;
	CHECK(took >= 5 * MS && peer_in_time(before, 1000 * MS));
	peer_says(fd, "+A\r\n");
	CHECK_INT(rl_link_block(link_), RL_LINK_BLOCKED_READ);
	CHECK_INT(receive(), RL_LINK_REPLY);
	close(fd);
	fd = -1;
	CHECK_INT(rl_link_block(link_), RL_LINK_BLOCKED_READ);
	CHECK_INT(receive(), RL_LINK_DOWN);
}

static void many_links_leave_no_descriptors(void)
{
	begin_unix(64);
	int first = dup(0);
	close(first);
	for (unsigned i = 0; i < 50; i++) {
		CHECK(dial() != NULL);
		append("x");
		flush();
		net.transport.close(link_);
		link_ = NULL;
		close(peer_accept(&server));
	}
	peer_close(&server);
	for (unsigned i = 0; i < 10; i++) {
		CHECK(dial() == NULL);
	}
	int last = dup(0);
	close(last);
	CHECK(last <= first);
}

static void random_bytes_are_fresh(void)
{
	static rl_random random;
	static unsigned char bytes[3][64];
	for (unsigned i = 0; i < 3; i++) {
		CHECK(rl_random_draw(&random, 0, bytes[i], 64));
	}
	CHECK(memcmp(bytes[0], bytes[1], 64) != 0 && memcmp(bytes[1], bytes[2], 64) != 0);
	size_t left = random.left;
	for (size_t i = left; i < sizeof random.bytes; i++) {
		CHECK_INT(random.bytes[i], 0); /* bytes that were given out are wiped */
	}
	for (unsigned i = 0; i < 500; i++) {
		CHECK(rl_random_draw(&random, 0, bytes[i % 3], 18));
	}
	static unsigned char too_much[RL_RANDOM_STOCK + 1];
	CHECK(!rl_random_draw(&random, 0, too_much, sizeof too_much));
	CHECK(rl_random_draw(&random, 0, too_much, RL_RANDOM_STOCK));
}

static const check_test tests[] = {
	TEST(unix_connects_at_once),
	TEST(tcp_connects),
	TEST(the_other_side_s_silence_is_noticed),
	TEST(a_refusal_by_tcp_is_an_error),
	TEST(a_missing_socket_is_an_error),
	TEST(a_socket_without_a_listener_is_an_error),
	TEST(a_file_that_is_no_socket_is_an_error),
	TEST(a_full_listen_queue_is_tried_again),
	TEST(a_full_listen_queue_may_be_given_up),
	TEST(each_address_has_its_share_of_the_time),
	TEST(a_name_must_be_resolved_before),
	TEST(replies_come_in_order),
	TEST(nothing_is_read_without_waiting),
	TEST(more_than_a_chunk_is_read),
	TEST(the_end_is_reported_after_the_replies),
	TEST(a_reset_is_reported),
	TEST(sending_to_the_dead_raises_no_signal),
	TEST(a_link_can_still_send_after_nonsense),
	TEST(a_flood_is_cut_off),
	TEST(bytes_that_the_system_does_not_take_wait),
	TEST(nothing_is_sent_before_the_link_is_connected),
	TEST(closing_sends_the_bytes_that_the_system_has_taken),
	TEST(an_ended_link_is_over_when_the_other_side_is),
	TEST(a_reply_that_has_arrived_can_be_read_at_once),
	TEST(take_in_goes_on_connecting),
	TEST(take_in_reports_a_refusal),
	TEST(an_unsent_command_can_be_retracted),
	TEST(a_sent_command_cannot_be_retracted),
	TEST(an_idle_link_is_alive),
	TEST(a_reset_link_is_dead),
	TEST(a_link_may_block_for_a_moment),
	TEST(many_links_leave_no_descriptors),
	TEST(random_bytes_are_fresh),
};

CHECK_MAIN(tests, clean_up)
