/* SPDX-License-Identifier: MIT
 *
 * Errands to clusters and behind Sentinels without memory, at each place where some is
 * requested: no crash, no leak, no grant that stays, and no success without a grant.
 */
#include "calling.h"
#include "check.h"
#include "fake_memory.h"

#define PLACES 70

static void clean_up(void)
{
	is_counting = false;
	fails_at = 0;
	fake_end();
}

/* A flow makes its plan, and then the operation. */
typedef rl_op *(*flow)(void);

static rl_op *failing_acquire(const char *token)
{
	fake_memory_fails();
	rl_acquire *op = token == NULL ? fake_acquire(30000, 0) : fake_acquire_own(token, 30000, 0);
	return op != NULL ? &op->op : NULL;
}

static rl_op *cold(void)
{
	begin_cold();
	fake_says(0, "+OK");
	return failing_acquire(NULL);
}

static rl_op *checked(void)
{
	begin_named(2 * SECOND);
	fake_says(0, "+OK");
	return failing_acquire(NULL);
}

static rl_op *switched(void)
{
	begin_switched(2 * SECOND, "+OK", "*:1 :0");
	return failing_acquire(NULL);
}

static rl_op *switched_with_an_own_token(void)
{
	begin_switched(2 * SECOND, "+OK", "*:1 :0");
	fake_says(1, ":1");
	return failing_acquire("mine");
}

static rl_op *readonly(void)
{
	begin_switched(0, "-READONLY x", "+OK");
	return failing_acquire(NULL);
}

static rl_op *question(void)
{
	begin_switched(2 * SECOND, "$token", "$other");
	fake_memory_fails();
	return fake_ask(RL_VERB_OWNER, "", 0);
}

static rl_op *moved(void)
{
	begin_cluster("a");
	route->map_due = 0;
	fake_warm(0);
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "+OK");
	return failing_acquire(NULL);
}

static rl_op *asked_elsewhere(void)
{
	begin_warm_cluster("a");
	fake_says(0, ASK_AT("b"));
	fake_says(1, "+OK");
	return failing_acquire(FAKE_DRAWN);
}

/* A flow succeeds at the last node, which is a or b, or it fails with a reason. */
static void try_each_place(flow make)
{
	unsigned successes = 0;
	for (fails_at = 1; fails_at < PLACES; fails_at++) {
		rl_op *op = make();
		rl_status status = op != NULL ? fake_drive(op) : RL_ERR_MEMORY;
		fake_memory_works();
		CHECK(op == NULL || status == RL_OK || op->err->message[0] != '\0');
		CHECK(status != RL_BUSY);
		/* A question counts without Sentinels, too. */
		bool ends_at_a = make == cold || make == checked || make == question;
		CHECK(status != RL_OK || ends_at_a || fake_count("b1 dial") > 0);
		successes += status == RL_OK;
		fake_end();
	}
	CHECK(successes > 0);
	fails_at = 0;
}

static void a_cold_call_may_lack_memory(void)
{
	try_each_place(cold);
}

static void a_call_that_is_checked_may_lack_memory(void)
{
	try_each_place(checked);
}

static void a_call_that_is_switched_may_lack_memory(void)
{
	try_each_place(switched);
	try_each_place(switched_with_an_own_token);
	try_each_place(readonly);
	try_each_place(question);
}

static void a_call_that_is_redirected_may_lack_memory(void)
{
	try_each_place(moved);
	try_each_place(asked_elsewhere);
}

/* No lookup can be made, so the grant cannot be checked, and is undone. */
static void a_grant_that_cannot_be_checked_is_undone(void)
{
	begin_named(2 * SECOND);
	fake_acts(0, FAKE_SAY, "+OK", 10 * MS);
	rl_op *op = acquire();
	CHECK_INT(fake_drive_without_malloc(op), RL_ERR_UNCONFIRMED);
	CHECK_HAS(op->err->message, "out of memory");
	CHECK_HAS(fake_log(), "10 a1 RELEASE k T1\n");
	CHECK_COUNT("SENTINEL", 0);
}

static void a_cold_call_without_a_lookup_fails(void)
{
	begin_cold();
	CHECK_INT(fake_drive_without_malloc(acquire()), RL_ERR_MEMORY);
	CHECK_INT(fake_ms(), 0);
}

static void a_call_fails_if_its_primary_refuses_and_no_lookup_can_be_made(void)
{
	begin_named(0);
	fake_says(0, "-READONLY x");
	CHECK_INT(fake_drive_without_malloc(acquire()), RL_ERR_MEMORY);
	CHECK_INT(fake_ms(), 0);
}

static const check_test tests[] = {
	TEST(a_cold_call_may_lack_memory),
	TEST(a_call_that_is_checked_may_lack_memory),
	TEST(a_call_that_is_switched_may_lack_memory),
	TEST(a_call_that_is_redirected_may_lack_memory),
	TEST(a_grant_that_cannot_be_checked_is_undone),
	TEST(a_cold_call_without_a_lookup_fails),
	TEST(a_call_fails_if_its_primary_refuses_and_no_lookup_can_be_made),
};

CHECK_MAIN(tests, clean_up)
