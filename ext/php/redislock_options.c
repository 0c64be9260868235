/* SPDX-License-Identifier: MIT
 *
 * Arguments and INI settings.
 */
#include "php_redislock.h"

#include "php/redislock_options.h"

#include "SAPI.h"
#include "Zend/zend_smart_str.h"
#include "zend_exceptions.h"
#include "zend_highlight.h"
#include "zend_ini.h"

#include "core/wire/rl_dsn.h"
#include "transport/rl_tls_context.h"

#include <math.h>

#define KEY_MAX (64 * 1024)
#define TTL_MIN_MS 5
#define TTL_MAX_MS (INT64_C(366) * 24 * 3600 * 1000)

/* The error of floats: 0.57 s is 569.9999... ms and means 570. */
#define MS_TOLERANCE 1e-6

/* ---- servers ---- */

/* Where a DSN comes from, for the message about an error in it. */
typedef struct dsn_source {
	bool is_ini;
	/* Its number in a list, from 1; 0 = there is no list. */
	unsigned number;
} dsn_source;

static void throw_bad_dsn(const rl_error *err, dsn_source source)
{
	char where[32] = "";
	if (source.number > 0) {
		snprintf(where, sizeof where, " (server %u)", source.number);
	}
	if (source.is_ini) {
		zend_value_error(
			"The INI setting redislock.servers must be a valid DSN%s: %s (in php.ini it needs "
			"double quotes)",
			where, err->message);
	} else {
		zend_argument_value_error(1, "must be a valid DSN%s: %s", where, err->message);
	}
}

/* The options of the target are those of its DSN, and for the rest those of the argument $tls.
 * False = an exception was thrown. */
static bool set_up_tls(rl_target *target, const rl_tls_options *defaults)
{
	rl_tls_options *options = target->address.tls;
	rl_error err;
	if (options == NULL) {
		return true;
	}
	if (defaults != NULL && !rl_tls_options_add(options, defaults)) {
		zend_throw_error(NULL, "Out of memory");
		return false;
	}
	if (rl_tls_options_check(options, &err) != RL_OK || rl_tls_prepare(options, &err) != RL_OK) {
		zend_value_error("%s: %s", target->name, err.message);
		return false;
	}
	return true;
}

#define REPLICAS_TIMEOUT_NS (100 * RL_NS_PER_MS)

/* The replicas' time must leave some of the time for the answer. False = an exception was
 * thrown. */
static bool set_up_replicas(const rl_dsn *dsn, int64_t timeout_ns, dsn_source source)
{
	int64_t most = timeout_ns / 2;
	int64_t given = dsn->replicas_timeout_ns;
	rl_error err;
	if (given > most) {
		char limit[RL_SECONDS_TEXT];
		rl_error_set(&err, RL_ERR_ARGUMENT, 0,
			"the option replicas_timeout must be half of the timeout at most, %s s",
			rl_seconds_text(most, limit));
		throw_bad_dsn(&err, source);
		return false;
	}
	int64_t ns = given != 0 ? given : REPLICAS_TIMEOUT_NS < most ? REPLICAS_TIMEOUT_NS : most;
	dsn->target->replicas_ms = dsn->target->replicas == 0 ? 0
		: ns < RL_NS_PER_MS                               ? 1
														  : ns / RL_NS_PER_MS;
	return true;
}

static bool add_server(redislock_client *client, const redislock_arguments *arguments,
	rl_bytes text, dsn_source source)
{
	rl_set *set = &client->set;
	rl_error err;
	rl_dsn dsn;
	if (rl_dsn_parse(text, &dsn, &err) != RL_OK) {
		throw_bad_dsn(&err, source);
		return false;
	}
	for (unsigned i = 0; i < set->count; i++) {
		if (rl_address_equal(&set->members[i].target->address, &dsn.target->address)) {
			rl_error_set(&err, RL_ERR_ARGUMENT, 0, "the same server is given twice");
			throw_bad_dsn(&err, source);
			rl_target_unref(dsn.target);
			return false;
		}
	}
	int64_t timeout = dsn.timeout_ns != 0 ? dsn.timeout_ns : (int64_t) (arguments->timeout * 1e9);
	if (!set_up_tls(dsn.target, arguments->tls) || !set_up_replicas(&dsn, timeout, source)) {
		rl_target_unref(dsn.target);
		return false;
	}
	int64_t connect_timeout = (int64_t) (arguments->connect_timeout * 1e9);
	set->members[set->count++] = (rl_member){.target = dsn.target,
		.timeout_ns = timeout,
		.connect_timeout_ns =
			dsn.connect_timeout_ns != 0 ? dsn.connect_timeout_ns : connect_timeout};
	return true;
}

static bool add_list(redislock_client *client, const redislock_arguments *arguments)
{
	unsigned count = zend_hash_num_elements(arguments->servers);
	if (count == 0 || count > RL_MEMBERS_MAX) {
		zend_argument_value_error(1, "must be a list of 1 to %d DSNs", RL_MEMBERS_MAX);
		return false;
	}
	zval *entry;
	ZEND_HASH_FOREACH_VAL(arguments->servers, entry) {
		ZVAL_DEREF(entry);
		if (Z_TYPE_P(entry) != IS_STRING) {
			zend_argument_type_error(
				1, "must be a list of DSN strings, %s given", zend_zval_type_name(entry));
			return false;
		}
		dsn_source source = {.number = count > 1 ? client->set.count + 1 : 0};
		if (!add_server(
				client, arguments, rl_bytes_of(Z_STRVAL_P(entry), Z_STRLEN_P(entry)), source)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

/* Returns the next word of a text whose words are separated by spaces; an empty word at its end. */
static rl_bytes next_word(const char **text)
{
	const char *start = *text + strspn(*text, " \t\r\n");
	*text = start + strcspn(start, " \t\r\n");
	return rl_bytes_of(start, (size_t) (*text - start));
}

static bool add_ini(redislock_client *client, const redislock_arguments *arguments)
{
	const char *text = REDISLOCK_G(servers) != NULL ? REDISLOCK_G(servers) : "";
	rl_bytes word = next_word(&text);
	rl_bytes next = next_word(&text);
	bool is_list = next.len > 0;
	while (true) {
		dsn_source source = {.is_ini = true, .number = is_list ? client->set.count + 1 : 0};
		if (client->set.count == RL_MEMBERS_MAX) {
			zend_value_error(
				"The INI setting redislock.servers must be at most %d DSNs", RL_MEMBERS_MAX);
			return false;
		}
		if (!add_server(client, arguments, word, source)) {
			return false;
		}
		if (next.len == 0) {
			return true;
		}
		word = next;
		next = next_word(&text);
	}
}

static bool add_servers(redislock_client *client, const redislock_arguments *arguments)
{
	if (arguments->servers != NULL) {
		return add_list(client, arguments);
	}
	if (arguments->server != NULL) {
		rl_bytes text = rl_bytes_of(ZSTR_VAL(arguments->server), ZSTR_LEN(arguments->server));
		return add_server(client, arguments, text, (dsn_source){0});
	}
	return add_ini(client, arguments);
}

/* ---- TLS ---- */

static bool read_tls_option(
	rl_tls_options *options, const zend_string *name, zval *value, uint32_t arg)
{
	rl_error err;
	ZVAL_DEREF(value);
	if (Z_TYPE_P(value) == IS_ARRAY || Z_TYPE_P(value) == IS_OBJECT ||
		Z_TYPE_P(value) == IS_RESOURCE) {
		zend_argument_type_error(arg,
			"must contain only strings, numbers, bools and null, but the value of \"%s\" is %s",
			ZSTR_VAL(name), zend_zval_type_name(value));
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
		if (set->members[i].target->address.tls != NULL) {
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
	return check_range(arguments->drift_factor, 0, 0.5, 12, "between 0 and 0.5");
}

/* ---- the constructor ---- */

static bool set_prefix(redislock_client *client, const zend_string *prefix)
{
	const char *ini = REDISLOCK_G(prefix) != NULL ? REDISLOCK_G(prefix) : "";
	const char *text = prefix != NULL ? ZSTR_VAL(prefix) : ini;
	size_t len = prefix != NULL ? ZSTR_LEN(prefix) : strlen(ini);
	if (len >= KEY_MAX) {
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

bool redislock_client_fill(redislock_client *client, const redislock_arguments *arguments)
{
	if (!check_numbers(arguments) || !set_prefix(client, arguments->prefix)) {
		return false;
	}
	client->set.backoff = (rl_backoff){.first_ns = (int64_t) (arguments->retry_delay * 1e9),
		.max_ns = (int64_t) (arguments->retry_max_delay * 1e9),
		.jitter = arguments->jitter};
	client->set.retries =
		arguments->retries != NULL ? (uint64_t) *arguments->retries : RL_RETRIES_UNLIMITED;
	client->set.drift_factor = arguments->drift_factor;
	if (!add_servers(client, arguments)) {
		return false;
	}
	if (arguments->tls != NULL && !uses_tls(&client->set)) {
		/* Without this error the program would believe that it is encrypted. */
		zend_argument_value_error(
			13, "must be empty, because no server uses TLS: write rediss:// in the DSN");
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
	return true;
}

bool redislock_read_ttl(double seconds, uint32_t arg, int64_t *ms)
{
	double exact = floor(seconds * 1000 + MS_TOLERANCE);
	if (!(exact >= TTL_MIN_MS && exact <= (double) TTL_MAX_MS)) {
		zend_argument_value_error(arg, "must be between 0.005 seconds and 366 days");
		return false;
	}
	*ms = (int64_t) exact;
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

static bool has_end(rl_bytes key, const char *end)
{
	size_t len = strlen(end);
	return key.len >= len && memcmp(key.data + key.len - len, end, len) == 0;
}

bool redislock_read_key(const redislock_client *client, const zend_string *name, uint32_t arg,
	rl_bytes *key, char **joined)
{
	*joined = NULL;
	if (ZSTR_LEN(name) == 0) {
		zend_argument_value_error(arg, "must not be empty");
		return false;
	}
	if (ZSTR_LEN(name) > KEY_MAX - client->prefix_len) {
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
	if (has_end(*key, RL_MARK_SUFFIX) || has_end(*key, RL_TICKETS_SUFFIX)) {
		redislock_free_key(*joined);
		zend_argument_value_error(
			arg, "must not end in ::rl-wait or ::rl-wake, which are the lock's own helper keys");
		return false;
	}
	return true;
}

/* ---- INI ---- */

static bool are_valid_servers(const char *text, rl_error *err)
{
	rl_bytes word = next_word(&text);
	bool is_valid = word.len > 0;
	rl_error_set(err, RL_ERR_ARGUMENT, 0, "it is empty");
	for (; is_valid && word.len > 0; word = next_word(&text)) {
		rl_dsn dsn;
		is_valid = rl_dsn_parse(word, &dsn, err) == RL_OK;
		if (is_valid) {
			rl_target_unref(dsn.target);
		}
	}
	return is_valid;
}

/* ini_get() would show the text after a NUL byte, but nothing would use it. */
static bool has_nul(const zend_string *value)
{
	return value != NULL && strlen(ZSTR_VAL(value)) != ZSTR_LEN(value);
}

static void warn_of_nul(const char *setting, int stage)
{
	if (stage == ZEND_INI_STAGE_RUNTIME) {
		zend_error(E_WARNING, "%s stays as it was, because the new value has a NUL byte", setting);
	}
}

/* A bad value in php.ini is kept, so that a lease refuses it. To fall back to no ceiling would be
 * worse. */
ZEND_INI_MH(redislock_on_max_hold)
{
	double *max_hold = (double *) (void *) ZEND_INI_GET_ADDR();
	const char *text = new_value != NULL ? ZSTR_VAL(new_value) : "";
	const char *end = text;
	double seconds = zend_strtod(text, &end);
	bool is_good = end != text && *end == '\0' && seconds >= 0 && !has_nul(new_value);
	if (stage == ZEND_INI_STAGE_RUNTIME && !is_good) {
		zend_error(E_WARNING,
			"redislock.max_hold stays as it was, because the new value is not a number of "
			"seconds, 0 or more");
		return FAILURE;
	}
	*max_hold = is_good ? seconds : NAN;
	return SUCCESS;
}

ZEND_INI_MH(redislock_on_prefix)
{
	if (has_nul(new_value)) {
		warn_of_nul("redislock.prefix", stage);
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

/* A bad value in php.ini is kept, so that the constructor refuses it. To fall back to the default
 * would silently lock on another server. */
ZEND_INI_MH(redislock_on_servers)
{
	if (has_nul(new_value)) {
		warn_of_nul("redislock.servers", stage);
		return FAILURE;
	}
	rl_error err;
	if (stage == ZEND_INI_STAGE_RUNTIME && !are_valid_servers(ZSTR_VAL(new_value), &err)) {
		/* ini_set() returns false, which few scripts check, and PHP would go on with the old
		 * server. */
		zend_error(E_WARNING,
			"redislock.servers stays as it was, because the new value is not a valid DSN: %s",
			err.message);
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

/* Appends the server as messages name it. A text that is not a DSN may contain a password anywhere,
 * so nothing of it is shown. */
static void append_masked(smart_str *out, rl_bytes word)
{
	rl_dsn dsn;
	if (rl_dsn_parse(word, &dsn, NULL) != RL_OK) {
		smart_str_appends(out, "*** (not a valid DSN)");
		return;
	}
	smart_str_appends(out, dsn.target->name);
	rl_target_unref(dsn.target);
}

ZEND_INI_DISP(redislock_display_servers)
{
	zend_string *value = type == ZEND_INI_DISPLAY_ORIG && ini_entry->modified
		? ini_entry->orig_value
		: ini_entry->value;
	const char *text = value != NULL ? ZSTR_VAL(value) : "";
	smart_str out = {0};
	for (rl_bytes word = next_word(&text); word.len > 0; word = next_word(&text)) {
		if (out.s != NULL) {
			smart_str_appendc(&out, ' ');
		}
		append_masked(&out, word);
	}
	smart_str_0(&out);
	const char *shown = out.s != NULL ? ZSTR_VAL(out.s) : "no value";
	if (sapi_module.phpinfo_as_text) {
		PHPWRITE(shown, strlen(shown));
	} else {
		zend_html_puts(shown, strlen(shown));
	}
	smart_str_free(&out);
}
