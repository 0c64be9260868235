/* SPDX-License-Identifier: MIT
 *
 * What a lease knows about itself: proof until its deadline, and loss, which is final.
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

static void a_lease_has_its_names_and_its_token(void)
{
	begin(SECOND);
	CHECK(rl_bytes_equal(lease->names.key, bytes_of("app:k")));
	CHECK(rl_bytes_equal(lease->names.mark, bytes_of("app:k::rl-wait")));
	CHECK(rl_bytes_equal(lease->names.tickets, bytes_of("app:k::rl-wake")));
	CHECK(rl_bytes_equal(rl_lease_token(lease), bytes_of(TOKEN)));
	CHECK_INT(lease->prefix_len, 4);
}

static void a_lease_is_not_held_before_it_is_won(void)
{
	fake_begin(1);
	lease = rl_lease_new(&fake_env, bytes_of("k"), 0, 10, 0.01, RL_NAMES_PLAIN);
	CHECK(!rl_lease_is_held(lease));
	CHECK(!rl_lease_is_open(lease));
	CHECK_INT(rl_lease_remaining(lease), 0);
}

static void a_lease_is_held_until_its_ttl_less_drift(void)
{
	begin(SECOND);
	CHECK_TIME(rl_lease_remaining(lease), SECOND - 12 * MS);
	fake_clock += SECOND - 12 * MS - FAKE_BLINK;
	CHECK(rl_lease_is_held(lease));
	fake_clock += FAKE_BLINK;
	CHECK(!rl_lease_is_held(lease));
	CHECK_INT(rl_lease_remaining(lease), 0);
	CHECK(rl_lease_is_open(lease)); /* the server may still have the key */
}

static void a_late_confirmation_does_not_revive_a_lease(void)
{
	begin(SECOND);
	int64_t asked_at = fake_clock + 900 * MS;
	rl_lease_expect(lease, SECOND);
	fake_clock += SECOND;
	CHECK(!rl_lease_confirm(lease, SECOND, asked_at));
	CHECK(!rl_lease_is_held(lease));
}

static void a_confirmation_counts_from_the_sending_of_its_command(void)
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

static void a_lease_that_a_server_has_disowned_is_not_released(void)
{
	begin(SECOND);
	rl_lease_lose(lease);
	CHECK(!rl_lease_is_held(lease));
	CHECK(!rl_lease_is_open(lease));
	CHECK(!rl_lease_confirm(lease, SECOND, fake_clock));
}

static void a_lease_that_has_expired_may_still_be_disowned(void)
{
	begin(SECOND);
	fake_clock += SECOND;
	CHECK(!rl_lease_is_held(lease));
	rl_lease_lose(lease);
	CHECK(!rl_lease_is_open(lease));
}

/* ---- why ---- */

static void the_first_reason_of_a_loss_stays(void)
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

static void a_lease_that_its_owner_has_left_counts_as_released(void)
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

/* With 1 % of drift, a renewal that goes to the end of the hold proves until 302 ms and a rounding
 * before that end. */
static void a_lease_that_ends_near_the_end_of_its_hold_is_lost_by_max_hold(void)
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
	begin(30 * SECOND); /* before that a server may report the loss */
	atomic_store(&lease->hold_until, fake_clock + 30 * SECOND);
	rl_lease_lose(lease);
	fake_clock += 30 * SECOND;
	CHECK_INT(rl_lease_loss(lease), RL_LOSS_DELETED);
}

static void a_fork_is_the_reason_only_for_a_lease_that_was_held(void)
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

static void the_majority_of_refusals_decides_the_reason(void)
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
		/* An extend without another one beside it counts in full. */
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

static void a_copy_of_a_confirmed_extend_may_still_be_carried_out(void)
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
	CHECK_INT(lease->ttl_ns, 2 * SECOND); /* the TTL that renewals then set */
	fake_clock += SECOND;
	rl_lease_renewing(lease);
	CHECK(rl_lease_renewed(lease, 60 * SECOND, fake_clock));
	CHECK_TIME(rl_lease_remaining(lease), 2 * SECOND - 22 * MS);
}

/* ---- renewals ---- */

static void a_renewal_proves_from_its_sending_and_leaves_the_ttl(void)
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

static void a_late_renewal_does_not_revive_a_lease(void)
{
	begin(SECOND);
	fake_clock += 900 * MS;
	int64_t asked_at = fake_clock;
	rl_lease_renewing(lease);
	fake_clock += 100 * MS; /* without a look at the lease meanwhile */
	CHECK(!rl_lease_renewed(lease, SECOND, asked_at));
	CHECK(!rl_lease_is_held(lease));
	CHECK(rl_lease_is_lost(lease));
	CHECK(rl_lease_is_open(lease)); /* the server has the key */
	CHECK_INT(lease->in_flight, 0);
}

static void a_renewal_does_not_revive_a_lease_that_was_disowned_or_left(void)
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

/* The server may carry out the renewal before the extend, which then shortens the TTL. */
static void the_shorter_of_a_renewal_and_an_extend_counts(void)
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
		/* The next renewal has no extend beside it. */
		lease->ttl_ns = 10 * SECOND;
		rl_lease_renewing(lease);
		CHECK(rl_lease_renewed(lease, 10 * SECOND, fake_clock));
		CHECK_TIME(rl_lease_remaining(lease), 10 * SECOND - 102 * MS);
		clean_up();
	}
}

static void a_renewal_that_is_given_up_is_not_in_flight(void)
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

static void a_renewal_after_an_extend_in_doubt_proves_no_more_than_the_extend(void)
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

static void a_lease_proves_nothing_once_its_release_is_sent(void)
{
	begin(10 * SECOND);
	CHECK(rl_lease_leave(lease));
	CHECK(!rl_lease_is_held(lease));
	CHECK_INT(rl_lease_remaining(lease), 0);
	CHECK(rl_lease_is_open(lease)); /* the release may have to be sent again */
	CHECK(rl_lease_leave(lease));
	CHECK(!rl_lease_confirm(lease, SECOND, fake_clock));
	rl_lease_end(lease);
	CHECK(!rl_lease_is_open(lease));
}

static void a_lost_lease_was_not_held_when_it_is_released(void)
{
	begin(SECOND);
	fake_clock += SECOND;
	CHECK(!rl_lease_leave(lease));
	CHECK(rl_lease_is_open(lease));
	rl_lease_lose(lease);
	CHECK(!rl_lease_leave(lease));
}

/* Another caller that resumes with the same token has the lock, too. */
static void a_lease_with_a_caller_s_token_is_released_only_while_proven(void)
{
	begin(SECOND);
	lease->is_own_token = true;
	CHECK(rl_lease_is_open(lease));
	CHECK(rl_lease_leave(lease));
	CHECK(!rl_lease_is_held(lease));
	CHECK(rl_lease_is_open(lease)); /* the lease was proven just now */
	fake_clock += SECOND;
	CHECK(!rl_lease_is_open(lease));
	clean_up();
	begin(SECOND);
	lease->is_own_token = true;
	fake_clock += SECOND; /* without a look at the lease meanwhile */
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

static void a_forked_child_neither_holds_nor_releases_a_lease(void)
{
	begin(SECOND);
	fake_fork();
	CHECK(!rl_lease_is_open(lease));
	CHECK(!rl_lease_is_held(lease));
	CHECK(!rl_lease_is_open(lease));
}

static const check_test tests[] = {
	TEST(a_lease_has_its_names_and_its_token),
	TEST(a_lease_is_not_held_before_it_is_won),
	TEST(a_lease_is_held_until_its_ttl_less_drift),
	TEST(a_late_confirmation_does_not_revive_a_lease),
	TEST(a_confirmation_counts_from_the_sending_of_its_command),
	TEST(a_confirmation_that_took_its_whole_ttl_is_worth_nothing),
	TEST(the_shorter_ttl_counts_until_the_answer),
	TEST(a_lease_that_a_server_has_disowned_is_not_released),
	TEST(a_lease_that_has_expired_may_still_be_disowned),
	TEST(the_first_reason_of_a_loss_stays),
	TEST(a_lease_that_its_owner_has_left_counts_as_released),
	TEST(a_lease_that_ends_near_the_end_of_its_hold_is_lost_by_max_hold),
	TEST(a_fork_is_the_reason_only_for_a_lease_that_was_held),
	TEST(the_majority_of_refusals_decides_the_reason),
	TEST(the_shorter_of_two_overlapping_extends_counts),
	TEST(an_extend_in_doubt_may_still_be_carried_out),
	TEST(a_copy_of_a_confirmed_extend_may_still_be_carried_out),
	TEST(a_renewal_proves_from_its_sending_and_leaves_the_ttl),
	TEST(a_renewal_never_shortens_what_is_proven),
	TEST(a_late_renewal_does_not_revive_a_lease),
	TEST(a_renewal_does_not_revive_a_lease_that_was_disowned_or_left),
	TEST(the_shorter_of_a_renewal_and_an_extend_counts),
	TEST(a_renewal_that_is_given_up_is_not_in_flight),
	TEST(a_renewal_after_an_extend_in_doubt_proves_no_more_than_the_extend),
	TEST(a_lease_proves_nothing_once_its_release_is_sent),
	TEST(a_lost_lease_was_not_held_when_it_is_released),
	TEST(a_lease_with_a_caller_s_token_is_released_only_while_proven),
	TEST(an_end_is_final),
	TEST(a_forked_child_neither_holds_nor_releases_a_lease),
};

CHECK_MAIN(tests, clean_up)
