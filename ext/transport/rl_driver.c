/* SPDX-License-Identifier: MIT
 *
 * The driver. It waits for a single link in recv, which costs one system call, and for several
 * links, or for longer than a moment, in poll.
 *
 * The driver notices a signal that arrives just before recv when recv gives up, RL_SOCKET_BLOCK_NS
 * later at most. In poll it misses no signal.
 */
#include "transport/rl_driver.h"

#include "core/base/rl_time.h"
#include "transport/rl_socket.h"
#include "transport/rl_watchdog.h"

/* The longest sleep in poll. Our clock goes on while the machine is suspended, but the timeout of
 * poll does not, and another thread may interrupt PHP without a signal. */
#define SLEEP_MAX_NS RL_NS_PER_SECOND

/* False = the operation has to be given up. */
static bool let_run(const rl_guard *guard)
{
	return guard == NULL || guard->is_due == NULL || !guard->is_due(guard->ctx) ||
		guard->run(guard->ctx);
}

/* The end of the wait, or of its first part, after which the guard is due. */
static int64_t end_of(const rl_wait *wait, const rl_guard *guard)
{
	bool has_time = guard != NULL && guard->due_at != NULL;
	return has_time ? rl_time_earlier(wait->until, guard->due_at(guard->ctx)) : wait->until;
}

static int64_t earliest_wake(const rl_wait *wait, const rl_guard *guard)
{
	int64_t at = end_of(wait, guard);
	for (unsigned i = 0; i < wait->count; i++) {
		int64_t link_at = rl_link_wake_at(wait->links[i]);
		at = rl_time_earlier(at, link_at);
	}
	return at;
}

/* @param guard NULL = signals do not matter */
static int poll_for(struct pollfd *fds, unsigned count, int64_t sleep, const rl_guard *guard)
{
	return guard != NULL ? rl_os_poll(fds, count, sleep, guard->is_due, guard->ctx)
						 : rl_os_poll(fds, count, sleep, NULL, NULL);
}

static void put_fds(struct pollfd *fds, const rl_wait *wait)
{
	for (unsigned i = 0; i < wait->count; i++) {
		fds[i] = (struct pollfd){
			.fd = rl_link_fd(wait->links[i]), .events = rl_link_events(wait->links[i])};
	}
}

/* Takes in what poll has found.
 * @param heard_at what had arrived by then was found */
static void take_in(const rl_wait *wait, const struct pollfd *fds, int ready, int64_t heard_at,
	const rl_guard *guard, rl_tick *tick)
{
	int64_t now = rl_os_now();
	for (unsigned i = 0; i < wait->count; i++) {
		rl_link_advance(wait->links[i], ready > 0 ? fds[i].revents : 0, now);
	}
	if (ready > 0 && guard != NULL && guard->heard != NULL) {
		guard->heard(fds, wait->count);
	}
	tick->seen = heard_at;
	tick->now = rl_os_now();
}

static void put_numbers(uint64_t *numbers, const rl_wait *wait)
{
	for (unsigned i = 0; i < wait->count; i++) {
		numbers[i] = rl_link_number(wait->links[i]);
	}
}

/* Other code has run, and may have closed links that are in the wait. Looks at the others, without
 * waiting, and lets no other code run again, so that code that is always due cannot stop the
 * operation. */
static void look(
	const rl_net *net, rl_wait *wait, const uint64_t *numbers, const rl_guard *guard, rl_tick *tick)
{
	struct pollfd fds[RL_WAIT_LINKS];
	unsigned open = 0;
	for (unsigned i = 0; i < wait->count; i++) {
		if (rl_net_has(net, wait->links[i], numbers[i])) {
			wait->links[open++] = wait->links[i];
		}
	}
	wait->count = open;
	put_fds(fds, wait);
	int64_t before = rl_os_now();
	take_in(wait, fds, poll_for(fds, wait->count, 0, NULL), before, guard, tick);
}

/* False = the operation has to be given up. */
static bool wait_in_poll(rl_net *net, rl_wait *wait, const rl_guard *guard, rl_tick *tick)
{
	struct pollfd fds[RL_WAIT_LINKS];
	uint64_t numbers[RL_WAIT_LINKS];
	put_fds(fds, wait);
	put_numbers(numbers, wait);
	int64_t at = earliest_wake(wait, guard);
	int64_t before = rl_os_now();
	int64_t sleep = at - before;
	sleep = sleep < 0 ? 0 : sleep > SLEEP_MAX_NS ? SLEEP_MAX_NS : sleep;
	bool yields = guard != NULL && guard->yield != NULL && sleep > 0;
	int ready = poll_for(fds, wait->count, yields ? 0 : sleep, guard);
	if (ready == 0 && yields) {
		switch (guard->yield(guard->ctx, fds, wait->count, at)) {
			case RL_YIELDED:
				look(net, wait, numbers, guard, tick);
				return true;
			case RL_YIELD_ABANDONED:
				return false;
			case RL_YIELD_REFUSED:
				before = rl_os_now();
				ready = poll_for(fds, wait->count, sleep, guard);
				break;
		}
	}
	if (ready < 0) {
		if (!let_run(guard)) {
			return false;
		}
		look(net, wait, numbers, guard, tick);
		return true;
	}
	/* If poll found nothing, nothing had arrived by its timeout. */
	take_in(wait, fds, ready, ready > 0 ? before : before + sleep, guard, tick);
	return true;
}

/* A link that is waited for alone, for longer than a moment, and by no other operation. */
static bool may_block(const rl_wait *wait, const rl_guard *guard, const rl_tick *tick)
{
	return wait->count == 1 && (guard == NULL || guard->heard == NULL) &&
		end_of(wait, guard) - tick->now >= 2 * RL_SOCKET_BLOCK_NS;
}

/* Waits for an event, or for the end of the wait.
 * @param begun_at when the operation has begun
 * @return false = the operation has to be given up */
static bool wait_for(
	rl_net *net, rl_wait *wait, const rl_guard *guard, int64_t begun_at, rl_tick *tick)
{
	if (wait->wants_names || (wait->count == 0 && net->resolver.has_doubts)) {
		rl_resolver_ask_again(&net->resolver, begun_at);
		rl_watchdog_learn(&net->resolver);
	}
	if (may_block(wait, guard, tick) && rl_link_block(wait->links[0]) == RL_LINK_BLOCKED_READ) {
		tick->seen = tick->now;
		tick->now = rl_os_now();
		return true;
	}
	return wait_in_poll(net, wait, guard, tick);
}

bool rl_drive(rl_net *net, rl_op *op, const rl_guard *guard)
{
	rl_tick tick = {.now = rl_os_now()};
	int64_t begun_at = tick.now;
	rl_wait wait;
	while (!rl_op_step(op, &tick, &wait)) {
		if (!wait_for(net, &wait, guard, begun_at, &tick)) {
			return false;
		}
	}
	return true;
}
