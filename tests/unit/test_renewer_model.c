/* SPDX-License-Identifier: MIT
 *
 * Leases under watch on the servers of servers.h. Scripts are forgotten, replies are late or lost,
 * connections break before and after a command, and commands of broken connections run long after.
 * Owners extend, release and drop their leases at any time, on other connections.
 *
 * What must hold: ownership is proven only while a quorum has the key, for as long. Loss is final,
 * and reported once. Where nothing breaks, no lease is lost.
 */
#include "check.h"
#include "core/base/rl_time.h"
#include "servers.h"
#include "watching.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A cc with -DROUNDS=1000000 looks further. */
#ifndef ROUNDS
# ifdef FULL
#  define ROUNDS 1500
# else
#  define ROUNDS 500
# endif
#endif

#define SLOTS 4
#define LATE_MAX 512
#define ANSWERS 4096
#define ROUND_NS (6 * SECOND)

typedef enum owner_step {
	OWNER_AWAY,      /* the owner has no lease */
	OWNER_IDLE,      /* the owner keeps its lease */
	OWNER_EXTENDING, /* the owner has sent an extend */
	OWNER_LEAVING,   /* the owner has sent the release */
} owner_step;

/* One lease at a time, each with a token of its own. The key is k0 for the first slot, and so on.
 */
typedef struct slot {
	char token[16];
	rl_model_text value; /* the token, as the server has it */
	rl_renewal *renewal;
	owner_step step;
	int64_t next_at; /* when the owner acts next, or gets its answer */
	int64_t ttl_ms;  /* the TTL of the extend under way */
	int64_t sent_at;
	bool is_answered; /* otherwise the owner gives up */
	bool is_carried_out[3];
	int64_t doubt_ms; /* the TTL of an extend that may still be carried out; 0 = none */
	bool is_foreign;  /* another client, or the owner's release, has taken a quorum away */
	bool was_lost;
	unsigned told;
} slot;

/* A command that the server runs later. */
typedef struct late {
	int64_t at;
	unsigned member;
	rl_model_command command;
	char *answer; /* NULL = there is no connection for it */
} late;

static slot slots[SLOTS];
static late lates[LATE_MAX];
static unsigned late_count;
static char answers[ANSWERS][64];
static unsigned answer_next;
static int64_t busy_until[3]; /* a server carries out commands in order */
static bool has_trouble;
static unsigned round_number;
static uint64_t random_state;
static unsigned lease_count;

static _Noreturn void fail(const slot *self, const char *what)
{
	FAIL("round %u, %s at %" PRId64 ": %s\n%s", round_number, self->token, fake_clock - FAKE_START,
		what, fake_log());
}

static uint32_t any(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (random_state >> 33) % below;
}

static int64_t any_ms(uint32_t below)
{
	return any(below) * MS + any(1000) * 1000;
}

/* ---- the servers ---- */

static unsigned key_of(const slot *self)
{
	return (unsigned) (self - slots);
}

static const rl_store_key *copy_on(const slot *self, unsigned member)
{
	store_expire(&servers[member].store, key_of(self), servers_us(member, fake_clock));
	return &servers[member].store.keys[key_of(self)];
}

static bool has(const slot *self, unsigned member)
{
	const rl_store_key *copy = copy_on(self, member);
	return copy->exists && copy->value.mark == self->value.mark;
}

static void take_away(const slot *self, unsigned member)
{
	if (has(self, member)) {
		servers[member].store.keys[key_of(self)].exists = false;
	}
}

/* Sets the TTL by a command of the owner, on another connection. */
static void set_ttl(const slot *self, unsigned member, int64_t ttl_ms)
{
	char key[] = {'k', (char) ('0' + key_of(self)), '\0'};
	rl_request extend = {.verb = RL_VERB_EXTEND,
		.key = bytes_of(key),
		.token = bytes_of(self->token),
		.ttl_ms = ttl_ms};
	servers_ask(member, &extend);
}

static char *put_late(unsigned member, int64_t at, bool has_answer)
{
	if (late_count == LATE_MAX) {
		FAIL("too many late commands");
	}
	char *answer = has_answer ? answers[answer_next++ % ANSWERS] : NULL;
	lates[late_count++] =
		(late){.at = at, .member = member, .command = *fake_run_command, .answer = answer};
	return answer;
}

static void run_late(void)
{
	for (unsigned i = 0; i < late_count;) {
		late one = lates[i];
		if (one.at > fake_clock) {
			i++;
			continue;
		}
		lates[i] = lates[--late_count];
		const char *said = servers_run(one.member, &one.command, one.at);
		if (one.answer != NULL) {
			snprintf(one.answer, sizeof answers[0], "%s", said);
		}
	}
}

static void set_alarm(void)
{
	fake_alarm = RL_NEVER;
	for (unsigned i = 0; i < late_count; i++) {
		fake_alarm = rl_time_earlier(fake_alarm, lates[i].at);
	}
	for (unsigned i = 0; i < SLOTS; i++) {
		fake_alarm = rl_time_earlier(fake_alarm, slots[i].next_at);
	}
}

static bool plan_taking(fake_plan *plan)
{
	static const fake_act acts[] = {FAKE_BREAK_UNSENT, FAKE_BREAK_HALF, FAKE_HALF};
	*plan = (fake_plan){FAKE_SAY, NULL, any_ms(20)};
	if (has_trouble && any(60) == 0) {
		plan->what = acts[any(3)];
	}
	return true;
}

static bool serve(const char *words, bool is_taken, fake_plan *plan)
{
	if (!is_taken) {
		return plan_taking(plan);
	}
	if (fake_run_command == NULL) {
		FAIL("the model does not know %s", words);
	}
	unsigned member = fake_run_on;
	int64_t at = fake_run_at + (any(10) == 0 ? any_ms(has_trouble ? 60 : 12) : any_ms(3));
	at = at > busy_until[member] ? at : busy_until[member] + 1;
	int64_t delay = at - fake_run_at + any_ms(5);
	uint32_t trouble = has_trouble ? any(50) : 50;
	if (trouble > 4) {
		busy_until[member] = at;
		*plan = (fake_plan){FAKE_SAY, put_late(member, at, true), delay};
	} else if (trouble == 4) {
		*plan = (fake_plan){FAKE_SAY, "-LOADING x", delay};
	} else if (trouble == 3) {
		*plan = (fake_plan){FAKE_BREAK, NULL, delay}; /* the server never carries it out */
	} else {
		put_late(member, at + any_ms(trouble == 0 ? 3000 : 3), false);
		*plan = (fake_plan){trouble == 1 ? FAKE_SILENCE : FAKE_BREAK, NULL, delay};
	}
	set_alarm();
	return true;
}

/* ---- what must hold ---- */

static void check_proof(const slot *self)
{
	int64_t proof = self->renewal->lease->proof;
	bool is_held = self->step != OWNER_LEAVING && proof > fake_clock;
	if (!is_held || self->is_foreign) {
		return;
	}
	unsigned granted = 0;
	for (unsigned i = 0; i < fake_set.count; i++) {
		granted += has(self, i) && servers_ends_at(i, copy_on(self, i)) >= proof;
	}
	if (granted < rl_quorum(fake_set.count)) {
		fail(self, "proven for longer than a quorum has it");
	}
}

static void check_loss(slot *self)
{
	bool is_lost = rl_lease_is_lost(self->renewal->lease);
	bool is_leaving = self->step == OWNER_LEAVING;
	if (self->was_lost && ((!is_lost && !is_leaving) || rl_lease_is_held(self->renewal->lease))) {
		fail(self, "a loss is not final");
	}
	if (self->told > 1 || (self->told == 1 && !is_lost && !is_leaving)) {
		fail(self, "told without loss");
	}
	if (is_lost && !has_trouble && !self->is_foreign) {
		fail(self, "lost without need");
	}
	self->was_lost = self->was_lost || is_lost;
}

static void check_all(void)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots[i].renewal != NULL) {
			check_proof(&slots[i]);
			check_loss(&slots[i]);
		}
	}
}

/* ---- the owners ---- */

static int64_t any_ttl_ms(void)
{
	return any(3) == 0 ? 800 + any(3000) : 300 + any(500);
}

static void take(slot *self)
{
	*self = (slot){.step = OWNER_IDLE, .ttl_ms = any_ttl_ms()};
	char key[16];
	snprintf(key, sizeof key, "k%u", key_of(self));
	snprintf(self->token, sizeof self->token, "t%u", ++lease_count);
	self->value = rl_words_text(bytes_of(self->token));
	self->renewal = watching_prepare(key);
	self->renewal->on_lost = watching_note_loss;
	self->renewal->ctx = &self->told;
	for (unsigned i = 0; i < fake_set.count; i++) {
		servers_take_key(i, key_of(self), self->token, self->ttl_ms);
	}
	if (fake_set.count == 3 && any(4) == 0) {
		take_away(self, any(3));
	}
	watching_win_with(self->renewal, self->token, self->ttl_ms);
	self->next_at = fake_clock + any_ms(1500);
}

static void extend(slot *self)
{
	self->step = OWNER_EXTENDING;
	self->ttl_ms = any_ttl_ms();
	self->sent_at = fake_clock;
	self->is_answered = !has_trouble || any(4) != 0;
	self->next_at = fake_clock + any_ms(60);
	rl_lease_expect(self->renewal->lease, self->ttl_ms * MS);
	rl_renewer_changed(self->renewal);
	for (unsigned i = 0; i < fake_set.count; i++) {
		self->is_carried_out[i] = false;
	}
}

/* Commands of a connection that was given up may still arrive. */
static void carry_out_doubt(slot *self)
{
	for (unsigned i = 0; i < fake_set.count; i++) {
		if (any(2) == 0) {
			set_ttl(self, i, self->doubt_ms);
		}
	}
	self->doubt_ms = 0;
}

/* Carries the extend out: at some members before the answer, at the others with it. */
static bool carry_out_extension(slot *self, bool is_last)
{
	unsigned granted = 0;
	for (unsigned i = 0; i < fake_set.count; i++) {
		if (!self->is_carried_out[i] && (is_last || any(2) == 0)) {
			self->is_carried_out[i] = true;
			set_ttl(self, i, self->ttl_ms);
		}
		granted += has(self, i);
	}
	return granted >= rl_quorum(fake_set.count);
}

static void end_extension(slot *self)
{
	rl_lease *lease = self->renewal->lease;
	self->step = OWNER_IDLE;
	self->next_at = fake_clock + any_ms(1000);
	if (!self->is_answered) {
		self->doubt_ms = self->ttl_ms;
		rl_lease_doubt(lease, self->ttl_ms * MS);
	} else if (carry_out_extension(self, true)) {
		rl_lease_confirm(lease, self->ttl_ms * MS, self->sent_at);
	} else {
		rl_lease_lose(lease);
	}
	rl_renewer_changed(self->renewal);
}

static void leave(slot *self)
{
	self->step = OWNER_LEAVING;
	self->is_answered = !has_trouble || any(3) != 0;
	self->next_at = fake_clock + any_ms(40);
	rl_renewer_pause(self->renewal);
	rl_lease_leave(self->renewal->lease);
}

static void let_go(slot *self)
{
	bool is_carried_out = self->is_answered || any(2) == 0;
	for (unsigned i = 0; i < fake_set.count && is_carried_out; i++) {
		take_away(self, i);
	}
	watching_let_go(self->renewal, self->is_answered);
	self->renewal = NULL;
	self->step = OWNER_AWAY;
	self->next_at = fake_clock + any_ms(200);
}

static void steal(slot *self)
{
	unsigned first = any(fake_set.count);
	for (unsigned i = 0; i < rl_quorum(fake_set.count); i++) {
		unsigned member = (first + i) % fake_set.count;
		if (any(2) == 0) {
			take_away(self, member);
		} else {
			servers_take_key(member, key_of(self), "foreign", 1 + any(3000));
		}
	}
	self->is_foreign = true;
	self->next_at = fake_clock + 5 * SECOND;
}

static void act(slot *self)
{
	switch (self->step) {
		case OWNER_AWAY:
			take(self);
			break;
		case OWNER_EXTENDING:
			end_extension(self);
			break;
		case OWNER_LEAVING:
			let_go(self);
			break;
		case OWNER_IDLE:
			if (any(3) > 0 && rl_lease_is_held(self->renewal->lease)) {
				extend(self);
			} else if (any(4) == 0) {
				steal(self);
			} else {
				leave(self);
			}
			break;
	}
}

static void on_alarm(void)
{
	check_all();
	run_late();
	for (unsigned i = 0; i < SLOTS; i++) {
		slot *self = &slots[i];
		if (self->step == OWNER_EXTENDING && self->is_answered) {
			carry_out_extension(self, false);
		}
		if (self->doubt_ms > 0 && any(40) == 0) {
			carry_out_doubt(self);
		}
		if (self->next_at <= fake_clock) {
			act(self);
		}
	}
	if (any(200) == 0) {
		servers[any(3)].store.state.known = 0; /* SCRIPT FLUSH */
	}
	set_alarm();
	check_all();
}

static void run_round(unsigned number, bool trouble)
{
	round_number = number;
	random_state = number * UINT64_C(2654435761) + trouble;
	has_trouble = trouble;
	watching_begin(any(3) == 0 ? 3 : 1);
	servers_clear();
	fake_set.drift_factor = 0.01;
	fake_improvise = serve;
	fake_on_alarm = on_alarm;
	late_count = 0;
	for (unsigned i = 0; i < 3; i++) {
		servers[i].rate = 0.995 + any(100) / 10000.0;
		servers[i].store.state.known = any(2) == 0 ? ~0U : 0;
		busy_until[i] = 0;
		fake_set.members[i].timeout_ns = any(2) == 0 ? SECOND : 50 * MS;
	}
	for (unsigned i = 0; i < SLOTS; i++) {
		slots[i] = (slot){.next_at = FAKE_START + any_ms(300)};
	}
	set_alarm();
	for (int64_t at = FAKE_START; at < FAKE_START + ROUND_NS; at += 200 * MS) {
		watching_to_time(at);
		check_all();
		fake_forget_log();
	}
	watching_end();
}

static void no_lease_is_lost_while_nothing_breaks(void)
{
	for (unsigned i = 1; i <= ROUNDS; i++) {
		run_round(i, false);
	}
}

static void a_proof_holds_whatever_breaks(void)
{
	for (unsigned i = 1; i <= ROUNDS; i++) {
		run_round(i, true);
	}
}

static const check_test tests[] = {
	TEST(no_lease_is_lost_while_nothing_breaks),
	TEST(a_proof_holds_whatever_breaks),
};

CHECK_MAIN(tests, watching_end)
