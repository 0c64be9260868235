/* SPDX-License-Identifier: MIT
 *
 * No memory, at each place where some is requested, with several members: no crash, no leak, and no
 * key that is left without a report.
 */
#include "check.h"
#include "core/lock/rl_releases.h"
#include "servers.h"
#include "fake_memory.h"

#include <string.h>

#define C 2

static void clean_up(void)
{
	is_counting = false;
	fake_end();
}

static void free_it(void)
{
	fake_alarm = RL_NEVER;
	servers_free_all(C);
}

/* Another client has the lock, and releases it after 50 ms. */
static void begin_held(void)
{
	servers_begin(3);
	servers_take_all("kin", 600000);
	fake_alarm = FAKE_START + 50 * MS;
	fake_on_alarm = free_it;
}

static rl_acquire *take_cold(void)
{
	servers_begin(3);
	rl_pool_clear(&fake_pool);
	fake_memory_fails();
	return fake_acquire(30000, 0);
}

static rl_acquire *take_split(void)
{
	servers_begin(3);
	servers_take(0, "kin", 2);
	servers_take(1, "kin", 2);
	fake_memory_fails();
	return fake_acquire(30000, 0);
}

static rl_acquire *wait_and_be_woken(void)
{
	begin_held();
	fake_memory_fails();
	return fake_acquire(30000, 500 * MS);
}

static rl_acquire *wait_with_an_own_token(void)
{
	begin_held();
	fake_memory_fails();
	return fake_acquire_own("mine", 30000, 500 * MS);
}

static rl_acquire *wait_and_poll(void)
{
	begin_held();
	fake_set.wakes = false;
	fake_memory_fails();
	return fake_acquire(30000, 500 * MS);
}

static rl_acquire *wait_in_vain(void)
{
	begin_held();
	fake_alarm = RL_NEVER;
	fake_memory_fails();
	return fake_acquire(30000, 1200 * MS);
}

typedef struct row {
	const char *name;
	rl_acquire *(*run)(void);
	rl_status wanted;
} row;

static const row rows[] = {
	{"cold", take_cold, RL_OK},
	{"split", take_split, RL_BUSY},
	{"woken", wait_and_be_woken, RL_OK},
	{"own", wait_with_an_own_token, RL_OK},
	{"poll", wait_and_poll, RL_OK},
	{"in vain", wait_in_vain, RL_BUSY},
};

static void check_end(const row *r, const rl_acquire *acquire, rl_status status)
{
	is_counting = false;
	if (acquire == NULL || status == RL_OK) {
		return;
	}
	const char *message = acquire->op.err != NULL ? acquire->op.err->message : "";
	bool is_told = strstr(message, "outcome") != NULL || strstr(message, "undo behind") != NULL;
	CHECK(status == RL_BUSY || message[0] != '\0');
	if (status != RL_BUSY && status != RL_ERR_MEMORY && status != RL_ERR_UNKNOWN) {
		FAIL("%s, allocation %u: %d: %s", r->name, fails_at, (int) status, message);
	}
	/* A refused call does not report what a minority may keep: that key ends by its TTL. */
	if (servers_have_ours() && !is_told && status != RL_BUSY) {
		FAIL("%s, allocation %u: left behind: %s\n%s", r->name, fails_at, message, fake_log());
	}
}

static void fail_each(const row *r, bool lasts)
{
	fails_at = 0;
	is_lasting = lasts;
	rl_acquire *acquire = r->run();
	CHECK_INT(fake_drive(&acquire->op), (int64_t) r->wanted);
	is_counting = false;
	unsigned all = asked;
	fake_end();
	CHECK(all > 4);
	for (fails_at = 1; fails_at <= all; fails_at++) {
		acquire = r->run();
		rl_status status = acquire != NULL ? fake_drive(&acquire->op) : RL_ERR_MEMORY;
		check_end(r, acquire, status);
		fake_end();
	}
}

static void each_allocation_may_fail_once(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fail_each(&rows[i], false);
	}
}

static void all_allocations_from_any_one_on_may_fail(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fail_each(&rows[i], true);
	}
}

/* A member whose command finds no memory counts like a member that fails. */
static void a_quorum_makes_up_for_a_member_without_memory(void)
{
	servers_begin(3);
	fails_at = 2; /* the operation, and the first SET */
	is_lasting = false;
	fake_memory_fails();
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_OK);
	is_counting = false;
	CHECK_COUNT("c1 SET", 0);
	CHECK_TEXT(servers_owner(0), "T1");
	CHECK_TEXT(servers_owner(1), "T1");
}

/* ---- the release of many leases ---- */

static rl_lease *lease_of(const char *key)
{
	rl_lease *lease = rl_lease_new(&fake_env, bytes_of(key), 0, 10, 0.01, RL_NAMES_PLAIN);
	rl_lease_begin(lease, bytes_of("tok"), 30 * SECOND, fake_clock + 29 * SECOND);
	return lease;
}

static void a_release_batch_may_lack_memory(void)
{
	for (unsigned lasts = 0; lasts < 2; lasts++) {
		unsigned all = 1;
		for (unsigned at = 0; at <= all; at++) {
			fake_begin(3);
			rl_lease *leases[] = {lease_of("k1"), lease_of("k2")};
			fails_at = at;
			is_lasting = lasts;
			fake_memory_fails();
			rl_op *op = rl_releases_new(&fake_set, &fake_pool, &fake_env, leases, 2, 200 * MS);
			if (op != NULL) {
				fake_drive(op);
			}
			is_counting = false;
			all = at == 0 ? asked : all;
			CHECK(at > 0 || op->status == RL_OK);
			rl_op_free(op);
			rl_lease_free(leases[0]);
			rl_lease_free(leases[1]);
			fake_end();
		}
		CHECK(all > 5);
	}
}

static const check_test tests[] = {
	TEST(each_allocation_may_fail_once),
	TEST(all_allocations_from_any_one_on_may_fail),
	TEST(a_quorum_makes_up_for_a_member_without_memory),
	TEST(a_release_batch_may_lack_memory),
};

CHECK_MAIN(tests, clean_up)
