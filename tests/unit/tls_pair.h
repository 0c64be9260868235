/* SPDX-License-Identifier: MIT
 *
 * An rl_tls and a server of OpenSSL, and the bytes between them, which a test can cut anywhere.
 */
#ifndef TLS_PAIR_H
#define TLS_PAIR_H

#include "tls_server.h"

#ifdef RL_WITH_TLS

# include "transport/rl_tls.h"
# include "transport/rl_tls_context.h"

/* The certificate of the server, for "cache.test" and 127.0.0.1. pair_begin() names it as
 * cafile. */
extern tls_cert pair_ca;
extern tls_cert pair_cert;

extern tls_server pair_server;
extern rl_tls *pair_client;
extern rl_tls_sessions *pair_sessions;
extern rl_address pair_address;
extern rl_error pair_err;

/* The plain bytes that the client has read. */
extern char pair_heard[TLS_HEARD_MAX];
extern size_t pair_heard_len;

/* How many bytes the client gets in one piece, reads at once, and sends at once; 0 = all. */
extern size_t pair_piece;
extern size_t pair_room;
extern size_t pair_sends;

/* A piece ends at this position in the client's input of this connection; 0 = at none. */
extern size_t pair_cut;
extern size_t pair_got;

/* A server that speaks this version, and a client that trusts its CA. */
void pair_begin(int version);

/* For CHECK_MAIN. */
void pair_end(void);

/* Sets an option of the client. */
void pair_set(const char *name, const char *value);

/* Takes all options back, also the cafile. */
void pair_unset_all(void);

void pair_go_to(const char *host);

/* A new connection. The handshake has begun when it returns true. */
bool pair_dial(void);

/* Hands one side the bytes that the other side has written. False = there were none. */
bool pair_to_server(void);
bool pair_to_client(rl_tls_result *result);

/* Has the client read these bytes, until it wants more or fails. */
rl_tls_result pair_feed(const char *data, size_t len);

/* Hands bytes over until both sides wait, or the client's connection has ended. */
rl_tls_result pair_pump(void);

/* Dials, and pumps until the client is open. */
void pair_open(void);

/* Dials and pumps. The client must fail with this status, and with this part in its message. */
void pair_fails(rl_status status, const char *part);

/* Has the client seal these bytes, in one record. */
void pair_says(const char *text);

/* One side sends the text, and the other side reads it. */
void pair_asks(const char *text);
void pair_answers(const char *text);

/* Each side sends a text, and the other side reads it. */
void pair_talk(void);

#endif
#endif
