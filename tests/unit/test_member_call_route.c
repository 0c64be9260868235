/* SPDX-License-Identifier: MIT
 *
 * Member calls to clusters: redirects, nodes that fail, and the map.
 */
#include "check.h"
#include "fake_route.h"

#include <string.h>

#define SET "SET k T1 NX PX 30000"

static rl_route *route;

static void begin(const char *seeds)
{
	fake_begin(1);
	route = fake_cluster(0, seeds);
}

static void begin_warm(const char *seeds)
{
	begin(seeds);
	fake_warm_seeds(route);
}

static rl_status acquire(void)
{
	rl_op *op = &fake_acquire(30000, 0)->op;
	rl_status status = fake_drive(op);
	fake_free(op);
	return status;
}

static rl_op *acquire_failed(rl_status status)
{
	rl_op *op = &fake_acquire(30000, 0)->op;
	CHECK_INT(fake_drive(op), status);
	return op;
}

/* ---- MOVED ---- */

static void moved_is_followed_at_once_and_noted(void)
{
	begin_warm("ab");
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_LOG("0 a1 " SET "\n0 b1 " SET "\n");
	CHECK_INT(fake_node_of(route), 'b');
	CHECK_INT(fake_stats.redirects, 1);
	CHECK_INT(fake_stats.undone, 0);
	CHECK_INT(fake_stats.reconnects, 0);
	CHECK_INT(fake_pool.count, 2);
	fake_forget_log();
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("0 b1 release k tok\n");
}

static void a_node_that_was_no_seed_is_dialled(void)
{
	begin_warm("a");
	fake_set.members[0].target->database = 0;
	fake_says(0, MOVED_TO("e"));
	fake_says(4, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_LOG("0 a1 " SET "\n0 e1 dial\n0 e1 " SET "\n0 e1 NAME\n");
	CHECK_INT(route->node_count, 2);
}

static void no_host_means_the_node_that_answered(void)
{
	static const char *const texts[] = {"-MOVED 7629 :6379", "-MOVED 7629 ?:6379"};
	for (unsigned i = 0; i < 2; i++) {
		begin_warm("a");
		fake_says(0, texts[i]);
		fake_says(0, "+OK");
		CHECK_INT(acquire(), RL_OK);
		CHECK_LOG("0 a1 " SET "\n0 a1 " SET "\n");
		fake_end();
	}
}

/* Each verb goes on as it was; a refusal is no doubt. */
static void each_verb_is_redirected(void)
{
	static const rl_verb verbs[] = {
		RL_VERB_RELEASE, RL_VERB_EXTEND, RL_VERB_FORCE, RL_VERB_EXISTS, RL_VERB_REMAINING};
	for (unsigned i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		begin_warm("ab");
		fake_says(0, MOVED_TO("b"));
		fake_says(1, ":0");
		const char *token = verbs[i] < RL_VERB_FORCE ? "tok" : "";
		rl_status status = fake_drive(fake_ask(verbs[i], token, 1000));
		CHECK_INT(status, verbs[i] == RL_VERB_REMAINING ? RL_OK : RL_BUSY);
		CHECK_COUNT("dial", 0);
		CHECK_INT(fake_stats.redirects, 1);
		fake_end();
	}
}

static void the_callers_token_is_sent_to_the_other_node(void)
{
	begin_warm("ab");
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "+OK");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_LOG("0 a1 SET k mine NX PX 30000\n0 b1 SET k mine NX PX 30000\n");
}

/* The script in another node's cache is asked for anew. */
static void a_script_keeps_the_form_that_its_server_wanted(void)
{
	begin_warm("ab");
	fake_says(0, "-NOSCRIPT x");
	fake_says(0, MOVED_TO("b"));
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_OK);
	CHECK_LOG("0 a1 extend k tok 1000\n0 a1 EXTEND k tok 1000\n0 b1 EXTEND k tok 1000\n");
}

/* ---- how many ---- */

static void plan_chain(unsigned redirects)
{
	static const char *const texts[] = {
		MOVED_TO("b"), MOVED_TO("c"), MOVED_TO("d"), MOVED_TO("e"), MOVED_TO("f"), MOVED_TO("g")};
	for (unsigned i = 0; i < redirects; i++) {
		fake_says(i, texts[i]);
	}
}

static void five_redirects_are_followed(void)
{
	begin_warm("abcdef");
	plan_chain(5);
	fake_says(5, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_COUNT(SET, 6);
	CHECK_INT(fake_stats.redirects, 5);
}

static void the_sixth_fails_as_what_may_pass(void)
{
	begin_warm("abcdef");
	plan_chain(6);
	rl_op *op = acquire_failed(RL_ERR_CONNECT);
	CHECK_COUNT(SET, 6);
	CHECK_HAS(op->err->message,
		"redirected too often (is a node down, or the user not allowed to send ASKING?); "
		"the last node, redis://f:6379, answered: MOVED 7629 g:6379");
	CHECK(rl_quorum_call_may_pass(&op->call));
	CHECK(strstr(op->err->message, "unknown") == NULL);
	CHECK_INT(fake_stats.undone, 0);
	CHECK_INT(fake_ms(), 0);
}

static void a_circle_ends(void)
{
	begin_warm("ab");
	for (unsigned i = 0; i < 9; i++) {
		fake_says(0, MOVED_TO("b"));
		fake_says(1, i % 2 == 0 ? MOVED_TO("a") : ASK_AT("a"));
	}
	acquire_failed(RL_ERR_CONNECT);
	CHECK_COUNT(SET, 6);
	CHECK_INT(fake_pool.count, 2);
}

/* A wait begins anew with each round, and ends at its deadline. */
static void a_wait_goes_on_in_a_circle(void)
{
	begin_warm("ab");
	for (unsigned i = 0; i < 150; i++) {
		fake_says(0, MOVED_TO("b"));
		fake_says(1, MOVED_TO("a"));
	}
	rl_op *op = &fake_acquire(30000, 300 * MS)->op;
	CHECK_INT(fake_drive(op), RL_ERR_CONNECT);
	CHECK_INT(fake_ms(), 300);
	CHECK_HAS(op->err->message, "redirected too often");
}

/* ---- ASK ---- */

static void ask_puts_asking_before_the_command_and_is_not_noted(void)
{
	begin_warm("ab");
	fake_says(0, ASK_AT("b"));
	fake_says(1, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_LOG("0 a1 " SET "\n0 b1 ASKING\n0 b1 " SET "\n");
	CHECK_INT(fake_node_of(route), 0);
	CHECK_INT(fake_writes, 2);
	CHECK_INT(fake_pool.count, 2);
}

static void a_script_that_is_sent_again_is_behind_asking_again(void)
{
	begin_warm("ab");
	fake_says(0, ASK_AT("b"));
	fake_says(1, "-NOSCRIPT x");
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_OK);
	CHECK_LOG("0 a1 extend k tok 1000\n0 b1 ASKING\n0 b1 extend k tok 1000\n"
			  "0 b1 ASKING\n0 b1 EXTEND k tok 1000\n");
}

static void what_times_out_there_is_undone_there(void)
{
	begin_warm("ab");
	fake_says(0, ASK_AT("b"));
	rl_op *op = acquire_failed(RL_ERR_TIMEOUT);
	CHECK_LOG("0 a1 " SET "\n0 b1 ASKING\n0 b1 " SET
			  "\n1000 b1 ASKING\n1000 b1 RELEASE k T1\n1000 b1 end\n");
	CHECK(strstr(op->err->message, "unknown") == NULL);
	CHECK_INT(fake_stats.undone, 1);
}

static void what_is_abandoned_there_is_undone_there(void)
{
	begin_warm("ab");
	fake_says(0, ASK_AT("b"));
	rl_op *op = &fake_acquire(30000, 0)->op;
	CHECK(!fake_drive_to(op, FAKE_START + 5 * MS));
	rl_op_abandon(op, fake_clock, false);
	CHECK_HAS(fake_log(), "5 b1 ASKING\n5 b1 RELEASE k T1\n");
}

/* The node that was asked knows a key that is on its way: the next one begins at the owner. */
static void the_next_call_begins_at_the_owner_again(void)
{
	begin_warm("ab");
	fake_says(0, ASK_AT("b"));
	fake_says(1, "+OK");
	CHECK_INT(acquire(), RL_OK);
	fake_forget_log();
	fake_says(0, ASK_AT("b"));
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("0 a1 release k tok\n0 b1 ASKING\n0 b1 release k tok\n");
}

static void moved_after_ask_needs_no_asking(void)
{
	begin_warm("abc");
	fake_says(0, ASK_AT("b"));
	fake_says(1, MOVED_TO("c"));
	fake_says(2, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_LOG("0 a1 " SET "\n0 b1 ASKING\n0 b1 " SET "\n0 c1 " SET "\n");
	CHECK_INT(fake_node_of(route), 'c');
}

/* The login is refused behind a command that came with ASKING. */
static void an_undo_after_a_refused_login_is_behind_asking(void)
{
	begin("ab");
	fake_warm(0);
	fake_login_says(1, "AUTH", "-WRONGPASS no");
	fake_targets[1].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	fake_says(0, ASK_AT("b"));
	fake_says(1, "+OK");
	fake_says(1, ":1");
	acquire_failed(RL_ERR_SERVER);
	CHECK_HAS(fake_log(), "0 b1 ASKING\n0 b1 " SET "\n");
	CHECK_HAS(fake_log(), "0 b1 ASKING\n0 b1 RELEASE k T1\n");
}

/* ---- TRYAGAIN, CLUSTERDOWN ---- */

static void tryagain_is_asked_again_with_the_key_alone(void)
{
	begin_warm("ab");
	fake_set.wakes = true;
	fake_says(0, "-TRYAGAIN x");
	fake_says(0, ASK_AT("b"));
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("0 a1 release 3 k {k}::rl-wait {k}::rl-wake tok\n0 a1 release k tok\n"
			  "0 b1 ASKING\n0 b1 release k tok\n");
	CHECK(fake_set.wakes);
	CHECK_INT(fake_stats.fallbacks, 1);
}

static void clusterdown_passes_in_a_wait(void)
{
	begin_warm("a");
	for (unsigned i = 0; i < 3; i++) {
		fake_says(0, "-CLUSTERDOWN x");
	}
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_COUNT("dial", 0);
}

static void clusterdown_is_the_failure_without_a_wait(void)
{
	begin_warm("a");
	fake_says(0, "-CLUSTERDOWN The cluster is down");
	rl_op *op = acquire_failed(RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "CLUSTERDOWN");
}

/* ---- doubt ---- */

/* The answer is lost. That another node speaks for the key does not clear it; only an answer of
 * that node does. */
static void the_doubt_stays_over_moved(void)
{
	begin_warm("ab");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, MOVED_TO("b"));
	rl_op *op = acquire_failed(RL_ERR_TIMEOUT);
	CHECK_HAS(fake_log(), "0 b1 try k T1 30000 1 0 - 0\n"); /* maybe ours */
	CHECK_HAS(fake_log(), "b1 RELEASE k T1\n");
	CHECK_INT(op->err->status, RL_ERR_TIMEOUT);
}

static void an_answer_behind_moved_clears_the_doubt(void)
{
	begin_warm("ab");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "*:1 :0");
	CHECK_INT(acquire(), RL_OK);
}

/* The first copy may have freed it there, so "not ours" here says nothing. */
static void a_release_that_broke_before_moved_is_unknown(void)
{
	begin_warm("ab");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, MOVED_TO("b"));
	fake_says(1, ":0");
	rl_op *op = fake_ask(RL_VERB_RELEASE, "tok", 0);
	CHECK_INT(fake_drive(op), RL_ERR_UNKNOWN);
	CHECK_HAS(op->err->message, "outcome unknown");
}

static void moved_alone_leaves_no_doubt(void)
{
	begin_warm("ab");
	fake_says(0, MOVED_TO("b"));
	fake_says(1, ":0");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_BUSY);
}

/* The proof counts from the command that was carried out. */
static void the_proof_begins_at_the_node_that_granted(void)
{
	begin_warm("ab");
	fake_acts(0, FAKE_SAY, MOVED_TO("b"), 40 * MS);
	fake_acts(1, FAKE_SAY, "+OK", 10 * MS);
	rl_acquire *op = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&op->op), RL_OK);
	CHECK_INT(rl_quorum_call_sent_at(&op->op.call), FAKE_START + 40 * MS);
}

/* But after a lost answer from the first, which may have granted. */
static void the_proof_begins_with_the_doubt(void)
{
	begin_warm("ab");
	fake_acts(0, FAKE_BREAK, NULL, 40 * MS);
	fake_acts(0, FAKE_SAY, MOVED_TO("b"), 10 * MS);
	fake_says(1, "*:1 :0");
	rl_acquire *op = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&op->op), RL_OK);
	CHECK_INT(rl_quorum_call_sent_at(&op->op.call), FAKE_START);
}

static void force_that_was_redirected_is_sent_once_more(void)
{
	begin_warm("ab");
	fake_says(0, MOVED_TO("b"));
	fake_acts(1, FAKE_BREAK, NULL, 0);
	rl_op *op = fake_ask(RL_VERB_FORCE, "", 0);
	CHECK_INT(fake_drive(op), RL_ERR_UNKNOWN);
	CHECK_COUNT("force", 2);
}

/* ---- nodes that fail ---- */

/* Any other node can redirect. */
static void a_node_that_refuses_is_passed_over(void)
{
	begin("abc");
	fake_dials(0, FAKE_REFUSE, 0);
	fake_says(1, MOVED_TO("c"));
	fake_says(2, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_INT(fake_ms(), 0);
	CHECK_COUNT("a1 dial", 1);
	CHECK_INT(fake_node_of(route), 'c');
}

/* It is named again, and is the only one that knows: it is asked until the hops are used up. */
static void moved_to_a_node_that_refuses(void)
{
	begin("ab");
	fake_warm(0);
	for (unsigned i = 0; i < 9; i++) {
		fake_says(0, MOVED_TO("b"));
		fake_dials(1, FAKE_REFUSE, 0);
	}
	rl_op *op = acquire_failed(RL_ERR_CONNECT);
	CHECK_HAS(op->err->message, "redis://");
	CHECK(fake_count("b") >= 2);
	CHECK_INT(fake_stats.undone, 0);
	CHECK(rl_quorum_call_may_pass(&op->call));
}

static void moved_to_a_node_that_hangs(void)
{
	begin("ab");
	fake_warm(0);
	fake_says(0, MOVED_TO("b"));
	fake_dials(1, FAKE_HANG, 0);
	fake_says(0, MOVED_TO("c")); /* a replica of it has the slot now */
	fake_says(2, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_INT(fake_ms(), 1000);
	CHECK_COUNT("b1 dial", 1);
	CHECK_INT(fake_node_of(route), 'c');
}

static void all_nodes_refuse(void)
{
	begin("abc");
	for (unsigned i = 0; i < 3; i++) {
		fake_dials(i, FAKE_REFUSE, 0);
		fake_dials(i, FAKE_REFUSE, 0);
		fake_dials(i, FAKE_REFUSE, 0);
	}
	acquire_failed(RL_ERR_CONNECT);
	CHECK_COUNT("dial", 6); /* the first, and five more */
	CHECK_INT(fake_ms(), 0);
}

/* The driver resolves the name, and the node is dialled again. */
static void a_name_is_resolved_first(void)
{
	begin("a");
	fake_warm(0);
	fake_names_move = true;
	fake_says(0, MOVED_TO("b"));
	fake_dials(1, FAKE_NO_NAME, 0);
	fake_says(1, "+OK");
	rl_op *op = &fake_acquire(30000, 0)->op;
	rl_tick tick = {.now = fake_clock, .seen = 0};
	CHECK(!rl_op_step(op, &tick, &fake_wait));
	CHECK(!fake_wait.wants_names);
	fake_read(fake_wait.links[0]);
	tick.seen = fake_clock;
	CHECK(!rl_op_step(op, &tick, &fake_wait));
	CHECK(fake_wait.wants_names);
	CHECK_INT(fake_wait.count, 0);
	CHECK_COUNT("b1 SET", 0);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_COUNT("SET", 2);
	CHECK_INT(fake_distrusts, 1);
	CHECK_INT(fake_node_of(route), 'b');
}

/* Nothing new would come of it: another node is asked. */
static void a_name_without_an_address_leads_to_another_node(void)
{
	begin("ac");
	fake_warm(0);
	fake_says(0, MOVED_TO("b"));
	fake_dials(1, FAKE_NO_NAME, 0);
	fake_says(0, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_COUNT("a1 SET", 2);
	CHECK_COUNT("b1 SET", 0);
}

static void a_node_with_an_idle_connection_needs_no_name(void)
{
	begin_warm("ab");
	fake_names_move = true;
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_INT(fake_distrusts, 0);
}

/* Resolving takes longer than the budget: that is a failure with a reason. */
static void a_name_that_takes_too_long(void)
{
	begin("a");
	fake_warm(0);
	fake_names_move = true;
	fake_acts(0, FAKE_SAY, MOVED_TO("b"), 900 * MS);
	fake_dials(1, FAKE_NO_NAME, 0);
	rl_op *op = &fake_acquire(30000, 0)->op;
	CHECK(!fake_drive_to(op, FAKE_START + 900 * MS));
	fake_clock += 5 * SECOND;
	CHECK_INT(fake_drive(op), RL_ERR_NAME);
	CHECK_COUNT("b1 SET", 0);
	CHECK_HAS(op->err->message, "b:6379");
	CHECK_INT(fake_stats.undone, 0);
}

/* ---- several members ---- */

static void one_of_several_members_is_redirected(void)
{
	fake_begin(3);
	route = fake_cluster(1, "bd");
	fake_warm(0);
	fake_warm(1);
	fake_warm(2);
	fake_says(0, "+OK");
	fake_says(1, MOVED_TO("d"));
	fake_says(3, "+OK");
	fake_acts(2, FAKE_SAY, "_", 5 * MS);
	CHECK_INT(acquire(), RL_OK);
	CHECK_COUNT(SET, 4);
	CHECK_INT(fake_ms(), 0);
}

/* No quorum: the cluster's grant, which came behind ASKING, is undone behind ASKING. */
static void a_minority_at_an_asked_node_is_undone_behind_asking(void)
{
	fake_begin(3);
	route = fake_cluster(1, "bd");
	fake_warm(0);
	fake_warm(1);
	fake_warm(2);
	fake_warm(3);
	fake_says(0, "_");
	fake_says(1, ASK_AT("d"));
	fake_acts(2, FAKE_SAY, "_", 5 * MS);
	fake_says(3, "+OK");
	CHECK(!fake_drive_to(&fake_acquire(30000, 0)->op, FAKE_START + 6 * MS));
	CHECK_HAS(fake_log(), "5 d1 ASKING\n5 d1 RELEASE k T1\n");
}

/* The caller's token is taken back where a minority has granted it, behind ASKING. */
static void an_own_token_is_taken_back_behind_asking(void)
{
	fake_begin(3);
	route = fake_cluster(1, "bd");
	fake_warm(0);
	fake_warm(1);
	fake_warm(2);
	fake_warm(3);
	fake_says(0, "_");
	fake_says(1, ASK_AT("d"));
	fake_acts(2, FAKE_SAY, "_", 5 * MS);
	fake_says(3, "+OK");
	fake_says(3, ":1");
	CHECK(!fake_drive_to(&fake_acquire_own("mine", 30000, 0)->op, FAKE_START + 6 * MS));
	CHECK_HAS(fake_log(), "5 d1 ASKING\n5 d1 RELEASE k mine\n");
	CHECK_INT(fake_stats.undone, 1);
}

/* A member that does not allow the helper keys: the release that is left unanswered elsewhere is
 * written twice, and both times behind ASKING. */
static void a_backup_release_is_behind_asking(void)
{
	fake_begin(3);
	fake_set.wakes = true;
	route = fake_cluster(1, "bd");
	for (unsigned i = 0; i < 4; i++) {
		fake_warm(i);
	}
	fake_says(0, "-NOPERM x");
	fake_says(0, ":1");
	fake_says(1, ASK_AT("d"));
	fake_says(2, ":1");
	fake_acts(3, FAKE_SILENCE, NULL, 0);
	rl_plain_args args = {.verb = RL_VERB_RELEASE,
		.key = bytes_of("k"),
		.token = bytes_of("rl1.AAAAAAAAAAAAAAAAAAAAAAAA")};
	CHECK_INT(fake_drive(fake_plain(&args)), RL_OK);
	CHECK_COUNT("d1 ASKING", 2);
	CHECK_HAS(fake_log(), "d1 ASKING\n0 d1 RELEASE k T1\n");
}

/* ---- a server that is no member of a cluster for us ---- */

static void a_plain_member_that_answers_moved_says_which_dsn_to_use(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_says(0, MOVED_TO("b"));
	rl_op *op = acquire_failed(RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "MOVED");
	CHECK_HAS(op->err->message, "redis-cluster://");
	CHECK_LOG("0 a1 " SET "\n");
	CHECK_INT(fake_stats.redirects, 0);
	CHECK(!rl_quorum_call_may_pass(&op->call));
}

/* ---- the map ---- */

static void the_map_is_asked_for_beside_a_command_and_read_later(void)
{
	begin_warm("a");
	route->map_due = 0;
	fake_always(0, "CLUSTER", FAKE_SAY, "#0 8191 b 6379;8192 16383 c 6379", 20 * MS);
	fake_says(0, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_LOG("0 a1 " SET "\n0 a1 CLUSTER SLOTS\n");
	CHECK_INT(fake_ms(), 0); /* it is not waited for */
	CHECK_INT(fake_node_of(route), 0);
	fake_clock += 30 * MS;
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_INT(fake_node_of(route), 'b');
	CHECK_INT(route->node_count, 3);
	CHECK(rl_route_knows(route, 16383));
}

static void the_map_is_asked_for_once_a_second(void)
{
	begin_warm("ab");
	route->map_due = 0;
	for (unsigned i = 0; i < 40; i++) {
		fake_says(i % 2, i % 2 == 0 ? MOVED_TO("b") : MOVED_TO("a"));
		fake_says(1 - i % 2, "+OK");
		CHECK_INT(acquire(), RL_OK);
		fake_clock += 100 * MS;
	}
	CHECK_COUNT("CLUSTER SLOTS", 4);
}

/* Between the request and the reply there is no memory, or the connection ends. */
static void a_map_that_never_comes_is_asked_for_again_after_a_move(void)
{
	begin_warm("ab");
	route->map_due = 0;
	fake_always(0, "CLUSTER", FAKE_BREAK, "", 0);
	fake_says(0, "+OK");
	CHECK_INT(acquire(), RL_OK);
	fake_clock += 2 * SECOND;
	fake_says(0, MOVED_TO("b"));
	fake_says(1, "+OK");
	CHECK_INT(acquire(), RL_OK);
	CHECK_COUNT("CLUSTER SLOTS", 2);
}

static const check_test tests[] = {TEST(moved_is_followed_at_once_and_noted),
	TEST(a_node_that_was_no_seed_is_dialled), TEST(no_host_means_the_node_that_answered),
	TEST(each_verb_is_redirected), TEST(the_callers_token_is_sent_to_the_other_node),
	TEST(a_script_keeps_the_form_that_its_server_wanted), TEST(five_redirects_are_followed),
	TEST(the_sixth_fails_as_what_may_pass), TEST(a_circle_ends), TEST(a_wait_goes_on_in_a_circle),
	TEST(ask_puts_asking_before_the_command_and_is_not_noted),
	TEST(a_script_that_is_sent_again_is_behind_asking_again),
	TEST(what_times_out_there_is_undone_there), TEST(what_is_abandoned_there_is_undone_there),
	TEST(the_next_call_begins_at_the_owner_again), TEST(moved_after_ask_needs_no_asking),
	TEST(an_undo_after_a_refused_login_is_behind_asking),
	TEST(tryagain_is_asked_again_with_the_key_alone), TEST(clusterdown_passes_in_a_wait),
	TEST(clusterdown_is_the_failure_without_a_wait), TEST(the_doubt_stays_over_moved),
	TEST(an_answer_behind_moved_clears_the_doubt),
	TEST(a_release_that_broke_before_moved_is_unknown), TEST(moved_alone_leaves_no_doubt),
	TEST(the_proof_begins_at_the_node_that_granted), TEST(the_proof_begins_with_the_doubt),
	TEST(force_that_was_redirected_is_sent_once_more), TEST(a_node_that_refuses_is_passed_over),
	TEST(moved_to_a_node_that_refuses), TEST(moved_to_a_node_that_hangs), TEST(all_nodes_refuse),
	TEST(a_name_is_resolved_first), TEST(a_name_without_an_address_leads_to_another_node),
	TEST(a_node_with_an_idle_connection_needs_no_name), TEST(a_name_that_takes_too_long),
	TEST(one_of_several_members_is_redirected),
	TEST(a_minority_at_an_asked_node_is_undone_behind_asking),
	TEST(an_own_token_is_taken_back_behind_asking), TEST(a_backup_release_is_behind_asking),
	TEST(a_plain_member_that_answers_moved_says_which_dsn_to_use),
	TEST(the_map_is_asked_for_beside_a_command_and_read_later),
	TEST(the_map_is_asked_for_once_a_second),
	TEST(a_map_that_never_comes_is_asked_for_again_after_a_move)};

CHECK_MAIN(tests, fake_end)
