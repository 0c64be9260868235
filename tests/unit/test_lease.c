/* SPDX-License-Identifier: MIT
 *
 * What a lease says of itself: proof until its deadline, and loss, which is final.
 */
#include "check.h"
#include "core/lease/rl_lease.h"
#include "fake.h"

#define TOKEN "a token"

static rl_lease *lease;

static void begin(int64_t ttl_ns)
{
	fake_begin(1);
	lease = rl_lease_new(&fake_env, bytes_of("app:k"), 4, 100, 0.01, RL_NAMES_PLAIN);
	rl_lease_begin(lease, bytes_of(TOKEN), ttl_ns, fake_clock + ttl_ns - rl_drift(0.01, ttl_ns));
}

static void clean_up(void)
{
	rl_lease_free(lease);
	lease = NULL;
	fake_end();
}

static void names_and_token(void)
{
	begin(SECOND);
	CHECK(rl_bytes_equal(lease->names.key, bytes_of("app:k")));
	CHECK(rl_bytes_equal(lease->names.mark, bytes_of("app:k::rl-wait")));
	CHECK(rl_bytes_equal(lease->names.tickets, bytes_of("app:k::rl-wake")));
	CHECK(rl_bytes_equal(rl_lease_token(lease), bytes_of(TOKEN)));
	CHECK_INT(lease->prefix_len, 4);
}

static void nothing_is_held_before_it_is_won(void)
{
	fake_begin(1);
	lease = rl_lease_new(&fake_env, bytes_of("k"), 0, 10, 0.01, RL_NAMES_PLAIN);
	CHECK(!rl_lease_is_held(lease));
	CHECK(!rl_lease_is_open(lease));
	CHECK_INT(rl_lease_remaining(lease), 0);
}

static void held_until_the_ttl_less_drift(void)
{
	begin(SECOND);
	CHECK_TIME(rl_lease_remaining(lease), SECOND - 12 * MS);
	fake_clock += SECOND - 12 * MS - FAKE_BLINK;
	CHECK(rl_lease_is_held(lease));
	fake_clock += FAKE_BLINK;
	CHECK(!rl_lease_is_held(lease));
	CHECK_INT(rl_lease_remaining(lease), 0);
	CHECK(rl_lease_is_open(lease)); /* it may still be at the server */
}

static void a_late_confirmation_does_not_bring_it_back(void)
{
	begin(SECOND);
	int64_t asked_at = fake_clock + 900 * MS;
	rl_lease_expect(lease, SECOND);
	fake_clock += SECOND;
	CHECK(!rl_lease_confirm(lease, SECOND, asked_at));
	CHECK(!rl_lease_is_held(lease));
}

static void a_confirmation_counts_from_when_it_was_asked_for(void)
{
	begin(SECOND);
	int64_t asked_at = fake_clock;
	fake_clock += 500 * MS;
	CHECK(rl_lease_confirm(lease, 10 * SECOND, asked_at));
	CHECK_TIME(rl_lease_remaining(lease), 10 * SECOND - 102 * MS - 500 * MS);
	CHECK_INT(lease->ttl_ns, 10 * SECOND);
}

static void a_confirmation_that_took_its_whole_ttl_is_worth_nothing(void)
{
	begin(10 * SECOND);
	int64_t asked_at = fake_clock;
	rl_lease_expect(lease, SECOND);
	fake_clock += SECOND;
	CHECK(!rl_lease_confirm(lease, SECOND, asked_at));
	CHECK(!rl_lease_is_held(lease));
}

static void the_shorter_ttl_counts_until_the_answer(void)
{
	begin(10 * SECOND);
	rl_lease_expect(lease, SECOND);
	CHECK_TIME(rl_lease_remaining(lease), SECOND - 12 * MS);
	rl_lease_expect(lease, 20 * SECOND);
	CHECK_TIME(rl_lease_remaining(lease), SECOND - 12 * MS);
}

static void what_a_server_disowned_is_not_released(void)
{
	begin(SECOND);
	rl_lease_lose(lease);
	CHECK(!rl_lease_is_held(lease));
	CHECK(!rl_lease_is_open(lease));
	CHECK(!rl_lease_confirm(lease, SECOND, fake_clock));
}

static void what_the_clock_ended_may_still_be_disowned(void)
{
	begin(SECOND);
	fake_clock += SECOND;
	CHECK(!rl_lease_is_held(lease));
	rl_lease_lose(lease);
	CHECK(!rl_lease_is_open(lease));
}

/* ---- why ---- */

static void the_first_reason_stays(void)
{
	begin(SECOND);
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_NONE);
	fake_clock += SECOND;
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_EXPIRED);
	rl_lease_lose_by(lease, RL_LOSS_TAKEN_OVER);
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_EXPIRED);
	rl_lease_leave(lease);
	rl_lease_end(lease);
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_EXPIRED);
	clean_up();
	begin(SECOND);
	rl_lease_lose_by(lease, RL_LOSS_TAKEN_OVER);
	rl_lease_lose(lease);
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_TAKEN_OVER);
	clean_up();
	begin(SECOND);
	rl_lease_lose(lease);
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_DELETED);
	fake_clock += 2 * SECOND;
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_DELETED);
}

static void what_was_left_was_released(void)
{
	begin(SECOND);
	CHECK(rl_lease_leave(lease));
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_RELEASED);
	rl_lease_end(lease);
	fake_clock += 2 * SECOND;
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_RELEASED);
	clean_up();
	begin(SECOND);
	rl_lease_give_away(lease);
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_RELEASED);
}

/* With 1 % of drift a renewal that goes to the end of the hold proves until 302 ms and a rounding
 * before it. */
static void a_lease_was_held_for_as_long_as_it_may_be(void)
{
	static const struct {
		int64_t hold_ms;
		rl_loss loss;
	} cases[] = {{29600, RL_LOSS_MAX_HOLD}, {30000, RL_LOSS_MAX_HOLD}, {30001, RL_LOSS_MAX_HOLD},
		{30003, RL_LOSS_EXPIRED}, {60000, RL_LOSS_EXPIRED}};
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin(30 * SECOND);
		atomic_store(&lease->hold_until, fake_clock + cases[i].hold_ms * MS);
		fake_clock += 30 * SECOND;
		CHECK_INT(rl_lease_loss(lease), cases[i].loss);
		CHECK(rl_lease_is_open(lease));
		clean_up();
	}
	begin(30 * SECOND); /* before that a server may say so */
	atomic_store(&lease->hold_until, fake_clock + 30 * SECOND);
	rl_lease_lose(lease);
	fake_clock += 30 * SECOND;
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_DELETED);
}

static void a_childs_is_the_parents(void)
{
	begin(SECOND);
	fake_fork();
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_FORKED);
	clean_up();
	begin(SECOND);
	rl_lease_lose(lease);
	fake_fork();
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_DELETED);
	clean_up();
	begin(SECOND);
	rl_lease_leave(lease);
	rl_lease_end(lease);
	fake_fork();
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_RELEASED);
}

static void the_members_majority_says_why(void)
{
	CHECK_INT(rl_loss_of_refusals(1, 0), RL_LOSS_DELETED);
	CHECK_INT(rl_loss_of_refusals(0, 1), RL_LOSS_TAKEN_OVER);
	CHECK_INT(rl_loss_of_refusals(2, 1), RL_LOSS_DELETED);
	CHECK_INT(rl_loss_of_refusals(1, 1), RL_LOSS_TAKEN_OVER);
	CHECK_INT(rl_loss_of_refusals(0, 0), RL_LOSS_DELETED);
}

static void the_shorter_of_two_overlapping_extends_counts(void)
{
	for (int is_long_first = 0; is_long_first < 2; is_long_first++) {
		begin(10 * SECOND);
		int64_t asked_at = fake_clock;
		int64_t first = is_long_first ? 60 * SECOND : 2 * SECOND;
		int64_t second = is_long_first ? 2 * SECOND : 60 * SECOND;
		rl_lease_expect(lease, first);
		rl_lease_expect(lease, second);
		CHECK(rl_lease_confirm(lease, second, asked_at));
		CHECK(rl_lease_confirm(lease, first, asked_at));
		CHECK_TIME(rl_lease_remaining(lease), 2 * SECOND - 22 * MS);
		/* Alone again, one counts in full. */
		rl_lease_expect(lease, 60 * SECOND);
		CHECK(rl_lease_confirm(lease, 60 * SECOND, fake_clock));
		CHECK_TIME(rl_lease_remaining(lease), 60 * SECOND - 602 * MS);
		clean_up();
	}
}

static void an_extend_in_doubt_may_still_be_carried_out(void)
{
	begin(10 * SECOND);
	rl_lease_expect(lease, 2 * SECOND);
	rl_lease_doubt(lease, 2 * SECOND);
	CHECK_INT(lease->in_flight, 0);
	rl_lease_expect(lease, 60 * SECOND);
	CHECK(rl_lease_confirm(lease, 60 * SECOND, fake_clock + SECOND));
	CHECK_TIME(rl_lease_remaining(lease), SECOND + 2 * SECOND - 22 * MS);
}

static void a_copy_of_one_that_was_confirmed_may_still_be_carried_out(void)
{
	begin(10 * SECOND);
	rl_lease_expect(lease, 2 * SECOND);
	rl_lease_suspect(lease, 2 * SECOND);
	CHECK_INT(lease->in_flight, 1); /* its answer has come, too */
	CHECK(rl_lease_confirm(lease, 2 * SECOND, fake_clock));
	CHECK_INT(lease->in_flight, 0);
	CHECK_TIME(rl_lease_remaining(lease), 2 * SECOND - 22 * MS);
	fake_clock += SECOND;
	rl_lease_expect(lease, 60 * SECOND);
	CHECK(rl_lease_confirm(lease, 60 * SECOND, fake_clock));
	CHECK_TIME(rl_lease_remaining(lease), 2 * SECOND - 22 * MS);
	CHECK_INT(lease->ttl_ns, 2 * SECOND); /* which the renewals then set */
	fake_clock += SECOND;
	rl_lease_renewing(lease);
	CHECK(rl_lease_renewed(lease, 60 * SECOND, fake_clock));
	CHECK_TIME(rl_lease_remaining(lease), 2 * SECOND - 22 * MS);
}

/* ---- renewals ---- */

static void a_renewal_proves_from_when_it_was_asked_for_and_leaves_the_ttl(void)
{
	begin(10 * SECOND);
	fake_clock += 3 * SECOND;
	rl_lease_renewing(lease);
	CHECK_TIME(rl_lease_remaining(lease), 7 * SECOND - 102 * MS); /* nothing is shorter meanwhile */
	int64_t asked_at = fake_clock;
	fake_clock += SECOND;
	CHECK(rl_lease_renewed(lease, 8 * SECOND, asked_at));
	CHECK_TIME(rl_lease_remaining(lease), 7 * SECOND - 82 * MS);
	CHECK_INT(lease->ttl_ns, 10 * SECOND);
	CHECK_INT(lease->in_flight, 0);
}

static void a_renewal_never_shortens_what_is_proven(void)
{
	begin(10 * SECOND);
	rl_lease_renewing(lease);
	CHECK(rl_lease_renewed(lease, SECOND, fake_clock));
	CHECK_TIME(rl_lease_remaining(lease), 10 * SECOND - 102 * MS);
}

static void a_late_renewal_does_not_bring_it_back(void)
{
	begin(SECOND);
	fake_clock += 900 * MS;
	int64_t asked_at = fake_clock;
	rl_lease_renewing(lease);
	fake_clock += 100 * MS; /* and nobody has looked meanwhile */
	CHECK(!rl_lease_renewed(lease, SECOND, asked_at));
	CHECK(!rl_lease_is_held(lease));
	CHECK(rl_lease_is_lost(lease));
	CHECK(rl_lease_is_open(lease)); /* the server has it */
	CHECK_INT(lease->in_flight, 0);
}

static void a_renewal_does_not_bring_back_what_was_disowned_or_left(void)
{
	begin(SECOND);
	rl_lease_renewing(lease);
	rl_lease_lose(lease);
	CHECK(!rl_lease_renewed(lease, SECOND, fake_clock));
	CHECK(!rl_lease_is_open(lease));
	clean_up();
	begin(SECOND);
	rl_lease_renewing(lease);
	CHECK(rl_lease_leave(lease));
	CHECK(!rl_lease_renewed(lease, SECOND, fake_clock));
	CHECK(!rl_lease_is_held(lease));
}

/* The server may carry out the renewal before the prolongation, which then shortens. */
static void beside_a_prolongation_the_shorter_of_both_counts(void)
{
	for (int is_renewal_last = 0; is_renewal_last < 2; is_renewal_last++) {
		begin(10 * SECOND);
		int64_t asked_at = fake_clock;
		rl_lease_renewing(lease);
		rl_lease_expect(lease, 2 * SECOND);
		fake_clock += 100 * MS;
		if (is_renewal_last) {
			CHECK(rl_lease_confirm(lease, 2 * SECOND, asked_at));
			CHECK(rl_lease_renewed(lease, 10 * SECOND, asked_at));
		} else {
			CHECK(rl_lease_renewed(lease, 10 * SECOND, asked_at));
			CHECK_TIME(rl_lease_remaining(lease), 2 * SECOND - 122 * MS);
			CHECK(rl_lease_confirm(lease, 2 * SECOND, asked_at));
		}
		CHECK_TIME(rl_lease_remaining(lease), 2 * SECOND - 122 * MS);
		/* The next renewal has no other beside it. */
		lease->ttl_ns = 10 * SECOND;
		rl_lease_renewing(lease);
		CHECK(rl_lease_renewed(lease, 10 * SECOND, fake_clock));
		CHECK_TIME(rl_lease_remaining(lease), 10 * SECOND - 102 * MS);
		clean_up();
	}
}

static void a_renewal_that_nobody_waits_for_is_over(void)
{
	begin(10 * SECOND);
	rl_lease_renewing(lease);
	rl_lease_expect(lease, 2 * SECOND);
	rl_lease_not_renewed(lease);
	CHECK_INT(lease->in_flight, 1);
	CHECK(rl_lease_confirm(lease, 2 * SECOND, fake_clock));
	CHECK_INT(lease->in_flight, 0);
	rl_lease_expect(lease, 20 * SECOND);
	CHECK(rl_lease_confirm(lease, 20 * SECOND, fake_clock));
	CHECK_TIME(rl_lease_remaining(lease), 20 * SECOND - 202 * MS);
}

static void a_renewal_behind_one_in_doubt_proves_no_more_than_that(void)
{
	begin(10 * SECOND);
	rl_lease_expect(lease, 2 * SECOND);
	rl_lease_doubt(lease, 2 * SECOND);
	fake_clock += SECOND;
	rl_lease_renewing(lease);
	CHECK(rl_lease_renewed(lease, 10 * SECOND, fake_clock));
	CHECK_TIME(rl_lease_remaining(lease), 2 * SECOND - 22 * MS);
}

/* ---- the end ---- */

static void nothing_is_proven_once_its_release_is_asked_for(void)
{
	begin(10 * SECOND);
	CHECK(rl_lease_leave(lease));
	CHECK(!rl_lease_is_held(lease));
	CHECK_INT(rl_lease_remaining(lease), 0);
	CHECK(rl_lease_is_open(lease)); /* it may have to be asked for again */
	CHECK(rl_lease_leave(lease));
	CHECK(!rl_lease_confirm(lease, SECOND, fake_clock));
	rl_lease_end(lease);
	CHECK(!rl_lease_is_open(lease));
}

static void a_lost_one_was_not_held_when_it_is_released(void)
{
	begin(SECOND);
	fake_clock += SECOND;
	CHECK(!rl_lease_leave(lease));
	CHECK(rl_lease_is_open(lease));
	rl_lease_lose(lease);
	CHECK(!rl_lease_leave(lease));
}

/* Who resumes with the same token has the lock, too. */
static void with_a_token_of_its_own_nothing_is_released_by_a_guess(void)
{
	begin(SECOND);
	lease->is_own_token = true;
	CHECK(rl_lease_is_open(lease));
	CHECK(rl_lease_leave(lease));
	CHECK(!rl_lease_is_held(lease));
	CHECK(rl_lease_is_open(lease)); /* it was held just now */
	fake_clock += SECOND;
	CHECK(!rl_lease_is_open(lease));
	clean_up();
	begin(SECOND);
	lease->is_own_token = true;
	fake_clock += SECOND; /* nobody looks meanwhile */
	CHECK(!rl_lease_is_open(lease));
	CHECK(!rl_lease_leave(lease));
	CHECK(!rl_lease_is_open(lease));
}

static void an_end_is_final(void)
{
	begin(SECOND);
	rl_lease_end(lease);
	rl_lease_lose(lease);
	CHECK_INT(lease->stage, RL_LEASE_ENDED);
	CHECK(!rl_lease_confirm(lease, SECOND, fake_clock));
	CHECK(!rl_lease_is_held(lease));
	CHECK(!rl_lease_is_open(lease));
}

static void a_forked_child_has_nothing(void)
{
	begin(SECOND);
	fake_fork();
	CHECK(!rl_lease_is_open(lease));
	CHECK(!rl_lease_is_held(lease));
	CHECK(!rl_lease_is_open(lease));
}

static const check_test tests[] = {
	TEST(names_and_token),
	TEST(nothing_is_held_before_it_is_won),
	TEST(held_until_the_ttl_less_drift),
	TEST(a_late_confirmation_does_not_bring_it_back),
	TEST(a_confirmation_counts_from_when_it_was_asked_for),
	TEST(a_confirmation_that_took_its_whole_ttl_is_worth_nothing),
	TEST(the_shorter_ttl_counts_until_the_answer),
	TEST(what_a_server_disowned_is_not_released),
	TEST(what_the_clock_ended_may_still_be_disowned),
	TEST(the_first_reason_stays),
	TEST(what_was_left_was_released),
	TEST(a_lease_was_held_for_as_long_as_it_may_be),
	TEST(a_childs_is_the_parents),
	TEST(the_members_majority_says_why),
	TEST(the_shorter_of_two_overlapping_extends_counts),
	TEST(an_extend_in_doubt_may_still_be_carried_out),
	TEST(a_copy_of_one_that_was_confirmed_may_still_be_carried_out),
	TEST(a_renewal_proves_from_when_it_was_asked_for_and_leaves_the_ttl),
	TEST(a_renewal_never_shortens_what_is_proven),
	TEST(a_late_renewal_does_not_bring_it_back),
	TEST(a_renewal_does_not_bring_back_what_was_disowned_or_left),
	TEST(beside_a_prolongation_the_shorter_of_both_counts),
	TEST(a_renewal_that_nobody_waits_for_is_over),
	TEST(a_renewal_behind_one_in_doubt_proves_no_more_than_that),
	TEST(nothing_is_proven_once_its_release_is_asked_for),
	TEST(a_lost_one_was_not_held_when_it_is_released),
	TEST(with_a_token_of_its_own_nothing_is_released_by_a_guess),
	TEST(an_end_is_final),
	TEST(a_forked_child_has_nothing),
};

CHECK_MAIN(tests, clean_up)
