/* SPDX-License-Identifier: MIT
 *
 * TLS between two buffers, with a server of OpenSSL: certificates, names and versions that do not
 * fit, with the message and the status of each.
 */
#include "tls_pair.h"

#ifdef RL_WITH_TLS

# include <openssl/x509.h>
# include <stdio.h>

# define HOUR 3600L

static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

# define EACH_VERSION(i) for (unsigned i = 0; i < 2; i++)

/* The certificate that the server shows in this test. */
static tls_cert shown;
static tls_cert other_ca;

static void clean_up(void)
{
	pair_end();
	tls_cert_free(&shown);
	tls_cert_free(&other_ca);
}

static void begin(int version, tls_request request)
{
	pair_begin(version);
	tls_cert_free(&shown);
	request.issuer = request.issuer == NULL && !request.is_ca ? &pair_ca : request.issuer;
	shown = tls_cert_make(request);
	tls_server_show(&pair_server, &shown);
}

static void begin_with_names(const char *names)
{
	begin(TLS1_3_VERSION, (tls_request){.names = names});
}

/* ---- names ---- */

# if OPENSSL_VERSION_NUMBER < 0x30000000L
#  define MISMATCH "Hostname mismatch"
# else
#  define MISMATCH "hostname mismatch"
# endif

static void the_name_must_be_that_of_the_server(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i], (tls_request){.names = "DNS:a.test,DNS:b.test,IP:10.0.0.1,IP:::1"});
		pair_fails(RL_ERR_TLS,
			"TLS: the certificate of the server is not accepted: " MISMATCH ": it is for "
			"a.test, b.test, 10.0.0.1, ::1, not for \"cache.test\"; if it is the right server, give "
			"the name by the option ssl[peer_name]");
		/* An alert tells the server, too. */
		CHECK(pair_server.is_failed);
		CHECK_HAS(pair_server.reason, "alert");
	}
}

static void an_address_must_be_that_of_the_server(void)
{
	begin_with_names("DNS:127.0.0.1,IP:10.0.0.1");
	pair_go_to("127.0.0.1");
	pair_fails(
		RL_ERR_TLS, "IP address mismatch: it is for 127.0.0.1, 10.0.0.1, not for \"127.0.0.1\"");
	pair_go_to("::1");
	pair_fails(RL_ERR_TLS, "not for \"::1\"");
	pair_go_to("10.0.0.1");
	pair_open();
	begin_with_names("IP:2001:db8::1");
	pair_go_to("2001:0db8:0::1");
	pair_open();
	begin_with_names("IP:fe80::1");
	pair_go_to("fe80::1%lo"); /* a zone is of this machine alone */
	pair_open();
	begin_with_names("IP:2001:db8::1");
	pair_go_to("2001:db8::2");
	pair_fails(RL_ERR_TLS, "IP address mismatch: it is for 2001:db8::1, not");
}

static void wildcards_stand_for_one_whole_label(void)
{
	static const struct {
		const char *names, *host;
		bool fits;
	} rows[] = {
		{"DNS:*.cache.test", "a.cache.test", true},
		{"DNS:*.cache.test", "A.CACHE.TEST", true},
		{"DNS:*.cache.test", "a.b.cache.test", false},
		{"DNS:*.cache.test", "cache.test", false},
		{"DNS:f*.cache.test", "foo.cache.test", false},
		{"DNS:*o.cache.test", "foo.cache.test", false},
		{"DNS:f*o.cache.test", "foo.cache.test", false},
		{"DNS:*", "cache.test", false},
		{"DNS:*.test", "cache.test", false}, /* of a whole top-level domain */
		{"DNS:cache.test", "cache.test.", true},
		{"DNS:cache.test", "CACHE.test", true},
		{"DNS:cache.test", "xcache.test", false},
		{"DNS:cache.test", "cache.tes", false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin_with_names(rows[i].names);
		pair_go_to(rows[i].host);
		bool is_open = pair_dial() && pair_pump() == RL_TLS_NOTHING;
		if (is_open != rows[i].fits) {
			FAIL("%s for %s: %s", rows[i].names, rows[i].host,
				is_open ? "is accepted" : pair_err.message);
		}
	}
}

/* A common name counts only where there is no alternative name. */
static void a_common_name_stands_for_missing_names(void)
{
	begin(TLS1_3_VERSION, (tls_request){.common_name = "cache.test"});
	pair_open();
	begin(TLS1_3_VERSION, (tls_request){.common_name = "old.test"});
	pair_fails(RL_ERR_TLS, "it is for old.test, not for \"cache.test\"");
	begin(TLS1_3_VERSION, (tls_request){.common_name = "cache.test", .names = "DNS:other.test"});
	pair_fails(RL_ERR_TLS, "it is for other.test, not for \"cache.test\"");
}

static void a_certificate_may_have_no_name(void)
{
	begin(TLS1_3_VERSION, (tls_request){.names = NULL});
	pair_fails(RL_ERR_TLS, "it is for no name, not for \"cache.test\"");
	begin(TLS1_3_VERSION, (tls_request){.names = "email:a@cache.test"});
	pair_fails(RL_ERR_TLS, "it is for no name, not for \"cache.test\"");
}

static void many_names_are_cut_short(void)
{
	char names[4000] = "DNS:n0.test";
	for (unsigned i = 1; i < 200; i++) {
		snprintf(names + strlen(names), sizeof names - strlen(names), ",DNS:n%u.test", i);
	}
	begin_with_names(names);
	pair_fails(RL_ERR_TLS, "it is for n0.test, n1.test, ");
	CHECK_HAS(pair_err.message, ", ..., not for \"cache.test\"; if it is the right server, give");
}

/* A certificate may contain any bytes, and a message shows only printable ones. */
static void strange_names_do_no_harm(void)
{
	static const size_t lens[] = {0, 1, 3, 5, 15, 17, 100};
	unsigned char bytes[100] = {1, 2, 3};
	for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
		begin(TLS1_3_VERSION, (tls_request){.names = NULL});
		tls_cert_add_ip(&shown, &pair_ca, bytes, lens[i]);
		tls_server_show(&pair_server, &shown);
		pair_fails(RL_ERR_TLS, "not for \"cache.test\"");
	}
	begin(TLS1_3_VERSION, (tls_request){.common_name = "a\nb\x1b[2J"});
	pair_fails(RL_ERR_TLS, "not for \"cache.test\"");
	CHECK(strpbrk(pair_err.message, "\n\x1b") == NULL);
}

static void another_name_can_be_verified(void)
{
	begin_with_names("DNS:real.test,IP:10.0.0.1");
	pair_set("peer_name", "real.test.");
	pair_open();
	CHECK_TEXT(tls_server_name(&pair_server), "real.test");
	pair_unset_all();
	pair_set("cafile", tls_path("ca.pem"));
	pair_set("peer_name", "10.0.0.1");
	pair_open();
	CHECK_TEXT(tls_server_name(&pair_server), "");
	pair_go_to("real.test");
	pair_unset_all();
	pair_set("cafile", tls_path("ca.pem"));
	pair_set("peer_name", "wrong.test");
	pair_fails(RL_ERR_TLS, "not for \"wrong.test\"");
}

static void the_client_sends_the_name(void)
{
	static const struct {
		const char *host, *name;
	} rows[] = {{"cache.test", "cache.test"}, {"cache.test.", "cache.test"}, {"127.0.0.1", ""}};
	EACH_VERSION(i)
	{
		for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
			pair_begin(versions[i]);
			pair_go_to(rows[row].host);
			pair_open();
			CHECK_TEXT(tls_server_name(&pair_server), rows[row].name);
		}
		pair_go_to("cache.test");
		pair_set("SNI_enabled", "0");
		pair_open();
		CHECK_TEXT(tls_server_name(&pair_server), "");
	}
}

/* ---- trust ---- */

static void the_times_of_a_certificate_must_fit(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i],
			(tls_request){.names = "DNS:cache.test", .begins = -2 * HOUR, .ends = -HOUR});
		pair_fails(RL_ERR_TLS,
			"certificate has expired; check the certificate and the clock of this machine");
		begin(versions[i],
			(tls_request){.names = "DNS:cache.test", .begins = HOUR, .ends = 2 * HOUR});
		pair_fails(RL_ERR_TLS, "certificate is not yet valid");
	}
}

static void the_ca_must_be_trusted(void)
{
	other_ca = tls_cert_make((tls_request){.common_name = "other", .is_ca = true});
	EACH_VERSION(i)
	{
		begin(versions[i], (tls_request){.names = "DNS:cache.test", .issuer = &other_ca});
		pair_fails(RL_ERR_TLS,
			"unable to get local issuer certificate; is the certificate of its CA in ssl[cafile] "
			"or ssl[capath]?");
		/* The same with the system's certificates. */
		pair_unset_all();
		pair_fails(RL_ERR_TLS, "; give the certificate of its CA by the option ssl[cafile]");
	}
	/* The name alone does not make a CA. */
	tls_cert_free(&other_ca);
	other_ca = tls_cert_make((tls_request){.common_name = "CA", .is_ca = true});
	begin(TLS1_3_VERSION, (tls_request){.names = "DNS:cache.test", .issuer = &other_ca});
	pair_fails(RL_ERR_TLS, "certificate signature failure");
}

static void a_certificate_that_signs_itself_is_not_trusted(void)
{
	begin(TLS1_3_VERSION,
		(tls_request){.common_name = "self", .names = "DNS:cache.test", .is_ca = true});
	pair_fails(RL_ERR_TLS, "; is the certificate of its CA in ssl[cafile] or ssl[capath]?");
	CHECK_HAS(pair_err.message, "self");
	pair_unset_all();
	pair_set("cafile", tls_write_cert("self.pem", &shown));
	pair_open();
}

static void a_server_s_certificate_is_no_ca(void)
{
	begin_with_names("DNS:cache.test");
	other_ca = tls_cert_make((tls_request){.names = "DNS:cache.test", .issuer = &shown});
	CHECK(SSL_CTX_add1_chain_cert(pair_server.context, shown.x509) == 1 &&
		SSL_CTX_use_certificate(pair_server.context, other_ca.x509) == 1 &&
		SSL_CTX_use_PrivateKey(pair_server.context, other_ca.key) == 1);
	if (pair_dial()) {
		CHECK_INT(pair_pump(), RL_TLS_BROKEN);
	}
	CHECK_INT(pair_err.status, RL_ERR_TLS);
}

/* ---- less verification ---- */

typedef struct looseness {
	const char *verify_peer, *verify_peer_name;
	bool trusts_anybody, knows_no_names;
} looseness;

static void set_looseness(const looseness *row)
{
	pair_set("verify_peer", row->verify_peer);
	pair_set("verify_peer_name", row->verify_peer_name);
}

static void check_outcome(const looseness *row, bool may_open, const char *what)
{
	set_looseness(row);
	bool is_open = pair_dial() && pair_pump() == RL_TLS_NOTHING;
	if (is_open != may_open) {
		FAIL("verify_peer=%s, verify_peer_name=%s, %s: %s", row->verify_peer, row->verify_peer_name,
			what, is_open ? "is accepted" : pair_err.message);
	}
	CHECK(is_open || pair_err.status == RL_ERR_TLS);
}

static void each_verification_can_be_left_out(void)
{
	static const looseness rows[] = {{"1", "1", false, false}, {"1", "0", false, true},
		{"0", "1", true, false}, {"0", "0", true, true}};
	other_ca = tls_cert_make((tls_request){.common_name = "other", .is_ca = true});
	for (unsigned i = 0; i < 8; i++) {
		const looseness *row = &rows[i % 4];
		int version = versions[i / 4];
		begin(version, (tls_request){.names = "DNS:cache.test"});
		check_outcome(row, true, "all fits");
		begin(version, (tls_request){.names = "DNS:cache.test", .issuer = &other_ca});
		check_outcome(row, row->trusts_anybody, "another CA");
		begin(version, (tls_request){.names = "DNS:cache.test", .begins = -9, .ends = -5});
		check_outcome(row, row->trusts_anybody, "expired");
		begin(version, (tls_request){.names = "DNS:a.test"});
		check_outcome(row, row->knows_no_names, "another name");
		begin(version, (tls_request){.names = "DNS:a.test", .issuer = &other_ca});
		check_outcome(row, row->trusts_anybody && row->knows_no_names, "another CA and name");
		begin(version, (tls_request){.names = "DNS:cache.test", .is_ca = true});
		check_outcome(row, row->trusts_anybody, "signed by itself");
	}
}

static void without_trust_no_file_is_read(void)
{
	pair_begin(TLS1_3_VERSION);
	pair_unset_all();
	pair_set("cafile", "/no/such/file");
	pair_set("verify_peer", "0");
	pair_open();
}

static void loose_contexts_are_counted(void)
{
	pair_begin(TLS1_3_VERSION);
	pair_open();
	CHECK_INT(rl_tls_weak_contexts(), 0);
	pair_set("verify_peer_name", "0");
	pair_open();
	CHECK_INT(rl_tls_weak_contexts(), 1);
	pair_set("verify_peer", "0");
	pair_open();
	CHECK_INT(rl_tls_weak_contexts(), 2);
}

/* ---- versions and ciphers ---- */

static void an_old_server_can_be_refused(void)
{
	pair_begin(TLS1_2_VERSION);
	pair_set("min_version", "1.3");
	pair_fails(RL_ERR_TLS, "check the option ssl[min_version]");
	pair_begin(TLS1_3_VERSION);
	pair_set("min_version", "1.3");
	pair_open();
	pair_begin(TLS1_2_VERSION);
	pair_set("min_version", "1.2");
	pair_open();
}

static void an_older_server_is_always_refused(void)
{
	pair_begin(TLS1_2_VERSION);
	CHECK(SSL_CTX_set_cipher_list(pair_server.context, "ALL:@SECLEVEL=0") == 1);
	CHECK(SSL_CTX_set_min_proto_version(pair_server.context, TLS1_1_VERSION) == 1);
	CHECK(SSL_CTX_set_max_proto_version(pair_server.context, TLS1_1_VERSION) == 1);
	pair_fails(RL_ERR_TLS, "check the option ssl[min_version]");
}

static void a_server_with_both_speaks_the_newer_one(void)
{
	pair_begin(0);
	pair_open();
	CHECK_INT(SSL_version(pair_server.ssl), TLS1_3_VERSION);
}

static void the_ciphers_must_fit(void)
{
	pair_begin(TLS1_2_VERSION);
	pair_set("ciphers", "ECDHE-ECDSA-AES256-GCM-SHA384");
	pair_fails(RL_ERR_TLS, "(ssl[ciphers])");
	pair_begin(TLS1_2_VERSION);
	pair_set("ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256");
	pair_open();
	pair_unset_all();
	pair_set("ciphers", "no-such-cipher");
	pair_fails(RL_ERR_TLS, "the TLS option ciphers: OpenSSL knows none of them: ");
}

/* ---- client certificates ---- */

static void give_certificate(const tls_cert *issuer)
{
	tls_cert_free(&shown);
	shown = tls_cert_make((tls_request){.common_name = "client", .issuer = issuer});
	pair_set("local_cert", tls_write_cert("client.pem", &shown));
	pair_set("local_pk", tls_write_key("client.key", &shown, NULL));
}

static void the_client_shows_its_certificate(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		tls_server_wants_client(&pair_server, &pair_ca);
		give_certificate(&pair_ca);
		pair_open();
		pair_talk();
	}
}

/* With TLS 1.2 the server says so in the handshake. */
static void a_missing_client_certificate_is_an_error(void)
{
	pair_begin(TLS1_2_VERSION);
	tls_server_wants_client(&pair_server, &pair_ca);
	pair_fails(RL_ERR_TLS, "the server may want a client certificate (ssl[local_cert])");
	CHECK(!rl_tls_is_open(pair_client));
}

/* With TLS 1.3 the client may have sent its first command by then. */
static void a_missing_client_certificate_is_an_error_after_the_handshake(void)
{
	pair_begin(TLS1_3_VERSION);
	tls_server_wants_client(&pair_server, &pair_ca);
	CHECK(pair_dial());
	rl_tls_result result = RL_TLS_BROKEN;
	CHECK(pair_to_server() && pair_to_client(&result));
	CHECK_INT(result, RL_TLS_NOTHING);
	CHECK(rl_tls_is_open(pair_client));
	pair_says("SET");
	CHECK_INT(pair_pump(), RL_TLS_BROKEN);
	CHECK_INT(pair_err.status, RL_ERR_TLS);
	CHECK_HAS(pair_err.message,
		"the server wants a client certificate; give it by the options "
		"ssl[local_cert] and ssl[local_pk]");
	CHECK_INT(pair_server.heard_len, 0);
}

static void a_client_certificate_may_be_refused(void)
{
	other_ca = tls_cert_make((tls_request){.common_name = "other", .is_ca = true});
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		tls_server_wants_client(&pair_server, &pair_ca);
		give_certificate(&other_ca);
		pair_fails(RL_ERR_TLS,
			"with the alert \"unknown CA\": the server refuses the client certificate; check the "
			"option ssl[local_cert]");
		CHECK_INT(rl_tls_is_open(pair_client), versions[i] == TLS1_3_VERSION);
	}
}

static const check_test tests[] = {
	TEST(the_name_must_be_that_of_the_server),
	TEST(an_address_must_be_that_of_the_server),
	TEST(wildcards_stand_for_one_whole_label),
	TEST(a_common_name_stands_for_missing_names),
	TEST(a_certificate_may_have_no_name),
	TEST(many_names_are_cut_short),
	TEST(strange_names_do_no_harm),
	TEST(another_name_can_be_verified),
	TEST(the_client_sends_the_name),
	TEST(the_times_of_a_certificate_must_fit),
	TEST(the_ca_must_be_trusted),
	TEST(a_certificate_that_signs_itself_is_not_trusted),
	TEST(a_server_s_certificate_is_no_ca),
	TEST(each_verification_can_be_left_out),
	TEST(without_trust_no_file_is_read),
	TEST(loose_contexts_are_counted),
	TEST(an_old_server_can_be_refused),
	TEST(an_older_server_is_always_refused),
	TEST(a_server_with_both_speaks_the_newer_one),
	TEST(the_ciphers_must_fit),
	TEST(the_client_shows_its_certificate),
	TEST(a_missing_client_certificate_is_an_error),
	TEST(a_missing_client_certificate_is_an_error_after_the_handshake),
	TEST(a_client_certificate_may_be_refused),
};

#endif

TLS_CHECK_MAIN(tests, clean_up)
