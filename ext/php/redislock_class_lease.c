/* SPDX-License-Identifier: MIT
 *
 * The methods of the class RedisLock that make leases: lease(), resume() and synchronized(). They
 * read their arguments, and win the lock for a lease or a section.
 */
#include "php_redislock.h"

#include "php/redislock_call_site.h"
#include "php/redislock_class.h"
#include "php/redislock_exception.h"
#include "php/redislock_lease.h"
#include "php/redislock_options.h"
#include "php/redislock_record_ask.h"

#include "zend_exceptions.h"
#include "zend_smart_str.h"

#include "transport/rl_watchdog.h"

/* Call with the call that has asked for the lease's lock, or NULL after an exception. True = the
 * lease is held. False = the lock is taken, or an exception was thrown; in both cases the object is
 * gone.
 * @param[out] held RL_HOLDER_TEXT bytes for the holder that a wait in vain has seen; or NULL */
static bool win_lease(
	redislock_record *record, zval *object, redislock_call *call, int64_t ttl_ms, char *held)
{
	bool is_won = call != NULL && call->op->status == RL_OK;
	if (is_won && record->client->backed_off_until != 0) {
		redislock_records_back_off(record->client, 0);
	}
	int64_t ttl_ns = ttl_ms * RL_NS_PER_MS;
	const rl_acquire *acquire = is_won ? rl_acquire_of(call->op) : NULL;
	if (acquire != NULL) {
		rl_lease_begin(record->lease, rl_bytes_of(acquire->token, acquire->token_len), ttl_ns,
			acquire->proven_until);
		record->lease->strays = rl_quorum_call_strays(&call->op->call);
		redislock_lease_won(object, acquire->waited_ns, acquire->attempts);
	} else if (is_won) {
		const rl_quorum_call *swap = &call->op->call;
		rl_lease_begin(record->lease, swap->request.fresh, ttl_ns,
			rl_quorum_call_sent_at(swap) + ttl_ns - rl_set_drift(swap->set, ttl_ns));
		redislock_lease_won(object, 0, 1);
	}
	if (call != NULL && !is_won && held != NULL) {
		rl_acquire_held_text(rl_acquire_of(call->op), rl_os_now(), held);
	}
	if (call != NULL) {
		redislock_call_end(call);
	}
	if (!is_won) {
		zval_ptr_dtor(object);
	}
	return is_won;
}

/* The arguments that lease(), resume() and synchronized() have in common after the key. */
typedef struct lease_args {
	double ttl;
	double wait;
	double max_hold;
	bool has_no_max_hold;
	bool renews;
	zend_fcall_info on_loss;
	zend_fcall_info_cache on_loss_cache;
	/* The number of the TTL among the arguments. The wait follows, where there is one. */
	uint32_t ttl_arg;
	bool has_wait;
	/* The caller's own token; NULL = a token is drawn. */
	zend_string *token;
	uint32_t token_arg;
	/* The out parameter of win_lease(), or NULL. */
	char *held;
	redislock_abort abort;
} lease_args;

#define LEASE_DEFAULTS .ttl = 30.0, .has_no_max_hold = true, .renews = true

/* False = an exception was thrown. */
static bool read_lease_args(const redislock_client *client, const lease_args *in, int64_t *ttl_ms,
	int64_t *wait_ns, redislock_policy *policy)
{
	uint32_t arg = in->ttl_arg;
	policy->term.renews = in->renews;
	ZVAL_UNDEF(&policy->on_loss.function);
	if (ZEND_FCI_INITIALIZED(in->on_loss)) {
		ZVAL_COPY_VALUE(&policy->on_loss.function, &in->on_loss.function_name);
		policy->on_loss.cache = in->on_loss_cache;
	}
	return redislock_read_ttl(client, in->ttl, arg++, ttl_ms) &&
		(!in->has_wait || redislock_read_wait(in->wait, arg++, wait_ns)) &&
		redislock_read_max_hold(
			in->max_hold, in->has_no_max_hold, arg + 1, &policy->term.max_hold_ns);
}

/* Enters a lock again that the client holds already. False = the client does not hold it, or an
 * exception was thrown. */
static bool enter_again(redislock_client *client, rl_bytes key, int64_t ttl_ms,
	const redislock_policy *policy, zval *object)
{
	redislock_record *record = client->is_reentrant ? redislock_record_find(client, key) : NULL;
	if (record == NULL) {
		return false;
	}
	if (!redislock_lease_enter(object, record, policy)) {
		return false;
	}
	int64_t ttl_ns = ttl_ms * RL_NS_PER_MS;
	int64_t longer_ms =
		ttl_ns > record->lease->ttl_ns ? ttl_ms : record->lease->ttl_ns / RL_NS_PER_MS;
	bool is_enough =
		ttl_ns <= record->lease->ttl_ns && rl_lease_remaining(record->lease) >= ttl_ns / 2;
	if (is_enough || redislock_record_extend(record, longer_ms)) {
		return true;
	}
	zval_ptr_dtor(object);
	return false;
}

/* How long the tokens are that are drawn for the client. */
static size_t drawn_len(const redislock_client *client)
{
	return rl_token_len(rl_label_or(&client->set.label, REDISLOCK_G(env).label));
}

/* Makes a lease in *object. False = the lock is taken, or an exception was thrown. */
static bool take_lease(zval *self, const zend_string *name, lease_args *in, zval *object)
{
	const zend_string *token = in->token;
	redislock_client *client = redislock_client_of(self);
	rl_acquire_args args = {0};
	redislock_policy policy;
	char *joined;
	if (client == NULL || !read_lease_args(client, in, &args.ttl_ms, &args.wait_ns, &policy) ||
		(token != NULL && !redislock_check_token(token, in->token_arg)) ||
		!redislock_read_key(client, name, 1, &args.key, &joined)) {
		return false;
	}
	size_t token_room = drawn_len(client);
	if (token != NULL) {
		args.token = rl_bytes_of(ZSTR_VAL(token), ZSTR_LEN(token));
		token_room = ZSTR_LEN(token);
	}
	redislock_record *record = NULL;
	rl_op *op = NULL;
	bool is_again = enter_again(client, args.key, args.ttl_ms, &policy, object);
	if (!is_again && EG(exception) == NULL &&
		redislock_check_deadlock(client, args.key, &args.wait_ns, name) &&
		(token == NULL || redislock_check_unreleased(client, args.key, args.token, name))) {
		record = redislock_lease_new(object, client, args.key, token_room, token != NULL, &policy);
		op = record == NULL ? NULL
							: rl_acquire_new(&client->set, client->pool, &REDISLOCK_G(env), &args);
	}
	redislock_free_key(joined);
	if (is_again || record == NULL) {
		return is_again;
	}
	redislock_call *call = redislock_call_wait(record->client, op, &in->abort);
	return win_lease(record, object, call, args.ttl_ms, in->held);
}

ZEND_METHOD(RedisLock, lease)
{
	zend_string *name;
	lease_args args = {LEASE_DEFAULTS, .ttl_arg = 2, .has_wait = true, .token_arg = 7};
	ZEND_PARSE_PARAMETERS_START(1, 8)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(args.ttl)
		REDISLOCK_PARAM_FLOAT(args.wait)
		Z_PARAM_BOOL(args.renews)
		REDISLOCK_PARAM_FLOAT_OR_NULL(args.max_hold, args.has_no_max_hold)
		Z_PARAM_FUNC_OR_NULL(args.on_loss, args.on_loss_cache)
		Z_PARAM_STR_OR_NULL(args.token)
		Z_PARAM_FUNC_OR_NULL(args.abort.function, args.abort.cache)
	ZEND_PARSE_PARAMETERS_END();
	zval object;
	redislock_call_site call_site = redislock_call_site_note();
	if (take_lease(ZEND_THIS, name, &args, &object)) {
		redislock_lease_set_call_site(&object, call_site);
		RETURN_COPY_VALUE(&object);
	}
	RETURN_NULL();
}

ZEND_METHOD(RedisLock, resume)
{
	zend_string *name;
	zend_string *token;
	lease_args args = {LEASE_DEFAULTS, .ttl_arg = 3};
	ZEND_PARSE_PARAMETERS_START(2, 6)
		Z_PARAM_STR(name)
		Z_PARAM_STR(token)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(args.ttl)
		Z_PARAM_BOOL(args.renews)
		REDISLOCK_PARAM_FLOAT_OR_NULL(args.max_hold, args.has_no_max_hold)
		Z_PARAM_FUNC_OR_NULL(args.on_loss, args.on_loss_cache)
	ZEND_PARSE_PARAMETERS_END();
	redislock_client *client = redislock_client_of(ZEND_THIS);
	rl_bytes key;
	char *joined;
	int64_t ttl_ms;
	redislock_policy policy;
	if (client == NULL || !redislock_check_token(token, 2) ||
		!read_lease_args(client, &args, &ttl_ms, NULL, &policy) ||
		!redislock_read_key(client, name, 1, &key, &joined)) {
		RETURN_THROWS();
	}
	rl_bytes given = rl_bytes_of(ZSTR_VAL(token), ZSTR_LEN(token));
	if (rl_watchdog_is_releasing(&client->set, key, given)) {
		redislock_free_key(joined);
		RETURN_NULL();
	}
	zval object;
	redislock_call_site call_site = redislock_call_site_note();
	redislock_record *record =
		redislock_lease_new(&object, client, key, drawn_len(client), false, &policy);
	rl_op *op = record == NULL
		? NULL
		: rl_take_over_new(&client->set, client->pool, &REDISLOCK_G(env), key, given, ttl_ms);
	redislock_free_key(joined);
	if (record != NULL &&
		win_lease(record, &object, redislock_call_run(record->client, op), ttl_ms, NULL)) {
		redislock_lease_set_call_site(&object, call_site);
		RETURN_COPY_VALUE(&object);
	}
	RETURN_NULL();
}

/* @param held empty = no holder was seen */
static void throw_timeout(const zend_string *name, double wait, const char *held)
{
	rl_bytes key = rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name));
	char shown[RL_BYTES_TEXT];
	smart_str seconds = {0};
	smart_str_append_double(&seconds, wait, 15, false); /* whatever the locale is */
	smart_str_0(&seconds);
	zend_throw_exception_ex(redislock_ce_timeout_exception, 0,
		"could not acquire the lock \"%s\" within %s s: it is %s", rl_bytes_text(key, shown),
		ZSTR_VAL(seconds.s), held[0] != '\0' ? held : "taken");
	redislock_note_key(key);
	smart_str_free(&seconds);
}

static void throw_aborted(const zend_string *name)
{
	char shown[RL_BYTES_TEXT];
	rl_bytes key = rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name));
	zend_throw_exception_ex(redislock_ce_timeout_exception, 0,
		"could not acquire the lock \"%s\": the argument $abort has ended the wait",
		rl_bytes_text(key, shown));
	redislock_note_key(key);
}

ZEND_METHOD(RedisLock, synchronized)
{
	zend_string *name;
	zend_fcall_info section;
	zend_fcall_info_cache cache;
	char held[RL_HOLDER_TEXT] = "";
	lease_args args = {LEASE_DEFAULTS, .ttl_arg = 3, .has_wait = true, .held = held};
	ZEND_PARSE_PARAMETERS_START(2, 8)
		Z_PARAM_STR(name)
		Z_PARAM_FUNC(section, cache)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(args.ttl)
		REDISLOCK_PARAM_FLOAT(args.wait)
		Z_PARAM_BOOL(args.renews)
		REDISLOCK_PARAM_FLOAT_OR_NULL(args.max_hold, args.has_no_max_hold)
		Z_PARAM_FUNC_OR_NULL(args.on_loss, args.on_loss_cache)
		Z_PARAM_FUNC_OR_NULL(args.abort.function, args.abort.cache)
	ZEND_PARSE_PARAMETERS_END();
	zval object;
	if (!take_lease(ZEND_THIS, name, &args, &object)) {
		if (EG(exception) == NULL && args.abort.answer == REDISLOCK_ABORT_STOP) {
			throw_aborted(name);
		} else if (EG(exception) == NULL) {
			throw_timeout(name, args.wait, held);
		}
		RETURN_THROWS();
	}
	section.retval = return_value;
	section.params = &object;
	section.param_count = 1;
	zend_call_function(&section, &cache);
	if (Z_ISREF_P(return_value)) {
		zend_unwrap_reference(return_value); /* the section returned a reference */
	}
	redislock_lease_end_section(&object, return_value);
	zval_ptr_dtor(&object);
}
