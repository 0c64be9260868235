/* SPDX-License-Identifier: MIT
 *
 * Checks arguments, and converts them for core. A wrong value is a ValueError or
 * TypeError, which is thrown before anything is sent.
 */
#ifndef REDISLOCK_OPTIONS_H
#define REDISLOCK_OPTIONS_H

#include "php/redislock_arguments.h"
#include "php/redislock_call.h"

/* PHP converts true to 1.0 and the number 6379 to the text "6379". Here both are a TypeError, also
 * without strict_types: otherwise acquire('k', 30, true) would wait for one second, and new
 * RedisLock($dsn, 6379) would put a prefix before all keys. The parameters are those of
 * zend_parse_arg_double() and zend_parse_arg_str(). */
static inline bool redislock_parse_float(
	zval *value, double *number, bool *is_null, bool may_be_null, uint32_t arg)
{
	bool is_bool = Z_TYPE_P(value) == IS_TRUE || Z_TYPE_P(value) == IS_FALSE;
	return !is_bool && zend_parse_arg_double(value, number, is_null, may_be_null, arg);
}

static inline bool redislock_parse_prefix(zval *value, zend_string **prefix, uint32_t arg)
{
	bool is_text =
		Z_TYPE_P(value) == IS_STRING || Z_TYPE_P(value) == IS_NULL || Z_TYPE_P(value) == IS_OBJECT;
	return is_text && zend_parse_arg_str(value, prefix, true, arg);
}

/* Parameters of methods, for use among PHP's own Z_PARAM_... macros, which have the same form. */
#define REDISLOCK_PARAM(is_parsed, expected) \
 Z_PARAM_PROLOGUE(0, 0); \
 if (UNEXPECTED(!(is_parsed))) { \
  _expected_type = expected; \
  _error_code = ZPP_ERROR_WRONG_ARG; \
  break; \
 }
#define REDISLOCK_PARAM_FLOAT(number) \
 REDISLOCK_PARAM(redislock_parse_float(_arg, &(number), NULL, false, _i), Z_EXPECTED_DOUBLE)
#define REDISLOCK_PARAM_FLOAT_OR_NULL(number, is_null) \
 REDISLOCK_PARAM( \
	 redislock_parse_float(_arg, &(number), &(is_null), true, _i), Z_EXPECTED_DOUBLE_OR_NULL)
#define REDISLOCK_PARAM_PREFIX(prefix) \
 REDISLOCK_PARAM(redislock_parse_prefix(_arg, &(prefix), _i), Z_EXPECTED_STRING_OR_NULL)

/* The form of a label, for messages. */
#define REDISLOCK_LABEL_FORM "1 to 64 printable ASCII characters without spaces"

/* The label of the INI setting, or the default.
 * @return false = the setting is bad, and an exception was thrown */
bool redislock_read_ini_label(rl_label *label);

/* @return false = an exception was thrown; the client is filled in part then, and the caller still
 *   has to drop its reference */
bool redislock_client_fill(redislock_client *client, const redislock_arguments *arguments);

/* Reads the argument $tls.
 * @param values NULL = the argument is not given
 * @param[out] options NULL when there are none; the caller frees them with rl_tls_options_free(),
 *   also after a failure
 * @return false = an exception was thrown */
bool redislock_read_tls(HashTable *values, uint32_t arg, rl_tls_options **options);

/* These check an argument of a method. False = an exception was thrown. @param arg its number */
bool redislock_check_token(const zend_string *token, uint32_t arg);
bool redislock_read_ttl(const redislock_client *client, double seconds, uint32_t arg, int64_t *ms);
bool redislock_read_wait(double seconds, uint32_t arg, int64_t *ns);

/* Reads how long a lease may be renewed: the argument (unless is_none) or the INI setting,
 * whichever is shorter.
 * @param[out] ns RL_NEVER = without end */
bool redislock_read_max_hold(double seconds, bool is_none, uint32_t arg, int64_t *ns);

/* Reads the key, and puts the prefix before it.
 * @param[out] key points into the name itself or into *joined
 * @param[out] joined the caller frees it with redislock_free_key(), if true was returned */
bool redislock_read_key(const redislock_client *client, const zend_string *name, uint32_t arg,
	rl_bytes *key, char **joined);

static inline void redislock_free_key(char *joined)
{
	if (joined != NULL) {
		efree(joined);
	}
}

#endif
