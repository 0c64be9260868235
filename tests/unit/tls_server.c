/* SPDX-License-Identifier: MIT */
#include "tls_server.h"

#ifdef RL_WITH_TLS

# include <dirent.h>
# include <openssl/err.h>
# include <openssl/pem.h>
# include <openssl/x509v3.h>
# include <stdio.h>
# include <stdlib.h>
# include <string.h>
# include <unistd.h>

# define DAY (24L * 60 * 60)

/* ---- certificates ---- */

static EVP_PKEY *make_key(void)
{
	EVP_PKEY *key = NULL;
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
	CHECK(context != NULL && EVP_PKEY_keygen_init(context) == 1);
	CHECK(EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1);
	CHECK(EVP_PKEY_CTX_set_ec_param_enc(context, OPENSSL_EC_NAMED_CURVE) == 1);
	CHECK(EVP_PKEY_keygen(context, &key) == 1);
	EVP_PKEY_CTX_free(context);
	return key;
}

static void add_extension(X509 *x509, int nid, const char *value)
{
	X509V3_CTX context;
	X509V3_set_ctx(&context, x509, x509, NULL, NULL, 0);
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
	CHECK(extension != NULL && X509_add_ext(x509, extension, -1) == 1);
	X509_EXTENSION_free(extension);
}

static void set_names(X509 *x509, const tls_request *request)
{
	X509_NAME *name = X509_get_subject_name(x509);
	if (request->common_name != NULL) {
		CHECK(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
				  (const unsigned char *) request->common_name, -1, -1, 0) == 1);
	}
	X509 *issuer = request->issuer != NULL ? request->issuer->x509 : x509;
	CHECK(X509_set_issuer_name(x509, X509_get_subject_name(issuer)) == 1);
	if (request->names != NULL) {
		add_extension(x509, NID_subject_alt_name, request->names);
	}
	if (request->is_ca) {
		add_extension(x509, NID_basic_constraints, "critical,CA:TRUE");
	}
}

static void sign(tls_cert *cert, const tls_cert *issuer)
{
	EVP_PKEY *key = issuer != NULL ? issuer->key : cert->key;
	CHECK(X509_sign(cert->x509, key, EVP_sha256()) > 0);
}

tls_cert tls_cert_make(tls_request request)
{
	static long serial;
	tls_cert cert = {.x509 = X509_new(), .key = make_key()};
	long ends = request.ends != 0 ? request.ends : DAY;
	CHECK(cert.x509 != NULL && X509_set_version(cert.x509, 2) == 1);
	CHECK(ASN1_INTEGER_set(X509_get_serialNumber(cert.x509), ++serial) == 1);
	CHECK(X509_gmtime_adj(X509_getm_notBefore(cert.x509), request.begins) != NULL);
	CHECK(X509_gmtime_adj(X509_getm_notAfter(cert.x509), ends) != NULL);
	CHECK(X509_set_pubkey(cert.x509, cert.key) == 1);
	set_names(cert.x509, &request);
	sign(&cert, request.issuer);
	return cert;
}

void tls_cert_add_ip(tls_cert *cert, const tls_cert *issuer, const void *bytes, size_t len)
{
	GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
	GENERAL_NAME *name = GENERAL_NAME_new();
	ASN1_OCTET_STRING *address = ASN1_OCTET_STRING_new();
	CHECK(names != NULL && name != NULL && address != NULL);
	CHECK(ASN1_OCTET_STRING_set(address, bytes, (int) len) == 1);
	GENERAL_NAME_set0_value(name, GEN_IPADD, address);
	CHECK(sk_GENERAL_NAME_push(names, name) == 1);
	CHECK(X509_add1_ext_i2d(cert->x509, NID_subject_alt_name, names, 0, 0) == 1);
	GENERAL_NAMES_free(names);
	sign(cert, issuer);
}

void tls_cert_free(tls_cert *cert)
{
	X509_free(cert->x509);
	EVP_PKEY_free(cert->key);
	*cert = (tls_cert){NULL, NULL};
}

/* ---- files ---- */

static char folder[64];

static void remove_folder(void)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		unlink(tls_path(entry->d_name));
	}
	if (dir != NULL) {
		closedir(dir);
	}
	rmdir(folder);
}

const char *tls_path(const char *name)
{
	static char paths[8][256];
	static unsigned next;
	if (folder[0] == '\0') {
		strcpy(folder, "/tmp/rl-unit-tls-XXXXXX");
		CHECK(mkdtemp(folder) != NULL);
		atexit(remove_folder);
	}
	char *path = paths[next++ % 8];
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "w");
	CHECK(file != NULL);
	return file;
}

const char *tls_write_text(const char *name, const char *text)
{
	const char *path = tls_path(name);
	FILE *file = open_file(path);
	fputs(text, file);
	CHECK(fclose(file) == 0);
	return path;
}

const char *tls_write_cert(const char *name, const tls_cert *cert)
{
	const char *path = tls_path(name);
	FILE *file = open_file(path);
	CHECK(PEM_write_X509(file, cert->x509) == 1);
	CHECK(fclose(file) == 0);
	return path;
}

const char *tls_write_key(const char *name, const tls_cert *cert, const char *passphrase)
{
	const char *path = tls_path(name);
	FILE *file = open_file(path);
	const EVP_CIPHER *cipher = passphrase != NULL ? EVP_aes_128_cbc() : NULL;
	char secret[64]; /* OpenSSL 1.1.1 wants one that it may change */
	int len = snprintf(secret, sizeof secret, "%s", passphrase != NULL ? passphrase : "");
	CHECK(PEM_write_PKCS8PrivateKey(file, cert->key, cipher, secret, len, NULL, NULL) == 1);
	CHECK(fclose(file) == 0);
	return path;
}

/* ---- the server ---- */

static void read_hex(const char *from, size_t digits, tls_secret *secret)
{
	secret->len = 0;
	for (size_t i = 0; i + 1 < digits && secret->len < TLS_SECRET_MAX; i += 2) {
		unsigned byte = 0;
		sscanf(from + i, "%2x", &byte);
		secret->bytes[secret->len++] = (unsigned char) byte;
	}
}

/* OpenSSL gives "LABEL client-random secret". */
static void keep_secret(const SSL *ssl, const char *line)
{
	tls_server *self = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
	const char *secret = strrchr(line, ' ') + 1;
	const struct {
		const char *label;
		tls_secret *kept;
	} known[] = {{"CLIENT_RANDOM ", &self->master},
		{"SERVER_HANDSHAKE_TRAFFIC_SECRET ", &self->handshake},
		{"SERVER_TRAFFIC_SECRET_0 ", &self->traffic}};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (strncmp(line, known[i].label, strlen(known[i].label)) == 0) {
			read_hex(secret, strlen(secret), known[i].kept);
		}
	}
}

void tls_server_open(tls_server *self, int version, const tls_cert *cert)
{
	*self = (tls_server){.context = SSL_CTX_new(TLS_server_method())};
	CHECK(self->context != NULL);
	SSL_CTX_set_app_data(self->context, self);
	SSL_CTX_set_keylog_callback(self->context, keep_secret);
	CHECK(SSL_CTX_set_min_proto_version(self->context, version) == 1);
	CHECK(SSL_CTX_set_max_proto_version(self->context, version) == 1);
	/* The only ciphers that tls_forge() knows. */
	CHECK(SSL_CTX_set_cipher_list(self->context, "ECDHE-ECDSA-AES128-GCM-SHA256") == 1);
	CHECK(SSL_CTX_set_ciphersuites(self->context, "TLS_AES_128_GCM_SHA256") == 1);
	CHECK(SSL_CTX_set_session_id_context(self->context, (const unsigned char *) "rl", 2) == 1);
	tls_server_show(self, cert);
}

void tls_server_show(tls_server *self, const tls_cert *cert)
{
	CHECK(SSL_CTX_use_certificate(self->context, cert->x509) == 1);
	CHECK(SSL_CTX_use_PrivateKey(self->context, cert->key) == 1);
}

void tls_server_wants_client(tls_server *self, const tls_cert *ca)
{
	X509_STORE_add_cert(SSL_CTX_get_cert_store(self->context), ca->x509);
	SSL_CTX_set_verify(self->context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
}

/* Without this, OpenSSL would forbid to resume the session. */
static void free_connection(tls_server *self)
{
	if (self->ssl != NULL) {
		SSL_set_shutdown(self->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
		SSL_free(self->ssl);
		self->ssl = NULL;
	}
}

void tls_server_close(tls_server *self)
{
	free_connection(self);
	SSL_CTX_free(self->context);
	self->context = NULL;
}

void tls_server_accept(tls_server *self)
{
	free_connection(self);
	self->heard_len = 0;
	self->is_ended = false;
	self->is_failed = false;
	self->reason = NULL;
	self->ssl = SSL_new(self->context);
	BIO *in = BIO_new(BIO_s_mem());
	BIO *out = BIO_new(BIO_s_mem());
	CHECK(self->ssl != NULL && in != NULL && out != NULL);
	SSL_set_bio(self->ssl, in, out);
	SSL_set_accept_state(self->ssl);
}

static void judge(tls_server *self, int returned)
{
	switch (SSL_get_error(self->ssl, returned)) {
		case SSL_ERROR_WANT_READ:
			break;
		case SSL_ERROR_ZERO_RETURN:
			self->is_ended = true;
			break;
		default:
			self->is_failed = true;
			self->reason = ERR_reason_error_string(ERR_peek_error());
			break;
	}
}

static void go_on(tls_server *self)
{
	ERR_clear_error();
	if (self->is_failed || self->is_ended) {
		return;
	}
	if (!SSL_is_init_finished(self->ssl)) {
		int done = SSL_do_handshake(self->ssl);
		if (done != 1) {
			judge(self, done);
			return;
		}
	}
	int got;
	do {
		size_t room = sizeof self->heard - self->heard_len;
		CHECK(room > 0);
		got = SSL_read(self->ssl, self->heard + self->heard_len, (int) room);
		self->heard_len += got > 0 ? (size_t) got : 0;
	} while (got > 0);
	judge(self, got);
}

void tls_server_feed(tls_server *self, const char *data, size_t len)
{
	CHECK(len == 0 || BIO_write(SSL_get_rbio(self->ssl), data, (int) len) == (int) len);
	go_on(self);
}

size_t tls_server_take(tls_server *self, char *out, size_t size)
{
	int got = BIO_read(SSL_get_wbio(self->ssl), out, (int) size);
	return got > 0 ? (size_t) got : 0;
}

void tls_server_says(tls_server *self, const char *data, size_t len)
{
	CHECK(SSL_write(self->ssl, data, (int) len) == (int) len);
}

const char *tls_server_name(const tls_server *self)
{
	const char *name = SSL_get_servername(self->ssl, TLSEXT_NAMETYPE_host_name);
	return name != NULL ? name : "";
}

#else
typedef int tls_server_is_left_out;
#endif
