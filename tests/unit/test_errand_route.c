/* SPDX-License-Identifier: MIT
 *
 * Errands to clusters: redirects, and the doubt after them.
 */
#include "calling.h"
#include "check.h"

#include <string.h>

/* Node a answers with a redirect to b, and node b with its own text; NULL = no answer. */
static void begin_redirected(const char *of_a, const char *of_b)
{
	begin_warm_cluster("ab");
	fake_says(0, of_a);
	if (of_b != NULL) {
		fake_says(1, of_b);
	}
}

/* ---- MOVED ---- */

static void a_moved_is_followed_at_once_and_noted(void)
{
	begin_redirected(MOVED_TO("b"), "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET "0 b1 " SET);
	CHECK_INT(fake_node_of(route), 'b');
	CHECK_INT(fake_stats.cluster_redirects, 1);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK_INT(fake_stats.reconnects, 0);
	CHECK_INT(fake_pool.count, 2);
	fake_forget_log();
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("0 b1 release k tok\n");
}

static void a_node_that_was_no_seed_is_dialled(void)
{
	begin_warm_cluster("a");
	fake_set.members[0].target->database = 0;
	fake_says(0, MOVED_TO("e"));
	fake_says(4, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET "0 e1 dial\n0 e1 " SET "0 e1 NAME\n");
	CHECK_INT(route->node_count, 2);
}

static void a_redirect_without_a_host_means_the_node_that_answered(void)
{
	static const char *const texts[] = {"-MOVED 7629 :6379", "-MOVED 7629 ?:6379"};
	for (unsigned i = 0; i < 2; i++) {
		begin_warm_cluster("a");
		fake_says(0, texts[i]);
		fake_says(0, "+OK");
		CHECK_INT(fake_drive(acquire()), RL_OK);
		CHECK_LOG("0 a1 " SET "0 a1 " SET);
		fake_end();
	}
}

/* Each verb is sent again in its form. A refusal leaves no doubt. */
static void each_verb_is_redirected(void)
{
	static const rl_verb verbs[] = {
		RL_VERB_RELEASE, RL_VERB_EXTEND, RL_VERB_FORCE, RL_VERB_EXISTS, RL_VERB_REMAINING};
	for (unsigned i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		begin_warm_cluster("ab");
		fake_says(0, MOVED_TO("b"));
		fake_says(1, ":0");
		const char *token = verbs[i] < RL_VERB_FORCE ? "tok" : "";
		rl_status status = fake_drive(fake_ask(verbs[i], token, 1000));
		CHECK_INT(status, verbs[i] == RL_VERB_REMAINING ? RL_OK : RL_BUSY);
		CHECK_COUNT("dial", 0);
		CHECK_INT(fake_stats.cluster_redirects, 1);
		fake_end();
	}
}

static void the_callers_token_is_sent_to_the_other_node(void)
{
	begin_redirected(MOVED_TO("b"), "+OK");
	CHECK_INT(fake_drive(acquire_own()), RL_OK);
	CHECK_LOG("0 a1 SET k drawn NX PX 30000\n0 b1 SET k drawn NX PX 30000\n");
	fake_end();
	begin_redirected(MOVED_TO("b"), "+OK");
	fake_says(1, ":1");
	CHECK_INT(fake_drive(&fake_acquire_own("mine", 30000, 0)->op), RL_OK);
	CHECK_LOG("0 a1 SET k T1 NX PX 30000\n0 b1 SET k T1 NX PX 30000\n0 b1 swap k T1 mine 30000\n");
}

/* The script in another node's cache is asked for anew. */
static void a_redirected_script_keeps_its_form(void)
{
	begin_warm_cluster("ab");
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

static void a_call_follows_five_redirects(void)
{
	begin_warm_cluster("abcdef");
	plan_chain(5);
	fake_says(5, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_COUNT(SET, 6);
	CHECK_INT(fake_stats.cluster_redirects, 5);
}

static void the_sixth_redirect_is_a_failure_that_may_pass(void)
{
	begin_warm_cluster("abcdef");
	plan_chain(6);
	rl_op *op = fails(acquire(), RL_ERR_CONNECT);
	CHECK_COUNT(SET, 6);
	CHECK_HAS(op->err->message,
		"redirected too often (is a node down, or the user not allowed to send ASKING?); "
		"the last node, redis://f:6379, answered: MOVED 7629 g:6379");
	CHECK(rl_quorum_call_may_pass(&op->call));
	CHECK(strstr(op->err->message, "unknown") == NULL);
	CHECK_INT(fake_stats.grants_undone, 0);
	CHECK_INT(fake_ms(), 0);
}

static void a_circle_of_redirects_ends(void)
{
	begin_warm_cluster("ab");
	for (unsigned i = 0; i < 9; i++) {
		fake_says(0, MOVED_TO("b"));
		fake_says(1, i % 2 == 0 ? MOVED_TO("a") : ASK_AT("a"));
	}
	fails(acquire(), RL_ERR_CONNECT);
	CHECK_COUNT(SET, 6);
	CHECK_INT(fake_pool.count, 2);
}

/* A wait begins anew with each round, and ends at its deadline. */
static void a_wait_goes_on_in_a_circle_of_redirects(void)
{
	begin_warm_cluster("ab");
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

static void an_ask_puts_asking_before_the_command_and_is_not_noted(void)
{
	begin_redirected(ASK_AT("b"), "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET "0 b1 ASKING\n0 b1 " SET);
	CHECK_INT(fake_node_of(route), 0);
	CHECK_INT(fake_writes, 2);
	CHECK_INT(fake_pool.count, 2);
}

static void a_script_that_is_sent_again_follows_asking_again(void)
{
	begin_redirected(ASK_AT("b"), "-NOSCRIPT x");
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_EXTEND, "tok", 1000)), RL_OK);
	CHECK_LOG("0 a1 extend k tok 1000\n0 b1 ASKING\n0 b1 extend k tok 1000\n"
			  "0 b1 ASKING\n0 b1 EXTEND k tok 1000\n");
}

static void a_call_that_times_out_at_an_asked_node_is_undone_there(void)
{
	begin_redirected(ASK_AT("b"), NULL);
	rl_op *op = fails(acquire(), RL_ERR_TIMEOUT);
	CHECK_LOG(
		"0 a1 " SET "0 b1 ASKING\n0 b1 " SET "1000 b1 ASKING\n1000 b1 RELEASE k T1\n1000 b1 end\n");
	CHECK(strstr(op->err->message, "unknown") == NULL);
	CHECK_INT(fake_stats.grants_undone, 1);
}

static void a_call_that_is_abandoned_at_an_asked_node_is_undone_there(void)
{
	begin_redirected(ASK_AT("b"), NULL);
	abandon_later(acquire());
	CHECK_HAS(fake_log(), "5 b1 ASKING\n5 b1 RELEASE k T1\n");
}

/* An ASK redirect holds for one command only: a owns the slot until it has moved all keys to b,
 * so the next call begins at node a again. */
static void the_next_call_begins_at_the_owner_again(void)
{
	begin_redirected(ASK_AT("b"), "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	fake_forget_log();
	fake_says(0, ASK_AT("b"));
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("0 a1 release k tok\n0 b1 ASKING\n0 b1 release k tok\n");
}

static void a_moved_after_ask_needs_no_asking(void)
{
	begin_warm_cluster("abc");
	fake_says(0, ASK_AT("b"));
	fake_says(1, MOVED_TO("c"));
	fake_says(2, "+OK");
	CHECK_INT(fake_drive(acquire()), RL_OK);
	CHECK_LOG("0 a1 " SET "0 b1 ASKING\n0 b1 " SET "0 c1 " SET);
	CHECK_INT(fake_node_of(route), 'c');
}

/* The node refuses the login after it has received a command with ASKING. */
static void an_undo_after_a_refused_login_follows_asking(void)
{
	begin_cluster("ab");
	fake_warm(0);
	fake_login_says(1, "AUTH", "-WRONGPASS no");
	fake_targets[1].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	fake_says(0, ASK_AT("b"));
	fake_says(1, "+OK");
	fake_says(1, ":1");
	fails(acquire(), RL_ERR_SERVER);
	CHECK_HAS(fake_log(), "0 b1 ASKING\n0 b1 " SET);
	CHECK_HAS(fake_log(), "0 b1 ASKING\n0 b1 RELEASE k T1\n");
}

/* The message gives no advice to use redis-cluster://, which the DSN has. */
static void a_login_that_is_redirected_is_explained(void)
{
	begin_cluster("ab");
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	fake_login_says(0, "AUTH", MOVED_TO("b"));
	rl_op *op = fails(acquire(), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "MOVED");
	CHECK_HAS(op->err->message, "which no node of a cluster redirects");
	CHECK(strstr(op->err->message, "redis-cluster") == NULL);
}

/* ---- TRYAGAIN, CLUSTERDOWN ---- */

static void tryagain_is_asked_again_with_the_key_alone(void)
{
	begin_warm_cluster("ab");
	fake_set.wakes = true;
	fake_says(0, "-TRYAGAIN x");
	fake_says(0, ASK_AT("b"));
	fake_says(1, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("0 a1 release 3 k {k}::rl-wait {k}::rl-wake tok\n0 a1 release k tok\n"
			  "0 b1 ASKING\n0 b1 release k tok\n");
	CHECK(fake_set.wakes);
	CHECK_INT(fake_stats.wake_failures, 1);
}

/* Redis 6.2 redirects a command as soon as one of its keys has moved. Node a may still have the
 * lock, so node b, which lacks it, must not be asked for it alone. */
static void tryagain_after_ask_is_asked_again_of_the_owner(void)
{
	begin_warm_cluster("ab");
	fake_set.wakes = true;
	fake_says(0, ASK_AT("b"));
	fake_says(1, "-TRYAGAIN x");
	fake_says(0, ":1");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_OK);
	CHECK_LOG("0 a1 release 3 k {k}::rl-wait {k}::rl-wake tok\n0 b1 ASKING\n"
			  "0 b1 release 3 k {k}::rl-wait {k}::rl-wake tok\n0 a1 release k tok\n");
	CHECK_INT(fake_pool.count, 2);
}

/* Another call has learned meanwhile that the servers do not allow the helper keys. Node b must not
 * be asked for the lock alone in this case either. */
static void helper_keys_that_were_redirected_are_sent_after_ask(void)
{
	begin_warm_cluster("ab");
	fake_set.wakes = true;
	fake_acts(0, FAKE_SAY, ASK_AT("b"), 5 * MS);
	fake_says(1, "-TRYAGAIN x");
	fake_says(0, ":1");
	rl_op *op = fake_ask(RL_VERB_RELEASE, "tok", 0);
	CHECK(!fake_drive_to(op, FAKE_START + 1 * MS));
	rl_set_stop_waking(&fake_set);
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_LOG("0 a1 release 3 k {k}::rl-wait {k}::rl-wake tok\n5 b1 ASKING\n"
			  "5 b1 release 3 k {k}::rl-wait {k}::rl-wake tok\n5 a1 release k tok\n");
}

/* A FENCE cannot do without its second key. */
static rl_op *fence(void)
{
	begin_warm_cluster("ab");
	fake_set.backoff.jitter = 0;
	return fake_ask(RL_VERB_FENCE, "tok", 0);
}

static void tryagain_to_a_fence_is_asked_again_after_pauses(void)
{
	rl_op *op = fence();
	fake_says(0, "-TRYAGAIN x");
	fake_says(0, ASK_AT("b"));
	fake_says(1, "-TRYAGAIN x");
	fake_says(1, "$123");
	CHECK_INT(fake_drive(op), RL_OK);
	CHECK_INT(op->call.terms.request.fence_number, 123);
	CHECK_LOG("0 a1 fence 2 k {k}::rl-fence tok 0\n10 a1 fence 2 k {k}::rl-fence tok 0\n"
			  "10 b1 ASKING\n10 b1 fence 2 k {k}::rl-fence tok 0\n"
			  "30 b1 ASKING\n30 b1 fence 2 k {k}::rl-fence tok 0\n");
}

static void tryagain_to_a_fence_is_the_failure_at_the_end(void)
{
	rl_op *op = fence();
	for (unsigned i = 0; i < 20; i++) {
		fake_says(0, "-TRYAGAIN x");
	}
	fails(op, RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "TRYAGAIN");
	CHECK(fake_ms() < 1000);
	CHECK_COUNT("a1 fence", 9);
	CHECK_COUNT("dial", 0);
	CHECK_INT(fake_pool.count, 2);
}

static void clusterdown_passes_in_a_wait(void)
{
	begin_warm_cluster("a");
	for (unsigned i = 0; i < 3; i++) {
		fake_says(0, "-CLUSTERDOWN x");
	}
	fake_says(0, "*:1 :0");
	CHECK_INT(fake_drive(&fake_acquire(30000, SECOND)->op), RL_OK);
	CHECK_COUNT("dial", 0);
}

static void clusterdown_is_the_failure_without_a_wait(void)
{
	begin_warm_cluster("a");
	fake_says(0, "-CLUSTERDOWN The cluster is down");
	rl_op *op = fails(acquire(), RL_ERR_SERVER);
	CHECK_TEXT(op->err->code, "CLUSTERDOWN");
}

/* ---- doubt ---- */

/* Node a's answer is lost, and then node a redirects the second copy of the command to node b.
 * @param of_b the answer of node b; NULL = it gives none */
static void begin_lost_and_moved(const char *of_b)
{
	begin_warm_cluster("ab");
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_says(0, MOVED_TO("b"));
	if (of_b != NULL) {
		fake_says(1, of_b);
	}
}

/* The answer is lost. The redirect to another node does not clear the doubt; only an answer of that
 * node does. */
static void a_doubt_outlasts_moved(void)
{
	begin_lost_and_moved(NULL);
	rl_op *op = fails(acquire(), RL_ERR_TIMEOUT);
	CHECK_HAS(fake_log(), "0 b1 try k T1 30000 1 0 - 0\n"); /* maybe ours */
	CHECK_HAS(fake_log(), "b1 RELEASE k T1\n");
	CHECK_INT(op->err->status, RL_ERR_TIMEOUT);
}

static void an_answer_after_moved_clears_the_doubt(void)
{
	begin_lost_and_moved("*:1 :0");
	CHECK_INT(fake_drive(acquire()), RL_OK);
}

/* The first copy may have freed the lock at node a, so "not ours" of node b says nothing. */
static void a_release_that_broke_before_moved_is_unknown(void)
{
	begin_lost_and_moved(":0");
	rl_op *op = fake_ask(RL_VERB_RELEASE, "tok", 0);
	CHECK_INT(fake_drive(op), RL_ERR_UNKNOWN);
	CHECK_HAS(op->err->message, "outcome unknown");
}

static void a_redirect_alone_leaves_no_doubt(void)
{
	begin_redirected(MOVED_TO("b"), ":0");
	CHECK_INT(fake_drive(fake_ask(RL_VERB_RELEASE, "tok", 0)), RL_BUSY);
}

/* The proof counts from the command that was carried out. */
static void the_proof_begins_at_the_node_that_granted(void)
{
	begin_warm_cluster("ab");
	fake_acts(0, FAKE_SAY, MOVED_TO("b"), 40 * MS);
	fake_acts(1, FAKE_SAY, "+OK", 10 * MS);
	rl_acquire *op = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&op->op), RL_OK);
	CHECK_INT(rl_quorum_call_sent_at(&op->op.call), FAKE_START + 40 * MS);
}

/* After a lost answer the proof counts from the first command, which may have been carried out. */
static void the_proof_begins_with_the_doubt(void)
{
	begin_warm_cluster("ab");
	fake_acts(0, FAKE_BREAK, NULL, 40 * MS);
	fake_acts(0, FAKE_SAY, MOVED_TO("b"), 10 * MS);
	fake_says(1, "*:1 :0");
	rl_acquire *op = fake_acquire(30000, 0);
	CHECK_INT(fake_drive(&op->op), RL_OK);
	CHECK_INT(rl_quorum_call_sent_at(&op->op.call), FAKE_START);
}

static void force_that_was_redirected_is_sent_once_more(void)
{
	begin_redirected(MOVED_TO("b"), NULL);
	fake_acts(1, FAKE_BREAK, NULL, 0);
	rl_op *op = fake_ask(RL_VERB_FORCE, "", 0);
	CHECK_INT(fake_drive(op), RL_ERR_UNKNOWN);
	CHECK_COUNT("force", 2);
}

static const check_test tests[] = {
	TEST(a_moved_is_followed_at_once_and_noted),
	TEST(a_node_that_was_no_seed_is_dialled),
	TEST(a_redirect_without_a_host_means_the_node_that_answered),
	TEST(each_verb_is_redirected),
	TEST(the_callers_token_is_sent_to_the_other_node),
	TEST(a_redirected_script_keeps_its_form),
	TEST(a_call_follows_five_redirects),
	TEST(the_sixth_redirect_is_a_failure_that_may_pass),
	TEST(a_circle_of_redirects_ends),
	TEST(a_wait_goes_on_in_a_circle_of_redirects),
	TEST(an_ask_puts_asking_before_the_command_and_is_not_noted),
	TEST(a_script_that_is_sent_again_follows_asking_again),
	TEST(a_call_that_times_out_at_an_asked_node_is_undone_there),
	TEST(a_call_that_is_abandoned_at_an_asked_node_is_undone_there),
	TEST(the_next_call_begins_at_the_owner_again),
	TEST(a_moved_after_ask_needs_no_asking),
	TEST(an_undo_after_a_refused_login_follows_asking),
	TEST(a_login_that_is_redirected_is_explained),
	TEST(tryagain_is_asked_again_with_the_key_alone),
	TEST(tryagain_after_ask_is_asked_again_of_the_owner),
	TEST(helper_keys_that_were_redirected_are_sent_after_ask),
	TEST(tryagain_to_a_fence_is_asked_again_after_pauses),
	TEST(tryagain_to_a_fence_is_the_failure_at_the_end),
	TEST(clusterdown_passes_in_a_wait),
	TEST(clusterdown_is_the_failure_without_a_wait),
	TEST(a_doubt_outlasts_moved),
	TEST(an_answer_after_moved_clears_the_doubt),
	TEST(a_release_that_broke_before_moved_is_unknown),
	TEST(a_redirect_alone_leaves_no_doubt),
	TEST(the_proof_begins_at_the_node_that_granted),
	TEST(the_proof_begins_with_the_doubt),
	TEST(force_that_was_redirected_is_sent_once_more),
};

CHECK_MAIN(tests, fake_end)
