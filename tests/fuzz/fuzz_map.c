/* SPDX-License-Identifier: MIT
 *
 * Any maps of a cluster (CLUSTER SLOTS) and redirects, one after another: a route learns each slot
 * that a map or a redirect names, and nothing else; it keeps its seeds, and never has too many
 * nodes. What a map says is read here once more.
 *
 * An input is a list of events. The first byte of an event says what it is, and how long.
 */
#include "core/wire/rl_route.h"
#include "transport/rl_hiredis.h"

#include "fuzz.h"

#ifndef FUZZ_MAP
# define FUZZ_MAP LLVMFuzzerTestOneInput
#endif

int FUZZ_MAP(const uint8_t *data, size_t size);

/* The first byte of an event, by its remainder of 8; the text follows its length in two bytes. */
enum {
	MAP_RAW,    /* text: the bytes of replies */
	MAP_RANGES, /* a count, and eight bytes for each range: a map is made of them */
	MAP_LINE,   /* text: a redirect, or another error */
	MAP_FAILED, /* the node of a slot (two bytes) does not answer */
	MAP_LEARN,  /* another route learns a slot (two bytes), and this one learns it back */
	MAP_LONG,   /* a map of very many ranges, made of six bytes */
	MAP_EVENTS,
};

static const fuzz_seed map_seeds[] = {
	FUZZ_SEED(
		"\0\0\x70*2\r\n*3\r\n:0\r\n:8191\r\n*4\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nid\r\n*0\r\n"
		"*3\r\n:8192\r\n:16383\r\n*2\r\n$-1\r\n:7001\r\n"),
	FUZZ_SEED("\0\0\x50*1\r\n*3\r\n:2\r\n:3\r\n*4\r\n$1\r\nb\r\n:2\r\n$1\r\ni\r\n*2\r\n"
			  "$8\r\nhostname\r\n$1\r\nc\r\n"),
	FUZZ_SEED("\1\2\0\0\x1f\xff\1\0\0\0\x20\0\x3f\xff\2\0\0\0\3\0\5"),
	FUZZ_SEED("\2\0\x18MOVED 3999 127.0.0.1:638\4\x0f\x9f"),
	FUZZ_SEED("\2\0\x10"
			  "ASK 0 ::1:7000\r\n\2\0\x0cMOVED 1 :700\3\0\1"),
	FUZZ_SEED("\5\x10\0\x01\0\0\0\4\0\1\3\0\1\4\0\1"),
};

#define HOSTS 12
#define LONG_MAPS_MAX 2 /* of an input: reading one takes some milliseconds */

static const char *const hosts[HOSTS] = {"10.0.0.1", "10.0.0.2", "node-3.example", "?", "", "::1",
	"seed", "a b", "\x7f", "NODE-3.example", "10.0.0.4", "10.0.0.5"};

typedef struct fuzz_map_run {
	rl_route *route;
	/* A hash of the address that each slot was named last; 0 = none. */
	uint32_t named[RL_SLOTS];
	bool is_full; /* there may have been too many nodes, of which some were not learned */
	unsigned long_maps;
} fuzz_map_run;

static rl_target *make_seed(const char *host)
{
	char copy[32];
	snprintf(copy, sizeof copy, "%s", host);
	rl_target like = {.refs = 1000, .address = {.host = copy, .port = 7000}};
	rl_target *seed = rl_target_copy(&like);
	FUZZ_PROMISE(seed != NULL && rl_target_set_name(seed));
	return seed;
}

static rl_route *make_route(void)
{
	rl_target *common = make_seed("seed");
	rl_route *route = rl_route_new(RL_ROUTE_CLUSTER, common);
	FUZZ_PROMISE(route != NULL);
	static const char *const seeds[] = {"seed", "10.0.0.1"};
	for (unsigned i = 0; i < 2; i++) {
		rl_target *seed = make_seed(seeds[i]);
		FUZZ_PROMISE(rl_route_add_seed(route, seed));
		rl_target_unref(seed);
	}
	rl_target_unref(common);
	return route;
}

/* ---- what was said ---- */

/* Host names are equal without regard to case. */
static uint32_t hash_of(rl_bytes host, int64_t port)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < host.len; i++) {
		char c = host.data[i];
		c = (char) (c >= 'A' && c <= 'Z' ? c | 0x20 : c);
		hash = (hash ^ (unsigned char) c) * 16777619u;
	}
	hash = (hash ^ (uint32_t) port) * 16777619u;
	return hash | 1;
}

/* What a range of a map says. */
typedef struct fuzz_range {
	int64_t first, last;
	uint32_t address; /* a hash */
} fuzz_range;

/* A node whose host the server does not name has that of the server.
 * @return false = the range makes no sense */
static bool read_node(const rl_reply *node, const rl_target *speaker, uint32_t *address)
{
	if (node->type != RL_REPLY_ARRAY || node->count < 2) {
		return false;
	}
	const rl_reply *host = &node->elements[0];
	const rl_reply *port = &node->elements[1];
	bool has_host = host->type == RL_REPLY_STRING && host->text.len > 0 &&
		!rl_bytes_equal(host->text, rl_bytes_of("?", 1));
	bool has_none = host->type == RL_REPLY_NIL || (host->type == RL_REPLY_STRING && !has_host);
	const char *own = speaker->address.host;
	*address = hash_of(has_host ? host->text : rl_bytes_of(own, strlen(own)), port->integer);
	return (has_none || (has_host && rl_is_host(host->text))) && port->type == RL_REPLY_INTEGER &&
		port->integer >= 1 && port->integer <= 65535;
}

static bool read_one_range(const rl_reply *said, const rl_target *speaker, fuzz_range *range)
{
	if (said->type != RL_REPLY_ARRAY || said->count < 3 ||
		said->elements[0].type != RL_REPLY_INTEGER || said->elements[1].type != RL_REPLY_INTEGER) {
		return false;
	}
	range->first = said->elements[0].integer;
	range->last = said->elements[1].integer;
	return range->first >= 0 && range->first <= range->last && range->last < RL_SLOTS &&
		read_node(&said->elements[2], speaker, &range->address);
}

/* Of several ranges that name a slot the last one counts. */
static void note_map(fuzz_map_run *run, const rl_reply *reply, const rl_target *speaker)
{
	fuzz_range range;
	for (size_t i = 0; reply->type == RL_REPLY_ARRAY && i < reply->count; i++) {
		bool makes_sense = read_one_range(&reply->elements[i], speaker, &range);
		for (int64_t slot = range.first; makes_sense && slot <= range.last; slot++) {
			run->named[slot] = range.address;
		}
	}
}

/* Each slot of the map that the route has read leads to a node. */
static void check_map(const fuzz_map_run *run, const rl_reply *reply, const rl_target *speaker)
{
	fuzz_range range;
	for (size_t i = 0; reply->type == RL_REPLY_ARRAY && i < reply->count; i++) {
		if (read_one_range(&reply->elements[i], speaker, &range)) {
			FUZZ_PROMISE(run->route->slots[range.first] != 0);
			FUZZ_PROMISE(run->route->slots[range.last] != 0);
		}
	}
}

static void note_line(fuzz_map_run *run, const rl_redirect *redirect, const rl_target *speaker)
{
	if (redirect->kind == RL_REDIRECT_MOVED) {
		FUZZ_PROMISE(run->route->slots[redirect->slot] != 0);
		const char *own = speaker->address.host;
		run->named[redirect->slot] =
			hash_of(redirect->host.len > 0 ? redirect->host : rl_bytes_of(own, strlen(own)),
				redirect->port);
	}
}

/* ---- promises ---- */

static void check_slot(fuzz_map_run *run, unsigned slot)
{
	unsigned number = run->route->slots[slot];
	FUZZ_PROMISE(number <= run->route->node_count);
	if (number == 0 || run->is_full) {
		return;
	}
	const rl_address *address = &run->route->nodes[number - 1].target->address;
	FUZZ_PROMISE(run->named[slot] ==
		hash_of(rl_bytes_of(address->host, strlen(address->host)), address->port));
}

static void check_route(fuzz_map_run *run)
{
	const rl_route *route = run->route;
	FUZZ_PROMISE(route->node_count >= 2 && route->node_count <= RL_NODES_MAX);
	FUZZ_PROMISE(route->nodes[0].target == route->seeds[0]);
	FUZZ_PROMISE(route->nodes[1].target == route->seeds[1]);
	for (unsigned slot = 0; slot < RL_SLOTS; slot += 61) {
		check_slot(run, slot);
	}
	check_slot(run, RL_SLOTS - 1);
	for (unsigned i = 0; i < route->node_count; i++) {
		FUZZ_PROMISE(fuzz_is_fit(route->nodes[i].target->name, SIZE_MAX));
	}
	FUZZ_PROMISE(rl_route_node(run->route, 1) != NULL);
}

/* ---- events ---- */

static void read_reply(fuzz_map_run *run, const rl_reply *reply, const rl_target *speaker)
{
	if (reply->type == RL_REPLY_ERROR) {
		rl_redirect redirect = rl_redirect_read(reply->text);
		bool is_redirect = redirect.kind != RL_REDIRECT_NONE;
		rl_destination to = rl_route_follow_reply(run->route, reply, speaker);
		FUZZ_PROMISE(to.node == NULL || is_redirect);
		FUZZ_PROMISE(to.node != NULL || !is_redirect || run->route->node_count == RL_NODES_MAX);
		run->is_full = run->is_full || (to.node == NULL && is_redirect);
		if (is_redirect && to.node != NULL) {
			FUZZ_PROMISE(to.is_asking == (redirect.kind == RL_REDIRECT_ASK));
			note_line(run, &redirect, speaker);
		}
	} else {
		bool may_fill = run->route->node_count + reply->count > RL_NODES_MAX;
		run->is_full = run->is_full || may_fill;
		note_map(run, reply, speaker);
		rl_route_read_map(run->route, reply, speaker);
		if (!run->is_full) {
			check_map(run, reply, speaker);
		}
	}
}

/* Reads the bytes of replies. */
static void read_text(fuzz_map_run *run, const char *text, size_t len)
{
	rl_target *speaker = rl_target_ref(rl_route_node(run->route, 7));
	rl_reader *reader = rl_reader_new();
	rl_reply reply;
	FUZZ_PROMISE(reader != NULL && rl_reader_feed(reader, text, len));
	while (rl_reader_next(reader, &reply) > 0) {
		read_reply(run, &reply, speaker);
	}
	rl_reader_free(reader);
	rl_target_unref(speaker);
}

static unsigned two(const uint8_t *data)
{
	return data[0] * 256u + data[1];
}

/* @return how many bytes of data it took */
static size_t read_ranges(fuzz_map_run *run, const uint8_t *data, size_t size)
{
	char text[16 + 255 * 96];
	size_t count = size > 0 ? data[0] : 0;
	count = count < (size - 1) / 8 ? count : (size - 1) / 8;
	size_t len = (size_t) snprintf(text, sizeof text, "*%zu\r\n", count);
	for (size_t i = 0; i < count; i++) {
		const uint8_t *at = data + 1 + 8 * i;
		const char *host = hosts[at[4] % HOSTS];
		len += (size_t) snprintf(text + len, sizeof text - len,
			"*3\r\n:%u\r\n:%u\r\n*2\r\n$%zu\r\n%s\r\n:%u\r\n", two(at), two(at + 2), strlen(host),
			host, 7000u + two(at + 5) % 2000);
	}
	read_text(run, text, len);
	return 1 + 8 * count;
}

/* Very many ranges, of one node or of many, which overlap or do not. */
static void read_long(fuzz_map_run *run, const uint8_t *data)
{
	size_t count = two(data) % 4096;
	unsigned step = data[2] % 4;
	unsigned width = 1u << data[3] % 4;
	unsigned ports = 1u + two(data + 4) % 1200;
	char *text = malloc(32 + count * 64);
	FUZZ_PROMISE(text != NULL);
	size_t len = (size_t) sprintf(text, "*%zu\r\n", count);
	for (size_t i = 0; i < count; i++) {
		unsigned first = (unsigned) i * step % RL_SLOTS;
		len += (size_t) sprintf(text + len, "*3\r\n:%u\r\n:%u\r\n*2\r\n$8\r\n10.0.9.9\r\n:%u\r\n",
			first, first + width - 1, 1000u + (unsigned) i % ports);
	}
	read_text(run, text, len);
	free(text);
}

static void learn(fuzz_map_run *run, unsigned slot)
{
	rl_route *copy = rl_route_copy(run->route, slot);
	FUZZ_PROMISE(copy != NULL && rl_route_overlaps(copy, run->route));
	FUZZ_PROMISE(rl_route_knows(copy, slot) == rl_route_knows(run->route, slot));
	rl_route_learn(run->route, copy, slot);
	rl_route_unref(copy);
}

/* @return how many bytes of data the event has */
static size_t one_event(fuzz_map_run *run, const uint8_t *data, size_t size)
{
	unsigned what = data[0] % 8;
	size_t len = size >= 3 ? two(data + 1) : 0;
	len = len <= size - 3 ? len : size - 3;
	if (size < 3 || what >= MAP_EVENTS || (what == MAP_LONG && size < 7)) {
		return size;
	}
	switch (what) {
		case MAP_RAW:
			read_text(run, (const char *) data + 3, len);
			return 3 + len;
		case MAP_RANGES:
			return 1 + read_ranges(run, data + 1, size - 1);
		case MAP_LINE: {
			rl_reply line = {
				.type = RL_REPLY_ERROR, .text = rl_bytes_of((const char *) data + 3, len)};
			rl_target *speaker = rl_target_ref(rl_route_node(run->route, 3));
			read_reply(run, &line, speaker);
			rl_target_unref(speaker);
			return 3 + len;
		}
		case MAP_FAILED: {
			const rl_target *node = rl_route_node(run->route, two(data + 1) % RL_SLOTS);
			rl_route_suspect(run->route, node);
			return 3;
		}
		case MAP_LEARN:
			learn(run, two(data + 1) % RL_SLOTS);
			return 3;
		default:
			if (run->long_maps++ < LONG_MAPS_MAX) {
				read_long(run, data + 1);
			}
			return 7;
	}
}

int FUZZ_MAP(const uint8_t *data, size_t size)
{
	static fuzz_map_run run;
	memset(&run, 0, sizeof run);
	run.route = make_route();
	while (size > 0) {
		size_t used = one_event(&run, data, size);
		data += used;
		size -= used;
		check_route(&run);
	}
	rl_route_unref(run.route);
	return 0;
}

FUZZ_MAIN(FUZZ_MAP, map_seeds)
