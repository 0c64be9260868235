/* SPDX-License-Identifier: MIT
 *
 * DESIGN
 *
 * OpenSSL reads and writes through a BIO of ours, whose two ends are the bytes that were fed and
 * the output. So a record costs no copy more than it must, and no system call.
 *
 * The input is borrowed: SSL_read() takes what the BIO has until it wants more, and keeps an
 * incomplete record itself. The output is one growing buffer. Neither direction ever makes OpenSSL
 * wait, so SSL_write() always seals what it gets.
 *
 * An alert that arrives before the first byte of application data means that the server has run no
 * command: with TLS 1.3 the client believes to be connected before the server has judged its
 * certificate, and the refusal comes in place of the first answer. Any other failure after the
 * handshake proves nothing: the answer may have been damaged, or memory may have run out here.
 */
#include "transport/rl_tls.h"

#ifdef RL_WITH_TLS

# include "transport/rl_buffer.h"
# include "transport/rl_tls_context.h"
# include "transport/rl_tls_error.h"

# include <arpa/inet.h>
# include <openssl/bio.h>
# include <openssl/err.h>
# include <openssl/ssl.h>
# include <openssl/x509v3.h>
# include <stdlib.h>
# include <string.h>

# define RECORD_MAX ((size_t) 16 * 1024)
# define SESSIONS_MAX 64
# define NAME_MAX_LEN 255

typedef struct session_entry {
	char *host; /* owned */
	uint16_t port;
	uint64_t version;     /* of the context whose files have verified the server */
	SSL_SESSION *session; /* owned */
} session_entry;

struct rl_tls_sessions {
	session_entry entries[SESSIONS_MAX];
	unsigned next; /* the entry that a new server replaces */
};

struct rl_tls {
	SSL *ssl;
	rl_tls_context *context; /* one reference */
	BIO_METHOD *method;
	const rl_address *address;  /* borrowed */
	rl_tls_sessions **sessions; /* borrowed */
	/* Borrowed: what was fed and is not used up. */
	rl_bytes in;
	rl_buffer out; /* sealed, and not sent yet */
	bool is_open;
	bool has_heard; /* a byte of TLS has arrived */
	bool has_data;  /* a byte of application data has arrived */
	bool has_ended; /* close_notify is sent, or in the output */
	bool has_failed;
	bool lacks_memory; /* the output could not grow */
	/* The names of a certificate that is for another server. */
	char names[RL_TLS_NAMES_TEXT];
};

/* ---- the two ends ---- */

static int end_read(BIO *bio, char *out, int size)
{
	rl_tls *tls = BIO_get_data(bio);
	size_t len = size < 0 ? 0 : (size_t) size;
	len = len < tls->in.len ? len : tls->in.len;
	BIO_clear_retry_flags(bio);
	if (len == 0) {
		BIO_set_retry_read(bio);
		return -1;
	}
	memcpy(out, tls->in.data, len);
	tls->in = rl_bytes_of(tls->in.data + len, tls->in.len - len);
	return (int) len;
}

static int end_write(BIO *bio, const char *data, int size)
{
	rl_tls *tls = BIO_get_data(bio);
	size_t len = size < 0 ? 0 : (size_t) size;
	BIO_clear_retry_flags(bio);
	if (!rl_buffer_append(&tls->out, data, len)) {
		tls->lacks_memory = true;
		return -1;
	}
	return size;
}

static long end_control(BIO *bio, int command, long number, void *pointer)
{
	(void) bio;
	(void) number;
	(void) pointer;
	return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *new_method(void)
{
	BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "redislock");
	if (method != NULL) {
		BIO_meth_set_read(method, end_read);
		BIO_meth_set_write(method, end_write);
		BIO_meth_set_ctrl(method, end_control);
	}
	return method;
}

/* Call before each call of OpenSSL that SSL_get_error() judges: it would take older errors for its
 * own. To clear an empty queue costs as much as to decrypt a short reply. */
static void forget_errors(void)
{
	if (ERR_peek_error() != 0) {
		ERR_clear_error();
	}
}

/* ---- sessions ---- */

static bool is_entry_of(const session_entry *entry, const rl_tls *tls)
{
	return entry->session != NULL && entry->port == tls->address->port &&
		entry->version == rl_tls_context_version(tls->context) &&
		strcmp(entry->host, tls->address->host) == 0;
}

static session_entry *find_entry(const rl_tls *tls)
{
	rl_tls_sessions *sessions = *tls->sessions;
	for (unsigned i = 0; sessions != NULL && i < SESSIONS_MAX; i++) {
		if (is_entry_of(&sessions->entries[i], tls)) {
			return &sessions->entries[i];
		}
	}
	return NULL;
}

static void clear_entry(session_entry *entry)
{
	SSL_SESSION_free(entry->session);
	free(entry->host);
	*entry = (session_entry){0};
}

static session_entry *add_entry(const rl_tls *tls)
{
	if (*tls->sessions == NULL) {
		*tls->sessions = calloc(1, sizeof(rl_tls_sessions));
	}
	rl_tls_sessions *sessions = *tls->sessions;
	char *host = strdup(tls->address->host);
	if (sessions == NULL || host == NULL) {
		free(host);
		return NULL;
	}
	session_entry *entry = &sessions->entries[sessions->next++ % SESSIONS_MAX];
	clear_entry(entry);
	entry->host = host;
	entry->port = tls->address->port;
	entry->version = rl_tls_context_version(tls->context);
	return entry;
}

/* See rl_tls_keep_session. */
static int keep_session(SSL *ssl, SSL_SESSION *session)
{
	const rl_tls *tls = SSL_get_app_data(ssl);
	session_entry *entry = find_entry(tls);
	if (entry == NULL) {
		entry = add_entry(tls);
	}
	if (entry == NULL) {
		return 0;
	}
	SSL_SESSION_free(entry->session);
	entry->session = session;
	return 1;
}

void rl_tls_sessions_free(rl_tls_sessions *sessions)
{
	for (unsigned i = 0; sessions != NULL && i < SESSIONS_MAX; i++) {
		clear_entry(&sessions->entries[i]);
	}
	free(sessions);
}

/* ---- verification ---- */

/* Keeps the names of a certificate that is for another server, for the message. With verify_peer
 * off, only a wrong name is an error. */
static int judge_certificate(int is_fine, X509_STORE_CTX *store)
{
	SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
	rl_tls *tls = SSL_get_app_data(ssl);
	int code = X509_STORE_CTX_get_error(store);
	bool is_name = code == X509_V_ERR_HOSTNAME_MISMATCH || code == X509_V_ERR_IP_ADDRESS_MISMATCH;
	if (!is_fine && is_name) {
		rl_tls_names_of(X509_STORE_CTX_get_current_cert(store), tls->names);
	}
	bool is_ignored = !is_name && !rl_tls_is_on(tls->address->tls, RL_TLS_VERIFY_PEER);
	if (!is_fine && is_ignored) {
		X509_STORE_CTX_set_error(store, X509_V_OK);
	}
	return is_fine || is_ignored;
}

/* The name that is verified and sent, without the dot that ends a complete domain name, and without
 * the zone of an IPv6 address: a certificate has neither. */
static void peer_name(const rl_address *address, char name[NAME_MAX_LEN + 1])
{
	const char *given = address->tls->values[RL_TLS_PEER_NAME];
	const char *from = given != NULL ? given : address->host;
	size_t len = strnlen(from, NAME_MAX_LEN);
	memcpy(name, from, len);
	name[len] = '\0';
	if (len > 1 && name[len - 1] == '.') {
		name[len - 1] = '\0';
	}
	if (strchr(name, ':') != NULL) {
		name[strcspn(name, "%")] = '\0';
	}
}

static bool is_literal(const char *name)
{
	unsigned char address[sizeof(struct in6_addr)];
	return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

static bool set_name(SSL *ssl, const rl_address *address)
{
	char name[NAME_MAX_LEN + 1];
	peer_name(address, name);
	bool is_ip = is_literal(name);
	bool must_verify = rl_tls_is_on(address->tls, RL_TLS_VERIFY_PEER_NAME);
	bool is_set = true;
	if (!is_ip && rl_tls_is_on(address->tls, RL_TLS_SNI_ENABLED)) {
		is_set = SSL_set_tlsext_host_name(ssl, name) == 1;
	}
	X509_VERIFY_PARAM *param = SSL_get0_param(ssl);
	X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	if (is_set && must_verify) {
		is_set = is_ip ? X509_VERIFY_PARAM_set1_ip_asc(param, name) == 1
					   : X509_VERIFY_PARAM_set1_host(param, name, 0) == 1;
	}
	return is_set;
}

/* Without both verifications nothing is asked of the certificate at all. */
static bool verifies(const rl_tls_options *options)
{
	return rl_tls_is_on(options, RL_TLS_VERIFY_PEER) ||
		rl_tls_is_on(options, RL_TLS_VERIFY_PEER_NAME);
}

/* ---- life ---- */

static bool attach(rl_tls *tls)
{
	BIO *bio = tls->method != NULL ? BIO_new(tls->method) : NULL;
	if (bio == NULL) {
		return false;
	}
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	SSL_set_bio(tls->ssl, bio, bio); /* takes the reference */
	return true;
}

static bool set_up(rl_tls *tls)
{
	SSL_CTX *shared = rl_tls_context_ssl(tls->context);
	tls->method = new_method();
	tls->ssl = SSL_new(shared);
	if (tls->ssl == NULL || !attach(tls) || SSL_set_app_data(tls->ssl, tls) != 1 ||
		!set_name(tls->ssl, tls->address)) {
		return false;
	}
	SSL_set_connect_state(tls->ssl);
	SSL_set_verify(tls->ssl, verifies(tls->address->tls) ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
		judge_certificate);
	const session_entry *entry = find_entry(tls);
	if (entry != NULL) {
		SSL_set_session(tls->ssl, entry->session);
	}
	return true;
}

rl_status rl_tls_prepare(const rl_tls_options *options, rl_error *err)
{
	rl_tls_context *context = rl_tls_context_get(options, keep_session, err);
	if (context == NULL) {
		return err->status;
	}
	rl_tls_context_unref(context);
	return RL_OK;
}

rl_tls *rl_tls_new(const rl_address *address, rl_tls_sessions **sessions, rl_error *err)
{
	rl_tls_context *context = rl_tls_context_get(address->tls, keep_session, err);
	if (context == NULL) {
		err->status = err->status == RL_ERR_ARGUMENT ? RL_ERR_TLS : err->status;
		return NULL;
	}
	rl_tls *tls = calloc(1, sizeof *tls);
	if (tls == NULL) {
		rl_tls_context_unref(context);
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return NULL;
	}
	*tls = (rl_tls){.context = context, .address = address, .sessions = sessions};
	size_t none;
	ERR_clear_error();
	if (!set_up(tls)) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "TLS cannot be set up: %s", rl_tls_reason());
		rl_tls_free(tls);
		return NULL;
	}
	if (rl_tls_read(tls, NULL, 0, &none, err) == RL_TLS_BROKEN) { /* makes the first bytes */
		rl_tls_free(tls);
		return NULL;
	}
	return tls;
}

void rl_tls_free(rl_tls *tls)
{
	if (tls == NULL) {
		return;
	}
	if (tls->ssl != NULL && !tls->has_failed) {
		/* Else OpenSSL would forbid to resume the session. */
		SSL_set_shutdown(tls->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
	}
	SSL_free(tls->ssl);
	BIO_meth_free(tls->method);
	rl_tls_context_unref(tls->context);
	rl_buffer_free(&tls->out);
	free(tls);
}

bool rl_tls_is_open(const rl_tls *tls)
{
	return tls->is_open && !tls->has_ended;
}

bool rl_tls_is_resumed(const rl_tls *tls)
{
	return SSL_session_reused(tls->ssl) == 1;
}

bool rl_tls_has_heard(const rl_tls *tls)
{
	return tls->has_heard;
}

/* ---- from the network ---- */

void rl_tls_feed(rl_tls *tls, const char *data, size_t len)
{
	tls->in = rl_bytes_of(data, len);
}

static rl_tls_result fail(rl_tls *tls, rl_error *err)
{
	tls->has_failed = true;
	tls->in = (rl_bytes){NULL, 0};
	unsigned long reason = rl_tls_take_reason();
	if (tls->lacks_memory || reason == 0) { /* OpenSSL gives a reason for every other failure */
		reason = ERR_PACK(ERR_LIB_SSL, 0, ERR_R_MALLOC_FAILURE);
	}
	/* Only an alert in place of the first answer proves that the server has run no command. */
	if (tls->is_open && (tls->has_data || !rl_tls_is_alert(reason))) {
		rl_tls_explain_break(reason, err);
		return RL_TLS_BROKEN;
	}
	char name[NAME_MAX_LEN + 1];
	peer_name(tls->address, name);
	rl_tls_explain(&(rl_tls_failure){.reason = reason,
					   .verify_result = SSL_get_verify_result(tls->ssl),
					   .options = tls->address->tls,
					   .name = name,
					   .names = tls->names},
		err);
	return RL_TLS_BROKEN;
}

/* What a call of OpenSSL that brought no bytes means. */
static rl_tls_result judge(rl_tls *tls, int returned, rl_error *err)
{
	switch (SSL_get_error(tls->ssl, returned)) {
		case SSL_ERROR_WANT_READ:
			return RL_TLS_NOTHING;
		case SSL_ERROR_ZERO_RETURN:
			return RL_TLS_ENDED;
		default:
			return fail(tls, err);
	}
}

/* After the handshake: whether SSL_read() could only ask for more bytes. Without read-ahead OpenSSL
 * decrypts each record as soon as it has all its bytes. */
static bool is_used_up(const rl_tls *tls)
{
	bool is_over = tls->has_failed || (SSL_get_shutdown(tls->ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
	return tls->is_open && !is_over && tls->in.len == 0 && SSL_pending(tls->ssl) == 0;
}

rl_tls_result rl_tls_read(rl_tls *tls, char *out, size_t size, size_t *got, rl_error *err)
{
	*got = 0;
	if (is_used_up(tls)) {
		return RL_TLS_NOTHING;
	}
	forget_errors();
	tls->has_heard = tls->has_heard || tls->in.len > 0;
	if (!tls->is_open) {
		int done = SSL_do_handshake(tls->ssl);
		if (done != 1) {
			return judge(tls, done, err);
		}
		tls->is_open = true;
	}
	if (size == 0) {
		return RL_TLS_NOTHING;
	}
	int read = SSL_read(tls->ssl, out, size > RECORD_MAX ? (int) RECORD_MAX : (int) size);
	if (read <= 0) {
		return judge(tls, read, err);
	}
	tls->has_data = true;
	*got = (size_t) read;
	return RL_TLS_DATA;
}

/* ---- to the network ---- */

size_t rl_tls_seal(rl_tls *tls, const char *data, size_t len)
{
	int sealed = SSL_write(tls->ssl, data, len > RECORD_MAX ? (int) RECORD_MAX : (int) len);
	if (sealed <= 0) {
		ERR_clear_error(); /* the caller knows the only reason */
		tls->has_failed = true;
		return 0;
	}
	return (size_t) sealed;
}

void rl_tls_end(rl_tls *tls)
{
	if (rl_tls_is_open(tls) && !tls->has_failed) {
		tls->has_ended = true;
		ERR_clear_error();
		SSL_shutdown(tls->ssl);
	}
}

rl_bytes rl_tls_output(const rl_tls *tls)
{
	return rl_buffer_bytes(&tls->out);
}

void rl_tls_sent(rl_tls *tls, size_t len)
{
	rl_buffer_take(&tls->out, len);
}

#else
typedef int rl_tls_is_left_out;
#endif
