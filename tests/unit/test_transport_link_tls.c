/* SPDX-License-Identifier: MIT
 *
 * Links with TLS on real sockets. The server is OpenSSL's, and continues when the test says so.
 */
#include "peer.h"
#include "tls_server.h"

#ifdef RL_WITH_TLS

# include "transport/rl_link.h"
# include "transport/rl_os.h"
# include "transport/rl_process.h"
# include "transport/rl_socket.h"
# include "transport/rl_tls_context.h"

# include <netinet/in.h>
# include <netinet/tcp.h>
# include <stdio.h>
# include <stdlib.h>
# include <sys/socket.h>
# include <unistd.h>

# define MS RL_NS_PER_MS

static rl_net net;
static peer listener;
static tls_server server;
static tls_cert ca;
static tls_cert cert;
static rl_address address;
static char host[] = "127.0.0.1";
static rl_link *link_;
static int fd = -1;
static rl_reply reply;
static rl_error err;
static int64_t patience = 5 * RL_NS_PER_SECOND;

static void hang_up(void)
{
	if (fd >= 0) {
		close(fd);
		fd = -1;
	}
}

static void clean_up(void)
{
	if (link_ != NULL) {
		net.transport.close(link_);
		link_ = NULL;
	}
	hang_up();
	if (listener.listener > 0) {
		peer_close(&listener);
	}
	rl_net_destroy(&net);
	rl_tls_options_free(address.tls);
	address.tls = NULL;
	rl_tls_tear_down();
	if (server.context != NULL) {
		tls_server_close(&server);
	}
	patience = 5 * RL_NS_PER_SECOND;
}

static void set_option(const char *name, const char *value)
{
	CHECK_INT(rl_tls_options_set(address.tls, bytes_of(name), bytes_of(value), &err), RL_OK);
}

static void begin(int version)
{
	clean_up();
	if (ca.x509 == NULL) {
		ca = tls_cert_make((tls_request){.common_name = "CA", .is_ca = true});
		cert = tls_cert_make((tls_request){.names = "IP:127.0.0.1", .issuer = &ca});
	}
	rl_net_init(&net);
	CHECK(peer_open_tcp(&listener, 16));
	int size = 32 * 1024; /* the kernel keeps no more bytes for the server */
	setsockopt(listener.listener, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	tls_server_open(&server, version, &cert);
	address = (rl_address){
		.kind = RL_NET_TCP, .host = host, .port = listener.port, .tls = rl_tls_options_new()};
	set_option("cafile", tls_write_cert("ca.pem", &ca));
}

/* ---- the server ---- */

static void server_writes(void)
{
	char bytes[4096];
	size_t len;
	while ((len = tls_server_take(&server, bytes, sizeof bytes)) > 0) {
		CHECK(send(fd, bytes, len, MSG_NOSIGNAL) == (ssize_t) len);
	}
}

/* Reads what has arrived, and answers. */
static void server_goes_on(void)
{
	char bytes[4096];
	ssize_t got;
	while ((got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
		tls_server_feed(&server, bytes, (size_t) got);
	}
	server_writes();
}

static void server_says(const char *text)
{
	tls_server_says(&server, text, strlen(text));
	server_writes();
}

static bool server_has_heard(const char *text)
{
	server_goes_on();
	server.heard[server.heard_len] = '\0';
	return strstr(server.heard, text) != NULL;
}

/* ---- the link ---- */

static rl_link *dial(void)
{
	memset(&err, 0, sizeof err);
	link_ = net.transport.dial(&net.transport, &address, rl_os_now() + patience, &err);
	return link_;
}

static void wait_for(int64_t timeout)
{
	struct pollfd poll_fd = {.fd = rl_link_fd(link_), .events = rl_link_events(link_)};
	int ready = rl_os_poll(&poll_fd, 1, timeout, NULL, NULL);
	rl_link_advance(link_, ready > 0 ? poll_fd.revents : 0, rl_os_now());
}

static void advance(void)
{
	wait_for(RL_NS_PER_SECOND);
}

static rl_link_event receive(void)
{
	memset(&err, 0, sizeof err);
	return net.transport.receive(link_, &reply, &err);
}

/* Accepts the link. TCP_NODELAY lets the bytes of the server arrive at once. */
static void accept_it(void)
{
	int on = 1;
	fd = peer_accept(&listener);
	CHECK(fd >= 0);
	CHECK(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
	tls_server_accept(&server);
}

/* The server has accepted the connection, and the link waits for its part of the handshake. */
static void begin_handshake(void)
{
	CHECK(dial() != NULL);
	accept_it();
	advance();
	CHECK(!net.transport.is_connected(link_));
}

static void connect_it(void)
{
	begin_handshake();
	for (unsigned i = 0; i < 400 && !net.transport.is_connected(link_); i++) {
		server_goes_on();
		wait_for(MS);
		CHECK_INT(receive(), RL_LINK_NONE);
	}
	CHECK(net.transport.is_connected(link_));
	CHECK_INT(rl_link_wake_at(link_), RL_NEVER);
}

static uint64_t append(const char *word)
{
	const rl_bytes argv[] = {bytes_of("ECHO"), bytes_of(word)};
	return net.transport.append(link_, 2, argv);
}

static uint64_t ask(const char *word)
{
	uint64_t end = append(word);
	net.transport.flush(link_);
	CHECK_INT(net.transport.sent(link_), (int64_t) end);
	return end;
}

/* Tickets may come before the reply. */
static void wait_for_reply(void)
{
	rl_link_event event = receive();
	for (unsigned i = 0; i < 100 && event == RL_LINK_NONE; i++) {
		advance();
		event = receive();
	}
	CHECK_INT(event, RL_LINK_REPLY);
}

/* A command and its answer. */
static void talk(void)
{
	server.heard_len = 0;
	ask("hello");
	AWAIT(server_has_heard("hello\r\n"));
	server_says("$5\r\nhello\r\n");
	wait_for_reply();
	CHECK_INT(receive(), RL_LINK_NONE);
}

static void expect_down(rl_status status, const char *part)
{
	rl_link_event event = receive();
	for (unsigned i = 0; i < 50 && event == RL_LINK_NONE; i++) {
		wait_for(100 * MS);
		event = receive();
	}
	CHECK_INT(event, RL_LINK_DOWN);
	CHECK_HAS(err.message, part);
	CHECK_INT(err.status, (int64_t) status);
}

/* ---- connecting ---- */

static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

# define EACH_VERSION(i) for (unsigned i = 0; i < 2; i++)

static void a_link_connects_and_resumes(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		rl_stats before = *rl_process_stats();
		connect_it();
		talk();
		net.transport.close(link_);
		link_ = NULL;
		hang_up();
		connect_it();
		talk();
		CHECK_INT(rl_process_stats()->tls_handshakes - before.tls_handshakes, 2);
		CHECK_INT(rl_process_stats()->tls_resumed - before.tls_resumed, 1);
	}
}

/* Core queues the login at once. The login leaves together with the end of the handshake. */
static void commands_wait_for_the_handshake(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		begin_handshake();
		uint64_t end = append("early");
		net.transport.flush(link_);
		CHECK_INT(net.transport.sent(link_), 0);
		CHECK(net.transport.retract(link_, 0));
		end = append("early");
		while (!net.transport.is_connected(link_)) {
			server_goes_on();
			wait_for(MS);
		}
		net.transport.flush(link_);
		AWAIT(server_has_heard("early\r\n"));
		CHECK_INT(net.transport.sent(link_), (int64_t) end);
	}
}

/* No call waits for the link: core looks at it now and then. */
static void take_in_goes_on_with_the_handshake(void)
{
	begin(TLS1_3_VERSION);
	CHECK(dial() != NULL);
	accept_it();
	for (unsigned i = 0; i < 400 && !net.transport.is_connected(link_); i++) {
		net.transport.take_in(link_);
		server_goes_on();
	}
	CHECK(net.transport.is_connected(link_));
	talk();
}

/* Core ends the attempt. The link only knows what was missing. */
static void a_server_that_stays_silent_may_be_without_tls(void)
{
	begin(TLS1_3_VERSION);
	begin_handshake();
	append("never sent");
	net.transport.flush(link_);
	CHECK_INT(rl_link_wake_at(link_), RL_NEVER);
	CHECK_INT(rl_link_events(link_), POLLIN); /* the command waits for the handshake */
	CHECK_INT(receive(), RL_LINK_NONE);
	CHECK_INT(net.transport.sent(link_), 0);
	CHECK_HAS(net.transport.hint(link_), "is this a port without TLS (redis://)?");
	CHECK(!net.transport.is_alive(link_, false));
}

static void a_handshake_may_be_too_slow(void)
{
	begin(TLS1_3_VERSION);
	begin_handshake();
	char bytes[4096];
	ssize_t got = recv(fd, bytes, sizeof bytes, 0);
	tls_server_feed(&server, bytes, got > 0 ? (size_t) got : 0);
	size_t len = tls_server_take(&server, bytes, sizeof bytes);
	CHECK(send(fd, bytes, len / 2, MSG_NOSIGNAL) > 0);
	advance();
	CHECK_INT(receive(), RL_LINK_NONE);
	CHECK_TEXT(net.transport.hint(link_), ", because the TLS handshake was not over");
}

static void a_server_without_tls_is_recognised(void)
{
	begin(TLS1_3_VERSION);
	begin_handshake();
	append("never sent");
	net.transport.flush(link_);
	peer_says(fd, "-ERR unknown command\r\n");
	expect_down(RL_ERR_TLS, "the answer is not TLS: is this a port without TLS (redis://)?");
	CHECK_INT(net.transport.sent(link_), 0);
	CHECK_INT(rl_link_fd(link_), -1);
}

static void a_server_may_close_in_the_handshake(void)
{
	static const char close_notify[] = {21, 3, 3, 0, 2, 1, 0};
	begin(TLS1_3_VERSION);
	begin_handshake();
	char bytes[4096];
	CHECK(recv(fd, bytes, sizeof bytes, 0) > 0);
	hang_up();
	expect_down(RL_ERR_CONNECT,
		"the server closed the connection during the TLS handshake (is "
		"this a port with TLS?)");
	clean_up();
	begin(TLS1_3_VERSION);
	begin_handshake();
	peer_resets(fd);
	fd = -1;
	expect_down(RL_ERR_CONNECT, "the connection broke during the TLS handshake: ");
	clean_up();
	begin(TLS1_3_VERSION);
	begin_handshake();
	CHECK(send(fd, close_notify, sizeof close_notify, MSG_NOSIGNAL) > 0);
	expect_down(RL_ERR_CONNECT, "the server closed the connection during the TLS handshake");
}

static void a_wrong_file_is_an_error_of_dial(void)
{
	begin(TLS1_3_VERSION);
	tls_write_text("ca.pem", "");
	if (dial() != NULL) {
		expect_down(RL_ERR_TLS, "the TLS option cafile: it has no usable certificate");
	} else {
		CHECK_INT(err.status, RL_ERR_TLS);
	}
}

/* An alert tells the server the reason. */
static void a_wrong_certificate_ends_the_handshake(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		set_option("peer_name", "other.test");
		begin_handshake();
		server_goes_on();
		expect_down(RL_ERR_TLS, "not for \"other.test\"");
		AWAIT((server_goes_on(), server.is_failed));
		CHECK_HAS(server.reason, "alert bad certificate");
	}
}

static void a_link_may_be_closed_in_the_handshake(void)
{
	begin(TLS1_3_VERSION);
	begin_handshake();
	net.transport.end(link_);
	CHECK(net.transport.is_over(link_));
	net.transport.close(link_);
	link_ = NULL;
	CHECK(peer_sees_end(fd));
}

/* ---- sending ---- */

static char large[200 * 1024];

static void limit_the_kernel(void)
{
	int size = 24 * 1024;
	setsockopt(rl_link_fd(link_), SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

/* The kernel takes little at once, and the server reads nothing yet. */
static void fill_the_kernel(uint64_t *first, uint64_t *last)
{
	limit_the_kernel();
	memset(large, 'w', sizeof large - 1);
	for (unsigned i = 0; i < 40; i++) {
		*first = append(large);
		net.transport.flush(link_);
		if (net.transport.sent(link_) < *first) {
			break;
		}
	}
	CHECK(net.transport.sent(link_) < *first);
	*last = append("last");
	net.transport.flush(link_);
}

/* How many plain bytes the server can read while the link sends nothing. */
static uint64_t drain(void)
{
	uint64_t heard = 0;
	for (unsigned quiet = 0; quiet < 20; quiet++) {
		server.heard_len = 0;
		server_goes_on();
		heard += server.heard_len;
		quiet = server.heard_len > 0 ? 0 : quiet;
		peer_sleeps(1);
	}
	return heard;
}

static void whole_records_count_as_sent(void)
{
	EACH_VERSION(i)
	{
		uint64_t first, last;
		begin(versions[i]);
		connect_it();
		talk();
		uint64_t begun = net.transport.sent(link_);
		fill_the_kernel(&first, &last);
		CHECK_INT(rl_link_events(link_), POLLIN | POLLOUT);
		CHECK_INT(rl_link_block(link_), RL_LINK_BLOCKED_NOTHING); /* the driver must wait in poll */
		/* The kernel has a part of the next record. */
		uint64_t heard = drain();
		CHECK(heard > 0);
		CHECK_INT(net.transport.sent(link_) - begun, (int64_t) heard);
		while (net.transport.sent(link_) < last) {
			net.transport.flush(link_);
			server.heard_len = 0;
			server_goes_on();
			heard += server.heard_len;
			CHECK(net.transport.sent(link_) >= begun + heard);
		}
		CHECK_INT(net.transport.sent(link_), (int64_t) last);
		CHECK_INT(begun + heard + drain(), (int64_t) last);
		CHECK_INT(rl_link_events(link_), POLLIN);
		talk();
	}
}

static void a_sealed_command_cannot_be_retracted(void)
{
	uint64_t first, last;
	begin(TLS1_3_VERSION);
	connect_it();
	fill_the_kernel(&first, &last);
	uint64_t sent = net.transport.sent(link_);
	/* The next record is sealed, and not all of it is sent. */
	CHECK(!net.transport.retract(link_, sent));
	CHECK(!net.transport.retract(link_, sent + 16 * 1024 - 1));
	CHECK(net.transport.retract(link_, first));
	CHECK(append("instead") > first);
	CHECK(net.transport.retract(link_, sent + 16 * 1024));
}

static void a_break_is_reported_after_the_last_reply(void)
{
	begin(TLS1_3_VERSION);
	connect_it();
	talk();
	server_says("-ERR too many\r\n");
	SSL_shutdown(server.ssl);
	server_writes();
	hang_up();
	peer_sleeps(20);
	append("x");
	net.transport.flush(link_);
	append("y");
	net.transport.flush(link_); /* EPIPE, without SIGPIPE */
	for (unsigned i = 0; i < 3 && rl_link_wake_at(link_) != 0; i++) {
		advance();
	}
	CHECK_INT(receive(), RL_LINK_REPLY);
	CHECK_INT(reply.type, RL_REPLY_ERROR);
	expect_down(RL_ERR_CLOSED, "the server closed the connection");
}

/* ---- looks ---- */

static void a_ticket_changes_nothing_for_an_idle_link(void)
{
	begin(TLS1_3_VERSION);
	connect_it();
	net.transport.flush(link_); /* the end of the handshake; the tickets answer it */
	AWAIT((server_goes_on(), SSL_is_init_finished(server.ssl)));
	peer_sleeps(5);
	CHECK(rl_socket_peek(rl_link_fd(link_)) > 0);
	CHECK(net.transport.is_alive(link_, false));
	CHECK(rl_socket_peek(rl_link_fd(link_)) < 0);
	CHECK(net.transport.is_alive(link_, true));
	talk();
}

static void a_new_key_changes_nothing_for_an_idle_link(void)
{
	begin(TLS1_3_VERSION);
	connect_it();
	talk();
	for (unsigned i = 0; i < 3; i++) {
		CHECK(SSL_key_update(server.ssl, SSL_KEY_UPDATE_REQUESTED) == 1);
		CHECK(SSL_do_handshake(server.ssl) == 1);
		server_writes();
		peer_sleeps(5);
		CHECK(net.transport.is_alive(link_, false));
		CHECK_INT(rl_link_events(link_), POLLIN);
		talk();
		CHECK(!server.is_failed);
	}
}

/* TLS 1.2. The refusal does not wait for the next command. */
static void another_handshake_is_refused_at_once(void)
{
	begin(TLS1_2_VERSION);
	connect_it();
	talk();
	CHECK(SSL_renegotiate(server.ssl) == 1);
	CHECK(SSL_do_handshake(server.ssl) == 1);
	server_writes();
	peer_sleeps(5);
	CHECK(net.transport.is_alive(link_, false));
	AWAIT((server_goes_on(), server.is_failed));
	CHECK_TEXT(server.reason, "no renegotiation");
}

static void an_unasked_reply_is_the_end_of_an_idle_link(void)
{
	begin(TLS1_3_VERSION);
	connect_it();
	talk();
	CHECK(net.transport.is_alive(link_, false));
	server_says("+SURPRISE\r\n");
	peer_sleeps(5);
	CHECK(!net.transport.is_alive(link_, false));
	CHECK_INT(receive(), RL_LINK_REPLY);
}

static void a_pending_reply_keeps_a_link_alive(void)
{
	begin(TLS1_3_VERSION);
	connect_it();
	talk();
	server_says("+LATE\r\n");
	peer_sleeps(5);
	CHECK(net.transport.is_alive(link_, true));
	CHECK_INT(receive(), RL_LINK_REPLY);
}

static void a_goodbye_is_the_end_of_an_idle_link(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		connect_it();
		talk();
		SSL_shutdown(server.ssl);
		server_writes();
		peer_sleeps(5);
		CHECK(!net.transport.is_alive(link_, i == 0));
		expect_down(RL_ERR_CLOSED, "the server closed the connection");
	}
}

static void an_end_without_a_goodbye_is_the_end_of_an_idle_link_too(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		connect_it();
		talk();
		hang_up();
		peer_sleeps(5);
		CHECK(!net.transport.is_alive(link_, i == 0));
		expect_down(RL_ERR_CLOSED, "the server closed the connection");
	}
}

/* ---- the end ---- */

static void the_server_sees_a_goodbye_and_then_the_end(void)
{
	EACH_VERSION(i)
	{
		char byte;
		begin(versions[i]);
		connect_it();
		talk();
		ask("last words");
		net.transport.end(link_);
		CHECK(!net.transport.is_over(link_));
		AWAIT((server_goes_on(), server.is_ended));
		CHECK(server_has_heard("last words\r\n"));
		CHECK_INT(recv(fd, &byte, 1, 0), 0);
		server_says("+OK\r\n"); /* the link drops this reply */
		CHECK(!net.transport.is_over(link_));
		hang_up();
		AWAIT(net.transport.is_over(link_));
	}
}

static void a_link_may_be_ended_twice(void)
{
	begin(TLS1_3_VERSION);
	connect_it();
	talk();
	server_says("no protocol\r\n");
	advance();
	CHECK_INT(receive(), RL_LINK_DOWN);
	CHECK_INT(err.status, RL_ERR_PROTOCOL);
	ask("undo");
	net.transport.end(link_);
	net.transport.end(link_);
	AWAIT((server_goes_on(), server.is_ended));
	CHECK(server_has_heard("undo\r\n"));
}

/* Commands that are not sealed yet are dropped, as they are without TLS, and the link lingers. */
static void a_link_may_be_ended_before_all_is_sent(void)
{
	char word[1000];
	uint64_t end;
	begin(TLS1_3_VERSION);
	connect_it();
	talk();
	limit_the_kernel();
	memset(word, 'w', sizeof word - 1);
	word[sizeof word - 1] = '\0';
	do {
		end = append(word);
		net.transport.flush(link_);
	} while (net.transport.sent(link_) == end);
	CHECK_INT(rl_link_events(link_), POLLIN | POLLOUT);
	CHECK_INT(rl_link_block(link_), RL_LINK_BLOCKED_NOTHING); /* the driver must wait in poll */
	append("not sealed");
	drain();
	net.transport.end(link_);
	CHECK_INT(receive(), RL_LINK_NONE);
	CHECK(!net.transport.is_over(link_));
	CHECK_INT(net.transport.sent(link_), (int64_t) end);
	AWAIT((server_goes_on(), server.is_ended));
	CHECK(!server_has_heard("not sealed"));
}

/* ---- the first answer ---- */

static void send_alert(uint64_t sequence, int alert)
{
	char record[TLS_FORGE_OUT];
	const char content[] = {SSL3_AL_FATAL, (char) alert};
	size_t len =
		tls_forge(&server, TLS_FORGE_TRAFFIC, sequence, TLS_FORGE_ALERT, content, 2, record);
	CHECK(send(fd, record, len, MSG_NOSIGNAL) == (ssize_t) len);
}

static void an_alert_in_place_of_the_first_answer_means_that_nothing_ran(void)
{
	static const struct {
		int alert;
		rl_status status;
	} rows[] = {{SSL_AD_INTERNAL_ERROR, RL_ERR_CONNECT}, {SSL_AD_UNKNOWN_CA, RL_ERR_TLS}};
	for (unsigned i = 0; i < 4; i++) {
		begin(versions[i / 2]);
		SSL_CTX_set_num_tickets(server.context, 0);
		connect_it();
		ask("x");
		send_alert(i / 2 == 0 ? 1 : 0, rows[i % 2].alert);
		expect_down(rows[i % 2].status, "the server has ended the handshake with the alert");
		CHECK_INT(net.transport.sent(link_), 0);
	}
}

static void an_alert_after_the_first_answer_leaves_all_open(void)
{
	begin(TLS1_3_VERSION);
	SSL_CTX_set_num_tickets(server.context, 0);
	connect_it();
	talk();
	uint64_t end = ask("x");
	send_alert(1, SSL_AD_INTERNAL_ERROR);
	expect_down(RL_ERR_CLOSED, "the connection broke: TLS: ");
	CHECK_INT(net.transport.sent(link_), (int64_t) end);
}

/* The server may have run the command. */
static void a_damaged_first_answer_leaves_all_open(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		SSL_CTX_set_num_tickets(server.context, 0);
		connect_it();
		uint64_t end = ask("x");
		AWAIT(server_has_heard("x\r\n"));
		char bytes[200];
		tls_server_says(&server, "+OK\r\n", 5);
		size_t len = tls_server_take(&server, bytes, sizeof bytes);
		bytes[len - 1] ^= 1;
		CHECK(send(fd, bytes, len, MSG_NOSIGNAL) == (ssize_t) len);
		expect_down(RL_ERR_CLOSED, "the connection broke: TLS: ");
		CHECK_INT(net.transport.sent(link_), (int64_t) end);
	}
}

static void a_missing_client_certificate_means_that_nothing_ran(void)
{
	begin(TLS1_3_VERSION);
	tls_server_wants_client(&server, &ca);
	begin_handshake();
	while (!net.transport.is_connected(link_)) {
		server_goes_on();
		wait_for(MS);
	}
	ask("SET");
	AWAIT((server_goes_on(), server.is_failed));
	expect_down(RL_ERR_TLS, "the server wants a client certificate; give it by the options");
	CHECK_INT(net.transport.sent(link_), 0);
	CHECK_INT(server.heard_len, 0);
}

static void a_large_answer_comes_in_many_records(void)
{
	begin(TLS1_3_VERSION);
	connect_it();
	talk();
	int size = 512 * 1024;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	server_says(peer_large_answer());
	wait_for_reply();
	CHECK_INT(reply.text.len, PEER_LARGE);
	wait_for_reply();
	CHECK_INT(reply.text.data[0], 'Z');
}

static const check_test tests[] = {
	TEST(a_link_connects_and_resumes),
	TEST(commands_wait_for_the_handshake),
	TEST(take_in_goes_on_with_the_handshake),
	TEST(a_server_that_stays_silent_may_be_without_tls),
	TEST(a_handshake_may_be_too_slow),
	TEST(a_server_without_tls_is_recognised),
	TEST(a_server_may_close_in_the_handshake),
	TEST(a_wrong_file_is_an_error_of_dial),
	TEST(a_wrong_certificate_ends_the_handshake),
	TEST(a_link_may_be_closed_in_the_handshake),
	TEST(whole_records_count_as_sent),
	TEST(a_sealed_command_cannot_be_retracted),
	TEST(a_break_is_reported_after_the_last_reply),
	TEST(a_ticket_changes_nothing_for_an_idle_link),
	TEST(a_new_key_changes_nothing_for_an_idle_link),
	TEST(another_handshake_is_refused_at_once),
	TEST(an_unasked_reply_is_the_end_of_an_idle_link),
	TEST(a_pending_reply_keeps_a_link_alive),
	TEST(a_goodbye_is_the_end_of_an_idle_link),
	TEST(an_end_without_a_goodbye_is_the_end_of_an_idle_link_too),
	TEST(the_server_sees_a_goodbye_and_then_the_end),
	TEST(a_link_may_be_ended_twice),
	TEST(a_link_may_be_ended_before_all_is_sent),
	TEST(an_alert_in_place_of_the_first_answer_means_that_nothing_ran),
	TEST(an_alert_after_the_first_answer_leaves_all_open),
	TEST(a_damaged_first_answer_leaves_all_open),
	TEST(a_missing_client_certificate_means_that_nothing_ran),
	TEST(a_large_answer_comes_in_many_records),
};

#endif

TLS_CHECK_MAIN(tests, clean_up)
