/* SPDX-License-Identifier: MIT
 *
 * Records of what is held. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"
#include "php/redislock_held.h"
#include "php/redislock_loss.h"
#include "php/redislock_sigterm.h"

#include "zend_exceptions.h"
#include "zend_observer.h"

#include <errno.h>

#include "core/rl_farewell.h"
#include "core/rl_time.h"
#include "transport/rl_driver.h"
#include "transport/rl_process.h"
#include "transport/rl_watchdog.h"

/* A server that did not answer a farewell is spared others for this long, or until it grants a lease. */
#define MUTE_NS RL_NS_PER_SECOND

/* The pause until the script is told again of a loss: it has not looked yet, or the moment was a bad one. Doubled
 * each time. */
#define TELL_AGAIN_NS (2 * RL_NS_PER_MS)
#define TELL_PAUSE_MAX_NS (100 * RL_NS_PER_MS)

/* So many leases of one server are released in one go. */
#define FAREWELL_MAX 256

/* What a record takes besides its names and its token, more or less; and what all of a request may take: some 10,000
 * with usual keys. They are outside of PHP's memory limit, and as many as the end of a request can release. */
#define RECORD_BYTES 1024
#define RECORDS_BYTES_MAX (11 * 1024 * 1024)

/* ---- the watchdog's part ---- */

/* False when that was done before. */
static bool mark_due(redislock_held *held)
{
	int state = REDISLOCK_LOSS_NONE;
	bool is_new = atomic_compare_exchange_strong(&held->loss, &state, REDISLOCK_LOSS_DUE);
	if (is_new) {
		atomic_fetch_add(held->due, 1);
	}
	return is_new;
}

/* On the watchdog's thread. */
static int64_t on_lost(void *ctx)
{
	redislock_held *held = ctx;
	if (!mark_due(held) && atomic_load(&held->loss) == REDISLOCK_LOSS_OVER) {
		return 0;
	}
	held->tell_pause = held->tell_pause == 0
		? TELL_AGAIN_NS
		: rl_time_earlier(2 * held->tell_pause, TELL_PAUSE_MAX_NS);
	zend_atomic_bool_store_ex(held->vm_interrupt, true);
	return held->tell_pause;
}

static bool has_listener(const redislock_held *held)
{
	const redislock_holding *holding = held->holdings;
	while (holding != NULL && holding->listener == NULL) {
		holding = holding->next;
	}
	return holding != NULL;
}

/* The lock is kept as its holdings want it. */
static void apply_holdings(redislock_held *held)
{
	rl_watched *watched = held->watched;
	watched->renews = false;
	watched->on_lost = has_listener(held) ? on_lost : NULL;
	watched->ctx = held;
	watched->hold_until = RL_NEVER;
	for (const redislock_holding *holding = held->holdings; holding != NULL;
		 holding = holding->next) {
		watched->renews = watched->renews || holding->renews;
		watched->hold_until = rl_time_earlier(watched->hold_until, holding->hold_until);
	}
	atomic_store(&held->lease->hold_until, watched->renews ? watched->hold_until : RL_NEVER);
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
	redislock_sigterm_install();
	return true;
}

static void begin_watch(redislock_held *held)
{
	apply_holdings(held);
	rl_watchdog_begin(held->watched, &held->home->set, &REDISLOCK_G(net).resolver);
}

static void set_hold_until(redislock_holding *holding)
{
	holding->hold_until = rl_time_later(rl_os_now(), holding->max_hold_ns);
}

redislock_holding *redislock_held_enter(
	redislock_held *held, const redislock_keeping *keeping, zend_object *object)
{
	bool is_listening = !Z_ISUNDEF(keeping->on_loss.function);
	bool is_new_watch = held->watched == NULL && (keeping->renews || is_listening);
	redislock_holding *holding = malloc(sizeof *holding);
	if (holding == NULL) {
		zend_throw_error(NULL, "Out of memory");
		return NULL;
	}
	if (is_new_watch && !prepare_watch(held)) {
		free(holding);
		return NULL;
	}
	*holding = (redislock_holding){.next = held->holdings,
		.renews = keeping->renews,
		.max_hold_ns = keeping->max_hold_ns,
		.listener = is_listening ? object : NULL};
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

/* No object wants to be told of a loss any more. */
static void forget_loss(redislock_held *held)
{
	if (atomic_exchange(&held->loss, REDISLOCK_LOSS_OVER) == REDISLOCK_LOSS_DUE) {
		atomic_fetch_sub(held->due, 1);
	}
}

void redislock_held_note_loss(redislock_held *held)
{
	if (rl_lease_is_lost(held->lease) && has_listener(held)) {
		mark_due(held);
	}
}

/* Takes the first that was not told yet; tortured, it stays. */
static zend_object *take_listener(redislock_held *held)
{
	zend_object *listener = NULL;
	for (redislock_holding *holding = held->holdings; holding != NULL && listener == NULL;
		 holding = holding->next) {
		listener = holding->listener;
		holding->listener = redislock_is_tortured() ? listener : NULL;
	}
	if (!has_listener(held)) {
		forget_loss(held);
	}
	return listener;
}

zend_object *redislock_held_next_listener(void)
{
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (atomic_load(&held->loss) != REDISLOCK_LOSS_DUE) {
			continue;
		}
		/* In a forked child a lease ends at the first look. */
		if (rl_lease_is_held(held->lease) || !rl_lease_is_lost(held->lease)) {
			forget_loss(held);
			continue;
		}
		zend_object *listener = take_listener(held);
		if (listener != NULL) {
			return listener;
		}
	}
	return NULL;
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
			forget_loss(held);
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
	forget_loss(held);
}

void redislock_held_left(redislock_held *held)
{
	rl_watched *watched = held->watched;
	held->watched = NULL;
	rl_watchdog_end(watched);
}

/* ---- records ---- */

static size_t bytes_of_record(size_t key_len, size_t token_room)
{
	return RECORD_BYTES + rl_names_size(key_len) + token_room;
}

/* False with an exception. */
static bool has_room(size_t bytes)
{
	if (REDISLOCK_G(held_bytes) + bytes <= RECORDS_BYTES_MAX) {
		return true;
	}
	zend_throw_exception_ex(redislock_ce_exception, 0,
		"no room for another lease: this request keeps %u leases already (about 10000 are allowed, fewer "
		"with long keys); release some, and drop their objects",
		REDISLOCK_G(held_count));
	return false;
}

redislock_held *redislock_held_new(
	redislock_home *home, rl_bytes key, size_t token_room, bool is_own_token)
{
	size_t bytes = bytes_of_record(key.len, token_room);
	if (!has_room(bytes)) {
		return NULL;
	}
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
		.bytes = bytes,
		.fiber = EG(current_fiber_context),
		.due = &REDISLOCK_G(losses_due),
		.vm_interrupt = &EG(vm_interrupt)};
	if (held->next != NULL) {
		held->next->link = &held->next;
	}
	*list = held;
	REDISLOCK_G(held_count)++;
	REDISLOCK_G(held_bytes) += bytes;
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
	REDISLOCK_G(held_count)--;
	REDISLOCK_G(held_bytes) -= held->bytes;
	rl_lease_free(held->lease);
	redislock_home_unref(held->home);
	free(held);
}

/* Its address may be another Fiber's next. */
static void on_fiber_destroyed(zend_fiber_context *fiber)
{
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (held->fiber == (const void *) fiber) {
			held->fiber = NULL;
		}
	}
}

void redislock_held_watch_fibers(void)
{
	zend_observer_fiber_destroy_register(on_fiber_destroyed);
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
		renews = renews || holding->renews;
	}
	return renews;
}

const redislock_held *redislock_held_blocking(const redislock_home *home, rl_bytes key)
{
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (is_kept_for_ever(held) && held->holdings != NULL &&
			rl_bytes_equal(held->lease->names.key, key) && excludes(&held->home->set, &home->set) &&
			rl_lease_is_held(held->lease)) {
			return held;
		}
	}
	return NULL;
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

/* The watchdog repeats the release on these members. */
static void release_late(const redislock_held *held, unsigned members)
{
	const rl_lease *lease = held->lease;
	rl_late_release late = {.set = &held->home->set,
		.key = lease->names.key,
		.token = rl_lease_token(lease),
		.members = members,
		.strays = lease->strays,
		.watched = held->watched,
		.ttl_ns = lease->ttl_ns};
	if (members != 0 && !lease->is_own_token) {
		rl_watchdog_release_late(&late, &REDISLOCK_G(net).resolver);
	}
}

static void release_all_late(redislock_held **records, size_t count)
{
	rl_stats_add(&rl_process_stats()->failed, count);
	for (size_t i = 0; i < count; i++) {
		release_late(records[i], rl_late_all(&records[i]->home->set));
	}
}

/* Releases several locks of one home. @return the operation, NULL = none */
static rl_op *farewell(
	redislock_home *home, redislock_held **records, size_t count, int64_t limit_ns)
{
	rl_lease *leases[FAREWELL_MAX];
	int64_t now = rl_os_now();
	for (size_t i = 0; i < count; i++) {
		leases[i] = records[i]->lease;
	}
	bool is_possible = limit_ns > 0 && now >= home->mute_until;
	rl_op *op = count > 0 && is_possible ? rl_farewell_new(&home->set, redislock_home_pool(home),
											   &REDISLOCK_G(env), leases, count, limit_ns)
										 : NULL;
	if (op == NULL) {
		release_all_late(records, count);
		return NULL;
	}
	rl_drive(&REDISLOCK_G(net), op, NULL);
	/* Who fails at once delays nobody. */
	if (op->status != RL_OK && rl_os_now() - now >= limit_ns / 2) {
		redislock_leases_mute(home, rl_os_now() + MUTE_NS);
	}
	for (size_t i = 0; i < count; i++) {
		release_late(records[i], rl_farewell_missing((rl_farewell *) op, i));
	}
	return op;
}

void redislock_held_farewell(redislock_held *held, int64_t limit_ns, bool throws)
{
	redislock_held_leave(held);
	if (rl_lease_is_open(held->lease)) {
		rl_op *op = farewell(held->home, &held, 1, limit_ns);
		if (op != NULL && throws && rl_farewell_is_barred((rl_farewell *) op, 0)) {
			redislock_throw(op->err, op);
		}
		rl_op_free(op);
	}
	redislock_held_left(held);
}

/* Those of the first record's home, so many as go in one go. */
static void farewell_of_one_home(int64_t limit_ns)
{
	redislock_held *open_records[FAREWELL_MAX];
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
			open_records[open++] = held;
		}
	}
	rl_op_free(farewell(home, open_records, open, limit_ns));
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
