/* SPDX-License-Identifier: MIT
 *
 * The class RedisLock but for its leases (redislock_class_lease.c). Each method reads its
 * arguments, runs one operation of core, and returns the result. This file contains no lock logic.
 */
#include "php_redislock.h"

#include "php/compat.h"
#include "php/redislock_class.h"
#include "php/redislock_exception.h"
#include "php/redislock_lease.h"
#include "php/redislock_memory.h"
#include "php/redislock_options.h"
#include "php/redislock_servers.h"
#include "php/redislock_sigterm.h"
#include "php/redislock_state.h"

#include "core/base/rl_time.h"

#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"

#include "zend_attributes.h"
#include "zend_enum.h"

#include "redislock_arginfo.h"
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

static void add_weak(zval *list, const rl_member *member)
{
	static const rl_tls_option options[] = {RL_TLS_VERIFY_PEER, RL_TLS_VERIFY_PEER_NAME};
	const rl_tls_options *tls = redislock_servers_tls(member);
	for (unsigned i = 0; tls != NULL && i < 2; i++) {
		if (!rl_tls_is_on(tls, options[i])) {
			zend_string *text = zend_strpprintf(
				0, "%s: %s is off", member->target->name, rl_tls_option_name(options[i]));
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
		const rl_member *member = &client->set.members[i];
		add_next_index_string(&servers, member->target->name);
		add_weak(&weak, member);
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

redislock_client *redislock_client_of(zval *self)
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
	zend_string *label = NULL;
	zend_long retries = 0;
	bool is_without_limit = true;
	double outage_wait = 0;
	bool outlasts_outages = true;
	bool wakes = true;
	bool is_persistent = true;
	bool is_reentrant = false;
	HashTable *tls = NULL;
	ZEND_PARSE_PARAMETERS_START(0, 15)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(arguments.servers, server)
		REDISLOCK_PARAM_PREFIX(prefix)
		REDISLOCK_PARAM_FLOAT(arguments.timeout)
		REDISLOCK_PARAM_FLOAT(arguments.connect_timeout)
		REDISLOCK_PARAM_FLOAT(arguments.retry_delay)
		REDISLOCK_PARAM_FLOAT(arguments.retry_max_delay)
		REDISLOCK_PARAM_FLOAT(arguments.jitter)
		Z_PARAM_LONG_OR_NULL(retries, is_without_limit)
		REDISLOCK_PARAM_FLOAT_OR_NULL(outage_wait, outlasts_outages)
		Z_PARAM_BOOL(wakes)
		Z_PARAM_BOOL(is_persistent)
		Z_PARAM_BOOL(is_reentrant)
		REDISLOCK_PARAM_FLOAT(arguments.drift_factor)
		Z_PARAM_STR_OR_NULL(label)
		Z_PARAM_ARRAY_HT(tls)
	ZEND_PARSE_PARAMETERS_END();
	if (!redislock_classes_are_intact()) {
		RETURN_THROWS();
	}
	redislock_object *lock = from_obj(Z_OBJ_P(ZEND_THIS));
	if (lock->client != NULL) {
		zend_throw_error(NULL, "The RedisLock object is set up already");
		RETURN_THROWS();
	}
	arguments.server = server;
	arguments.prefix = prefix;
	arguments.label = label;
	arguments.retries = is_without_limit ? NULL : &retries;
	arguments.outage_wait = outlasts_outages ? NULL : &outage_wait;
	redislock_client *client = redislock_client_new();
	if (client == NULL) {
		zend_throw_error(NULL, "Out of memory");
		RETURN_THROWS();
	}
	if (is_persistent) {
		client->pool = &REDISLOCK_G(pool);
	}
	rl_tls_options *tls_options;
	bool is_filled = redislock_read_tls(tls, 15, &tls_options);
	arguments.tls = tls_options;
	is_filled = is_filled && redislock_client_fill(client, &arguments);
	rl_tls_options_free(tls_options);
	if (!is_filled) {
		redislock_client_unref(client);
		RETURN_THROWS();
	}
	client->set.wakes = wakes;
	client->is_reentrant = is_reentrant;
	lock->client = client;
}

/* ---- running ---- */

/* Runs one of the plain verbs. NULL = an exception was thrown, or the watchdog is about to release
 * the lock that should be extended. */
static redislock_call *ask(
	zval *self, rl_verb verb, const zend_string *name, const zend_string *token, int64_t ttl_ms)
{
	redislock_client *client = redislock_client_of(self);
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

/* Asks the servers whether a quorum has the token. False = no quorum has, or the servers could not
 * be asked, or an exception was thrown.
 * @param until a failure after this time is thrown */
static bool is_owner(
	redislock_client *client, rl_bytes key, const zend_string *token, int64_t until)
{
	redislock_call *call = redislock_call_try(client,
		rl_plain_new(&client->set, client->pool, &REDISLOCK_G(env),
			&(rl_plain_args){.verb = RL_VERB_OWNER, .key = key}),
		until);
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

bool redislock_check_deadlock(
	redislock_client *client, rl_bytes key, int64_t *wait_ns, const zend_string *name)
{
	const redislock_record *record = *wait_ns > 0 ? redislock_record_blocking(client, key) : NULL;
	if (record == NULL) {
		return true;
	}
	int64_t deadline = rl_time_later(rl_os_now(), *wait_ns);
	bool is_of_flow = redislock_flow_is_current(&record->flow);
	/* A copy: a signal handler may end the lease while the servers are asked. */
	zend_string *token = zend_string_init(record->lease->token, record->lease->token_len, false);
	bool is_ours = is_owner(client, key, token, deadline);
	zend_string_release(token);
	if (EG(exception) != NULL) {
		return false;
	}
	if (!is_ours) {
		int64_t left = deadline - rl_os_now();
		*wait_ns = deadline == RL_NEVER ? RL_NEVER : left > 0 ? left : 1; /* still a wait */
		return true;
	}
	char shown[RL_BYTES_TEXT];
	zend_throw_exception_ex(redislock_ce_exception, 0,
		"waiting for the lock \"%s\" would never end: a lease of %s holds it and renews itself; %s",
		rl_bytes_text(rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)), shown),
		is_of_flow ? "this thread" : "another Fiber or coroutine of this thread",
		is_of_flow ? "release that lease first, give it a maxHold, or nest the sections with "
					 "reentrant: true"
				   : "that flow stands still while this call waits, so ask without a wait and let "
					 "that flow run between two calls, or give its lease a maxHold");
	redislock_note_key(rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)));
	return false;
}

bool redislock_check_unreleased(
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
	redislock_note_key(rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)));
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
	redislock_abort abort = {0};
	ZEND_PARSE_PARAMETERS_START(1, 5)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(ttl)
		REDISLOCK_PARAM_FLOAT(wait)
		Z_PARAM_STR_OR_NULL(token)
		Z_PARAM_FUNC_OR_NULL(abort.function, abort.cache)
	ZEND_PARSE_PARAMETERS_END();
	redislock_client *client = redislock_client_of(ZEND_THIS);
	rl_acquire_args args = {0};
	char *joined;
	if (client == NULL || !redislock_read_ttl(client, ttl, 2, &args.ttl_ms) ||
		!redislock_read_wait(wait, 3, &args.wait_ns) ||
		(token != NULL && !redislock_check_token(token, 4)) ||
		!redislock_read_key(client, name, 1, &args.key, &joined)) {
		RETURN_THROWS();
	}
	if (token != NULL) {
		args.token = rl_bytes_of(ZSTR_VAL(token), ZSTR_LEN(token));
	}
	if (!redislock_check_deadlock(client, args.key, &args.wait_ns, name) ||
		(token != NULL && !redislock_check_unreleased(client, args.key, args.token, name))) {
		redislock_free_key(joined);
		RETURN_THROWS();
	}
	/* Allocated first: to run out of memory here loses nothing, after the grant it would lose the
	 * token. */
	const rl_label *label = rl_label_or(&client->set.label, REDISLOCK_G(env).label);
	zend_string *result =
		zend_string_alloc(token != NULL ? ZSTR_LEN(token) : rl_token_len(label), false);
	rl_op *op = rl_acquire_new(&client->set, client->pool, &REDISLOCK_G(env), &args);
	redislock_free_key(joined);
	redislock_sigterm_keep();
	redislock_call *call = redislock_call_wait(client, op, &abort);
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
	const redislock_client *client = redislock_client_of(ZEND_THIS);
	if (client == NULL || !redislock_read_ttl(client, ttl, 3, &ttl_ms)) {
		RETURN_THROWS();
	}
	return_yes_or_no(ask(ZEND_THIS, RL_VERB_EXTEND, name, token, ttl_ms), return_value);
}

/* ---- questions ---- */

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

ZEND_METHOD(RedisLock, inspect)
{
	zend_string *name;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();
	redislock_call *call = ask(ZEND_THIS, RL_VERB_INSPECT, name, NULL, 0);
	if (call == NULL) {
		RETURN_THROWS();
	}
	if (call->op->status == RL_OK) {
		redislock_state_new(return_value, &call->op->call);
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
	char token[RL_TOKEN_LABELLED_MAX];
	rl_label ini;
	if (!redislock_read_ini_label(&ini)) {
		RETURN_THROWS();
	}
	const rl_label *label = rl_label_or(&ini, REDISLOCK_G(env).label);
	rl_token_put_label(token, label);
	if (rl_token_draw(&REDISLOCK_G(env), token) != RL_OK) {
		if (!redislock_classes_are_intact()) {
			RETURN_THROWS();
		}
		rl_error err;
		rl_error_set(&err, RL_ERR_RANDOM, 0, "the system returned no random bytes for a token");
		redislock_throw(&err, NULL);
		RETURN_THROWS();
	}
	RETURN_STRINGL(token, rl_token_len(label));
}

/* Closes the connections to the member; with a route, those to all its nodes and Sentinels. */
static void close_member(rl_pool *pool, const rl_member *member, int64_t now)
{
	const rl_route *route = member->route;
	if (route == NULL) {
		rl_pool_clear_address(pool, &member->target->address, now);
		return;
	}
	for (unsigned i = 0; i < route->node_count; i++) {
		rl_target *node = rl_target_ref(route->nodes[i].target); /* a map may drop it meanwhile */
		rl_pool_clear_address(pool, &node->address, now);
		rl_target_unref(node);
	}
	for (unsigned i = 0; i < route->seed_count; i++) {
		rl_pool_clear_address(pool, &route->seeds[i]->address, now);
	}
}

ZEND_METHOD(RedisLock, advance)
{
	double seconds;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		REDISLOCK_PARAM_FLOAT(seconds)
	ZEND_PARSE_PARAMETERS_END();
	redislock_memory_advance(seconds, 1);
}

ZEND_METHOD(RedisLock, close)
{
	ZEND_PARSE_PARAMETERS_NONE();
	redislock_client *client = redislock_client_of(ZEND_THIS);
	if (client == NULL) {
		RETURN_THROWS();
	}
	for (unsigned i = 0; i < client->set.count; i++) {
		close_member(client->pool, &client->set.members[i], rl_os_now());
	}
}

/* ---- the classes ---- */

#define CLASSES_MAX 9

/* Every class of the extension, and how its objects are made. */
static struct {
	zend_class_entry *ce;
	zend_object *(*create_object)(zend_class_entry *ce);
} classes[CLASSES_MAX];

static void note_classes(zend_class_entry *lock, zend_class_entry *lease, zend_class_entry *state)
{
	zend_class_entry *const all[CLASSES_MAX] = {lock, lease, state, redislock_ce_loss,
		redislock_ce_exception, redislock_ce_connection_exception, redislock_ce_server_exception,
		redislock_ce_timeout_exception, redislock_ce_lost_exception};
	for (unsigned i = 0; i < CLASSES_MAX; i++) {
		classes[i].ce = all[i];
		classes[i].create_object = all[i]->create_object;
	}
}

bool redislock_classes_are_intact(void)
{
	unsigned i = 0;
	while (i < CLASSES_MAX && classes[i].ce->create_object == classes[i].create_object) {
		i++;
	}
	if (i < CLASSES_MAX) {
		zend_throw_error(NULL,
			"RedisLock cannot work without the class %s: remove that class from disable_classes "
			"in php.ini",
			ZSTR_VAL(classes[i].ce->name));
	}
	return i == CLASSES_MAX;
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
	zend_class_entry *lease = register_class_RedisLockLease();
	zend_class_entry *state = register_class_RedisLockState();
	redislock_lease_set_up(lease);
	redislock_state_set_up(state);
	note_classes(ce, lease, state);
}
