/* SPDX-License-Identifier: MIT
 *
 * The class RedisLockLease. The design is in the header.
 */
#include "php_redislock.h"

#include "php/compat.h"
#include "php/redislock_exception.h"
#include "php/redislock_lease.h"
#include "php/redislock_options.h"
#include "php/redislock_record_ask.h"

#include "zend_exceptions.h"
#include "zend_fibers.h"

#include "core/base/rl_time.h"
#include "transport/rl_watchdog.h"

/* The part of an object that is about one key. */
typedef struct redislock_part {
	redislock_record *record;
	/* NULL = the object is over: it was released or detached. All its parts end together. */
	redislock_ref *ref;
} redislock_part;

typedef struct redislock_lease_object {
	/* One for each key, in their order: owned, unless it is the field one. */
	redislock_part *parts;
	unsigned count; /* 0 = the object was not set up */
	redislock_part one;
	/* The part that was found lost first; NULL = none was. */
	const redislock_part *lost;
	/* The reason why the object is over. */
	rl_loss loss;
	/* Owned. Not set = the script gave none, it was called, or the lease is over. */
	redislock_callable on_loss;
	redislock_call_site call_site;
	int64_t since;
	int64_t ended_at;
	int64_t waited_ns;
	uint64_t attempts;
	zend_object std;
} redislock_lease_object;

static zend_class_entry *ce_lease;
static zend_object_handlers handlers;

static inline redislock_lease_object *from_obj(zend_object *object)
{
	return (redislock_lease_object *) ((char *) object - offsetof(redislock_lease_object, std));
}

/* ---- objects ---- */

static zend_object *create_object(zend_class_entry *ce)
{
	redislock_lease_object *object = zend_object_alloc(sizeof *object, ce);
	memset(object, 0, offsetof(redislock_lease_object, std));
	zend_object_std_init(&object->std, ce);
	object_properties_init(&object->std, ce);
	object->std.handlers = &handlers;
	return &object->std;
}

int redislock_compare_identity(zval *a, zval *b)
{
	if (Z_TYPE_P(a) == IS_OBJECT && Z_TYPE_P(b) == IS_OBJECT) {
		return Z_OBJ_P(a) == Z_OBJ_P(b) ? 0 : ZEND_UNCOMPARABLE;
	}
	return zend_std_compare_objects(a, b); /* one is null or true */
}

/* True while PHP code may still run. Afterwards the end of the request releases the lock. */
static bool is_script_running(void)
{
	/* Shutdown functions run even after a fatal error. */
	bool is_ending = (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0;
	return is_ending ? EG(current_execute_data) != NULL : !CG(unclean_shutdown);
}

static bool is_over(const redislock_lease_object *object)
{
	return object->parts[0].ref == NULL;
}

/* True when a part is lost. A loss is final. */
static bool has_lost(redislock_lease_object *object)
{
	for (unsigned i = 0; i < object->count && object->lost == NULL; i++) {
		if (!rl_lease_is_held(object->parts[i].record->lease)) {
			object->lost = &object->parts[i];
		}
	}
	return object->lost != NULL;
}

static bool is_held(redislock_lease_object *object)
{
	return !is_over(object) && !has_lost(object);
}

/* The lease that messages name: the lost one, or the first. */
static rl_lease *named_lease(const redislock_lease_object *object)
{
	return object->lost != NULL ? object->lost->record->lease : object->parts[0].record->lease;
}

/* Why the object does not hold all of its locks. */
static rl_loss loss_of(redislock_lease_object *object)
{
	if (is_over(object)) {
		return object->loss;
	}
	return has_lost(object) ? rl_lease_loss(object->lost->record->lease) : RL_LOSS_NONE;
}

/* ---- onLoss ---- */

/* May run destructors. */
static void drop_on_loss(redislock_lease_object *object)
{
	redislock_callable dropped = redislock_callable_take(&object->on_loss);
	redislock_callable_free(&dropped);
}

/* The lease is held, and goes on without its onLoss. False = a destructor has thrown. */
static bool stop_listening(redislock_lease_object *object)
{
	if (redislock_callable_is_set(&object->on_loss)) {
		redislock_record_stop_listening(object->parts[0].record, object->parts[0].ref);
		drop_on_loss(object);
	}
	return EG(exception) == NULL;
}

/* Calls the object's onLoss for the last time. */
static void call_on_loss(redislock_lease_object *object)
{
	if (!redislock_callable_is_set(&object->on_loss)) {
		return;
	}
	redislock_callable on_loss = redislock_callable_take(&object->on_loss);
	redislock_callable_call(&on_loss, &object->std);
	redislock_callable_free(&on_loss);
}

/* True where PHP's rules for signal handlers allow to call the script: also while the request shuts
 * down, as long as a function of the script runs. */
static bool may_call_script(void)
{
	return EG(active) && EG(exception) == NULL && !zend_fiber_switch_blocked() &&
		!CG(unclean_shutdown) && EG(current_execute_data) != NULL;
}

void redislock_lease_report_losses(void)
{
	while (atomic_load(&REDISLOCK_G(losses_due)) > 0 && may_call_script()) {
		zend_object *listener = redislock_record_next_listener();
		if (listener == NULL) {
			return;
		}
		GC_ADDREF(listener); /* the callable may drop the last other reference */
		call_on_loss(from_obj(listener));
		OBJ_RELEASE(listener);
	}
}

/* For the garbage collector: a callable that refers to its own lease is a cycle. */
static HashTable *get_gc(zend_object *std, zval **table, int *count)
{
	redislock_lease_object *object = from_obj(std);
	if (!redislock_callable_is_set(&object->on_loss)) {
		return zend_std_get_gc(std, table, count);
	}
	zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
	redislock_callable_add_gc(&object->on_loss, buffer);
	zend_get_gc_buffer_use(buffer, table, count);
	return NULL;
}

/* ---- life ---- */

/* Ends the object's parts in the records.
 * @param loss what loss_of() says
 * @param[out] last the records in which no other object has a part; room for all
 * @return their number */
static unsigned end_refs(redislock_lease_object *object, rl_loss loss, redislock_record **last)
{
	unsigned count = 0;
	object->loss = loss == RL_LOSS_NONE ? RL_LOSS_RELEASED : loss;
	object->ended_at = rl_os_now();
	for (unsigned i = 0; i < object->count; i++) {
		redislock_part *part = &object->parts[i];
		redislock_ref *ref = part->ref;
		part->ref = NULL;
		if (redislock_record_drop_ref(part->record, ref)) {
			last[count++] = part->record;
		}
	}
	return count;
}

/* Ends the object, and frees the locks that no other object holds. */
static void end_object(
	redislock_lease_object *object, rl_loss loss, int64_t limit_ns, redislock_release_way way)
{
	redislock_record *last[REDISLOCK_KEYS_MAX];
	unsigned count = end_refs(object, loss, last);
	redislock_records_release(last, count, limit_ns, way);
}

/* Takes the last part, which has ended, off the object. */
static void drop_part(redislock_lease_object *object)
{
	redislock_record *record = object->parts[--object->count].record;
	record->objects--;
	if (record->objects == 0) {
		redislock_record_free(record);
	}
	object->lost = NULL;
}

static void drop_parts(redislock_lease_object *object)
{
	while (object->count > 0) {
		drop_part(object);
	}
}

void redislock_lease_set_call_site(zval *zv, redislock_call_site call_site)
{
	from_obj(Z_OBJ_P(zv))->call_site = call_site;
}

/* PHP calls this before free_object(). The warning may run the script's error handler, which may
 * throw. */
static void destroy_object(zend_object *std)
{
	redislock_lease_object *object = from_obj(std);
	if (object->count > 0 && is_held(object) && object->parts[0].record->refs->next == NULL &&
		is_script_running() && redislock_call_site_discards(&object->call_site, std)) {
		char shown[RL_BYTES_TEXT];
		zend_error(E_WARNING,
			"the lock \"%s\" is released by the statement that took it, and protects nothing: "
			"keep the RedisLockLease in a variable",
			rl_bytes_text(rl_lease_name(object->parts[0].record->lease), shown));
	}
	zend_objects_destroy_object(std);
}

static void free_object(zend_object *std)
{
	redislock_lease_object *object = from_obj(std);
	bool is_open = object->count > 0 && !is_over(object);
	if (is_script_running()) {
		if (is_open) {
			end_object(object, loss_of(object), REDISLOCK_END_LIMIT_NS, REDISLOCK_RELEASE_QUIET);
		}
		drop_parts(object);
	} else if (is_open) {
		/* The records stay on the request's list. */
		for (unsigned i = 0; i < object->count; i++) {
			object->parts[i].ref->listener = NULL;
		}
	}
	object->count = 0;
	if (object->parts != &object->one && object->parts != NULL) {
		efree(object->parts);
	}
	drop_on_loss(object);
	zend_object_std_dtor(std);
}

void redislock_lease_make(zval *zv, unsigned keys, const redislock_policy *policy)
{
	object_init_ex(zv, ce_lease);
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	object->parts = keys == 1 ? &object->one : safe_emalloc(keys, sizeof object->parts[0], 0);
	if (redislock_callable_is_set(&policy->on_loss)) {
		redislock_callable_copy(&object->on_loss, &policy->on_loss);
	}
}

/* False = an exception was thrown. */
static bool attach(zval *zv, redislock_record *record, const redislock_policy *policy)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	redislock_ref *ref = redislock_record_add_ref(record, policy, &object->std);
	if (ref == NULL) {
		return false;
	}
	object->parts[object->count++] = (redislock_part){.record = record, .ref = ref};
	record->objects++;
	return true;
}

bool redislock_lease_enter(zval *zv, redislock_record *record, const redislock_policy *policy)
{
	from_obj(Z_OBJ_P(zv))->since = rl_os_now();
	return attach(zv, record, policy);
}

void redislock_lease_leave(zval *zv)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	redislock_part *part = &object->parts[object->count - 1];
	if (redislock_record_drop_ref(part->record, part->ref)) {
		redislock_records_release(
			&part->record, 1, REDISLOCK_END_LIMIT_NS, REDISLOCK_RELEASE_QUIET);
	}
	drop_part(object);
}

redislock_record *redislock_lease_add(zval *object, redislock_client *client, rl_bytes key,
	size_t token_room, bool is_own_token, const redislock_policy *policy)
{
	redislock_record *record = redislock_record_new(client, key, token_room, is_own_token);
	if (record != NULL && !attach(object, record, policy)) {
		redislock_record_free(record);
		return NULL;
	}
	return record;
}

void redislock_lease_won(zval *zv, int64_t waited_ns, uint64_t attempts)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	object->since = rl_os_now();
	object->waited_ns += waited_ns;
	object->attempts += attempts;
	redislock_record_won(object->parts[object->count - 1].record, object->since);
}

bool redislock_lease_has_lost(zval *zv, unsigned *index)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	if (has_lost(object)) {
		*index = (unsigned) (object->lost - object->parts);
	}
	return object->lost != NULL;
}

void redislock_lease_set_policy(zval *zv, const redislock_policy *policy)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	for (unsigned i = 0; i < object->count; i++) {
		const redislock_part *part = &object->parts[i];
		redislock_record_set_policy(part->record, part->ref, policy, &object->std);
	}
}

void redislock_lease_give_back(zval *zv)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	end_object(object, loss_of(object), REDISLOCK_END_LIMIT_NS, REDISLOCK_RELEASE_QUIET);
	drop_parts(object);
}

/* In seconds. */
static double remaining(redislock_lease_object *object)
{
	if (!is_held(object)) {
		return 0.0;
	}
	int64_t least = RL_NEVER;
	for (unsigned i = 0; i < object->count; i++) {
		least = rl_time_earlier(least, rl_lease_remaining(object->parts[i].record->lease));
	}
	return (double) least / 1e9;
}

static void keys_of(const redislock_lease_object *object, zval *list)
{
	array_init_size(list, object->count);
	for (unsigned i = 0; i < object->count; i++) {
		rl_bytes key = rl_lease_name(object->parts[i].record->lease);
		add_next_index_stringl(list, key.data, key.len);
	}
}

/* What var_dump() and print_r() show: never the token. var_export(), an array cast and
 * json_encode() show no field at all. */
static HashTable *debug_info(zend_object *std, int *is_temporary)
{
	redislock_lease_object *object = from_obj(std);
	zval info;
	array_init(&info);
	*is_temporary = 1;
	if (object->count == 1) {
		const redislock_record *record = object->parts[0].record;
		rl_bytes key = rl_lease_name(record->lease);
		add_assoc_stringl(&info, "key", key.data, key.len);
		if (record->lease->permits > 1) {
			add_assoc_long(&info, "slot", record->slot);
		}
	} else if (object->count > 1) {
		zval keys;
		keys_of(object, &keys);
		add_assoc_zval(&info, "keys", &keys);
	}
	if (object->count > 0) {
		add_assoc_bool(&info, "held", is_held(object));
		add_assoc_double(&info, "remaining", remaining(object));
	}
	return Z_ARRVAL(info);
}

/* NULL = the object was not set up, and an exception was thrown. */
static redislock_lease_object *object_of(zval *self)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(self));
	if (object->count == 0) {
		zend_throw_error(
			NULL, "The RedisLockLease object was not set up: only RedisLock makes leases");
		return NULL;
	}
	return object;
}

/* ---- without traffic ---- */

ZEND_METHOD(RedisLockLease, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

/* Declares object, for methods without parameters. */
#define OBJECT_ALONE \
 ZEND_PARSE_PARAMETERS_NONE(); \
 redislock_lease_object *object = object_of(ZEND_THIS); \
 if (object == NULL) { \
  RETURN_THROWS(); \
 }

ZEND_METHOD(RedisLockLease, key)
{
	OBJECT_ALONE
	rl_bytes key = rl_lease_name(object->parts[0].record->lease);
	RETURN_STRINGL(key.data, key.len);
}

ZEND_METHOD(RedisLockLease, keys)
{
	OBJECT_ALONE
	keys_of(object, return_value);
}

/* The record of the only key. NULL = there are several, and an exception was thrown.
 * @param what the sentence that follows "a lease of 2 keys" */
static redislock_record *only_record(const redislock_lease_object *object, const char *what)
{
	if (object->count == 1) {
		return object->parts[0].record;
	}
	zend_throw_exception_ex(
		redislock_ce_exception, 0, "a lease of %u keys %s", object->count, what);
	redislock_note_key(rl_lease_name(object->parts[0].record->lease));
	return NULL;
}

ZEND_METHOD(RedisLockLease, token)
{
	OBJECT_ALONE
	const redislock_record *record = only_record(object, "has a token for each, and no token()");
	if (record == NULL) {
		RETURN_THROWS();
	}
	RETURN_STRINGL(record->lease->token, record->lease->token_len);
}

ZEND_METHOD(RedisLockLease, remaining)
{
	OBJECT_ALONE
	RETURN_DOUBLE(remaining(object));
}

ZEND_METHOD(RedisLockLease, isHeld)
{
	OBJECT_ALONE
	RETURN_BOOL(is_held(object));
}

ZEND_METHOD(RedisLockLease, assertHeld)
{
	OBJECT_ALONE
	if (!is_held(object)) {
		redislock_throw_lost(named_lease(object), loss_of(object));
	}
}

ZEND_METHOD(RedisLockLease, heldFor)
{
	OBJECT_ALONE
	int64_t until = is_over(object) ? object->ended_at : rl_os_now();
	RETURN_DOUBLE((double) (until - object->since) / 1e9);
}

ZEND_METHOD(RedisLockLease, waited)
{
	OBJECT_ALONE
	RETURN_DOUBLE((double) object->waited_ns / 1e9);
}

ZEND_METHOD(RedisLockLease, attempts)
{
	OBJECT_ALONE
	RETURN_LONG((zend_long) object->attempts);
}

ZEND_METHOD(RedisLockLease, slot)
{
	OBJECT_ALONE
	RETURN_LONG((zend_long) object->parts[0].record->slot);
}

static void throw_undetachable(const redislock_record *record, const char *why)
{
	char shown[RL_BYTES_TEXT];
	rl_bytes key = rl_lease_name(record->lease);
	zend_throw_exception_ex(redislock_ce_exception, 0, "the lock \"%s\" cannot be detached: %s",
		rl_bytes_text(key, shown), why);
	redislock_note_key(key);
}

/* False = an exception was thrown. */
static bool may_detach(redislock_lease_object *object)
{
	const redislock_record *record =
		only_record(object, "cannot be detached: take a lease of each key for that");
	if (record == NULL) {
		return false;
	}
	if (!is_held(object)) {
		redislock_throw_lost(record->lease, loss_of(object));
		return false;
	}
	const char *why = record->lease->permits > 1 ? "a token does not say of which slot it is"
		: record->refs->next != NULL
		? "it is held more than once (reentrant: true); release the other leases first"
		: NULL;
	if (why != NULL) {
		throw_undetachable(record, why);
	}
	return why == NULL;
}

/* The callable goes first, while the lease can still keep the lock: a destructor may throw, and the
 * exception would take the place of the token. It may also end the lease. */
ZEND_METHOD(RedisLockLease, detach)
{
	OBJECT_ALONE
	if (!may_detach(object) || !stop_listening(object) || !may_detach(object)) {
		RETURN_THROWS();
	}
	redislock_record *record = object->parts[0].record;
	redislock_record *last[1];
	RETVAL_STRINGL(record->lease->token, record->lease->token_len);
	redislock_record_pause_watch(record);
	end_refs(object, RL_LOSS_RELEASED, last);
	rl_lease_give_away(record->lease);
	redislock_record_end_watch(record);
}

ZEND_METHOD(RedisLockLease, loss)
{
	OBJECT_ALONE
	zval loss;
	redislock_loss_case(loss_of(object), &loss);
	RETURN_COPY(&loss);
}

/* ---- with the server ---- */

/* If a lock is lost, calls each onLoss before the method returns. */
static void report_loss(const redislock_lease_object *object)
{
	if (is_over(object)) {
		return;
	}
	for (unsigned i = 0; i < object->count; i++) {
		redislock_record_note_loss(object->parts[i].record);
	}
	redislock_lease_report_losses();
}

ZEND_METHOD(RedisLockLease, verify)
{
	OBJECT_ALONE
	for (unsigned i = 0; i < object->count && is_held(object); i++) {
		if (!redislock_record_verify(object->parts[i].record)) {
			RETURN_THROWS();
		}
	}
	RETVAL_BOOL(is_held(object));
	report_loss(object);
}

/* Throws, unless an onLoss that is due throws already. */
static void throw_not_held(redislock_lease_object *object)
{
	report_loss(object);
	if (EG(exception) == NULL) {
		redislock_throw_lost(named_lease(object), loss_of(object));
	}
}

/* The record of a key. NULL = an exception was thrown.
 * @param name NULL = the only key */
static redislock_record *record_of(
	const redislock_lease_object *object, const zend_string *name, const char *what)
{
	if (name == NULL) {
		return only_record(object, what);
	}
	rl_bytes key = rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name));
	for (unsigned i = 0; i < object->count; i++) {
		if (rl_bytes_equal(rl_lease_name(object->parts[i].record->lease), key)) {
			return object->parts[i].record;
		}
	}
	zend_argument_value_error(1, "must be a key of the lease");
	return NULL;
}

/* The number counts only if the lease is still held after the answer: then each later holder gets
 * the lock after the number was written. */
ZEND_METHOD(RedisLockLease, fence)
{
	zend_string *name = NULL;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(name)
	ZEND_PARSE_PARAMETERS_END();
	redislock_lease_object *object = object_of(ZEND_THIS);
	redislock_record *record = object == NULL
		? NULL
		: record_of(object, name, "has a number for each: pass the key to fence()");
	if (record == NULL || !redislock_record_may_fence(record)) {
		RETURN_THROWS();
	}
	if (is_held(object) && record->fence == 0 && !redislock_record_fence(record)) {
		RETURN_THROWS();
	}
	if (!is_held(object)) {
		throw_not_held(object);
		RETURN_THROWS();
	}
	RETURN_LONG((zend_long) record->fence);
}

ZEND_METHOD(RedisLockLease, extend)
{
	double ttl;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		REDISLOCK_PARAM_FLOAT(ttl)
	ZEND_PARSE_PARAMETERS_END();
	int64_t ttl_ms;
	redislock_lease_object *object = object_of(ZEND_THIS);
	if (object == NULL || !redislock_read_ttl(object->parts[0].record->client, ttl, 1, &ttl_ms)) {
		RETURN_THROWS();
	}
	bool is_extended = is_held(object);
	for (unsigned i = 0; i < object->count && is_extended; i++) {
		is_extended = !is_over(object) && redislock_record_extend(object->parts[i].record, ttl_ms);
	}
	RETVAL_BOOL(is_extended && (object->count == 1 || is_held(object)));
	report_loss(object);
}

/* Leaves the leases of the records that no other object has a part of.
 * @param[out] open the records whose locks the servers may still have; room for all records
 * @param[out] is_ours ownership of all locks was proven until now
 * @return the number of records in open */
static unsigned leave_records(
	const redislock_lease_object *object, redislock_record **open, bool *is_ours)
{
	unsigned count = 0;
	*is_ours = true;
	for (unsigned i = 0; i < object->count; i++) {
		redislock_record *record = object->parts[i].record;
		rl_lease *lease = record->lease;
		if (record->refs->next != NULL) {
			*is_ours = rl_lease_is_held(lease) && *is_ours;
			continue;
		}
		redislock_record_pause_watch(record);
		/* An earlier call that has thrown may have freed it. */
		*is_ours = (rl_lease_leave(lease) || rl_lease_was_freed(lease)) && *is_ours;
		if (rl_lease_is_open(lease)) {
			open[count++] = record;
		}
	}
	return count;
}

/* False = an exception was thrown. */
static bool ask_to_release(redislock_record *record, bool *is_ours)
{
	redislock_call *call = redislock_record_ask(record, RL_VERB_RELEASE, 0);
	if (call == NULL) {
		return false;
	}
	*is_ours = *is_ours && call->op->status == RL_OK;
	redislock_call_end(call);
	return true;
}

/* Why the object is over, once its leases have left. */
static rl_loss loss_at_release(const redislock_lease_object *object)
{
	if (object->lost != NULL) {
		return rl_lease_loss(object->lost->record->lease);
	}
	for (unsigned i = 0; i < object->count; i++) {
		rl_loss loss = rl_lease_loss(object->parts[i].record->lease);
		if (loss != RL_LOSS_NONE && loss != RL_LOSS_RELEASED) {
			return loss;
		}
	}
	return RL_LOSS_RELEASED;
}

/* A signal handler may have ended this object, or the other objects that had parts of a record. */
static void end_released(redislock_lease_object *object, bool is_ours)
{
	redislock_record *last[REDISLOCK_KEYS_MAX];
	if (is_over(object)) {
		return;
	}
	unsigned count = end_refs(object, is_ours ? RL_LOSS_RELEASED : loss_at_release(object), last);
	for (unsigned i = 0; i < count; i++) {
		if (rl_lease_is_open(last[i]->lease)) {
			redislock_records_release(&last[i], 1, REDISLOCK_END_LIMIT_NS, REDISLOCK_RELEASE_QUIET);
		} else {
			redislock_record_end_watch(last[i]);
		}
	}
}

static void release(redislock_lease_object *object, zval *return_value)
{
	redislock_record *open[REDISLOCK_KEYS_MAX];
	bool is_ours;
	if (is_over(object)) {
		RETURN_FALSE;
	}
	unsigned count = leave_records(object, open, &is_ours);
	bool is_asked = count == 0 ||
		(count == 1 ? ask_to_release(open[0], &is_ours)
					: redislock_records_ask_release(open, count, &is_ours));
	if (!is_asked) {
		RETURN_THROWS();
	}
	for (unsigned i = 0; i < count; i++) {
		rl_lease_end(open[i]->lease);
	}
	end_released(object, is_ours);
	RETURN_BOOL(is_ours);
}

ZEND_METHOD(RedisLockLease, release)
{
	OBJECT_ALONE
	release(object, return_value);
	drop_on_loss(object);
}

/* The part whose loss the release at the end has found; NULL = none. */
static const redislock_part *part_lost_at_end(const redislock_lease_object *object)
{
	for (unsigned i = 0; i < object->count; i++) {
		if (rl_lease_is_lost(object->parts[i].record->lease)) {
			return &object->parts[i];
		}
	}
	return NULL;
}

/* The work under the lock is done: the release says so. Where the section has entered the lock once
 * more and keeps that lease, the mark comes with its release. */
static void note_done(const redislock_lease_object *object, int64_t done_ms)
{
	for (unsigned i = 0; i < object->count; i++) {
		const redislock_record *record = object->parts[i].record;
		rl_watchdog_hold(record->renewal);
		record->lease->done_ms = done_ms;
		rl_watchdog_let_go(record->renewal);
	}
}

/* The section of once() has released or detached the lock itself. */
static void throw_unmarked(const redislock_lease_object *object)
{
	char shown[RL_BYTES_TEXT];
	rl_bytes key = rl_lease_name(object->parts[0].record->lease);
	zend_throw_exception_ex(redislock_ce_exception, 0,
		"the section of once() has released or detached the lock \"%s\" itself, so its work is not "
		"marked as done",
		rl_bytes_text(key, shown));
	redislock_note_key(key);
}

/* The exception of the section waits while the release of its lock yields. */
typedef struct put_aside {
	zend_object *exception; /* NULL = there is none */
	const zend_op *opline;
} put_aside;

/* exit stays: nothing may yield then. */
static put_aside put_exception_aside(void)
{
	put_aside aside = {.exception = NULL};
	if (EG(exception) != NULL && !zend_is_unwind_exit(EG(exception)) &&
		!zend_is_graceful_exit(EG(exception)) && REDISLOCK_G(waiter) != NULL) {
		aside = (put_aside){.exception = EG(exception), .opline = EG(opline_before_exception)};
		EG(exception) = NULL;
	}
	return aside;
}

/* What the waiter has thrown comes first, with the exception of the section as its previous one. */
static void put_exception_back(const put_aside *aside)
{
	if (aside->exception == NULL) {
		return;
	}
	if (EG(exception) != NULL) {
		zend_exception_set_previous(EG(exception), aside->exception);
	} else {
		EG(exception) = aside->exception;
		EG(opline_before_exception) = aside->opline;
	}
}

void redislock_lease_end_section(zval *zv, zval *result, int64_t done_ms)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	rl_loss loss = loss_of(object);
	if (done_ms > 0 && loss == RL_LOSS_RELEASED && EG(exception) == NULL) {
		throw_unmarked(object);
	} else if (done_ms > 0 && loss == RL_LOSS_NONE && EG(exception) == NULL) {
		note_done(object, done_ms);
	}
	if (!is_over(object)) {
		/* The watchdog repeats a release that fails for now, and stats() counts it. */
		bool is_ending = (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0;
		int64_t limit_ns = is_ending ? REDISLOCK_END_LIMIT_NS
									 : redislock_record_release_limit(object->parts[0].record);
		bool may_throw = loss == RL_LOSS_NONE && EG(exception) == NULL;
		put_aside aside = put_exception_aside();
		end_object(object, loss, limit_ns,
			may_throw ? REDISLOCK_RELEASE_THROWS : REDISLOCK_RELEASE_YIELDS);
		put_exception_back(&aside);
	}
	bool is_found_by_release = false;
	const redislock_part *part = loss == RL_LOSS_NONE ? part_lost_at_end(object) : NULL;
	if (part != NULL) {
		object->lost = part;
		loss = rl_lease_loss(part->record->lease);
		is_found_by_release = loss == RL_LOSS_DELETED; /* else the TTL is over, too */
	}
	/* The section may have released the lock itself. Then the later fate of the key does not
	 * concern it. */
	if (EG(exception) == NULL && loss != RL_LOSS_NONE && loss != RL_LOSS_RELEASED) {
		redislock_throw_section_lost(named_lease(object), loss, is_found_by_release, result);
	}
	drop_on_loss(object);
}

void redislock_lease_set_up(zend_class_entry *ce)
{
	ce_lease = ce;
	ce->create_object = create_object;
	memcpy(&handlers, &std_object_handlers, sizeof handlers);
	handlers.offset = offsetof(redislock_lease_object, std);
	handlers.dtor_obj = destroy_object;
	handlers.free_obj = free_object;
	handlers.clone_obj = NULL;
	handlers.get_debug_info = debug_info;
	handlers.compare = redislock_compare_identity;
	handlers.get_gc = get_gc;
}
