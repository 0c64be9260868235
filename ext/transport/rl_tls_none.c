/* SPDX-License-Identifier: MIT
 *
 * Stands for rl_tls.c and rl_tls_context.c in a build without OpenSSL. No server with TLS gets past
 * rl_tls_prepare(), so there is never an rl_tls.
 */
#include "transport/rl_tls.h"
#include "transport/rl_tls_context.h"

#ifndef RL_WITH_TLS

const char *rl_tls_version(void)
{
	return NULL;
}

const char *rl_tls_compiled_version(void)
{
	return NULL;
}

void rl_tls_set_up(void)
{
}

void rl_tls_tear_down(void)
{
}

static rl_status fail(rl_error *err, rl_status status)
{
	return rl_error_set(err, status, 0,
		"redislock was built without TLS; build it again where pkg-config finds OpenSSL 1.1.1 or "
		"later (Debian and Ubuntu: libssl-dev, Fedora: openssl-devel, Alpine: openssl-dev)");
}

rl_status rl_tls_prepare(const rl_tls_options *options, rl_error *err)
{
	(void) options;
	return fail(err, RL_ERR_ARGUMENT);
}

unsigned rl_tls_weak_contexts(void)
{
	return 0;
}

rl_tls *rl_tls_new(const rl_address *address, rl_tls_sessions **sessions, rl_error *err)
{
	(void) address;
	(void) sessions;
	fail(err, RL_ERR_TLS);
	return NULL;
}

void rl_tls_free(rl_tls *tls)
{
	(void) tls;
}

void rl_tls_sessions_free(rl_tls_sessions *sessions)
{
	(void) sessions;
}

bool rl_tls_is_open(const rl_tls *tls)
{
	(void) tls;
	return false;
}

bool rl_tls_is_resumed(const rl_tls *tls)
{
	(void) tls;
	return false;
}

bool rl_tls_has_heard(const rl_tls *tls)
{
	(void) tls;
	return false;
}

void rl_tls_feed(rl_tls *tls, const char *data, size_t len)
{
	(void) tls;
	(void) data;
	(void) len;
}

rl_tls_result rl_tls_read(rl_tls *tls, char *out, size_t size, size_t *got, rl_error *err)
{
	(void) tls;
	(void) out;
	(void) size;
	(void) err;
	*got = 0;
	return RL_TLS_NOTHING;
}

size_t rl_tls_seal(rl_tls *tls, const char *data, size_t len)
{
	(void) tls;
	(void) data;
	(void) len;
	return 0;
}

void rl_tls_end(rl_tls *tls)
{
	(void) tls;
}

rl_bytes rl_tls_output(const rl_tls *tls)
{
	(void) tls;
	return (rl_bytes){NULL, 0};
}

void rl_tls_sent(rl_tls *tls, size_t len)
{
	(void) tls;
	(void) len;
}

#else
typedef int rl_tls_none_is_left_out;
#endif
