/* SPDX-License-Identifier: MIT
 *
 * Leases under watch against a model of servers: keys with TTLs, scripts that are forgotten, answers that are late or
 * lost, connections that break before and behind a command, commands of broken connections that are carried out long
 * after, and owners that prolong, release and drop their leases at any time, on other connections. What must hold:
 * ownership is proven only while a quorum has the key, for as long; loss is final and told once; and where nothing is
 * wrong nothing is lost.
 */
#include "check.h"
#include "core/base/rl_time.h"
#include "watching.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A cc with -DROUNDS=1000000 looks further. */
#ifndef ROUNDS
# define ROUNDS 1500
#endif

#define SLOTS 4
#define LATE_MAX 512
#define ANSWERS 4096
#define ROUND_NS (6 * SECOND)

/* What a server has of a slot's lease. */
typedef struct copy {
	bool is_ours;
	int64_t ends_at;
} copy;

typedef enum owner_step {
	OWNER_AWAY,      /* has no lease */
	OWNER_IDLE,      /* keeps it */
	OWNER_EXTENDING, /* has asked for another TTL */
	OWNER_LEAVING,   /* has asked for the release */
} owner_step;

typedef struct slot {
	unsigned number; /* of the lease; its key has it */
	rl_renewal *renewal;
	copy copies[3];
	owner_step step;
	int64_t next_at; /* the owner does something, or is answered */
	int64_t ttl_ms;  /* asked for */
	int64_t sent_at;
	bool is_answered; /* else the owner gives up */
	bool is_carried_out[3];
	int64_t doubt_ms; /* a TTL that was asked for, and may still be set; 0 = none */
	bool is_foreign;  /* somebody has taken a quorum away, or the owner's release has */
	bool was_lost;
	unsigned told;
} slot;

/* A command that is carried out later. */
typedef struct late {
	int64_t at; /* RL_NEVER = free */
	unsigned member;
	char words[64];
	char *answer; /* NULL = goes nowhere */
} late;

static slot slots[SLOTS];
static late lates[LATE_MAX];
static char answers[ANSWERS][48];
static unsigned answer_next;
static double rates[3]; /* of the servers' clocks */
static bool knows_script[3];
static int64_t busy_until[3]; /* commands are carried out in order */
static bool has_trouble;
static unsigned round_number;
static uint64_t random_state;
static unsigned lease_count;

static _Noreturn void fail(const slot *self, const char *what)
{
	FAIL("round %u, k%u at %" PRId64 ": %s\n%s", round_number, self->number,
		fake_clock - FAKE_START, what, fake_log());
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

static bool has(const copy *one, int64_t at)
{
	return one->is_ours && one->ends_at > at;
}

static int64_t end_of(unsigned member, int64_t ttl_ms, int64_t at)
{
	return at + (int64_t) ((double) (ttl_ms * MS) / rates[member]);
}

static const char *carry_out(unsigned member, const char *words, int64_t at)
{
	char verb[16];
	unsigned number;
	int64_t ttl_ms = 0;
	CHECK(sscanf(words, "%15s k%u tok %" SCNd64, verb, &number, &ttl_ms) >= 2);
	if (strcmp(verb, "renew") == 0 && !knows_script[member]) {
		return "-NOSCRIPT No matching script.";
	}
	knows_script[member] |= strcmp(verb, "RENEW") == 0;
	for (unsigned i = 0; i < SLOTS; i++) {
		copy *one = &slots[i].copies[member];
		if (slots[i].number != number || !has(one, at)) {
			continue;
		}
		if (verb[0] == 'R' && verb[2] == 'L') { /* RELEASE */
			one->is_ours = false;
			return ":1";
		}
		int64_t end = end_of(member, ttl_ms, at);
		one->ends_at = end > one->ends_at ? end : one->ends_at;
		return ":1";
	}
	return ":0";
}

static char *put_late(unsigned member, const char *words, int64_t at, bool has_answer)
{
	for (unsigned i = 0; i < LATE_MAX; i++) {
		late *one = &lates[i];
		if (one->at == RL_NEVER) {
			*one = (late){.at = at, .member = member};
			snprintf(one->words, sizeof one->words, "%s", words);
			one->answer = has_answer ? answers[answer_next++ % ANSWERS] : NULL;
			return one->answer;
		}
	}
	FAIL("too many late commands");
}

static void set_alarm(void)
{
	fake_alarm = RL_NEVER;
	for (unsigned i = 0; i < LATE_MAX; i++) {
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
	unsigned member = fake_run_on;
	int64_t at = fake_run_at + (any(10) == 0 ? any_ms(has_trouble ? 60 : 12) : any_ms(3));
	at = at > busy_until[member] ? at : busy_until[member] + 1;
	int64_t delay = at - fake_run_at + any_ms(5);
	uint32_t trouble = has_trouble ? any(50) : 50;
	if (trouble > 4) {
		busy_until[member] = at;
		*plan = (fake_plan){FAKE_SAY, put_late(member, words, at, true), delay};
	} else if (trouble == 4) {
		*plan = (fake_plan){FAKE_SAY, "-LOADING x", delay};
	} else if (trouble == 3) {
		*plan = (fake_plan){FAKE_BREAK, NULL, delay}; /* it is never carried out */
	} else {
		put_late(member, words, at + any_ms(trouble == 0 ? 3000 : 3), false);
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
		granted += has(&self->copies[i], fake_clock) && self->copies[i].ends_at >= proof;
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
	*self = (slot){.number = ++lease_count, .step = OWNER_IDLE, .ttl_ms = any_ttl_ms()};
	char key[16];
	snprintf(key, sizeof key, "k%u", self->number);
	self->renewal = watching_prepare(key);
	self->renewal->on_lost = watching_note_loss;
	self->renewal->ctx = &self->told;
	for (unsigned i = 0; i < fake_set.count; i++) {
		self->copies[i] = (copy){true, end_of(i, self->ttl_ms, fake_clock)};
	}
	if (fake_set.count == 3 && any(4) == 0) {
		self->copies[any(3)].is_ours = false;
	}
	watching_win(self->renewal, self->ttl_ms);
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

/* The bytes of a connection that was given up may still arrive. */
static void carry_out_doubt(slot *self)
{
	for (unsigned i = 0; i < fake_set.count; i++) {
		copy *one = &self->copies[i];
		if (any(2) == 0 && has(one, fake_clock)) {
			one->ends_at = end_of(i, self->doubt_ms, fake_clock);
		}
	}
	self->doubt_ms = 0;
}

/* At some members before the answer; at the others with it. */
static bool carry_out_extension(slot *self, bool is_last)
{
	unsigned granted = 0;
	for (unsigned i = 0; i < fake_set.count; i++) {
		copy *one = &self->copies[i];
		if (!self->is_carried_out[i] && (is_last || any(2) == 0)) {
			self->is_carried_out[i] = true;
			if (has(one, fake_clock)) {
				one->ends_at = end_of(i, self->ttl_ms, fake_clock);
			}
		}
		granted += has(one, fake_clock);
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
		self->copies[i].is_ours = false;
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
		self->copies[(first + i) % fake_set.count].is_ours = false;
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
	for (unsigned i = 0; i < LATE_MAX; i++) {
		late *one = &lates[i];
		if (one->at <= fake_clock) {
			const char *said = carry_out(one->member, one->words, one->at);
			if (one->answer != NULL) {
				snprintf(one->answer, sizeof answers[0], "%s", said);
			}
			one->at = RL_NEVER;
		}
	}
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
		knows_script[any(3)] = false; /* SCRIPT FLUSH */
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
	fake_set.drift_factor = 0.01;
	fake_improvise = serve;
	fake_on_alarm = on_alarm;
	for (unsigned i = 0; i < LATE_MAX; i++) {
		lates[i].at = RL_NEVER;
	}
	for (unsigned i = 0; i < 3; i++) {
		rates[i] = 0.995 + any(100) / 10000.0;
		knows_script[i] = any(2) == 0;
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

static void where_nothing_is_wrong_nothing_is_lost(void)
{
	for (unsigned i = 1; i <= ROUNDS; i++) {
		run_round(i, false);
	}
}

static void whatever_goes_wrong_what_is_proven_is_so(void)
{
	for (unsigned i = 1; i <= ROUNDS; i++) {
		run_round(i, true);
	}
}

static const check_test tests[] = {
	TEST(where_nothing_is_wrong_nothing_is_lost),
	TEST(whatever_goes_wrong_what_is_proven_is_so),
};

CHECK_MAIN(tests, watching_end)
