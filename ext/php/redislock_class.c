/* SPDX-License-Identifier: MIT
 *
 * The class RedisLock. Each method reads its arguments, runs one operation of core, and returns the
 * result. This file contains no lock logic.
 */
#include "php_redislock.h"

#include "php/compat.h"
#include "php/redislock_class.h"
#include "php/redislock_exception.h"
#include "php/redislock_lease.h"
#include "php/redislock_options.h"

#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"

#include "zend_attributes.h"
#include "zend_enum.h"
#include "zend_smart_str.h"

#include "redislock_arginfo.h"
#include "transport/rl_process.h"
#include "transport/rl_watchdog.h"

typedef struct redislock_object {
	/* One reference. NULL until the constructor has run. */
	redislock_client *client;
	zend_object std;
} redislock_object;

static zend_object_handlers handlers;

static inline redislock_object *from_obj(zend_object *object)
{
	return (redislock_object *) ((char *) object - offsetof(redislock_object, std));
}

static zend_object *create_object(zend_class_entry *ce)
{
	redislock_object *lock = zend_object_alloc(sizeof *lock, ce);
	lock->client = NULL;
	zend_object_std_init(&lock->std, ce);
	object_properties_init(&lock->std, ce);
	lock->std.handlers = &handlers;
	return &lock->std;
}

static void free_object(zend_object *object)
{
	redislock_object *lock = from_obj(object);
	redislock_client_unref(lock->client);
	lock->client = NULL;
	zend_object_std_dtor(object);
}

static void add_weak(zval *list, const rl_target *target)
{
	static const rl_tls_option options[] = {RL_TLS_VERIFY_PEER, RL_TLS_VERIFY_PEER_NAME};
	for (unsigned i = 0; target->address.tls != NULL && i < 2; i++) {
		if (!rl_tls_is_on(target->address.tls, options[i])) {
			zend_string *text =
				zend_strpprintf(0, "%s: %s is off", target->name, rl_tls_option_name(options[i]));
			add_next_index_str(list, text);
		}
	}
}

/* What var_dump() and print_r() show: the servers, the prefix, and what weakens TLS, but no
 * secret. */
static HashTable *debug_info(zend_object *object, int *is_temporary)
{
	const redislock_client *client = from_obj(object)->client;
	zval info;
	zval servers;
	zval weak;
	array_init(&info);
	array_init(&servers);
	array_init(&weak);
	*is_temporary = 1;
	for (unsigned i = 0; client != NULL && i < client->set.count; i++) {
		const rl_target *target = client->set.members[i].target;
		add_next_index_string(&servers, target->name);
		add_weak(&weak, target);
	}
	add_assoc_zval(&info, "servers", &servers);
	if (client != NULL) {
		add_assoc_stringl(&info, "prefix", client->prefix, client->prefix_len);
	}
	if (zend_hash_num_elements(Z_ARRVAL(weak)) > 0) {
		add_assoc_zval(&info, "unverified", &weak);
	} else {
		zval_ptr_dtor(&weak);
	}
	return Z_ARRVAL(info);
}

/* The object's client. NULL = its constructor never ran, and an exception was thrown. */
static redislock_client *client_of(zval *self)
{
	redislock_client *client = from_obj(Z_OBJ_P(self))->client;
	if (client == NULL) {
		zend_throw_error(
			NULL, "The RedisLock object was not set up: its constructor was not called");
	}
	return client;
}

/* ---- construction ---- */

ZEND_METHOD(RedisLock, __construct)
{
	redislock_arguments arguments = {.timeout = 1.0,
		.connect_timeout = 1.0,
		.retry_delay = 0.01,
		.retry_max_delay = 0.2,
		.jitter = 0.2,
		.drift_factor = 0.01};
	zend_string *server = NULL;
	zend_string *prefix = NULL;
	zend_long retries = 0;
	bool is_without_limit = true;
	bool wakes = true;
	bool is_persistent = true;
	bool is_reentrant = false;
	HashTable *tls = NULL;
	ZEND_PARSE_PARAMETERS_START(0, 13)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(arguments.servers, server)
		REDISLOCK_PARAM_PREFIX(prefix)
		REDISLOCK_PARAM_FLOAT(arguments.timeout)
		REDISLOCK_PARAM_FLOAT(arguments.connect_timeout)
		REDISLOCK_PARAM_FLOAT(arguments.retry_delay)
		REDISLOCK_PARAM_FLOAT(arguments.retry_max_delay)
		REDISLOCK_PARAM_FLOAT(arguments.jitter)
		Z_PARAM_LONG_OR_NULL(retries, is_without_limit)
		Z_PARAM_BOOL(wakes)
		Z_PARAM_BOOL(is_persistent)
		Z_PARAM_BOOL(is_reentrant)
		REDISLOCK_PARAM_FLOAT(arguments.drift_factor)
		Z_PARAM_ARRAY_HT(tls)
	ZEND_PARSE_PARAMETERS_END();
	redislock_object *lock = from_obj(Z_OBJ_P(ZEND_THIS));
	if (lock->client != NULL) {
		zend_throw_error(NULL, "The RedisLock object is set up already");
		RETURN_THROWS();
	}
	arguments.server = server;
	arguments.prefix = prefix;
	arguments.retries = is_without_limit ? NULL : &retries;
	redislock_client *client = redislock_client_new();
	if (client == NULL) {
		zend_throw_error(NULL, "Out of memory");
		RETURN_THROWS();
	}
	rl_tls_options *tls_options;
	bool is_filled = redislock_read_tls(tls, 13, &tls_options);
	arguments.tls = tls_options;
	is_filled = is_filled && redislock_client_fill(client, &arguments);
	rl_tls_options_free(tls_options);
	if (!is_filled) {
		redislock_client_unref(client);
		RETURN_THROWS();
	}
	client->set.wakes = wakes;
	client->is_reentrant = is_reentrant;
	if (is_persistent) {
		client->pool = &REDISLOCK_G(pool);
	}
	lock->client = client;
}

/* ---- running ---- */

/* Runs one of the plain verbs. NULL = an exception was thrown, or the watchdog is about to release
 * the lock that should be extended. */
static redislock_call *ask(
	zval *self, rl_verb verb, const zend_string *name, const zend_string *token, int64_t ttl_ms)
{
	redislock_client *client = client_of(self);
	rl_bytes key;
	char *joined;
	if (client == NULL || (token != NULL && !redislock_check_token(token, 2)) ||
		!redislock_read_key(client, name, 1, &key, &joined)) {
		return NULL;
	}
	rl_bytes token_bytes = {NULL, 0};
	if (token != NULL) {
		token_bytes = rl_bytes_of(ZSTR_VAL(token), ZSTR_LEN(token));
	}
	if (verb == RL_VERB_EXTEND && rl_watchdog_is_releasing(&client->set, key, token_bytes)) {
		redislock_free_key(joined);
		return NULL;
	}
	bool may_be_repeated = verb == RL_VERB_RELEASE && rl_token_is_drawn(token_bytes);
	rl_op *op = rl_plain_new(&client->set, client->pool, &REDISLOCK_G(env),
		&(rl_plain_args){.verb = verb,
			.key = key,
			.token = token_bytes,
			.ttl_ms = ttl_ms,
			.late_ns = may_be_repeated ? RL_LATE_BARE_NS : 0});
	redislock_free_key(joined);
	return redislock_call_run(client, op);
}

/* Asks the servers whether a quorum has the token. False = no quorum has, or an exception was
 * thrown. */
static bool is_owner(redislock_client *client, rl_bytes key, const zend_string *token)
{
	redislock_call *call = redislock_call_run(client,
		rl_plain_new(&client->set, client->pool, &REDISLOCK_G(env),
			&(rl_plain_args){.verb = RL_VERB_OWNER, .key = key}));
	if (call == NULL) {
		return false;
	}
	const rl_member_call *member = rl_quorum_call_owner(&call->op->call);
	bool is_same = call->op->status == RL_OK &&
		rl_bytes_equal(rl_bytes_of(member->text, member->text_len),
			rl_bytes_of(ZSTR_VAL(token), ZSTR_LEN(token)));
	redislock_call_end(call);
	return is_same;
}

/* Refuses a wait that only this thread could end, because one of its own leases holds the key. The
 * servers must confirm that, because the key may have been deleted or have another holder by now.
 * False = an exception was thrown. */
static bool check_deadlock(
	redislock_client *client, rl_bytes key, int64_t wait_ns, const zend_string *name)
{
	const redislock_record *record = wait_ns > 0 ? redislock_record_blocking(client, key) : NULL;
	if (record == NULL) {
		return true;
	}
	/* A copy: a signal handler may end the lease while the servers are asked. */
	zend_string *token = zend_string_init(record->lease->token, record->lease->token_len, false);
	bool is_ours = is_owner(client, key, token);
	zend_string_release(token);
	if (EG(exception) != NULL) {
		return false;
	}
	if (!is_ours) {
		return true;
	}
	char shown[RL_BYTES_TEXT];
	zend_throw_exception_ex(redislock_ce_exception, 0,
		"waiting for the lock \"%s\" would never end: a lease of this thread holds it and renews "
		"itself; release that lease first, give it a maxHold, or nest the sections with "
		"reentrant: true",
		rl_bytes_text(rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)), shown));
	return false;
}

/* Refuses a token whose release is still being repeated on the same servers: that release could
 * free the new lock. False = an exception was thrown. */
static bool check_unreleased(
	const redislock_client *client, rl_bytes key, rl_bytes token, const zend_string *name)
{
	if (!rl_watchdog_is_releasing(&client->set, key, token)) {
		return true;
	}
	char shown[RL_BYTES_TEXT];
	zend_throw_exception_ex(redislock_ce_exception, 0,
		"an earlier release of the lock \"%s\" with this token failed and is being repeated; "
		"use a fresh token",
		rl_bytes_text(rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)), shown));
	return false;
}

/* Returns the answer of a verb that is answered yes or no. */
static void return_yes_or_no(redislock_call *call, zval *return_value)
{
	if (call == NULL && EG(exception) == NULL) {
		RETURN_FALSE;
	}
	if (call == NULL) {
		RETURN_THROWS();
	}
	ZVAL_BOOL(return_value, call->op->status == RL_OK);
	redislock_call_end(call);
}

ZEND_METHOD(RedisLock, acquire)
{
	zend_string *name;
	zend_string *token = NULL;
	double ttl = 30.0;
	double wait = 0.0;
	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(ttl)
		REDISLOCK_PARAM_FLOAT(wait)
		Z_PARAM_STR_OR_NULL(token)
	ZEND_PARSE_PARAMETERS_END();
	redislock_client *client = client_of(ZEND_THIS);
	rl_acquire_args args = {0};
	char *joined;
	if (client == NULL || !redislock_read_ttl(ttl, 2, &args.ttl_ms) ||
		!redislock_read_wait(wait, 3, &args.wait_ns) ||
		(token != NULL && !redislock_check_token(token, 4)) ||
		!redislock_read_key(client, name, 1, &args.key, &joined)) {
		RETURN_THROWS();
	}
	if (token != NULL) {
		args.token = rl_bytes_of(ZSTR_VAL(token), ZSTR_LEN(token));
	}
	if (!check_deadlock(client, args.key, args.wait_ns, name) ||
		(token != NULL && !check_unreleased(client, args.key, args.token, name))) {
		redislock_free_key(joined);
		RETURN_THROWS();
	}
	/* Allocated first: to run out of memory here loses nothing, after the grant it would lose the
	 * token. */
	zend_string *result = zend_string_alloc(token != NULL ? ZSTR_LEN(token) : RL_TOKEN_LEN, false);
	rl_op *op = rl_acquire_new(&client->set, client->pool, &REDISLOCK_G(env), &args);
	redislock_free_key(joined);
	redislock_call *call = redislock_call_run(client, op);
	if (call == NULL) {
		zend_string_efree(result);
		RETURN_THROWS();
	}
	if (call->op->status == RL_OK) {
		const rl_acquire *acquire = (const rl_acquire *) call->op;
		memcpy(ZSTR_VAL(result), acquire->token, acquire->token_len);
		ZSTR_VAL(result)[acquire->token_len] = '\0';
		RETVAL_NEW_STR(result);
	} else {
		zend_string_efree(result);
		RETVAL_NULL();
	}
	redislock_call_end(call);
}

ZEND_METHOD(RedisLock, release)
{
	zend_string *name;
	zend_string *token;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR(name)
		Z_PARAM_STR(token)
	ZEND_PARSE_PARAMETERS_END();
	return_yes_or_no(ask(ZEND_THIS, RL_VERB_RELEASE, name, token, 0), return_value);
}

ZEND_METHOD(RedisLock, extend)
{
	zend_string *name;
	zend_string *token;
	double ttl;
	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR(name)
		Z_PARAM_STR(token)
		REDISLOCK_PARAM_FLOAT(ttl)
	ZEND_PARSE_PARAMETERS_END();
	int64_t ttl_ms;
	if (!redislock_read_ttl(ttl, 3, &ttl_ms)) {
		RETURN_THROWS();
	}
	return_yes_or_no(ask(ZEND_THIS, RL_VERB_EXTEND, name, token, ttl_ms), return_value);
}

/* ---- leases ---- */

/* Runs op, which asks for the lease's lock. True = the lease is held. False = the lock is taken, or
 * an exception was thrown; in both cases the object is gone. */
static bool win_lease(redislock_record *record, zval *object, rl_op *op, int64_t ttl_ms)
{
	redislock_call *call = redislock_call_run(record->client, op);
	bool is_won = call != NULL && call->op->status == RL_OK;
	if (is_won && record->client->backed_off_until != 0) {
		redislock_records_back_off(record->client, 0);
	}
	int64_t ttl_ns = ttl_ms * RL_NS_PER_MS;
	const rl_acquire *acquire = is_won ? rl_acquire_of(op) : NULL;
	if (acquire != NULL) {
		rl_lease_begin(record->lease, rl_bytes_of(acquire->token, acquire->token_len), ttl_ns,
			acquire->proven_until);
		record->lease->strays = rl_quorum_call_strays(&op->call);
		redislock_lease_won(object, acquire->waited_ns, acquire->attempts);
	} else if (is_won) {
		rl_lease_begin(record->lease, op->call.request.fresh, ttl_ns,
			rl_quorum_call_sent_at(&op->call) + ttl_ns - rl_set_drift(op->call.set, ttl_ns));
		redislock_lease_won(object, 0, 1);
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
} lease_args;

#define LEASE_DEFAULTS .ttl = 30.0, .has_no_max_hold = true, .renews = true

/* False = an exception was thrown. */
static bool read_lease_args(
	const lease_args *in, int64_t *ttl_ms, int64_t *wait_ns, redislock_policy *policy)
{
	uint32_t arg = in->ttl_arg;
	policy->renews = in->renews;
	ZVAL_UNDEF(&policy->on_loss.function);
	if (ZEND_FCI_INITIALIZED(in->on_loss)) {
		ZVAL_COPY_VALUE(&policy->on_loss.function, &in->on_loss.function_name);
		policy->on_loss.cache = in->on_loss_cache;
	}
	return redislock_read_ttl(in->ttl, arg++, ttl_ms) &&
		(!in->has_wait || redislock_read_wait(in->wait, arg++, wait_ns)) &&
		redislock_read_max_hold(in->max_hold, in->has_no_max_hold, arg + 1, &policy->max_hold_ns);
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
	if (is_enough || redislock_lease_extend(record, longer_ms)) {
		return true;
	}
	zval_ptr_dtor(object);
	return false;
}

/* Makes a lease in *object. False = the lock is taken, or an exception was thrown. */
static bool take_lease(zval *self, const zend_string *name, const lease_args *in, zval *object)
{
	const zend_string *token = in->token;
	redislock_client *client = client_of(self);
	rl_acquire_args args = {0};
	redislock_policy policy;
	char *joined;
	if (client == NULL || !read_lease_args(in, &args.ttl_ms, &args.wait_ns, &policy) ||
		(token != NULL && !redislock_check_token(token, in->token_arg)) ||
		!redislock_read_key(client, name, 1, &args.key, &joined)) {
		return false;
	}
	size_t token_room = RL_TOKEN_LEN;
	if (token != NULL) {
		args.token = rl_bytes_of(ZSTR_VAL(token), ZSTR_LEN(token));
		token_room = ZSTR_LEN(token);
	}
	redislock_record *record = NULL;
	rl_op *op = NULL;
	bool is_again = enter_again(client, args.key, args.ttl_ms, &policy, object);
	if (!is_again && EG(exception) == NULL &&
		check_deadlock(client, args.key, args.wait_ns, name) &&
		(token == NULL || check_unreleased(client, args.key, args.token, name))) {
		record = redislock_lease_new(object, client, args.key, token_room, token != NULL, &policy);
		op = record == NULL ? NULL
							: rl_acquire_new(&client->set, client->pool, &REDISLOCK_G(env), &args);
	}
	redislock_free_key(joined);
	return is_again || (record != NULL && win_lease(record, object, op, args.ttl_ms));
}

ZEND_METHOD(RedisLock, lease)
{
	zend_string *name;
	lease_args args = {LEASE_DEFAULTS, .ttl_arg = 2, .has_wait = true, .token_arg = 7};
	ZEND_PARSE_PARAMETERS_START(1, 7)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(args.ttl)
		REDISLOCK_PARAM_FLOAT(args.wait)
		Z_PARAM_BOOL(args.renews)
		REDISLOCK_PARAM_FLOAT_OR_NULL(args.max_hold, args.has_no_max_hold)
		Z_PARAM_FUNC_OR_NULL(args.on_loss, args.on_loss_cache)
		Z_PARAM_STR_OR_NULL(args.token)
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
	redislock_client *client = client_of(ZEND_THIS);
	rl_bytes key;
	char *joined;
	int64_t ttl_ms;
	redislock_policy policy;
	if (client == NULL || !redislock_check_token(token, 2) ||
		!read_lease_args(&args, &ttl_ms, NULL, &policy) ||
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
		redislock_lease_new(&object, client, key, RL_TOKEN_LEN, false, &policy);
	rl_op *op = record == NULL
		? NULL
		: rl_take_over_new(&client->set, client->pool, &REDISLOCK_G(env), key, given, ttl_ms);
	redislock_free_key(joined);
	if (record != NULL && win_lease(record, &object, op, ttl_ms)) {
		redislock_lease_set_call_site(&object, call_site);
		RETURN_COPY_VALUE(&object);
	}
	RETURN_NULL();
}

static void throw_timeout(const zend_string *name, double wait)
{
	char key[RL_BYTES_TEXT];
	smart_str seconds = {0};
	smart_str_append_double(&seconds, wait, 15, false); /* whatever the locale is */
	smart_str_0(&seconds);
	zend_throw_exception_ex(redislock_ce_timeout_exception, 0,
		"could not acquire the lock \"%s\" within %s s: it is taken",
		rl_bytes_text(rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)), key), ZSTR_VAL(seconds.s));
	smart_str_free(&seconds);
}

ZEND_METHOD(RedisLock, synchronized)
{
	zend_string *name;
	zend_fcall_info section;
	zend_fcall_info_cache cache;
	lease_args args = {LEASE_DEFAULTS, .ttl_arg = 3, .has_wait = true};
	ZEND_PARSE_PARAMETERS_START(2, 7)
		Z_PARAM_STR(name)
		Z_PARAM_FUNC(section, cache)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(args.ttl)
		REDISLOCK_PARAM_FLOAT(args.wait)
		Z_PARAM_BOOL(args.renews)
		REDISLOCK_PARAM_FLOAT_OR_NULL(args.max_hold, args.has_no_max_hold)
		Z_PARAM_FUNC_OR_NULL(args.on_loss, args.on_loss_cache)
	ZEND_PARSE_PARAMETERS_END();
	zval object;
	if (!take_lease(ZEND_THIS, name, &args, &object)) {
		if (EG(exception) == NULL) {
			throw_timeout(name, args.wait);
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

ZEND_METHOD(RedisLock, isLocked)
{
	zend_string *name;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();
	return_yes_or_no(ask(ZEND_THIS, RL_VERB_EXISTS, name, NULL, 0), return_value);
}

ZEND_METHOD(RedisLock, owner)
{
	zend_string *name;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();
	redislock_call *call = ask(ZEND_THIS, RL_VERB_OWNER, name, NULL, 0);
	if (call == NULL) {
		RETURN_THROWS();
	}
	if (call->op->status == RL_OK) {
		const rl_member_call *member = rl_quorum_call_owner(&call->op->call);
		RETVAL_STRINGL(member->text, member->text_len);
	} else {
		RETVAL_NULL();
	}
	redislock_call_end(call);
}

ZEND_METHOD(RedisLock, remaining)
{
	zend_string *name;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();
	redislock_call *call = ask(ZEND_THIS, RL_VERB_REMAINING, name, NULL, 0);
	if (call == NULL) {
		RETURN_THROWS();
	}
	if (call->op->status == RL_OK) {
		int64_t ms = rl_quorum_call_remaining(&call->op->call);
		RETVAL_DOUBLE(ms < 0 ? ZEND_INFINITY : (double) ms / 1000);
	} else {
		RETVAL_NULL();
	}
	redislock_call_end(call);
}

ZEND_METHOD(RedisLock, forceRelease)
{
	zend_string *name;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();
	return_yes_or_no(ask(ZEND_THIS, RL_VERB_FORCE, name, NULL, 0), return_value);
}

/* ---- without traffic ---- */

ZEND_METHOD(RedisLock, token)
{
	ZEND_PARSE_PARAMETERS_NONE();
	char token[RL_TOKEN_LEN];
	if (rl_token_draw(&REDISLOCK_G(env), token) != RL_OK) {
		rl_error err;
		rl_error_set(&err, RL_ERR_RANDOM, 0, "the system returned no random bytes for a token");
		redislock_throw(&err, NULL);
		RETURN_THROWS();
	}
	RETURN_STRINGL(token, sizeof token);
}

/* Core counts whole nanoseconds under a name that ends in "_ns". PHP gets seconds, as
 * everywhere. */
static void add_stat(zval *array, const char *name, uint64_t value)
{
	size_t len = strlen(name);
	if (len > 3 && strcmp(name + len - 3, "_ns") == 0) {
		add_assoc_double_ex(array, name, len - 3, (double) value / 1e9);
	} else {
		add_assoc_long_ex(array, name, len, (zend_long) value);
	}
}

ZEND_METHOD(RedisLock, stats)
{
	ZEND_PARSE_PARAMETERS_NONE();
	rl_stats *stats = rl_process_stats();
	array_init(return_value);
#define ADD(name) add_stat(return_value, #name, atomic_load(&stats->name));
	RL_STATS_EACH(ADD)
#undef ADD
}

ZEND_METHOD(RedisLock, close)
{
	ZEND_PARSE_PARAMETERS_NONE();
	redislock_client *client = client_of(ZEND_THIS);
	if (client == NULL) {
		RETURN_THROWS();
	}
	for (unsigned i = 0; i < client->set.count; i++) {
		rl_pool_clear_address(client->pool, &client->set.members[i].target->address, rl_os_now());
	}
}

void redislock_class_register(void)
{
	zend_class_entry *ce = register_class_RedisLock();
	ce->create_object = create_object;
	memcpy(&handlers, &std_object_handlers, sizeof handlers);
	handlers.offset = offsetof(redislock_object, std);
	handlers.free_obj = free_object;
	handlers.clone_obj = NULL;
	handlers.compare = redislock_compare_identity;
	handlers.get_debug_info = debug_info;
	redislock_ce_exception = register_class_RedisLockException(spl_ce_RuntimeException);
	redislock_ce_connection_exception =
		register_class_RedisLockConnectionException(redislock_ce_exception);
	redislock_ce_server_exception = register_class_RedisLockServerException(redislock_ce_exception);
	redislock_ce_timeout_exception =
		register_class_RedisLockTimeoutException(redislock_ce_exception);
	redislock_ce_lost_exception = register_class_RedisLockLostException(redislock_ce_exception);
	redislock_forbid_discard(ce, "acquire");
	redislock_forbid_discard(ce, "lease");
	redislock_forbid_discard(ce, "resume");
	redislock_ce_loss = register_class_RedisLockLoss();
	redislock_lease_set_up(register_class_RedisLockLease());
}
