/* SPDX-License-Identifier: MIT
 *
 * Arguments.
 */
#include "php_redislock.h"

#include "php/redislock_options.h"
#include "php/redislock_servers.h"

#include "zend_exceptions.h"

#include "core/wire/rl_dsn.h"

#include <math.h>

#define TTL_MIN_MS 5
#define TTL_MAX_MS (INT64_C(366) * 24 * 3600 * 1000)

/* The error of floats: 0.57 s is 569.9999... ms and means 570. */
#define MS_TOLERANCE 1e-6

/* ---- TLS ---- */

static bool read_tls_option(
	rl_tls_options *options, const zend_string *name, zval *value, uint32_t arg)
{
	rl_error err;
	ZVAL_DEREF(value);
	if (Z_TYPE_P(value) == IS_ARRAY || Z_TYPE_P(value) == IS_OBJECT ||
		Z_TYPE_P(value) == IS_RESOURCE) {
		char shown[RL_BYTES_TEXT];
		zend_argument_type_error(arg,
			"must contain only strings, numbers, bools and null, but the value of \"%s\" is %s",
			rl_bytes_text(rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)), shown),
			zend_zval_type_name(value));
		return false;
	}
	zend_string *text = Z_TYPE_P(value) == IS_FALSE ? ZSTR_CHAR('0') : zval_get_string(value);
	bool is_given = Z_TYPE_P(value) != IS_NULL;
	rl_status status = rl_tls_options_set(options, rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name)),
		rl_bytes_of(is_given ? ZSTR_VAL(text) : NULL, ZSTR_LEN(text)), &err);
	zend_string_release(text);
	if (status != RL_OK) {
		zend_argument_value_error(arg, "must be valid options: %s", err.message);
	}
	return status == RL_OK;
}

bool redislock_read_tls(HashTable *values, uint32_t arg, rl_tls_options **options)
{
	zend_string *name;
	zval *value;
	*options = NULL;
	if (values == NULL || zend_hash_num_elements(values) == 0) {
		return true;
	}
	*options = rl_tls_options_new();
	if (*options == NULL) {
		zend_throw_error(NULL, "Out of memory");
		return false;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(values, name, value) {
		if (name == NULL) {
			zend_argument_value_error(arg, "must have the names of options as its keys");
			return false;
		}
		if (!read_tls_option(*options, name, value, arg)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	rl_tls_options none = {0};
	if (rl_tls_options_equal(*options, &none)) {
		rl_tls_options_free(*options);
		*options = NULL;
	}
	return true;
}

static bool uses_tls(const rl_set *set)
{
	for (unsigned i = 0; i < set->count; i++) {
		if (redislock_servers_tls(&set->members[i]) != NULL) {
			return true;
		}
	}
	return false;
}

/* ---- numbers ---- */

static bool check_range(double value, double min, double max, uint32_t arg, const char *what)
{
	if (value >= min && value <= max) { /* NaN is not */
		return true;
	}
	zend_argument_value_error(arg, "must be %s", what);
	return false;
}

static bool check_numbers(const redislock_arguments *arguments)
{
	static const char timeout[] = "between 0.001 and 3600 seconds";
	static const char delay[] = "between 0.001 and 60 seconds";
	if (!check_range(arguments->timeout, 0.001, 3600, 3, timeout) ||
		!check_range(arguments->connect_timeout, 0.001, 3600, 4, timeout) ||
		!check_range(arguments->retry_delay, 0.001, 60, 5, delay) ||
		!check_range(arguments->retry_max_delay, 0.001, 60, 6, delay)) {
		return false;
	}
	if (arguments->retry_max_delay < arguments->retry_delay) {
		zend_argument_value_error(6, "must not be less than argument #5 ($retryDelay)");
		return false;
	}
	if (!(arguments->jitter >= 0 && arguments->jitter < 1)) {
		zend_argument_value_error(7, "must be at least 0 and less than 1");
		return false;
	}
	if (arguments->retries != NULL && *arguments->retries < 0) {
		zend_argument_value_error(8, "must be null or at least 0");
		return false;
	}
	return check_range(arguments->drift_factor, 0, 0.5, 13, "between 0 and 0.5");
}

/* ---- the constructor ---- */

static bool set_prefix(redislock_client *client, const zend_string *prefix)
{
	const char *ini = REDISLOCK_G(prefix) != NULL ? REDISLOCK_G(prefix) : "";
	const char *text = prefix != NULL ? ZSTR_VAL(prefix) : ini;
	size_t len = prefix != NULL ? ZSTR_LEN(prefix) : strlen(ini);
	if (len >= REDISLOCK_KEY_MAX) {
		if (prefix == NULL) {
			zend_value_error("The INI setting redislock.prefix must be shorter than 64 KiB");
		} else {
			zend_argument_value_error(2, "must be shorter than 64 KiB");
		}
		return false;
	}
	client->prefix = malloc(len + 1);
	if (client->prefix == NULL) {
		zend_throw_error(NULL, "Out of memory");
		return false;
	}
	memcpy(client->prefix, text, len);
	client->prefix_len = len;
	return true;
}

bool redislock_read_ini_label(rl_label *label)
{
	const char *text = REDISLOCK_G(label) != NULL ? REDISLOCK_G(label) : "";
	rl_bytes bytes = rl_bytes_of(text, strlen(text));
	if (bytes.len > 0 && !rl_label_is_valid(bytes)) {
		zend_value_error("The INI setting redislock.label must be " REDISLOCK_LABEL_FORM);
		return false;
	}
	rl_label_set(label, bytes);
	return true;
}

/* A client without a label has the default one, which changes in a forked child. */
static bool set_label(redislock_client *client, const zend_string *label)
{
	if (label == NULL) {
		return redislock_read_ini_label(&client->set.label);
	}
	rl_bytes text = rl_bytes_of(ZSTR_VAL(label), ZSTR_LEN(label));
	if (!rl_label_is_valid(text)) {
		zend_argument_value_error(14, "must be " REDISLOCK_LABEL_FORM);
		return false;
	}
	rl_label_set(&client->set.label, text);
	return true;
}

bool redislock_client_fill(redislock_client *client, const redislock_arguments *arguments)
{
	if (!check_numbers(arguments) || !set_prefix(client, arguments->prefix) ||
		!set_label(client, arguments->label)) {
		return false;
	}
	client->set.backoff = (rl_backoff){.first_ns = (int64_t) (arguments->retry_delay * 1e9),
		.max_ns = (int64_t) (arguments->retry_max_delay * 1e9),
		.jitter = arguments->jitter};
	client->set.retries =
		arguments->retries != NULL ? (uint64_t) *arguments->retries : RL_RETRIES_UNLIMITED;
	client->set.drift_factor = arguments->drift_factor;
	int64_t outage_wait = RL_NEVER;
	if (arguments->outage_wait != NULL &&
		!redislock_read_wait(*arguments->outage_wait, 9, &outage_wait)) {
		return false;
	}
	client->set.outage_wait_ns = RL_DSN_NO_OUTAGE_WAIT;
	if (!redislock_servers_fill(client, arguments)) {
		return false;
	}
	if (client->set.outage_wait_ns == RL_DSN_NO_OUTAGE_WAIT) {
		client->set.outage_wait_ns = outage_wait;
	}
	if (arguments->tls != NULL && !uses_tls(&client->set)) {
		/* Without this error the program would believe that it is encrypted. */
		zend_argument_value_error(
			15, "must be empty, because no server uses TLS: write rediss:// in the DSN");
		return false;
	}
	return true;
}

/* ---- the methods ---- */

bool redislock_check_token(const zend_string *token, uint32_t arg)
{
	if (ZSTR_LEN(token) == 0) {
		zend_argument_value_error(
			arg, "must not be empty (null from acquire() means that the lock was not taken)");
		return false;
	}
	if (ZSTR_LEN(token) > RL_TOKEN_MAX) {
		zend_argument_value_error(arg, "must be at most %d bytes long", RL_TOKEN_MAX);
		return false;
	}
	if (zend_string_equals_literal(token, "0")) {
		zend_argument_value_error(arg, "must not be \"0\", which PHP takes for false");
		return false;
	}
	if (zend_string_equals_literal(token, RL_RESERVED_LONG)) {
		zend_argument_value_error(arg,
			"must not be \"%s\", which marks a lock that is reserved for a waiter",
			RL_RESERVED_LONG);
		return false;
	}
	if (zend_string_equals_literal(token, RL_DONE)) {
		zend_argument_value_error(
			arg, "must not be \"%s\", which marks work that is done", RL_DONE);
		return false;
	}
	return true;
}

bool redislock_read_done(double seconds, uint32_t arg, int64_t *ms)
{
	double exact = floor(seconds * 1000 + MS_TOLERANCE);
	if (!(exact >= TTL_MIN_MS && exact <= (double) TTL_MAX_MS)) {
		zend_argument_value_error(arg, "must be between 0.005 seconds and 366 days");
		return false;
	}
	*ms = (int64_t) exact;
	return true;
}

bool redislock_read_ttl(const redislock_client *client, double seconds, uint32_t arg, int64_t *ms)
{
	int64_t longest_ms = rl_set_longest_ttl_ms(&client->set);
	if (!redislock_read_done(seconds, arg, ms)) {
		return false;
	}
	if (*ms > longest_ms) {
		char text[RL_SECONDS_TEXT];
		zend_argument_value_error(arg,
			"must be at most %s seconds, because of failover_grace in the DSN",
			rl_seconds_text(longest_ms * RL_NS_PER_MS, text));
		return false;
	}
	return true;
}

bool redislock_read_wait(double seconds, uint32_t arg, int64_t *ns)
{
	if (!(seconds >= 0)) {
		zend_argument_value_error(arg, "must be 0 or more seconds, or INF");
		return false;
	}
	/* More than a hundred years means without end. */
	*ns = seconds > 3.2e9 ? RL_NEVER : (int64_t) ceil(seconds * 1000 - MS_TOLERANCE) * RL_NS_PER_MS;
	return true;
}

bool redislock_read_max_hold(double seconds, bool is_none, uint32_t arg, int64_t *ns)
{
	if (!is_none && !(seconds > 0)) {
		zend_argument_value_error(arg, "must be more than 0 seconds, or null");
		return false;
	}
	double ceiling = REDISLOCK_G(max_hold);
	if (!(ceiling >= 0)) {
		zend_value_error("The INI setting redislock.max_hold must be 0 or more seconds");
		return false;
	}
	double least = is_none ? ZEND_INFINITY : seconds;
	if (ceiling > 0 && ceiling < least) {
		least = ceiling;
	}
	*ns = least > 3.2e9 ? RL_NEVER : (int64_t) (least * 1e9);
	return true;
}

bool redislock_read_key(const redislock_client *client, const zend_string *name, uint32_t arg,
	rl_bytes *key, char **joined)
{
	*joined = NULL;
	if (ZSTR_LEN(name) == 0) {
		zend_argument_value_error(arg, "must not be empty");
		return false;
	}
	if (ZSTR_LEN(name) > REDISLOCK_KEY_MAX - client->prefix_len) {
		zend_argument_value_error(arg, "must be at most 64 KiB long, with its prefix");
		return false;
	}
	*key = rl_bytes_of(ZSTR_VAL(name), ZSTR_LEN(name));
	if (client->prefix_len > 0) {
		*joined = emalloc(client->prefix_len + key->len);
		memcpy(*joined, client->prefix, client->prefix_len);
		memcpy(*joined + client->prefix_len, key->data, key->len);
		*key = rl_bytes_of(*joined, client->prefix_len + key->len);
	}
	if (rl_names_may_be_helper(*key)) {
		redislock_free_key(*joined);
		zend_argument_value_error(arg,
			"must not end in :rl-wait, :rl-wake or :rl-fence, which are the lock's own helper keys");
		return false;
	}
	return true;
}

/* ---- lists of keys ---- */

static int compare_keys(const void *a, const void *b)
{
	rl_bytes one = ((const redislock_key *) a)->key;
	rl_bytes other = ((const redislock_key *) b)->key;
	int order = memcmp(one.data, other.data, one.len < other.len ? one.len : other.len);
	return order != 0 ? order : (one.len > other.len) - (one.len < other.len);
}

static void free_key(redislock_key *key)
{
	zend_string_release(key->name);
	redislock_free_key(key->joined);
}

void redislock_free_key_list(redislock_keys *keys)
{
	for (unsigned i = 0; i < keys->count; i++) {
		free_key(&keys->list[i]);
	}
	efree(keys->list);
	keys->count = 0;
}

/* Adds a key, for which there is room. False = an exception was thrown. */
static bool add_key(
	const redislock_client *client, zend_string *name, uint32_t arg, redislock_keys *keys)
{
	redislock_key *key = &keys->list[keys->count];
	if (!redislock_read_key(client, name, arg, &key->key, &key->joined)) {
		return false;
	}
	key->name = zend_string_copy(name);
	keys->count++;
	return true;
}

/* @param index NULL = an integer, which may leave gaps, as in the result of array_unique() */
static bool check_element(const zend_string *index, const zval *element, uint32_t arg)
{
	if (index != NULL) {
		char shown[RL_BYTES_TEXT];
		zend_argument_value_error(arg, "must be a list of keys, but has the index \"%s\"",
			rl_bytes_text(rl_bytes_of(ZSTR_VAL(index), ZSTR_LEN(index)), shown));
		return false;
	}
	if (Z_TYPE_P(element) != IS_STRING) {
		zend_argument_type_error(
			arg, "must contain only strings, but contains %s", zend_zval_type_name(element));
		return false;
	}
	return true;
}

static bool add_keys(
	const redislock_client *client, HashTable *names, uint32_t arg, redislock_keys *keys)
{
	zend_string *index;
	zval *element;
	ZEND_HASH_FOREACH_STR_KEY_VAL(names, index, element) {
		ZVAL_DEREF(element);
		if (!check_element(index, element, arg) || !add_key(client, Z_STR_P(element), arg, keys)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

static void sort_keys(redislock_keys *keys)
{
	unsigned kept = 1;
	redislock_key *list = keys->list;
	qsort(list, keys->count, sizeof list[0], compare_keys);
	for (unsigned i = 1; i < keys->count; i++) {
		if (compare_keys(&list[kept - 1], &list[i]) == 0) {
			free_key(&list[i]);
		} else {
			list[kept++] = list[i];
		}
	}
	keys->count = kept;
}

bool redislock_read_key_list(
	const redislock_client *client, HashTable *names, uint32_t arg, redislock_keys *keys)
{
	keys->count = 0;
	keys->list = safe_emalloc(zend_hash_num_elements(names), sizeof keys->list[0], 0);
	if (!add_keys(client, names, arg, keys)) {
		redislock_free_key_list(keys);
		return false;
	}
	return true;
}

bool redislock_read_lease_keys(
	const redislock_client *client, HashTable *names, uint32_t arg, redislock_keys *keys)
{
	uint32_t given = zend_hash_num_elements(names);
	if (given == 0 || given > REDISLOCK_KEYS_MAX) {
		zend_argument_value_error(arg, "must have 1 to %d keys", REDISLOCK_KEYS_MAX);
		return false;
	}
	if (!redislock_read_key_list(client, names, arg, keys)) {
		return false;
	}
	sort_keys(keys);
	return true;
}
