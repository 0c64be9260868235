/* SPDX-License-Identifier: MIT
 *
 * The class RedisLock. Each method reads its arguments, runs one operation of core, and returns the
 * result, or a lease (redislock_lease.c). This file contains no lock logic.
 */
#include "php_redislock.h"

#include "php/compat.h"
#include "php/redislock_call.h"
#include "php/redislock_call_site.h"
#include "php/redislock_class.h"
#include "php/redislock_exception.h"
#include "php/redislock_lease.h"
#include "php/redislock_memory.h"
#include "php/redislock_observer.h"
#include "php/redislock_options.h"
#include "php/redislock_record_ask.h"
#include "php/redislock_servers.h"
#include "php/redislock_sigterm.h"
#include "php/redislock_state.h"
#include "php/redislock_stats.h"
#include "php/redislock_yield.h"

#include "core/base/rl_time.h"
#include "core/lock/rl_inspections.h"
#include "core/lock/rl_listing.h"

#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"

#include "zend_attributes.h"
#include "zend_enum.h"
#include "zend_smart_str.h"

#include "redislock_arginfo.h"
#include "transport/rl_watchdog.h"

/* The pause of check_wait() after a question to which the servers have named no holder. */
#define ASK_AGAIN_NS RL_NS_PER_SECOND

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

/* ---- disabled classes ---- */

#define CLASSES_MAX 9

/* Every class of the extension, and how its objects are made. */
static struct {
	zend_class_entry *ce;
	zend_object *(*create_object)(zend_class_entry *ce);
} classes[CLASSES_MAX];

/* disable_classes makes PHP create the objects of a class without the memory that this extension
 * keeps beside them, and exceptions that PHP cannot throw. So a process with such a setting gets no
 * RedisLock at all. False = an Error was thrown. */
static bool classes_are_intact(void)
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
	if (!classes_are_intact()) {
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

static rl_op *new_question(redislock_client *client, rl_bytes key)
{
	return rl_plain_new(&client->set, client->pool, &REDISLOCK_G(env),
		&(rl_plain_args){.verb = RL_VERB_OWNER, .key = key});
}

/* The answer of new_question() is this token. */
static bool is_of_token(const rl_op *op, rl_bytes token)
{
	const rl_errand *member = rl_quorum_call_owner(&op->call);
	return op->status == RL_OK &&
		rl_bytes_equal(rl_bytes_of(member->text, member->text_len), token);
}

/* Asks the servers whether a quorum has the token. False = no quorum has, or the servers could not
 * be asked, or an exception was thrown.
 * @param until a failure after this time is thrown */
static bool is_owner(
	redislock_client *client, rl_bytes key, const zend_string *token, int64_t until)
{
	redislock_call *call = redislock_call_try(client, new_question(client, key), until);
	if (call == NULL) {
		return false;
	}
	bool is_same = is_of_token(call->op, rl_bytes_of(ZSTR_VAL(token), ZSTR_LEN(token)));
	redislock_call_end(call);
	return is_same;
}

/* @param is_of_flow the lease that holds the lock is of this flow */
static void throw_deadlock(
	const redislock_client *client, rl_bytes name, bool can_nest, bool is_of_flow)
{
	const char *way_out = client->is_reentrant || !can_nest
		? "release that lease first, or give it a maxHold"
		: "release that lease first, give it a maxHold, or nest the sections with reentrant: true";
	char shown[RL_BYTES_TEXT];
	zend_throw_exception_ex(redislock_ce_exception, 0,
		"waiting for the lock \"%s\" would never end: a lease of %s holds it and renews itself; %s",
		rl_bytes_text(name, shown),
		is_of_flow ? "this thread" : "another Fiber or coroutine of this thread",
		is_of_flow ? way_out
				   : "that flow stands still while this call waits, so ask without a wait and let "
					 "that flow run between two calls, or give its lease a maxHold");
	redislock_note_key(name);
}

/* Refuses a wait that only this thread could end, because one of its own leases holds the key: of
 * this flow, or of another flow, which stands still while this one waits, unless the call can
 * yield. The servers must confirm that, because the key may have been deleted or have another
 * holder by now. If they cannot be asked, the wait goes on as any other wait.
 * @param can_nest the call would enter the lock, if the object were reentrant
 * @param[in,out] wait_ns the time that the question has taken is taken off the wait
 * @return false = an exception was thrown */
static bool check_deadlock(redislock_client *client, rl_bytes key, bool can_nest, int64_t *wait_ns,
	const zend_string *name)
{
	const redislock_record *record =
		*wait_ns > 0 ? redislock_record_blocking(client, key, redislock_yield_is_possible()) : NULL;
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
	throw_deadlock(client, rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)), can_nest, is_of_flow);
	return false;
}

/* The same for a call that could yield when it began, and cannot any more. */
static rl_yielded check_wait(redislock_call *call)
{
	redislock_client *client = call->client;
	rl_bytes key = call->op->lock;
	const redislock_record *record = redislock_record_blocking(client, key, false);
	bool is_known = record == call->asked_of && rl_os_now() < call->ask_again_at;
	rl_op *op = record != NULL && !is_known ? new_question(client, key) : NULL;
	if (op == NULL) {
		return RL_YIELD_REFUSED;
	}
	redislock_call_block(op);
	bool is_held = op->status == RL_OK;
	bool is_ours = is_of_token(op, rl_lease_token(record->lease));
	rl_op_free(op);
	call->asked_of = record;
	call->ask_again_at = is_held ? RL_NEVER : rl_os_now() + ASK_AGAIN_NS;
	if (!is_ours) {
		return RL_YIELDED;
	}
	throw_deadlock(client, rl_bytes_of(key.data + client->prefix_len, key.len - client->prefix_len),
		false, redislock_flow_is_current(&record->flow));
	return RL_YIELD_ABANDONED;
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
	redislock_note_key(rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)));
	return false;
}

/* How long the tokens are that are drawn for the client. */
static size_t drawn_len(const redislock_client *client)
{
	return rl_token_len(rl_label_or(&client->set.label, REDISLOCK_G(env).label));
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
	redislock_abort abort = {.arg = 5};
	ZEND_PARSE_PARAMETERS_START(1, 5)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(ttl)
		REDISLOCK_PARAM_FLOAT(wait)
		Z_PARAM_STR_OR_NULL(token)
		Z_PARAM_FUNC_OR_NULL(abort.function, abort.cache)
	ZEND_PARSE_PARAMETERS_END();
	redislock_client *client = client_of(ZEND_THIS);
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
	if (!check_deadlock(client, args.key, true, &args.wait_ns, name) ||
		(token != NULL && !check_unreleased(client, args.key, args.token, name))) {
		redislock_free_key(joined);
		RETURN_THROWS();
	}
	/* Allocated first: to run out of memory here loses nothing, after the grant it would lose the
	 * token. */
	zend_string *result =
		zend_string_alloc(token != NULL ? ZSTR_LEN(token) : drawn_len(client), false);
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
		memcpy(ZSTR_VAL(result), acquire->token.data, acquire->token.len);
		ZSTR_VAL(result)[acquire->token.len] = '\0';
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
	const redislock_client *client = client_of(ZEND_THIS);
	if (client == NULL || !redislock_read_ttl(client, ttl, 3, &ttl_ms)) {
		RETURN_THROWS();
	}
	return_yes_or_no(ask(ZEND_THIS, RL_VERB_EXTEND, name, token, ttl_ms), return_value);
}

/* ---- leases ---- */

/* The lease is of the slot that the acquire has won, if the lock has several. */
static void note_slot(redislock_record *record, const rl_acquire *acquire)
{
	rl_lease *lease = record->lease;
	unsigned slots = acquire->op.call.terms.request.permits;
	if (slots > 1) {
		rl_lease_set_permit(
			lease, lease->token + lease->token_len, rl_acquire_won_key(acquire), slots);
		record->slot = acquire->permit + 1;
	}
}

/* Call with the call that has asked for the lock of the record, the object's last, or NULL after an
 * exception. True = the lock is won. False = it is taken, or an exception was thrown.
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
		rl_lease_begin(record->lease, acquire->token, ttl_ns, acquire->proven_until);
		note_slot(record, acquire);
		record->lease->strays = rl_quorum_call_strays(&call->op->call);
		redislock_lease_won(object, acquire->waited_ns, acquire->attempts);
	} else if (is_won) {
		const rl_quorum_call *swap = &call->op->call;
		rl_lease_begin(record->lease, swap->terms.request.fresh, ttl_ns,
			rl_quorum_call_sent_at(swap) + ttl_ns - rl_set_drift(swap->terms.set, ttl_ns));
		redislock_lease_won(object, 0, 1);
	}
	if (call != NULL && !is_won && held != NULL) {
		rl_acquire_held_text(rl_acquire_of(call->op), rl_os_now(), held);
	}
	if (call != NULL) {
		redislock_call_end(call);
	}
	return is_won;
}

/* The arguments that lease(), resume(), synchronized() and once() have in common after the key. */
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
	redislock_abort abort;
	/* once(): for how long the mark of work that is done stays; else 0. */
	int64_t done_ms;
	/* How many holders the lock may have at once, and the number of that argument. */
	zend_long slots;
	uint32_t slots_arg;
	/* The argument $key: an array, or (names is NULL) a string. */
	zend_string *name;
	HashTable *names;
	redislock_keys keys;
	/* ---- what a call has found that did not get the lease ---- */
	/* The out parameter of win_lease(), or NULL. */
	char *held;
	/* The key that was not to be had, and how many the call had before it. */
	unsigned missed;
	bool was_lost; /* because it was lost again while the call took others */
	bool is_done;  /* once(): the work is done */
} lease_args;

#define LEASE_DEFAULTS .ttl = 30.0, .has_no_max_hold = true, .renews = true, .slots = 1

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

/* How keys are kept while the call still has to ask servers: the watchdog renews them, and calls
 * nothing, because the script has no lease yet. */
static const redislock_policy taking = {.term = {.renews = true, .max_hold_ns = RL_NEVER}};

/* Enters a lock again that the client holds already. False = the client does not hold it, or an
 * exception was thrown. */
static bool enter_again(redislock_client *client, rl_bytes key, bool is_slotted, int64_t ttl_ms,
	const redislock_policy *policy, zval *object)
{
	redislock_record *record =
		client->is_reentrant ? redislock_record_find(client, key, is_slotted) : NULL;
	if (record == NULL) {
		return false;
	}
	int64_t ttl_ns = ttl_ms * RL_NS_PER_MS;
	int64_t longer_ms =
		ttl_ns > record->lease->ttl_ns ? ttl_ms : record->lease->ttl_ns / RL_NS_PER_MS;
	/* Only a longer TTL, which the script asks for, may set an end beyond maxHold. */
	bool is_limited = rl_os_now() + record->lease->ttl_ns > record->lease->hold_until;
	bool is_enough = ttl_ns <= record->lease->ttl_ns &&
		(is_limited || rl_lease_remaining(record->lease) >= ttl_ns / 2);
	bool is_quiet = is_enough || !redislock_callable_is_set(&policy->on_loss);
	if (!redislock_lease_enter(object, record, is_quiet ? policy : &taking)) {
		return false;
	}
	if (!is_enough && !redislock_record_extend(record, longer_ms)) {
		redislock_lease_leave(object);
		return false;
	}
	if (!is_quiet) {
		redislock_lease_set_policy(object, policy);
	}
	/* From here on a loss is reported to the script. The watchdog may have noticed one before. */
	unsigned unused;
	if (redislock_lease_has_lost(object, &unused)) {
		redislock_lease_leave(object);
		return false;
	}
	return true;
}

/* Takes one key of the object. False = the lock is taken, or an exception was thrown.
 * @param wait_ns how long the call may wait for it */
static bool take_key(redislock_client *client, lease_args *in, const redislock_key *key,
	rl_acquire_args *args, const redislock_policy *policy, zval *object)
{
	const zend_string *token = in->token;
	bool is_once = in->done_ms > 0; /* it runs under a lock of its own */
	args->key = key->key;
	args->heeds_done = is_once;
	args->permits = (unsigned) in->slots;
	bool is_slotted = in->slots > 1; /* then any holder may end the wait */
	if (!is_once && enter_again(client, key->key, is_slotted, args->ttl_ms, policy, object)) {
		return true;
	}
	if (EG(exception) != NULL ||
		(!is_slotted && !check_deadlock(client, key->key, !is_once, &args->wait_ns, key->name)) ||
		(token != NULL && !check_unreleased(client, key->key, args->token, key->name))) {
		return false;
	}
	size_t token_room = token != NULL ? ZSTR_LEN(token) : drawn_len(client);
	token_room += is_slotted ? RL_PERMIT_NAME_MAX(key->key.len) : 0;
	redislock_record *record =
		redislock_lease_add(object, client, key->key, token_room, token != NULL, policy);
	if (record == NULL) {
		return false;
	}
	redislock_call *call = redislock_call_wait(record->client,
		rl_acquire_new(&client->set, client->pool, &REDISLOCK_G(env), args), &in->abort);
	in->is_done = call != NULL && rl_acquire_of(call->op)->met_done;
	return win_lease(record, object, call, args->ttl_ms, in->held);
}

/* Call after each of several keys that was taken. Sets what is left of the wait.
 * @return false = a key was lost while the call took another */
static bool may_go_on(lease_args *in, rl_acquire_args *args, int64_t deadline, zval *object)
{
	int64_t left = deadline - rl_os_now();
	args->wait_ns = deadline == RL_NEVER ? RL_NEVER : left > 0 ? left : 0;
	in->was_lost = redislock_lease_has_lost(object, &in->missed);
	return !in->was_lost;
}

/* Takes the keys, one after the other. A call that waits for a key holds only keys before it in the
 * order that all callers have in common, so no two calls wait for each other. If one of several
 * keys is lost meanwhile, the call begins again.
 * @return false = a key is not to be had, or an exception was thrown */
static bool take_keys(redislock_client *client, lease_args *in, rl_acquire_args *args,
	const redislock_policy *policy, zval *object)
{
	bool are_several = in->keys.count > 1;
	int64_t deadline = are_several ? rl_time_later(rl_os_now(), args->wait_ns) : 0;
	in->missed = 0;
	for (;;) {
		in->was_lost = false;
		if (!take_key(client, in, &in->keys.list[in->missed], args, are_several ? &taking : policy,
				object)) {
			return false;
		}
		if (!are_several) {
			return true;
		}
		if (may_go_on(in, args, deadline, object) && ++in->missed == in->keys.count) {
			redislock_lease_set_policy(object, policy);
			/* From here on a loss is reported to the script. */
			if (may_go_on(in, args, deadline, object)) {
				return true;
			}
		}
		if (!in->was_lost) {
			continue;
		}
		if (args->wait_ns == 0) {
			return false;
		}
		redislock_lease_give_back(object);
		in->missed = 0;
		if (redislock_abort_is_set(&in->abort)) {
			redislock_abort_ask(&in->abort);
		}
		if (EG(exception) != NULL || in->abort.answer == REDISLOCK_ABORT_STOP) {
			return false;
		}
	}
}

/* False = an exception was thrown. */
static bool check_lease_token(const lease_args *in)
{
	if (in->names != NULL) {
		zend_argument_value_error(in->token_arg,
			"must be null for an array of keys, each of which has a token of its own");
		return false;
	}
	return redislock_check_token(in->token, in->token_arg);
}

/* False = an exception was thrown. */
static bool check_slots(const redislock_client *client, const lease_args *in)
{
	const char *why = NULL;
	if (in->slots < 1 || in->slots > RL_PERMITS_MAX) {
		why = "must be between 1 and 64";
	} else if (in->slots > 1 && in->names != NULL) {
		why = "must be 1 for an array of keys";
	} else if (in->slots > 1 && in->token != NULL) {
		why = "must be 1 with a token of your own, which does not say of which slot it is";
	} else if (in->slots > 1 && client->set.count > 1) {
		why = "must be 1 with several servers: majorities of different servers could let in more "
			  "holders than that";
	}
	if (why != NULL) {
		zend_argument_value_error(in->slots_arg, "%s", why);
		return false;
	}
	if (in->slots > 1 && !rl_names_have_helpers(in->keys.list[0].key, client->set.naming)) {
		zend_argument_value_error(1,
			"can have no slots: on a cluster no other name is in the hash slot of a key that has a "
			"'}' and no hash tag");
		return false;
	}
	return true;
}

/* Makes a lease in *object. The caller frees in->keys, whatever is returned. False = a lock is
 * taken, or an exception was thrown. */
static bool take_lease(zval *self, lease_args *in, zval *object)
{
	const zend_string *token = in->token;
	redislock_client *client = client_of(self);
	rl_acquire_args args = {0};
	redislock_policy policy;
	if (client == NULL || !read_lease_args(client, in, &args.ttl_ms, &args.wait_ns, &policy) ||
		(token != NULL && !check_lease_token(in)) ||
		!redislock_read_keys(client, in->name, in->names, 1, &in->keys) ||
		(in->slots != 1 && !check_slots(client, in))) {
		return false;
	}
	if (token != NULL) {
		args.token = rl_bytes_of(ZSTR_VAL(token), ZSTR_LEN(token));
	}
	redislock_lease_make(object, in->keys.count, &policy);
	bool is_taken = take_keys(client, in, &args, &policy, object);
	if (!is_taken) {
		zval_ptr_dtor(object);
	}
	return is_taken;
}

ZEND_METHOD(RedisLock, lease)
{
	lease_args args = {LEASE_DEFAULTS, .ttl_arg = 2, .has_wait = true, .token_arg = 7,
		.abort.arg = 8, .slots_arg = 9};
	ZEND_PARSE_PARAMETERS_START(1, 9)
		Z_PARAM_ARRAY_HT_OR_STR(args.names, args.name)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(args.ttl)
		REDISLOCK_PARAM_FLOAT(args.wait)
		Z_PARAM_BOOL(args.renews)
		REDISLOCK_PARAM_FLOAT_OR_NULL(args.max_hold, args.has_no_max_hold)
		Z_PARAM_FUNC_OR_NULL(args.on_loss, args.on_loss_cache)
		Z_PARAM_STR_OR_NULL(args.token)
		Z_PARAM_FUNC_OR_NULL(args.abort.function, args.abort.cache)
		Z_PARAM_LONG(args.slots)
	ZEND_PARSE_PARAMETERS_END();
	zval object;
	redislock_call_site call_site = redislock_call_site_note();
	bool is_taken = take_lease(ZEND_THIS, &args, &object);
	redislock_free_keys(&args.keys);
	if (is_taken) {
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
	redislock_lease_make(&object, 1, &policy);
	redislock_record *record =
		redislock_lease_add(&object, client, key, drawn_len(client), false, &policy);
	rl_op *op = record == NULL
		? NULL
		: rl_take_over_new(&client->set, client->pool, &REDISLOCK_G(env), key, given, ttl_ms);
	redislock_free_key(joined);
	if (record != NULL &&
		win_lease(record, &object, redislock_call_run(record->client, op), ttl_ms, NULL)) {
		redislock_lease_set_call_site(&object, call_site);
		RETURN_COPY_VALUE(&object);
	}
	zval_ptr_dtor(&object);
	RETURN_NULL();
}

/* What a message says of the other keys of the call, after the name of the key that it missed. */
#define OTHERS_TEXT 48
static const char *others_text(const lease_args *in, char *text)
{
	text[0] = '\0';
	if (in->keys.count > 1) {
		snprintf(text, OTHERS_TEXT, " (after %u of %u keys)", in->missed, in->keys.count);
	} else if (in->slots > 1) {
		snprintf(text, OTHERS_TEXT, " (one of its %d slots)", (int) in->slots);
	}
	return text;
}

static void throw_timeout(const lease_args *in)
{
	const zend_string *name = in->keys.list[in->missed].name;
	rl_bytes key = rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name));
	char shown[RL_BYTES_TEXT];
	char others[OTHERS_TEXT];
	const char *held = in->held[0] != '\0' ? in->held : "taken";
	smart_str within = {0};
	if (in->wait > 0) {
		smart_str_appends(&within, " within ");
		smart_str_append_double(&within, in->wait, 15, false); /* whatever the locale is */
		smart_str_appends(&within, " s");
	}
	smart_str_0(&within);
	zend_throw_exception_ex(redislock_ce_timeout_exception, 0,
		"could not acquire the lock \"%s\"%s%s: it %s%s", rl_bytes_text(key, shown),
		others_text(in, others), within.s != NULL ? ZSTR_VAL(within.s) : "",
		in->was_lost ? "" : "is ",
		in->was_lost ? "was lost while the call took the other keys" : held);
	redislock_note_key(key);
	smart_str_free(&within);
}

static void throw_aborted(const lease_args *in)
{
	const zend_string *name = in->keys.list[in->missed].name;
	char shown[RL_BYTES_TEXT];
	char others[OTHERS_TEXT];
	rl_bytes key = rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name));
	zend_throw_exception_ex(redislock_ce_timeout_exception, 0,
		"could not acquire the lock \"%s\"%s: the argument $abort has ended the wait",
		rl_bytes_text(key, shown), others_text(in, others));
	redislock_note_key(key);
}

/* Runs the section under the lease of the object, and ends the lease. */
static void run_section(zend_fcall_info *section, zend_fcall_info_cache *cache, zval *object,
	zval *result, int64_t done_ms)
{
	section->retval = result;
	section->params = object;
	section->param_count = 1;
	zend_call_function(section, cache);
	if (Z_ISREF_P(result)) {
		zend_unwrap_reference(result); /* the section returned a reference */
	}
	redislock_lease_end_section(object, result, done_ms);
	zval_ptr_dtor(object);
}

/* Throws what says why the call has no lease, unless an exception is on its way. */
static void throw_not_taken(const lease_args *in)
{
	if (EG(exception) != NULL) {
		return;
	}
	if (in->abort.answer == REDISLOCK_ABORT_STOP) {
		throw_aborted(in);
	} else {
		throw_timeout(in);
	}
}

/* PHP has no function yet for a call that goes to __call(). */
static bool check_section(const zend_fcall_info_cache *cache)
{
	const zend_function *function = cache->function_handler;
	if (function != NULL && (function->common.fn_flags & ZEND_ACC_GENERATOR) != 0) {
		zend_argument_value_error(2,
			"must not be a generator function: its code would not run before the end of the lock");
		return false;
	}
	return true;
}

ZEND_METHOD(RedisLock, synchronized)
{
	zend_fcall_info section;
	zend_fcall_info_cache cache;
	char held[RL_HOLDER_TEXT] = "";
	lease_args args = {LEASE_DEFAULTS, .ttl_arg = 3, .has_wait = true, .held = held, .abort.arg = 8,
		.slots_arg = 9};
	ZEND_PARSE_PARAMETERS_START(2, 9)
		Z_PARAM_ARRAY_HT_OR_STR(args.names, args.name)
		Z_PARAM_FUNC(section, cache)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(args.ttl)
		REDISLOCK_PARAM_FLOAT(args.wait)
		Z_PARAM_BOOL(args.renews)
		REDISLOCK_PARAM_FLOAT_OR_NULL(args.max_hold, args.has_no_max_hold)
		Z_PARAM_FUNC_OR_NULL(args.on_loss, args.on_loss_cache)
		Z_PARAM_FUNC_OR_NULL(args.abort.function, args.abort.cache)
		Z_PARAM_LONG(args.slots)
	ZEND_PARSE_PARAMETERS_END();
	zval object;
	if (!check_section(&cache)) {
		RETURN_THROWS();
	}
	bool is_taken = take_lease(ZEND_THIS, &args, &object);
	if (!is_taken) {
		throw_not_taken(&args);
	}
	redislock_free_keys(&args.keys);
	if (!is_taken) {
		RETURN_THROWS();
	}
	run_section(&section, &cache, &object, return_value, 0);
}

ZEND_METHOD(RedisLock, once)
{
	zend_fcall_info section;
	zend_fcall_info_cache cache;
	double done;
	char held[RL_HOLDER_TEXT] = "";
	lease_args args = {
		LEASE_DEFAULTS, .ttl_arg = 4, .has_wait = true, .held = held, .abort.arg = 9};
	ZEND_PARSE_PARAMETERS_START(3, 9)
		Z_PARAM_STR(args.name)
		Z_PARAM_FUNC(section, cache)
		REDISLOCK_PARAM_FLOAT(done)
		Z_PARAM_OPTIONAL
		REDISLOCK_PARAM_FLOAT(args.ttl)
		REDISLOCK_PARAM_FLOAT(args.wait)
		Z_PARAM_BOOL(args.renews)
		REDISLOCK_PARAM_FLOAT_OR_NULL(args.max_hold, args.has_no_max_hold)
		Z_PARAM_FUNC_OR_NULL(args.on_loss, args.on_loss_cache)
		Z_PARAM_FUNC_OR_NULL(args.abort.function, args.abort.cache)
	ZEND_PARSE_PARAMETERS_END();
	zval object;
	zval result;
	if (!check_section(&cache) || !redislock_read_done(done, 3, &args.done_ms)) {
		RETURN_THROWS();
	}
	bool is_taken = take_lease(ZEND_THIS, &args, &object);
	if (!is_taken && !args.is_done) {
		throw_not_taken(&args);
	}
	redislock_free_keys(&args.keys);
	if (!is_taken) {
		RETURN_FALSE; /* which PHP drops after an exception */
	}
	ZVAL_UNDEF(&result);
	run_section(&section, &cache, &object, &result, args.done_ms);
	zval_ptr_dtor(&result);
	if (EG(exception) != NULL) {
		RETURN_THROWS();
	}
	RETURN_TRUE;
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
		const rl_errand *member = rl_quorum_call_owner(&call->op->call);
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
		rl_lock_state state = rl_quorum_call_state(&call->op->call);
		redislock_state_new(return_value, &state);
		free(state.waiting);
	} else {
		RETVAL_NULL();
	}
	redislock_call_end(call);
}

/* Asks for the states of the locks. NULL = an exception was thrown. */
static redislock_call *inspect_keys(redislock_client *client, const redislock_keys *keys)
{
	rl_bytes *names = safe_emalloc(keys->count, sizeof names[0], 0);
	for (unsigned i = 0; i < keys->count; i++) {
		names[i] = keys->list[i].key;
	}
	rl_op *op =
		rl_inspections_new(&client->set, client->pool, &REDISLOCK_G(env), names, keys->count);
	efree(names);
	redislock_call *call = redislock_call_try(client, op, RL_NEVER);
	const rl_op *failed = call != NULL ? rl_inspections_failed(call->op) : NULL;
	if (failed != NULL) {
		redislock_throw(failed->err, failed);
		redislock_note_op_key(client, failed);
	} else if (call != NULL && call->op->status != RL_OK) {
		zend_throw_error(NULL, "Out of memory");
	}
	if (call != NULL && EG(exception) != NULL) {
		redislock_call_end(call);
		return NULL;
	}
	return call;
}

ZEND_METHOD(RedisLock, inspectAll)
{
	HashTable *names;
	redislock_keys keys = {0};
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(names)
	ZEND_PARSE_PARAMETERS_END();
	redislock_client *client = client_of(ZEND_THIS);
	if (client == NULL) {
		RETURN_THROWS();
	}
	if (zend_hash_num_elements(names) == 0) {
		RETURN_EMPTY_ARRAY();
	}
	if (!redislock_read_key_list(client, names, 1, &keys)) {
		RETURN_THROWS();
	}
	redislock_call *call = inspect_keys(client, &keys);
	if (call != NULL) {
		array_init_size(return_value, keys.count);
		for (unsigned i = 0; i < keys.count; i++) {
			zval state;
			const rl_lock_state *found = rl_inspections_state(call->op, i);
			ZVAL_NULL(&state);
			if (found != NULL) {
				redislock_state_new(&state, found);
			}
			zend_symtable_update(Z_ARRVAL_P(return_value), keys.list[i].name, &state);
		}
		redislock_call_end(call);
	}
	redislock_free_key_list(&keys);
}

/* ---- findKeys() ---- */

/* What findKeys() has found so far, in memory that PHP frees when a handler bails out. */
typedef struct listing {
	HashTable *keys; /* each once */
	zend_long limit;
	unsigned failed; /* members */
	rl_tour tour;
	char room[]; /* of the tour */
} listing;

/* Adds the keys of a page. Without the client's prefix, and without the keys of waiters. */
static void add_page(listing *found, const redislock_client *client, const rl_op *page)
{
	rl_bytes key;
	for (size_t at = 0; rl_page_next(page, &at, &key);) {
		if (key.len <= client->prefix_len || rl_names_may_be_helper(key) ||
			(zend_long) zend_hash_num_elements(found->keys) >= found->limit) {
			continue;
		}
		zend_hash_str_add_empty_element(
			found->keys, key.data + client->prefix_len, key.len - client->prefix_len);
	}
}

/* Asks for a page. A failure of one of several members is an exception only if the others are no
 * majority. False = an exception was thrown. */
static bool ask_for_page(listing *found, redislock_client *client)
{
	rl_op *op = rl_page_new(&client->set, client->pool, &REDISLOCK_G(env), &found->tour);
	redislock_call *call = redislock_call_try(client, op, RL_NEVER);
	if (call == NULL) {
		return false;
	}
	if (call->op->status == RL_OK) {
		add_page(found, client, call->op);
		rl_tour_take(&found->tour, call->op);
	} else {
		found->failed++;
		if (client->set.count - found->failed < rl_quorum(client->set.count)) {
			redislock_throw(call->op->err, call->op);
		}
		rl_tour_leave(&found->tour);
	}
	redislock_call_end(call);
	return EG(exception) == NULL;
}

static int compare_keys(Bucket *a, Bucket *b)
{
	return zend_binary_strcmp(
		ZSTR_VAL(a->key), ZSTR_LEN(a->key), ZSTR_VAL(b->key), ZSTR_LEN(b->key));
}

ZEND_METHOD(RedisLock, findKeys)
{
	zend_string *prefix = ZSTR_EMPTY_ALLOC();
	zend_long limit = 10000;
	ZEND_PARSE_PARAMETERS_START(0, 2)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR(prefix)
		Z_PARAM_LONG(limit)
	ZEND_PARSE_PARAMETERS_END();
	redislock_client *client = client_of(ZEND_THIS);
	if (client == NULL) {
		RETURN_THROWS();
	}
	if (limit < 1) {
		zend_argument_value_error(2, "must be at least 1");
		RETURN_THROWS();
	}
	size_t prefix_len = client->prefix_len + ZSTR_LEN(prefix);
	if (prefix_len > REDISLOCK_KEY_MAX) {
		zend_argument_value_error(1, "must be shorter than the longest key");
		RETURN_THROWS();
	}
	listing *found = emalloc(sizeof *found + prefix_len + RL_TOUR_ROOM);
	memcpy(found->room, client->prefix, client->prefix_len);
	memcpy(found->room + client->prefix_len, ZSTR_VAL(prefix), ZSTR_LEN(prefix));
	rl_tour_begin(&found->tour, found->room, prefix_len);
	found->keys = zend_new_array(0);
	found->limit = limit;
	found->failed = 0;
	bool goes_on = true;
	while (goes_on && (zend_long) zend_hash_num_elements(found->keys) < limit &&
		rl_tour_goes_on(&found->tour, &client->set)) {
		goes_on = ask_for_page(found, client);
	}
	if (EG(exception) == NULL) {
		zend_string *key;
		zend_hash_sort(found->keys, compare_keys, false);
		array_init_size(return_value, zend_hash_num_elements(found->keys));
		ZEND_HASH_FOREACH_STR_KEY(found->keys, key)
		{
			add_next_index_str(return_value, zend_string_copy(key));
		}
		ZEND_HASH_FOREACH_END();
	}
	zend_array_destroy(found->keys);
	efree(found);
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
		if (!classes_are_intact()) {
			RETURN_THROWS();
		}
		rl_error err;
		rl_error_set(&err, RL_ERR_RANDOM, 0, "the system returned no random bytes for a token");
		redislock_throw(&err, NULL);
		RETURN_THROWS();
	}
	RETURN_STRINGL(token, rl_token_len(label));
}

ZEND_METHOD(RedisLock, stats)
{
	bool is_all = false;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_BOOL(is_all)
	ZEND_PARSE_PARAMETERS_END();
	int sys_errno = 0;
	if (redislock_stats_read(is_all, return_value, &sys_errno)) {
		return;
	}
	char text[128];
	if (!classes_are_intact()) {
		RETURN_THROWS();
	}
	zend_throw_exception_ex(redislock_ce_exception, sys_errno,
		"stats(all: true) needs memory that processes share, and the system gave none when PHP "
		"started: %s; stats() has the numbers of this process",
		rl_os_error_text(sys_errno, text, sizeof text));
	RETURN_THROWS();
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

ZEND_METHOD(RedisLock, flushMemory)
{
	ZEND_PARSE_PARAMETERS_NONE();
	redislock_memory_flush();
}

ZEND_METHOD(RedisLock, onContention)
{
	zend_fcall_info observer;
	zend_fcall_info_cache cache;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_FUNC_OR_NULL(observer, cache)
	ZEND_PARSE_PARAMETERS_END();
	redislock_observer_set(ZEND_FCI_INITIALIZED(observer) ? &observer : NULL, &cache);
}

ZEND_METHOD(RedisLock, waitWith)
{
	zend_fcall_info waiter;
	zend_fcall_info_cache cache;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_FUNC_OR_NULL(waiter, cache)
	ZEND_PARSE_PARAMETERS_END();
	redislock_yield_by(ZEND_FCI_INITIALIZED(waiter) ? &waiter : NULL, &cache);
}

ZEND_METHOD(RedisLock, close)
{
	ZEND_PARSE_PARAMETERS_NONE();
	redislock_client *client = client_of(ZEND_THIS);
	if (client == NULL) {
		RETURN_THROWS();
	}
	for (unsigned i = 0; i < client->set.count; i++) {
		close_member(client->pool, &client->set.members[i], rl_os_now());
	}
}

/* ---- registering ---- */

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

void redislock_class_register(void)
{
	zend_class_entry *ce = register_class_RedisLock();
	ce->create_object = create_object;
	redislock_call_check_wait = check_wait;
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
