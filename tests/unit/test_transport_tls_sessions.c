/* SPDX-License-Identifier: MIT
 *
 * TLS between two buffers, with a server of OpenSSL: which connection resumes the session of
 * another one.
 */
#include "tls_pair.h"

#ifdef RL_WITH_TLS

# include <stdio.h>

static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

# define EACH_VERSION(i) for (unsigned i = 0; i < 2; i++)

static tls_cert client_cert;

static void clean_up(void)
{
	pair_end();
	tls_cert_free(&client_cert);
}

/* Whether the next connection resumes a session. Both sides must agree. */
static bool resumes(void)
{
	pair_open();
	CHECK_INT(rl_tls_is_resumed(pair_client), SSL_session_reused(pair_server.ssl));
	pair_talk();
	return rl_tls_is_resumed(pair_client);
}

static void begin(int version)
{
	pair_begin(version);
	CHECK(!resumes());
}

static void the_next_connection_resumes_the_session(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		CHECK(resumes());
		CHECK(resumes());
	}
}

/* A connection of the pool is closed without a word when its server has nothing to do for it. */
static void a_connection_without_a_goodbye_leaves_its_session(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		pair_open();
		rl_tls_free(pair_client);
		pair_client = NULL;
		CHECK(resumes());
	}
}

static void a_connection_that_said_goodbye_leaves_its_session(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		rl_tls_end(pair_client);
		CHECK_INT(pair_pump(), RL_TLS_NOTHING);
		SSL_shutdown(pair_server.ssl);
		CHECK_INT(pair_pump(), RL_TLS_ENDED);
		CHECK(resumes());
	}
}

static void a_session_belongs_to_a_server(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		pair_go_to("127.0.0.1");
		CHECK(!resumes());
		pair_go_to("cache.test");
		pair_address.port = 6380;
		CHECK(!resumes());
		/* All three sessions are kept. */
		CHECK(resumes());
		pair_address.port = 6379;
		CHECK(resumes());
		pair_go_to("127.0.0.1");
		CHECK(resumes());
	}
}

static void a_session_belongs_to_its_options(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		pair_set("peer_name", "127.0.0.1");
		CHECK(!resumes());
		CHECK(resumes());
		pair_unset_all();
		pair_set("cafile", tls_path("ca.pem"));
		CHECK(resumes());
	}
}

/* Otherwise a certificate would be trusted that was never verified. */
static void a_session_without_verification_is_not_resumed_with_it(void)
{
	EACH_VERSION(i)
	{
		tls_cert foreign = tls_cert_make((tls_request){.names = "DNS:cache.test"});
		pair_begin(versions[i]);
		tls_server_show(&pair_server, &foreign);
		tls_cert_free(&foreign);
		pair_set("verify_peer", "0");
		CHECK(!resumes());
		CHECK(resumes());
		pair_unset_all();
		pair_set("cafile", tls_path("ca.pem"));
		pair_fails(RL_ERR_TLS, "the certificate of the server is not accepted");
	}
}

static void a_session_ends_with_the_files_that_have_verified_it(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		tls_cert another = tls_cert_make((tls_request){.common_name = "another", .is_ca = true});
		tls_write_cert("ca.pem", &another);
		pair_fails(RL_ERR_TLS, "unable to get local issuer certificate");
		tls_write_cert("ca.pem", &pair_ca);
		tls_cert_free(&another);
		CHECK(!resumes());
		CHECK(resumes());
	}
}

static void files_that_cannot_be_read_change_no_session(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		tls_write_text("ca.pem", "being written");
		CHECK(resumes());
	}
}

static void a_server_that_forgot_the_session_makes_another(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		tls_server_close(&pair_server);
		tls_server_open(&pair_server, versions[i], &pair_cert);
		CHECK(!resumes());
		CHECK(resumes());
	}
}

static void a_server_may_change_its_version(void)
{
	EACH_VERSION(i)
	{
		begin(versions[i]);
		tls_server_close(&pair_server);
		tls_server_open(&pair_server, versions[1 - i], &pair_cert);
		CHECK(!resumes());
		CHECK(resumes());
	}
}

static void a_server_may_have_no_sessions(void)
{
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		SSL_CTX_set_num_tickets(pair_server.context, 0);
		SSL_CTX_set_options(pair_server.context, SSL_OP_NO_TICKET);
		SSL_CTX_set_session_cache_mode(pair_server.context, SSL_SESS_CACHE_OFF);
		CHECK(!resumes());
		CHECK(!resumes());
	}
}

/* TLS 1.2 without tickets */
static void the_server_may_keep_the_sessions(void)
{
	pair_begin(TLS1_2_VERSION);
	SSL_CTX_set_options(pair_server.context, SSL_OP_NO_TICKET);
	CHECK(!resumes());
	CHECK(resumes());
}

static void a_session_has_the_client_s_certificate(void)
{
	client_cert = tls_cert_make((tls_request){.common_name = "client", .issuer = &pair_ca});
	EACH_VERSION(i)
	{
		pair_begin(versions[i]);
		tls_server_wants_client(&pair_server, &pair_ca);
		pair_set("local_cert", tls_write_cert("client.pem", &client_cert));
		pair_set("local_pk", tls_write_key("client.key", &client_cert, NULL));
		CHECK(!resumes());
		CHECK(resumes());
		/* Without the certificate there is no session. */
		pair_unset_all();
		pair_set("cafile", tls_path("ca.pem"));
		CHECK(pair_dial());
		CHECK_INT(pair_pump(), RL_TLS_BROKEN);
		CHECK_INT(pair_err.status, RL_ERR_TLS);
	}
}

# define SERVERS 64

/* The sessions of so many servers are kept. Then the oldest session is replaced. */
static void the_sessions_have_a_limit(void)
{
	pair_begin(TLS1_3_VERSION);
	for (unsigned i = 0; i < SERVERS; i++) {
		pair_address.port = (uint16_t) (1000 + i);
		CHECK(!resumes());
	}
	for (unsigned i = 0; i < SERVERS; i++) {
		pair_address.port = (uint16_t) (1000 + i);
		CHECK(resumes());
	}
	pair_address.port = 999;
	CHECK(!resumes());
	CHECK(resumes());
	pair_address.port = 1001;
	CHECK(resumes());
	pair_address.port = 1000;
	CHECK(!resumes());
}

static void a_later_ticket_replaces_an_earlier_one(void)
{
	begin(TLS1_3_VERSION);
	for (unsigned i = 0; i < 100; i++) {
		CHECK(resumes());
	}
}

static void sessions_outlive_their_context(void)
{
	begin(TLS1_3_VERSION);
	rl_tls_free(pair_client);
	pair_client = NULL;
	rl_tls_tear_down();
	CHECK(!resumes());
	CHECK(resumes());
}

static const check_test tests[] = {
	TEST(the_next_connection_resumes_the_session),
	TEST(a_connection_without_a_goodbye_leaves_its_session),
	TEST(a_connection_that_said_goodbye_leaves_its_session),
	TEST(a_session_belongs_to_a_server),
	TEST(a_session_belongs_to_its_options),
	TEST(a_session_without_verification_is_not_resumed_with_it),
	TEST(a_session_ends_with_the_files_that_have_verified_it),
	TEST(files_that_cannot_be_read_change_no_session),
	TEST(a_server_that_forgot_the_session_makes_another),
	TEST(a_server_may_change_its_version),
	TEST(a_server_may_have_no_sessions),
	TEST(the_server_may_keep_the_sessions),
	TEST(a_session_has_the_client_s_certificate),
	TEST(the_sessions_have_a_limit),
	TEST(a_later_ticket_replaces_an_earlier_one),
	TEST(sessions_outlive_their_context),
};

#endif

TLS_CHECK_MAIN(tests, clean_up)
