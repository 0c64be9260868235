/* SPDX-License-Identifier: MIT
 *
 * TLS between two buffers: bytes of the network on one side, plain bytes on the other. An rl_tls
 * knows no socket and no clock, so a test can feed it byte by byte. OpenSSL does the cryptography.
 *
 *     from the network: rl_tls_feed, then rl_tls_read until it returns RL_TLS_NOTHING
 *     to the network:   rl_tls_seal, then send what rl_tls_output has, and call rl_tls_sent
 *
 * Each call may also leave bytes for the network that nobody has asked for, such as the
 * handshake's.
 *
 * An rl_tls belongs to one thread. The contexts behind it, one for each set of options, are shared
 * by all threads of the process (rl_tls_context.h).
 */
#ifndef RL_TLS_H
#define RL_TLS_H

#include "core/wire/rl_target.h"

typedef struct rl_tls rl_tls;

/* The sessions that one thread can resume, one for each server. */
typedef struct rl_tls_sessions rl_tls_sessions;

/* Makes the context for the options, unless it exists and its files have not changed. Reads files,
 * which takes up to 50 ms for the certificates of a system; call it outside every deadline.
 * @param[out] err RL_ERR_ARGUMENT names the option whose file or value is wrong */
rl_status rl_tls_prepare(const rl_tls_options *options, rl_error *err) RL_MUST_USE;

/* Begins the handshake: rl_tls_output() has its first bytes.
 * @param address has the options of TLS; borrowed
 * @param sessions may point to NULL: they are made when they are needed; rl_tls_sessions_free()
 *   frees them
 * @return NULL with err */
rl_tls *rl_tls_new(const rl_address *address, rl_tls_sessions **sessions, rl_error *err);

/* Sends nothing. A session stays resumable. */
void rl_tls_free(rl_tls *tls);

void rl_tls_sessions_free(rl_tls_sessions *sessions);

/* The handshake is over, and rl_tls_seal() may be called. */
bool rl_tls_is_open(const rl_tls *tls);

/* The handshake resumed an earlier session. */
bool rl_tls_is_resumed(const rl_tls *tls);

/* True once the other side has sent a byte of TLS. */
bool rl_tls_has_heard(const rl_tls *tls);

/* Gives the bytes that have arrived. They are borrowed until rl_tls_read() returns
 * RL_TLS_NOTHING. */
void rl_tls_feed(rl_tls *tls, const char *data, size_t len);

typedef enum rl_tls_result {
	RL_TLS_DATA,    /* plain bytes were read */
	RL_TLS_NOTHING, /* all that was fed is used up */
	RL_TLS_ENDED,   /* the other side has closed the connection */
	RL_TLS_BROKEN,  /* err has the reason */
} rl_tls_result;

/* Goes on with the handshake, and decrypts.
 * @param[out] got how many bytes, with RL_TLS_DATA
 * @param[out] err RL_ERR_TLS: the certificates, names or versions do not fit, so that another
 *   attempt would fail, too; no command has run. RL_ERR_CONNECT: the handshake failed for a reason
 *   that may pass; no command has run. RL_ERR_MEMORY: the handshake had too little memory; no
 *   command has run. RL_ERR_CLOSED: the connection broke, and a command may have run */
rl_tls_result rl_tls_read(rl_tls *tls, char *out, size_t size, size_t *got, rl_error *err);

/* Encrypts the beginning of the data: one record of 16 KiB at most.
 * @return how many plain bytes it was; 0 = out of memory, and the connection cannot be used */
size_t rl_tls_seal(rl_tls *tls, const char *data, size_t len);

/* Says that nothing more will be sent (close_notify). */
void rl_tls_end(rl_tls *tls);

/* What is to be sent now; valid until the next call on this rl_tls. */
rl_bytes rl_tls_output(const rl_tls *tls);

/* Call when the kernel has taken the first len bytes of the output. */
void rl_tls_sent(rl_tls *tls, size_t len);

#endif
