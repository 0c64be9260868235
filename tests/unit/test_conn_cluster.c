/* SPDX-License-Identifier: MIT
 *
 * What a connection does for a cluster: ASKING before a command, and the map, which is asked for
 * and read beside the commands.
 */
#include "check.h"
#include "dialling.h"

#define MAP "#0 16383 b 7001" /* gives all slots to that node */

static rl_route *route;

static void clean_up(void)
{
	rl_pool_clear(&fake_pool);
	rl_route_unref(route);
	route = NULL;
	hang_up();
}

static void begin(void)
{
	fake_begin(1);
	route = rl_route_new(RL_ROUTE_CLUSTER, &fake_targets[0]);
	CHECK(route != NULL && rl_route_add_seed(route, &fake_targets[0]));
}

static void begin_login(fake_dial how)
{
	begin();
	want_password("word");
	fake_dials(0, how, 0);
	dial();
}

static void start(void)
{
	begin();
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	dial_used();
}

static bool knows(void)
{
	return rl_route_knows(route, 0) && rl_route_knows(route, RL_SLOTS - 1) &&
		rl_route_node(route, 77)->address.port == 7001;
}

/* ---- ASKING ---- */

#define DRAWN "rl1.AAAAAAAAAAAAAAAAAAAAAAAA" /* T1 in the log */

static void asking_is_sent_before_each_command(void)
{
	start();
	rl_request request = {.verb = RL_VERB_SET,
		.key = bytes_of("k"),
		.token = bytes_of(DRAWN),
		.fresh = bytes_of("new"),
		.ttl_ms = 9,
		.is_asking = true};
	for (unsigned i = 0; i < 2; i++) {
		fake_says(0, "+OK");
		fake_says(0, "_");
	}
	for (unsigned i = 0; i < 4; i++) {
		fake_says(0, "+OK");
	}
	CHECK(rl_conn_send(conn, &request, 7) != 0);
	CHECK(rl_conn_send_blind(conn, &request));
	CHECK(rl_conn_undo(conn, &request));
	CHECK(rl_conn_swap_back(conn, &request));
	CHECK_LOG("0 a1 ASKING\n0 a1 SET k T1 NX PX 9\n"
			  "0 a1 ASKING\n0 a1 SET k T1 NX PX 9\n"
			  "0 a1 ASKING\n0 a1 RELEASE k T1\n"
			  "0 a1 ASKING\n0 a1 SWAP k new T1 0\n");
	CHECK_INT(conn->undo_left, 8);
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REPLY); /* of SET, not of ASKING */
	CHECK_INT(event.tag, 7);
	CHECK_INT(event.reply.type, RL_REPLY_NIL);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
	CHECK(rl_conn_is_reusable(conn));
}

static void a_command_that_needs_no_asking_is_sent_alone(void)
{
	start();
	CHECK(ask(1) != 0);
	rl_request request = {.verb = RL_VERB_SWAP,
		.key = bytes_of("k"),
		.token = bytes_of(DRAWN),
		.fresh = bytes_of("new")};
	CHECK(rl_conn_undo(conn, &request) && rl_conn_swap_back(conn, &request));
	CHECK_COUNT("ASKING", 0);
}

static void the_replicas_are_asked_after_the_command(void)
{
	start();
	fake_targets[0].replicas = 1;
	fake_targets[0].replicas_ms = 50;
	rl_request request = {.verb = RL_VERB_SET,
		.key = bytes_of("k"),
		.token = bytes_of(DRAWN),
		.ttl_ms = 9000,
		.is_asking = true};
	fake_says(0, "+OK");
	fake_says(0, "+OK");
	fake_says(0, ":1");
	CHECK(rl_conn_send(conn, &request, 7) != 0);
	rl_conn_ask_replicas(conn);
	flush_and_read();
	CHECK_LOG("0 a1 ASKING\n0 a1 SET k T1 NX PX 9000\n0 a1 WAIT 1 50\n");
	CHECK_INT(next(), RL_CONN_REPLY);
	CHECK_INT(event.reply.type, RL_REPLY_STATUS);
}

static unsigned appends_left;

static bool lacks_memory(void)
{
	return appends_left == 0 || --appends_left == 0;
}

/* ASKING without its command would apply to the command for another key. */
static void asking_alone_is_taken_back(void)
{
	for (unsigned is_blind = 0; is_blind < 2; is_blind++) {
		for (unsigned left = 1; left <= 3; left++) {
			start();
			rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k"), .is_asking = true};
			appends_left = left;
			fake_lacks_memory = lacks_memory;
			bool is_sent = is_blind != 0 ? rl_conn_send_blind(conn, &request)
										 : rl_conn_send(conn, &request, 1) != 0;
			fake_lacks_memory = NULL;
			CHECK_INT(is_sent, left == 3);
			for (unsigned i = 0; i < 2; i++) {
				fake_says(0, "+OK");
			}
			flush_and_read();
			next();
			next();
			CHECK_COUNT("ASKING", left == 3);
			CHECK_COUNT("retract", left == 2);
			CHECK_INT(rl_conn_is_reusable(conn), 1);
			CHECK_INT(rl_conn_is_worth_keeping(conn), 1);
			clean_up();
		}
	}
}

static void asking_alone_is_taken_back_before_the_login_as_well(void)
{
	begin_login(FAKE_ACCEPT_AT_ONCE);
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k"), .is_asking = true};
	appends_left = 2;
	fake_lacks_memory = lacks_memory;
	CHECK_INT(rl_conn_send(conn, &request, 1), 0);
	fake_lacks_memory = NULL;
	fake_says(0, "+OK");
	flush_and_read();
	CHECK_INT(next(), RL_CONN_READY);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_COUNT("ASKING", 0);
	CHECK(rl_conn_is_reusable(conn));
}

/* ---- the map ---- */

/* Command 1 is answered at once, the map 5 ms later, and then the next command. */
static void ask_and_map_later(void)
{
	start();
	fake_says(0, ":1");
	fake_acts(0, FAKE_SAY, MAP, 5 * MS);
	fake_says(0, ":0");
	CHECK(ask(1) != 0);
	rl_conn_ask_map(conn, route, fake_clock);
}

static void the_map_is_read_when_it_arrives(void)
{
	ask_and_map_later();
	rl_conn_ask_map(conn, route, fake_clock + SECOND); /* the map is not asked for twice */
	CHECK(ask(2) != 0);
	flush_and_read();
	CHECK_LOG("0 a1 EXISTS k\n0 a1 CLUSTER SLOTS\n0 a1 EXISTS k\n");
	CHECK_INT(next(), RL_CONN_REPLY); /* the command does not wait for the map */
	CHECK_INT(event.tag, 1);
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK(!knows());
	fake_clock += 5 * MS;
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REPLY); /* the map is no event */
	CHECK_INT(event.tag, 2);
	CHECK(knows());
	CHECK_INT(next(), RL_CONN_NONE);
	CHECK_INT(conn->pending_count, 0);
}

static void a_map_that_is_an_error_teaches_nothing(void)
{
	static const char *const texts[] = {
		"-NOPERM no", "-ERR cluster support disabled", "_", ":1", "*", "*:1 :2"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		start();
		fake_says(0, texts[i]);
		fake_says(0, ":0");
		rl_conn_ask_map(conn, route, fake_clock);
		CHECK(ask(2) != 0);
		flush_and_read();
		check_reply_to(2);
		CHECK(!rl_route_knows(route, 0));
		CHECK_INT(route->node_count, 1);
		CHECK(rl_conn_is_reusable(conn));
		CHECK(!rl_route_wants_map(route, RL_NEVER)); /* until a slot has moved */
		clean_up();
	}
}

static void a_connection_is_given_back_with_the_map_pending(void)
{
	ask_and_map_later();
	flush_and_read();
	CHECK_INT(next(), RL_CONN_REPLY);
	rl_conn_discard_pending(conn); /* the map stays */
	CHECK(rl_conn_is_reusable(conn));
	rl_pool_give(&fake_pool, conn, fake_clock);
	conn = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock);
	CHECK(conn != NULL);
	CHECK(ask(3) != 0);
	fake_clock += 5 * MS;
	flush_and_read();
	check_reply_to(3);
	CHECK(knows());
}

static void the_pool_reads_a_map_that_has_arrived(void)
{
	start();
	fake_says(0, MAP);
	rl_conn_ask_map(conn, route, fake_clock);
	flush_and_read();
	CHECK(rl_conn_catch_up(conn, fake_clock));
	CHECK(knows());
	CHECK_INT(conn->pending_count, 0);
}

static void a_connection_keeps_the_route_of_its_map(void)
{
	start();
	fake_says(0, MAP);
	rl_conn_ask_map(conn, route, fake_clock);
	CHECK_INT(route->refs, 2);
	rl_route *second = rl_route_new(RL_ROUTE_CLUSTER, &fake_targets[0]);
	rl_route_unref(route);
	route = NULL;
	flush_and_read();
	CHECK_INT(next(), RL_CONN_NONE);
	rl_conn_ask_map(conn, second, fake_clock); /* the connection drops the first route */
	CHECK(conn->mapped == second);
	rl_conn_free(conn);
	conn = NULL;
	CHECK_INT(second->refs, 1);
	rl_route_unref(second);
}

static void a_map_that_could_not_be_asked_for_is_still_wanted(void)
{
	start();
	appends_left = 1;
	fake_lacks_memory = lacks_memory;
	rl_conn_ask_map(conn, route, fake_clock);
	fake_lacks_memory = NULL;
	CHECK(conn->mapped == NULL);
	CHECK_INT(conn->pending_count, 0);
	CHECK(!rl_route_wants_map(route, fake_clock));
	CHECK(rl_route_wants_map(route, fake_clock + SECOND));
}

static void a_map_that_is_taken_back_is_still_wanted(void)
{
	for (unsigned has_map = 0; has_map < 2; has_map++) {
		begin_login(FAKE_HANG);
		CHECK(ask(1) != 0);
		if (has_map) {
			rl_conn_ask_map(conn, route, fake_clock);
		} else {
			CHECK(rl_route_wants_map(route, fake_clock)); /* another connection asks */
		}
		CHECK(ask(2) != 0);
		CHECK(rl_conn_retract(conn));
		CHECK_INT(conn->pending_count, 1);
		CHECK_INT(rl_route_wants_map(route, fake_clock + SECOND), has_map);
		clean_up();
	}
}

static void a_map_whose_connection_ends_is_still_wanted(void)
{
	for (unsigned is_read = 0; is_read < 2; is_read++) {
		start();
		fake_says(0, MAP);
		rl_conn_ask_map(conn, route, fake_clock);
		if (is_read != 0) {
			flush_and_read();
			CHECK_INT(next(), RL_CONN_NONE);
		}
		rl_conn_free(conn);
		conn = NULL;
		CHECK_INT(rl_route_wants_map(route, fake_clock + SECOND), is_read == 0);
		clean_up();
	}
}

static const check_test tests[] = {
	TEST(asking_is_sent_before_each_command),
	TEST(a_command_that_needs_no_asking_is_sent_alone),
	TEST(the_replicas_are_asked_after_the_command),
	TEST(asking_alone_is_taken_back),
	TEST(asking_alone_is_taken_back_before_the_login_as_well),
	TEST(the_map_is_read_when_it_arrives),
	TEST(a_map_that_is_an_error_teaches_nothing),
	TEST(a_connection_is_given_back_with_the_map_pending),
	TEST(the_pool_reads_a_map_that_has_arrived),
	TEST(a_connection_keeps_the_route_of_its_map),
	TEST(a_map_that_could_not_be_asked_for_is_still_wanted),
	TEST(a_map_that_is_taken_back_is_still_wanted),
	TEST(a_map_whose_connection_ends_is_still_wanted),
};

CHECK_MAIN(tests, clean_up)
