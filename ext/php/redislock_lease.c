/* SPDX-License-Identifier: MIT
 *
 * The class RedisLockLease. The design is in the header.
 */
#include "php_redislock.h"

#include "php/compat.h"
#include "php/redislock_exception.h"
#include "php/redislock_lease.h"
#include "php/redislock_loss.h"
#include "php/redislock_options.h"

#include "zend_exceptions.h"
#include "zend_fibers.h"

#include "transport/rl_watchdog.h"

typedef struct redislock_lease_object {
	redislock_record *record; /* NULL when there is none */
	redislock_ref *ref;       /* NULL = released, or given away: this holding is over */
	rl_loss loss;             /* it is over: why */
	redislock_callable
		on_loss; /* owned; undefined = there is none, it was called, or the holding is over */
	redislock_birth birth;
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

/* PHP code may still run, and nothing else will free the lock. */
static bool is_script_running(void)
{
	/* Shutdown functions run after a fatal error, too. */
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

/* Without the prefix. */
static rl_bytes key_of(const rl_lease *lease)
{
	rl_bytes key = lease->names.key;
	return rl_bytes_of(key.data + lease->prefix_len, key.len - lease->prefix_len);
}

/* Why the object does not hold the lock. */
static rl_loss loss_of(const redislock_lease_object *object)
{
	return is_over(object) ? object->loss : rl_lease_loss(object->record->lease);
}

/* ---- onLoss ---- */

static void set_on_loss(redislock_lease_object *object, const redislock_callable *on_loss)
{
	ZVAL_COPY(&object->on_loss.function, &on_loss->function);
	object->on_loss.cache = on_loss->cache;
	if (on_loss->cache.object != NULL) {
		GC_ADDREF(on_loss->cache.object);
	}
}

/* May run destructors. */
static void free_callable(redislock_callable *callable)
{
	zend_object *object = Z_ISUNDEF(callable->function) ? NULL : callable->cache.object;
	zval_ptr_dtor(&callable->function);
	ZVAL_UNDEF(&callable->function);
	if (object != NULL) {
		OBJ_RELEASE(object);
	}
}

/* From now on the object has none. */
static redislock_callable take_on_loss(redislock_lease_object *object)
{
	redislock_callable taken = object->on_loss;
	ZVAL_UNDEF(&object->on_loss.function);
	return taken;
}

static void drop_on_loss(redislock_lease_object *object)
{
	redislock_callable dropped = take_on_loss(object);
	free_callable(&dropped);
}

void redislock_lease_call_on_loss(zend_object *std)
{
	redislock_callable on_loss = take_on_loss(from_obj(std));
	zval retval;
	zval lease;
	if (Z_ISUNDEF(on_loss.function)) {
		return;
	}
	if (redislock_is_tortured()) {
		set_on_loss(from_obj(std), &on_loss); /* for the next time */
	}
	ZVAL_OBJ(&lease, std);
	zend_fcall_info call = {
		.size = sizeof call, .retval = &retval, .params = &lease, .param_count = 1};
	ZVAL_COPY_VALUE(&call.function_name, &on_loss.function);
	zend_fiber_switch_block();
	/* A function that __call() stands for is looked up anew. */
	zend_call_function(&call, on_loss.cache.function_handler != NULL ? &on_loss.cache : NULL);
	zend_fiber_switch_unblock();
	zval_ptr_dtor(&retval);
	free_callable(&on_loss);
}

/* For the collector: a callable that holds its own lease is a cycle. */
static HashTable *get_gc(zend_object *std, zval **table, int *count)
{
	redislock_lease_object *object = from_obj(std);
	if (Z_ISUNDEF(object->on_loss.function)) {
		return zend_std_get_gc(std, table, count);
	}
	zend_get_gc_buffer *buffer = zend_get_gc_buffer_create();
	zend_get_gc_buffer_add_zval(buffer, &object->on_loss.function);
	if (object->on_loss.cache.object != NULL) {
		zend_get_gc_buffer_add_obj(buffer, object->on_loss.cache.object);
	}
	zend_get_gc_buffer_use(buffer, table, count);
	return NULL;
}

/* ---- life ---- */

/* The object's holding is over. True = it was the last one. */
static bool end_ref(redislock_lease_object *object)
{
	redislock_ref *ref = object->ref;
	rl_loss loss = rl_lease_loss(object->record->lease);
	object->loss = loss == RL_LOSS_NONE ? RL_LOSS_RELEASED : loss;
	object->ref = NULL;
	object->ended_at = rl_os_now();
	return redislock_record_exit(object->record, ref);
}

void redislock_lease_set_birth(zval *zv, redislock_birth birth)
{
	from_obj(Z_OBJ_P(zv))->birth = birth;
}

/* Comes before free_object(), and may run a handler of errors, which PHP code may follow that throws. */
static void destroy_object(zend_object *std)
{
	const redislock_lease_object *object = from_obj(std);
	if (object->record != NULL && is_held(object) && object->record->refs->next == NULL &&
		is_script_running() && redislock_birth_was_wasted(&object->birth, std)) {
		char shown[RL_BYTES_TEXT];
		zend_error(E_WARNING,
			"the lock \"%s\" is released by the statement that took it, and protects nothing: "
			"keep the RedisLockLease in a variable",
			rl_bytes_text(key_of(object->record->lease), shown));
	}
	zend_objects_destroy_object(std);
}

static void free_object(zend_object *std)
{
	redislock_lease_object *object = from_obj(std);
	redislock_record *record = object->record;
	if (record != NULL && is_script_running()) {
		if (!is_over(object) && end_ref(object)) {
			redislock_record_release(record, REDISLOCK_FAREWELL_NS, false);
		}
		record->objects--;
		if (record->objects == 0) {
			redislock_record_free(record);
		}
	} else if (!is_over(object)) { /* its record waits on the request's list */
		object->ref->listener = NULL;
	}
	object->record = NULL;
	drop_on_loss(object);
	zend_object_std_dtor(std);
}

bool redislock_lease_enter(zval *zv, redislock_record *record, const redislock_policy *policy)
{
	object_init_ex(zv, ce_lease);
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	redislock_ref *ref = redislock_record_enter(record, policy, &object->std);
	if (ref == NULL) {
		zval_ptr_dtor(zv);
		return false;
	}
	object->record = record;
	object->ref = ref;
	object->since = rl_os_now();
	if (!Z_ISUNDEF(policy->on_loss.function)) {
		set_on_loss(object, &policy->on_loss);
	}
	record->objects++;
	return true;
}

redislock_record *redislock_lease_new(zval *object, redislock_client *client, rl_bytes key,
	size_t token_room, bool is_own_token, const redislock_policy *policy)
{
	redislock_record *record = redislock_record_new(client, key, token_room, is_own_token);
	if (record != NULL && !redislock_lease_enter(object, record, policy)) {
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
	redislock_record_begin(object->record);
}

/* In seconds. */
static double remaining(const redislock_lease_object *object)
{
	return is_over(object) ? 0.0 : (double) rl_lease_remaining(object->record->lease) / 1e9;
}

/* What var_dump() and print_r() show; never the token. An export, a cast or an encoding shows nothing at all. */
static HashTable *debug_info(zend_object *std, int *is_temporary)
{
	const redislock_lease_object *object = from_obj(std);
	zval info;
	array_init(&info);
	*is_temporary = 1;
	if (object->record != NULL) {
		rl_bytes key = key_of(object->record->lease);
		add_assoc_stringl(&info, "key", key.data, key.len);
		add_assoc_bool(&info, "held", is_held(object));
		add_assoc_double(&info, "remaining", remaining(object));
	}
	return Z_ARRVAL(info);
}

/* The object, set up; NULL with an exception. */
static redislock_lease_object *object_of(zval *self)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(self));
	if (object->record == NULL) {
		zend_throw_error(NULL, "The RedisLockLease object was not set up");
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
	rl_bytes key = key_of(object->record->lease);
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

ZEND_METHOD(RedisLockLease, detach)
{
	OBJECT_ALONE
	if (!is_held(object)) {
		redislock_throw_lost(object->record->lease, loss_of(object));
		RETURN_THROWS();
	}
	if (object->record->refs->next != NULL) {
		zend_throw_exception(redislock_ce_exception,
			"a lock that is held more than once (reentrant) cannot be given away", 0);
		RETURN_THROWS();
	}
	RETVAL_STRINGL(object->record->lease->token, object->record->lease->token_len);
	redislock_record_leave(object->record);
	end_ref(object);
	rl_lease_give_away(object->record->lease);
	redislock_record_left(object->record);
	drop_on_loss(object);
}

ZEND_METHOD(RedisLockLease, loss)
{
	OBJECT_ALONE
	zval loss;
	redislock_loss_case(loss_of(object), &loss);
	RETURN_COPY(&loss);
}

/* ---- with the server ---- */

/* How long the end of a section may wait: as long as a release may take. */
static int64_t patience_of(const redislock_record *record)
{
	const rl_set *set = &record->client->set;
	int64_t longest = 0;
	for (unsigned i = 0; i < set->count; i++) {
		int64_t own = rl_set_patience(set, set->members[i].timeout_ns, record->lease->ttl_ns);
		longest = own > longest ? own : longest;
	}
	return longest;
}

/* NULL with an exception. */
static redislock_call *ask(redislock_record *record, rl_verb verb, int64_t ttl_ms)
{
	rl_lease *lease = record->lease;
	rl_bytes token = verb == RL_VERB_OWNER ? rl_bytes_of(NULL, 0) : rl_lease_token(lease);
	bool may_be_repeated = verb == RL_VERB_RELEASE && !lease->is_own_token;
	rl_op *op = rl_plain_new(&record->client->set, redislock_client_pool(record->client),
		&REDISLOCK_G(env),
		&(rl_plain_args){.verb = verb,
			.key = lease->names.key,
			.token = token,
			.ttl_ms = ttl_ms,
			.was_held = rl_lease_was_held(lease),
			/* A member that carries it out late could shorten what the next one has prolonged. */
			.asks_all = verb == RL_VERB_EXTEND,
			.late_ns = may_be_repeated ? lease->ttl_ns : 0});
	redislock_call *call = redislock_call_run(record->client, op);
	if (call != NULL && record->client->mute_until != 0) {
		redislock_leases_backed_off(record->client, 0); /* it answers */
	}
	return call;
}

/* A method finds out that the lock is lost, or was: what has an onLoss hears of it before the method returns. */
static void tell_of_loss(const redislock_lease_object *object)
{
	if (!is_over(object)) {
		redislock_record_note_loss(object->record);
		redislock_losses_tell();
	}
}

ZEND_METHOD(RedisLockLease, verify)
{
	OBJECT_ALONE
	if (!is_held(object)) {
		RETVAL_FALSE;
		tell_of_loss(object);
		return;
	}
	rl_lease *lease = object->record->lease;
	redislock_call *call = ask(object->record, RL_VERB_OWNER, 0);
	if (call == NULL) {
		RETURN_THROWS();
	}
	const rl_member_call *seat = rl_quorum_call_owner(&call->op->call);
	bool is_ours = call->op->status == RL_OK &&
		rl_bytes_equal(rl_bytes_of(seat->text, seat->text_len), rl_lease_token(lease));
	rl_loss loss = rl_quorum_call_loss(&call->op->call, rl_lease_token(lease));
	redislock_call_end(call);
	if (!is_ours) {
		rl_watchdog_hold(object->record->renewal);
		rl_lease_lose_by(lease, loss);
		rl_watchdog_let_go(object->record->renewal);
	}
	RETVAL_BOOL(is_held(object));
	tell_of_loss(object);
}

bool redislock_lease_prolong(redislock_record *record, int64_t ttl_ms)
{
	rl_lease *lease = record->lease;
	int64_t ttl_ns = ttl_ms * RL_NS_PER_MS;
	rl_watchdog_hold(record->renewal);
	rl_lease_expect(lease, ttl_ns);
	rl_watchdog_let_go(record->renewal);
	redislock_call *call = ask(record, RL_VERB_EXTEND, ttl_ms);
	bool is_answered = call != NULL;
	bool is_ours = is_answered && call->op->status == RL_OK;
	int64_t sent_at = is_ours ? rl_quorum_call_sent_at(&call->op->call) : 0;
	bool has_strays = is_answered && rl_quorum_call_has_strays(&call->op->call);
	rl_loss loss = RL_LOSS_NONE;
	if (is_answered) {
		loss = rl_quorum_call_loss(&call->op->call, rl_lease_token(lease));
		redislock_call_end(call);
	}
	rl_watchdog_hold(record->renewal);
	if (has_strays) {
		rl_lease_suspect(lease, ttl_ns);
	}
	if (is_ours) {
		is_ours = rl_lease_confirm(lease, ttl_ns, sent_at);
	} else if (is_answered) {
		rl_lease_lose_by(lease, loss);
	} else {
		rl_lease_doubt(lease, ttl_ns);
	}
	rl_watchdog_let_go(record->renewal);
	return is_ours;
}

ZEND_METHOD(RedisLockLease, extend)
{
	double ttl;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		REDISLOCK_PARAM_FLOAT(ttl)
	ZEND_PARSE_PARAMETERS_END();
	int64_t ttl_ms;
	redislock_lease_object *object = object_of(ZEND_THIS);
	if (object == NULL || !redislock_read_ttl(ttl, 1, &ttl_ms)) {
		RETURN_THROWS();
	}
	RETVAL_BOOL(is_held(object) && redislock_lease_prolong(object->record, ttl_ms));
	tell_of_loss(object);
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
	redislock_record_leave(record);
	bool was_held = rl_lease_leave(record->lease);
	if (!rl_lease_is_open(record->lease)) {
		RETURN_FALSE;
	}
	redislock_call *call = ask(record, RL_VERB_RELEASE, 0);
	if (call == NULL) {
		RETURN_THROWS();
	}
	bool is_ours = call->op->status == RL_OK;
	redislock_call_end(call);
	if (!is_over(object)) { /* a signal handler may have ended it meanwhile */
		end_ref(object);
	}
	rl_lease_end(record->lease);
	redislock_record_left(record);
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
		/* A release that fails for a while is counted, and the watchdog repeats it. */
		bool is_ending = (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0;
		int64_t limit_ns = is_ending ? REDISLOCK_FAREWELL_NS : patience_of(record);
		redislock_record_release(record, limit_ns, loss == RL_LOSS_NONE && EG(exception) == NULL);
	}
	bool is_found_by_release = false;
	if (loss == RL_LOSS_NONE && rl_lease_is_lost(record->lease)) {
		loss = rl_lease_loss(record->lease);
		is_found_by_release = loss == RL_LOSS_DELETED; /* else the time was over, too */
	}
	/* The section may have released the lock itself: what became of the key afterwards does not concern the section. */
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
