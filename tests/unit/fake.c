/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINKS_MAX 256
#define QUEUE_MAX 192
#define COMMANDS_MAX 128
#define EVENTS_MAX 128
#define OPS_MAX 8
#define ELEMENTS_MAX 8
#define REFS 1000
#define STEPS_MAX 20000
#define SPINS_MAX 64

typedef struct command {
	uint64_t end;
	bool is_handshake;
	bool is_undo;
	bool is_started; /* half of it is taken */
	char text[320];
} command;

typedef struct event {
	int64_t at;
	bool is_down;     /* a break, or nonsense */
	const char *text; /* a reply */
} event;

struct rl_link {
	unsigned member;
	unsigned number; /* among the member's, from 1 */
	bool is_open;
	bool is_connected;
	bool is_refused;
	bool is_down;
	bool is_garbled; /* what came is no protocol; commands still go out */
	bool is_mute;    /* the server says nothing more on it */
	bool is_lost;    /* the server has closed it: commands do not reach it */
	bool is_ended;
	int64_t connect_at;
	int64_t unblock_at;  /* the system takes nothing before */
	unsigned event_read; /* so many events were read from the socket */
	const char *greeting;
	uint64_t appended;
	uint64_t sent;
	command commands[COMMANDS_MAX];
	unsigned command_count;
	unsigned taken; /* commands taken whole */
	event events[EVENTS_MAX];
	unsigned event_count;
	unsigned event_next;
	rl_error err;
	rl_reply elements[ELEMENTS_MAX];
};

typedef struct dial_plan {
	fake_dial what;
	int64_t delay;
	const char *text;
} dial_plan;

typedef struct act_plan {
	fake_act what;
	const char *text;
	int64_t delay;
} act_plan;

typedef struct server {
	dial_plan dials[QUEUE_MAX];
	unsigned dial_count, dial_next;
	act_plan acts[QUEUE_MAX];
	unsigned act_count, act_next;
	const char *auth, *select, *name; /* answers */
	unsigned link_count;
} server;

int64_t fake_clock;
rl_stats fake_stats;
rl_set fake_set;
rl_pool fake_pool;
rl_target fake_targets[FAKE_MEMBERS];
rl_wait fake_wait;
unsigned fake_looks;
unsigned fake_steps;
bool (*fake_lacks_memory)(void);

static char hosts[FAKE_MEMBERS][2];
static char names[FAKE_MEMBERS][32];
static server servers[FAKE_MEMBERS];
static rl_link links[LINKS_MAX];
static unsigned link_count;
static rl_op *ops[OPS_MAX];
static unsigned op_count;
static char log_text[1 << 16];
static size_t log_used;
static char tokens[64][RL_TOKEN_LEN];
static unsigned token_count;
static int64_t lag;
static uint64_t generation;
static uint64_t random_state;
static unsigned random_left;
static bool has_begun;

/* ---- log ---- */

int64_t fake_ms(void)
{
	return (fake_clock - FAKE_START) / MS;
}

const char *fake_log(void)
{
	return log_text;
}

void fake_forget_log(void)
{
	log_used = 0;
	log_text[0] = '\0';
}

static void note(const rl_link *link, const char *text)
{
	int used = snprintf(log_text + log_used, sizeof log_text - log_used, "%" PRId64 " %c%u %s\n",
		fake_ms(), (int) ('a' + link->member), link->number, text);
	log_used += (size_t) used;
	if (log_used >= sizeof log_text) {
		FAIL("the log is full");
	}
}

static unsigned token_number(rl_bytes token)
{
	for (unsigned i = 0; i < token_count; i++) {
		if (memcmp(tokens[i], token.data, RL_TOKEN_LEN) == 0) {
			return i + 1;
		}
	}
	memcpy(tokens[token_count++ % 64], token.data, RL_TOKEN_LEN);
	return token_count;
}

static size_t describe_argument(char *out, size_t size, rl_bytes argument)
{
	if (argument.len == RL_TOKEN_LEN && memcmp(argument.data, "rl1.", 4) == 0) {
		return (size_t) snprintf(out, size, " T%u", token_number(argument));
	}
	if (argument.len > 64) {
		return (size_t) snprintf(out, size, " <%zu bytes>", argument.len);
	}
	return (size_t) snprintf(out, size, " %.*s", (int) argument.len, argument.data);
}

/* The name of the script in a command, NULL when it has none. */
static const char *script_name(unsigned argc, const rl_bytes *argv)
{
	static const char *const by_sha[] = {"try", "release", "extend"};
	static const char *const by_text[] = {"TRY", "RELEASE", "EXTEND"};
	bool is_sha = argc > 3 && rl_bytes_equal(argv[0], bytes_of("EVALSHA"));
	bool is_text = argc > 3 && rl_bytes_equal(argv[0], bytes_of("EVAL"));
	for (unsigned id = 0; (is_sha || is_text) && id < 3; id++) {
		const rl_script *script = rl_script_get((rl_script_id) id);
		if (rl_bytes_equal(argv[1],
				is_sha ? rl_bytes_of(script->sha1, 40)
					   : rl_bytes_of(script->text, script->text_len))) {
			return is_sha ? by_sha[id] : by_text[id];
		}
	}
	return NULL;
}

static void describe(command *c, unsigned argc, const rl_bytes *argv)
{
	const char *script = script_name(argc, argv);
	size_t used = 0;
	unsigned first = 0;
	if (script != NULL && rl_bytes_equal(argv[2], bytes_of("1"))) {
		used = (size_t) snprintf(c->text, sizeof c->text, " %s", script);
		first = 3;
	} else if (argc == 3 && rl_bytes_equal(argv[0], bytes_of("CLIENT")) &&
		rl_bytes_equal(argv[1], bytes_of("SETNAME")) &&
		rl_bytes_equal(argv[2], bytes_of("redislock"))) {
		used = (size_t) snprintf(c->text, sizeof c->text, " NAME");
		first = 3;
	}
	for (unsigned i = first; i < argc && used < sizeof c->text; i++) {
		used += describe_argument(c->text + used, sizeof c->text - used, argv[i]);
	}
	memmove(c->text, c->text + 1, strlen(c->text));
	c->is_handshake = argc > 0 &&
		(rl_bytes_equal(argv[0], bytes_of("AUTH")) || rl_bytes_equal(argv[0], bytes_of("SELECT")) ||
			rl_bytes_equal(argv[0], bytes_of("CLIENT")));
	c->is_undo = script != NULL && strcmp(script, "RELEASE") == 0;
}

/* ---- plans ---- */

void fake_dials(unsigned member, fake_dial what, int64_t delay)
{
	server *s = &servers[member];
	s->dials[s->dial_count++] = (dial_plan){what, delay, NULL};
}

void fake_greets(unsigned member, const char *text)
{
	server *s = &servers[member];
	s->dials[s->dial_count++] = (dial_plan){FAKE_GREET, 0, text};
}

void fake_acts(unsigned member, fake_act what, const char *text, int64_t delay)
{
	server *s = &servers[member];
	s->acts[s->act_count++] = (act_plan){what, text, delay};
}

void fake_says(unsigned member, const char *text)
{
	fake_acts(member, FAKE_SAY, text, 0);
}

void fake_login_says(unsigned member, const char *what, const char *text)
{
	server *s = &servers[member];
	const char **slot = what[0] == 'A' ? &s->auth : what[0] == 'S' ? &s->select : &s->name;
	*slot = text;
}

static void add_event(rl_link *link, const char *text, int64_t at)
{
	if (link->event_count == EVENTS_MAX) {
		FAIL("too many events");
	}
	/* What is said later arrives later. */
	if (link->event_count > 0 && link->events[link->event_count - 1].at > at) {
		at = link->events[link->event_count - 1].at;
	}
	link->events[link->event_count++] = (event){at, text == NULL, text};
}

static void break_at(rl_link *link, int64_t at)
{
	rl_error_set(&link->err, RL_ERR_CLOSED, 0, "the server closed the connection");
	add_event(link, NULL, at);
	link->is_mute = true;
	link->is_lost = true;
}

/* What is not the protocol comes, and nothing that follows can be read. */
static void garble_at(rl_link *link, int64_t at)
{
	rl_error_set(&link->err, RL_ERR_PROTOCOL, 0, "what came back is not the Redis protocol");
	add_event(link, NULL, at);
	link->is_garbled = true;
	link->is_mute = true;
}

void fake_kill(unsigned member)
{
	for (unsigned i = 0; i < link_count; i++) {
		if (links[i].is_open && links[i].member == member) {
			break_at(&links[i], fake_clock);
		}
	}
}

void fake_lag(int64_t ns)
{
	lag = ns;
}

void fake_fork(void)
{
	generation++;
}

void fake_random_draws(unsigned left)
{
	random_left = left;
}

unsigned fake_open_links(void)
{
	unsigned open = 0;
	for (unsigned i = 0; i < link_count; i++) {
		open += links[i].is_open;
	}
	return open;
}

/* ---- rl_transport ---- */

static unsigned member_of(const rl_address *address)
{
	return (unsigned) (address->host[0] - 'a');
}

static rl_link *new_link(unsigned member)
{
	if (link_count == LINKS_MAX) {
		FAIL("too many links");
	}
	rl_link *link = &links[link_count++];
	*link = (rl_link){.member = member,
		.number = ++servers[member].link_count,
		.is_open = true,
		.connect_at = RL_NEVER};
	note(link, "dial");
	return link;
}

static rl_link *dial(rl_transport *self, const rl_address *address, int64_t until, rl_error *err)
{
	(void) self, (void) until;
	server *s = &servers[member_of(address)];
	if (fake_lacks_memory != NULL && fake_lacks_memory()) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return NULL;
	}
	dial_plan plan = {FAKE_ACCEPT, 0, NULL};
	if (s->dial_next < s->dial_count) {
		plan = s->dials[s->dial_next++];
	}
	rl_link *link = new_link(member_of(address));
	switch (plan.what) {
		case FAKE_REFUSE:
		case FAKE_NO_NAME:
			link->is_open = false;
			rl_error_set(err, plan.what == FAKE_REFUSE ? RL_ERR_CONNECT : RL_ERR_NAME,
				plan.what == FAKE_REFUSE ? 111 : 0, "cannot connect: told at once");
			return NULL;
		case FAKE_ACCEPT_AT_ONCE:
			link->is_connected = true;
			break;
		case FAKE_REFUSE_LATER:
			link->is_refused = true;
			link->connect_at = fake_clock + plan.delay;
			break;
		case FAKE_ACCEPT:
		case FAKE_GREET:
			link->connect_at = fake_clock + plan.delay;
			link->greeting = plan.text;
			break;
		case FAKE_HANG:
			break;
	}
	return link;
}

static uint64_t append(rl_link *link, unsigned argc, const rl_bytes *argv)
{
	if (!link->is_open) {
		FAIL("append on a closed link");
	}
	if (fake_lacks_memory != NULL && fake_lacks_memory()) {
		return 0;
	}
	if (link->command_count == COMMANDS_MAX) {
		FAIL("too many commands");
	}
	command *c = &link->commands[link->command_count++];
	describe(c, argc, argv);
	for (unsigned i = 0; i < argc; i++) {
		link->appended += argv[i].len + 6;
	}
	c->end = link->appended;
	return c->end;
}

static void answer(rl_link *link, const char *text, int64_t delay)
{
	if (text == NULL) {
		link->is_mute = true;
	} else if (!link->is_mute) {
		add_event(link, text, fake_clock + delay);
	}
}

static void carry_out(rl_link *link, const act_plan *plan)
{
	switch (plan->what) {
		case FAKE_SAY:
			answer(link, plan->text, plan->delay);
			break;
		case FAKE_SAY_TWICE:
			answer(link, plan->text, plan->delay);
			answer(link, plan->text, plan->delay);
			break;
		case FAKE_SAY_BREAK:
			answer(link, plan->text, plan->delay);
			break_at(link, fake_clock + plan->delay);
			break;
		case FAKE_SILENCE:
			link->is_mute = true;
			break;
		case FAKE_BREAK:
			break_at(link, fake_clock + plan->delay);
			break;
		case FAKE_NONSENSE:
			garble_at(link, fake_clock + plan->delay);
			break;
		case FAKE_BREAK_UNSENT:
		case FAKE_BREAK_HALF:
		case FAKE_HALF:
			break;
	}
}

static void greet_back(rl_link *link, const command *c)
{
	const server *s = &servers[link->member];
	answer(link, c->text[0] == 'A' ? s->auth : c->text[0] == 'S' ? s->select : s->name, 0);
}

static void take_whole(rl_link *link, const command *c, const act_plan *plan)
{
	link->sent = c->end;
	link->taken++;
	if (link->is_lost) {
		char text[340];
		snprintf(text, sizeof text, "lost: %s", c->text);
		note(link, text);
		return;
	}
	note(link, c->text);
	if (c->is_handshake) {
		greet_back(link, c);
	} else if (plan != NULL) {
		carry_out(link, plan);
	} else {
		answer(link, c->is_undo ? ":1" : NULL, 0);
	}
}

/* Takes the next command, or part of it; false when the system takes no more. */
static bool take_next(rl_link *link)
{
	server *s = &servers[link->member];
	command *c = &link->commands[link->taken];
	const act_plan *plan = NULL;
	if (!c->is_handshake && !link->is_lost && s->act_next < s->act_count) {
		plan = &s->acts[s->act_next++];
	}
	bool is_partial = plan != NULL && (plan->what == FAKE_HALF || plan->what == FAKE_BREAK_HALF);
	if (is_partial) {
		link->sent += (c->end - link->sent) / 2;
	}
	if (plan != NULL && plan->what == FAKE_HALF) {
		link->unblock_at = plan->delay == RL_NEVER ? RL_NEVER : fake_clock + plan->delay;
		return false;
	}
	if (plan != NULL && (plan->what == FAKE_BREAK_UNSENT || plan->what == FAKE_BREAK_HALF)) {
		rl_error_set(&link->err, RL_ERR_CLOSED, 32, "the connection broke: told by send");
		link->is_down = true;
		return false;
	}
	take_whole(link, c, plan);
	return true;
}

static void flush(rl_link *link)
{
	if (!link->is_open) {
		FAIL("flush on a closed link");
	}
	while (link->is_connected && !link->is_down && link->taken < link->command_count &&
		fake_clock >= link->unblock_at) {
		if (!take_next(link)) {
			return;
		}
	}
}

static uint64_t sent(const rl_link *link)
{
	return link->sent;
}

static bool is_connected(const rl_link *link)
{
	return link->is_connected && !link->is_down;
}

static rl_reply element_of(const char *text, size_t len)
{
	rl_reply reply = {.type = RL_REPLY_NIL};
	if (text[0] == ':') {
		reply.type = RL_REPLY_INTEGER;
		sscanf(text + 1, "%" SCNd64, &reply.integer);
	} else if (text[0] != '_') {
		reply.type = text[0] == '+' ? RL_REPLY_STATUS
			: text[0] == '-'        ? RL_REPLY_ERROR
									: RL_REPLY_STRING;
		reply.text = rl_bytes_of(text + 1, len - 1);
	}
	return reply;
}

static rl_reply reply_of(rl_link *link, const char *text)
{
	if (text[0] != '*') {
		return element_of(text, strlen(text));
	}
	rl_reply reply = {.type = RL_REPLY_ARRAY, .elements = link->elements};
	for (text++; *text != '\0' && reply.count < ELEMENTS_MAX;) {
		size_t len = strcspn(text, " ");
		link->elements[reply.count++] = element_of(text, len);
		text += len + (text[len] == ' ');
	}
	return reply;
}

static rl_link_event receive(rl_link *link, rl_reply *reply, rl_error *err)
{
	if (!link->is_open) {
		FAIL("receive on a closed link");
	}
	const event *next = &link->events[link->event_next];
	if (link->event_next < link->event_read) {
		if (!next->is_down) {
			link->event_next++;
			*reply = reply_of(link, next->text);
			return RL_LINK_REPLY;
		}
		link->is_down = !link->is_garbled;
		*err = link->err;
		return RL_LINK_DOWN;
	}
	if (!link->is_down) {
		return RL_LINK_NONE;
	}
	*err = link->err;
	return RL_LINK_DOWN;
}

static bool is_alive(rl_link *link, bool owes_replies)
{
	fake_looks++;
	if (link->event_read < link->event_count && link->events[link->event_read].at <= fake_clock) {
		return !link->events[link->event_read].is_down && owes_replies;
	}
	return link->is_connected && !link->is_down && !link->is_garbled;
}

static void read_now(rl_link *link)
{
	if (!link->is_open) {
		FAIL("read on a closed link");
	}
	if (link->is_connected) {
		fake_read(link);
	}
}

static void end(rl_link *link)
{
	note(link, "end");
	link->is_ended = true;
}

/* Who is silent does not close either. */
static bool is_over(rl_link *link)
{
	if (!link->is_ended) {
		FAIL("is_over() without end()");
	}
	return !link->is_connected || link->is_lost || link->is_garbled || !link->is_mute;
}

static void close_link(rl_link *link)
{
	if (!link->is_open) {
		FAIL("closed twice");
	}
	note(link, "close");
	link->is_open = false;
}

rl_transport fake_transport = {.dial = dial,
	.append = append,
	.flush = flush,
	.sent = sent,
	.is_connected = is_connected,
	.receive = receive,
	.is_alive = is_alive,
	.take_in = read_now,
	.end = end,
	.is_over = is_over,
	.close = close_link};

/* ---- rl_env ---- */

static int64_t now(void *ctx)
{
	(void) ctx;
	return fake_clock;
}

static bool draw(void *ctx, void *out, size_t len)
{
	(void) ctx;
	if (random_left == 0) {
		return false;
	}
	random_left--;
	unsigned char *byte = out;
	for (size_t i = 0; i < len; i++) {
		random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		byte[i] = (unsigned char) (random_state >> 56);
	}
	return true;
}

static uint64_t fork_generation(void *ctx)
{
	(void) ctx;
	return generation;
}

rl_env fake_env = {
	.now = now, .random = draw, .fork_generation = fork_generation, .stats = &fake_stats};

/* ---- the test's frame ---- */

static void set_up_member(unsigned i)
{
	hosts[i][0] = (char) ('a' + i);
	snprintf(names[i], sizeof names[i], "redis://%s:6379", hosts[i]);
	fake_targets[i] = (rl_target){.refs = REFS,
		.address = {.kind = RL_NET_TCP, .host = hosts[i], .port = 6379},
		.name = names[i]};
	servers[i] = (server){.auth = "+OK", .select = "+OK", .name = "+OK"};
	fake_set.members[i] =
		(rl_member){.target = &fake_targets[i], .timeout_ns = SECOND, .connect_timeout_ns = SECOND};
}

void fake_begin(unsigned members)
{
	fake_clock = FAKE_START;
	lag = 0;
	generation = 0;
	random_state = 1;
	random_left = UINT32_MAX;
	link_count = 0;
	op_count = 0;
	token_count = 0;
	fake_looks = 0;
	fake_steps = 0;
	fake_lacks_memory = NULL;
	fake_forget_log();
	memset(&fake_stats, 0, sizeof fake_stats);
	fake_set = (rl_set){.count = members,
		.backoff = {.first_ns = 10 * MS, .max_ns = 200 * MS},
		.retries = RL_RETRIES_UNLIMITED,
		.drift_factor = 0.01};
	for (unsigned i = 0; i < FAKE_MEMBERS; i++) {
		set_up_member(i);
	}
	rl_pool_init(&fake_pool, &fake_transport, &fake_env);
	has_begun = true;
}

void fake_end(void)
{
	if (!has_begun) {
		return;
	}
	has_begun = false;
	fake_lacks_memory = NULL;
	while (op_count > 0) {
		fake_free(ops[op_count - 1]);
	}
	rl_pool_clear(&fake_pool);
	CHECK_INT(fake_open_links(), 0);
	for (unsigned i = 0; i < FAKE_MEMBERS; i++) {
		CHECK_INT(fake_targets[i].refs, REFS);
	}
}

static void *keep(rl_op *op)
{
	if (op != NULL) {
		if (op_count == OPS_MAX) {
			FAIL("too many operations");
		}
		ops[op_count++] = op;
	}
	return op;
}

static rl_acquire *new_acquire(rl_bytes token, int64_t ttl_ms, int64_t wait_ns)
{
	rl_acquire_args args = {
		.key = bytes_of("k"), .token = token, .ttl_ms = ttl_ms, .wait_ns = wait_ns};
	return keep(rl_acquire_new(&fake_set, &fake_pool, &fake_env, &args));
}

rl_acquire *fake_acquire(int64_t ttl_ms, int64_t wait_ns)
{
	return new_acquire((rl_bytes){NULL, 0}, ttl_ms, wait_ns);
}

rl_acquire *fake_acquire_own(const char *token, int64_t ttl_ms, int64_t wait_ns)
{
	return new_acquire(bytes_of(token), ttl_ms, wait_ns);
}

rl_op *fake_ask(rl_verb verb, const char *token, int64_t ttl_ms)
{
	return keep(
		rl_ask_new(&fake_set, &fake_pool, &fake_env, verb, bytes_of("k"), bytes_of(token), ttl_ms));
}

void fake_free(rl_op *op)
{
	for (unsigned i = 0; i < op_count; i++) {
		if (ops[i] == op) {
			ops[i] = ops[--op_count];
			rl_op_abandon(op, fake_clock, true); /* without effect on one that is done */
			rl_op_free(op);
			return;
		}
	}
}

/* ---- the driver ---- */

void fake_warm(unsigned member)
{
	rl_error err;
	rl_conn_event first;
	server *s = &servers[member];
	unsigned planned = s->dial_count;
	s->dial_count = s->dial_next; /* what is planned is for later dials */
	rl_conn *conn = rl_conn_dial(&fake_transport, &fake_targets[member], RL_NEVER, &fake_env, &err);
	s->dial_count = planned;
	fake_read(conn->link);
	fake_transport.flush(conn->link);
	conn->is_nameless = false; /* as if it had been used */
	fake_read(conn->link);
	rl_conn_next(conn, &first);
	CHECK(rl_conn_is_reusable(conn));
	rl_pool_give(&fake_pool, conn, fake_clock);
	fake_forget_log();
}

/* When something will happen on the link that is not read yet. */
static int64_t next_on(const rl_link *link)
{
	if (!link->is_open) {
		FAIL("waits for a closed link");
	}
	if (!link->is_connected) {
		return link->is_down ? fake_clock : link->connect_at;
	}
	int64_t at = link->is_down ? fake_clock : RL_NEVER;
	if (link->event_read < link->event_count && link->events[link->event_read].at < at) {
		at = link->events[link->event_read].at;
	}
	if (link->taken < link->command_count && link->unblock_at < at) {
		at = link->unblock_at;
	}
	return at;
}

static int64_t next_of_all(const rl_wait *wait)
{
	int64_t at = wait->until;
	for (unsigned i = 0; i < wait->count; i++) {
		int64_t link_at = next_on(wait->links[i]);
		at = link_at < at ? link_at : at;
	}
	return at;
}

void fake_read(rl_link *link)
{
	while (
		link->event_read < link->event_count && link->events[link->event_read].at <= fake_clock) {
		link->event_read++;
	}
	if (link->is_connected || link->is_down || link->connect_at > fake_clock) {
		return;
	}
	if (link->is_refused) {
		rl_error_set(&link->err, RL_ERR_CONNECT, 111, "cannot connect: told later");
		link->is_down = true;
		return;
	}
	link->is_connected = true;
	if (link->greeting != NULL) {
		add_event(link, link->greeting, fake_clock);
		break_at(link, fake_clock);
	}
}

bool fake_drive_to(rl_op *op, int64_t time)
{
	rl_tick tick = {.now = fake_clock, .seen = 0};
	int64_t stood_at = -1;
	unsigned stood = 0;
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		fake_steps++;
		memset(&fake_wait, 0xa5, sizeof fake_wait);
		if (rl_op_step(op, &tick, &fake_wait)) {
			return true;
		}
		CHECK(fake_wait.count <= fake_set.count);
		int64_t at = next_of_all(&fake_wait);
		if (at == RL_NEVER) {
			FAIL("waits for ever");
		}
		if (at > time) {
			fake_clock = time > fake_clock ? time : fake_clock;
			return false;
		}
		stood = at <= stood_at ? stood + 1 : 0;
		if (stood > SPINS_MAX) {
			FAIL("spins at %" PRId64 " ms", fake_ms());
		}
		fake_clock = at > fake_clock ? at : fake_clock;
		stood_at = fake_clock;
		for (unsigned j = 0; j < fake_wait.count; j++) {
			fake_read(fake_wait.links[j]);
		}
		tick.seen = fake_clock;
		fake_clock += lag;
		lag = 0;
		tick.now = fake_clock;
	}
	FAIL("no end after %d steps", STEPS_MAX);
}

rl_status fake_drive(rl_op *op)
{
	if (!fake_drive_to(op, RL_NEVER - 1)) {
		FAIL("not done");
	}
	return op->status;
}
