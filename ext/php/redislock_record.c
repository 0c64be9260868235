/* SPDX-License-Identifier: MIT
 *
 * Lease records. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"
#include "php/redislock_record.h"
#include "php/redislock_sigterm.h"
#include "php/redislock_yield.h"

#include "zend_exceptions.h"
#include "zend_observer.h"

#include <errno.h>

#include "core/base/rl_block.h"
#include "core/base/rl_time.h"
#include "core/lock/rl_releases.h"
#include "transport/rl_process.h"
#include "transport/rl_watchdog.h"

/* A server that did not answer the releases of leases in time gets no others for this long, or
 * until it answers. */
#define BACK_OFF_NS RL_NS_PER_SECOND

/* The pause until the VM is interrupted again, because the script has not looked yet, or because
 * PHP allowed no call at that moment. The pause doubles each time. */
#define INTERRUPT_AGAIN_NS (2 * RL_NS_PER_MS)
#define INTERRUPT_PAUSE_MAX_NS (100 * RL_NS_PER_MS)

/* The approximate size of a record without its names and its token, and of all records of a
 * request: some 10,000 with usual keys. PHP's memory limit does not count them. The end of a
 * request can release about as many. */
#define RECORD_BYTES 1024
#define RECORDS_BYTES_MAX (11 * 1024 * 1024)

/* ---- the watchdog's part ---- */

/* False = the record was marked before. */
static bool mark_due(redislock_record *record)
{
	int state = REDISLOCK_LOSS_NONE;
	bool is_new = atomic_compare_exchange_strong(&record->loss, &state, REDISLOCK_LOSS_DUE);
	if (is_new) {
		atomic_fetch_add(record->due, 1);
	}
	return is_new;
}

/* Runs on the watchdog's thread. */
static int64_t on_lost(void *ctx)
{
	redislock_record *record = ctx;
	if (!mark_due(record) && atomic_load(&record->loss) == REDISLOCK_LOSS_OVER) {
		return 0;
	}
	record->interrupt_pause = record->interrupt_pause == 0
		? INTERRUPT_AGAIN_NS
		: rl_time_earlier(2 * record->interrupt_pause, INTERRUPT_PAUSE_MAX_NS);
	zend_atomic_bool_store_ex(record->vm_interrupt, true);
	return record->interrupt_pause;
}

static bool has_listener(const redislock_record *record)
{
	const redislock_ref *ref = record->refs;
	while (ref != NULL && ref->listener == NULL) {
		ref = ref->next;
	}
	return ref != NULL;
}

/* Sets the renewal as the refs want it. */
static void apply_refs(redislock_record *record)
{
	rl_renewal *renewal = record->renewal;
	renewal->renews = false;
	renewal->on_lost = has_listener(record) ? on_lost : NULL;
	renewal->ctx = record;
	renewal->hold_until = RL_NEVER;
	for (const redislock_ref *ref = record->refs; ref != NULL; ref = ref->next) {
		renewal->renews = renewal->renews || ref->term.renews;
		renewal->hold_until = rl_time_earlier(renewal->hold_until, ref->hold_until);
	}
	atomic_store(&record->lease->hold_until, renewal->renews ? renewal->hold_until : RL_NEVER);
}

static void *renewal_room(redislock_record *record)
{
	return (char *) record + rl_aligned(sizeof *record);
}

/* Makes the watchdog's part of the record. False = an exception was thrown. */
static bool prepare_watch(redislock_record *record)
{
	const rl_set *set = &record->client->set;
	rl_renewal *renewal = rl_renewal_put(renewal_room(record), set, record->lease);
	int sys_errno;
	if (rl_watchdog_prepare(renewal, set, &sys_errno) != RL_OK) {
		rl_error err;
		char text[128];
		rl_error_set(&err, RL_ERR_MEMORY, sys_errno,
			"could not start the thread that renews leases: %s; "
			"a lease of one key with renew: false and without onLoss needs no thread",
			rl_os_error_text(sys_errno, text, sizeof text));
		redislock_throw(&err, NULL);
		redislock_note_key(rl_lease_name(record->lease));
		return false;
	}
	record->renewal = renewal;
	redislock_sigterm_install();
	return true;
}

static void begin_watch(redislock_record *record)
{
	apply_refs(record);
	rl_watchdog_begin(record->renewal, &record->client->set, &REDISLOCK_G(net).resolver);
}

/* The object has the lock from now on. */
static void set_hold_until(redislock_ref *ref, int64_t now)
{
	ref->hold_until = rl_time_later(now, ref->term.max_hold_ns);
}

static void free_ref(redislock_record *record, redislock_ref *ref)
{
	if (ref != &record->first_ref) {
		free(ref);
	}
}

redislock_ref *redislock_record_add_ref(
	redislock_record *record, const redislock_policy *policy, zend_object *object)
{
	bool is_first = record->refs == NULL; /* else the lock is won already */
	bool is_listening = redislock_callable_is_set(&policy->on_loss);
	bool is_new_watch = record->renewal == NULL && (policy->term.renews || is_listening);
	redislock_ref *ref = is_first ? &record->first_ref : malloc(sizeof *ref);
	if (ref == NULL) {
		zend_throw_error(NULL, "Out of memory");
		return NULL;
	}
	if (is_new_watch && !prepare_watch(record)) {
		free_ref(record, ref);
		return NULL;
	}
	*ref = (redislock_ref){.next = record->refs,
		.term = policy->term,
		.hold_until = RL_NEVER,
		.listener = is_listening ? object : NULL};
	if (!is_first) {
		set_hold_until(ref, rl_os_now());
	}
	rl_renewal *renewal = is_first || is_new_watch ? NULL : record->renewal;
	rl_watchdog_hold(renewal);
	record->refs = ref;
	if (renewal != NULL) {
		apply_refs(record);
	}
	rl_watchdog_let_go(renewal);
	if (!is_first && is_new_watch) {
		begin_watch(record);
	}
	return ref;
}

/* No onLoss has to be called any more. */
static void forget_loss(redislock_record *record)
{
	if (atomic_exchange(&record->loss, REDISLOCK_LOSS_OVER) == REDISLOCK_LOSS_DUE) {
		atomic_fetch_sub(record->due, 1);
	}
}

void redislock_record_note_loss(redislock_record *record)
{
	if (rl_lease_is_lost(record->lease) && has_listener(record)) {
		mark_due(record);
	}
}

/* Takes the first object whose onLoss was not called yet. */
static zend_object *take_listener(redislock_record *record)
{
	zend_object *listener = NULL;
	for (redislock_ref *ref = record->refs; ref != NULL && listener == NULL; ref = ref->next) {
		listener = ref->listener;
		ref->listener = NULL;
	}
	if (!has_listener(record)) {
		forget_loss(record);
	}
	return listener;
}

zend_object *redislock_record_next_listener(void)
{
	for (redislock_record *record = REDISLOCK_G(records); record != NULL; record = record->next) {
		if (atomic_load(&record->loss) != REDISLOCK_LOSS_DUE) {
			continue;
		}
		/* In a forked child rl_lease_is_held() ends the lease. */
		if (rl_lease_is_held(record->lease) || !rl_lease_is_lost(record->lease)) {
			forget_loss(record);
			continue;
		}
		zend_object *listener = take_listener(record);
		if (listener != NULL) {
			return listener;
		}
	}
	return NULL;
}

static void refs_changed(redislock_record *record)
{
	if (record->renewal == NULL) {
		return;
	}
	rl_watchdog_hold(record->renewal);
	apply_refs(record);
	if (record->renewal->on_lost == NULL && rl_lease_is_lost(record->lease)) {
		forget_loss(record);
	}
	rl_watchdog_let_go(record->renewal);
}

bool redislock_record_drop_ref(redislock_record *record, redislock_ref *ref)
{
	redislock_ref **slot = &record->refs;
	while (*slot != ref) {
		slot = &(*slot)->next;
	}
	*slot = ref->next;
	free_ref(record, ref);
	if (record->refs == NULL) {
		return true;
	}
	refs_changed(record);
	return false;
}

void redislock_record_stop_listening(redislock_record *record, redislock_ref *ref)
{
	ref->listener = NULL;
	refs_changed(record);
}

void redislock_record_set_policy(redislock_record *record, redislock_ref *ref,
	const redislock_policy *policy, zend_object *object)
{
	ref->term = policy->term;
	ref->listener = redislock_callable_is_set(&policy->on_loss) ? object : NULL;
	set_hold_until(ref, rl_os_now());
	refs_changed(record);
}

void redislock_record_won(redislock_record *record, int64_t now)
{
	set_hold_until(record->refs, now);
	if (record->renewal != NULL) {
		begin_watch(record);
	}
}

void redislock_record_pause_watch(redislock_record *record)
{
	rl_watchdog_pause(record->renewal);
	forget_loss(record);
}

void redislock_record_end_watch(redislock_record *record)
{
	rl_renewal *renewal = record->renewal;
	record->renewal = NULL;
	rl_watchdog_end(renewal);
}

/* ---- records ---- */

static size_t bytes_of_record(size_t key_len, size_t token_room)
{
	return RECORD_BYTES + rl_names_size(key_len) + token_room;
}

/* False = an exception was thrown. */
static bool has_room(size_t bytes)
{
	if (REDISLOCK_G(record_bytes) + bytes <= RECORDS_BYTES_MAX) {
		return true;
	}
	zend_throw_exception_ex(redislock_ce_exception, 0,
		"no room for another lease: this request has %u leases already (about 10000 are allowed, "
		"fewer with long keys); release some of them and drop their objects",
		REDISLOCK_G(record_count));
	return false;
}

redislock_record *redislock_record_new(
	redislock_client *client, rl_bytes key, size_t token_room, bool is_own_token)
{
	size_t bytes = bytes_of_record(key.len, token_room);
	if (!has_room(bytes)) {
		redislock_note_key(
			rl_bytes_of(key.data + client->prefix_len, key.len - client->prefix_len));
		return NULL;
	}
	const rl_set *set = &client->set;
	size_t lease_at =
		rl_aligned(sizeof(redislock_record)) + rl_aligned(rl_renewal_size(set->count));
	char *block = malloc(lease_at + rl_lease_size(key.len, token_room));
	if (block == NULL) {
		zend_throw_error(NULL, "Out of memory");
		return NULL;
	}
	redislock_record *record = (redislock_record *) (void *) block;
	rl_lease *lease = rl_lease_put(block + lease_at, &REDISLOCK_G(env), key, client->prefix_len,
		set->drift_factor, set->naming);
	lease->is_own_token = is_own_token;
	client->refs++;
	redislock_record **list = &REDISLOCK_G(records);
	*record = (redislock_record){.next = *list,
		.link = list,
		.client = client,
		.lease = lease,
		.slot = 1,
		.bytes = bytes,
		.flow = redislock_flow_current(),
		.due = &REDISLOCK_G(losses_due),
		.vm_interrupt = &EG(vm_interrupt)};
	if (record->next != NULL) {
		record->next->link = &record->next;
	}
	*list = record;
	REDISLOCK_G(record_count)++;
	REDISLOCK_G(record_bytes) += bytes;
	return record;
}

void redislock_record_free(redislock_record *record)
{
	redislock_record_pause_watch(record);
	redislock_record_end_watch(record);
	*record->link = record->next;
	if (record->next != NULL) {
		record->next->link = record->link;
	}
	while (record->refs != NULL) {
		redislock_ref *ref = record->refs;
		record->refs = ref->next;
		free_ref(record, ref);
	}
	REDISLOCK_G(record_count)--;
	REDISLOCK_G(record_bytes) -= record->bytes;
	rl_lease_clear(record->lease);
	redislock_client_unref(record->client);
	free(record);
}

/* PHP may give the address to another Fiber next. */
static void on_fiber_destroyed(zend_fiber_context *fiber)
{
	for (redislock_record *record = REDISLOCK_G(records); record != NULL; record = record->next) {
		if (record->flow.fiber == (const void *) fiber) {
			record->flow.fiber = NULL;
		}
	}
}

void redislock_record_watch_fibers(void)
{
	zend_observer_fiber_destroy_register(on_fiber_destroyed);
}

static bool is_of(const redislock_record *record, rl_bytes key, bool is_slotted)
{
	const rl_lease *lease = record->lease;
	return is_slotted ? lease->permits > 1 && rl_bytes_equal(lease->names.lock, key)
					  : rl_bytes_equal(lease->names.key, key);
}

redislock_record *redislock_record_find(
	const redislock_client *client, rl_bytes key, bool is_slotted)
{
	for (redislock_record *record = REDISLOCK_G(records); record != NULL; record = record->next) {
		if (record->client == client && record->refs != NULL && is_of(record, key, is_slotted) &&
			redislock_flow_is_current(&record->flow) && rl_lease_is_held(record->lease)) {
			return record;
		}
	}
	return NULL;
}

/* True when a holder of a quorum of one set leaves no quorum of the other set. */
static bool excludes(const rl_set *held, const rl_set *wanted)
{
	unsigned missing = held->count - rl_quorum(held->count); /* may lack the lock */
	unsigned spare = wanted->count - rl_quorum(wanted->count);
	return rl_set_common(held, wanted) > missing + spare;
}

/* As far as its refs decide. */
static bool is_renewed_for_ever(const redislock_record *record)
{
	bool renews = false;
	for (const redislock_ref *ref = record->refs; ref != NULL; ref = ref->next) {
		if (ref->hold_until != RL_NEVER) {
			return false;
		}
		renews = renews || ref->term.renews;
	}
	return renews;
}

const redislock_record *redislock_record_blocking(
	const redislock_client *client, rl_bytes key, bool is_of_flow)
{
	for (redislock_record *record = REDISLOCK_G(records); record != NULL; record = record->next) {
		if (is_renewed_for_ever(record) && record->refs != NULL &&
			rl_bytes_equal(record->lease->names.key, key) &&
			(!is_of_flow || redislock_flow_is_current(&record->flow)) &&
			excludes(&record->client->set, &client->set) && rl_lease_is_held(record->lease)) {
			return record;
		}
	}
	return NULL;
}

void redislock_records_back_off(redislock_client *client, int64_t until)
{
	for (redislock_record *record = REDISLOCK_G(records); record != NULL; record = record->next) {
		const rl_set *other = &record->client->set;
		if (other->count == client->set.count &&
			rl_set_common(other, &client->set) == client->set.count) {
			record->client->backed_off_until = until;
		}
	}
}

void redislock_record_release_late(const redislock_record *record, unsigned members)
{
	const rl_lease *lease = record->lease;
	rl_late_release late = {.set = &record->client->set,
		.key = lease->names.lock,
		.permits = lease->permits,
		/* A copy of the command that took the lock may take another slot. */
		.permit = lease->strays == 0 ? lease->names.key : rl_bytes_of(NULL, 0),
		.token = rl_lease_token(lease),
		.members = members,
		.strays = lease->strays,
		.renewal = record->renewal,
		.ttl_ns = lease->ttl_ns,
		.done_ms = lease->done_ms};
	if (members != 0 && !lease->is_own_token) {
		rl_watchdog_release_late(&late, &REDISLOCK_G(net).resolver);
	}
}

static bool has_quorum_outside_of_memory(const rl_set *set)
{
	unsigned outside = 0;
	for (unsigned i = 0; i < set->count; i++) {
		outside += set->members[i].target->address.kind != RL_NET_MEMORY;
	}
	return outside >= rl_quorum(set->count);
}

void redislock_records_lose_memory(void)
{
	for (redislock_record *record = REDISLOCK_G(records); record != NULL; record = record->next) {
		/* In a forked child rl_lease_is_held() ends the lease. */
		if (has_quorum_outside_of_memory(&record->client->set) ||
			!(rl_lease_is_held(record->lease) || rl_lease_is_lost(record->lease))) {
			continue;
		}
		redislock_record_pause_watch(record);
		rl_lease_lose_by(record->lease, RL_LOSS_DELETED);
		redislock_record_end_watch(record);
	}
}

static void release_all_late(redislock_record **records, size_t count)
{
	rl_stats_add(&rl_process_stats()->failed, count);
	for (size_t i = 0; i < count; i++) {
		if (rl_lease_is_open(records[i]->lease)) { /* not in a forked child */
			redislock_record_release_late(records[i], rl_late_all(&records[i]->client->set));
		}
	}
}

/* Runs the releases. @param[out] call to be ended, with the operation; NULL = there is none
 * @return NULL = the waiter of the script has ended them */
static rl_op *run_releases(
	redislock_client *client, rl_op *op, redislock_release_way way, redislock_call **call)
{
	*call = NULL;
	if (way == REDISLOCK_RELEASE_QUIET || !redislock_yield_is_possible()) {
		redislock_call_block(op);
		return op;
	}
	*call = redislock_call_lend(client, op);
	return *call != NULL ? op : NULL;
}

/* Releases several locks of one client.
 * @param[out] call as run_releases()
 * @return the operation; NULL = no release was sent, or awaited */
static rl_op *release_all(redislock_client *client, redislock_record **records, size_t count,
	int64_t limit_ns, redislock_release_way way, redislock_call **call)
{
	rl_lease *leases[REDISLOCK_RELEASES_MAX];
	int64_t now = rl_os_now();
	for (size_t i = 0; i < count; i++) {
		leases[i] = records[i]->lease;
		rl_watchdog_stop_grants(leases[i]->names.key, rl_lease_token(leases[i]));
	}
	/* The mark of work that is done is what the caller has asked for. */
	bool is_possible = limit_ns > 0 && (now >= client->backed_off_until || leases[0]->done_ms > 0);
	rl_op *op = is_possible
		? rl_releases_new(&client->set, client->pool, &REDISLOCK_G(env), leases, count, limit_ns)
		: NULL;
	op = op != NULL ? run_releases(client, op, way, call) : NULL;
	if (op == NULL) {
		release_all_late(records, count);
		return NULL;
	}
	/* A server that fails at once does not delay the others. */
	if (op->status != RL_OK && rl_os_now() - now >= limit_ns / 2) {
		redislock_records_back_off(client, rl_os_now() + BACK_OFF_NS);
	}
	for (size_t i = 0; i < count; i++) {
		redislock_record_release_late(records[i], rl_releases_missing(op, i));
		rl_watchdog_undo_grants(leases[i]->names.key, rl_lease_token(leases[i]));
	}
	return op;
}

/* Throws for the first of the releases that the servers refuse for good. */
static void throw_barred(const redislock_client *client, const rl_op *op)
{
	const rl_op *barred = rl_releases_barred(op);
	if (barred != NULL) {
		redislock_throw(barred->err, barred);
		redislock_note_op_key(client, barred);
	}
}

void redislock_records_release(
	redislock_record **records, size_t count, int64_t limit_ns, redislock_release_way way)
{
	redislock_record *open_records[REDISLOCK_RELEASES_MAX];
	size_t open = 0;
	for (size_t i = 0; i < count; i++) {
		redislock_record_pause_watch(records[i]);
		if (rl_lease_is_open(records[i]->lease)) {
			open_records[open++] = records[i];
		}
	}
	if (open > 0) {
		redislock_client *client = records[0]->client;
		redislock_call *call = NULL;
		rl_op *op = release_all(client, open_records, open, limit_ns, way, &call);
		if (op != NULL && way == REDISLOCK_RELEASE_THROWS) {
			throw_barred(client, op);
		}
		if (call != NULL) {
			redislock_call_end(call);
		} else {
			rl_op_free(op);
		}
	}
	for (size_t i = 0; i < count; i++) {
		redislock_record_end_watch(records[i]);
	}
}

/* Releases the records of the first record's client, as many as one operation takes, and frees
 * them. */
static void release_one_client(int64_t limit_ns)
{
	redislock_record *records[REDISLOCK_RELEASES_MAX];
	redislock_client *client = REDISLOCK_G(records)->client;
	size_t count = 0;
	for (redislock_record *record = REDISLOCK_G(records);
		 record != NULL && count < REDISLOCK_RELEASES_MAX; record = record->next) {
		if (record->client == client) {
			records[count++] = record;
		}
	}
	redislock_records_release(records, count, limit_ns, REDISLOCK_RELEASE_QUIET);
	for (size_t i = 0; i < count; i++) {
		redislock_record_free(records[i]);
	}
}

/* The time for the next client: half of what is left while other clients are to come, so
 * that a server that hangs leaves time for the others. */
static int64_t limit_of_next(int64_t left_ns)
{
	const redislock_client *client = REDISLOCK_G(records)->client;
	for (const redislock_record *record = REDISLOCK_G(records); record != NULL;
		 record = record->next) {
		if (record->client != client && rl_lease_is_open(record->lease)) {
			return left_ns / 2;
		}
	}
	return left_ns;
}

void redislock_records_release_all(void)
{
	int64_t end_at = rl_os_now() + REDISLOCK_END_LIMIT_NS;
	for (redislock_record *record = REDISLOCK_G(records); record != NULL; record = record->next) {
		redislock_record_pause_watch(record);
	}
	while (REDISLOCK_G(records) != NULL) {
		release_one_client(limit_of_next(end_at - rl_os_now()));
	}
}
