/* SPDX-License-Identifier: MIT */
#include "tls_pair.h"

#ifdef RL_WITH_TLS

# include <stdlib.h>
# include <string.h>

# define CHUNK 4096

tls_cert pair_ca;
tls_cert pair_cert;
tls_server pair_server;
rl_tls *pair_client;
rl_tls_sessions *pair_sessions;
rl_address pair_address;
rl_error pair_err;
char pair_heard[TLS_HEARD_MAX];
size_t pair_heard_len;
size_t pair_piece;
size_t pair_room;
size_t pair_sends;
size_t pair_cut;
size_t pair_got;

static char host[300];

/* ---- life ---- */

void pair_end(void)
{
	rl_tls_free(pair_client);
	pair_client = NULL;
	rl_tls_sessions_free(pair_sessions);
	pair_sessions = NULL;
	rl_tls_options_free(pair_address.tls);
	pair_address.tls = NULL;
	rl_tls_tear_down();
	if (pair_server.context != NULL) {
		tls_server_close(&pair_server);
	}
	pair_piece = pair_room = pair_sends = pair_cut = 0;
}

static void make_certificates(void)
{
	if (pair_ca.x509 == NULL) {
		pair_ca = tls_cert_make((tls_request){.common_name = "CA", .is_ca = true});
		pair_cert = tls_cert_make(
			(tls_request){.names = "DNS:cache.test,IP:127.0.0.1", .issuer = &pair_ca});
	}
}

void pair_begin(int version)
{
	pair_end();
	make_certificates();
	tls_server_open(&pair_server, version, &pair_cert);
	pair_unset_all();
	pair_go_to("cache.test");
	pair_set("cafile", tls_write_cert("ca.pem", &pair_ca));
}

void pair_set(const char *name, const char *value)
{
	rl_error err = {.message = ""};
	if (rl_tls_options_set(pair_address.tls, bytes_of(name), bytes_of(value), &err) != RL_OK) {
		FAIL("%s", err.message);
	}
}

void pair_unset_all(void)
{
	rl_tls_free(pair_client);
	pair_client = NULL;
	rl_tls_options_free(pair_address.tls);
	pair_address.tls = rl_tls_options_new();
	CHECK(pair_address.tls != NULL);
}

void pair_go_to(const char *name)
{
	strcpy(host, name);
	pair_address.kind = RL_NET_TCP;
	pair_address.host = host;
	pair_address.port = 6379;
}

bool pair_dial(void)
{
	rl_tls_free(pair_client);
	pair_heard_len = 0;
	pair_got = 0;
	tls_server_accept(&pair_server);
	memset(&pair_err, 0, sizeof pair_err);
	pair_client = rl_tls_new(&pair_address, &pair_sessions, &pair_err);
	return pair_client != NULL;
}

/* ---- bytes ---- */

bool pair_to_server(void)
{
	char taken[CHUNK];
	rl_bytes bytes = rl_tls_output(pair_client);
	size_t len = bytes.len < CHUNK ? bytes.len : CHUNK;
	len = pair_sends > 0 && pair_sends < len ? pair_sends : len;
	if (len == 0) {
		return false;
	}
	memcpy(taken, bytes.data, len);
	rl_tls_sent(pair_client, len);
	tls_server_feed(&pair_server, taken, len);
	return true;
}

/* Reads a copy without any byte after its end, so that the sanitizer sees a read beyond the end. */
rl_tls_result pair_feed(const char *data, size_t len)
{
	char *copy = malloc(len > 0 ? len : 1);
	size_t size = pair_room > 0 ? pair_room : sizeof pair_heard;
	rl_tls_result result;
	CHECK(copy != NULL);
	memcpy(copy, data, len);
	rl_tls_feed(pair_client, copy, len);
	do {
		size_t room = sizeof pair_heard - pair_heard_len;
		size_t got = 0;
		room = size < room ? size : room;
		result = rl_tls_read(pair_client, pair_heard + pair_heard_len, room, &got, &pair_err);
		if ((result == RL_TLS_DATA) != (got > 0) || got > room) {
			free(copy);
			FAIL("the result is %d, with %zu bytes", (int) result, got);
		}
		pair_heard_len += got;
	} while (result == RL_TLS_DATA);
	free(copy);
	pair_got += len;
	return result;
}

/* How many of the bytes come in the next piece. */
static size_t next_piece(size_t len)
{
	len = pair_piece > 0 && pair_piece < len ? pair_piece : len;
	return pair_got < pair_cut && pair_cut - pair_got < len ? pair_cut - pair_got : len;
}

bool pair_to_client(rl_tls_result *result)
{
	char bytes[CHUNK];
	size_t len = tls_server_take(&pair_server, bytes, sizeof bytes);
	*result = RL_TLS_NOTHING;
	for (size_t at = 0; at < len && *result == RL_TLS_NOTHING;) {
		size_t piece = next_piece(len - at);
		*result = pair_feed(bytes + at, piece);
		at += piece;
	}
	return len > 0;
}

rl_tls_result pair_pump(void)
{
	rl_tls_result result = RL_TLS_NOTHING;
	bool has_moved = true;
	while (has_moved && result == RL_TLS_NOTHING) {
		has_moved = pair_to_server();
		has_moved = pair_to_client(&result) || has_moved;
	}
	while (pair_to_server()) {
	}
	return result;
}

/* ---- whole connections ---- */

void pair_open(void)
{
	if (!pair_dial() || pair_pump() != RL_TLS_NOTHING) {
		FAIL("the client is not open: %s", pair_err.message);
	}
	CHECK(rl_tls_is_open(pair_client));
	CHECK(SSL_is_init_finished(pair_server.ssl));
}

void pair_fails(rl_status status, const char *part)
{
	if (pair_dial()) {
		CHECK_INT(pair_pump(), RL_TLS_BROKEN);
	}
	CHECK_HAS(pair_err.message, part);
	CHECK_INT(pair_err.status, (int64_t) status);
}

void pair_says(const char *text)
{
	CHECK_INT(rl_tls_seal(pair_client, text, strlen(text)), (int64_t) strlen(text));
}

void pair_asks(const char *text)
{
	size_t before = pair_server.heard_len;
	pair_says(text);
	CHECK_INT(pair_pump(), RL_TLS_NOTHING);
	CHECK_INT(pair_server.heard_len - before, (int64_t) strlen(text));
	CHECK(memcmp(pair_server.heard + before, text, strlen(text)) == 0);
}

void pair_answers(const char *text)
{
	size_t before = pair_heard_len;
	tls_server_says(&pair_server, text, strlen(text));
	CHECK_INT(pair_pump(), RL_TLS_NOTHING);
	CHECK_INT(pair_heard_len - before, (int64_t) strlen(text));
	CHECK(memcmp(pair_heard + before, text, strlen(text)) == 0);
}

void pair_talk(void)
{
	pair_asks("PING\r\n");
	pair_answers("+PONG\r\n");
}

#else
typedef int tls_pair_is_left_out;
#endif
