/* SPDX-License-Identifier: MIT
 *
 * Records of what is held. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"
#include "php/redislock_held.h"

#include "zend_exceptions.h"

#include <errno.h>

#include "core/rl_farewell.h"
#include "core/rl_time.h"
#include "transport/rl_driver.h"
#include "transport/rl_process.h"
#include "transport/rl_watchdog.h"

/* A server that did not answer a farewell is spared others for this long, or until it grants a lease. */
#define MUTE_NS RL_NS_PER_SECOND

/* The pause until the script is told again of a loss: when it looked at a bad moment, and when it did not look. */
#define TELL_AGAIN_NS (2 * RL_NS_PER_MS)
#define TELL_PAUSE_MAX_NS (100 * RL_NS_PER_MS)

/* So many leases of one server are released in one go. */
#define FAREWELL_MAX 64

/* ---- the watchdog's part ---- */

/* On the watchdog's thread. */
static int64_t on_lost(void *ctx)
{
	redislock_held *held = ctx;
	int state = REDISLOCK_INTERRUPT_NONE;
	if (atomic_compare_exchange_strong(&held->interrupt, &state, REDISLOCK_INTERRUPT_DUE)) {
		atomic_fetch_add(held->due, 1);
		held->tell_pause = TELL_AGAIN_NS;
	} else if (state == REDISLOCK_INTERRUPT_OVER) {
		return 0;
	} else {
		bool was_refused = atomic_exchange(&held->was_refused, false);
		held->tell_pause =
			was_refused ? TELL_AGAIN_NS : rl_time_earlier(2 * held->tell_pause, TELL_PAUSE_MAX_NS);
	}
	zend_atomic_bool_store_ex(held->vm_interrupt, true);
	return held->tell_pause;
}

/* The lock is kept as its holdings want it. */
static void apply_holdings(redislock_held *held)
{
	rl_watched *watched = held->watched;
	watched->renews = false;
	watched->on_lost = NULL;
	watched->ctx = held;
	watched->hold_until = RL_NEVER;
	for (const redislock_holding *holding = held->holdings; holding != NULL;
		 holding = holding->next) {
		watched->renews = watched->renews || holding->keeping.renews;
		watched->on_lost = holding->keeping.interrupts ? on_lost : watched->on_lost;
		watched->hold_until = rl_time_earlier(watched->hold_until, holding->hold_until);
	}
}

/* Makes the watchdog's part of the record. False with an exception. */
static bool prepare_watch(redislock_held *held)
{
	rl_watched *watched = rl_watched_new(&held->home->set, held->lease);
	int sys_errno = ENOMEM;
	if (watched == NULL || rl_watchdog_prepare(watched, &held->home->set, &sys_errno) != RL_OK) {
		rl_error err;
		char text[128];
		free(watched);
		rl_error_set(&err, RL_ERR_MEMORY, sys_errno,
			"no thread to keep the lease alive: %s; it can be had with renew: false",
			rl_os_error_text(sys_errno, text, sizeof text));
		redislock_throw(&err, NULL);
		return false;
	}
	held->watched = watched;
	return true;
}

static void begin_watch(redislock_held *held)
{
	apply_holdings(held);
	rl_watchdog_begin(held->watched, &held->home->set, &REDISLOCK_G(net).resolver);
}

static void set_hold_until(redislock_holding *holding)
{
	holding->hold_until = rl_time_later(rl_os_now(), holding->keeping.max_hold_ns);
}

redislock_holding *redislock_held_enter(redislock_held *held, const redislock_keeping *keeping)
{
	bool is_new_watch = held->watched == NULL && (keeping->renews || keeping->interrupts);
	redislock_holding *holding = malloc(sizeof *holding);
	if (holding == NULL) {
		zend_throw_error(NULL, "Out of memory");
		return NULL;
	}
	if (is_new_watch && !prepare_watch(held)) {
		free(holding);
		return NULL;
	}
	*holding = (redislock_holding){.next = held->holdings, .keeping = *keeping};
	set_hold_until(holding);
	rl_watched *watched = held->is_begun && !is_new_watch ? held->watched : NULL;
	rl_watchdog_hold(watched);
	held->holdings = holding;
	if (watched != NULL) {
		apply_holdings(held);
	}
	rl_watchdog_let_go(watched);
	if (held->is_begun && is_new_watch) {
		begin_watch(held);
	}
	return holding;
}

/* Nobody wants to be told of a loss any more. */
static void forget_interrupt(redislock_held *held)
{
	if (atomic_exchange(&held->interrupt, REDISLOCK_INTERRUPT_OVER) == REDISLOCK_INTERRUPT_DUE) {
		atomic_fetch_sub(held->due, 1);
	}
}

bool redislock_held_exit(redislock_held *held, redislock_holding *holding)
{
	redislock_holding **slot = &held->holdings;
	while (*slot != holding) {
		slot = &(*slot)->next;
	}
	*slot = holding->next;
	free(holding);
	if (held->holdings == NULL) {
		return true;
	}
	if (held->watched != NULL) {
		rl_watchdog_hold(held->watched);
		apply_holdings(held);
		if (held->watched->on_lost == NULL && rl_lease_is_lost(held->lease)) {
			forget_interrupt(held);
		}
		rl_watchdog_let_go(held->watched);
	}
	return false;
}

void redislock_held_begin(redislock_held *held)
{
	held->is_begun = true;
	set_hold_until(held->holdings);
	if (held->watched != NULL) {
		begin_watch(held);
	}
}

void redislock_held_leave(redislock_held *held)
{
	rl_watchdog_pause(held->watched);
	forget_interrupt(held);
}

void redislock_held_left(redislock_held *held)
{
	rl_watched *watched = held->watched;
	held->watched = NULL;
	rl_watchdog_end(watched);
}

/* ---- records ---- */

redislock_held *redislock_held_new(
	redislock_home *home, rl_bytes key, size_t token_room, bool is_own_token)
{
	redislock_held *held = malloc(sizeof *held);
	rl_lease *lease =
		rl_lease_new(&REDISLOCK_G(env), key, home->prefix_len, token_room, home->set.drift_factor);
	if (held == NULL || lease == NULL) {
		free(held);
		rl_lease_free(lease);
		zend_throw_error(NULL, "Out of memory");
		return NULL;
	}
	lease->is_own_token = is_own_token;
	home->refs++;
	redislock_held **list = &REDISLOCK_G(held);
	*held = (redislock_held){.next = *list,
		.link = list,
		.home = home,
		.lease = lease,
		.fiber = EG(current_fiber_context),
		.due = &REDISLOCK_G(interrupts_due),
		.vm_interrupt = &EG(vm_interrupt)};
	if (held->next != NULL) {
		held->next->link = &held->next;
	}
	*list = held;
	return held;
}

void redislock_held_free(redislock_held *held)
{
	redislock_held_leave(held);
	redislock_held_left(held);
	*held->link = held->next;
	if (held->next != NULL) {
		held->next->link = held->link;
	}
	while (held->holdings != NULL) {
		redislock_holding *holding = held->holdings;
		held->holdings = holding->next;
		free(holding);
	}
	rl_lease_free(held->lease);
	redislock_home_unref(held->home);
	free(held);
}

redislock_held *redislock_held_find(const redislock_home *home, rl_bytes key)
{
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (held->home == home && held->fiber == (const void *) EG(current_fiber_context) &&
			held->holdings != NULL && rl_bytes_equal(held->lease->names.key, key) &&
			rl_lease_is_held(held->lease)) {
			return held;
		}
	}
	return NULL;
}

/* Whoever has a quorum of the one leaves no quorum of the other. */
static bool excludes(const rl_set *held, const rl_set *wanted)
{
	unsigned missing = held->count - rl_quorum(held->count); /* may lack it, at most */
	unsigned spare = wanted->count - rl_quorum(wanted->count);
	return rl_set_common(held, wanted) > missing + spare;
}

/* As far as its holdings go. */
static bool is_kept_for_ever(const redislock_held *held)
{
	bool renews = false;
	for (const redislock_holding *holding = held->holdings; holding != NULL;
		 holding = holding->next) {
		if (holding->hold_until != RL_NEVER) {
			return false;
		}
		renews = renews || holding->keeping.renews;
	}
	return renews;
}

bool redislock_held_blocks(const redislock_home *home, rl_bytes key)
{
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (is_kept_for_ever(held) && held->holdings != NULL &&
			rl_bytes_equal(held->lease->names.key, key) && excludes(&held->home->set, &home->set) &&
			rl_lease_is_held(held->lease)) {
			return true;
		}
	}
	return false;
}

void redislock_leases_mute(redislock_home *home, int64_t until)
{
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		const rl_set *other = &held->home->set;
		if (other->count == home->set.count &&
			rl_set_common(other, &home->set) == home->set.count) {
			held->home->mute_until = until;
		}
	}
}

/* Releases several locks of one home. */
static void farewell(redislock_home *home, rl_lease **leases, size_t count, int64_t limit_ns)
{
	int64_t now = rl_os_now();
	if (count == 0) {
		return;
	}
	if (limit_ns <= 0 || now < home->mute_until) {
		rl_stats_add(&rl_process_stats()->failed, count);
		return;
	}
	rl_op *op = rl_farewell_new(
		&home->set, redislock_home_pool(home), &REDISLOCK_G(env), leases, count, limit_ns);
	if (op == NULL) {
		rl_stats_add(&rl_process_stats()->failed, count);
		return;
	}
	rl_drive(&REDISLOCK_G(net), op, NULL);
	/* Who fails at once delays nobody. */
	if (op->status != RL_OK && rl_os_now() - now >= limit_ns / 2) {
		redislock_leases_mute(home, rl_os_now() + MUTE_NS);
	}
	rl_op_free(op);
}

void redislock_held_farewell(redislock_held *held, int64_t limit_ns)
{
	redislock_held_leave(held);
	if (rl_lease_is_open(held->lease)) {
		farewell(held->home, &held->lease, 1, limit_ns);
	}
	redislock_held_left(held);
}

/* Those of the first record's home, so many as go in one go. */
static void farewell_of_one_home(int64_t limit_ns)
{
	rl_lease *leases[FAREWELL_MAX];
	redislock_held *records[FAREWELL_MAX];
	redislock_home *home = REDISLOCK_G(held)->home;
	size_t open = 0;
	size_t count = 0;
	for (redislock_held *held = REDISLOCK_G(held); held != NULL && count < FAREWELL_MAX;
		 held = held->next) {
		if (held->home != home) {
			continue;
		}
		records[count++] = held;
		if (rl_lease_is_open(held->lease)) {
			leases[open++] = held->lease;
		}
	}
	farewell(home, leases, open, limit_ns);
	for (size_t i = 0; i < count; i++) {
		redislock_held_free(records[i]);
	}
}

/* Half of what is left while others are to come: a server that hangs leaves time for those behind it. */
static int64_t share_of_next(int64_t left_ns)
{
	const redislock_home *home = REDISLOCK_G(held)->home;
	for (const redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (held->home != home && rl_lease_is_open(held->lease)) {
			return left_ns / 2;
		}
	}
	return left_ns;
}

void redislock_leases_farewell(void)
{
	int64_t end_at = rl_os_now() + REDISLOCK_FAREWELL_NS;
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		redislock_held_leave(held);
	}
	while (REDISLOCK_G(held) != NULL) {
		farewell_of_one_home(share_of_next(end_at - rl_os_now()));
	}
}
