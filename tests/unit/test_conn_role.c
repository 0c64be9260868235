/* SPDX-License-Identifier: MIT
 *
 * Connections to a node that must be the primary: ROLE in the login.
 */
#include "check.h"
#include "dialling.h"

#define REPLICA "*$slave $10.0.0.1 :6379 $connected :14"

static void begin(void)
{
	fake_begin(1);
	fake_targets[0].must_be_primary = true;
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
}

static void role_follows_the_rest_of_the_login_in_one_write(void)
{
	begin();
	want_password("word");
	fake_targets[0].database = 3;
	dial();
	CHECK_INT(conn->logins_pending, 3);
	flush_and_read();
	CHECK_LOG("0 a1 dial\n0 a1 AUTH word\n0 a1 SELECT 3\n0 a1 ROLE\n");
	CHECK_INT(fake_writes, 1);
	CHECK_INT(next(), RL_CONN_READY);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(rl_conn_is_reusable(conn));
}

static void role_is_not_sent_to_other_servers(void)
{
	begin();
	fake_targets[0].must_be_primary = false;
	dial();
	CHECK_INT(conn->logins_pending, 0);
	flush_and_read();
	CHECK_LOG("0 a1 dial\n");
}

static void the_answer_to_role_decides_about_the_login(void)
{
	static const struct {
		const char *answer;
		rl_conn_event_type type;
		const char *error;
		bool is_wrong_server;
	} rows[] = {
		{"*$master :0 _", RL_CONN_READY, NULL, false},
		{"*$master", RL_CONN_READY, NULL, false},
		{REPLICA, RL_CONN_REFUSED, "the node is a replica", true},
		{"*$replica", RL_CONN_REFUSED, "the node is a replica", true},
		{"-NOPERM this user has no permissions to run the 'role' command", RL_CONN_READY, NULL,
			false},
		{"-NOPERM", RL_CONN_READY, NULL, false},
		{"-ERR unknown command 'ROLE', with args beginning with: ", RL_CONN_READY, NULL, false},
		{"-LOADING Redis is loading", RL_CONN_REFUSED, "LOADING", false},
		{"-MASTERDOWN x", RL_CONN_REFUSED, "MASTERDOWN", true},
		{"-NOAUTH Authentication required.", RL_CONN_REFUSED, "NOAUTH", false},
		{"-ERR max number of clients reached", RL_CONN_REFUSED, "max number of clients", false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin();
		fake_login_says(0, "ROLE", rows[i].answer);
		dial();
		flush_and_read();
		CHECK_INT(next(), rows[i].type);
		CHECK_INT(rl_conn_is_reusable(conn), rows[i].type == RL_CONN_READY);
		if (rows[i].error != NULL) {
			rl_error err;
			rl_error_from_server(&err, event.reply.text, NULL, 0);
			CHECK_HAS(err.message, rows[i].error);
			CHECK_INT(rl_error_is_wrong_server(&err), rows[i].is_wrong_server);
		}
		CHECK_INT(next(), RL_CONN_NONE);
		hang_up();
	}
}

static void an_answer_to_role_that_makes_no_sense_ends_the_connection(void)
{
	static const char *const answers[] = {"+OK", ":1", "_", "*", "*$sentinel", "*:1", "$master"};
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		begin();
		fake_login_says(0, "ROLE", answers[i]);
		dial();
		flush_and_read();
		CHECK_INT(next(), RL_CONN_DOWN);
		CHECK_INT(event.err.status, RL_ERR_PROTOCOL);
		CHECK_HAS(event.err.message, "ROLE");
		CHECK(!rl_conn_is_reusable(conn));
		hang_up();
	}
}

static void the_first_error_of_the_login_is_reported(void)
{
	begin();
	want_password("word");
	fake_login_says(0, "AUTH", "-WRONGPASS x");
	fake_login_says(0, "ROLE", "-NOAUTH x");
	dial();
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REFUSED);
	CHECK(rl_bytes_equal(event.reply.text, bytes_of("WRONGPASS x")));
	CHECK_INT(next(), RL_CONN_NONE);
	hang_up();
	/* The right to ROLE does not make up for another error of the login. */
	begin();
	fake_targets[0].database = 3;
	fake_login_says(0, "SELECT", "-ERR x");
	fake_login_says(0, "ROLE", "-NOPERM x");
	dial();
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REFUSED);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(!rl_conn_is_reusable(conn));
}

static void role_is_not_retracted_with_the_command(void)
{
	begin();
	fake_targets[0].database = 3;
	dial();
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	CHECK(rl_conn_send(conn, &request, 1) != 0);
	CHECK(rl_conn_retract(conn));
	CHECK_INT(conn->pending_count, 2);
	CHECK_INT(conn->pending_runs, 2);
	rl_conn_discard_pending(conn);
	flush_and_read();
	CHECK_LOG("0 a1 dial\n0 a1 retract\n0 a1 SELECT 3\n0 a1 ROLE\n");
	CHECK_INT(next(), RL_CONN_READY);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
}

/* A replica with replica-read-only no says OK to SET, which was sent with the login. */
static void a_grant_of_a_replica_is_undone(void)
{
	begin();
	fake_login_says(0, "ROLE", REPLICA);
	fake_says(0, "+OK");
	rl_acquire *acquire = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&acquire->op), RL_ERR_SERVER);
	CHECK_LOG("0 a1 dial\n"
			  "0 a1 ROLE\n"
			  "0 a1 SET k T1 NX PX 30000\n"
			  "0 a1 NAME\n"
			  "0 a1 RELEASE k T1\n"
			  "0 a1 close\n");
}

/* EXTEND, which is never undone, waits for the login. */
static void a_replica_gets_no_command_after_role(void)
{
	begin();
	fake_login_says(0, "ROLE", REPLICA);
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "T", 30000)), RL_ERR_SERVER);
	CHECK_LOG("0 a1 dial\n0 a1 ROLE\n0 a1 close\n");
}

static void the_wish_for_role_is_copied_and_compared_with_the_target(void)
{
	fake_begin(1);
	fake_targets[0].must_be_primary = true;
	rl_target *copy = rl_target_copy(&fake_targets[0]);
	CHECK(copy != NULL);
	bool is_copied = copy->must_be_primary;
	bool is_equal = rl_target_equal(copy, &fake_targets[0]);
	fake_targets[0].must_be_primary = false;
	bool is_equal_without = rl_target_equal(copy, &fake_targets[0]);
	rl_target_unref(copy);
	CHECK(is_copied);
	CHECK(is_equal);
	CHECK(!is_equal_without);
}

static bool named_node_must_be_primary(rl_route_kind kind)
{
	rl_route *route = rl_route_new(kind, &fake_targets[0]);
	CHECK(route != NULL);
	rl_redirect redirect = {
		.kind = RL_REDIRECT_MOVED, .slot = 0, .host = bytes_of("b"), .port = 6379};
	const rl_target *node = kind == RL_ROUTE_SENTINEL
		? rl_route_name(route, bytes_of("b"), 6379, fake_clock)
		: rl_route_follow(route, &redirect, &fake_targets[0]);
	bool must_be = node != NULL && node->must_be_primary;
	rl_route_unref(route);
	return must_be;
}

static void role_is_sent_to_nodes_that_sentinels_name(void)
{
	fake_begin(1);
	CHECK(named_node_must_be_primary(RL_ROUTE_SENTINEL));
	CHECK(!named_node_must_be_primary(RL_ROUTE_CLUSTER));
}

static const check_test tests[] = {
	TEST(role_follows_the_rest_of_the_login_in_one_write),
	TEST(role_is_not_sent_to_other_servers),
	TEST(the_answer_to_role_decides_about_the_login),
	TEST(an_answer_to_role_that_makes_no_sense_ends_the_connection),
	TEST(the_first_error_of_the_login_is_reported),
	TEST(role_is_not_retracted_with_the_command),
	TEST(a_grant_of_a_replica_is_undone),
	TEST(a_replica_gets_no_command_after_role),
	TEST(the_wish_for_role_is_copied_and_compared_with_the_target),
	TEST(role_is_sent_to_nodes_that_sentinels_name),
};

CHECK_MAIN(tests, hang_up)
