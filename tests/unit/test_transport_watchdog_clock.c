/* SPDX-License-Identifier: MIT
 *
 * The watchdog's thread while a test moves the clock: each renewal comes at its time. The locks are
 * in a server inside the process.
 */
#include "check.h"
#include "core/base/rl_time.h"
#include "memory_link.h"
#include "peer.h"
#include "transport/rl_memory.h"
#include "transport/rl_os.h"
#include "transport/rl_process.h"
#include "transport/rl_watchdog.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define MS RL_NS_PER_MS
#define SECOND RL_NS_PER_SECOND
#define LEASES_MAX 200
#define THREADS 4

static rl_set set;
static rl_target target;
static rl_random stock;
static rl_env env;
static rl_resolver resolver;
static rl_net net;
static rl_link *link_;
static rl_renewal *kept[LEASES_MAX];
static unsigned kept_count;
static char name[] = "memory://server";
static char host[] = "server";

static void drop_all(void)
{
	for (unsigned i = 0; i < kept_count; i++) {
		rl_lease *lease = kept[i]->lease;
		rl_watchdog_pause(kept[i]);
		rl_lease_end(lease);
		rl_watchdog_end(kept[i]);
		free(kept[i]);
		rl_lease_free(lease);
	}
	kept_count = 0;
}

static void clean_up(void)
{
	drop_all();
	rl_watchdog_stop();
	if (link_ != NULL) {
		net.transport.close(link_);
		link_ = NULL;
	}
	rl_net_destroy(&net);
	rl_memory_tear_down();
}

static void begin(rl_fault fault)
{
	rl_process_watch_forks();
	rl_memory_set_up();
	rl_watchdog_set_up();
	env = rl_process_env(&stock);
	memset(rl_process_stats(), 0, sizeof *rl_process_stats());
	target = (rl_target){
		.refs = 1, .name = name, .address = {.kind = RL_NET_MEMORY, .host = host, .fault = fault}};
	set = (rl_set){.count = 1, .drift_factor = 0.01};
	set.members[0] =
		(rl_member){.target = &target, .timeout_ns = SECOND, .connect_timeout_ns = SECOND};
	rl_net_init(&net);
	link_ = memory_dial(&net, host, RL_FAULT_NONE, NULL);
}

/* Takes a lock, and has it renewed. */
static rl_renewal *keep(int64_t ttl_ms)
{
	char key[16];
	char command[64];
	int sys_errno;
	int len = snprintf(key, sizeof key, "k%u", kept_count);
	snprintf(command, sizeof command, "SET %s tok NX PX %lld", key, (long long) ttl_ms);
	int64_t ttl = ttl_ms * MS;
	int64_t held_until = rl_os_now() + ttl - rl_drift(0.01, ttl);
	memory_say(link_, command);
	CHECK_TEXT(memory_hear(link_), "+OK");
	rl_lease *lease =
		rl_lease_new(&env, rl_bytes_of(key, (size_t) len), 0, 16, 0.01, RL_NAMES_PLAIN);
	rl_renewal *renewal = rl_renewal_new(&set, lease);
	CHECK_INT(rl_watchdog_prepare(renewal, &set, &sys_errno), RL_OK);
	renewal->renews = true;
	rl_lease_begin(lease, bytes_of("tok"), ttl, held_until);
	kept[kept_count++] = renewal;
	rl_watchdog_begin(renewal, &set, &resolver);
	return renewal;
}

static uint64_t renewed(void)
{
	return atomic_load(&rl_process_stats()->renewed);
}

static uint64_t lost(void)
{
	return atomic_load(&rl_process_stats()->lost);
}

/* Moves the clock as RedisLock::advance() does. */
static void pass(int64_t ns)
{
	int64_t until = rl_os_now() + ns;
	int64_t due = rl_watchdog_await_rest();
	while (rl_os_now() < until) {
		rl_os_advance_to(rl_time_earlier(due, until));
		due = rl_watchdog_await_rest();
	}
}

/* ---- the clock ---- */

static void the_clock_goes_to_a_time_and_never_back(void)
{
	int64_t before = rl_os_now();
	CHECK(rl_os_advance_to(before + 100 * SECOND));
	int64_t now = rl_os_now();
	CHECK(now >= before + 100 * SECOND && now < before + 160 * SECOND);
	CHECK(rl_os_advance_to(before + 50 * SECOND));
	CHECK(rl_os_now() >= now);
	CHECK(!rl_os_advance_to(now + INT64_C(100) * 366 * 86400 * SECOND));
	CHECK(rl_os_now() < now + 60 * SECOND);
}

/* ---- settling ---- */

static void settling_without_a_thread_waits_for_nothing(void)
{
	begin(RL_FAULT_NONE);
	CHECK_INT(rl_watchdog_await_rest(), RL_NEVER);
	keep(60000);
	rl_watchdog_stop();
	CHECK_INT(rl_watchdog_await_rest(), RL_NEVER);
}

static void settling_returns_at_once_if_nothing_is_due(void)
{
	begin(RL_FAULT_NONE);
	keep(60000);
	int64_t due = rl_watchdog_await_rest();
	int64_t now = rl_os_now();
	CHECK(due > now && due < now + 60 * SECOND);
	for (unsigned i = 0; i < 100; i++) {
		CHECK_INT(rl_watchdog_await_rest(), due);
	}
	CHECK(rl_os_now() - now < SECOND / 2);
	CHECK_INT(renewed(), 0);
	drop_all();
	CHECK(rl_watchdog_await_rest() >= due); /* no lease is left; connections may still end */
}

static void settling_returns_after_all_due_renewals(void)
{
	begin(RL_FAULT_NONE);
	rl_renewal *one = keep(3000);
	for (unsigned i = 1; i <= 100; i++) {
		CHECK(rl_os_advance_to(rl_watchdog_await_rest()));
		rl_watchdog_await_rest();
		CHECK_INT(renewed(), i);
		CHECK(rl_lease_is_held(one->lease));
	}
	CHECK_INT(lost(), 0);
}

static void leases_are_renewed_at_their_times(void)
{
	begin(RL_FAULT_NONE);
	rl_renewal *short_one = keep(1000);
	rl_renewal *long_one = keep(60000);
	int64_t before = rl_os_now();
	pass(600 * SECOND);
	CHECK(rl_os_now() - before < 660 * SECOND);
	CHECK(rl_lease_is_held(short_one->lease));
	CHECK(rl_lease_is_held(long_one->lease));
	/* Three in each TTL, or a little more: 1800 and 30. */
	CHECK(renewed() >= 1200 && renewed() <= 2400);
	CHECK_INT(lost(), 0);
	memory_say(link_, "EXISTS k0");
	CHECK_TEXT(memory_hear(link_), ":1");
}

static void a_lease_that_cannot_be_renewed_ends_at_its_time(void)
{
	static const rl_fault faults[] = {
		RL_FAULT_REFUSED, RL_FAULT_TIMEOUT, RL_FAULT_READONLY, RL_FAULT_LOST_REPLY};
	for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		begin(faults[i]);
		rl_renewal *one = keep(10000);
		pass(8 * SECOND);
		CHECK(rl_lease_is_held(one->lease));
		pass(2 * SECOND);
		CHECK(!rl_lease_is_held(one->lease));
		CHECK_INT(lost(), 1);
		CHECK_INT(renewed(), 0);
		clean_up();
	}
}

/* All threads move the same clock. The sum of their times passes as if each of them had slept. */
static void *pass_an_hour(void *unused)
{
	pass(3600 * SECOND);
	return unused;
}

static void several_threads_may_move_the_clock_at_once(void)
{
	pthread_t threads[THREADS];
	begin(RL_FAULT_NONE);
	for (unsigned i = 0; i < 20; i++) {
		keep(2000);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		CHECK_INT(pthread_create(&threads[i], NULL, pass_an_hour, NULL), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	CHECK_INT(lost(), 0);
	for (unsigned i = 0; i < kept_count; i++) {
		CHECK(rl_lease_is_held(kept[i]->lease));
	}
}

static const check_test tests[] = {
	TEST(the_clock_goes_to_a_time_and_never_back),
	TEST(settling_without_a_thread_waits_for_nothing),
	TEST(settling_returns_at_once_if_nothing_is_due),
	TEST(settling_returns_after_all_due_renewals),
	TEST(leases_are_renewed_at_their_times),
	TEST(a_lease_that_cannot_be_renewed_ends_at_its_time),
	TEST(several_threads_may_move_the_clock_at_once),
};

CHECK_MAIN(tests, clean_up)
