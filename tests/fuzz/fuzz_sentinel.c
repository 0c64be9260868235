/* SPDX-License-Identifier: MIT
 *
 * Any bytes from Sentinels, and from a server that must be a primary: a lookup names a primary only
 * if a quorum of the Sentinels has named its address, and a connection is logged in only if the
 * server says that it is a primary, or cannot say it (ROLE).
 *
 * The first byte of an input says what is asked: the number of the Sentinels, their quorum, whether
 * there is a time of grace; or ROLE. Then each of the streams follows, as a length of two bytes and
 * the bytes.
 */
#include "core/conn/rl_lookup.h"
#include "transport/rl_hiredis.h"

#include "fuzz.h"

#ifndef FUZZ_SENTINEL
# define FUZZ_SENTINEL LLVMFuzzerTestOneInput
#endif

int FUZZ_SENTINEL(const uint8_t *data, size_t size);

/* Bits of the first byte; the lowest three are the number of the Sentinels. */
enum {
	WITH_GRACE = 8,
	WITH_QUORUM = 16, /* of one */
	WITH_PASSWORD = 32,
	ASKS_ROLE = 64,
	IN_PIECES = 128, /* the streams arrive byte by byte */
};

#define PASSWORD "hunter2"
#define PAIR(host) "*2\r\n$8\r\n" host "\r\n$4\r\n6379\r\n"

/* clang-format off */
static const fuzz_seed sentinel_seeds[] = {
	FUZZ_SEED("\x03\0\x1c" PAIR("10.0.0.1") "\0\x1c" PAIR("10.0.0.1") "\0\x1c" PAIR("10.0.0.2")),
	FUZZ_SEED("\x03\0\x05*-1\r\n\0\x05*-1\r\n\0\x1c" PAIR("10.0.0.1")),
	FUZZ_SEED("\x09\0\x6b*8\r\n$2\r\nip\r\n$8\r\n10.0.0.1\r\n$4\r\nport\r\n$4\r\n6379\r\n$13\r\n"
		"role-reported\r\n$6\r\nmaster\r\n$18\r\nrole-reported-time\r\n$5\r\n99999\r\n"),
	FUZZ_SEED("\x09\0\x23-ERR No such master with that name\r\n"),
	FUZZ_SEED("\x31\0\x25+OK\r\n*2\r\n$4\r\nhost\r\n$5\r\n65535\r\n+OK\r\n"),
	FUZZ_SEED("\xb1\0\x24-NOAUTH Authentication required. x\r\n"),
	FUZZ_SEED("\x61\0\x24+OK\r\n+OK\r\n*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"),
	FUZZ_SEED("\x41\0\x3e*5\r\n$5\r\nslave\r\n$8\r\n10.0.0.1\r\n:6379\r\n$9\r\nconnected\r\n:1\r\n"),
	FUZZ_SEED("\xc1\0\x29-NOPERM no permissions to run 'role'    \r\n"),
};
/* clang-format on */

/* ---- the network ---- */

struct rl_link {
	rl_reader *reader;
	const uint8_t *stream;
	size_t size;
	size_t fed;
	bool is_open;
	bool is_garbled;
	uint64_t appended;
};

static rl_link links[RL_SENTINELS_MAX + 1];
static unsigned link_count;
static int64_t fuzz_clock;
static bool arrives_in_pieces;

static rl_link *dial(rl_transport *self, const rl_address *address, int64_t until, rl_error *err)
{
	(void) self;
	(void) until;
	/* The port is the number of the stream. */
	rl_link *link = &links[address->port % (RL_SENTINELS_MAX + 1)];
	if (link->is_open || address->port > link_count) {
		rl_error_set(err, RL_ERR_CONNECT, 111, "cannot connect");
		return NULL;
	}
	link->reader = rl_reader_new();
	FUZZ_PROMISE(link->reader != NULL);
	link->is_open = true;
	link->is_garbled = false;
	link->fed = 0;
	return link;
}

static bool distrust(rl_transport *self, const rl_address *address)
{
	(void) self;
	(void) address;
	return false;
}

static uint64_t append(rl_link *link, unsigned argc, const rl_bytes *argv)
{
	for (unsigned i = 0; i < argc; i++) {
		link->appended += argv[i].len;
	}
	return ++link->appended;
}

static void flush(rl_link *link)
{
	(void) link;
}

static uint64_t sent(const rl_link *link)
{
	return link->appended;
}

static bool retract(rl_link *link, uint64_t position)
{
	return link->appended <= position;
}

static bool is_connected(const rl_link *link)
{
	return link->is_open;
}

static const char *hint(const rl_link *link)
{
	(void) link;
	return "";
}

static rl_link_event receive(rl_link *link, rl_reply *reply, rl_error *err)
{
	int result = link->is_garbled ? -1 : rl_reader_next(link->reader, reply);
	if (result > 0) {
		return RL_LINK_REPLY;
	}
	if (result < 0) {
		link->is_garbled = true;
		rl_error_set(err, RL_ERR_PROTOCOL, 0, "no protocol");
		return RL_LINK_DOWN;
	}
	if (link->fed == link->size && link->size % 2 == 1) { /* it ends, or stays silent */
		rl_error_set(err, RL_ERR_CLOSED, 0, "closed");
		return RL_LINK_DOWN;
	}
	return RL_LINK_NONE;
}

static void take_in(rl_link *link)
{
	size_t len = link->size - link->fed;
	len = arrives_in_pieces && len > 1 ? 1 : len;
	if (len > 0 && !rl_reader_feed(link->reader, (const char *) link->stream + link->fed, len)) {
		link->is_garbled = true;
	}
	link->fed += len;
}

static bool is_alive(rl_link *link, bool has_pending)
{
	(void) has_pending;
	return !link->is_garbled && link->fed == link->size;
}

static void end(rl_link *link)
{
	(void) link;
}

static bool is_over(rl_link *link)
{
	(void) link;
	return true;
}

static void close_link(rl_link *link)
{
	rl_reader_free(link->reader);
	link->reader = NULL;
	link->is_open = false;
}

static rl_transport transport = {.dial = dial,
	.distrust = distrust,
	.append = append,
	.flush = flush,
	.sent = sent,
	.retract = retract,
	.is_connected = is_connected,
	.hint = hint,
	.receive = receive,
	.is_alive = is_alive,
	.take_in = take_in,
	.end = end,
	.is_over = is_over,
	.close = close_link};

static int64_t env_now(void *ctx)
{
	(void) ctx;
	return ++fuzz_clock;
}

static bool env_random(void *ctx, void *out, size_t len)
{
	(void) ctx;
	memset(out, 7, len);
	return true;
}

static int64_t env_date(void *ctx)
{
	(void) ctx;
	return 0;
}

static uint64_t env_generation(void *ctx)
{
	(void) ctx;
	return 0;
}

static rl_stats sentinel_stats;
static rl_stats_home sentinel_stats_home = &sentinel_stats;
static const rl_env sentinel_env = {.now = env_now,
	.random = env_random,
	.date = env_date,
	.fork_generation = env_generation,
	.stats_home = &sentinel_stats_home};

/* ---- the rules ---- */

/* The reply of this number in the stream. NULL = it does not come. */
static bool find_reply(rl_reader *reader, const rl_link *link, unsigned number, rl_reply *reply)
{
	bool has_it = rl_reader_feed(reader, (const char *) link->stream, link->size);
	for (unsigned i = 0; has_it && i <= number; i++) {
		has_it = rl_reader_next(reader, reply) > 0;
	}
	return has_it;
}

static rl_bytes value_of(const rl_reply *reply, const char *name)
{
	for (size_t i = 0; i + 1 < reply->count; i += 2) {
		if (reply->elements[i].type == RL_REPLY_STRING &&
			reply->elements[i + 1].type == RL_REPLY_STRING &&
			rl_bytes_equal(reply->elements[i].text, rl_bytes_of(name, strlen(name)))) {
			return reply->elements[i + 1].text;
		}
	}
	return rl_bytes_of(NULL, 0);
}

/* The Sentinel has named this address. */
static bool names(const rl_link *link, bool has_grace, unsigned number, const rl_address *address)
{
	rl_reader *reader = rl_reader_new();
	rl_reply reply;
	rl_bytes host = {NULL, 0};
	rl_bytes port = {NULL, 0};
	FUZZ_PROMISE(reader != NULL);
	if (find_reply(reader, link, number, &reply) && reply.type == RL_REPLY_ARRAY) {
		if (has_grace) {
			host = value_of(&reply, "ip");
			port = value_of(&reply, "port");
		} else if (reply.count == 2) {
			host = reply.elements[0].text;
			port = reply.elements[1].text;
		}
	}
	bool is_same =
		host.len == strlen(address->host) && strncasecmp(host.data, address->host, host.len) == 0;
	unsigned long read_port = 0;
	for (size_t i = 0; i < port.len && read_port < 100000; i++) {
		read_port = 10 * read_port + (unsigned char) port.data[i] - '0';
	}
	rl_reader_free(reader);
	return is_same && read_port == address->port;
}

/* ---- the target ---- */

static rl_target *make_target(unsigned port, bool has_password)
{
	char host[] = "sentinel";
	char password[] = PASSWORD;
	rl_target like = {.refs = 1000, .address = {.host = host, .port = (uint16_t) port}};
	if (has_password) {
		like.password = (rl_secret){password, sizeof PASSWORD - 1};
	}
	rl_target *target = rl_target_copy(&like);
	FUZZ_PROMISE(target != NULL && rl_target_set_name(target));
	return target;
}

/* How many bytes of the streams have arrived. */
static size_t bytes_fed(void)
{
	size_t sum = 0;
	for (unsigned i = 1; i <= link_count; i++) {
		sum += links[i].fed;
	}
	return sum;
}

static void look_up(unsigned flags, unsigned count)
{
	bool has_password = (flags & WITH_PASSWORD) != 0;
	bool has_grace = (flags & WITH_GRACE) != 0;
	rl_pool pool;
	rl_pool_init(&pool, &transport, &sentinel_env);
	rl_target *common = make_target(1, false);
	rl_route *route = rl_route_new(RL_ROUTE_SENTINEL, common);
	FUZZ_PROMISE(route != NULL && rl_route_set_service(route, rl_bytes_of("main", 4)));
	for (unsigned i = 1; i <= count; i++) {
		rl_target *seed = make_target(i, has_password);
		FUZZ_PROMISE(rl_route_add_seed(route, seed));
		rl_target_unref(seed);
	}
	route->grace_ns = has_grace ? RL_NS_PER_SECOND : 0;
	route->sentinel_quorum = (flags & WITH_QUORUM) != 0;
	unsigned needed = (flags & WITH_QUORUM) != 0 ? 1 : count / 2 + 1;

	rl_lookup *lookup = rl_lookup_of(route, &pool);
	FUZZ_PROMISE(lookup != NULL);
	rl_lookup_join(lookup, fuzz_clock + RL_NS_PER_SECOND, fuzz_clock);
	rl_vote vote = RL_VOTE_OPEN;
	for (unsigned steps = 0; vote == RL_VOTE_OPEN; steps++) {
		FUZZ_PROMISE(steps < 2 * FUZZ_INPUT_MAX + 16);
		rl_tick tick = {.now = fuzz_clock, .seen = fuzz_clock};
		vote = rl_lookup_step(lookup, &tick);
		if (vote != RL_VOTE_OPEN) {
			break;
		}
		size_t before = bytes_fed();
		rl_lookup_take_in(lookup);
		fuzz_clock += bytes_fed() > before ? RL_NS_PER_MS / 100 : RL_NS_PER_SECOND;
	}
	if (vote == RL_VOTE_GRANTED) {
		const rl_target *primary = rl_route_node(route, 0);
		unsigned named = 0;
		FUZZ_PROMISE(primary != NULL && primary->must_be_primary);
		FUZZ_PROMISE(fuzz_is_fit(primary->name, SIZE_MAX));
		for (unsigned i = 1; i <= count; i++) {
			named += names(&links[i], has_grace, has_password, &primary->address);
		}
		FUZZ_PROMISE(named >= needed);
	} else {
		rl_error err;
		rl_lookup_explain(lookup, &err);
		FUZZ_PROMISE(fuzz_is_fit(err.message, sizeof err.message));
		FUZZ_PROMISE(!has_password || strstr(err.message, PASSWORD) == NULL);
		FUZZ_PROMISE(rl_route_node(route, 0) == NULL);
	}
	rl_pool_clear(&pool);
	rl_route_unref(route);
	rl_target_unref(common);
}

/* The server says that it is a primary, or its answer shows that it cannot say its role. */
static bool may_be_primary(const rl_link *link, unsigned number)
{
	rl_reader *reader = rl_reader_new();
	rl_reply reply;
	FUZZ_PROMISE(reader != NULL);
	bool is_one = find_reply(reader, link, number, &reply);
	if (is_one && reply.type == RL_REPLY_ERROR) {
		is_one = (reply.text.len >= 6 && memcmp(reply.text.data, "NOPERM", 6) == 0) ||
			memmem(reply.text.data, reply.text.len, "unknown command", 15) != NULL;
	} else if (is_one) {
		is_one = reply.type == RL_REPLY_ARRAY && reply.count > 0 &&
			rl_bytes_equal(reply.elements[0].text, rl_bytes_of("master", 6));
	}
	rl_reader_free(reader);
	return is_one;
}

static void ask_role(unsigned flags)
{
	bool has_password = (flags & WITH_PASSWORD) != 0;
	rl_target *target = make_target(1, has_password);
	target->must_be_primary = true;
	target->database = has_password ? 3 : 0;
	rl_error err;
	rl_conn *conn =
		rl_conn_dial(&transport, target, fuzz_clock + RL_NS_PER_SECOND, &sentinel_env, &err);
	FUZZ_PROMISE(conn != NULL);
	rl_conn_event event = {.type = RL_CONN_NONE};
	while (event.type == RL_CONN_NONE && links[1].fed < links[1].size) {
		take_in(&links[1]);
		rl_conn_next(conn, &event);
	}
	if (event.type == RL_CONN_READY) {
		FUZZ_PROMISE(may_be_primary(&links[1], has_password ? 2 : 0));
	} else if (event.type == RL_CONN_DOWN) {
		FUZZ_PROMISE(fuzz_is_fit(event.err.message, sizeof event.err.message));
	}
	rl_conn_free(conn);
	rl_target_unref(target);
}

int FUZZ_SENTINEL(const uint8_t *data, size_t size)
{
	if (size == 0) {
		return 0;
	}
	unsigned flags = data[0];
	link_count = (flags & ASKS_ROLE) != 0 ? 1 : 1 + (flags & 7) % RL_SENTINELS_MAX;
	arrives_in_pieces = (flags & IN_PIECES) != 0;
	fuzz_clock = RL_NS_PER_SECOND;
	memset(links, 0, sizeof links);
	size_t at = 1;
	for (unsigned i = 1; i <= link_count && at + 2 <= size; i++) {
		size_t len = data[at] * 256u + data[at + 1];
		len = len < size - at - 2 ? len : size - at - 2;
		links[i].stream = data + at + 2;
		links[i].size = len;
		at += 2 + len;
	}
	if ((flags & ASKS_ROLE) != 0) {
		ask_role(flags);
	} else {
		look_up(flags, link_count);
	}
	for (unsigned i = 0; i <= RL_SENTINELS_MAX; i++) {
		FUZZ_PROMISE(!links[i].is_open);
	}
	return 0;
}

FUZZ_MAIN(FUZZ_SENTINEL, sentinel_seeds)
