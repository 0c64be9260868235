/* SPDX-License-Identifier: MIT
 *
 * TLS without memory, OpenSSL included, at each request for memory: no crash, no leak, and no
 * failure that claims more than is known.
 */
#include "tls_pair.h"

#ifdef RL_WITH_TLS

# include "no_memory.h"

# include <stdio.h>

/* There are thousands of allocations. Each allocation of rl_tls_new() fails once, and so does every
 * n-th of the others. A cc with -DEVERY=1 and a larger SECONDS_MAX tries them all. */
# ifndef EVERY
#  define EVERY 37
# endif

/* How many allocations rl_tls_new() makes. */
static unsigned asked_by_new;

/* ---- the flows ---- */

static void clean_up(void)
{
	is_counting = false;
	pair_end();
}

/* Only the client lacks memory, not its server. */
static bool dial(void)
{
	rl_tls_free(pair_client);
	pair_heard_len = 0;
	tls_server_accept(&pair_server);
	memset(&pair_err, 0, sizeof pair_err);
	is_counting = true;
	pair_client = rl_tls_new(&pair_address, &pair_sessions, &pair_err);
	is_counting = false;
	asked_by_new = fails_at == 0 ? asked : asked_by_new;
	return pair_client != NULL;
}

static rl_tls_result feed(const char *data, size_t len)
{
	rl_tls_result result;
	size_t got = 0;
	is_counting = true;
	rl_tls_feed(pair_client, data, len);
	do {
		result = rl_tls_read(pair_client, pair_heard + pair_heard_len,
			sizeof pair_heard - pair_heard_len, &got, &pair_err);
		pair_heard_len += got;
	} while (result == RL_TLS_DATA);
	is_counting = false;
	return result;
}

static rl_tls_result pump(void)
{
	char bytes[8192];
	size_t len;
	do {
		while (pair_to_server()) {
		}
		len = tls_server_take(&pair_server, bytes, sizeof bytes);
		if (feed(bytes, len) != RL_TLS_NOTHING) {
			return RL_TLS_BROKEN;
		}
	} while (len > 0);
	return RL_TLS_NOTHING;
}

static bool says(const char *text)
{
	is_counting = true;
	size_t sealed = rl_tls_seal(pair_client, text, strlen(text));
	is_counting = false;
	CHECK(sealed == 0 || sealed == strlen(text));
	return sealed > 0;
}

/* A connection with a command and its answer.
 * @return false = the connection broke */
static bool talk(void)
{
	if (!dial() || pump() != RL_TLS_NOTHING || !says("PING\r\n") || pump() != RL_TLS_NOTHING) {
		return false;
	}
	CHECK_INT(pair_server.heard_len, 6);
	tls_server_says(&pair_server, "+PONG\r\n", 7);
	if (pump() != RL_TLS_NOTHING) {
		return false;
	}
	CHECK_INT(pair_heard_len, 7);
	is_counting = true;
	rl_tls_end(pair_client);
	is_counting = false;
	return true;
}

/* ---- each allocation fails ---- */

/* Before the handshake is over, OpenSSL may take its lack of memory for a bad certificate. OpenSSL
 * 1.1.1 may also send a hello that lacks a part, which the server refuses. */
static void check_failure(void)
{
	rl_status status = pair_err.status;
	bool was_open = pair_client != NULL && rl_tls_is_open(pair_client);
	bool is_lost = status == RL_ERR_CLOSED || status == RL_OK; /* no end could be sealed */
	bool is_refused =
		OPENSSL_VERSION_NUMBER < 0x30000000L && strstr(pair_err.message, "alert") != NULL;
	bool is_fine = status == RL_ERR_MEMORY || status == RL_ERR_TLS || is_refused;
	if (was_open ? !is_lost : !is_fine) {
		FAIL("allocation %u: the status %d: %s", fails_at, (int) status, pair_err.message);
	}
	CHECK(status == RL_ERR_MEMORY || strstr(pair_err.message, "no reason is known") == NULL);
}

/* @return how many allocations there are */
static unsigned count(bool (*run)(void))
{
	fails_at = 0;
	asked = 0;
	CHECK(run());
	CHECK(asked > 0);
	return asked;
}

static void fail_each(bool (*run)(void))
{
	CHECK(run()); /* makes the context */
	unsigned all = count(run);
	for (unsigned at = 1; at <= all; at += at < asked_by_new ? 1 : EVERY) {
		asked = 0;
		fails_at = at;
		if (!run()) {
			check_failure();
		}
	}
	fails_at = 0;
	asked = 0;
	CHECK(run()); /* the next connection is sound again */
}

static void fail_each_of_both_versions(bool (*run)(void))
{
	pair_begin(TLS1_2_VERSION);
	fail_each(run);
	pair_begin(TLS1_3_VERSION);
	fail_each(run);
}

static void a_connection_may_lack_memory(void)
{
	fail_each_of_both_versions(talk);
}

/* Without the sessions of earlier connections. */
static bool talk_anew(void)
{
	rl_tls_sessions_free(pair_sessions);
	pair_sessions = NULL;
	return talk();
}

static void a_first_connection_may_lack_memory(void)
{
	fail_each_of_both_versions(talk_anew);
}

static bool make_context(void)
{
	rl_tls_tear_down();
	memset(&pair_err, 0, sizeof pair_err);
	is_counting = true;
	rl_status status = rl_tls_prepare(pair_address.tls, &pair_err);
	is_counting = false;
	return status == RL_OK;
}

static void a_context_may_lack_memory(void)
{
	pair_begin(TLS1_3_VERSION);
	pair_set("local_cert", tls_write_cert("client.pem", &pair_cert));
	pair_set("local_pk", tls_write_key("client.key", &pair_cert, NULL));
	unsigned all = count(make_context);
	for (fails_at = 1; fails_at <= all; fails_at += EVERY) {
		asked = 0;
		if (!make_context()) {
			CHECK(pair_err.message[0] != '\0');
			CHECK(pair_err.status == RL_ERR_MEMORY || pair_err.status == RL_ERR_ARGUMENT);
		}
	}
	fails_at = 0;
	CHECK(make_context());
}

static const check_test tests[] = {
	TEST(a_connection_may_lack_memory),
	TEST(a_first_connection_may_lack_memory),
	TEST(a_context_may_lack_memory),
};

#endif

TLS_CHECK_MAIN(tests, clean_up)
