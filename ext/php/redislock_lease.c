/* SPDX-License-Identifier: MIT
 *
 * The class RedisLockLease. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"
#include "php/redislock_lease.h"
#include "php/redislock_options.h"

#include "zend_exceptions.h"
#include "zend_fibers.h"
#include "zend_observer.h"

#include "core/rl_farewell.h"
#include "transport/rl_driver.h"
#include "transport/rl_process.h"

/* The end of an object or of a request waits for this long at most, all locks together. */
#define FAREWELL_NS (200 * RL_NS_PER_MS)

/* A server that did not answer a farewell is spared others for this long, or until it grants a lease. */
#define MUTE_NS RL_NS_PER_SECOND

/* So many leases of one server are released in one go. */
#define FAREWELL_MAX 64

typedef struct redislock_lease_object {
	redislock_held *held; /* NULL when there is none */
	bool is_ended;        /* released, or given away: this holding is over */
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

/* ---- records ---- */

static redislock_held *record_new(redislock_home *home, rl_bytes key, size_t token_room)
{
	redislock_held *held = malloc(sizeof *held);
	rl_lease *lease =
		rl_lease_new(&REDISLOCK_G(env), key, home->prefix_len, token_room, home->set.drift_factor);
	if (held == NULL || lease == NULL) {
		free(held);
		rl_lease_free(lease);
		return NULL;
	}
	home->refs++;
	redislock_held **list = &REDISLOCK_G(held);
	*held = (redislock_held){.next = *list,
		.link = list,
		.home = home,
		.lease = lease,
		.fiber = EG(current_fiber_context)};
	if (held->next != NULL) {
		held->next->link = &held->next;
	}
	*list = held;
	return held;
}

static void record_free(redislock_held *held)
{
	*held->link = held->next;
	if (held->next != NULL) {
		held->next->link = held->link;
	}
	rl_lease_free(held->lease);
	redislock_home_unref(held->home);
	free(held);
}

void redislock_leases_mute(redislock_home *home, int64_t until)
{
	const rl_address *address = &home->set.members[0].target->address;
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (rl_address_equal(address, &held->home->set.members[0].target->address)) {
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

static void farewell_of_one(redislock_held *held, int64_t limit_ns)
{
	if (rl_lease_is_open(held->lease)) {
		farewell(held->home, &held->lease, 1, limit_ns);
	}
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
		record_free(records[i]);
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
	int64_t end_at = rl_os_now() + FAREWELL_NS;
	while (REDISLOCK_G(held) != NULL) {
		farewell_of_one_home(share_of_next(end_at - rl_os_now()));
	}
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

/* The object's holding is over. True = it was the last one. */
static bool end_holding(redislock_lease_object *object)
{
	object->is_ended = true;
	object->ended_at = rl_os_now();
	object->held->holdings--;
	return object->held->holdings == 0;
}

static void free_object(zend_object *std)
{
	redislock_lease_object *object = from_obj(std);
	redislock_held *held = object->held;
	if (held != NULL && is_script_running()) {
		if (!object->is_ended && end_holding(object)) {
			farewell_of_one(held, FAREWELL_NS);
		}
		held->objects--;
		if (held->objects == 0) {
			record_free(held);
		}
	} /* else its record waits on the request's list */
	object->held = NULL;
	zend_object_std_dtor(std);
}

void redislock_lease_enter(zval *zv, redislock_held *held)
{
	object_init_ex(zv, ce_lease);
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	object->held = held;
	object->since = rl_os_now();
	held->objects++;
	held->holdings++;
}

redislock_held *redislock_lease_new(
	zval *object, redislock_home *home, rl_bytes key, size_t token_room)
{
	redislock_held *held = record_new(home, key, token_room);
	if (held == NULL) {
		zend_throw_error(NULL, "Out of memory");
		return NULL;
	}
	redislock_lease_enter(object, held);
	return held;
}

redislock_held *redislock_lease_find(const redislock_home *home, rl_bytes key)
{
	for (redislock_held *held = REDISLOCK_G(held); held != NULL; held = held->next) {
		if (held->home == home && held->fiber == (const void *) EG(current_fiber_context) &&
			held->holdings > 0 && rl_bytes_equal(held->lease->names.key, key) &&
			rl_lease_is_held(held->lease)) {
			return held;
		}
	}
	return NULL;
}

void redislock_lease_won(zval *zv, int64_t waited_ns, uint64_t attempts)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	object->since = rl_os_now();
	object->waited_ns = waited_ns;
	object->attempts = attempts;
}

static bool is_held(const redislock_lease_object *object)
{
	return !object->is_ended && rl_lease_is_held(object->held->lease);
}

/* The object, set up; NULL with an exception. */
static redislock_lease_object *object_of(zval *self)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(self));
	if (object->held == NULL) {
		zend_throw_error(NULL, "The RedisLockLease object was not set up");
		return NULL;
	}
	return object;
}

/* @param is_over it was released or given away before
 * @param result of the section that was lost, or NULL */
static void throw_lost(const redislock_lease_object *object, bool is_over, zval *result)
{
	const rl_lease *lease = object->held->lease;
	rl_bytes key = lease->names.key;
	zend_object *exception = zend_throw_exception_ex(redislock_ce_lost_exception, 0,
		"the lock \"%.*s\" was lost while it was needed%s", (int) (key.len - lease->prefix_len),
		key.data + lease->prefix_len, is_over ? ": it was released or given away" : "");
	if (result != NULL) {
		zend_update_property(
			redislock_ce_lost_exception, exception, "result", sizeof "result" - 1, result);
	}
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
	const rl_lease *lease = object->held->lease;
	RETURN_STRINGL(
		lease->names.key.data + lease->prefix_len, lease->names.key.len - lease->prefix_len);
}

ZEND_METHOD(RedisLockLease, token)
{
	OBJECT_ALONE
	RETURN_STRINGL(object->held->lease->token, object->held->lease->token_len);
}

ZEND_METHOD(RedisLockLease, remaining)
{
	OBJECT_ALONE
	RETURN_DOUBLE(is_held(object) ? (double) rl_lease_remaining(object->held->lease) / 1e9 : 0.0);
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
		throw_lost(object, object->is_ended, NULL);
	}
}

ZEND_METHOD(RedisLockLease, heldFor)
{
	OBJECT_ALONE
	int64_t until = object->is_ended ? object->ended_at : rl_os_now();
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
		throw_lost(object, object->is_ended, NULL);
		RETURN_THROWS();
	}
	if (object->held->holdings > 1) {
		zend_throw_exception(redislock_ce_exception,
			"a lock that is held more than once (reentrant) cannot be given away", 0);
		RETURN_THROWS();
	}
	RETVAL_STRINGL(object->held->lease->token, object->held->lease->token_len);
	end_holding(object);
	rl_lease_end(object->held->lease);
}

/* ---- with the server ---- */

/* NULL with an exception. */
static redislock_call *ask(redislock_held *held, rl_verb verb, int64_t ttl_ms)
{
	rl_lease *lease = held->lease;
	rl_bytes token = verb == RL_VERB_OWNER ? rl_bytes_of(NULL, 0) : rl_lease_token(lease);
	rl_op *op = rl_ask_new(&held->home->set, redislock_home_pool(held->home), &REDISLOCK_G(env),
		verb, lease->names.key, token, ttl_ms);
	if (op != NULL) {
		op->exchange.was_held = lease->was_held;
	}
	redislock_call *call = redislock_call_run(held->home, op);
	if (call != NULL && held->home->mute_until != 0) {
		redislock_leases_mute(held->home, 0); /* it answers */
	}
	return call;
}

ZEND_METHOD(RedisLockLease, verify)
{
	OBJECT_ALONE
	if (!is_held(object)) {
		RETURN_FALSE;
	}
	rl_lease *lease = object->held->lease;
	redislock_call *call = ask(object->held, RL_VERB_OWNER, 0);
	if (call == NULL) {
		RETURN_THROWS();
	}
	const rl_seat *seat = rl_exchange_speaker(&call->op->exchange, RL_VOTE_GRANTED);
	bool is_ours = call->op->status == RL_OK &&
		rl_bytes_equal(rl_bytes_of(seat->text, seat->text_len), rl_lease_token(lease));
	redislock_call_end(call);
	if (!is_ours) {
		rl_lease_lose(lease);
	}
	RETURN_BOOL(is_held(object));
}

bool redislock_lease_prolong(redislock_held *held, int64_t ttl_ms)
{
	rl_lease *lease = held->lease;
	rl_lease_expect(lease, ttl_ms * RL_NS_PER_MS);
	redislock_call *call = ask(held, RL_VERB_EXTEND, ttl_ms);
	if (call == NULL) {
		rl_lease_doubt(lease, ttl_ms * RL_NS_PER_MS);
		return false;
	}
	bool is_ours = call->op->status == RL_OK;
	int64_t sent_at = is_ours ? rl_exchange_sent_at(&call->op->exchange) : 0;
	redislock_call_end(call);
	if (!is_ours) {
		rl_lease_lose(lease);
	}
	return is_ours && rl_lease_confirm(lease, ttl_ms * RL_NS_PER_MS, sent_at);
}

ZEND_METHOD(RedisLockLease, extend)
{
	double ttl;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_DOUBLE(ttl)
	ZEND_PARSE_PARAMETERS_END();
	int64_t ttl_ms;
	redislock_lease_object *object = object_of(ZEND_THIS);
	if (object == NULL || !redislock_read_ttl(ttl, 1, &ttl_ms)) {
		RETURN_THROWS();
	}
	RETURN_BOOL(is_held(object) && redislock_lease_prolong(object->held, ttl_ms));
}

ZEND_METHOD(RedisLockLease, release)
{
	OBJECT_ALONE
	redislock_held *held = object->held;
	if (object->is_ended) {
		RETURN_FALSE;
	}
	if (held->holdings > 1) {
		bool was_held = is_held(object);
		end_holding(object);
		RETURN_BOOL(was_held);
	}
	bool was_held = rl_lease_leave(held->lease);
	if (!rl_lease_is_open(held->lease)) {
		RETURN_FALSE;
	}
	redislock_call *call = ask(held, RL_VERB_RELEASE, 0);
	if (call == NULL) {
		RETURN_THROWS();
	}
	bool is_ours = call->op->status == RL_OK;
	redislock_call_end(call);
	if (!object->is_ended) { /* a signal handler may have ended it meanwhile */
		end_holding(object);
	}
	rl_lease_end(held->lease);
	RETURN_BOOL(was_held && is_ours);
}

void redislock_lease_end_section(zval *zv, zval *result)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	redislock_held *held = object->held;
	bool is_over = object->is_ended;
	bool was_held = is_over || is_held(object);
	if (!is_over && end_holding(object)) {
		/* What cannot be released while ownership is proven is counted, and ends by its TTL. */
		bool is_ending = (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0;
		farewell_of_one(held, is_ending ? FAREWELL_NS : held->home->set.members[0].timeout_ns);
	}
	if (EG(exception) == NULL && (!was_held || held->lease->state == RL_LEASE_LOST)) {
		throw_lost(object, is_over, result);
	}
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

void redislock_lease_set_up(zend_class_entry *ce)
{
	zend_observer_fiber_destroy_register(on_fiber_destroyed);
	ce_lease = ce;
	ce->create_object = create_object;
	memcpy(&handlers, &std_object_handlers, sizeof handlers);
	handlers.offset = offsetof(redislock_lease_object, std);
	handlers.free_obj = free_object;
	handlers.clone_obj = NULL;
}
