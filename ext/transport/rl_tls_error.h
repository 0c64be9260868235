/* SPDX-License-Identifier: MIT
 *
 * Says why a handshake failed, and which option mends it. Only rl_tls.c uses this header.
 */
#ifndef RL_TLS_ERROR_H
#define RL_TLS_ERROR_H

#include "core/wire/rl_tls_options.h"

#include <openssl/x509.h>

#define RL_TLS_NAMES_TEXT 200

typedef struct rl_tls_failure {
	unsigned long reason; /* of rl_tls_take_reason() */
	long verify_result;
	const rl_tls_options *options;
	const char *name;  /* that was verified */
	const char *names; /* of a certificate that is for another server; or empty */
} rl_tls_failure;

/* Empties OpenSSL's queue of errors.
 * @return the first error in the queue, or a later error with more detail; 0 = the queue was empty
 */
unsigned long rl_tls_take_reason(void);

/* True when the error is an alert of the server. */
bool rl_tls_is_alert(unsigned long reason);

/* A failure after which a command may have run.
 * @param[out] err RL_ERR_CLOSED */
void rl_tls_explain_break(unsigned long reason, rl_error *err);

/* A failure of the handshake, or an alert before the first byte of application data, so no command
 * has run.
 * @param[out] err RL_ERR_TLS, or RL_ERR_CONNECT or RL_ERR_MEMORY when the failure may pass */
void rl_tls_explain(const rl_tls_failure *failure, rl_error *err);

/* The names that the certificate is for, as a message shows them. */
void rl_tls_names_of(X509 *certificate, char names[RL_TLS_NAMES_TEXT]);

#endif
