/* SPDX-License-Identifier: MIT
 *
 * INI settings.
 */
#include "php_redislock.h"

#include "php/redislock_ini.h"
#include "php/redislock_options.h"
#include "php/redislock_servers.h"

#include "SAPI.h"
#include "Zend/zend_smart_str.h"
#include "zend_highlight.h"
#include "zend_ini.h"

#include "core/wire/rl_dsn.h"

#include <math.h>

static bool are_valid_servers(const char *text, rl_error *err)
{
	rl_bytes word = redislock_servers_next(&text);
	bool is_valid = word.len > 0;
	rl_error_set(err, RL_ERR_ARGUMENT, 0, "it is empty");
	for (; is_valid && word.len > 0; word = redislock_servers_next(&text)) {
		rl_dsn dsn;
		is_valid = rl_dsn_parse(word, &dsn, err) == RL_OK;
		if (is_valid) {
			rl_dsn_drop(&dsn);
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

/* A number of seconds, 0 or more; NaN = the value is not. */
static double seconds_of(const zend_string *value)
{
	const char *text = value != NULL ? ZSTR_VAL(value) : "";
	const char *end = text;
	double seconds = zend_strtod(text, &end);
	bool is_good = end != text && *end == '\0' && seconds >= 0 && !has_nul(value);
	return is_good ? seconds : NAN;
}

static void warn_of_seconds(const char *setting)
{
	zend_error(E_WARNING,
		"%s stays as it was, because the new value is not a number of seconds, 0 or more", setting);
}

/* A bad value in php.ini is kept, so that a lease refuses it. To fall back to no ceiling would be
 * worse. */
ZEND_INI_MH(redislock_on_max_hold)
{
	double seconds = seconds_of(new_value);
	if (stage == ZEND_INI_STAGE_RUNTIME && isnan(seconds)) {
		warn_of_seconds("redislock.max_hold");
		return FAILURE;
	}
	*(double *) (void *) ZEND_INI_GET_ADDR() = seconds;
	return SUCCESS;
}

/* After a bad value in php.ini there are no notices. */
ZEND_INI_MH(redislock_on_slow_wait)
{
	double seconds = seconds_of(new_value);
	if (isnan(seconds)) {
		if (stage == ZEND_INI_STAGE_RUNTIME) {
			warn_of_seconds("redislock.slow_wait");
		}
		return FAILURE;
	}
	*(double *) (void *) ZEND_INI_GET_ADDR() = seconds;
	return SUCCESS;
}

/* A bad value in php.ini is kept, so that the constructor refuses it. */
ZEND_INI_MH(redislock_on_label)
{
	size_t len = new_value != NULL ? ZSTR_LEN(new_value) : 0;
	bool is_good = len == 0 || rl_label_is_valid(rl_bytes_of(ZSTR_VAL(new_value), len));
	if (stage == ZEND_INI_STAGE_RUNTIME && !is_good) {
		zend_error(E_WARNING,
			"redislock.label stays as it was, because the new value is not " REDISLOCK_LABEL_FORM);
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
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
	rl_dsn_drop(&dsn);
}

ZEND_INI_DISP(redislock_display_servers)
{
	zend_string *value = type == ZEND_INI_DISPLAY_ORIG && ini_entry->modified
		? ini_entry->orig_value
		: ini_entry->value;
	const char *text = value != NULL ? ZSTR_VAL(value) : "";
	smart_str out = {0};
	for (rl_bytes word = redislock_servers_next(&text); word.len > 0;
		 word = redislock_servers_next(&text)) {
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
