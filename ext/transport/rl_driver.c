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
	return guard == NULL || !guard->is_due(guard->ctx) || guard->run(guard->ctx);
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

static bool wait_in_poll(const rl_wait *wait, const rl_guard *guard, rl_tick *tick)
{
	struct pollfd fds[RL_WAIT_LINKS];
	for (unsigned i = 0; i < wait->count; i++) {
		fds[i] = (struct pollfd){
			.fd = rl_link_fd(wait->links[i]), .events = rl_link_events(wait->links[i])};
	}
	int64_t before = rl_os_now();
	int64_t sleep = earliest_wake(wait, guard) - before;
	sleep = sleep < 0 ? 0 : sleep > SLEEP_MAX_NS ? SLEEP_MAX_NS : sleep;
	int ready = guard != NULL ? rl_os_poll(fds, wait->count, sleep, guard->is_due, guard->ctx)
							  : rl_os_poll(fds, wait->count, sleep, NULL, NULL);
	if (ready < 0) {
		if (!let_run(guard)) {
			return false;
		}
		/* Polls once in between, so that a guard that is always due cannot stop the operation. */
		before = rl_os_now();
		sleep = 0;
		ready = rl_os_poll(fds, wait->count, 0, NULL, NULL);
	}
	int64_t now = rl_os_now();
	for (unsigned i = 0; i < wait->count; i++) {
		rl_link_advance(wait->links[i], ready > 0 ? fds[i].revents : 0, now);
	}
	/* All that poll found has been read. If poll found nothing, nothing had arrived by its
	 * timeout. */
	tick->seen = ready > 0 ? before : before + sleep;
	tick->now = rl_os_now();
	return true;
}

/* Waits for an event, or for the end of the wait. False = the operation has to be given up. */
static bool wait_for(rl_net *net, const rl_wait *wait, const rl_guard *guard, rl_tick *tick)
{
	if (wait->wants_names || (wait->count == 0 && net->resolver.has_doubts)) {
		rl_resolver_ask_again(&net->resolver);
		rl_watchdog_learn(&net->resolver);
	}
	if (wait->count != 1 || end_of(wait, guard) - tick->now < 2 * RL_SOCKET_BLOCK_NS) {
		return wait_in_poll(wait, guard, tick);
	}
	switch (rl_link_block(wait->links[0])) {
		case RL_LINK_BLOCKED_READ:
			tick->seen = tick->now;
			tick->now = rl_os_now();
			return true;
		case RL_LINK_BLOCKED_INTERRUPTED:
		case RL_LINK_BLOCKED_NOTHING:
			break;
	}
	return wait_in_poll(wait, guard, tick);
}

bool rl_drive(rl_net *net, rl_op *op, const rl_guard *guard)
{
	rl_tick tick = {.now = rl_os_now()};
	rl_wait wait;
	while (!rl_op_step(op, &tick, &wait)) {
		if (!wait_for(net, &wait, guard, &tick)) {
			return false;
		}
	}
	return true;
}
