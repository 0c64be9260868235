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

#include "transport/rl_watchdog.h"

typedef struct redislock_lease_object {
	redislock_record *record; /* NULL = none */
	/* NULL = this lease is over: it was released or detached. */
	redislock_ref *ref;
	/* The reason why the lease is over. */
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
	return object->ref == NULL;
}

static bool is_held(const redislock_lease_object *object)
{
	return !is_over(object) && rl_lease_is_held(object->record->lease);
}

/* Why the object does not hold the lock. */
static rl_loss loss_of(const redislock_lease_object *object)
{
	return is_over(object) ? object->loss : rl_lease_loss(object->record->lease);
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
		redislock_record_stop_listening(object->record, object->ref);
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

/* Ends the object's part in the record. True = no other object has one. */
static bool end_ref(redislock_lease_object *object)
{
	redislock_ref *ref = object->ref;
	rl_loss loss = rl_lease_loss(object->record->lease);
	object->loss = loss == RL_LOSS_NONE ? RL_LOSS_RELEASED : loss;
	object->ref = NULL;
	object->ended_at = rl_os_now();
	return redislock_record_drop_ref(object->record, ref);
}

void redislock_lease_set_call_site(zval *zv, redislock_call_site call_site)
{
	from_obj(Z_OBJ_P(zv))->call_site = call_site;
}

/* PHP calls this before free_object(). The warning may run the script's error handler, which may
 * throw. */
static void destroy_object(zend_object *std)
{
	const redislock_lease_object *object = from_obj(std);
	if (object->record != NULL && is_held(object) && object->record->refs->next == NULL &&
		is_script_running() && redislock_call_site_discards(&object->call_site, std)) {
		char shown[RL_BYTES_TEXT];
		zend_error(E_WARNING,
			"the lock \"%s\" is released by the statement that took it, and protects nothing: "
			"keep the RedisLockLease in a variable",
			rl_bytes_text(rl_lease_name(object->record->lease), shown));
	}
	zend_objects_destroy_object(std);
}

static void free_object(zend_object *std)
{
	redislock_lease_object *object = from_obj(std);
	redislock_record *record = object->record;
	if (record != NULL && is_script_running()) {
		if (!is_over(object) && end_ref(object)) {
			redislock_record_release(record, REDISLOCK_END_LIMIT_NS, REDISLOCK_RELEASE_QUIET);
		}
		record->objects--;
		if (record->objects == 0) {
			redislock_record_free(record);
		}
	} else if (!is_over(object)) {
		/* The record stays on the request's list. */
		object->ref->listener = NULL;
	}
	object->record = NULL;
	drop_on_loss(object);
	zend_object_std_dtor(std);
}

/* Makes an object of the record, which has the lock already or will have it.
 * False = an exception was thrown. */
static bool attach(zval *zv, redislock_record *record, const redislock_policy *policy)
{
	object_init_ex(zv, ce_lease);
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	redislock_ref *ref = redislock_record_add_ref(record, policy, &object->std);
	if (ref == NULL) {
		zval_ptr_dtor(zv);
		return false;
	}
	object->record = record;
	object->ref = ref;
	if (redislock_callable_is_set(&policy->on_loss)) {
		redislock_callable_copy(&object->on_loss, &policy->on_loss);
	}
	record->objects++;
	return true;
}

bool redislock_lease_enter(zval *zv, redislock_record *record, const redislock_policy *policy)
{
	bool is_made = attach(zv, record, policy);
	if (is_made) {
		from_obj(Z_OBJ_P(zv))->since = rl_os_now();
	}
	return is_made;
}

redislock_record *redislock_lease_new(zval *object, redislock_client *client, rl_bytes key,
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
	object->waited_ns = waited_ns;
	object->attempts = attempts;
	redislock_record_won(object->record, object->since);
}

/* In seconds. */
static double remaining(const redislock_lease_object *object)
{
	return is_over(object) ? 0.0 : (double) rl_lease_remaining(object->record->lease) / 1e9;
}

/* What var_dump() and print_r() show: never the token. var_export(), an array cast and
 * json_encode() show no field at all. */
static HashTable *debug_info(zend_object *std, int *is_temporary)
{
	const redislock_lease_object *object = from_obj(std);
	zval info;
	array_init(&info);
	*is_temporary = 1;
	if (object->record != NULL) {
		rl_bytes key = rl_lease_name(object->record->lease);
		add_assoc_stringl(&info, "key", key.data, key.len);
		add_assoc_bool(&info, "held", is_held(object));
		add_assoc_double(&info, "remaining", remaining(object));
	}
	return Z_ARRVAL(info);
}

/* NULL = the object was not set up, and an exception was thrown. */
static redislock_lease_object *object_of(zval *self)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(self));
	if (object->record == NULL) {
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
	rl_bytes key = rl_lease_name(object->record->lease);
	RETURN_STRINGL(key.data, key.len);
}

ZEND_METHOD(RedisLockLease, token)
{
	OBJECT_ALONE
	RETURN_STRINGL(object->record->lease->token, object->record->lease->token_len);
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
		redislock_throw_lost(object->record->lease, loss_of(object));
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

/* False = an exception was thrown. */
static bool may_detach(const redislock_lease_object *object)
{
	if (!is_held(object)) {
		redislock_throw_lost(object->record->lease, loss_of(object));
		return false;
	}
	if (object->record->refs->next != NULL) {
		char shown[RL_BYTES_TEXT];
		zend_throw_exception_ex(redislock_ce_exception, 0,
			"the lock \"%s\" cannot be detached: it is held more than once (reentrant: true); "
			"release the other leases first",
			rl_bytes_text(rl_lease_name(object->record->lease), shown));
		redislock_note_key(rl_lease_name(object->record->lease));
		return false;
	}
	return true;
}

/* The callable goes first, while the lease can still keep the lock: a destructor may throw, and the
 * exception would take the place of the token. It may also end the lease. */
ZEND_METHOD(RedisLockLease, detach)
{
	OBJECT_ALONE
	if (!may_detach(object) || !stop_listening(object) || !may_detach(object)) {
		RETURN_THROWS();
	}
	RETVAL_STRINGL(object->record->lease->token, object->record->lease->token_len);
	redislock_record_pause_watch(object->record);
	end_ref(object);
	rl_lease_give_away(object->record->lease);
	redislock_record_end_watch(object->record);
}

ZEND_METHOD(RedisLockLease, loss)
{
	OBJECT_ALONE
	zval loss;
	redislock_loss_case(loss_of(object), &loss);
	RETURN_COPY(&loss);
}

/* ---- with the server ---- */

/* If the lock is lost, calls each onLoss before the method returns. */
static void report_loss(const redislock_lease_object *object)
{
	if (!is_over(object)) {
		redislock_record_note_loss(object->record);
		redislock_lease_report_losses();
	}
}

ZEND_METHOD(RedisLockLease, verify)
{
	OBJECT_ALONE
	if (is_held(object) && !redislock_record_verify(object->record)) {
		RETURN_THROWS();
	}
	RETVAL_BOOL(is_held(object));
	report_loss(object);
}

/* Throws, unless an onLoss that is due throws already. */
static void throw_not_held(const redislock_lease_object *object)
{
	report_loss(object);
	if (EG(exception) == NULL) {
		redislock_throw_lost(object->record->lease, loss_of(object));
	}
}

/* The number counts only if the lease is still held after the answer: then each later holder gets
 * the lock after the number was written. */
ZEND_METHOD(RedisLockLease, fence)
{
	OBJECT_ALONE
	redislock_record *record = object->record;
	if (!redislock_record_may_fence(record)) {
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
	if (object == NULL || !redislock_read_ttl(object->record->client, ttl, 1, &ttl_ms)) {
		RETURN_THROWS();
	}
	RETVAL_BOOL(is_held(object) && redislock_record_extend(object->record, ttl_ms));
	report_loss(object);
}

static void release(redislock_lease_object *object, zval *return_value)
{
	redislock_record *record = object->record;
	if (is_over(object)) {
		RETURN_FALSE;
	}
	if (record->refs->next != NULL) {
		bool was_held = is_held(object);
		end_ref(object);
		RETURN_BOOL(was_held);
	}
	redislock_record_pause_watch(record);
	bool was_held = rl_lease_leave(record->lease);
	if (!rl_lease_is_open(record->lease)) {
		RETURN_FALSE;
	}
	redislock_call *call = redislock_record_ask(record, RL_VERB_RELEASE, 0);
	if (call == NULL) {
		RETURN_THROWS();
	}
	bool is_ours = call->op->status == RL_OK;
	redislock_call_end(call);
	if (!is_over(object)) { /* a signal handler may have released it */
		end_ref(object);
	}
	rl_lease_end(record->lease);
	redislock_record_end_watch(record);
	RETURN_BOOL(was_held && is_ours);
}

ZEND_METHOD(RedisLockLease, release)
{
	OBJECT_ALONE
	release(object, return_value);
	drop_on_loss(object);
}

void redislock_lease_end_section(zval *zv, zval *result)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	redislock_record *record = object->record;
	rl_loss loss = loss_of(object);
	if (!is_over(object) && end_ref(object)) {
		/* The watchdog repeats a release that fails for now, and stats() counts it. */
		bool is_ending = (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0;
		int64_t limit_ns =
			is_ending ? REDISLOCK_END_LIMIT_NS : redislock_record_release_limit(record);
		bool may_throw = loss == RL_LOSS_NONE && EG(exception) == NULL;
		redislock_record_release(
			record, limit_ns, may_throw ? REDISLOCK_RELEASE_THROWS : REDISLOCK_RELEASE_QUIET);
	}
	bool is_found_by_release = false;
	if (loss == RL_LOSS_NONE && rl_lease_is_lost(record->lease)) {
		loss = rl_lease_loss(record->lease);
		is_found_by_release = loss == RL_LOSS_DELETED; /* else the TTL is over, too */
	}
	/* The section may have released the lock itself. Then the later fate of the key does not
	 * concern it. */
	if (EG(exception) == NULL && loss != RL_LOSS_NONE && loss != RL_LOSS_RELEASED) {
		redislock_throw_section_lost(record->lease, loss, is_found_by_release, result);
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
