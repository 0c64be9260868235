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

/* For how long the mark of work that is done stays. */
bool redislock_read_done(double seconds, uint32_t arg, int64_t *ms);

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

/* The longest key, with its prefix. */
#define REDISLOCK_KEY_MAX (64 * 1024)

/* The largest number of keys of one lease. */
#define REDISLOCK_KEYS_MAX 64

/* A key of a lease, as the script has named it. */
typedef struct redislock_key {
	zend_string *name; /* without the prefix */
	rl_bytes key;
	char *joined; /* see redislock_read_key() */
} redislock_key;

typedef struct redislock_keys {
	unsigned count; /* 0 = none were read */
	redislock_key *list;
	redislock_key one; /* the list of an argument that is a string, and borrows it */
} redislock_keys;

/* Reads the keys of an array that is not empty, in its order. @return false = an exception was
 * thrown, and there is nothing to free */
bool redislock_read_key_list(
	const redislock_client *client, HashTable *names, uint32_t arg, redislock_keys *keys);
void redislock_free_key_list(redislock_keys *keys);

/* The same for the keys of one lease: each key once, in the order in which all callers take them,
 * which is the order of their bytes. */
bool redislock_read_lease_keys(
	const redislock_client *client, HashTable *names, uint32_t arg, redislock_keys *keys);

/* The same for an argument that is a string, or (names is not NULL) an array. */
static inline bool redislock_read_keys(const redislock_client *client, zend_string *name,
	HashTable *names, uint32_t arg, redislock_keys *keys)
{
	if (names != NULL) {
		return redislock_read_lease_keys(client, names, arg, keys);
	}
	bool is_read = redislock_read_key(client, name, arg, &keys->one.key, &keys->one.joined);
	keys->one.name = name;
	keys->list = &keys->one;
	keys->count = is_read;
	return is_read;
}

static inline void redislock_free_keys(redislock_keys *keys)
{
	if (keys->count > 0 && keys->list == &keys->one) {
		redislock_free_key(keys->one.joined);
	} else if (keys->count > 0) {
		redislock_free_key_list(keys);
	}
}

#endif
