/* SPDX-License-Identifier: MIT
 *
 * The other side of TLS: certificates, and a server of OpenSSL between two buffers, without a
 * socket. A failure of OpenSSL ends the test.
 *
 * Only the programs of the transport are linked with tests/unit/tls_*.c. These programs end with
 * TLS_CHECK_MAIN().
 */
#ifndef TLS_SERVER_H
#define TLS_SERVER_H

#include "check.h"

#ifdef RL_WITH_TLS

# include <openssl/ssl.h>

/* ---- certificates ---- */

typedef struct tls_cert {
	X509 *x509;
	EVP_PKEY *key;
} tls_cert;

typedef struct tls_request {
	const char *common_name; /* NULL = none */
	/* The alternative names as OpenSSL writes them, such as "DNS:a.test,IP:::1"; NULL = none. */
	const char *names;
	const tls_cert *issuer; /* NULL = the certificate is signed with its own key */
	bool is_ca;
	/* Seconds from now. */
	long begins;
	long ends; /* 0 = in a day */
} tls_request;

tls_cert tls_cert_make(tls_request request);
void tls_cert_free(tls_cert *cert);

/* Adds one alternative name, an IP address of any length. */
void tls_cert_add_ip(tls_cert *cert, const tls_cert *issuer, const void *bytes, size_t len);

/* A path in a folder of this program, which is removed at its end. */
const char *tls_path(const char *name);

/* Write a PEM file, and return its path. */
const char *tls_write_text(const char *name, const char *text);
const char *tls_write_cert(const char *name, const tls_cert *cert);
/* @param passphrase NULL = the key is not encrypted */
const char *tls_write_key(const char *name, const tls_cert *cert, const char *passphrase);

/* ---- the server ---- */

# define TLS_HEARD_MAX (128 * 1024)
# define TLS_SECRET_MAX 64

typedef struct tls_secret {
	unsigned char bytes[TLS_SECRET_MAX];
	size_t len;
} tls_secret;

typedef struct tls_server {
	SSL_CTX *context; /* owned */
	SSL *ssl;         /* owned; of the connection */
	/* The plain bytes that the client has sent on this connection. */
	char heard[TLS_HEARD_MAX];
	size_t heard_len;
	bool is_ended;  /* the client has sent close_notify */
	bool is_failed; /* reason says why */
	const char *reason;
	/* For tls_forge(). */
	tls_secret master;    /* TLS 1.2 */
	tls_secret handshake; /* TLS 1.3 */
	tls_secret traffic;   /* TLS 1.3 */
} tls_server;

/* @param version TLS1_2_VERSION or TLS1_3_VERSION, the only one that the server speaks; 0 = both */
void tls_server_open(tls_server *self, int version, const tls_cert *cert);
void tls_server_close(tls_server *self);

/* Shows this certificate from the next connection on. */
void tls_server_show(tls_server *self, const tls_cert *cert);

/* Wants client certificates of this CA. */
void tls_server_wants_client(tls_server *self, const tls_cert *ca);

/* Begins another connection. Its client can resume the sessions of earlier ones. */
void tls_server_accept(tls_server *self);

/* Takes bytes from the network, and goes on with the handshake or reads. */
void tls_server_feed(tls_server *self, const char *data, size_t len);

/* @return how many bytes for the network there were */
size_t tls_server_take(tls_server *self, char *out, size_t size);

void tls_server_says(tls_server *self, const char *data, size_t len);

/* The name that the client has sent; "" = none. */
const char *tls_server_name(const tls_server *self);

/* ---- forged records ---- */

typedef enum tls_forge_key {
	TLS_FORGE_PLAIN,     /* not encrypted */
	TLS_FORGE_HANDSHAKE, /* TLS 1.3: under the key of the handshake */
	TLS_FORGE_TRAFFIC,   /* under the key of the data */
} tls_forge_key;

enum { TLS_FORGE_ALERT = 21, TLS_FORGE_HANDSHAKE_MESSAGE = 22, TLS_FORGE_DATA = 23 };

# define TLS_FORGE_MAX 1024 /* bytes of content */
# define TLS_FORGE_OUT (TLS_FORGE_MAX + 64)

/* Makes a record in the server's name.
 * @param sequence how many records the server has encrypted with this key
 * @return its length */
size_t tls_forge(const tls_server *server, tls_forge_key key, uint64_t sequence, int type,
	const void *content, size_t len, char out[TLS_FORGE_OUT]);

/* CHECK_MAIN() of a program that needs OpenSSL. Without it the program has one test, which does
 * nothing. */
# define TLS_CHECK_MAIN(tests, clean_up) CHECK_MAIN(tests, clean_up)

#else

# define TLS_CHECK_MAIN(tests, clean_up) \
  static void openssl_is_left_out_of_this_build(void) \
  { \
  } \
  static const check_test tests[] = { \
	  TEST(openssl_is_left_out_of_this_build), \
  }; \
  CHECK_MAIN(tests, NULL)

#endif
#endif
