/* SPDX-License-Identifier: MIT */
#include "calling.h"

#include "check.h"

rl_route *route;

void begin_cluster(const char *seeds)
{
	fake_begin(1);
	route = fake_cluster(0, seeds);
}

void begin_warm_cluster(const char *seeds)
{
	begin_cluster(seeds);
	fake_warm_seeds(route);
}

void begin_cold(void)
{
	fake_begin(1);
	route = fake_sentinels(0, "cde");
	fake_all_name(route, NAMES("a"), 0);
}

void begin_named(int64_t age)
{
	begin_unconnected(age);
	fake_warm_to(rl_route_node(route, 0));
}

void begin_unconnected(int64_t age)
{
	begin_cold();
	fake_warm_seeds(route);
	CHECK(rl_route_name(route, bytes_of("a"), 6379, fake_clock - age) != NULL);
}

void switch_to_b(int64_t delay)
{
	fake_all_name(route, NAMES("b"), delay);
}

static void says(unsigned server, const char *answer)
{
	if (answer != NULL) {
		fake_says(server, answer);
	}
}

void begin_confirmed(const char *answer)
{
	begin_named(2 * SECOND);
	fake_all_name(route, NAMES("a"), 30 * MS);
	says(0, answer);
}

void begin_unconfirmed(const char *answer)
{
	begin_named(2 * SECOND);
	fake_none_answers(route);
	says(0, answer);
}

void begin_switched(int64_t age, const char *of_a, const char *of_b)
{
	begin_named(age);
	switch_to_b(20 * MS);
	says(0, of_a);
	says(1, of_b);
}

rl_op *acquire(void)
{
	return &fake_acquire(30000, 0)->op;
}

rl_op *acquire_own(void)
{
	return &fake_acquire_own(FAKE_DRAWN, 30000, 0)->op;
}

rl_op *fails(rl_op *op, rl_status status)
{
	CHECK_INT(fake_drive(op), status);
	return op;
}

void abandon_later(rl_op *op)
{
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	rl_op_abandon(op, fake_clock, false);
}

void abandon_in_child(rl_op *op)
{
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	fake_forget_log();
	fake_fork();
	rl_op_abandon(op, fake_clock, true);
}
