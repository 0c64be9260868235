/* SPDX-License-Identifier: MIT
 *
 * Records under the keys of a server, with AES-128-GCM: OpenSSL has no call that sends any alert or
 * any message. RFC 8446, 5.2 and 7.1; RFC 5246, 5 and 6.3; RFC 5288.
 */
#include "tls_server.h"

#ifdef RL_WITH_TLS

# include <openssl/hmac.h>
# include <string.h>

# define HASH 32 /* bytes of SHA-256 */
# define KEY 16
# define IV 12
# define TAG 16
# define HEADER 5

static void hmac(const unsigned char *key, size_t key_len, const unsigned char *data, size_t len,
	unsigned char out[HASH])
{
	CHECK(HMAC(EVP_sha256(), key, (int) key_len, data, len, out, NULL) != NULL);
}

/* ---- keys ---- */

/* HKDF-Expand-Label of TLS 1.3, without a context and for one block. */
static void expand(const tls_secret *secret, const char *label, size_t len, unsigned char *out)
{
	unsigned char info[64];
	unsigned char block[HASH];
	size_t label_len = strlen(label);
	info[0] = 0;
	info[1] = (unsigned char) len;
	info[2] = (unsigned char) label_len;
	memcpy(info + 3, label, label_len);
	info[3 + label_len] = 0; /* no context */
	info[4 + label_len] = 1; /* the first block */
	hmac(secret->bytes, secret->len, info, 5 + label_len, block);
	memcpy(out, block, len);
}

/* The key block of TLS 1.2, of which 40 bytes are used: two keys, and the salts of two nonces. */
static void expand_master(const tls_server *server, unsigned char block[2 * HASH])
{
	static const char label[] = "key expansion";
	unsigned char seed[HASH + sizeof label - 1 + 64];
	unsigned char *random = seed + HASH + sizeof label - 1;
	const tls_secret *master = &server->master;
	memcpy(seed + HASH, label, sizeof label - 1);
	CHECK(SSL_get_server_random(server->ssl, random, 32) == 32);
	CHECK(SSL_get_client_random(server->ssl, random + 32, 32) == 32);
	/* A(1) is the HMAC of the seed, A(2) that of A(1). */
	hmac(master->bytes, master->len, seed + HASH, sizeof seed - HASH, seed);
	hmac(master->bytes, master->len, seed, sizeof seed, block);
	hmac(master->bytes, master->len, seed, HASH, seed);
	hmac(master->bytes, master->len, seed, sizeof seed, block + HASH);
}

/* ---- records ---- */

static void set_header(char *out, int type, size_t len)
{
	out[0] = (char) type;
	out[1] = 3;
	out[2] = 3;
	out[3] = (char) (len >> 8);
	out[4] = (char) len;
}

static void set_number(unsigned char *out, uint64_t number)
{
	for (unsigned i = 0; i < 8; i++) {
		out[i] = (unsigned char) (number >> (56 - 8 * i));
	}
}

/* @return the length of what is encrypted, with its tag */
static size_t encrypt(const unsigned char *key, const unsigned char *nonce,
	const unsigned char *header, size_t header_len, const unsigned char *plain, size_t len,
	unsigned char *out)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int written;
	CHECK(EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), NULL, key, nonce) == 1);
	CHECK(EVP_EncryptUpdate(context, NULL, &written, header, (int) header_len) == 1);
	CHECK(EVP_EncryptUpdate(context, out, &written, plain, (int) len) == 1);
	CHECK(EVP_EncryptFinal_ex(context, out + len, &written) == 1);
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, TAG, out + len) == 1);
	EVP_CIPHER_CTX_free(context);
	return len + TAG;
}

/* TLS 1.3: the type stands after the content, and is encrypted, too. */
static size_t forge_hidden(const tls_secret *secret, uint64_t sequence, int type,
	const void *content, size_t len, char *out)
{
	unsigned char plain[TLS_FORGE_MAX + 1];
	unsigned char key[KEY], nonce[IV], number[8];
	expand(secret, "tls13 key", sizeof key, key);
	expand(secret, "tls13 iv", sizeof nonce, nonce);
	set_number(number, sequence);
	for (unsigned i = 0; i < 8; i++) {
		nonce[IV - 8 + i] ^= number[i];
	}
	memcpy(plain, content, len);
	plain[len] = (unsigned char) type;
	set_header(out, TLS_FORGE_DATA, len + 1 + TAG);
	return HEADER +
		encrypt(key, nonce, (unsigned char *) out, HEADER, plain, len + 1,
			(unsigned char *) out + HEADER);
}

/* TLS 1.2: the record begins with the part of the nonce that is not secret. */
static size_t forge_older(const tls_server *server, uint64_t sequence, int type,
	const void *content, size_t len, char *out)
{
	unsigned char block[2 * HASH], nonce[IV], header[8 + HEADER];
	expand_master(server, block);
	memcpy(nonce, block + 2 * KEY + 4, 4);
	set_number(nonce + 4, sequence);
	set_number(header, sequence);
	set_header((char *) header + 8, type, len);
	set_header(out, type, 8 + len + TAG);
	memcpy(out + HEADER, nonce + 4, 8);
	return HEADER + 8 +
		encrypt(block + KEY, nonce, header, sizeof header, content, len,
			(unsigned char *) out + HEADER + 8);
}

size_t tls_forge(const tls_server *server, tls_forge_key key, uint64_t sequence, int type,
	const void *content, size_t len, char out[TLS_FORGE_OUT])
{
	CHECK(len <= TLS_FORGE_MAX);
	if (key == TLS_FORGE_PLAIN) {
		set_header(out, type, len);
		memcpy(out + HEADER, content, len);
		return HEADER + len;
	}
	if (SSL_version(server->ssl) == TLS1_2_VERSION) {
		return forge_older(server, sequence, type, content, len, out);
	}
	const tls_secret *secret = key == TLS_FORGE_HANDSHAKE ? &server->handshake : &server->traffic;
	return forge_hidden(secret, sequence, type, content, len, out);
}

#else
typedef int tls_forge_is_left_out;
#endif
