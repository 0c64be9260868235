/* SPDX-License-Identifier: MIT
 *
 * Connections that a call has given back without waiting for them, as calls to several members do:
 * still connecting, or with a pending reply. And servers that are backed off.
 */
#include "check.h"
#include "fake.h"

#include <string.h>

#define PATIENCE (200 * MS)

static rl_conn *taken;

static void clean_up(void)
{
	rl_conn_free(taken);
	taken = NULL;
	fake_targets[0].password = (rl_secret){NULL, 0};
	fake_end();
}

static rl_conn *take(void)
{
	rl_conn_free(taken);
	taken = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock);
	return taken;
}

static void to_ms(int64_t ms)
{
	fake_clock = FAKE_START + ms * MS;
}

static bool is_worth_asking(void)
{
	return rl_pool_is_worth_asking(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock);
}

/* Gives the pool a connection that is still connecting, for 100 ms at most. */
static void give_connecting(void)
{
	rl_error err;
	rl_conn *conn =
		rl_conn_dial(&fake_transport, &fake_targets[0], fake_clock + 100 * MS, &fake_env, &err);
	CHECK(conn != NULL);
	rl_pool_give_unheard(&fake_pool, conn, PATIENCE, fake_clock);
}

/* Gives the pool a connection with a pending reply. */
static rl_conn *give_owing(void)
{
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	rl_conn *conn = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock);
	CHECK(conn != NULL);
	CHECK(rl_conn_send_blind(conn, &request));
	fake_transport.flush(conn->link);
	rl_pool_give_unheard(&fake_pool, conn, PATIENCE, fake_clock);
	return conn;
}

/* ---- under way ---- */

static void a_connection_under_way_is_used(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 50 * MS);
	give_connecting();
	CHECK(rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
	to_ms(40);
	CHECK(take() != NULL);
	CHECK(!fake_transport.is_connected(taken->link));
	rl_pool_give_unheard(&fake_pool, taken, PATIENCE, fake_clock);
	taken = NULL;
	/* The link goes on connecting when the pool looks at it, although no driver steps it. */
	to_ms(50);
	CHECK(take() != NULL);
	CHECK(fake_transport.is_connected(taken->link));
	CHECK_LOG("0 a1 dial\n");
	CHECK(fake_pool.troubles == NULL);
}

static void a_connection_that_is_not_made_in_time_is_dropped(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_HANG, 0);
	give_connecting();
	to_ms(99);
	CHECK(rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
	to_ms(100);
	CHECK(take() == NULL);
	CHECK_LOG("0 a1 dial\n100 a1 close\n");
	CHECK_INT(fake_pool.count, 0);
	CHECK_INT(fake_pool.troubles->fails, 1);
}

static void a_refused_connection_is_dropped(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_REFUSE_LATER, 20 * MS);
	give_connecting();
	to_ms(19);
	CHECK(rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
	to_ms(20);
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
	CHECK_LOG("0 a1 dial\n20 a1 close\n");
	CHECK_INT(fake_pool.troubles->redial_at, FAKE_START + 30 * MS);
}

static void a_connection_that_logs_in_is_used_after_the_login(void)
{
	static char password[] = "secret";
	fake_begin(1);
	fake_targets[0].password = (rl_secret){password, 6};
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	give_connecting();
	fake_transport.flush(fake_pool.idle->link);
	CHECK_INT(fake_pool.idle->logins_pending, 1);
	CHECK(take() != NULL);
	CHECK_INT(taken->logins_pending, 0); /* the answer had arrived */
	CHECK_LOG("0 a1 dial\n0 a1 AUTH secret\n");
}

static void a_connection_whose_login_is_refused_is_dropped(void)
{
	static char password[] = "secret";
	fake_begin(1);
	fake_targets[0].password = (rl_secret){password, 6};
	fake_login_says(0, "AUTH", "-WRONGPASS x");
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	give_connecting();
	fake_transport.flush(fake_pool.idle->link);
	CHECK(take() == NULL);
	CHECK_COUNT("a1 close", 1);
}

/* ---- silent ones ---- */

static void a_connection_with_pending_replies_is_used_again(void)
{
	fake_begin(1);
	fake_warm(0);
	give_owing();
	to_ms(199);
	CHECK(take() != NULL);
	CHECK_INT(taken->pending_count, 1);
}

static void a_connection_that_is_silent_too_long_is_dropped_and_lingers(void)
{
	fake_begin(1);
	fake_warm(0);
	give_owing();
	fake_forget_log();
	to_ms(200);
	CHECK(take() == NULL);
	/* The unread commands may include an undo, so the server gets the time to read them. */
	CHECK_LOG("200 a1 end\n");
	CHECK(fake_pool.lingering != NULL);
	CHECK_INT(fake_pool.count, 0);
	CHECK_INT(fake_pool.troubles->fails, 1);
	CHECK(!is_worth_asking());
}

static void a_connection_that_has_answered_is_not_silent(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SAY, ":1", 150 * MS);
	give_owing();
	to_ms(1000); /* no call has looked at the connection since */
	CHECK(take() != NULL);
	CHECK_INT(taken->pending_count, 0);
	CHECK(fake_pool.troubles == NULL);
}

static void any_answer_begins_the_time_for_silence_anew(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SAY, ":1", 150 * MS);
	fake_acts(0, FAKE_SILENCE, NULL, 0);
	give_owing();
	to_ms(100);
	give_owing();
	to_ms(200);
	CHECK(take() != NULL); /* one reply has arrived, another one is pending */
	CHECK_INT(taken->pending_count, 1);
	rl_pool_give_unheard(&fake_pool, taken, PATIENCE, fake_clock);
	taken = NULL;
	to_ms(399);
	CHECK(rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
	to_ms(400);
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
}

/* A later command does not make the first pending reply younger. */
static void further_use_of_a_silent_connection_does_not_prolong_its_time(void)
{
	fake_begin(1);
	fake_warm(0);
	for (unsigned i = 0; i < 4; i++) {
		to_ms(i * 50);
		give_owing();
	}
	to_ms(200);
	CHECK(take() == NULL);
}

/* The connection was made while no operation waited for it, so what was queued goes out later. */
static void a_connection_that_was_sent_nothing_is_not_silent(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT_AT_ONCE, 0);
	rl_error err;
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	rl_conn *conn =
		rl_conn_dial(&fake_transport, &fake_targets[0], fake_clock + 50 * MS, &fake_env, &err);
	CHECK(conn != NULL && rl_conn_send_blind(conn, &request));
	rl_pool_give_unheard(&fake_pool, conn, PATIENCE, fake_clock);
	to_ms(100);
	CHECK(give_owing() == conn);
	to_ms(299);
	CHECK(take() == conn);
	rl_pool_give_unheard(&fake_pool, taken, PATIENCE, fake_clock);
	taken = NULL;
	to_ms(300);
	CHECK(take() == NULL);
}

static void a_silent_connection_that_has_died_is_dropped(void)
{
	fake_begin(1);
	fake_warm(0);
	give_owing();
	fake_kill(0);
	to_ms(200);
	CHECK(take() == NULL);
	CHECK_COUNT("200 a1 close", 1);
	CHECK(fake_pool.lingering == NULL);
}

/* A close with unread replies would reset the connection, and the server could lose what it has not
 * read. */
static void a_connection_with_pending_replies_lingers_when_the_pool_ends(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_warm(0);
	give_owing();
	fake_forget_log();
	rl_pool_end_idle(&fake_pool, fake_clock);
	CHECK_INT(fake_pool.count, 0);
	CHECK_LOG("0 a2 end\n0 a1 close\n");
	CHECK(fake_pool.lingering != NULL);
}

static void a_connection_with_pending_replies_lingers_when_its_address_is_cleared(void)
{
	fake_begin(2);
	fake_warm(1);
	fake_warm(0);
	give_owing();
	fake_forget_log();
	rl_pool_clear_address(&fake_pool, &fake_targets[1].address, fake_clock);
	CHECK_LOG("0 b1 close\n");
	rl_pool_clear_address(&fake_pool, &fake_targets[0].address, fake_clock);
	CHECK_COUNT("0 a1 end", 1);
	CHECK_COUNT("0 a1 close", 0);
}

static void a_connection_with_pending_replies_lingers_when_it_makes_room(void)
{
	fake_begin(1);
	fake_warm(0);
	give_owing();
	for (unsigned i = 0; i < RL_POOL_TARGET_MAX; i++) {
		fake_warm(0);
	}
	CHECK_INT(fake_pool.count, RL_POOL_TARGET_MAX);
	CHECK(fake_pool.lingering != NULL);
	CHECK_INT(fake_pool.lingering->pending_count, 1);
}

static void a_connection_without_pending_replies_does_not_linger(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SAY, ":1", 10 * MS);
	give_owing();
	fake_dials(0, FAKE_HANG, 0);
	give_connecting();
	to_ms(10);
	fake_forget_log();
	rl_pool_end_idle(&fake_pool, fake_clock);
	CHECK_LOG("10 a2 close\n10 a1 close\n");
}

static void a_forked_child_closes_these_connections(void)
{
	fake_begin(1);
	fake_warm(0);
	give_owing();
	fake_forget_log();
	fake_fork();
	rl_pool_end_idle(&fake_pool, fake_clock);
	CHECK_LOG("0 a1 close\n");
	CHECK(fake_pool.lingering == NULL);
}

/* ---- the choice of a connection ---- */

static void a_connection_with_pending_replies_is_preferred(void)
{
	fake_begin(1);
	fake_warm(0);
	rl_conn *owing = give_owing();
	fake_warm(0);
	fake_warm(0);
	CHECK(take() == owing);
}

static void a_ready_connection_is_preferred_to_one_under_way(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_dials(0, FAKE_HANG, 0);
	give_connecting();
	CHECK(take() != NULL);
	CHECK(fake_transport.is_connected(taken->link));
	rl_conn *ready = taken;
	taken = NULL;
	CHECK(take() != NULL);
	CHECK(!fake_transport.is_connected(taken->link));
	rl_pool_give(&fake_pool, ready, fake_clock);
}

/* ---- trouble ---- */

static void the_pause_of_the_back_off_grows_to_a_second(void)
{
	static const int64_t pauses[] = {10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000};
	fake_begin(1);
	CHECK(is_worth_asking());
	for (unsigned i = 0; i < 10; i++) {
		rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
		fake_clock += pauses[i] * MS - 1;
		CHECK(!is_worth_asking());
		fake_clock += 1;
		CHECK(is_worth_asking());
	}
	CHECK(fake_pool.troubles->next == NULL);
}

static void an_answer_ends_the_back_off(void)
{
	fake_begin(1);
	for (unsigned i = 0; i < 5; i++) {
		rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	}
	rl_pool_note_answer(&fake_pool, &fake_targets[0]);
	CHECK(is_worth_asking());
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	CHECK_INT(fake_pool.troubles->redial_at, fake_clock + 10 * MS);
}

static void an_answer_read_on_the_way_back_to_the_pool_ends_the_back_off(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_says(0, ":1");
	give_owing();
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	CHECK(take() != NULL);
	CHECK(fake_pool.troubles != NULL);
	fake_read(taken->link);
	CHECK(rl_conn_catch_up(taken, fake_clock));
	rl_pool_give(&fake_pool, taken, fake_clock);
	taken = NULL;
	CHECK(fake_pool.troubles == NULL);
}

static void a_server_with_a_connection_is_worth_asking(void)
{
	fake_begin(1);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	CHECK(!is_worth_asking());
	fake_warm(0);
	CHECK(is_worth_asking());
}

static void each_target_is_backed_off_by_itself(void)
{
	fake_begin(2);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	CHECK(!is_worth_asking());
	CHECK(rl_pool_is_worth_asking(&fake_pool, &fake_targets[1], RL_WANT_ANY, fake_clock));
	rl_pool_note_answer(&fake_pool, &fake_targets[1]);
	CHECK(!is_worth_asking());
}

static void of_too_many_targets_the_first_to_be_due_is_forgotten(void)
{
	rl_target many[RL_POOL_BACKED_OFF_MAX];
	fake_begin(1);
	for (unsigned i = 0; i < RL_POOL_BACKED_OFF_MAX; i++) {
		many[i] = fake_targets[0];
		many[i].database = i + 1;
		rl_pool_note_failure(&fake_pool, &many[i], fake_clock + (i == 7 ? -MS : 0));
	}
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	CHECK(!is_worth_asking());
	unsigned spared = 0;
	for (unsigned i = 0; i < RL_POOL_BACKED_OFF_MAX; i++) {
		spared += !rl_pool_is_worth_asking(&fake_pool, &many[i], RL_WANT_ANY, fake_clock);
	}
	CHECK_INT(spared, RL_POOL_BACKED_OFF_MAX - 1);
	CHECK(rl_pool_is_worth_asking(&fake_pool, &many[7], RL_WANT_ANY, fake_clock));
	rl_pool_clear(&fake_pool);
}

static void clearing_the_pool_and_a_fork_end_the_back_off(void)
{
	fake_begin(1);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	rl_pool_clear(&fake_pool);
	CHECK(is_worth_asking());
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	fake_fork();
	CHECK(!rl_pool_has(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock));
	CHECK(is_worth_asking());
}

/* ---- idle times ---- */

/* No reply was pending meanwhile. */
static void an_idle_time_is_no_silence(void)
{
	fake_begin(1);
	fake_warm(0);
	CHECK(take() != NULL);
	rl_pool_give_unheard(&fake_pool, taken, PATIENCE, fake_clock);
	taken = NULL;
	to_ms(5000);
	rl_conn *conn = give_owing();
	CHECK_INT(conn->pending_since, FAKE_START + 5000 * MS);
	to_ms(5199);
	CHECK(take() == conn);
	CHECK(fake_pool.troubles == NULL);
	rl_pool_give_unheard(&fake_pool, taken, PATIENCE, fake_clock);
	taken = NULL;
	to_ms(5200);
	CHECK(take() == NULL);
}

static void a_server_is_not_backed_off_after_an_answer(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SAY, ":1", 10 * MS);
	give_owing();
	to_ms(20);
	CHECK(take() != NULL);
	CHECK(rl_conn_catch_up(taken, fake_clock));
	CHECK_INT(taken->pending_count, 0);
	rl_pool_give_unheard(&fake_pool, taken, PATIENCE, fake_clock);
	taken = NULL;
	to_ms(5000);
	give_owing();
	to_ms(5100);
	CHECK(take() != NULL);
}

/* ---- connections for blocking commands ---- */

static rl_conn *take_quiet(void)
{
	rl_conn_free(taken);
	taken = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_QUIET, fake_clock);
	return taken;
}

static void a_blocking_command_takes_no_connection_with_pending_replies(void)
{
	fake_begin(1);
	fake_warm(0);
	rl_conn *quiet = fake_pool.idle;
	fake_warm(0);
	give_owing(); /* this is the other connection, the latest used */
	CHECK(take_quiet() == quiet);
	CHECK(take_quiet() == NULL);
	CHECK_INT(fake_pool.count, 1);
}

/* The owner has given the connection back and does not want the reply, which is still pending. */
static void a_blocking_command_takes_no_connection_with_discarded_replies(void)
{
	fake_begin(1);
	fake_warm(0);
	rl_conn *conn = give_owing();
	CHECK(take() == conn);
	rl_pool_give(&fake_pool, conn, fake_clock);
	taken = NULL;
	CHECK(take_quiet() == NULL);
	CHECK_INT(fake_pool.count, 1);
}

static void a_blocking_command_takes_no_connection_under_way(void)
{
	fake_begin(1);
	fake_dials(0, FAKE_ACCEPT, 50 * MS);
	give_connecting();
	CHECK(take_quiet() == NULL);
	CHECK_INT(fake_pool.count, 1);
	to_ms(50);
	CHECK(take() != NULL); /* the link goes on connecting when the pool looks at it */
	rl_pool_give_unheard(&fake_pool, taken, PATIENCE, fake_clock);
	taken = NULL;
	CHECK(take_quiet() != NULL);
}

static void a_blocking_command_takes_no_dead_connection(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_kill(0);
	CHECK(take_quiet() == NULL);
	CHECK_INT(fake_pool.count, 0);
}

/* ---- lingering connections ---- */

static bool is_lingering(unsigned member)
{
	const rl_conn *conn = rl_pool_lingers(&fake_pool, fake_clock) ? fake_pool.lingering : NULL;
	while (conn != NULL && !rl_target_equal(conn->target, &fake_targets[member])) {
		conn = conn->next;
	}
	return conn != NULL;
}

static void a_connection_lingers_until_its_last_reply(void)
{
	fake_begin(2);
	fake_warm(0);
	fake_acts(0, FAKE_SAY, ":1", 1000 * MS);
	give_owing();
	CHECK(!is_lingering(0));
	to_ms(200);
	CHECK(take() == NULL);
	CHECK(is_lingering(0));
	CHECK(!is_lingering(1));
	to_ms(999);
	CHECK(is_lingering(0));
	to_ms(1000);
	CHECK(!is_lingering(0));
	CHECK_COUNT("1000 a1 close", 1);
}

static void a_connection_lingers_no_longer_than_its_time(void)
{
	fake_begin(1);
	fake_warm(0);
	give_owing();
	to_ms(200);
	CHECK(take() == NULL);
	fake_clock += RL_POOL_LINGER_NS;
	CHECK(is_lingering(0));
	fake_clock++;
	CHECK(!is_lingering(0));
}

static void no_connection_lingers_in_a_forked_child(void)
{
	fake_begin(1);
	fake_warm(0);
	give_owing();
	to_ms(200);
	CHECK(take() == NULL);
	fake_fork();
	CHECK(!rl_pool_has(
		&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock)); /* the pool notices the fork */
	CHECK(!is_lingering(0));
}

static uint64_t lock_of(const char *token)
{
	return rl_conn_lock(bytes_of("k"), bytes_of(token));
}

static void note_own(rl_conn *conn)
{
	rl_conn_note_own(conn, bytes_of("k"), bytes_of("tok"));
}

static bool may_free_own(unsigned member)
{
	return rl_pool_may_free(&fake_pool, &fake_targets[member], lock_of("tok"), fake_clock);
}

static bool may_free_own_anywhere(void)
{
	return rl_pool_may_free(&fake_pool, NULL, lock_of("tok"), fake_clock);
}

/* A connection with a pending reply, and perhaps one to a command that may free a caller's token.
 */
static void let_linger(bool is_own)
{
	fake_warm(0);
	fake_acts(0, FAKE_SAY, ":1", 500 * MS);
	rl_conn *conn = give_owing();
	if (is_own) {
		note_own(conn);
	}
	to_ms(200);
	CHECK(take() == NULL);
}

static void a_lingering_command_may_free_a_callers_token(void)
{
	fake_begin(2);
	let_linger(false);
	CHECK(!may_free_own(0));
	CHECK(!may_free_own_anywhere());
	fake_end();
	fake_begin(2);
	let_linger(true);
	CHECK(may_free_own(0));
	CHECK(!may_free_own(1));
	CHECK(may_free_own_anywhere());
	CHECK(!rl_pool_may_free(&fake_pool, NULL, lock_of("other"), fake_clock));
	CHECK(!rl_pool_may_free(
		&fake_pool, NULL, rl_conn_lock(bytes_of("k2"), bytes_of("tok")), fake_clock));
	to_ms(500);
	CHECK(!may_free_own(0));
	fake_end();
	fake_begin(2);
	let_linger(true);
	fake_fork();
	CHECK(!may_free_own(0));
}

/* The next command to this server goes on the same connection, after the pending one. So does a
 * swap, even if the reply is overdue, but a SET does not. */
static void an_idle_command_may_free_a_callers_token_once_it_is_overdue(void)
{
	fake_begin(2);
	fake_warm(0);
	note_own(give_owing());
	to_ms(199);
	CHECK(!may_free_own_anywhere());
	to_ms(200);
	CHECK(!may_free_own(0));
	CHECK_INT(fake_pool.count, 1);
	CHECK(may_free_own_anywhere());
	CHECK_INT(fake_pool.count, 0);
	CHECK(is_lingering(0));
	CHECK(may_free_own(0));
	fake_end();
	/* The pool has only to look for the reply. */
	fake_begin(2);
	fake_warm(0);
	fake_acts(0, FAKE_SAY, ":1", 150 * MS);
	note_own(give_owing());
	to_ms(200);
	CHECK(!may_free_own_anywhere());
	CHECK_INT(fake_pool.count, 1);
}

/* Of two idle connections the next command takes one, and may overtake a command on the other. */
static void a_command_on_another_idle_connection_may_free_a_callers_token(void)
{
	fake_begin(2);
	fake_warm(0);
	fake_warm(0);
	note_own(give_owing());
	CHECK(!may_free_own(0)); /* it is taken next, because of its pending reply */
	CHECK(!may_free_own_anywhere());
	rl_conn *other = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_QUIET, fake_clock);
	CHECK(other != NULL);
	rl_request request = {.verb = RL_VERB_EXISTS, .key = bytes_of("k")};
	CHECK(rl_conn_send_blind(other, &request));
	fake_transport.flush(other->link);
	rl_pool_give_unheard(&fake_pool, other, PATIENCE, fake_clock);
	CHECK(may_free_own(0));
	CHECK(!may_free_own(1));
	CHECK(may_free_own_anywhere());
}

/* Commands for several locks are not told apart. */
static void a_connection_may_have_such_commands_for_several_locks(void)
{
	fake_begin(1);
	fake_warm(0);
	rl_conn *conn = give_owing();
	note_own(conn);
	note_own(conn);
	CHECK(!rl_conn_may_free(conn, lock_of("other")));
	rl_conn_note_own(conn, bytes_of("k2"), bytes_of("tok"));
	CHECK(rl_conn_may_free(conn, lock_of("tok")));
	CHECK(rl_conn_may_free(conn, lock_of("other")));
	conn->own_left = 0;
	CHECK(!rl_conn_may_free(conn, lock_of("tok")));
	note_own(conn);
	CHECK(!rl_conn_may_free(conn, lock_of("other")));
}

/* The pool has looked at the connection, and given out another one. The reply has been read, so no
 * silence is counted from then on. */
static void a_look_at_a_connection_reads_its_pending_replies(void)
{
	fake_begin(1);
	fake_warm(0);
	fake_acts(0, FAKE_SAY, ":1", 300 * MS);
	rl_conn *conn = give_owing();
	fake_warm(0);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock + 5 * SECOND);
	to_ms(400);
	CHECK(is_worth_asking());
	CHECK_INT(conn->pending_count, 0);
	rl_pool_note_answer(&fake_pool, &fake_targets[0]);
	to_ms(5000);
	CHECK(take() != NULL && taken != conn);
	rl_conn *other = taken;
	taken = NULL;
	CHECK(give_owing() == conn);
	to_ms(5001);
	rl_conn *again = rl_pool_take(&fake_pool, &fake_targets[0], RL_WANT_ANY, fake_clock);
	rl_conn_free(other);
	taken = again;
	CHECK(taken == conn);
}

static const check_test tests[] = {
	TEST(a_connection_under_way_is_used),
	TEST(a_connection_that_is_not_made_in_time_is_dropped),
	TEST(a_refused_connection_is_dropped),
	TEST(a_connection_that_logs_in_is_used_after_the_login),
	TEST(a_connection_whose_login_is_refused_is_dropped),
	TEST(a_connection_with_pending_replies_is_used_again),
	TEST(a_connection_that_is_silent_too_long_is_dropped_and_lingers),
	TEST(a_connection_that_has_answered_is_not_silent),
	TEST(any_answer_begins_the_time_for_silence_anew),
	TEST(further_use_of_a_silent_connection_does_not_prolong_its_time),
	TEST(a_connection_that_was_sent_nothing_is_not_silent),
	TEST(a_silent_connection_that_has_died_is_dropped),
	TEST(a_connection_with_pending_replies_lingers_when_the_pool_ends),
	TEST(a_connection_with_pending_replies_lingers_when_its_address_is_cleared),
	TEST(a_connection_with_pending_replies_lingers_when_it_makes_room),
	TEST(a_connection_without_pending_replies_does_not_linger),
	TEST(a_forked_child_closes_these_connections),
	TEST(a_connection_with_pending_replies_is_preferred),
	TEST(a_ready_connection_is_preferred_to_one_under_way),
	TEST(the_pause_of_the_back_off_grows_to_a_second),
	TEST(an_answer_ends_the_back_off),
	TEST(an_answer_read_on_the_way_back_to_the_pool_ends_the_back_off),
	TEST(a_server_with_a_connection_is_worth_asking),
	TEST(each_target_is_backed_off_by_itself),
	TEST(of_too_many_targets_the_first_to_be_due_is_forgotten),
	TEST(clearing_the_pool_and_a_fork_end_the_back_off),
	TEST(an_idle_time_is_no_silence),
	TEST(a_server_is_not_backed_off_after_an_answer),
	TEST(a_blocking_command_takes_no_connection_with_pending_replies),
	TEST(a_blocking_command_takes_no_connection_with_discarded_replies),
	TEST(a_blocking_command_takes_no_connection_under_way),
	TEST(a_blocking_command_takes_no_dead_connection),
	TEST(a_connection_lingers_until_its_last_reply),
	TEST(a_connection_lingers_no_longer_than_its_time),
	TEST(no_connection_lingers_in_a_forked_child),
	TEST(a_lingering_command_may_free_a_callers_token),
	TEST(an_idle_command_may_free_a_callers_token_once_it_is_overdue),
	TEST(a_command_on_another_idle_connection_may_free_a_callers_token),
	TEST(a_connection_may_have_such_commands_for_several_locks),
	TEST(a_look_at_a_connection_reads_its_pending_replies),
};

CHECK_MAIN(tests, clean_up)
