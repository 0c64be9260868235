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

/* How a wait has gone. */
typedef enum waited {
	WAITED_READ,      /* what had arrived was read */
	WAITED_RAN,       /* other code has run */
	WAITED_ABANDONED, /* the operation has to be given up */
} waited;

static waited let_run(const rl_guard *guard)
{
	bool is_due = guard != NULL && guard->is_due != NULL && guard->is_due(guard->ctx);
	return !is_due || guard->run(guard->ctx) ? WAITED_RAN : WAITED_ABANDONED;
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

/*
 * Other code may have closed links that are in the wait. So after it has run nothing is read before
 * the operation has taken another step, with the times of the step before. Then the driver looks
 * without waiting, and lets no code run, so that code that is always due cannot stop the operation.
 */
static waited wait_in_poll(const rl_wait *wait, const rl_guard *guard, bool has_run, rl_tick *tick)
{
	struct pollfd fds[RL_WAIT_LINKS];
	for (unsigned i = 0; i < wait->count; i++) {
		fds[i] = (struct pollfd){
			.fd = rl_link_fd(wait->links[i]), .events = rl_link_events(wait->links[i])};
	}
	int64_t at = earliest_wake(wait, guard);
	int64_t before = rl_os_now();
	int64_t sleep = has_run ? 0 : at - before;
	sleep = sleep < 0 ? 0 : sleep > SLEEP_MAX_NS ? SLEEP_MAX_NS : sleep;
	const rl_guard *open = has_run ? NULL : guard;
	bool yields = open != NULL && open->yield != NULL && sleep > 0;
	int ready = poll_for(fds, wait->count, yields ? 0 : sleep, open);
	if (ready == 0 && yields) {
		switch (open->yield(open->ctx, fds, wait->count, at)) {
			case RL_YIELDED:
				return WAITED_RAN;
			case RL_YIELD_ABANDONED:
				return WAITED_ABANDONED;
			case RL_YIELD_REFUSED:
				before = rl_os_now();
				ready = poll_for(fds, wait->count, sleep, open);
				break;
		}
	}
	if (ready < 0) {
		return let_run(open);
	}
	int64_t now = rl_os_now();
	for (unsigned i = 0; i < wait->count; i++) {
		rl_link_advance(wait->links[i], ready > 0 ? fds[i].revents : 0, now);
	}
	/* All that poll found has been read. If poll found nothing, nothing had arrived by its
	 * timeout. */
	tick->seen = ready > 0 ? before : before + sleep;
	tick->now = rl_os_now();
	return WAITED_READ;
}

/* A link that is waited for alone, and for longer than a moment. */
static bool may_block(const rl_wait *wait, const rl_guard *guard, const rl_tick *tick)
{
	return wait->count == 1 && (guard == NULL || guard->yield == NULL) &&
		end_of(wait, guard) - tick->now >= 2 * RL_SOCKET_BLOCK_NS;
}

/* Waits for an event, or for the end of the wait. */
static waited wait_for(rl_net *net, const rl_wait *wait, const rl_guard *guard, rl_tick *tick)
{
	if (wait->wants_names || (wait->count == 0 && net->resolver.has_doubts)) {
		rl_resolver_ask_again(&net->resolver);
		rl_watchdog_learn(&net->resolver);
	}
	if (may_block(wait, guard, tick) && rl_link_block(wait->links[0]) == RL_LINK_BLOCKED_READ) {
		tick->seen = tick->now;
		tick->now = rl_os_now();
		return WAITED_READ;
	}
	return wait_in_poll(wait, guard, false, tick);
}

bool rl_drive(rl_net *net, rl_op *op, const rl_guard *guard)
{
	rl_tick tick = {.now = rl_os_now()};
	rl_wait wait;
	while (!rl_op_step(op, &tick, &wait)) {
		waited latest = wait_for(net, &wait, guard, &tick);
		while (latest == WAITED_RAN) {
			if (rl_op_step(op, &tick, &wait)) {
				return true;
			}
			latest = wait_in_poll(&wait, guard, true, &tick);
		}
		if (latest == WAITED_ABANDONED) {
			return false;
		}
	}
	return true;
}
