/* SPDX-License-Identifier: MIT
 *
 * TLS between two buffers, with a server of OpenSSL: alerts, and bytes that no server should send,
 * in each phase of a connection.
 */
#include "tls_pair.h"

#ifdef RL_WITH_TLS

# include <stdio.h>
# include <stdlib.h>

typedef enum phase {
	HELLO,    /* the server has sent nothing */
	MIDDLE,   /* the server has sent a part of its handshake */
	FINISHED, /* the client has finished the handshake, and the server has not read that */
	OPEN,     /* both have finished the handshake */
	DATA,     /* the server has sent data */
	PHASES,
} phase;

static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

# define EACH_VERSION(i) for (unsigned i = 0; i < 2; i++)

static bool is_newer(void)
{
	return SSL_version(pair_server.ssl) == TLS1_3_VERSION;
}

/* ---- phases ---- */

static char flight[8192];

static size_t record_len(const char *record)
{
	return 5 + (size_t) (unsigned char) record[3] * 256 + (unsigned char) record[4];
}

/* Hands over the server's answer to the first message: its first record, or all of it. */
static void hand_over(bool is_whole)
{
	CHECK(pair_to_server());
	size_t len = tls_server_take(&pair_server, flight, sizeof flight);
	size_t first = record_len(flight);
	CHECK(len > first && len < sizeof flight);
	CHECK_INT(pair_feed(flight, is_whole ? len : first), RL_TLS_NOTHING);
}

static void go_to(phase to)
{
	CHECK(pair_dial());
	switch (to) {
		case HELLO:
			break;
		case MIDDLE:
			hand_over(false);
			break;
		case FINISHED:
			hand_over(true);
			CHECK_INT(rl_tls_is_open(pair_client), is_newer());
			break;
		case OPEN:
		case DATA:
		case PHASES:
			CHECK_INT(pair_pump(), RL_TLS_NOTHING);
			CHECK(rl_tls_is_open(pair_client));
			break;
	}
	if (to == DATA) {
		pair_answers("+OK\r\n");
	}
}

/* The server's tickets would count as records. */
static void begin(int version)
{
	pair_begin(version);
	SSL_CTX_set_num_tickets(pair_server.context, 0);
}

/* A record that the client can decrypt in this phase. */
static rl_tls_result feed_record(phase in, int type, const void *content, size_t len)
{
	char record[TLS_FORGE_OUT];
	tls_forge_key key = in >= OPEN ? TLS_FORGE_TRAFFIC : TLS_FORGE_PLAIN;
	if (is_newer() && in == MIDDLE) {
		key = TLS_FORGE_HANDSHAKE;
	} else if (is_newer() && in == FINISHED) {
		key = TLS_FORGE_TRAFFIC;
	}
	uint64_t sequence = key == TLS_FORGE_TRAFFIC ? (in == DATA) + !is_newer() : 0;
	size_t used = tls_forge(&pair_server, key, sequence, type, content, len, record);
	return pair_feed(record, used);
}

/* ---- alerts ---- */

/* Alerts that mean that another attempt would fail, too. */
static bool is_final(unsigned alert)
{
	static const unsigned char final[] = {
		SSL_AD_HANDSHAKE_FAILURE,
		SSL_AD_BAD_CERTIFICATE,
		SSL_AD_UNSUPPORTED_CERTIFICATE,
		SSL_AD_CERTIFICATE_REVOKED,
		SSL_AD_CERTIFICATE_EXPIRED,
		SSL_AD_CERTIFICATE_UNKNOWN,
		SSL_AD_UNKNOWN_CA,
		SSL_AD_ACCESS_DENIED,
		SSL_AD_DECRYPT_ERROR,
		SSL_AD_PROTOCOL_VERSION,
		SSL_AD_INSUFFICIENT_SECURITY,
		SSL_AD_UNRECOGNIZED_NAME,
		SSL_AD_CERTIFICATE_REQUIRED,
	};
	return memchr(final, (int) alert, sizeof final) != NULL;
}

static rl_status wanted_status(phase in, unsigned alert)
{
	return in == DATA ? RL_ERR_CLOSED : is_final(alert) ? RL_ERR_TLS : RL_ERR_CONNECT;
}

/* TLS 1.3 knows no levels, but two alerts that are no failure. */
static rl_tls_result wanted_result(phase in, unsigned alert)
{
	bool is_older = !is_newer() || in == HELLO;
	return is_older || (alert != SSL_AD_CLOSE_NOTIFY && alert != SSL_AD_USER_CANCELLED)
		? RL_TLS_BROKEN
		: alert == SSL_AD_CLOSE_NOTIFY ? RL_TLS_ENDED
									   : RL_TLS_NOTHING;
}

static void check_alert(phase in, unsigned alert)
{
	const char content[] = {SSL3_AL_FATAL, (char) alert};
	go_to(in);
	rl_tls_result result = feed_record(in, TLS_FORGE_ALERT, content, 2);
	rl_tls_result wanted = wanted_result(in, alert);
	if (result != wanted ||
		(result == RL_TLS_BROKEN && pair_err.status != wanted_status(in, alert))) {
		FAIL("alert %u in phase %d gives the result %d, and the status %d: %s", alert, (int) in,
			(int) result, (int) pair_err.status, pair_err.message);
	}
	if (result == RL_TLS_BROKEN) {
		CHECK_HAS(
			pair_err.message, in == DATA ? "the connection broke: TLS: " : "with the alert \"");
	}
}

/* After the handshake, which takes time, some alerts without a meaning are left out. */
static bool is_worth_it(phase in, unsigned alert)
{
	return in <= MIDDLE || alert % 8 == 0 ||
		strcmp(SSL_alert_desc_string_long((int) alert), "unknown") != 0;
}

static void check_alerts(phase in)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		for (unsigned alert = 0; alert < 256; alert++) {
			if (is_worth_it(in, alert)) {
				check_alert(in, alert);
			}
		}
	}
}

static void an_alert_may_be_the_first_answer(void)
{
	check_alerts(HELLO);
}

static void an_alert_may_break_the_handshake(void)
{
	check_alerts(MIDDLE);
}

static void an_alert_may_refuse_the_client_s_part(void)
{
	check_alerts(FINISHED);
}

static void an_alert_may_come_in_place_of_the_first_answer(void)
{
	check_alerts(OPEN);
}

static void an_alert_after_data_breaks_the_connection(void)
{
	check_alerts(DATA);
}

/* TLS 1.2 */
static void a_warning_is_no_failure(void)
{
	begin(TLS1_2_VERSION);
	for (int in = HELLO; in < PHASES; in++) {
		for (unsigned alert = 0; alert < 256; alert += in == HELLO ? 1 : 10) {
			const char content[] = {SSL3_AL_WARNING, (char) alert};
			rl_tls_result wanted = alert == SSL_AD_CLOSE_NOTIFY ? RL_TLS_ENDED
				: alert == SSL_AD_NO_RENEGOTIATION              ? RL_TLS_BROKEN
																: RL_TLS_NOTHING;
			go_to((phase) in);
			CHECK_INT(feed_record((phase) in, TLS_FORGE_ALERT, content, 2), (int64_t) wanted);
		}
	}
}

/* ---- bytes that are not TLS ---- */

/* Only an alert proves that the server has run no command. */
static rl_status status_of_garbage(phase in)
{
	return in >= OPEN || (in == FINISHED && is_newer()) ? RL_ERR_CLOSED : RL_ERR_TLS;
}

static void plain_text_is_recognised(void)
{
	static const char *const texts[] = {"-ERR unknown command\r\n", "-DENIED Redis is running\r\n",
		"+PONG\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
		"\r\n\r\n\r\n\r\n"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		begin(TLS1_3_VERSION);
		go_to(HELLO);
		CHECK_INT(pair_feed(texts[i], strlen(texts[i])), RL_TLS_BROKEN);
		CHECK_INT(pair_err.status, RL_ERR_TLS);
		CHECK_HAS(pair_err.message, "is this a port without TLS (redis://)?");
		CHECK(rl_tls_has_heard(pair_client));
	}
}

static void plain_text_breaks_each_phase(void)
{
	EACH_VERSION(i)
	{
		for (int in = HELLO; in < PHASES; in++) {
			begin(versions[i]);
			go_to((phase) in);
			CHECK_INT(pair_feed("+OK\r\n+OK\r\n", 10), RL_TLS_BROKEN);
			CHECK_INT(pair_err.status, (int64_t) status_of_garbage((phase) in));
			CHECK_INT(pair_heard_len, in == DATA ? 5 : 0);
		}
	}
}

static void garbage_breaks_each_phase(void)
{
	char garbage[200];
	srand(1);
	EACH_VERSION(i)
	{
		for (unsigned round = 0; round < 20 * PHASES; round++) {
			phase in = round % PHASES;
			for (size_t at = 0; at < sizeof garbage; at++) {
				garbage[at] = (char) rand();
			}
			if (round % 2 == 0) {
				memcpy(garbage, "\x17\x03\x03\x00\x40", 5); /* a record of 64 bytes */
				garbage[0] = (char) (20 + round / PHASES % 5);
			}
			begin(versions[i]);
			go_to(in);
			rl_tls_result result = pair_feed(garbage, sizeof garbage);
			CHECK(result == RL_TLS_BROKEN);
			CHECK_INT(pair_heard_len, in == DATA ? 5 : 0);
			/* A plain record may be an alert. */
			CHECK(pair_err.status == status_of_garbage(in) || (garbage[0] == 21 && in < OPEN));
		}
	}
}

/* The beginning of a record is no error. */
static void a_part_of_a_record_is_waited_for(void)
{
	static const char record[] = {23, 3, 3, 1, 0, 'x', 'y', 'z'};
	EACH_VERSION(i)
	{
		for (int in = HELLO; in < PHASES; in++) {
			begin(versions[i]);
			go_to((phase) in);
			size_t len = in == HELLO ? 4 : sizeof record;
			CHECK_INT(pair_feed(record, len), RL_TLS_NOTHING);
			CHECK_INT(pair_feed("", 0), RL_TLS_NOTHING);
		}
	}
}

/* A copy of the server's stream, in which one byte is wrong. */
static void feed_with_a_wrong_byte(size_t wrong, int bit)
{
	char bytes[4096];
	rl_tls_result result = RL_TLS_NOTHING;
	CHECK(pair_dial());
	for (bool has_spoken = false; result == RL_TLS_NOTHING;) {
		while (pair_to_server()) {
		}
		if (SSL_is_init_finished(pair_server.ssl) && !has_spoken && !pair_server.is_failed) {
			tls_server_says(&pair_server, "+OK\r\n", 5);
			has_spoken = true;
		}
		size_t len = tls_server_take(&pair_server, bytes, sizeof bytes);
		if (len == 0) {
			break;
		}
		if (wrong >= pair_got && wrong < pair_got + len) {
			bytes[wrong - pair_got] ^= (char) (1 << bit);
		}
		result = pair_feed(bytes, len);
	}
	CHECK(pair_heard_len <= 5 && memcmp(pair_heard, "+OK\r\n", pair_heard_len) == 0);
	if (result == RL_TLS_BROKEN && rl_tls_is_open(pair_client)) {
		CHECK(pair_err.status == RL_ERR_CLOSED || strstr(pair_err.message, "alert") != NULL);
	} else if (result == RL_TLS_BROKEN) {
		CHECK(pair_err.status == RL_ERR_TLS || strstr(pair_err.message, "alert") != NULL);
	}
}

static void a_wrong_byte_is_never_taken_for_data(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		pair_open();
		pair_answers("+OK\r\n");
		size_t all = pair_got;
		for (size_t wrong = 0; wrong < all; wrong += 3) {
			feed_with_a_wrong_byte(wrong, (int) (wrong % 8));
		}
	}
}

/* ---- messages that are encrypted well, and wrong ---- */

static void strange_messages_after_the_handshake_break_it(void)
{
	static const struct {
		const char *content;
		size_t len;
	} rows[] = {
		{"\x04\x00\x00\x00", 4},             /* a ticket without content */
		{"\x04\x00\x00\x05tick!", 9},        /* a ticket with nonsense */
		{"\x18\x00\x00\x01\x02", 5},         /* a change of the key, of unknown kind */
		{"\x18\x00\x00\x00", 4},             /* a change of the key without content */
		{"\x0d\x00\x00\x03\x00\x00\x00", 7}, /* asks for a certificate */
		{"\x14\x00\x00\x04"
		 "done",
			8},                      /* another end of the handshake */
		{"\x02\x00\x00\x04hell", 8}, /* another ServerHello */
		{"\xff\x00\x00\x00", 4},     /* unknown */
	};
	EACH_VERSION(i)
	{
		for (int in = OPEN; in <= DATA; in++) {
			for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
				begin(versions[i]);
				go_to((phase) in);
				CHECK_INT(feed_record((phase) in, TLS_FORGE_HANDSHAKE_MESSAGE, rows[row].content,
							  rows[row].len),
					RL_TLS_BROKEN);
				CHECK_INT(pair_err.status, RL_ERR_CLOSED);
			}
		}
	}
}

/* Without this test a forged record might never have been read at all. */
static void a_forged_record_with_data_is_read(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		go_to(DATA);
		CHECK_INT(feed_record(DATA, TLS_FORGE_DATA, "+FORGED", 7), RL_TLS_NOTHING);
		CHECK_INT(pair_heard_len, 12);
		CHECK(memcmp(pair_heard, "+OK\r\n+FORGED", 12) == 0);
	}
}

static const check_test tests[] = {
	TEST(an_alert_may_be_the_first_answer),
	TEST(an_alert_may_break_the_handshake),
	TEST(an_alert_may_refuse_the_client_s_part),
	TEST(an_alert_may_come_in_place_of_the_first_answer),
	TEST(an_alert_after_data_breaks_the_connection),
	TEST(a_warning_is_no_failure),
	TEST(plain_text_is_recognised),
	TEST(plain_text_breaks_each_phase),
	TEST(garbage_breaks_each_phase),
	TEST(a_part_of_a_record_is_waited_for),
	TEST(a_wrong_byte_is_never_taken_for_data),
	TEST(strange_messages_after_the_handshake_break_it),
	TEST(a_forged_record_with_data_is_read),
};

#endif

TLS_CHECK_MAIN(tests, pair_end)
