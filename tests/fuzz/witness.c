/* SPDX-License-Identifier: MIT
 *
 * The witness of a hostile network. See witness.h.
 */
#include "witness.h"

#include "fuzz.h"
#include "hostile_net.h"
#include "transport/rl_hiredis.h"

#define YES_MAX 2048
#define NAMED_MAX 256
#define TOKENS_MAX 2

/* A server has said yes to a command. */
typedef struct yes {
	uint64_t token; /* a hash */
	unsigned connection;
	unsigned server;
	int64_t until;
	bool is_confirmed; /* by the replicas, where they must confirm */
} yes;

/* What counts of a reply. */
typedef struct gist {
	rl_reply_type type;
	int64_t number; /* of an integer, or the first element of an array */
	size_t count;
	bool is_ok;
	bool is_master; /* the first element of an array says so */
	unsigned named; /* the server that the reply names, as a Sentinel's answer; 0 = none */
} gist;

typedef struct listener {
	rl_reader *reader; /* NULL = nothing was heard yet, or what was heard is no protocol */
	bool is_deaf;
	bool is_primary;
	unsigned server;
	/* Replies that were read before a command was sent whole. Owned; early_used of them have met
	 * their command since then. */
	gist *early;
	size_t early_count;
	size_t early_room;
	size_t early_used;
} listener;

static witness_terms terms;
static listener listeners[HOSTILE_SOCKETS_MAX];
static unsigned listener_count;
static yes heard[YES_MAX];
static unsigned heard_count;
static struct {
	unsigned sentinel;
	unsigned server;
} named[NAMED_MAX];
static unsigned named_count;

void witness_begin(witness_terms of_run)
{
	terms = of_run;
	heard_count = 0;
	named_count = 0;
}

void witness_end(void)
{
	for (unsigned i = 0; i < listener_count; i++) {
		rl_reader_free(listeners[i].reader);
		free(listeners[i].early);
		memset(&listeners[i], 0, sizeof listeners[i]);
	}
	listener_count = 0;
}

static uint64_t hash_of(rl_bytes text)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < text.len; i++) {
		hash = (hash ^ (unsigned char) text.data[i]) * UINT64_C(1099511628211);
	}
	return hash;
}

static bool is_text(const rl_reply *reply, const char *text)
{
	return rl_bytes_equal(reply->text, rl_bytes_of(text, strlen(text)));
}

/* ---- Sentinels ---- */

/* The answer to MASTER has names and values, that to GET-MASTER-ADDR-BY-NAME host and port. */
static unsigned named_by(const rl_reply *reply)
{
	rl_bytes host = {NULL, 0};
	for (size_t i = 0; i + 1 < reply->count; i += 2) {
		if (host.data == NULL && (reply->count == 2 || is_text(&reply->elements[i], "ip"))) {
			host = reply->elements[reply->count == 2 ? i : i + 1].text;
		}
	}
	return host.data != NULL ? hostile_server_at(host) : 0;
}

static void hear_name(unsigned sentinel, const gist *said)
{
	bool is_new = said->named != 0 && named_count < NAMED_MAX;
	for (unsigned i = 0; is_new && i < named_count; i++) {
		is_new = named[i].sentinel != sentinel || named[i].server != said->named;
	}
	if (is_new) {
		named[named_count].sentinel = sentinel;
		named[named_count++].server = said->named;
	}
}

static bool has_been_named(unsigned server)
{
	unsigned sentinels = 0;
	for (unsigned i = 0; i < named_count; i++) {
		sentinels += named[i].server == server;
	}
	return sentinels >= terms.sentinels;
}

/* ---- replies ---- */

static gist gist_of(const rl_reply *reply)
{
	bool is_array = reply->type == RL_REPLY_ARRAY && reply->count > 0;
	const rl_reply *first = is_array ? &reply->elements[0] : reply;
	return (gist){.type = reply->type,
		.number = first->type == RL_REPLY_INTEGER ? first->integer : INT64_MIN,
		.count = reply->count,
		.is_ok = reply->type == RL_REPLY_STATUS && is_text(reply, "OK"),
		.is_master = is_array && is_text(first, "master"),
		.named = is_array ? named_by(reply) : 0};
}

/* The reply says yes to a command that takes or prolongs a lock. */
static bool is_yes(const hostile_command *command, const gist *said)
{
	bool is_number = said->type == RL_REPLY_INTEGER;
	if (command->verb == HOSTILE_SET) {
		return said->is_ok;
	}
	if (command->verb != HOSTILE_SCRIPT) {
		return false;
	}
	switch (command->script) {
		case RL_SCRIPT_TRY:
			return said->type == RL_REPLY_ARRAY && (said->count == 2 || said->count == 3) &&
				said->number == 1;
		case RL_SCRIPT_EXTEND:
		case RL_SCRIPT_RENEW:
			return is_number && said->number == 1;
		case RL_SCRIPT_SWAP:
			return is_number && (said->number == 1 || said->number == 2);
		case RL_SCRIPT_RELEASE:
		case RL_SCRIPT_PROBE:
		case RL_SCRIPT_INSPECT:
		case RL_SCRIPT_FORCE:
		case RL_SCRIPT_FENCE:
		case RL_SCRIPT_FREE_ANY:
		case RL_SCRIPT_SCAN:
			break;
	}
	return false;
}

/* The token that has the lock after the command, and its TTL. */
static void read_taking(const hostile_command *command, rl_bytes *token, int64_t *ttl_ms)
{
	bool is_set = command->verb == HOSTILE_SET;
	bool is_swap = !is_set && command->script == RL_SCRIPT_SWAP;
	unsigned at = is_set ? 2 : command->first_arg + is_swap;
	unsigned ttl_at = is_set ? 5 : at + 1;
	FUZZ_PROMISE(ttl_at < command->argc);
	*token = command->argv[at];
	FUZZ_PROMISE(rl_bytes_read_number(command->argv[ttl_at], INT64_MAX, ttl_ms));
}

static bool is_queued(const hostile_command *command)
{
	unsigned place = command->first_arg + 3;
	return command->verb == HOSTILE_SCRIPT && command->script == RL_SCRIPT_TRY &&
		place < command->argc && rl_bytes_equal(command->argv[place], rl_bytes_of("1", 1));
}

static void hear_yes(unsigned connection, unsigned server, const hostile_command *command)
{
	rl_bytes token;
	int64_t ttl_ms = 0;
	read_taking(command, &token, &ttl_ms);
	FUZZ_PROMISE(heard_count < YES_MAX);
	heard[heard_count++] = (yes){.token = hash_of(token),
		.connection = connection,
		.server = server,
		.until = (is_queued(command) ? hostile_clock : command->sent_at) + ttl_ms * RL_NS_PER_MS,
		.is_confirmed = !terms.has_replicas};
}

/* The answer to WAIT confirms what this connection has granted before. */
static void hear_replicas(unsigned connection, int64_t wanted, const gist *said)
{
	bool is_enough = said->type == RL_REPLY_INTEGER && said->number >= wanted;
	for (unsigned i = 0; i < heard_count; i++) {
		if (heard[i].connection == connection) {
			heard[i].is_confirmed = heard[i].is_confirmed || is_enough;
		}
	}
}

static int64_t wanted_replicas(const hostile_command *wait)
{
	int64_t wanted = 0;
	FUZZ_PROMISE(wait->argc == 3 && rl_bytes_read_number(wait->argv[1], 1000, &wanted));
	return wanted;
}

/* The reply to the first command of the connection. */
static void hear_reply(
	unsigned connection, unsigned server, hostile_server_end *end, const gist *said)
{
	const hostile_command *command = &end->commands[0];
	listener *l = &listeners[connection];
	switch (command->verb) {
		case HOSTILE_ROLE:
			/* A server that knows no ROLE, or forbids it, counts as a primary. */
			l->is_primary = said->is_master || said->type == RL_REPLY_ERROR;
			break;
		case HOSTILE_WAIT:
			hear_replicas(connection, wanted_replicas(command), said);
			break;
		case HOSTILE_NAMES:
		case HOSTILE_PRIMARY:
			hear_name(server, said);
			break;
		default:
			if (is_yes(command, said) && (terms.sentinels == 0 || l->is_primary)) {
				hear_yes(connection, server, command);
			}
			break;
	}
	hostile_server_drop_command(end);
}

/* Which command this answers is not known yet, so it counts as the answer to any. */
static void hear_early(unsigned connection, const gist *said)
{
	listener *l = &listeners[connection];
	l->is_primary = l->is_primary || said->is_master || said->type == RL_REPLY_ERROR;
	hear_name(l->server, said);
	hear_replicas(connection, 1, said);
	if (l->early_count == l->early_room) {
		l->early_room = 2 * l->early_room + 8;
		l->early = realloc(l->early, l->early_room * sizeof *l->early);
		FUZZ_PROMISE(l->early != NULL);
	}
	l->early[l->early_count++] = *said;
}

/* One of the replies that have not met their command may take or prolong a lock. */
static bool may_have_granted(const listener *l)
{
	for (size_t i = l->early_used; i < l->early_count; i++) {
		const gist *said = &l->early[i];
		if (said->is_ok || said->number == 1 || said->number == 2) {
			return true;
		}
	}
	return false;
}

void witness_sees(unsigned connection, unsigned server, hostile_server_end *end)
{
	listener *l = &listeners[connection];
	while (l->early_used < l->early_count && end->command_count > 0) {
		hear_reply(connection, server, end, &l->early[l->early_used++]);
	}
}

void witness_hears(
	unsigned connection, unsigned server, hostile_server_end *end, const char *data, size_t len)
{
	listener *l = &listeners[connection];
	listener_count = connection < listener_count ? listener_count : connection + 1;
	l->server = server;
	if (l->reader == NULL && !l->is_deaf) {
		l->reader = rl_reader_new();
		FUZZ_PROMISE(l->reader != NULL);
	}
	l->is_deaf = l->is_deaf || !rl_reader_feed(l->reader, data, len);
	rl_reply reply;
	int result = 0;
	while (!l->is_deaf && (result = rl_reader_next(l->reader, &reply)) > 0) {
		gist said = gist_of(&reply);
		if (end->command_count > 0) {
			hear_reply(connection, server, end, &said);
		} else {
			hear_early(connection, &said);
		}
	}
	l->is_deaf = l->is_deaf || result < 0;
}

/* ---- what is proven ---- */

/* What is asked about, as hashes. */
typedef struct question {
	uint64_t tokens[TOKENS_MAX];
	unsigned token_count;
} question;

static bool is_about(const yes *y, const question *about)
{
	bool is_one = false;
	for (unsigned i = 0; i < about->token_count; i++) {
		is_one = is_one || y->token == about->tokens[i];
	}
	return is_one && y->is_confirmed && (terms.sentinels == 0 || has_been_named(y->server));
}

/* The members that have granted, each with the latest end. */
typedef struct grants {
	struct {
		unsigned member;
		int64_t until;
	} of[YES_MAX + HOSTILE_SOCKETS_MAX];
	unsigned count;
} grants;

static void add_grant(grants *all, unsigned connection, unsigned server, int64_t until)
{
	unsigned member = terms.tells_members_apart ? server : connection;
	unsigned i = 0;
	while (i < all->count && all->of[i].member != member) {
		i++;
	}
	if (i == all->count) {
		all->of[all->count].member = member;
		all->of[all->count++].until = until;
	} else if (all->of[i].until < until) {
		all->of[i].until = until;
	}
}

/* The time until which so many of them have granted; 0 = they are fewer. */
static int64_t end_of_quorum(const grants *all, unsigned members)
{
	int64_t best = 0;
	for (unsigned i = 0; i < all->count; i++) {
		unsigned as_long = 0;
		for (unsigned j = 0; j < all->count; j++) {
			as_long += all->of[j].until >= all->of[i].until;
		}
		best = as_long >= members && all->of[i].until > best ? all->of[i].until : best;
	}
	return best;
}

int64_t witness_proof(const rl_bytes *tokens, unsigned token_count, unsigned members)
{
	static grants all;
	question about = {.token_count = token_count};
	FUZZ_PROMISE(token_count <= TOKENS_MAX);
	for (unsigned i = 0; i < token_count; i++) {
		about.tokens[i] = hash_of(tokens[i]);
	}
	all.count = 0;
	for (unsigned i = 0; i < heard_count; i++) {
		if (is_about(&heard[i], &about)) {
			add_grant(&all, heard[i].connection, heard[i].server, heard[i].until);
		}
	}
	for (unsigned i = 0; i < listener_count; i++) {
		if (may_have_granted(&listeners[i])) {
			add_grant(&all, i, listeners[i].server, INT64_MAX);
		}
	}
	return end_of_quorum(&all, members);
}
