/* SPDX-License-Identifier: MIT */
#include "transport/rl_tls_context.h"

#ifdef RL_WITH_TLS

# include "transport/rl_os.h"

# include <dirent.h>
# include <errno.h>
# include <openssl/err.h>
# include <openssl/ssl.h>
# include <openssl/x509.h>
# include <pthread.h>
# include <stdlib.h>
# include <string.h>
# include <sys/stat.h>
# include <unistd.h>

/* The most sets of options that the list keeps. The one that was used least recently goes first. */
# define CONTEXTS_MAX 32

# define STAMPS 4

/* What tells whether a file has changed. Its time alone does not: two changes may fall into the
 * same tick of the file system's clock. */
typedef struct stamp {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
} stamp;

struct rl_tls_context {
	rl_tls_context *next;
	unsigned refs; /* guarded by the mutex; one is the list's */
	uint64_t version;
	rl_tls_options *options; /* owned */
	stamp stamps[STAMPS];
	SSL_CTX *ssl; /* owned */
};

static struct {
	pthread_mutex_t mutex;
	rl_tls_context *newest; /* the one that was used last */
	uint64_t versions;
} contexts = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void lock(void)
{
	if (pthread_mutex_lock(&contexts.mutex) != 0) {
		abort();
	}
}

static void unlock(void)
{
	if (pthread_mutex_unlock(&contexts.mutex) != 0) {
		abort();
	}
}

const char *rl_tls_version(void)
{
	return OpenSSL_version(OPENSSL_VERSION);
}

const char *rl_tls_compiled_version(void)
{
	return OPENSSL_VERSION_TEXT;
}

const char *rl_tls_reason(void)
{
	unsigned long code = ERR_peek_error();
	const char *reason = ERR_reason_error_string(code);
	ERR_clear_error();
	return reason != NULL ? reason : "no reason is known";
}

/* ---- files ---- */

/* The files and the folder that the options name. */
static void take_stamps(const rl_tls_options *options, stamp *stamps)
{
	static const rl_tls_option files[STAMPS] = {
		RL_TLS_CAFILE, RL_TLS_CAPATH, RL_TLS_LOCAL_CERT, RL_TLS_LOCAL_PK};
	memset(stamps, 0, STAMPS * sizeof *stamps);
	for (unsigned i = 0; i < STAMPS; i++) {
		const char *path = options->values[files[i]];
		struct stat found;
		if (path != NULL && stat(path, &found) == 0) {
			stamps[i].device = found.st_dev;
			stamps[i].inode = found.st_ino;
			stamps[i].size = found.st_size;
			stamps[i].changed = found.st_mtim;
		}
	}
}

static bool is_readable(const rl_tls_options *options, rl_tls_option option, rl_error *err)
{
	const char *path = options->values[option];
	if (path == NULL || access(path, R_OK) == 0) {
		return true;
	}
	int code = errno;
	char text[128];
	rl_error_set(err, RL_ERR_ARGUMENT, code, "the TLS option %s: cannot read %s: %s",
		rl_tls_option_name(option), path, rl_os_error_text(code, text, sizeof text));
	return false;
}

/* OpenSSL would take any path for a folder, and find no certificate there. */
static bool is_folder(const rl_tls_options *options, rl_tls_option option, rl_error *err)
{
	const char *path = options->values[option];
	struct stat found;
	if (path == NULL || (stat(path, &found) == 0 && S_ISDIR(found.st_mode))) {
		return true;
	}
	rl_error_set(err, RL_ERR_ARGUMENT, 0, "the TLS option %s: %s is not a folder",
		rl_tls_option_name(option), path);
	return false;
}

static bool fail(rl_error *err, rl_tls_option option, const char *what)
{
	rl_error_set(err, RL_ERR_ARGUMENT, 0, "the TLS option %s: %s: %s", rl_tls_option_name(option),
		what, rl_tls_reason());
	return false;
}

/* ---- trusted certificates ---- */

/* True when the folder has files that are named by the hash of a certificate: OpenSSL then reads
 * only the file that it needs. */
static bool has_hashed_files(const char *folder)
{
	DIR *dir = opendir(folder);
	bool is_hashed = false;
	const struct dirent *entry;
	while (dir != NULL && !is_hashed && (entry = readdir(dir)) != NULL) {
		is_hashed = strspn(entry->d_name, "0123456789abcdef") == 8 && entry->d_name[8] == '.';
	}
	if (dir != NULL) {
		closedir(dir);
	}
	return is_hashed;
}

/* The file with all certificates of the system; NULL = there is none. */
static const char *find_bundle(void)
{
	const char *candidates[] = {X509_get_default_cert_file(),
		"/etc/ssl/certs/ca-certificates.crt", /* Debian, Alpine, Arch */
		"/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora */
		"/etc/ssl/cert.pem"};                 /* Alpine, BSD, macOS */
	for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
		if (access(candidates[i], R_OK) == 0) {
			return candidates[i];
		}
	}
	return NULL;
}

/* Trusts what the system trusts. A bundle takes some 45 ms, a folder of hashed files nothing. */
static bool trust_system(SSL_CTX *ssl, rl_error *err)
{
	const char *file = getenv(X509_get_default_cert_file_env());
	const char *folder = getenv(X509_get_default_cert_dir_env());
	if (file == NULL && folder == NULL) {
		folder = X509_get_default_cert_dir();
		if (!has_hashed_files(folder)) {
			folder = NULL;
			file = find_bundle();
		}
	}
	if ((file == NULL && folder == NULL) || SSL_CTX_load_verify_locations(ssl, file, folder) == 1) {
		return true; /* without any certificate each handshake fails, and says why */
	}
	rl_error_set(err, RL_ERR_ARGUMENT, 0,
		"the system's trusted certificates cannot be read (the variables SSL_CERT_FILE and "
		"SSL_CERT_DIR name others); name a file by the TLS option cafile");
	ERR_clear_error();
	return false;
}

static bool trust(SSL_CTX *ssl, const rl_tls_options *options, rl_error *err)
{
	const char *file = options->values[RL_TLS_CAFILE];
	const char *folder = options->values[RL_TLS_CAPATH];
	if (!rl_tls_is_on(options, RL_TLS_VERIFY_PEER)) {
		return true;
	}
	if (file == NULL && folder == NULL) {
		return trust_system(ssl, err);
	}
	if (!is_readable(options, RL_TLS_CAFILE, err) || !is_readable(options, RL_TLS_CAPATH, err) ||
		!is_folder(options, RL_TLS_CAPATH, err)) {
		return false;
	}
	return SSL_CTX_load_verify_locations(ssl, file, folder) == 1 ||
		fail(err, file != NULL ? RL_TLS_CAFILE : RL_TLS_CAPATH, "it has no usable certificate");
}

/* ---- the client's certificate ---- */

/* Without it OpenSSL would ask on the terminal. */
static int give_passphrase(char *out, int size, int is_writing, void *passphrase)
{
	(void) is_writing;
	size_t len = passphrase != NULL ? strlen(passphrase) : 0;
	if (size < 0 || len > (size_t) size) {
		return -1;
	}
	memcpy(out, passphrase != NULL ? passphrase : "", len);
	return (int) len;
}

/* OpenSSL notices a key of the wrong certificate when it takes the key, and a key of the wrong kind
 * when it is asked. */
static bool load_key(SSL_CTX *ssl, const rl_tls_options *options, rl_error *err)
{
	rl_tls_option from =
		options->values[RL_TLS_LOCAL_PK] != NULL ? RL_TLS_LOCAL_PK : RL_TLS_LOCAL_CERT;
	bool is_taken = SSL_CTX_use_PrivateKey_file(ssl, options->values[from], SSL_FILETYPE_PEM) == 1;
	if (is_taken && SSL_CTX_check_private_key(ssl) == 1) {
		return true;
	}
	unsigned long code = ERR_peek_error();
	bool is_other =
		ERR_GET_LIB(code) == ERR_LIB_X509 && ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH;
	if (is_taken || is_other) {
		return fail(err, from, "the key does not belong to the certificate in local_cert");
	}
	return fail(err, from,
		options->values[RL_TLS_PASSPHRASE] != NULL
			? "the key cannot be used, or the passphrase is wrong"
			: "the key cannot be used; if it is encrypted, give the option passphrase");
}

static bool load_certificate(SSL_CTX *ssl, const rl_tls_options *options, rl_error *err)
{
	const char *path = options->values[RL_TLS_LOCAL_CERT];
	if (path == NULL) {
		return true;
	}
	if (!is_readable(options, RL_TLS_LOCAL_CERT, err) ||
		!is_readable(options, RL_TLS_LOCAL_PK, err)) {
		return false;
	}
	if (SSL_CTX_use_certificate_chain_file(ssl, path) != 1) {
		return fail(err, RL_TLS_LOCAL_CERT, "it has no usable certificate");
	}
	return load_key(ssl, options, err);
}

/* ---- making ---- */

static bool fill(SSL_CTX *ssl, const rl_tls_options *options, rl_error *err)
{
	const char *version = options->values[RL_TLS_MIN_VERSION];
	const char *ciphers = options->values[RL_TLS_CIPHERS];
	bool is_newest = version != NULL && strcmp(version, "1.3") == 0;
	SSL_CTX_set_min_proto_version(ssl, is_newest ? TLS1_3_VERSION : TLS1_2_VERSION);
	SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	/* Without SSL_MODE_RELEASE_BUFFERS: it saves 34 KB for an idle connection, but allocates and
	 * frees them for each command and each reply. */
	SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_session_cache_mode(
		ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL | SSL_SESS_CACHE_NO_AUTO_CLEAR);
	if (ciphers != NULL && SSL_CTX_set_cipher_list(ssl, ciphers) != 1) {
		return fail(err, RL_TLS_CIPHERS, "OpenSSL knows none of them");
	}
	SSL_CTX_set_default_passwd_cb(ssl, give_passphrase);
	SSL_CTX_set_default_passwd_cb_userdata(ssl, options->values[RL_TLS_PASSPHRASE]);
	bool is_filled = trust(ssl, options, err) && load_certificate(ssl, options, err);
	SSL_CTX_set_default_passwd_cb_userdata(ssl, NULL);
	return is_filled;
}

static void free_context(rl_tls_context *context)
{
	SSL_CTX_free(context->ssl);
	rl_tls_options_free(context->options);
	free(context);
}

/* Reads the files. The caller does not hold the mutex. */
static rl_tls_context *make(
	const rl_tls_options *options, rl_tls_keep_session *keep_session, rl_error *err)
{
	ERR_clear_error();
	rl_tls_context *context = calloc(1, sizeof *context);
	if (context == NULL) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return NULL;
	}
	/* The stamps come first: a file that changes while it is read has changed again. */
	take_stamps(options, context->stamps);
	context->options = rl_tls_options_copy(options);
	context->ssl = SSL_CTX_new(TLS_client_method());
	if (context->options == NULL || context->ssl == NULL) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		free_context(context);
		return NULL;
	}
	if (!fill(context->ssl, options, err)) {
		free_context(context);
		return NULL;
	}
	SSL_CTX_sess_set_new_cb(context->ssl, keep_session);
	return context;
}

/* ---- the list ---- */

/* The place in the list; *place is NULL when there is none. The caller holds the mutex. */
static rl_tls_context **find(const rl_tls_options *options)
{
	rl_tls_context **place = &contexts.newest;
	while (*place != NULL && !rl_tls_options_equal((*place)->options, options)) {
		place = &(*place)->next;
	}
	return place;
}

/* The caller holds the mutex. */
static void unref(rl_tls_context *context)
{
	if (--context->refs == 0) {
		free_context(context);
	}
}

/* Takes it out of the list. The caller holds the mutex. */
static rl_tls_context *take_out(rl_tls_context **place)
{
	rl_tls_context *context = *place;
	*place = context->next;
	return context;
}

static void put_first(rl_tls_context *context)
{
	context->next = contexts.newest;
	contexts.newest = context;
}

static void drop_oldest(void)
{
	unsigned count = 0;
	rl_tls_context **place = &contexts.newest;
	while (*place != NULL && ++count <= CONTEXTS_MAX) {
		place = &(*place)->next;
	}
	if (*place != NULL) {
		unref(take_out(place));
	}
}

/* A reference to the context of the list; NULL = there is none. */
static rl_tls_context *use(const rl_tls_options *options)
{
	lock();
	rl_tls_context **place = find(options);
	rl_tls_context *context = *place;
	if (context != NULL) {
		context->refs++;
		take_out(place);
		put_first(context);
	}
	unlock();
	return context;
}

/* Puts a new context into the list, in the place of an older one. */
static void keep(rl_tls_context *context)
{
	lock();
	rl_tls_context **place = find(context->options);
	if (*place != NULL) {
		unref(take_out(place));
	}
	context->version = ++contexts.versions;
	context->refs = 2; /* the list's and the caller's */
	put_first(context);
	drop_oldest();
	unlock();
}

void rl_tls_context_unref(rl_tls_context *context)
{
	if (context != NULL) {
		lock();
		unref(context);
		unlock();
	}
}

rl_tls_context *rl_tls_context_get(
	const rl_tls_options *options, rl_tls_keep_session *keep_session, rl_error *err)
{
	rl_tls_context *old = use(options);
	if (old != NULL) {
		stamp stamps[STAMPS];
		take_stamps(options, stamps);
		if (memcmp(stamps, old->stamps, sizeof stamps) == 0) {
			return old;
		}
	}
	rl_tls_context *made = make(options, keep_session, err);
	if (made == NULL) {
		return old; /* NULL, or what the files were before */
	}
	rl_tls_context_unref(old);
	keep(made);
	return made;
}

uint64_t rl_tls_context_version(const rl_tls_context *context)
{
	return context->version;
}

SSL_CTX *rl_tls_context_ssl(const rl_tls_context *context)
{
	return context->ssl;
}

unsigned rl_tls_weak_contexts(void)
{
	unsigned count = 0;
	lock();
	for (const rl_tls_context *context = contexts.newest; context != NULL;
		 context = context->next) {
		count += !rl_tls_is_on(context->options, RL_TLS_VERIFY_PEER) ||
			!rl_tls_is_on(context->options, RL_TLS_VERIFY_PEER_NAME);
	}
	unlock();
	return count;
}

/* ---- life ---- */

static void watch_forks(void)
{
	pthread_atfork(lock, unlock, unlock);
}

/* If the handlers were registered twice, a fork would lock the mutex twice. */
void rl_tls_set_up(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, watch_forks);
}

void rl_tls_tear_down(void)
{
	lock();
	while (contexts.newest != NULL) {
		unref(take_out(&contexts.newest));
	}
	unlock();
}

#else
typedef int rl_tls_context_is_left_out;
#endif
