/* SPDX-License-Identifier: MIT
 *
 * TLS between two buffers, with a server of OpenSSL: the stream of bytes, however it is cut.
 */
#include "tls_pair.h"

#ifdef RL_WITH_TLS

# include <openssl/err.h>
# include <stdlib.h>

static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

# define EACH_VERSION(i) for (unsigned i = 0; i < 2; i++)

/* ---- the stream ---- */

static void data_goes_both_ways(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		CHECK(pair_dial());
		CHECK(!rl_tls_is_open(pair_client));
		CHECK(!rl_tls_has_heard(pair_client));
		CHECK(rl_tls_output(pair_client).len > 0);
		CHECK_INT(pair_pump(), RL_TLS_NOTHING);
		CHECK(rl_tls_is_open(pair_client));
		CHECK(rl_tls_has_heard(pair_client));
		CHECK(!rl_tls_is_resumed(pair_client));
		CHECK_INT(SSL_version(pair_server.ssl), versions[i]);
		pair_talk();
		pair_talk();
	}
}

/* The bytes of the server: the handshake with its tickets, and two answers. */
static void hold_a_conversation(void)
{
	pair_open();
	pair_talk();
	pair_answers("$3\r\nabc\r\n");
}

static void the_stream_may_be_cut_at_every_byte(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		hold_a_conversation();
		size_t all = pair_got;
		CHECK(all > 500);
		for (pair_cut = 1; pair_cut < all; pair_cut++) {
			rl_tls_sessions_free(pair_sessions);
			pair_sessions = NULL;
			hold_a_conversation();
		}
	}
}

static void the_stream_may_come_and_go_byte_by_byte(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		pair_piece = pair_room = pair_sends = 1;
		hold_a_conversation();
	}
}

static void several_records_may_come_at_once(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		pair_open();
		tls_server_says(&pair_server, "+A\r\n", 4);
		tls_server_says(&pair_server, "+B\r\n", 4);
		tls_server_says(&pair_server, "+C\r\n", 4);
		CHECK_INT(pair_pump(), RL_TLS_NOTHING);
		CHECK_INT(pair_heard_len, 12);
		CHECK(memcmp(pair_heard, "+A\r\n+B\r\n+C\r\n", 12) == 0);
	}
}

static void data_may_follow_the_handshake_at_once(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		CHECK(pair_dial());
		while (!SSL_is_init_finished(pair_server.ssl)) {
			rl_tls_result result;
			pair_to_server();
			if (!SSL_is_init_finished(pair_server.ssl)) {
				pair_to_client(&result);
			}
		}
		pair_answers("-ERR max number of clients reached\r\n");
	}
}

# define LARGE (64 * 1024 + 11)

static char large[LARGE];

static void fill_large(void)
{
	for (size_t i = 0; i < LARGE; i++) {
		large[i] = (char) (i * 31 + i / 256);
	}
}

static void send_large(void)
{
	for (size_t at = 0; at < LARGE;) {
		size_t sealed = rl_tls_seal(pair_client, large + at, LARGE - at);
		CHECK_INT(sealed, (int64_t) (LARGE - at < 16384 ? LARGE - at : 16384));
		at += sealed;
		CHECK_INT(pair_pump(), RL_TLS_NOTHING);
	}
}

static void much_data_goes_both_ways(void)
{
	fill_large();
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		pair_piece = i == 0 ? 1000 : 0;
		pair_sends = i == 0 ? 0 : 777;
		pair_open();
		send_large();
		CHECK_INT(pair_server.heard_len, LARGE);
		CHECK(memcmp(pair_server.heard, large, LARGE) == 0);
		tls_server_says(&pair_server, large, LARGE);
		CHECK_INT(pair_pump(), RL_TLS_NOTHING);
		CHECK_INT(pair_heard_len, LARGE);
		CHECK(memcmp(pair_heard, large, LARGE) == 0);
	}
}

/* The output grows while a part of it is not sent yet. */
static void records_may_be_sealed_before_the_last_one_is_sent(void)
{
	fill_large();
	pair_begin(TLS1_3_VERSION);
	pair_open();
	for (size_t at = 0; at < LARGE;) {
		at += rl_tls_seal(pair_client, large + at, LARGE - at);
		pair_sends = 100;
		CHECK(pair_to_server());
	}
	CHECK_INT(pair_pump(), RL_TLS_NOTHING);
	CHECK_INT(pair_server.heard_len, LARGE);
	CHECK(memcmp(pair_server.heard, large, LARGE) == 0);
	CHECK_INT(rl_tls_output(pair_client).len, 0);
}

/* ---- messages between the data ---- */

static void a_ticket_is_no_data(void)
{
	pair_begin(TLS1_3_VERSION);
	SSL_CTX_set_num_tickets(pair_server.context, 5);
	pair_piece = 1;
	pair_open();
	CHECK_INT(pair_heard_len, 0);
	CHECK_INT(rl_tls_output(pair_client).len, 0);
	pair_talk();
}

static void the_server_may_change_its_key(void)
{
	static const int types[] = {SSL_KEY_UPDATE_NOT_REQUESTED, SSL_KEY_UPDATE_REQUESTED};
	pair_begin(TLS1_3_VERSION);
	for (unsigned i = 0; i < 2; i++) {
		pair_open();
		for (unsigned round = 0; round < 3; round++) {
			CHECK(SSL_key_update(pair_server.ssl, types[i]) == 1);
			CHECK(SSL_do_handshake(pair_server.ssl) == 1);
			CHECK_INT(pair_pump(), RL_TLS_NOTHING);
			CHECK_INT(pair_heard_len, 7 * round); /* "+PONG" */
			CHECK(!pair_server.is_failed);
			pair_talk();
		}
	}
}

/* The server asks for a new key while the client's record is under way. */
static void a_new_key_may_come_while_a_record_is_under_way(void)
{
	pair_begin(TLS1_3_VERSION);
	pair_open();
	pair_says("first");
	pair_sends = 3;
	CHECK(pair_to_server());
	CHECK(SSL_key_update(pair_server.ssl, SSL_KEY_UPDATE_REQUESTED) == 1);
	CHECK(SSL_do_handshake(pair_server.ssl) == 1);
	rl_tls_result result;
	CHECK(pair_to_client(&result));
	CHECK_INT(result, RL_TLS_NOTHING);
	pair_says("second");
	CHECK_INT(pair_pump(), RL_TLS_NOTHING);
	CHECK(!pair_server.is_failed);
	CHECK_INT(pair_server.heard_len, 11);
	CHECK(memcmp(pair_server.heard, "firstsecond", 11) == 0);
}

/* TLS 1.2. The client goes on with the keys that it has. */
static void another_handshake_is_refused(void)
{
	pair_begin(TLS1_2_VERSION);
	pair_open();
	pair_talk();
	CHECK(SSL_renegotiate(pair_server.ssl) == 1);
	CHECK(SSL_do_handshake(pair_server.ssl) == 1); /* sends HelloRequest */
	rl_tls_result result;
	CHECK(pair_to_client(&result));
	CHECK_INT(result, RL_TLS_NOTHING);
	CHECK(pair_to_server());
	CHECK(pair_server.is_failed);
	CHECK_TEXT(pair_server.reason, "no renegotiation");
	CHECK(rl_tls_is_open(pair_client));
	CHECK_INT(rl_tls_seal(pair_client, "x", 1), 1);
}

/* ---- the end ---- */

static void the_client_sends_its_end(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		pair_open();
		pair_says("last words");
		rl_tls_end(pair_client);
		CHECK_INT(pair_pump(), RL_TLS_NOTHING);
		CHECK_INT(pair_server.heard_len, 10);
		CHECK(pair_server.is_ended);
		CHECK(!rl_tls_is_open(pair_client));
	}
}

static void an_end_is_sent_once(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		pair_open();
		rl_tls_end(pair_client);
		size_t len = rl_tls_output(pair_client).len;
		CHECK(len > 0);
		rl_tls_end(pair_client);
		CHECK_INT(rl_tls_output(pair_client).len, (int64_t) len);
	}
}

/* Before the handshake is over there is nothing to end. */
static void an_end_before_the_handshake_is_not_sent(void)
{
	pair_begin(TLS1_3_VERSION);
	CHECK(pair_dial());
	size_t len = rl_tls_output(pair_client).len;
	rl_tls_end(pair_client);
	CHECK_INT(rl_tls_output(pair_client).len, (int64_t) len);
}

static void the_client_reads_the_end_of_the_server(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		pair_piece = 1;
		pair_open();
		tls_server_says(&pair_server, "+BYE\r\n", 6);
		SSL_shutdown(pair_server.ssl);
		CHECK_INT(pair_pump(), RL_TLS_ENDED);
		CHECK_INT(pair_heard_len, 6);
		CHECK_INT(pair_feed("", 0), RL_TLS_ENDED);
		/* The other direction is still open. */
		rl_tls_end(pair_client);
		CHECK_INT(pair_feed("", 0), RL_TLS_ENDED);
		while (pair_to_server()) {
		}
		CHECK(pair_server.is_ended);
	}
}

static void the_server_may_end_in_the_handshake(void)
{
	static const char close_notify[] = {21, 3, 3, 0, 2, 1, 0};
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		CHECK(pair_dial());
		CHECK_INT(pair_feed(close_notify, sizeof close_notify), RL_TLS_ENDED);
		CHECK(!rl_tls_is_open(pair_client));
		CHECK(rl_tls_has_heard(pair_client));
	}
}

static void a_connection_may_be_dropped_at_any_time(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		pair_open();
		size_t all = pair_got;
		for (size_t stop = 0; stop < all; stop += 41) {
			rl_tls_result result = RL_TLS_NOTHING;
			CHECK(pair_dial());
			pair_piece = 41;
			while (pair_got < stop && result == RL_TLS_NOTHING) {
				if (!pair_to_server() && !pair_to_client(&result)) {
					break;
				}
			}
			rl_tls_free(pair_client);
			pair_client = NULL;
			pair_piece = 0;
		}
	}
	rl_tls_free(NULL);
	rl_tls_sessions_free(NULL);
}

/* PHP's own connections use the same queue of errors. */
static void errors_of_others_change_nothing(void)
{
	pair_begin(TLS1_3_VERSION);
	CHECK(pair_dial());
	ERR_put_error(ERR_LIB_SSL, 0, SSL_R_CERTIFICATE_VERIFY_FAILED, __FILE__, __LINE__);
	CHECK_INT(pair_pump(), RL_TLS_NOTHING);
	ERR_put_error(ERR_LIB_SSL, 0, SSL_R_CERTIFICATE_VERIFY_FAILED, __FILE__, __LINE__);
	CHECK_INT(rl_tls_seal(pair_client, "x", 1), 1);
	ERR_put_error(ERR_LIB_SSL, 0, SSL_R_CERTIFICATE_VERIFY_FAILED, __FILE__, __LINE__);
	CHECK_INT(pair_feed("", 0), RL_TLS_NOTHING);
}

static const check_test tests[] = {
	TEST(data_goes_both_ways),
	TEST(the_stream_may_be_cut_at_every_byte),
	TEST(the_stream_may_come_and_go_byte_by_byte),
	TEST(several_records_may_come_at_once),
	TEST(data_may_follow_the_handshake_at_once),
	TEST(much_data_goes_both_ways),
	TEST(records_may_be_sealed_before_the_last_one_is_sent),
	TEST(a_ticket_is_no_data),
	TEST(the_server_may_change_its_key),
	TEST(a_new_key_may_come_while_a_record_is_under_way),
	TEST(another_handshake_is_refused),
	TEST(the_client_sends_its_end),
	TEST(an_end_is_sent_once),
	TEST(an_end_before_the_handshake_is_not_sent),
	TEST(the_client_reads_the_end_of_the_server),
	TEST(the_server_may_end_in_the_handshake),
	TEST(a_connection_may_be_dropped_at_any_time),
	TEST(errors_of_others_change_nothing),
};

#endif

TLS_CHECK_MAIN(tests, pair_end)
