/* SPDX-License-Identifier: MIT
 *
 * Any bytes from a server: the reader gives well-formed replies within its limits or says that this
 * is no protocol, in one piece and in many the same; every verb makes a vote or an error of each
 * reply; and a route learns only nodes and slots from it.
 *
 * An input that begins with LONG is a pattern, which is repeated: so replies get long, have very
 * many elements, or are nested deeply, and the reader must bound their memory.
 */
#include "core/wire/rl_answer.h"
#include "core/wire/rl_route.h"
#include "transport/rl_hiredis.h"

#include "fuzz.h"

#ifndef FUZZ_REPLY
# define FUZZ_REPLY LLVMFuzzerTestOneInput
#endif

int FUZZ_REPLY(const uint8_t *data, size_t size);

static const fuzz_seed reply_seeds[] = {
	FUZZ_SEED("+OK\r\n$-1\r\n:1\r\n"),
	FUZZ_SEED("*2\r\n:1\r\n:1700000000000000\r\n"),
	FUZZ_SEED("*4\r\n:0\r\n:1700000000000000\r\n:29999\r\n:3\r\n"),
	FUZZ_SEED("*4\r\n:1700000000000000\r\n:-2\r\n:0\r\n:-1\r\n"),
	FUZZ_SEED("*2\r\n$10\r\nk::rl-wake\r\n$1\r\n1\r\n"),
	FUZZ_SEED("-NOSCRIPT No matching script. Please use EVAL.\r\n"),
	FUZZ_SEED("-ERR unknown command 'X', with args beginning with: 'tok' \r\n+OK\r\n"),
	FUZZ_SEED("$28\r\nrl1.AQ8dKzlHVWNxf42bqbfF0-Hv\r\n:-2\r\n:-1\r\n"),
	FUZZ_SEED("*2\r\n*2\r\n:1\r\n$1\r\na\r\n*0\r\n*-1\r\n"),
	FUZZ_SEED("*2\r\n*4\r\n:0\r\n:8191\r\n*4\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nid\r\n*0\r\n"
			  "*3\r\n$9\r\n127.0.0.1\r\n:7003\r\n$2\r\nid\r\n*3\r\n:8192\r\n:16383\r\n*2\r\n$-1\r\n"
			  ":7001\r\n"),
	FUZZ_SEED(
		"*2\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n*3\r\n:2\r\n:3\r\n*4\r\n$1\r\nb\r\n:2\r\n"
		"$1\r\ni\r\n*2\r\n$8\r\nhostname\r\n$1\r\nc\r\n"),
	FUZZ_SEED("-MOVED 16383 127.0.0.1:7000\r\n-ASK 0 ::1:7000\r\n-MOVED 1 ?:7000\r\n"),
	FUZZ_SEED("*4\r\n$1\r\na\r\n+b\r\n-c\r\n$-1\r\n"),
	FUZZ_SEED(":9223372036854775807\r\n:-9223372036854775808\r\n"),
	FUZZ_SEED("$100000\r\nabc"),
	FUZZ_SEED("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"),
	FUZZ_SEED("%1\r\n+a\r\n:1\r\n>1\r\n+a\r\n#t\r\n,1.5\r\n_\r\n"),
	FUZZ_SEED("HTTP/1.1 400 Bad Request\r\n\r\n"),
	FUZZ_SEED("\xff\x10\x04*1\r\n:1\r\n"),
	FUZZ_SEED("\xff\x12\x04:1\r\n"),
	FUZZ_SEED("\xff\x15\x01"
			  "aaaa"),
	FUZZ_SEED("\xff\x13\x09*100000\r\n$-1\r\n:0\r\n"),
	FUZZ_SEED("\xff\x17\x0b$1000000\r\nb"),
	FUZZ_SEED("\xff\x00\x0a*2000000\r\n:1\r\n"),
};

/* A pattern: this byte, the logarithm of how often a part of the rest is repeated, the length of
 * that part, the part, and what follows it. */
#define LONG 0xff
#ifdef FUZZ_LIBFUZZER
# define LONG_MOST ((size_t) RL_READER_BYTES_MAX + 4096)
#else /* too many of the inputs would be that long */
# define LONG_MOST ((size_t) 128 * 1024)
#endif

/* How much memory is in use; known with AddressSanitizer. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static uint64_t add_to_sum(uint64_t sum, const void *data, size_t len)
{
	const uint8_t *byte = data;
	for (size_t i = 0; i < len; i++) {
		sum = (sum ^ byte[i]) * UINT64_C(1099511628211);
	}
	return sum;
}

/* Reads every byte of the reply: a sanitizer sees what does not belong to it. */
static uint64_t sum_of(uint64_t sum, const rl_reply *reply, unsigned depth)
{
	FUZZ_PROMISE(depth < 10);
	FUZZ_PROMISE(reply->type >= RL_REPLY_NIL && reply->type <= RL_REPLY_ARRAY);
	FUZZ_PROMISE(reply->count <= RL_READER_BYTES_MAX / 16);
	FUZZ_PROMISE(reply->type == RL_REPLY_ARRAY || reply->count == 0);
	sum = add_to_sum(sum, &reply->type, sizeof reply->type);
	sum = add_to_sum(sum, &reply->integer, sizeof reply->integer);
	sum = add_to_sum(sum, reply->text.data, reply->text.len);
	for (size_t i = 0; i < reply->count; i++) {
		sum = sum_of(sum, &reply->elements[i], depth + 1);
	}
	return sum;
}

static void read_as_verb(const rl_reply *reply, rl_verb verb, bool as_text)
{
	rl_request request = {.verb = verb,
		.key = {"k", 1},
		.mark = {"m", 1},
		.tickets = {"t", 1},
		.token = {"tok", 3},
		.ttl_ms = 1,
		.form = as_text ? RL_FORM_TEXT : RL_FORM_USUAL};
	rl_answer answer;
	rl_error err = {.message = ""};
	rl_answer_read(&request, reply, &answer, &err, &request.token, 1);
	FUZZ_PROMISE(answer.vote != RL_VOTE_OPEN);
	if (answer.vote != RL_VOTE_FAILED) {
		FUZZ_PROMISE(err.status == RL_OK && answer.again == RL_AGAIN_NOT);
		return;
	}
	FUZZ_PROMISE(err.status == RL_ERR_SERVER || err.status == RL_ERR_PROTOCOL);
	FUZZ_PROMISE((err.status == RL_ERR_SERVER) == (reply->type == RL_REPLY_ERROR));
	FUZZ_PROMISE(strnlen(err.code, sizeof err.code) < sizeof err.code);
	FUZZ_PROMISE(fuzz_is_fit(err.message, sizeof err.message));
	FUZZ_PROMISE(strstr(err.message, "tok") == NULL);
}

static rl_route *make_route(void)
{
	char host[] = "seed";
	rl_target common = {.refs = 1000, .address = {.host = host, .port = 1}};
	rl_target *seed = rl_target_copy(&common);
	rl_route *route = seed != NULL ? rl_route_new(RL_ROUTE_CLUSTER, seed) : NULL;
	if (route == NULL || !rl_target_set_name(seed) || !rl_route_add_seed(route, seed)) {
		exit(1);
	}
	return route;
}

/* Only the text of an error is read as a redirect. */
static void follow(rl_route *route, rl_bytes text, const rl_target *seed)
{
	rl_redirect redirect = rl_redirect_read(text);
	if (redirect.kind != RL_REDIRECT_NONE) {
		const rl_target *node = rl_route_follow(route, &redirect, seed);
		FUZZ_PROMISE(node != NULL || route->node_count == RL_NODES_MAX);
	}
}

/* One route learns from all inputs. */
static void read_as_map(const rl_reply *reply)
{
	static rl_route *route;
	route = route != NULL ? route : make_route();
	const rl_target *seed = route->seeds[0];
	rl_route_read_map(route, reply, seed);
	if (reply->type == RL_REPLY_ERROR) {
		follow(route, reply->text, seed);
	}
	FUZZ_PROMISE(route->node_count >= 1 && route->nodes[0].target == seed);
	for (unsigned slot = 0; slot < RL_SLOTS; slot += 127) {
		FUZZ_PROMISE(route->slots[slot] <= route->node_count);
	}
	FUZZ_PROMISE(rl_route_node(route, 1) != NULL);
}

/* Feeds all in pieces of at most that size; returns a sum over what came of it. */
static uint64_t read_in_pieces(const uint8_t *data, size_t size, size_t piece, bool with_verbs)
{
	rl_reader *reader = rl_reader_new();
	uint64_t sum = UINT64_C(14695981039346656037);
	int result = reader != NULL ? 0 : -1;
	for (size_t at = 0; at < size && result >= 0; at += piece) {
		size_t len = size - at < piece ? size - at : piece;
		FUZZ_PROMISE(rl_reader_feed(reader, (const char *) data + at, len));
		rl_reply reply;
		while ((result = rl_reader_next(reader, &reply)) > 0) {
			sum = sum_of(sum, &reply, 0);
			if (with_verbs) {
				read_as_map(&reply);
			}
			for (int verb = RL_VERB_SET; with_verbs && verb < RL_VERBS; verb++) {
				read_as_verb(&reply, (rl_verb) verb, at % 2 == 0);
			}
		}
	}
	rl_reader_free(reader);
	return result < 0 ? ~sum : sum;
}

/* ---- long replies ---- */

static size_t memory_in_use(void)
{
	return __sanitizer_get_current_allocated_bytes != NULL
		? __sanitizer_get_current_allocated_bytes()
		: 0;
}

/* Feeds the bytes as they come from a socket. Small pieces would make a long run. */
static void read_long(const char *text, size_t len)
{
	size_t before = memory_in_use();
	rl_reader *reader = rl_reader_new();
	FUZZ_PROMISE(reader != NULL);
	int result = 0;
	size_t fed = 0;
	while (fed < len && result >= 0) {
		size_t piece = len - fed < 16384 ? len - fed : 16384;
		if (!rl_reader_feed(reader, text + fed, piece)) {
			break;
		}
		fed += piece;
		rl_reply reply;
		while ((result = rl_reader_next(reader, &reply)) > 0) {
			sum_of(0, &reply, 0);
			read_as_map(&reply);
		}
		FUZZ_PROMISE(memory_in_use() <= before + 8 * (size_t) RL_READER_BYTES_MAX);
	}
	rl_reader_free(reader);
}

static void repeat(const uint8_t *data, size_t size)
{
	size_t unit = data[1] < size - 2 ? data[1] : size - 2;
	const uint8_t *rest = data + 2 + unit;
	size_t rest_len = size - 2 - unit;
	size_t times = unit > 0 ? (size_t) 1 << data[0] % 24 : 0;
	times = times * unit <= LONG_MOST ? times : LONG_MOST / unit;
	char *text = malloc(times * unit + rest_len + 1);
	FUZZ_PROMISE(text != NULL);
	for (size_t i = 0; i < times; i++) {
		memcpy(text + i * unit, data + 2, unit);
	}
	memcpy(text + times * unit, rest, rest_len);
	read_long(text, times * unit + rest_len);
	free(text);
}

/* ---- the target ---- */

int FUZZ_REPLY(const uint8_t *data, size_t size)
{
	if (size > FUZZ_INPUT_MAX) {
		return 0;
	}
	if (size >= 3 && data[0] == LONG) {
		repeat(data + 1, size - 1);
		return 0;
	}
	uint64_t whole = read_in_pieces(data, size, size, true);
	FUZZ_PROMISE(read_in_pieces(data, size, 1, false) == whole);
	FUZZ_PROMISE(read_in_pieces(data, size, 7, false) == whole);
	return 0;
}

FUZZ_MAIN(FUZZ_REPLY, reply_seeds)
