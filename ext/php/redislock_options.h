/* SPDX-License-Identifier: MIT
 *
 * Arguments and INI settings, checked and turned into core's terms. What is wrong is a ValueError or
 * TypeError, thrown before anything is sent.
 */
#ifndef REDISLOCK_OPTIONS_H
#define REDISLOCK_OPTIONS_H

#include "php/redislock_call.h"

/* The constructor's arguments as PHP gives them. */
typedef struct redislock_arguments {
	const zend_string *server; /* a DSN, or NULL */
	HashTable *servers;        /* a list of DSNs, or NULL */
	const zend_string *prefix; /* or NULL */
	double timeout;
	double connect_timeout;
	double retry_delay;
	double retry_max_delay;
	double jitter;
	double drift_factor;
	zend_long retries;
	bool has_retries;
	bool wakes;
	bool is_persistent;
	bool is_reentrant;
} redislock_arguments;

/* @return false with an exception; home may then be filled in part, and is still to be unreferenced */
bool redislock_home_fill(redislock_home *home, const redislock_arguments *arguments);

/* Checks of the methods' arguments; false with an exception. arg is the argument's number. */
bool redislock_check_token(const zend_string *token, uint32_t arg);
bool redislock_read_ttl(double seconds, uint32_t arg, int64_t *ms);
bool redislock_read_wait(double seconds, uint32_t arg, int64_t *ns);

/* How long a lease may be renewed: the argument, unless is_none, or the INI setting, whichever is less.
 * @param[out] ns RL_NEVER = for ever */
bool redislock_read_max_hold(double seconds, bool is_none, uint32_t arg, int64_t *ns);

/* The key with its prefix.
 * @param[out] key points into the key itself or into *joined
 * @param[out] joined to be freed with redislock_free_key(), when true was returned */
bool redislock_read_key(const redislock_home *home, const zend_string *name, uint32_t arg,
	rl_bytes *key, char **joined);

static inline void redislock_free_key(char *joined)
{
	if (joined != NULL) {
		efree(joined);
	}
}

/* For INI: redislock.servers is checked when a script sets it, and shown without its passwords. */
ZEND_INI_MH(redislock_on_max_hold);
ZEND_INI_MH(redislock_on_prefix);
ZEND_INI_MH(redislock_on_servers);
ZEND_INI_DISP(redislock_display_servers);

#endif
