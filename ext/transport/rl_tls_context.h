/* SPDX-License-Identifier: MIT
 *
 * The contexts of TLS: for each set of options, what OpenSSL made of its files.
 *
 * DESIGN
 *
 * Making a context reads files, so contexts are kept for the life of the process, up to a number.
 * Each time one is asked for, the files of its options are looked at (stat), and if one has
 * changed, a new context is made: client certificates may live for a day. If that fails, because
 * the files are just being replaced, the old context stays in use. A changed context gets a new
 * version, so that no session is resumed that other certificates have verified.
 *
 * One mutex guards the list and the counts of references. No file is read while it is held. Any
 * thread may call.
 */
#ifndef RL_TLS_CONTEXT_H
#define RL_TLS_CONTEXT_H

#include "core/wire/rl_tls_options.h"

/* ---- for the module ---- */

/* The version of OpenSSL that runs, and the one whose headers were compiled; NULL = redislock was
 * built without TLS, and every attempt to use it fails. */
const char *rl_tls_version(void);
const char *rl_tls_compiled_version(void);

/* Call once before the first fork or thread, and before rl_watchdog_set_up(): the watchdog takes
 * this mutex while it holds its own. */
void rl_tls_set_up(void);

/* Frees the contexts. No rl_tls may be left. */
void rl_tls_tear_down(void);

/* How many contexts do not verify the server fully. */
unsigned rl_tls_weak_contexts(void);

/* ---- for rl_tls.c ---- */

struct ssl_ctx_st;
struct ssl_st;
struct ssl_session_st;

typedef struct rl_tls_context rl_tls_context;

/* OpenSSL calls it for each session that a server offers.
 * @return 1 = the session is kept, with its reference */
typedef int rl_tls_keep_session(struct ssl_st *ssl, struct ssl_session_st *session);

/* The context for the options. It is made, unless it exists and its files have not changed.
 * @param keep_session for the connections of a context that is made; the same in all calls
 * @return one reference; NULL with err */
rl_tls_context *rl_tls_context_get(
	const rl_tls_options *options, rl_tls_keep_session *keep_session, rl_error *err);

void rl_tls_context_unref(rl_tls_context *context);

/* The same number = the same options and files. */
uint64_t rl_tls_context_version(const rl_tls_context *context);

struct ssl_ctx_st *rl_tls_context_ssl(const rl_tls_context *context);

/* The first reason in OpenSSL's queue of errors, which is emptied. */
const char *rl_tls_reason(void);

#endif
