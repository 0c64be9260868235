/* SPDX-License-Identifier: MIT
 *
 * Several members: what their answers make together, for each verb that does not take a lock, and
 * what messages report about failures.
 */
#include "check.h"
#include "core/lock/rl_op_failure.h"
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin_warm(unsigned members)
{
	fake_begin(members);
	for (unsigned i = 0; i < members; i++) {
		fake_warm(i);
	}
}

static rl_op *ask(rl_verb verb, unsigned members, const char *const *answers)
{
	begin_warm(members);
	for (unsigned i = 0; i < members; i++) {
		if (answers[i] != NULL) {
			fake_says(i, answers[i]);
		}
	}
	rl_op *op = fake_ask(verb, "tok", 7000);
	fake_drive(op);
	return op;
}

/* ---- all mixes of answers ---- */

typedef struct mix {
	unsigned members;
	const char *answers[FAKE_MEMBERS];
	unsigned failed;
	char text[128];
} mix;

/* The mix of answers with this number.
 * @return false = there are no more */
static bool next_mix(mix *m, unsigned number, const char *const *choices, unsigned count)
{
	m->failed = 0;
	m->text[0] = '\0';
	for (unsigned i = 0; i < m->members; i++) {
		m->answers[i] = choices[number % count];
		number /= count;
		m->failed += m->answers[i][0] == '-';
		strcat(strcat(m->text, " "), m->answers[i]);
	}
	return number == 0;
}

static unsigned count_of(const mix *m, const char *answer)
{
	unsigned count = 0;
	for (unsigned i = 0; i < m->members; i++) {
		count += strcmp(m->answers[i], answer) == 0;
	}
	return count;
}

static void each_mix(rl_verb verb, const char *const *choices, unsigned count,
	void (*check)(const mix *m, rl_op *op))
{
	for (unsigned members = 1; members <= FAKE_MEMBERS; members++) {
		mix m = {.members = members};
		for (unsigned i = 0; next_mix(&m, i, choices, count); i++) {
			check(&m, ask(verb, members, m.answers));
			fake_end();
		}
	}
}

static void check_status(const mix *m, const rl_op *op, unsigned yes, unsigned no)
{
	unsigned quorum = m->members / 2 + 1;
	rl_status wanted = yes >= quorum ? RL_OK : no > m->members - quorum ? RL_BUSY : RL_ERR_SERVER;
	if (op->status != wanted) {
		FAIL("%s: %d, not %d", m->text, (int) op->status, (int) wanted);
	}
}

static void check_yes_or_no(const mix *m, rl_op *op)
{
	check_status(m, op, count_of(m, ":1"), count_of(m, ":0"));
}

static void a_quorum_says_yes_or_no(void)
{
	static const char *const choices[] = {":1", ":0", "-ERR x"};
	static const rl_verb verbs[] = {RL_VERB_EXISTS, RL_VERB_RELEASE, RL_VERB_EXTEND, RL_VERB_FORCE};
	for (unsigned i = 0; i < 4; i++) {
		each_mix(verbs[i], choices, 3, check_yes_or_no);
	}
}

static void check_owner(const mix *m, rl_op *op)
{
	static const char *const owners[] = {"$one", "$two"};
	unsigned quorum = m->members / 2 + 1;
	unsigned best = 0;
	for (unsigned i = 1; i < 2; i++) {
		best = count_of(m, owners[i]) > count_of(m, owners[best]) ? i : best;
	}
	unsigned most = count_of(m, owners[best]);
	rl_status wanted = most >= quorum ? RL_OK : most + m->failed < quorum ? RL_BUSY : RL_ERR_SERVER;
	if (op->status != wanted) {
		FAIL("%s: %d, not %d", m->text, (int) op->status, (int) wanted);
	}
	if (wanted == RL_OK) {
		const rl_errand *member = rl_quorum_call_owner(&op->call);
		CHECK(rl_bytes_equal(
			rl_bytes_of(member->text, member->text_len), bytes_of(owners[best] + 1)));
	}
}

static void the_owner_is_the_token_of_a_quorum(void)
{
	static const char *const choices[] = {"$one", "$two", "_", "-ERR x"};
	each_mix(RL_VERB_OWNER, choices, 4, check_owner);
}

/* A reservation is an empty value, and has no owner. */
static void a_reservation_has_no_owner(void)
{
	CHECK_INT(ask(RL_VERB_OWNER, 3, (const char *[]){"$", "$", "$one"})->status, RL_BUSY);
	fake_end();
	CHECK_INT(ask(RL_VERB_OWNER, 3, (const char *[]){"$", "$", "$"})->status, RL_BUSY);
}

static int by_end(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a;
	uint64_t y = *(const uint64_t *) b;
	return x < y ? 1 : x > y ? -1 : 0;
}

static void check_remaining(const mix *m, rl_op *op)
{
	uint64_t ends[FAKE_MEMBERS];
	unsigned count = 0;
	for (unsigned i = 0; i < m->members; i++) {
		if (m->answers[i][0] == ':' && strcmp(m->answers[i], ":-2") != 0) {
			/* -1, without a TTL, is the longest. */
			ends[count++] = (uint64_t) atoll(m->answers[i] + 1);
		}
	}
	check_status(m, op, count, m->members - count - m->failed);
	if (op->status == RL_OK) {
		qsort(ends, count, sizeof ends[0], by_end);
		int64_t wanted = (int64_t) ends[m->members / 2];
		if (rl_quorum_call_remaining(&op->call) != wanted) {
			FAIL("%s: %lld, not %lld", m->text, (long long) rl_quorum_call_remaining(&op->call),
				(long long) wanted);
		}
	}
}

static void the_remaining_ttl_is_that_of_a_quorum(void)
{
	static const char *const choices[] = {":500", ":-1", ":-2", ":700", "-ERR x"};
	each_mix(RL_VERB_REMAINING, choices, 5, check_remaining);
}

/* The longer the lock is on the others: the call waits a little for a late member. */
static int64_t remaining_with_a_late_one(int64_t late_ms, int64_t *remaining)
{
	begin_warm(3);
	fake_says(0, ":500");
	fake_says(1, ":900");
	fake_acts(2, FAKE_SAY, ":900", late_ms * MS);
	rl_op *op = fake_ask(RL_VERB_REMAINING, "", 0);
	CHECK_INT(fake_drive(op), RL_OK);
	*remaining = rl_quorum_call_remaining(&op->call);
	return fake_ms();
}

static void late_replies_count_for_a_little_time(void)
{
	int64_t remaining;
	CHECK_INT(remaining_with_a_late_one(24, &remaining), 24);
	CHECK_INT(remaining, 900);
	fake_end();
	CHECK_INT(remaining_with_a_late_one(26, &remaining), 25);
	CHECK_INT(remaining, 500);
}

static void any_verb_may_wait_a_little_for_all_members(void)
{
	rl_plain_args extend_on_all = {.verb = RL_VERB_EXTEND,
		.key = bytes_of("k"),
		.token = bytes_of("tok"),
		.ttl_ms = 7000,
		.wanted = RL_WANTED_SOON};
	begin_warm(3);
	fake_says(0, ":1");
	fake_says(1, ":1");
	fake_acts(2, FAKE_SAY, ":1", 20 * MS);
	rl_op *op = fake_plain(&extend_on_all);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 20);
	fake_end();
	begin_warm(3);
	fake_says(0, ":1");
	fake_says(1, ":1");
	op = fake_plain(&extend_on_all);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(fake_ms(), 25);
}

/* ---- extend, and release ---- */

static void an_extend_of_a_minority_is_undone(void)
{
	rl_op *op = ask(RL_VERB_EXTEND, 5, (const char *[]){":1", ":0", ":0", ":1", ":0"});
	CHECK_INT(op->status, RL_BUSY);
	CHECK_COUNT("RELEASE k tok", 2);
	CHECK_COUNT("a1 RELEASE k tok", 1);
	CHECK_COUNT("d1 RELEASE k tok", 1);
	CHECK_INT(fake_stats.not_extended, 1);
}

/* The watchdog may have kept the lease, so the caller decides whether the lock is released where it
 * was extended. */
static void an_extend_of_a_lease_is_undone_only_when_the_lease_is_lost(void)
{
	rl_plain_args leased = {.verb = RL_VERB_EXTEND,
		.key = bytes_of("k"),
		.token = bytes_of(FAKE_DRAWN),
		.ttl_ms = 7000,
		.is_leased = true};
	begin_warm(5);
	fake_says(0, ":1");
	fake_says(1, ":0");
	fake_says(2, ":0");
	fake_says(3, ":-1");
	fake_says(4, ":1");
	rl_op *op = fake_plain(&leased);
	CHECK_INT(fake_drive(op), RL_BUSY);
	CHECK_COUNT("RELEASE", 0);
	rl_plain_undo(op, fake_clock);
	CHECK_COUNT("RELEASE k", 2);
	CHECK_COUNT("a1 RELEASE k", 1);
	CHECK_COUNT("e1 RELEASE k", 1);
}

/* The reason of the loss of a lease, by the answers to EXTEND and to GET. */
static void refusals_decide_the_reason_of_the_loss(void)
{
	static const struct {
		const char *answers[3];
		rl_loss loss;
	} cases[] = {{{":0", ":0", ":0"}, RL_LOSS_DELETED}, {{":-1", ":-1", ":1"}, RL_LOSS_TAKEN_OVER},
		{{":-1", ":0", ":1"}, RL_LOSS_TAKEN_OVER}, {{":0", ":0", ":-1"}, RL_LOSS_DELETED}};
	for (unsigned i = 0; i < 4; i++) {
		rl_op *op = ask(RL_VERB_EXTEND, 3, (const char **) cases[i].answers);
		CHECK_INT(op->status, RL_BUSY);
		CHECK_INT(rl_quorum_call_loss(&op->call, bytes_of("tok")), cases[i].loss);
		fake_end();
	}
	static const struct {
		const char *answers[3];
		rl_loss loss;
	} owners[] = {{{"_", "_", "_"}, RL_LOSS_DELETED},
		{{"$other", "$other", "$tok"}, RL_LOSS_TAKEN_OVER}, {{"_", "_", "$tok"}, RL_LOSS_DELETED},
		{{"$", "$", "$tok"}, RL_LOSS_DELETED}, {{"$other", "_", "$tok"}, RL_LOSS_TAKEN_OVER}};
	for (unsigned i = 0; i < 5; i++) {
		rl_op *op = ask(RL_VERB_OWNER, 3, (const char **) owners[i].answers);
		CHECK_INT(rl_quorum_call_loss(&op->call, bytes_of("tok")), owners[i].loss);
		fake_end();
	}
}

static void an_extend_that_a_minority_runs_late_is_undone_too(void)
{
	begin_warm(3);
	fake_says(0, ":0");
	fake_says(1, ":0");
	fake_acts(2, FAKE_SAY, ":1", 300 * MS);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 7000)), RL_BUSY);
	CHECK_INT(fake_ms(), 300);
	CHECK_COUNT("300 c1 RELEASE k tok", 1);
}

/* The lease may still be proven. */
static void an_extend_of_an_abandoned_call_stays(void)
{
	begin_warm(3);
	fake_says(0, ":1");
	rl_op *op = fake_ask(RL_VERB_EXTEND, "tok", 7000);
	CHECK(!fake_drive_to(op, FAKE_START + 10 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_COUNT("RELEASE", 0);
	CHECK_INT(fake_pool.count, 3);
}

#define WEB "$rl1.aaaaaaaaaaaaaaaaaaaaaaaa@web"
#define CRON "$rl1.bbbbbbbbbbbbbbbbbbbbbbbb@cron"

/* The holder is the token that a majority has. A key that is locked on a majority by several tokens
 * has no holder. */
static void inspect_is_the_view_of_a_majority(void)
{
	static const struct {
		const char *answers[3];
		rl_status status;
		rl_holder holder;
		int64_t pttl;
		int64_t waiters;
	} cases[] = {
		{{"*:900 $web :1 " WEB " $", "*:700 $web :4 " WEB " $a", "*:800 $web :2 " WEB " $"}, RL_OK,
			RL_HOLDER_KIN, 800, 4},
		{{"*:900 $cron :0 " CRON " $", "*:700 $web :0 " WEB " $", "*:800 $web :0 " WEB " $"}, RL_OK,
			RL_HOLDER_KIN, 800, 0},
		{{"*:900 $cron :0 " CRON " $", "*:700 $web :0 " WEB " $", "*:-2 :0 :3 $ $"}, RL_OK,
			RL_HOLDER_NOBODY, 700, 0},
		{{"*:900 $cron :0 " CRON " $", "*:-2 :0 :0 $ $", "*:-2 :0 :0 $ $"}, RL_BUSY,
			RL_HOLDER_NOBODY, 0, 0},
		{{"*:900 $web :0 " WEB " $", "*:-1 $web :0 " WEB " $", "-ERR x"}, RL_OK, RL_HOLDER_KIN, 900,
			0},
		{{"*:900 $web :0 " WEB " $", "*:-2 :0 :0 $ $", "-ERR x"}, RL_ERR_SERVER, RL_HOLDER_NOBODY,
			0, 0},
		{{"*:90 :1 :2 $ $", "*:80 :1 :2 $rl1.reserved $", "*:800 $web :2 " WEB " $"}, RL_OK,
			RL_HOLDER_RESERVED, 90, 2},
		{{"*:90 :4 :0 $ $", "*:80 :1 :0 $ $", "*:800 $web :0 " WEB " $"}, RL_OK, RL_HOLDER_NOBODY,
			90, 0},
		{{"*:90 :4 :0 $x $", "*:80 :4 :0 $x $", "*:-2 :0 :0 $ $"}, RL_OK, RL_HOLDER_FOREIGN, 80, 0},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_op *op = ask(RL_VERB_INSPECT, 3, (const char **) cases[i].answers);
		CHECK_INT(op->status, cases[i].status);
		if (op->status == RL_OK) {
			rl_lock_state state = rl_quorum_call_state(&op->call);
			CHECK_INT(state.holder, cases[i].holder);
			CHECK_INT(state.left_ms, cases[i].pttl);
			CHECK_INT(state.waiters, cases[i].waiters);
			CHECK_INT(state.label.len > 0, cases[i].holder == RL_HOLDER_KIN);
			CHECK_INT(state.since > 0, cases[i].holder == RL_HOLDER_KIN);
			CHECK_INT((int64_t) state.waiting_len, cases[i].waiters == 4 ? 1 : 0);
			free(state.waiting);
		}
		fake_end();
	}
}

static void an_extend_that_failed_is_not_undone(void)
{
	CHECK_INT(
		ask(RL_VERB_EXTEND, 3, (const char *[]){":1", "-ERR x", "-ERR x"})->status, RL_ERR_SERVER);
	CHECK_COUNT("RELEASE", 0);
	fake_end();
	CHECK_INT(ask(RL_VERB_EXTEND, 3, (const char *[]){":1", ":1", ":0"})->status, RL_OK);
	CHECK_COUNT("RELEASE", 0);
	fake_end();
	CHECK_INT(ask(RL_VERB_EXTEND, 1, (const char *[]){":0"})->status, RL_BUSY);
	CHECK_COUNT("RELEASE", 0);
}

static void an_extend_is_proven_since_its_first_sending(void)
{
	fake_begin(3);
	fake_warm(0);
	fake_warm(1);
	fake_dials(2, FAKE_ACCEPT, 40 * MS);
	fake_acts(0, FAKE_SAY, ":1", 50 * MS);
	fake_acts(1, FAKE_SAY, ":0", 0);
	fake_says(2, ":1");
	rl_op *op = fake_ask(RL_VERB_EXTEND, "tok", 7000);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(rl_quorum_call_sent_at(&op->call), FAKE_START);
}

static rl_op *release_of_one_that(bool was_held, const char *const *answers)
{
	begin_warm(3);
	for (unsigned i = 0; i < 3; i++) {
		if (answers[i] != NULL) {
			fake_says(i, answers[i]);
		}
	}
	rl_op *op = fake_plain(&(rl_plain_args){.verb = RL_VERB_RELEASE,
		.key = bytes_of("k"),
		.token = bytes_of("tok"),
		.was_held = was_held});
	fake_drive(op);
	return op;
}

static void a_held_lock_is_released_if_one_member_has_released_it(void)
{
	static const char *const two_failed[] = {":1", "-ERR x", "-ERR x"};
	CHECK_INT(release_of_one_that(true, two_failed)->status, RL_OK);
	fake_end();
	CHECK_INT(release_of_one_that(false, two_failed)->status, RL_ERR_SERVER);
	fake_end();
	static const char *const one_refused[] = {":1", ":0", "-ERR x"};
	CHECK_INT(release_of_one_that(true, one_refused)->status, RL_OK);
	fake_end();
	static const char *const none_has[] = {"-ERR x", ":0", "-ERR x"};
	CHECK_INT(release_of_one_that(true, none_has)->status, RL_ERR_SERVER);
	fake_end();
	static const char *const refused[] = {":1", ":0", ":0"};
	CHECK_INT(release_of_one_that(true, refused)->status, RL_BUSY);
}

/* ---- messages ---- */

static void each_failed_member_is_named(void)
{
	rl_op *op = ask(RL_VERB_EXISTS, 3, (const char *[]){"-ERR one", ":1", "-OOM two"});
	CHECK_INT(op->status, RL_ERR_SERVER);
	CHECK_TEXT(op->err->message,
		"no quorum (2 of 3 servers failed): redis://a:6379: the server answered: ERR one; redis://c:6379: "
		"the server answered: OOM two (the server has reached its memory limit, maxmemory)");
	CHECK_TEXT(op->err->code, "ERR");
	fake_end();
	op = ask(RL_VERB_EXISTS, 1, (const char *[]){"-ERR one"});
	CHECK_TEXT(op->err->message, "redis://a:6379: the server answered: ERR one");
}

static void a_member_that_could_not_be_asked_decides_the_kind_of_failure(void)
{
	fake_begin(3);
	fake_warm(0);
	fake_warm(2);
	fake_says(0, "-ERR one");
	fake_dials(1, FAKE_REFUSE, 0);
	fake_says(2, "-ERR two");
	rl_op *op = fake_ask(RL_VERB_EXISTS, "", 0);
	CHECK_INT(fake_drive(op), RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "no quorum (3 of 3 servers failed): redis://a:6379: ");
	CHECK_HAS(op->err->message, "; redis://b:6379: cannot connect: told at once; redis://c:6379: ");
}

static void a_command_that_was_sent_may_have_been_carried_out(void)
{
	rl_op *op = ask(RL_VERB_EXTEND, 3, (const char *[]){":1", NULL, NULL});
	CHECK_INT(op->status, RL_ERR_TIMEOUT);
	CHECK_HAS(op->err->message,
		"redis://c:6379: no answer within 0.7 s (timeout); the command was sent, and its outcome is unknown");
	CHECK_INT(fake_ms(), 700);
	fake_end();
	op = ask(RL_VERB_EXISTS, 3, (const char *[]){":1", NULL, NULL});
	CHECK(strstr(op->err->message, "outcome") == NULL);
}

/* The message reports all failed members, also one whose answer could not have changed the
 * outcome. */
static void a_failed_change_waits_for_the_other_members(void)
{
	begin_warm(3);
	fake_says(0, "-ERR x");
	fake_says(1, "-ERR x");
	fake_acts(2, FAKE_SAY, "-ERR y", 300 * MS);
	rl_op *op = fake_ask(RL_VERB_RELEASE, "tok", 0);
	CHECK_INT(fake_drive(op), RL_ERR_SERVER);
	CHECK_INT(fake_ms(), 300);
	CHECK_HAS(op->err->message, "3 of 3 servers failed");
	fake_end();
	begin_warm(3);
	fake_says(0, "-ERR x");
	fake_says(1, "-ERR x");
	op = fake_ask(RL_VERB_EXISTS, "", 0);
	CHECK_INT(fake_drive(op), RL_ERR_SERVER);
	CHECK_INT(fake_ms(), 0);
}

/* The names and the reasons may be long. */
static void a_message_has_room_for_all_members(void)
{
	static char name[200] = "redis://";
	static char text[500] = "-ERR ";
	memset(name + 8, 'n', sizeof name - 9);
	memset(text + 5, 'x', sizeof text - 6);
	begin_warm(5);
	char *const own = fake_targets[0].name;
	for (unsigned i = 0; i < 5; i++) {
		fake_says(i, text);
	}
	fake_targets[0].name = name;
	rl_op *op = fake_ask(RL_VERB_EXTEND, "tok", 7000);
	fake_drive(op);
	const char *message = op->err->message;
	fake_targets[0].name = own;
	CHECK_INT(op->status, RL_ERR_SERVER);
	CHECK_HAS(message, "5 of 5 servers failed): redis://nnn");
	CHECK_HAS(message, "; redis://b:6379: the server answered: ERR x");
	CHECK_HAS(message, "; redis://c:6379: the server answered: ERR x");
	CHECK_HAS(message, "; redis://d:6379: the server answered: ERR x");
	CHECK_HAS(message, "; redis://e:6379: the server answered: ERR x");
}

/* Fewer members are reported in full, followed by the number of the others. */
static void a_message_names_some_of_too_many_members(void)
{
	static rl_target targets[RL_MEMBERS_MAX];
	static char names[RL_MEMBERS_MAX][32];
	static const char reason[] = "cannot connect: No such file or directory";
	for (unsigned count = 2; count <= RL_MEMBERS_MAX; count++) {
		fake_begin(5);
		rl_set set = fake_set;
		set.count = count;
		for (unsigned i = 0; i < count; i++) {
			snprintf(names[i], sizeof names[i], "unix:///run/redis-%02u.sock", i);
			targets[i] = (rl_target){.refs = 1, .name = names[i]};
			set.members[i].target = &targets[i];
		}
		rl_op *op = rl_plain_new(&set, &fake_pool, &fake_env,
			&(rl_plain_args){.verb = RL_VERB_EXISTS, .key = bytes_of("k")});
		for (unsigned i = 0; i < count; i++) {
			op->call.members[i].vote = RL_VOTE_FAILED;
			rl_error_set(op->call.members[i].err, RL_ERR_CONNECT, 2, "%s", reason);
		}
		rl_op_fail(op, "; and so on");
		unsigned told = 0;
		for (const char *at = op->err->message; (at = strstr(at, reason)) != NULL; at++) {
			told++;
		}
		char more[32];
		snprintf(more, sizeof more, "; and %u more; and so on", count - told);
		bool has_more = strstr(op->err->message, " more") != NULL;
		unsigned least = count < 4 ? count : 4;
		if (told < least || has_more != (told < count) ||
			(has_more && strstr(op->err->message, more) == NULL)) {
			FAIL("%u servers, of which %u are told of: %s", count, told, op->err->message);
		}
		CHECK_HAS(op->err->message, "; and so on");
		rl_op_free(op);
		fake_end();
	}
}

/* ---- refusals that are older than a renewal ---- */

/* The first member refuses at once, the last one much later, and the other one grants. The watchdog
 * has put the lock back on the first or on the last member, with a command that was sent at this
 * time. */
static bool is_overruled(unsigned put_back, int64_t sent_ms)
{
	begin_warm(3);
	fake_says(0, ":0");
	fake_says(1, ":1");
	fake_acts(2, FAKE_SAY, ":0", 500 * MS);
	rl_op *op = fake_ask(RL_VERB_EXTEND, "tok", 7000);
	CHECK_INT(fake_drive(op), RL_BUSY);
	rl_lease *lease = rl_lease_new(&fake_env, bytes_of("k"), 0, 16, 0, RL_NAMES_PLAIN);
	rl_renewal *renewal = rl_renewal_new(&fake_set, lease);
	rl_renewal_member *member = &renewal->members[put_back];
	member->vote = RL_VOTE_GRANTED;
	member->sent_at = FAKE_START + sent_ms * MS;
	bool is_any = rl_quorum_call_is_overruled(&op->call, renewal);
	renewal->stage = RL_RENEWAL_LOST;
	CHECK(!rl_quorum_call_is_overruled(&op->call, renewal));
	CHECK(!rl_quorum_call_is_overruled(&op->call, NULL));
	free(renewal);
	rl_lease_free(lease);
	fake_end();
	return is_any;
}

static void a_refusal_before_the_lock_was_put_back_does_not_count(void)
{
	CHECK(is_overruled(0, 200));
	CHECK(is_overruled(2, 600));
	CHECK(!is_overruled(2, 200)); /* the refusal came after that */
	CHECK(!is_overruled(0, 0));
	CHECK(!is_overruled(1, 200)); /* the refusal is of another member */
}

static const check_test tests[] = {
	TEST(a_refusal_before_the_lock_was_put_back_does_not_count),

	TEST(a_quorum_says_yes_or_no),
	TEST(the_owner_is_the_token_of_a_quorum),
	TEST(a_reservation_has_no_owner),
	TEST(the_remaining_ttl_is_that_of_a_quorum),
	TEST(late_replies_count_for_a_little_time),
	TEST(any_verb_may_wait_a_little_for_all_members),
	TEST(an_extend_of_a_minority_is_undone),
	TEST(an_extend_of_a_lease_is_undone_only_when_the_lease_is_lost),
	TEST(refusals_decide_the_reason_of_the_loss),
	TEST(an_extend_that_a_minority_runs_late_is_undone_too),
	TEST(an_extend_of_an_abandoned_call_stays),
	TEST(inspect_is_the_view_of_a_majority),
	TEST(an_extend_that_failed_is_not_undone),
	TEST(an_extend_is_proven_since_its_first_sending),
	TEST(a_held_lock_is_released_if_one_member_has_released_it),
	TEST(each_failed_member_is_named),
	TEST(a_member_that_could_not_be_asked_decides_the_kind_of_failure),
	TEST(a_command_that_was_sent_may_have_been_carried_out),
	TEST(a_failed_change_waits_for_the_other_members),
	TEST(a_message_has_room_for_all_members),
	TEST(a_message_names_some_of_too_many_members),
};

CHECK_MAIN(tests, fake_end)
