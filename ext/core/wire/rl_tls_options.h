/* SPDX-License-Identifier: MIT
 *
 * The options of TLS for one server, as a DSN and the constructor give them. Their names and values
 * are those of PHP's ssl stream context, as far as they make sense for a lock; min_version is ours.
 * Core only checks, stores and compares them, ext/transport gives them their meaning.
 *
 * The options are kept as texts, so that a table of names is all that there is to parse, copy,
 * compare and wipe. No part changes them once they are attached to a target.
 */
#ifndef RL_TLS_OPTIONS_H
#define RL_TLS_OPTIONS_H

#include "core/base/rl_status.h"

typedef enum rl_tls_option {
	RL_TLS_CAFILE,           /* path of the trusted certificates, PEM */
	RL_TLS_CAPATH,           /* folder of trusted certificates with hashed names */
	RL_TLS_LOCAL_CERT,       /* path of the client's certificate and its chain, PEM */
	RL_TLS_LOCAL_PK,         /* path of the client's key, PEM; default: in local_cert */
	RL_TLS_PASSPHRASE,       /* of the key */
	RL_TLS_PEER_NAME,        /* the name to verify and to send as SNI; default: the host */
	RL_TLS_VERIFY_PEER,      /* "1" (default) or "0" */
	RL_TLS_VERIFY_PEER_NAME, /* "1" (default) or "0" */
	RL_TLS_MIN_VERSION,      /* "1.2" (default) or "1.3" */
	RL_TLS_CIPHERS,          /* a list as OpenSSL writes it, for TLS 1.2 */
	RL_TLS_SNI_ENABLED,      /* "1" (default) or "0" */
	RL_TLS_OPTION_COUNT,
} rl_tls_option;

typedef struct rl_tls_options {
	char *values[RL_TLS_OPTION_COUNT]; /* owned; NULL = the default */
} rl_tls_options;

/* Options that are all at their defaults; NULL when out of memory. */
rl_tls_options *rl_tls_options_new(void);

/* Wipes the texts, of which the passphrase is one. */
void rl_tls_options_free(rl_tls_options *options);

/* NULL when out of memory. */
rl_tls_options *rl_tls_options_copy(const rl_tls_options *options);

/* Sets one option.
 * @param value for an option that is on or off: 1, 0, true, false, on, off, yes or no. No data =
 *   the option stays as it is, and only its name is checked
 * @param[out] err RL_ERR_MEMORY, or RL_ERR_ARGUMENT with a message that quotes no value */
rl_status rl_tls_options_set(
	rl_tls_options *options, rl_bytes name, rl_bytes value, rl_error *err) RL_MUST_USE;

/* Gives each option that is not set the value that it has in defaults. False when out of memory. */
bool rl_tls_options_add(rl_tls_options *options, const rl_tls_options *defaults) RL_MUST_USE;

/* Checks the options against each other. */
rl_status rl_tls_options_check(const rl_tls_options *options, rl_error *err) RL_MUST_USE;

/* True when both are equal, or both are NULL. */
bool rl_tls_options_equal(const rl_tls_options *a, const rl_tls_options *b);

bool rl_tls_options_is_any_set(const rl_tls_options *options);

/* For an option that is on or off; all of them are on by default. */
bool rl_tls_is_on(const rl_tls_options *options, rl_tls_option option);

/* The name of the option, such as "cafile". */
const char *rl_tls_option_name(rl_tls_option option);

#endif
