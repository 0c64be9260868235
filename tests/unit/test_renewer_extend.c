/* SPDX-License-Identifier: MIT
 *
 * A renewal beside extends by the lease's owner, which use another connection. Ownership is never
 * proven for longer than the server has the key, whatever the order in which the commands are sent,
 * carried out and answered.
 *
 * The tests run through all orders. An order is a word: each of its letters is a step, 100 ms after
 * the one before. "rRr" is the renewal that is due at 10 s: sent, carried out, answered. "aAa" and
 * "bBb" are two extends.
 */
#include "check.h"
#include "servers.h"
#include "watching.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STEP_MS 100
#define DUE_MS 10000

typedef enum outcome {
	CONFIRMED,
	DOUBTED,      /* the extend is carried out, and its answer is lost */
	DOUBTED_LATE, /* the extend is carried out a second after the owner has given it up */
	OUTCOMES,
} outcome;

typedef struct prolongation {
	int64_t ttl_ms;
	outcome what;
	unsigned steps; /* how many of the steps are done */
	int64_t sent_at;
	bool is_ours;    /* the server's answer */
	int64_t late_at; /* when the extend is carried out late; RL_NEVER = it is not */
} prolongation;

static const char *order;
static rl_renewal *one;
static prolongation ours[2];
static unsigned renewals;      /* that the server has run */
static rl_model_command first; /* the renewal, which the server runs when the order says so */
static char first_answer[4];
static unsigned orders_run;

static _Noreturn void fail(const char *what)
{
	FAIL("%s, %" PRId64 "/%d and %" PRId64 "/%d, at %" PRId64 " ms: %s\n%s", order, ours[0].ttl_ms,
		(int) ours[0].what, ours[1].ttl_ms, (int) ours[1].what, fake_ms(), what, fake_log());
}

static bool has_key(void)
{
	return servers_key(0)->exists;
}

static void check_proof(void)
{
	int64_t proof = one->lease->proof;
	if (proof > fake_clock && (!has_key() || proof > servers_ends_at(0, servers_key(0)))) {
		fail("proven for longer than the server has it");
	}
}

static int64_t answered_at(void)
{
	const char *sent = strchr(order, 'r');
	return (int64_t) (strchr(sent + 1, 'r') - sent) * STEP_MS * MS;
}

static bool serve(const char *words, bool is_taken, fake_plan *plan)
{
	bool is_renewal = is_taken && fake_run_command != NULL &&
		fake_run_command->what == RL_WORD_SCRIPT && fake_run_command->script == RL_SCRIPT_RENEW;
	if (!is_renewal || renewals++ > 0) {
		return servers_serve(words, is_taken, plan);
	}
	first = *fake_run_command;
	*plan = (fake_plan){FAKE_SAY, first_answer, answered_at()};
	return true;
}

/* ---- the owner ---- */

static void carry_out(prolongation *self)
{
	rl_request extend = {.verb = RL_VERB_EXTEND, .token = bytes_of("tok"), .ttl_ms = self->ttl_ms};
	self->is_ours = strcmp(servers_ask(0, &extend), ":1") == 0;
}

static void step_owner(prolongation *self)
{
	rl_lease *lease = one->lease;
	switch (self->steps++) {
		case 0:
			rl_lease_expect(lease, self->ttl_ms * MS);
			self->sent_at = fake_clock;
			break;
		case 1:
			if (self->what != DOUBTED_LATE) {
				carry_out(self);
			}
			return;
		default:
			if (self->what != CONFIRMED) {
				rl_lease_doubt(lease, self->ttl_ms * MS);
				self->late_at = self->what == DOUBTED_LATE ? fake_clock + SECOND : RL_NEVER;
			} else if (self->is_ours) {
				bool is_confirmed = rl_lease_confirm(lease, self->ttl_ms * MS, self->sent_at);
				CHECK_INT(is_confirmed, rl_lease_is_held(lease));
			} else {
				rl_lease_lose(lease);
			}
	}
	rl_renewer_changed(one);
}

static void step(char letter)
{
	if (letter == 'R') {
		snprintf(first_answer, sizeof first_answer, "%s", servers_run(0, &first, fake_clock));
	} else if (letter != 'r') {
		step_owner(&ours[tolower(letter) - 'a']);
	}
}

static void go_to(int64_t ms)
{
	while (fake_ms() < ms) {
		int64_t next = fake_clock + STEP_MS / 4 * MS;
		for (int i = 0; i < 2; i++) {
			if (ours[i].late_at <= fake_clock) {
				carry_out(&ours[i]);
				ours[i].late_at = RL_NEVER;
			}
		}
		watching_to_time(next < FAKE_START + ms * MS ? next : FAKE_START + ms * MS);
		check_proof();
	}
}

static void run_order(const char *word)
{
	order = word;
	watching_begin(1);
	servers_clear();
	fake_improvise = serve;
	renewals = 0;
	strcpy(first_answer, ":1");
	one = watching_keep("k", TTL);
	servers_take(0, "tok", TTL);
	for (int i = 0; i < 2; i++) {
		ours[i].steps = 0;
		ours[i].late_at = RL_NEVER;
	}
	int64_t begin = DUE_MS - (strchr(word, 'r') - word) * STEP_MS;
	for (int i = 0; word[i] != '\0'; i++) {
		go_to(begin + i * STEP_MS);
		step(word[i]);
		check_proof();
	}
	go_to(fake_ms() + 3000);
	bool is_sure = ours[0].what == CONFIRMED && (ours[1].steps == 0 || ours[1].what == CONFIRMED);
	if (is_sure && !rl_lease_is_held(one->lease)) {
		fail("lost without need");
	}
	CHECK(!is_sure || one->lease->in_flight == 0);
	watching_end();
	orders_run++;
}

/* ---- the orders ---- */

/* Runs each word that has these letters, each as often as its part has it. */
static void run_words(char *word, unsigned len, const char *const *parts, const unsigned *used)
{
	bool is_whole = true;
	for (unsigned i = 0; parts[i] != NULL; i++) {
		if (used[i] == 3) {
			continue;
		}
		is_whole = false;
		unsigned more[3] = {used[0], used[1], used[2]};
		word[len] = parts[i][more[i]++];
		run_words(word, len + 1, parts, more);
	}
	if (is_whole) {
		word[len] = '\0';
		run_order(word);
	}
}

static void run_all(const char *const *parts)
{
	char word[10];
	const unsigned used[3] = {0};
	run_words(word, 0, parts, used);
}

static const int64_t ttls[] = {2002, 15002, TTL, 90002};

static void one_extend_beside_a_renewal_never_proves_too_much(void)
{
	static const char *const parts[] = {"rRr", "aAa", NULL};
	orders_run = 0;
	for (int i = 0; i < 4; i++) {
		for (outcome what = 0; what < OUTCOMES; what++) {
			ours[0] = (prolongation){.ttl_ms = ttls[i], .what = what};
			ours[1] = (prolongation){.what = CONFIRMED};
			run_all(parts);
		}
	}
	CHECK_INT(orders_run, 20 * 4 * OUTCOMES);
}

static void two_extends_beside_a_renewal_never_prove_too_much(void)
{
	static const char *const parts[] = {"rRr", "aAa", "bBb", NULL};
	orders_run = 0;
	for (int i = 0; i < 4; i += 3) { /* the shortest, the longest */
		for (outcome what = 0; what < OUTCOMES; what++) {
			ours[0] = (prolongation){.ttl_ms = ttls[i], .what = what};
			ours[1] = (prolongation){.ttl_ms = ttls[3 - i], .what = CONFIRMED};
			run_all(parts);
		}
	}
	CHECK_INT(orders_run, 1680 * 2 * OUTCOMES);
}

static const check_test tests[] = {
	TEST(one_extend_beside_a_renewal_never_proves_too_much),
	TEST(two_extends_beside_a_renewal_never_prove_too_much),
};

CHECK_MAIN(tests, watching_end)
