/* SPDX-License-Identifier: MIT
 *
 * The contexts of TLS: files that are missing, wrong or changed, and threads that share contexts.
 */
#include "tls_pair.h"

#ifdef RL_WITH_TLS

# include <fcntl.h>
# include <openssl/x509.h>
# include <pthread.h>
# include <stdatomic.h>
# include <stdio.h>
# include <stdlib.h>
# include <sys/stat.h>
# include <sys/wait.h>
# include <unistd.h>

static tls_cert client_cert;
static tls_cert other_cert;
static rl_tls_context *held;

static void clean_up(void)
{
	rl_tls_context_unref(held);
	held = NULL;
	pair_end();
	tls_cert_free(&client_cert);
	tls_cert_free(&other_cert);
	unsetenv("SSL_CERT_FILE");
	unsetenv("SSL_CERT_DIR");
}

static void begin(void)
{
	pair_begin(TLS1_3_VERSION);
	tls_cert_free(&client_cert);
	client_cert = tls_cert_make((tls_request){.common_name = "client", .issuer = &pair_ca});
	tls_write_cert("client.pem", &client_cert);
	tls_write_key("client.key", &client_cert, NULL);
}

static void give_client(const char *cert, const char *key)
{
	pair_set("local_cert", tls_path(cert));
	if (key != NULL) {
		pair_set("local_pk", tls_path(key));
	}
}

static void check_wrong(const char *part)
{
	memset(&pair_err, 0, sizeof pair_err);
	CHECK_INT(rl_tls_prepare(pair_address.tls, &pair_err), RL_ERR_ARGUMENT);
	CHECK_INT(pair_err.status, RL_ERR_ARGUMENT);
	CHECK_HAS(pair_err.message, part);
	/* An operation then fails to connect. */
	CHECK(!pair_dial());
	CHECK_INT(pair_err.status, RL_ERR_TLS);
	CHECK_HAS(pair_err.message, part);
}

static uint64_t version(void)
{
	rl_error err = {.message = ""};
	rl_tls_context *context = rl_tls_context_get(pair_address.tls, NULL, &err);
	CHECK(context != NULL);
	uint64_t found = rl_tls_context_version(context);
	rl_tls_context_unref(context);
	return found;
}

/* ---- files ---- */

static void the_version_of_openssl_is_known(void)
{
	CHECK_HAS(rl_tls_version(), "OpenSSL ");
	CHECK_HAS(rl_tls_compiled_version(), "OpenSSL ");
}

static void a_missing_file_is_named(void)
{
	static const char *const options[] = {"cafile", "capath", "local_cert"};
	for (unsigned i = 0; i < 3; i++) {
		char wanted[200];
		begin();
		pair_unset_all();
		pair_set(options[i], "/no/such/file");
		snprintf(wanted, sizeof wanted,
			"the TLS option %s: cannot read /no/such/file: No such file or directory", options[i]);
		check_wrong(wanted);
	}
	begin();
	give_client("client.pem", "missing.key");
	check_wrong("the TLS option local_pk: cannot read /tmp/");
}

/* Root may read every file, so another user looks. */
static void an_unreadable_file_is_named(void)
{
	begin();
	chmod(tls_path("ca.pem"), 0);
	pid_t child = fork();
	if (child == 0) {
		bool is_other = getuid() != 0 || setuid(65534) == 0;
		rl_status status = rl_tls_prepare(pair_address.tls, &pair_err);
		bool is_named = status == RL_ERR_ARGUMENT &&
			strstr(pair_err.message, "the TLS option cafile: cannot read") != NULL &&
			strstr(pair_err.message, "Permission denied") != NULL;
		_exit(!is_other || is_named ? 0 : 1);
	}
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
}

static void a_file_must_have_a_certificate(void)
{
	begin();
	tls_write_text("ca.pem", "no certificate\n");
	check_wrong("the TLS option cafile: it has no usable certificate: ");
	tls_write_text("ca.pem", "");
	check_wrong("the TLS option cafile: it has no usable certificate: ");
	tls_write_key("ca.pem", &pair_ca, NULL);
	check_wrong("the TLS option cafile: it has no usable certificate: ");
	begin();
	tls_write_text("client.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
	give_client("client.pem", "client.key");
	check_wrong("the TLS option local_cert: it has no usable certificate: ");
}

static void the_key_must_be_usable(void)
{
	begin();
	tls_write_text("client.key", "no key\n");
	give_client("client.pem", "client.key");
	check_wrong("the TLS option local_pk: the key cannot be used; if it is encrypted, give the "
				"option passphrase: ");
	begin();
	give_client("client.pem", NULL); /* then the key must be in the same file */
	check_wrong("the TLS option local_cert: the key cannot be used; if it is encrypted, ");
}

# define ED25519_KEY \
  "-----BEGIN PRIVATE KEY-----\n" \
  "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n" \
  "-----END PRIVATE KEY-----\n"

static void the_key_must_fit_the_certificate(void)
{
	begin();
	tls_write_key("client.key", &pair_cert, NULL);
	give_client("client.pem", "client.key");
	check_wrong("the TLS option local_pk: the key does not belong to the certificate in "
				"local_cert: ");
	/* A key of another kind. */
	tls_write_text("client.key", ED25519_KEY);
	check_wrong("the TLS option local_pk: the key does not belong to the certificate in "
				"local_cert: ");
}

static void append_file(const char *to, const char *from)
{
	FILE *in = fopen(tls_path(from), "r");
	FILE *out = fopen(tls_path(to), "a");
	CHECK(in != NULL && out != NULL);
	for (int byte = fgetc(in); byte != EOF; byte = fgetc(in)) {
		fputc(byte, out);
	}
	fclose(in);
	fclose(out);
}

static void the_key_may_follow_the_certificate(void)
{
	begin();
	append_file("client.pem", "client.key");
	give_client("client.pem", NULL);
	tls_server_wants_client(&pair_server, &pair_ca);
	pair_open();
	pair_talk();
}

static void the_chain_of_the_client_is_sent(void)
{
	begin();
	tls_cert middle =
		tls_cert_make((tls_request){.common_name = "middle", .issuer = &pair_ca, .is_ca = true});
	other_cert = tls_cert_make((tls_request){.common_name = "client", .issuer = &middle});
	tls_write_cert("client.pem", &other_cert);
	tls_write_key("client.key", &other_cert, NULL);
	tls_write_cert("middle.pem", &middle);
	tls_cert_free(&middle);
	append_file("client.pem", "middle.pem");
	give_client("client.pem", "client.key");
	tls_server_wants_client(&pair_server, &pair_ca);
	pair_open();
	pair_talk();
}

/* Without the passphrase OpenSSL would ask for it on the terminal. */
static void a_key_may_be_encrypted(void)
{
	begin();
	tls_server_wants_client(&pair_server, &pair_ca);
	tls_write_key("client.key", &client_cert, "open sesame");
	give_client("client.pem", "client.key");
	check_wrong("the TLS option local_pk: the key cannot be used; if it is encrypted, give the "
				"option passphrase: ");
	pair_set("passphrase", "open barley");
	check_wrong("the TLS option local_pk: the key cannot be used, or the passphrase is wrong: ");
	CHECK(strstr(pair_err.message, "barley") == NULL);
	pair_unset_all();
	pair_set("cafile", tls_path("ca.pem"));
	give_client("client.pem", "client.key");
	pair_set("passphrase", "open sesame");
	pair_open();
	pair_talk();
}

/* A child whose terminal is the slave reads the key. */
static pid_t read_key_at(int master)
{
	char name[100];
	CHECK(grantpt(master) == 0 && unlockpt(master) == 0);
	CHECK(ptsname_r(master, name, sizeof name) == 0);
	pid_t child = fork();
	if (child == 0) {
		alarm(5);
		setsid();
		int slave = open(name, O_RDWR); /* becomes the terminal of the session */
		rl_status status = rl_tls_prepare(pair_address.tls, &pair_err);
		_exit(slave >= 0 && status == RL_ERR_ARGUMENT ? 0 : 1);
	}
	return child;
}

static void no_passphrase_is_asked_for_on_the_terminal(void)
{
	char shown[100];
	int status = -1;
	begin();
	tls_write_key("client.key", &client_cert, "open sesame");
	give_client("client.pem", "client.key");
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0) {
		printf("without a pseudo terminal, the next test shows nothing\n");
		return;
	}
	pid_t child = read_key_at(master);
	CHECK(waitpid(child, &status, 0) == child);
	fcntl(master, F_SETFL, O_NONBLOCK);
	ssize_t got = read(master, shown, sizeof shown);
	close(master);
	CHECK_INT(status, 0);
	CHECK(got <= 0);
}

static void a_passphrase_may_be_too_long_for_openssl(void)
{
	char passphrase[5000];
	begin();
	memset(passphrase, 'x', sizeof passphrase);
	passphrase[sizeof passphrase - 1] = '\0';
	tls_write_key("client.key", &client_cert, "x");
	give_client("client.pem", "client.key");
	pair_set("passphrase", passphrase);
	check_wrong("the passphrase is wrong");
}

/* ---- trust ---- */

static void hash_into(const char *folder)
{
	char name[100];
	mkdir(tls_path(folder), 0700);
	snprintf(name, sizeof name, "%s/%08lx.0", folder, X509_subject_name_hash(pair_ca.x509));
	tls_write_cert(name, &pair_ca);
}

static void empty_folder(const char *folder)
{
	char name[100];
	snprintf(name, sizeof name, "%s/%08lx.0", folder, X509_subject_name_hash(pair_ca.x509));
	unlink(tls_path(name));
	rmdir(tls_path(folder));
}

static void a_folder_of_certificates_is_trusted(void)
{
	begin();
	pair_unset_all();
	hash_into("hashed");
	pair_set("capath", tls_path("hashed"));
	pair_open();
	setenv("SSL_CERT_DIR", tls_path("hashed"), 1);
	pair_unset_all();
	pair_open();
	empty_folder("hashed");
}

static void the_environment_names_the_system_s_certificates(void)
{
	begin();
	pair_unset_all();
	setenv("SSL_CERT_FILE", tls_path("ca.pem"), 1);
	pair_open();
	pair_set("verify_peer_name", "1"); /* another context */
	setenv("SSL_CERT_FILE", "/no/such/file", 1);
	check_wrong("the system's trusted certificates cannot be read (");
	CHECK_HAS(pair_err.message, "; name a file by the TLS option cafile");
}

/* ---- changed files ---- */

static void the_same_options_have_the_same_context(void)
{
	begin();
	uint64_t first = version();
	CHECK_INT(version(), (int64_t) first);
	rl_tls_options *copy = rl_tls_options_copy(pair_address.tls);
	rl_tls_options_free(pair_address.tls);
	pair_address.tls = copy;
	CHECK_INT(version(), (int64_t) first);
	pair_set("verify_peer_name", "1"); /* the default, but given explicitly */
	CHECK(version() != first);
	rl_tls_tear_down();
	CHECK(version() != first);
}

static void a_changed_file_makes_another_context(void)
{
	static const char *const names[] = {"ca.pem", "client.pem", "client.key"};
	begin();
	give_client("client.pem", "client.key");
	for (unsigned i = 0; i < 3; i++) {
		uint64_t before = version();
		FILE *file = fopen(tls_path(names[i]), "a");
		fputs("\n", file);
		fclose(file);
		uint64_t after = version();
		CHECK(after != before);
		CHECK_INT(version(), (int64_t) after);
		/* Most programs replace a file by a new one, as this does. */
		append_file("new", names[i]);
		CHECK(rename(tls_path("new"), tls_path(names[i])) == 0);
		CHECK(version() != after);
	}
}

static void a_changed_folder_makes_another_context(void)
{
	begin();
	pair_unset_all();
	hash_into("hashed");
	pair_set("capath", tls_path("hashed"));
	uint64_t before = version();
	tls_write_text("hashed/more", "");
	CHECK(version() != before);
	unlink(tls_path("hashed/more"));
	empty_folder("hashed");
}

/* The old certificates stay in use until the new ones are there. */
static void a_file_may_be_broken_for_a_while(void)
{
	begin();
	uint64_t before = version();
	tls_write_text("ca.pem", "-----BEGIN CERTI");
	CHECK_INT(version(), (int64_t) before);
	pair_open();
	unlink(tls_path("ca.pem"));
	CHECK_INT(version(), (int64_t) before);
	rl_error err;
	CHECK_INT(rl_tls_prepare(pair_address.tls, &err), RL_OK);
	pair_open();
	tls_write_cert("ca.pem", &pair_ca);
	CHECK(version() != before);
	pair_open();
}

static void a_connection_keeps_its_context(void)
{
	begin();
	pair_open();
	tls_cert another = tls_cert_make((tls_request){.common_name = "another", .is_ca = true});
	tls_write_cert("ca.pem", &another);
	tls_cert_free(&another);
	version();
	pair_talk();
}

/* ---- many contexts ---- */

static void set_name(unsigned i)
{
	char name[40];
	pair_unset_all();
	pair_set("verify_peer", "0");
	snprintf(name, sizeof name, "n%u.test", i);
	pair_set("peer_name", name);
}

# define CONTEXTS 32

static void the_contexts_have_a_limit(void)
{
	uint64_t versions[CONTEXTS];
	begin();
	rl_tls_tear_down();
	for (unsigned i = 0; i < CONTEXTS; i++) {
		set_name(i);
		versions[i] = version();
	}
	CHECK_INT(rl_tls_weak_contexts(), CONTEXTS);
	set_name(0);
	CHECK_INT(version(), (int64_t) versions[0]); /* now context 1 is the oldest */
	held = rl_tls_context_get(pair_address.tls, NULL, &pair_err);
	set_name(CONTEXTS);
	version();
	CHECK_INT(rl_tls_weak_contexts(), CONTEXTS);
	set_name(0);
	CHECK_INT(version(), (int64_t) versions[0]);
	set_name(1);
	CHECK(version() != versions[1]);
	/* A context that is in use stays. */
	for (unsigned i = 2; i < CONTEXTS + 3; i++) {
		set_name(100 + i);
		version();
	}
	CHECK_INT(rl_tls_context_version(held), (int64_t) versions[0]);
	CHECK(SSL_CTX_up_ref(rl_tls_context_ssl(held)) == 1);
	SSL_CTX_free(rl_tls_context_ssl(held));
	CHECK_INT(rl_tls_weak_contexts(), CONTEXTS);
}

/* ---- threads and forks ---- */

# define THREADS 4
# define ROUNDS 60
# define LOOKS 500

static rl_tls_options *thread_options[THREADS];
static char thread_host[] = "cache.test";
static atomic_uint failures;
static atomic_bool has_ended;

/* Half of the threads share the options of another one. */
static void *use_contexts(void *arg)
{
	rl_address address = {.kind = RL_NET_TCP, .host = thread_host, .port = 1, .tls = arg};
	rl_tls_sessions *sessions = NULL;
	for (unsigned i = 0; i < ROUNDS; i++) {
		rl_error err;
		rl_tls *tls = rl_tls_new(&address, &sessions, &err);
		if (tls == NULL || rl_tls_output(tls).len == 0) {
			failures++;
		}
		rl_tls_free(tls);
		for (unsigned look = 0; look < LOOKS; look++) {
			rl_tls_context_unref(rl_tls_context_get(address.tls, NULL, &err));
		}
	}
	rl_tls_sessions_free(sessions);
	return NULL;
}

static void threads_share_the_contexts(void)
{
	pthread_t threads[THREADS];
	begin();
	uint64_t before = version();
	failures = 0;
	for (unsigned i = 0; i < THREADS; i++) {
		if (i == THREADS / 2) {
			pair_set("verify_peer_name", "0");
		}
		thread_options[i] = rl_tls_options_copy(pair_address.tls);
		CHECK(pthread_create(&threads[i], NULL, use_contexts, thread_options[i]) == 0);
	}
	/* The main thread replaces the file meanwhile. */
	for (unsigned i = 0; i < 20; i++) {
		append_file("new", "client.pem");
		tls_write_cert("new", &pair_ca);
		CHECK(rename(tls_path("new"), tls_path("ca.pem")) == 0);
		rl_tls_weak_contexts();
		usleep(1000);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		rl_tls_options_free(thread_options[i]);
	}
	CHECK_INT(failures, 0);
	CHECK(version() > before);
	CHECK_INT(rl_tls_weak_contexts(), 1);
}

static void *look_at_contexts(void *unused)
{
	(void) unused;
	while (!has_ended) {
		rl_tls_weak_contexts();
	}
	return NULL;
}

/* The mutex is free in a child, whatever the other threads did. */
static void a_forked_child_can_use_the_contexts(void)
{
	pthread_t thread;
	rl_error err;
	begin();
	rl_tls_set_up();
	rl_tls_set_up(); /* a second call changes nothing */
	CHECK_INT(rl_tls_prepare(pair_address.tls, &err), RL_OK);
	has_ended = false;
	CHECK(pthread_create(&thread, NULL, look_at_contexts, NULL) == 0);
	unsigned wrong = 0;
	for (unsigned i = 0; i < 30; i++) {
		pid_t child = fork();
		if (child == 0) {
			alarm(10);
			_exit(rl_tls_prepare(pair_address.tls, &err) == RL_OK ? 0 : 1);
		}
		int status = -1;
		waitpid(child, &status, 0);
		wrong += status != 0;
	}
	has_ended = true;
	pthread_join(thread, NULL);
	CHECK_INT(wrong, 0);
}

static const check_test tests[] = {
	TEST(the_version_of_openssl_is_known),
	TEST(a_missing_file_is_named),
	TEST(an_unreadable_file_is_named),
	TEST(a_file_must_have_a_certificate),
	TEST(the_key_must_be_usable),
	TEST(the_key_must_fit_the_certificate),
	TEST(the_key_may_follow_the_certificate),
	TEST(the_chain_of_the_client_is_sent),
	TEST(a_key_may_be_encrypted),
	TEST(no_passphrase_is_asked_for_on_the_terminal),
	TEST(a_passphrase_may_be_too_long_for_openssl),
	TEST(a_folder_of_certificates_is_trusted),
	TEST(the_environment_names_the_system_s_certificates),
	TEST(the_same_options_have_the_same_context),
	TEST(a_changed_file_makes_another_context),
	TEST(a_changed_folder_makes_another_context),
	TEST(a_file_may_be_broken_for_a_while),
	TEST(a_connection_keeps_its_context),
	TEST(the_contexts_have_a_limit),
	TEST(threads_share_the_contexts),
	TEST(a_forked_child_can_use_the_contexts),
};

# define CLEAN_UP clean_up
#else

# include "transport/rl_tls.h"
# include "transport/rl_tls_context.h"

static void without_openssl_each_server_with_tls_is_refused(void)
{
	static char host[] = "cache.test";
	rl_tls_options options = {.values = {NULL}};
	rl_address address = {.kind = RL_NET_TCP, .host = host, .port = 1, .tls = &options};
	rl_tls_sessions *sessions = NULL;
	rl_error err = {.message = ""};
	CHECK(rl_tls_version() == NULL);
	CHECK(rl_tls_compiled_version() == NULL);
	CHECK_INT(rl_tls_prepare(&options, &err), RL_ERR_ARGUMENT);
	CHECK_HAS(err.message, "redislock was built without TLS; build it again where pkg-config");
	CHECK(rl_tls_new(&address, &sessions, &err) == NULL);
	CHECK_INT(err.status, RL_ERR_TLS);
	CHECK(sessions == NULL);
	rl_tls_sessions_free(sessions);
	CHECK_INT(rl_tls_weak_contexts(), 0);
	rl_tls_tear_down();
}

static const check_test tests[] = {
	TEST(without_openssl_each_server_with_tls_is_refused),
};
# define CLEAN_UP NULL
#endif

CHECK_MAIN(tests, CLEAN_UP)
