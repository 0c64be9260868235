/* SPDX-License-Identifier: MIT
 *
 * Lookups: what the Sentinels say, and what comes of it. The Sentinels are the fake's servers.
 */
#include "check.h"
#include "core/base/rl_time.h"
#include "core/conn/rl_lookup.h"
#include "fake_link.h"
#include "fake_memory.h"

#include <stdio.h>
#include <string.h>

#define TIME (400 * MS)
#define STEPS 1000
#define ASK "SENTINEL GET-MASTER-ADDR-BY-NAME mymaster\n"
#define OLD "*$10.0.0.1 $6379"
#define NEW "*$10.0.0.2 $6380"

static char common_host[] = "a";
static rl_target common;
static rl_route *route;
static rl_lookup lookup;
static rl_error err;
static unsigned most_links; /* that were waited for */

static void clean_up(void)
{
	is_counting = false;
	rl_lookup_destroy(&lookup);
	rl_route_unref(route);
	route = NULL;
	fake_end();
}

static void begin_with(unsigned sentinels, unsigned quorum)
{
	fake_begin(sentinels);
	common = (rl_target){.refs = 1, .address = {.host = common_host, .port = 1}};
	route = rl_route_new(RL_ROUTE_SENTINEL, &common);
	CHECK(route != NULL && rl_route_set_service(route, bytes_of("mymaster")));
	route->sentinel_quorum = quorum;
	for (unsigned i = 0; i < sentinels; i++) {
		CHECK(rl_route_add_seed(route, &fake_targets[i]));
	}
	rl_lookup_init(&lookup, route, &fake_pool);
	most_links = 0;
}

static void begin(unsigned sentinels)
{
	begin_with(sentinels, 0);
}

static void begin_alone(unsigned sentinels)
{
	begin(sentinels);
	rl_lookup_destroy(&lookup);
	rl_lookup_init_alone(&lookup, route, &fake_transport, &fake_env);
}

static void warm(void)
{
	for (unsigned i = 0; i < route->seed_count; i++) {
		fake_warm(i);
	}
}

/* Each of them says it. */
static void all_say(const char *text)
{
	for (unsigned i = 0; i < route->seed_count; i++) {
		fake_says(i, text);
	}
}

static void start(void)
{
	rl_lookup_begin(&lookup, fake_clock + TIME, fake_clock);
}

static int64_t next_time(rl_wait *wait)
{
	rl_wait_begin(wait);
	rl_lookup_add_to_wait(&lookup, wait);
	most_links = wait->count > most_links ? wait->count : most_links;
	int64_t at = wait->until;
	for (unsigned i = 0; i < wait->count; i++) {
		at = rl_time_earlier(at, fake_next_on(wait->links[i]));
	}
	return at;
}

/* Drives the lookup until the clock would pass the time. */
static rl_vote drive_to(int64_t time)
{
	rl_tick tick = {.now = fake_clock, .seen = 0};
	for (unsigned i = 0; i < STEPS; i++) {
		rl_vote vote = rl_lookup_step(&lookup, &tick);
		CHECK_INT(rl_lookup_is_open(&lookup), vote == RL_VOTE_OPEN);
		if (vote != RL_VOTE_OPEN) {
			return vote;
		}
		rl_wait wait;
		int64_t at = next_time(&wait);
		if (at > time) {
			fake_clock = time;
			return RL_VOTE_OPEN;
		}
		fake_clock = at > fake_clock ? at : fake_clock;
		for (unsigned j = 0; j < wait.count; j++) {
			fake_read(wait.links[j]);
		}
		tick = (rl_tick){.now = fake_clock, .seen = fake_clock};
	}
	FAIL("no end after %d steps", STEPS);
}

static rl_vote look_up(void)
{
	start();
	rl_vote vote = drive_to(RL_NEVER - 1);
	if (vote != RL_VOTE_GRANTED) {
		rl_lookup_explain(&lookup, &err);
	}
	return vote;
}

static const char *primary(void)
{
	static char text[300];
	const rl_target *node = rl_route_node(route, 0);
	snprintf(text, sizeof text, "%s:%u", node != NULL ? node->address.host : "-",
		node != NULL ? (unsigned) node->address.port : 0);
	return text;
}

/* ---- agreement ---- */

static void all_are_asked_at_once_and_a_majority_decides(void)
{
	begin(3);
	fake_says(0, OLD);
	fake_acts(1, FAKE_SAY, OLD, 5 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED); /* c is silent */
	CHECK_TEXT(primary(), "10.0.0.1:6379");
	CHECK_INT(fake_ms(), 5);
	CHECK_LOG("0 a1 dial\n0 b1 dial\n0 c1 dial\n"
			  "0 a1 " ASK "0 a1 NAME\n0 b1 " ASK "0 b1 NAME\n0 c1 " ASK "0 c1 NAME\n");
	CHECK_INT(fake_stats.lookups, 1);
	CHECK_INT(fake_stats.connects, 3);
	CHECK_INT(most_links, 3);
	CHECK_INT(fake_pool.count, 3);
	CHECK(rl_route_node(route, 0)->must_be_primary);
}

static void idle_connections_are_used_with_one_write_each(void)
{
	begin(3);
	warm();
	all_say(OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_LOG("0 a1 " ASK "0 b1 " ASK "0 c1 " ASK);
	CHECK_INT(fake_writes, 3);
	CHECK_INT(fake_pool.count, 3);
}

/* A time before any of those who agree was asked: c, asked first, names another address. */
static void the_route_is_told_when_they_were_asked(void)
{
	begin(3);
	fake_dials(0, FAKE_ACCEPT, 10 * MS);
	fake_dials(1, FAKE_ACCEPT, 30 * MS);
	fake_acts(0, FAKE_SAY, NEW, 50 * MS);
	fake_acts(1, FAKE_SAY, NEW, 40 * MS);
	fake_says(2, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_INT(fake_ms(), 70);
	CHECK_INT(route->named_at, FAKE_START + 10 * MS);
}

static void the_greatest_number_wins(void)
{
	begin(5);
	fake_says(0, OLD);
	fake_says(1, NEW);
	fake_says(2, OLD);
	fake_says(3, NEW);
	fake_acts(4, FAKE_SAY, NEW, 7 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_INT(fake_ms(), 7);
}

static void names_are_compared_without_regard_to_case(void)
{
	begin(2);
	fake_says(0, "*$redis-1.example $6379");
	fake_says(1, "*$Redis-1.Example $6379");
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
}

static void a_quorum_of_one_is_the_first_answer(void)
{
	begin_with(3, 1);
	fake_acts(1, FAKE_SAY, NEW, 3 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_INT(fake_ms(), 3);
}

static void a_quorum_of_all_needs_each(void)
{
	begin_with(3, 3);
	fake_says(0, OLD);
	fake_says(1, OLD);
	fake_acts(2, FAKE_SAY, OLD, 9 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 9);
	fake_says(0, OLD);
	fake_says(1, OLD);
	fake_says(2, "-LOADING x");
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_HAS(err.message, "fewer than 3 Sentinels name the same primary for 'mymaster': ");
	fake_says(0, "_");
	CHECK_INT(look_up(), RL_VOTE_REFUSED);
}

/* ---- no agreement ---- */

static void sentinels_that_disagree_are_named(void)
{
	begin(3);
	fake_says(0, OLD);
	fake_says(1, NEW);
	fake_says(2, "*$10.0.0.1 $6380");
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_INT(err.status, RL_ERR_CONNECT);
	CHECK_TEXT(err.message,
		"no majority of the Sentinels names a primary for 'mymaster': "
		"a:6379: names 10.0.0.1:6379; b:6379: names 10.0.0.2:6380; c:6379: names 10.0.0.1:6380");
	CHECK_INT(fake_ms(), 0);
	CHECK_TEXT(primary(), "-:0");
	CHECK_INT(route->named_at, 0);
}

/* Two of five disagree, and two have failed: the fifth is not waited for. */
static void a_failure_is_known_as_soon_as_none_can_agree(void)
{
	begin(5);
	fake_says(0, OLD);
	fake_says(1, NEW);
	fake_says(2, "-ERR x");
	fake_says(3, "-ERR y");
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 0);
	CHECK_HAS(err.message, "e:6379: not waited for");
	CHECK_INT(fake_pool.count, 5);
}

static void a_majority_that_does_not_know_it_refuses(void)
{
	begin(3);
	fake_says(0, "_");
	fake_acts(2, FAKE_SAY, "_", 4 * MS);
	CHECK_INT(look_up(), RL_VOTE_REFUSED);
	CHECK_INT(fake_ms(), 4);
	CHECK_INT(err.status, RL_ERR_CONNECT);
	CHECK_HAS(err.message, "a:6379: does not know it; b:6379: not waited for; c:6379: does not");
	CHECK_INT(rl_lookup_step(&lookup, &(rl_tick){.now = fake_clock}), RL_VOTE_REFUSED);
}

static void one_that_does_not_know_it_is_outvoted(void)
{
	begin(3);
	fake_says(0, "_");
	fake_says(1, OLD);
	fake_says(2, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
}

/* The last answer still decides whether the service is unknown. */
static void a_refusal_is_waited_for(void)
{
	begin(3);
	fake_says(0, "_");
	fake_says(1, "-LOADING x");
	fake_acts(2, FAKE_SAY, "_", 100 * MS);
	CHECK_INT(look_up(), RL_VOTE_REFUSED);
	CHECK_INT(fake_ms(), 100);
	fake_says(0, "_");
	fake_says(1, "-LOADING x");
	fake_acts(2, FAKE_SAY, OLD, 0);
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 100);
}

/* ---- failures ---- */

static void what_is_no_address_is_a_failure(void)
{
	static const struct {
		const char *answer, *reason;
	} rows[] = {
		{"-IDONTKNOW x", "IDONTKNOW x"},
		{"-NOAUTH Authentication required.", "put it into the DSN as sentinel_password"},
		{"-NOPERM this user has no permissions", "NOPERM this user"},
		{"-LOADING Redis is loading the dataset in memory", "LOADING Redis is loading"},
		{"-ERR max number of clients reached", "max number of clients"},
		{"-ERR unknown command 'SENTINEL'", "unknown command"},
		{"+OK", "the answer is no address"},
		{":1", "the answer is no address"},
		{"$10.0.0.1", "the answer is no address"},
		{"*", "the answer is no address"},
		{"*$10.0.0.1", "the answer is no address"},
		{"*$10.0.0.1 :6379", "the answer is no address"},
		{"*:1 $6379", "the answer is no address"},
		{"*$10.0.0.1 $6379 $1", "the answer is no address"},
		{"*$10.0.0.1 $", "the answer is no address"},
		{"*$10.0.0.1 $0", "the answer is no address"},
		{"*$10.0.0.1 $65536", "the answer is no address"},
		{"*$10.0.0.1 $99999999999999999999", "the answer is no address"},
		{"*$10.0.0.1 $63x9", "the answer is no address"},
		{"*$ $6379", "the answer is no address"},
		{"*$10.0.\t0.1 $6379", "the answer is no address"},
		{"*$10.0.0.1 _", "the answer is no address"},
		{"*+10.0.0.1 $6379", "the answer is no address"},
		{"*$10.0.0.1 +6379", "the answer is no address"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin(1);
		fake_says(0, rows[i].answer);
		CHECK_INT(look_up(), RL_VOTE_FAILED);
		CHECK_INT(err.status, RL_ERR_CONNECT);
		CHECK_HAS(err.message, "'mymaster': a:6379: ");
		CHECK_HAS(err.message, rows[i].reason);
		CHECK_COUNT("dial", 1);
		CHECK(!rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
		bool is_kept = rows[i].answer[0] == '-' && strstr(rows[i].answer, "max number") == NULL;
		CHECK_INT(fake_pool.count, is_kept);
		clean_up();
	}
}

static void the_last_port_is_a_port(void)
{
	begin(1);
	fake_says(0, "*$h $65535");
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "h:65535");
}

static void a_host_has_so_many_bytes(void)
{
	char answer[300] = "*$";
	memset(answer + 2, 'h', 256);
	strcpy(answer + 2 + 255, " $1");
	begin(1);
	fake_says(0, answer);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	memset(answer + 2, 'h', 256);
	strcpy(answer + 2 + 256, " $1");
	fake_says(0, answer);
	CHECK_INT(look_up(), RL_VOTE_FAILED);
}

static void the_others_make_up_for_one_that_fails(void)
{
	begin(3);
	fake_dials(0, FAKE_REFUSE, 0);
	fake_acts(1, FAKE_SAY, OLD, 2 * MS);
	fake_acts(2, FAKE_SAY, OLD, 8 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 8);
	CHECK_COUNT("dial", 3);
}

static void one_that_failed_is_not_dialled_again(void)
{
	begin(3);
	fake_dials(0, FAKE_REFUSE, 0);
	fake_dials(1, FAKE_REFUSE_LATER, 5 * MS);
	fake_acts(2, FAKE_BREAK, NULL, 10 * MS);
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 5);
	CHECK_HAS(err.message,
		"a:6379: cannot connect: told at once; b:6379: cannot connect: told "
		"later; c:6379: not waited for");
	CHECK_COUNT("dial", 3);
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[1], fake_clock));
}

static void silence_ends_with_the_time(void)
{
	begin(3);
	fake_dials(1, FAKE_HANG, 0);
	fake_says(2, "-LOADING x");
	start();
	CHECK_INT(drive_to(fake_clock + TIME - 1), RL_VOTE_OPEN);
	CHECK_INT(drive_to(RL_NEVER - 1), RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 400);
	rl_lookup_explain(&lookup, &err);
	CHECK_HAS(err.message,
		"a:6379: no answer within 0.4 s; b:6379: no connection within 0.4 s; "
		"c:6379: the server answered: LOADING x");
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
	CHECK(rl_pool_is_backed_off(&fake_pool, &fake_targets[1], fake_clock));
	CHECK_INT(fake_open_links(), 1);
}

static void the_time_is_waited_for_from_the_beginning(void)
{
	begin(1);
	start();
	rl_wait wait;
	CHECK_INT(next_time(&wait), FAKE_START + TIME);
	CHECK_INT(wait.count, 0);
}

/* One Sentinel has not answered, and its connection is back in the pool. */
static void a_closed_lookup_waits_for_nothing(void)
{
	begin(3);
	fake_says(0, OLD);
	fake_says(1, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	rl_wait wait;
	CHECK(next_time(&wait) == RL_NEVER);
	CHECK_INT(wait.count, 0);
}

/* The process stood still, and what had arrived meanwhile is read first. */
static void an_answer_that_came_in_time_is_read_later(void)
{
	begin(1);
	fake_acts(0, FAKE_SAY, OLD, 5 * MS);
	start();
	CHECK_INT(drive_to(fake_clock + 1 * MS), RL_VOTE_OPEN);
	int64_t seen = fake_clock;
	fake_clock += SECOND;
	rl_tick tick = {.now = fake_clock, .seen = seen};
	CHECK_INT(rl_lookup_step(&lookup, &tick), RL_VOTE_OPEN);
	CHECK_INT(drive_to(RL_NEVER - 1), RL_VOTE_GRANTED);
}

static void many_long_reasons_fit(void)
{
	static const char text[] =
		"-ERR xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	begin(5);
	all_say(text);
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	for (unsigned i = 0; i < 5; i++) {
		char name[16];
		snprintf(name, sizeof name, "%c:6379: the", (int) ('a' + i));
		CHECK_HAS(err.message, name);
	}
}

/* Sets the error of a link, as the transport does when TLS fails. */
static void fail_tls(unsigned index)
{
	rl_error_set(&fake_links[index].err, RL_ERR_TLS, 0, "certificate of another name");
	fake_links[index].is_down = true;
}

static rl_vote fail_by_tls(unsigned failing)
{
	begin(3);
	for (unsigned i = 0; i < 3; i++) {
		fake_dials(i, FAKE_HANG, 0);
	}
	start();
	CHECK_INT(drive_to(fake_clock), RL_VOTE_OPEN);
	for (unsigned i = 0; i < failing; i++) {
		fail_tls(i);
	}
	rl_vote vote = drive_to(RL_NEVER - 1);
	rl_lookup_explain(&lookup, &err);
	return vote;
}

static void tls_is_the_reason_if_it_is_each_ones(void)
{
	CHECK_INT(fail_by_tls(3), RL_VOTE_FAILED);
	CHECK_INT(err.status, RL_ERR_TLS);
	CHECK_HAS(err.message, "b:6379: certificate of another name");
	clean_up();
	CHECK_INT(fail_by_tls(2), RL_VOTE_FAILED);
	CHECK_INT(err.status, RL_ERR_CONNECT);
}

/* ---- logging in ---- */

static void the_question_goes_with_the_login(void)
{
	begin(1);
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	fake_says(0, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_LOG("0 a1 dial\n0 a1 AUTH word\n0 a1 " ASK "0 a1 NAME\n");
	CHECK_INT(fake_writes, 1);
}

static void a_login_that_fails_is_the_reason(void)
{
	begin(1);
	fake_targets[0].password = (rl_secret){(char *) (uintptr_t) "word", 4};
	fake_login_says(0, "AUTH", "-WRONGPASS invalid word");
	fake_says(0, "-NOAUTH x");
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_HAS(err.message, "a:6379: the server answered: WRONGPASS invalid ***");
	CHECK_INT(fake_pool.count, 0);
	CHECK(!rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
}

/* ---- connections ---- */

static void a_dead_idle_connection_is_replaced_once(void)
{
	begin(1);
	warm();
	fake_kill(0);
	fake_says(0, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_LOG("0 a1 lost: " ASK "0 a1 close\n0 a2 dial\n0 a2 " ASK "0 a2 NAME\n");
	CHECK_INT(fake_stats.reconnects, 1);
	fake_kill(0);
	fake_acts(0, FAKE_BREAK, NULL, 0);
	fake_forget_log();
	CHECK_INT(look_up(), RL_VOTE_FAILED);
	CHECK_LOG("0 a2 lost: " ASK "0 a2 close\n0 a3 dial\n0 a3 " ASK "0 a3 lost: NAME\n0 a3 close\n");
	CHECK_HAS(err.message, "a:6379: the server closed the connection");
}

/* The first lookup has its quorum before c answers. */
static void an_answer_to_an_earlier_lookup_is_discarded(void)
{
	begin(3);
	warm();
	all_say(OLD);
	fake_servers[2].acts[0].delay = 20 * MS;
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 0);
	fake_clock += 10 * MS;
	all_say(NEW);
	fake_servers[0].acts[1].what = FAKE_SILENCE;
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 20);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_COUNT("dial", 0);
	CHECK_INT(route->named_at, FAKE_START + 10 * MS);
}

/* A Sentinel that never answers is not asked on the same connection for ever. */
static void a_connection_whose_answer_is_overdue_is_dropped(void)
{
	begin(3);
	for (unsigned i = 0; i < 5; i++) {
		fake_says(0, OLD);
		fake_says(1, OLD);
		CHECK_INT(look_up(), RL_VOTE_GRANTED);
		fake_clock += 150 * MS;
	}
	CHECK_INT(fake_ms(), 750);
	CHECK_COUNT("c1 " ASK, 3); /* at 0, 150 and 300 ms; overdue at 450 */
	CHECK_COUNT("c1 end", 1);
	CHECK(fake_count("c2 dial") <= 1);
}

static void an_owner_may_end_it_early(void)
{
	begin(2);
	fake_dials(1, FAKE_ACCEPT, 50 * MS);
	start();
	CHECK_INT(drive_to(fake_clock + 10 * MS), RL_VOTE_OPEN);
	rl_lookup_end(&lookup, fake_clock);
	rl_lookup_end(&lookup, fake_clock);
	CHECK(!rl_lookup_is_open(&lookup));
	CHECK_INT(fake_pool.count, 2);
	CHECK_COUNT("b1 retract", 1);
	fake_says(0, OLD); /* the first question stays unanswered */
	fake_servers[0].acts[0].what = FAKE_SAY;
	fake_says(1, OLD);
	rl_lookup_begin(&lookup, fake_clock + TIME, fake_clock);
	CHECK_INT(drive_to(fake_clock + 100 * MS), RL_VOTE_OPEN);
	CHECK_COUNT("dial", 2);
	CHECK_COUNT("b1 " ASK, 1);
	rl_lookup_end(&lookup, fake_clock);
}

static void alone_it_keeps_its_connections(void)
{
	begin_alone(3);
	all_say(OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_open_links(), 3);
	CHECK_INT(fake_pool.count, 0);
	fake_forget_log();
	fake_clock += SECOND;
	all_say(NEW);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_LOG("1000 a1 " ASK "1000 b1 " ASK "1000 c1 " ASK);
	rl_lookup_destroy(&lookup);
	CHECK_INT(fake_open_links(), 0);
}

/* ---- backed off ---- */

static void one_that_is_backed_off_is_spared(void)
{
	begin(3);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	fake_says(1, OLD);
	fake_acts(2, FAKE_SAY, OLD, 5 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_COUNT("a1 dial", 0);
}

static void but_asked_where_the_others_cannot_agree(void)
{
	begin(3);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	fake_says(0, NEW);
	fake_says(1, OLD);
	fake_acts(2, FAKE_SAY, NEW, 5 * MS);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_TEXT(primary(), "10.0.0.2:6380");
	CHECK_COUNT("5 a1 dial", 1);
	CHECK(!rl_pool_is_backed_off(&fake_pool, &fake_targets[0], fake_clock));
}

static void and_where_they_take_long(void)
{
	begin(3);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	fake_says(0, OLD);
	fake_says(1, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_COUNT("50 a1 dial", 1);
	CHECK_INT(fake_ms(), 50);
}

static void all_are_asked_if_all_are_backed_off(void)
{
	begin(3);
	for (unsigned i = 0; i < 3; i++) {
		rl_pool_note_failure(&fake_pool, &fake_targets[i], fake_clock);
	}
	all_say(OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_INT(fake_ms(), 0);
}

static void an_idle_connection_is_used_all_the_same(void)
{
	begin(3);
	warm();
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	all_say(OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_COUNT("a1 " ASK, 1);
}

/* The process stood still for the whole time. */
static void one_that_is_backed_off_is_not_asked_too_late(void)
{
	begin(1);
	rl_pool_note_failure(&fake_pool, &fake_targets[0], fake_clock);
	rl_lookup_begin(&lookup, fake_clock + 5 * MS, fake_clock);
	fake_clock += 6 * MS;
	rl_tick tick = {.now = fake_clock, .seen = fake_clock};
	CHECK_INT(rl_lookup_step(&lookup, &tick), RL_VOTE_FAILED);
	rl_lookup_explain(&lookup, &err);
	CHECK_HAS(err.message, "a:6379: not asked again so soon after a failure");
	CHECK_LOG("");
}

/* ---- forks, and no memory ---- */

static void in_a_forked_child_nothing_is_sent(void)
{
	begin(2);
	fake_warm(0);
	fake_dials(1, FAKE_ACCEPT, 10 * MS);
	start();
	CHECK_INT(drive_to(fake_clock + 1 * MS), RL_VOTE_OPEN);
	fake_forget_log();
	fake_fork();
	rl_lookup_drop(&lookup);
	CHECK_LOG("1 a1 close\n1 b1 close\n");
	CHECK(!rl_lookup_is_open(&lookup));
	all_say(OLD);
	fake_servers[0].act_next = fake_servers[1].act_next = 0;
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_COUNT("a2 dial", 1);
	CHECK_COUNT("b2 dial", 1);
}

static void connections_kept_alone_are_not_used_by_a_child(void)
{
	begin_alone(1);
	fake_says(0, OLD);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	fake_forget_log();
	fake_fork();
	fake_says(0, NEW);
	CHECK_INT(look_up(), RL_VOTE_GRANTED);
	CHECK_LOG("0 a1 close\n0 a2 dial\n0 a2 " ASK "0 a2 NAME\n");
}

/* Each allocation fails once, and then for good. */
static void without_memory_it_fails_and_leaves_nothing(void)
{
	unsigned granted = 0, failed = 0;
	for (unsigned at = 1; at < 60; at++) {
		begin(3);
		all_say(OLD);
		fails_at = at / 2 + 1;
		is_lasting = at % 2 == 1;
		fake_memory_fails();
		rl_vote vote = look_up();
		fake_memory_works();
		CHECK(vote == RL_VOTE_GRANTED || vote == RL_VOTE_FAILED);
		CHECK_TEXT(primary(), vote == RL_VOTE_GRANTED ? "10.0.0.1:6379" : "-:0");
		if (vote == RL_VOTE_FAILED) {
			CHECK_HAS(err.message, "out of memory");
		}
		granted += vote == RL_VOTE_GRANTED;
		failed += vote == RL_VOTE_FAILED;
		bool was_reached = asked >= fails_at;
		clean_up();
		CHECK(was_reached || vote == RL_VOTE_GRANTED);
	}
	CHECK(granted > 10);
	CHECK(failed > 10);
}

static rl_vote drive_failing_at(unsigned request)
{
	fails_at = request;
	fake_memory_fails();
	rl_vote vote = drive_to(RL_NEVER - 1);
	fake_memory_works();
	return vote;
}

static void a_question_without_memory_is_not_waited_for(void)
{
	begin(1);
	warm();
	start();
	rl_vote vote = drive_failing_at(1);
	CHECK_INT(vote, RL_VOTE_FAILED);
	CHECK_INT(fake_ms(), 0);
	rl_lookup_explain(&lookup, &err);
	CHECK_HAS(err.message, "a:6379: out of memory");
	CHECK_INT(fake_pool.count, 0);
}

static void a_route_that_cannot_be_told_is_out_of_memory(void)
{
	begin(1);
	warm();
	all_say(OLD);
	start();
	CHECK_INT(drive_to(fake_clock - 1), RL_VOTE_OPEN);
	rl_vote vote = drive_failing_at(2); /* the first is the host's */
	CHECK_INT(vote, RL_VOTE_FAILED);
	rl_lookup_explain(&lookup, &err);
	CHECK_INT(err.status, RL_ERR_MEMORY);
	CHECK_INT(fake_pool.count, 1);
}

static void what_was_never_begun_is_destroyed(void)
{
	begin(1);
	rl_lookup_destroy(&lookup);
	rl_lookup_destroy(&lookup);
	lookup = (rl_lookup){0};
	rl_lookup_destroy(&lookup);
}

static const check_test tests[] = {
	TEST(all_are_asked_at_once_and_a_majority_decides),
	TEST(idle_connections_are_used_with_one_write_each),
	TEST(the_route_is_told_when_they_were_asked),
	TEST(the_greatest_number_wins),
	TEST(names_are_compared_without_regard_to_case),
	TEST(a_quorum_of_one_is_the_first_answer),
	TEST(a_quorum_of_all_needs_each),
	TEST(sentinels_that_disagree_are_named),
	TEST(a_failure_is_known_as_soon_as_none_can_agree),
	TEST(a_majority_that_does_not_know_it_refuses),
	TEST(one_that_does_not_know_it_is_outvoted),
	TEST(a_refusal_is_waited_for),
	TEST(what_is_no_address_is_a_failure),
	TEST(the_last_port_is_a_port),
	TEST(a_host_has_so_many_bytes),
	TEST(the_others_make_up_for_one_that_fails),
	TEST(one_that_failed_is_not_dialled_again),
	TEST(silence_ends_with_the_time),
	TEST(the_time_is_waited_for_from_the_beginning),
	TEST(a_closed_lookup_waits_for_nothing),
	TEST(an_answer_that_came_in_time_is_read_later),
	TEST(many_long_reasons_fit),
	TEST(tls_is_the_reason_if_it_is_each_ones),
	TEST(the_question_goes_with_the_login),
	TEST(a_login_that_fails_is_the_reason),
	TEST(a_dead_idle_connection_is_replaced_once),
	TEST(an_answer_to_an_earlier_lookup_is_discarded),
	TEST(a_connection_whose_answer_is_overdue_is_dropped),
	TEST(an_owner_may_end_it_early),
	TEST(alone_it_keeps_its_connections),
	TEST(one_that_is_backed_off_is_spared),
	TEST(but_asked_where_the_others_cannot_agree),
	TEST(and_where_they_take_long),
	TEST(all_are_asked_if_all_are_backed_off),
	TEST(an_idle_connection_is_used_all_the_same),
	TEST(one_that_is_backed_off_is_not_asked_too_late),
	TEST(in_a_forked_child_nothing_is_sent),
	TEST(connections_kept_alone_are_not_used_by_a_child),
	TEST(without_memory_it_fails_and_leaves_nothing),
	TEST(a_question_without_memory_is_not_waited_for),
	TEST(a_route_that_cannot_be_told_is_out_of_memory),
	TEST(what_was_never_begun_is_destroyed),
};

CHECK_MAIN(tests, clean_up)
