/* SPDX-License-Identifier: MIT
 *
 * Any bytes in the place of a TLS server: no crash, nothing is read that the server has not said,
 * and each failure has a status and a message fit to be shown.
 *
 * Random bytes would never get beyond the first record. So the input also says how to damage the
 * stream of a server of OpenSSL, and what to send under its key.
 */
#include "transport/rl_tls.h"
#include "transport/rl_tls_context.h"

#include "../unit/tls_server.h"
#include "fuzz.h"

#ifndef FUZZ_TLS
# define FUZZ_TLS LLVMFuzzerTestOneInput
#endif

int FUZZ_TLS(const uint8_t *data, size_t size);

/* The first byte of an input. */
enum {
	RAW = 1,   /* the rest is the server's stream */
	NEWER = 2, /* TLS 1.3 */
	ASKS = 4,  /* the server wants a client certificate, which the client has not */
};

/* Four bytes each follow: what is done, where in the server's stream, and a value. */
typedef enum damage {
	FLIP,   /* the value is added to the byte */
	CUT,    /* the client gets the bytes before it in one piece */
	REPEAT, /* the byte comes as often again */
	DROP,   /* so many bytes are missing */
	STOP,   /* nothing comes from here on */
	FORGE,  /* after the handshake: a record of this type, with the rest of the input */
	DAMAGES,
} damage;

/* clang-format off */
static const fuzz_seed tls_seeds[] = {
	FUZZ_SEED("\x00\x01\x00\x05\x00\x01\x00\x40\x00"),
	FUZZ_SEED("\x02\x01\x00\x05\x00\x01\x00\x80\x00"),
	FUZZ_SEED("\x02\x00\x00\x90\x01"),
	FUZZ_SEED("\x00\x00\x00\x90\x01"),
	FUZZ_SEED("\x06\x01\x00\x20\x00"),
	FUZZ_SEED("\x04\x01\x00\x20\x00"),
	FUZZ_SEED("\x02\x03\x01\x00\x05\x02\x01\x80\x03"),
	FUZZ_SEED("\x02\x05\x00\x00\x16\x04\x00\x00\x05tick!"),
	FUZZ_SEED("\x02\x05\x00\x00\x16\x18\x00\x00\x01\x01"),
	FUZZ_SEED("\x02\x05\x00\x00\x16\x0d\x00\x00\x03\x00\x00\x00"),
	FUZZ_SEED("\x02\x05\x00\x00\x15\x02\x50"),
	FUZZ_SEED("\x00\x05\x00\x00\x15\x01\x00"),
	FUZZ_SEED("\x00\x05\x00\x00\x16\x00\x00\x00\x00"),
	FUZZ_SEED("\x02\x05\x00\x00\x17+OK\r\n"),
	FUZZ_SEED("\x01-ERR unknown command\r\n"),
	FUZZ_SEED("\x01\x15\x03\x03\x00\x02\x02\x28"),
	FUZZ_SEED("\x01\x16\x03\x03\x00\x2c\x02\x00\x00\x28\x03\x03"),
};
/* clang-format on */

static const char said[] = "+OK\r\n$5\r\nhello\r\n";

static tls_server servers[2];
static rl_tls_options *options;
static char host[] = "cache.test";

typedef struct fuzz_run_state {
	const uint8_t *ops; /* four bytes each, and what FORGE sends */
	size_t size;
	tls_server *server;
	rl_tls *client;
	size_t at;      /* in the server's stream */
	bool is_forged; /* data may come that the server has not said */
	char heard[TLS_FORGE_MAX + sizeof said];
	size_t heard_len;
	rl_tls_result result;
	rl_error err;
} fuzz_run_state;

static void set_up(void)
{
	if (options != NULL) {
		return;
	}
	tls_cert ca = tls_cert_make((tls_request){.common_name = "CA", .is_ca = true});
	tls_cert cert = tls_cert_make((tls_request){.names = "DNS:cache.test", .issuer = &ca});
	tls_server_open(&servers[0], TLS1_2_VERSION, &cert);
	tls_server_open(&servers[1], TLS1_3_VERSION, &cert);
	const char *path = tls_write_cert("fuzz_ca.pem", &ca);
	rl_error err;
	options = rl_tls_options_new();
	FUZZ_PROMISE(options != NULL);
	FUZZ_PROMISE(rl_tls_options_set(options, bytes_of("cafile"), bytes_of(path), &err) == RL_OK);
	tls_cert_free(&cert);
	tls_cert_free(&ca);
}

/* ---- the client ---- */

static void check_failure(const fuzz_run_state *run)
{
	bool is_open = rl_tls_is_open(run->client);
	FUZZ_PROMISE(fuzz_is_fit(run->err.message, sizeof run->err.message));
	FUZZ_PROMISE(run->err.status == RL_ERR_TLS || run->err.status == RL_ERR_CONNECT ||
		run->err.status == RL_ERR_CLOSED);
	FUZZ_PROMISE(is_open || run->err.status != RL_ERR_CLOSED);
	FUZZ_PROMISE(run->heard_len == 0 || run->err.status == RL_ERR_CLOSED);
}

/* The bytes in a block that ends at its end. */
static void feed(fuzz_run_state *run, const void *bytes, size_t len)
{
	char *exact = malloc(len > 0 ? len : 1);
	FUZZ_PROMISE(exact != NULL);
	memcpy(exact, bytes, len);
	rl_tls_feed(run->client, exact, len);
	while (run->result == RL_TLS_DATA || run->result == RL_TLS_NOTHING) {
		size_t got = 0;
		size_t room = sizeof run->heard - run->heard_len;
		FUZZ_PROMISE(room > 0);
		run->result = rl_tls_read(run->client, run->heard + run->heard_len, room, &got, &run->err);
		FUZZ_PROMISE((run->result == RL_TLS_DATA) == (got > 0));
		run->heard_len += got;
		if (run->result == RL_TLS_NOTHING) {
			break;
		}
	}
	free(exact);
	if (run->result == RL_TLS_BROKEN) {
		check_failure(run);
	}
	FUZZ_PROMISE(run->is_forged ||
		(run->heard_len < sizeof said && memcmp(run->heard, said, run->heard_len) == 0));
}

static bool is_up(const fuzz_run_state *run)
{
	return run->result == RL_TLS_NOTHING;
}

static bool to_server(fuzz_run_state *run)
{
	rl_bytes output = rl_tls_output(run->client);
	if (output.len == 0) {
		return false;
	}
	tls_server_feed(run->server, output.data, output.len);
	rl_tls_sent(run->client, output.len);
	return true;
}

/* ---- the server's stream ---- */

/* Finds the next op, from *from on, for the byte at this offset of the server's stream, and sets
 * *from to the end of the op. NULL = no further op applies to the byte: the input ends, or FORGE
 * follows, after which there are no ops. */
static const uint8_t *next_op(const fuzz_run_state *run, size_t place, size_t *from)
{
	for (; *from + 4 <= run->size; *from += 4) {
		const uint8_t *op = run->ops + *from;
		if (op[0] % DAMAGES == FORGE) {
			return NULL;
		}
		if ((size_t) op[1] * 256 + op[2] == place) {
			*from += 4;
			return op;
		}
	}
	return NULL;
}

/* @return how many bytes come in the place of this one; SIZE_MAX = none from here on */
static size_t damage_byte(
	const fuzz_run_state *run, size_t place, uint8_t *byte, size_t *missing, bool *is_cut)
{
	size_t times = 1;
	size_t from = 0;
	const uint8_t *op;
	while ((op = next_op(run, place, &from)) != NULL) {
		switch ((damage) (op[0] % DAMAGES)) {
			case FLIP:
				*byte = (uint8_t) (*byte + op[3]);
				break;
			case CUT:
				*is_cut = true;
				break;
			case REPEAT:
				times += op[3];
				break;
			case DROP:
				*missing = op[3];
				break;
			case STOP:
				return SIZE_MAX;
			case FORGE:
			case DAMAGES:
				break;
		}
	}
	return times;
}

/* Hands on what the server has written. */
static bool to_client(fuzz_run_state *run)
{
	static uint8_t written[8192], damaged[8192 + 256];
	size_t len = tls_server_take(run->server, (char *) written, sizeof written);
	size_t used = 0;
	size_t missing = 0;
	for (size_t i = 0; i < len && is_up(run); i++) {
		bool is_cut = false;
		size_t times = damage_byte(run, run->at + i, &written[i], &missing, &is_cut);
		if (times == SIZE_MAX) {
			break;
		}
		if (is_cut || used + times > sizeof damaged) {
			feed(run, damaged, used);
			used = 0;
		}
		if (missing > 0) {
			missing--;
			continue;
		}
		memset(damaged + used, written[i], times);
		used += times;
	}
	if (is_up(run)) {
		feed(run, damaged, used);
	}
	run->at += len;
	return len > 0;
}

static void pump(fuzz_run_state *run)
{
	bool has_moved = true;
	while (has_moved && is_up(run)) {
		has_moved = to_server(run);
		has_moved = to_client(run) || has_moved;
	}
}

/* The record counts as the next one only if the server has not sent tickets. */
static void forge(fuzz_run_state *run)
{
	char record[TLS_FORGE_OUT];
	size_t from = 0;
	while (from + 4 <= run->size && run->ops[from] % DAMAGES != FORGE) {
		from += 4;
	}
	if (from + 4 > run->size || !SSL_is_init_finished(run->server->ssl)) {
		return;
	}
	int type = run->ops[from + 3];
	size_t len = run->size - from - 4;
	len = len < TLS_FORGE_MAX ? len : TLS_FORGE_MAX;
	uint64_t sequence = SSL_version(run->server->ssl) == TLS1_2_VERSION;
	size_t used =
		tls_forge(run->server, TLS_FORGE_TRAFFIC, sequence, type, run->ops + from + 4, len, record);
	run->is_forged = true;
	feed(run, record, used);
}

static void end_run(fuzz_run_state *run)
{
	rl_tls_end(run->client);
	to_server(run);
	rl_tls_free(run->client);
}

static void run_damaged(fuzz_run_state *run, bool wants_client)
{
	SSL_CTX_set_num_tickets(run->server->context, 0);
	SSL_CTX_set_verify(run->server->context,
		wants_client ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_NONE, NULL);
	tls_server_accept(run->server);
	pump(run);
	if (is_up(run)) {
		forge(run);
	}
	if (is_up(run) && SSL_is_init_finished(run->server->ssl) && !run->server->is_failed) {
		SSL_write(run->server->ssl, said, sizeof said - 1);
		pump(run);
	}
	if (is_up(run) && rl_tls_is_open(run->client)) {
		FUZZ_PROMISE(rl_tls_seal(run->client, "PING\r\n", 6) == 6);
		pump(run);
	}
}

int FUZZ_TLS(const uint8_t *data, size_t size)
{
	static fuzz_run_state run;
	rl_tls_sessions *sessions = NULL;
	set_up();
	if (size == 0) {
		return 0;
	}
	rl_address address = {.kind = RL_NET_TCP, .host = host, .port = 1, .tls = options};
	run = (fuzz_run_state){.ops = data + 1,
		.size = size - 1,
		.server = &servers[(data[0] & NEWER) != 0],
		.result = RL_TLS_NOTHING};
	run.client = rl_tls_new(&address, &sessions, &run.err);
	FUZZ_PROMISE(run.client != NULL);
	if ((data[0] & RAW) != 0) {
		tls_server_accept(run.server);
		for (size_t at = 0; at < run.size && is_up(&run); at += 50) {
			feed(&run, run.ops + at, run.size - at < 50 ? run.size - at : 50);
		}
		FUZZ_PROMISE(!rl_tls_is_open(run.client));
	} else {
		run_damaged(&run, (data[0] & ASKS) != 0);
	}
	end_run(&run);
	rl_tls_sessions_free(sessions);
	return 0;
}

FUZZ_MAIN(FUZZ_TLS, tls_seeds)
