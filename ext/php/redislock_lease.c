/* SPDX-License-Identifier: MIT
 *
 * The class RedisLockLease. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"
#include "php/redislock_lease.h"
#include "php/redislock_options.h"

#include "zend_exceptions.h"

#include "transport/rl_watchdog.h"

typedef struct redislock_lease_object {
	redislock_held *held;       /* NULL when there is none */
	redislock_holding *holding; /* NULL = released, or given away: this holding is over */
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
	return object->holding == NULL;
}

/* The object's holding is over. True = it was the last one. */
static bool end_holding(redislock_lease_object *object)
{
	redislock_holding *holding = object->holding;
	object->holding = NULL;
	object->ended_at = rl_os_now();
	return redislock_held_exit(object->held, holding);
}

static void free_object(zend_object *std)
{
	redislock_lease_object *object = from_obj(std);
	redislock_held *held = object->held;
	if (held != NULL && is_script_running()) {
		if (!is_over(object) && end_holding(object)) {
			redislock_held_farewell(held, REDISLOCK_FAREWELL_NS);
		}
		held->objects--;
		if (held->objects == 0) {
			redislock_held_free(held);
		}
	} /* else its record waits on the request's list */
	object->held = NULL;
	zend_object_std_dtor(std);
}

bool redislock_lease_enter(zval *zv, redislock_held *held, const redislock_keeping *keeping)
{
	redislock_holding *holding = redislock_held_enter(held, keeping);
	if (holding == NULL) {
		return false;
	}
	object_init_ex(zv, ce_lease);
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	object->held = held;
	object->holding = holding;
	object->since = rl_os_now();
	held->objects++;
	return true;
}

redislock_held *redislock_lease_new(zval *object, redislock_home *home, rl_bytes key,
	size_t token_room, bool is_own_token, const redislock_keeping *keeping)
{
	redislock_held *held = redislock_held_new(home, key, token_room, is_own_token);
	if (held != NULL && !redislock_lease_enter(object, held, keeping)) {
		redislock_held_free(held);
		return NULL;
	}
	return held;
}

void redislock_lease_won(zval *zv, int64_t waited_ns, uint64_t attempts)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	object->since = rl_os_now();
	object->waited_ns = waited_ns;
	object->attempts = attempts;
	redislock_held_begin(object->held);
}

static bool is_held(const redislock_lease_object *object)
{
	return !is_over(object) && rl_lease_is_held(object->held->lease);
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
	RETURN_DOUBLE(is_over(object) ? 0.0 : (double) rl_lease_remaining(object->held->lease) / 1e9);
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
		redislock_throw_lost(object->held->lease, is_over(object), NULL);
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
		redislock_throw_lost(object->held->lease, is_over(object), NULL);
		RETURN_THROWS();
	}
	if (object->held->holdings->next != NULL) {
		zend_throw_exception(redislock_ce_exception,
			"a lock that is held more than once (reentrant) cannot be given away", 0);
		RETURN_THROWS();
	}
	RETVAL_STRINGL(object->held->lease->token, object->held->lease->token_len);
	redislock_held_leave(object->held);
	end_holding(object);
	rl_lease_give_away(object->held->lease);
	redislock_held_left(object->held);
}

/* ---- with the server ---- */

/* How long the end of a section may wait: as long as a release may take. */
static int64_t patience_of(const redislock_held *held)
{
	const rl_set *set = &held->home->set;
	int64_t longest = 0;
	for (unsigned i = 0; i < set->count; i++) {
		int64_t own = rl_set_patience(set, set->members[i].timeout_ns, held->lease->ttl_ns);
		longest = own > longest ? own : longest;
	}
	return longest;
}

/* NULL with an exception. */
static redislock_call *ask(redislock_held *held, rl_verb verb, int64_t ttl_ms)
{
	rl_lease *lease = held->lease;
	rl_bytes token = verb == RL_VERB_OWNER ? rl_bytes_of(NULL, 0) : rl_lease_token(lease);
	rl_op *op = rl_ask_new(&held->home->set, redislock_home_pool(held->home), &REDISLOCK_G(env),
		verb, lease->names.key, token, ttl_ms);
	if (op != NULL) {
		op->exchange.was_held = lease->was_held;
		/* A member that carries it out late could shorten what the next one has prolonged. */
		op->hopes_for_all = verb == RL_VERB_EXTEND;
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
	const rl_seat *seat = rl_exchange_owner(&call->op->exchange);
	bool is_ours = call->op->status == RL_OK &&
		rl_bytes_equal(rl_bytes_of(seat->text, seat->text_len), rl_lease_token(lease));
	redislock_call_end(call);
	if (!is_ours) {
		rl_watchdog_hold(object->held->watched);
		rl_lease_lose(lease);
		rl_watchdog_let_go(object->held->watched);
	}
	RETURN_BOOL(is_held(object));
}

bool redislock_lease_prolong(redislock_held *held, int64_t ttl_ms)
{
	rl_lease *lease = held->lease;
	int64_t ttl_ns = ttl_ms * RL_NS_PER_MS;
	rl_watchdog_hold(held->watched);
	rl_lease_expect(lease, ttl_ns);
	rl_watchdog_let_go(held->watched);
	redislock_call *call = ask(held, RL_VERB_EXTEND, ttl_ms);
	bool is_answered = call != NULL;
	bool is_ours = is_answered && call->op->status == RL_OK;
	int64_t sent_at = is_ours ? rl_exchange_sent_at(&call->op->exchange) : 0;
	bool has_strays = is_answered && rl_exchange_has_strays(&call->op->exchange);
	if (is_answered) {
		redislock_call_end(call);
	}
	rl_watchdog_hold(held->watched);
	if (has_strays) {
		rl_lease_suspect(lease, ttl_ns);
	}
	if (is_ours) {
		is_ours = rl_lease_confirm(lease, ttl_ns, sent_at);
	} else if (is_answered) {
		rl_lease_lose(lease);
	} else {
		rl_lease_doubt(lease, ttl_ns);
	}
	rl_watchdog_let_go(held->watched);
	return is_ours;
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
	if (is_over(object)) {
		RETURN_FALSE;
	}
	if (held->holdings->next != NULL) {
		bool was_held = is_held(object);
		end_holding(object);
		RETURN_BOOL(was_held);
	}
	redislock_held_leave(held);
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
	if (!is_over(object)) { /* a signal handler may have ended it meanwhile */
		end_holding(object);
	}
	rl_lease_end(held->lease);
	redislock_held_left(held);
	RETURN_BOOL(was_held && is_ours);
}

void redislock_lease_end_section(zval *zv, zval *result)
{
	redislock_lease_object *object = from_obj(Z_OBJ_P(zv));
	redislock_held *held = object->held;
	bool was_over = is_over(object);
	bool was_held = was_over || is_held(object);
	if (!was_over && end_holding(object)) {
		/* What cannot be released while ownership is proven is counted, and ends by its TTL. */
		bool is_ending = (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0;
		redislock_held_farewell(held, is_ending ? REDISLOCK_FAREWELL_NS : patience_of(held));
	}
	if (EG(exception) == NULL && (!was_held || rl_lease_is_lost(held->lease))) {
		redislock_throw_lost(held->lease, was_over, result);
	}
}

void redislock_lease_set_up(zend_class_entry *ce)
{
	ce_lease = ce;
	ce->create_object = create_object;
	memcpy(&handlers, &std_object_handlers, sizeof handlers);
	handlers.offset = offsetof(redislock_lease_object, std);
	handlers.free_obj = free_object;
	handlers.clone_obj = NULL;
}
