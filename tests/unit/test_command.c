/* SPDX-License-Identifier: MIT
 *
 * Each verb as it goes over the wire.
 */
#include "check.h"
#include "core/wire/rl_command.h"

#define TTL INT64_C(31622400000) /* 366 days */

static rl_request request_of(rl_verb verb)
{
	return (rl_request){.verb = verb,
		.key = bytes_of("key"),
		.mark = bytes_of("mark"),
		.tickets = bytes_of("tickets"),
		.token = bytes_of("token"),
		.waiter = bytes_of("waiter"),
		.ttl_ms = 250};
}

static void check_argv(const rl_request *request, const char *const *wanted, unsigned count)
{
	rl_command command;
	memset(&command, 0xa5, sizeof command);
	rl_command_build(&command, request);
	CHECK_INT(command.argc, (int64_t) count);
	for (unsigned i = 0; i < count; i++) {
		if (!rl_bytes_equal(command.argv[i], bytes_of(wanted[i]))) {
			FAIL("argument %u is %.*s, not %s", i, (int) command.argv[i].len, command.argv[i].data,
				wanted[i]);
		}
	}
}

#define CHECK_ARGV(request, ...) \
 check_argv(&request, (const char *const[]){__VA_ARGS__}, \
	 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const char *text_of(rl_script_id id)
{
	return rl_script_get(id)->text;
}

static const char *sha_of(rl_script_id id)
{
	return rl_script_get(id)->sha1;
}

static void plain_verbs_have_the_right_commands(void)
{
	rl_request set = request_of(RL_VERB_SET);
	CHECK_ARGV(set, "SET", "key", "token", "NX", "PX", "250");
	rl_request exists = request_of(RL_VERB_EXISTS);
	CHECK_ARGV(exists, "EXISTS", "key");
	rl_request owner = request_of(RL_VERB_OWNER);
	CHECK_ARGV(owner, "GET", "key");
	owner.form = RL_FORM_TYPE;
	CHECK_ARGV(owner, "TYPE", "key");
	rl_request inspect = request_of(RL_VERB_INSPECT);
	CHECK_ARGV(inspect, "EVALSHA", sha_of(RL_SCRIPT_INSPECT), "3", "key", "mark", "tickets");
	inspect.no_helpers = true;
	CHECK_ARGV(inspect, "EVALSHA", sha_of(RL_SCRIPT_INSPECT), "1", "key");
	rl_request remaining = request_of(RL_VERB_REMAINING);
	CHECK_ARGV(remaining, "PTTL", "key");
	/* The commands of Redis itself have no text. */
	set.form = RL_FORM_TEXT;
	CHECK_ARGV(set, "SET", "key", "token", "NX", "PX", "250");
}

static void script_verbs_have_the_right_arguments(void)
{
	rl_request try = request_of(RL_VERB_TRY);
	const char *sha = sha_of(RL_SCRIPT_TRY);
	CHECK_ARGV(try, "EVALSHA", sha, "3", "key", "mark", "tickets", "token", "250", "0", "0",
		"waiter", "0");
	try.maybe_ours = true;
	CHECK_ARGV(try, "EVALSHA", sha, "3", "key", "mark", "tickets", "token", "250", "1", "0",
		"waiter", "0");
	try.mark_ms = 2000;
	try.maybe_ours = false;
	CHECK_ARGV(try, "EVALSHA", sha, "3", "key", "mark", "tickets", "token", "250", "0", "0",
		"waiter", "2000");
	try.mark_ms = 0;
	try.place = RL_PLACE_QUEUED;
	try.form = RL_FORM_TEXT;
	CHECK_ARGV(try, "EVAL", text_of(RL_SCRIPT_TRY), "3", "key", "mark", "tickets", "token", "250",
		"0", "1", "waiter", "0");
	rl_request probe = request_of(RL_VERB_PROBE);
	CHECK_ARGV(probe, "EVALSHA", sha_of(RL_SCRIPT_PROBE), "3", "key", "mark", "tickets", "token",
		"waiter", "0");
	probe.mark_ms = 2000;
	probe.reserve_ms = 120;
	CHECK_ARGV(probe, "EVALSHA", sha_of(RL_SCRIPT_PROBE), "3", "key", "mark", "tickets", "token",
		"waiter", "2000", "120");
	rl_request release = request_of(RL_VERB_RELEASE);
	CHECK_ARGV(release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "3", "key", "mark", "tickets",
		"token", "waiter");
	release.form = RL_FORM_TEXT;
	CHECK_ARGV(release, "EVAL", text_of(RL_SCRIPT_RELEASE), "3", "key", "mark", "tickets", "token",
		"waiter");
	rl_request force = request_of(RL_VERB_FORCE);
	CHECK_ARGV(force, "EVALSHA", sha_of(RL_SCRIPT_FORCE), "3", "key", "mark", "tickets");
	/* With several servers, how long the lock is reserved for a waiter. */
	try.reserve_ms = release.reserve_ms = force.reserve_ms = 10;
	CHECK_ARGV(try, "EVAL", text_of(RL_SCRIPT_TRY), "3", "key", "mark", "tickets", "token", "250",
		"0", "1", "waiter", "0", "10");
	CHECK_ARGV(release, "EVAL", text_of(RL_SCRIPT_RELEASE), "3", "key", "mark", "tickets", "token",
		"waiter", "10");
	release.waiter = (rl_bytes){NULL, 0};
	CHECK_ARGV(release, "EVAL", text_of(RL_SCRIPT_RELEASE), "3", "key", "mark", "tickets", "token",
		"", "10");
	release.no_helpers = true;
	CHECK_ARGV(release, "EVAL", text_of(RL_SCRIPT_RELEASE), "1", "key", "token");
	CHECK_ARGV(force, "EVALSHA", sha_of(RL_SCRIPT_FORCE), "3", "key", "mark", "tickets", "10");
}

/* A try and a probe name the keys of all permits, and their number. A try that puts a permit back
 * names its key alone. A release names the key of one, and as an undo of a try all of them. */
static void the_permits_of_a_lock_are_keys(void)
{
	static const rl_bytes keys[] = {{"key", 3}, {"key#2", 5}};
	rl_request try = request_of(RL_VERB_TRY);
	try.permits = 2;
	try.permit_keys = keys;
	CHECK_ARGV(try, "EVALSHA", sha_of(RL_SCRIPT_TRY), "4", "key", "key#2", "mark", "tickets",
		"token", "250", "0", "0", "waiter", "0", "10", "2");
	try.no_helpers = true;
	CHECK_ARGV(try, "EVALSHA", sha_of(RL_SCRIPT_TRY), "2", "key", "key#2", "token", "250", "0", "0",
		"waiter", "0", "10", "2");
	rl_request put_back = request_of(RL_VERB_TRY);
	put_back.permits = 2;
	put_back.key = keys[1];
	CHECK_ARGV(put_back, "EVALSHA", sha_of(RL_SCRIPT_TRY), "3", "key#2", "mark", "tickets", "token",
		"250", "0", "0", "waiter", "0");
	rl_request undo = rl_request_undo(&try);
	CHECK_ARGV(undo, "EVAL", text_of(RL_SCRIPT_FREE_ANY), "2", "key", "key#2", "token");
	rl_request probe = request_of(RL_VERB_PROBE);
	probe.permits = 2;
	probe.permit_keys = keys;
	CHECK_ARGV(probe, "EVALSHA", sha_of(RL_SCRIPT_PROBE), "4", "key", "key#2", "mark", "tickets",
		"token", "waiter", "0", "10", "2");
	rl_request release = request_of(RL_VERB_RELEASE);
	release.permits = 2;
	release.key = keys[1];
	release.waiter = (rl_bytes){NULL, 0};
	CHECK_ARGV(release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "3", "key#2", "mark", "tickets",
		"token", "", "10", "2");
	rl_request plain = rl_request_undo(&release);
	CHECK_ARGV(plain, "EVAL", text_of(RL_SCRIPT_RELEASE), "1", "key#2", "token", "", "10", "2");
}

/* The mark is the fifth argument, and the fourth is for permits. */
static void a_release_may_leave_a_mark(void)
{
	rl_request release = request_of(RL_VERB_RELEASE);
	release.done_ms = 60000;
	CHECK_ARGV(release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "3", "key", "mark", "tickets",
		"token", "waiter", "", "", "60000");
	release.waiter = (rl_bytes){NULL, 0};
	CHECK_ARGV(release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "3", "key", "mark", "tickets",
		"token", "", "", "", "60000");
	release.reserve_ms = 10;
	CHECK_ARGV(release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "3", "key", "mark", "tickets",
		"token", "", "10", "", "60000");
	release.no_helpers = true;
	CHECK_ARGV(
		release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "1", "key", "token", "", "", "", "60000");
	rl_request undo = rl_request_undo(&release);
	CHECK_ARGV(undo, "EVAL", text_of(RL_SCRIPT_RELEASE), "1", "key", "token", "", "", "", "60000");
}

/* A try counts its arguments, so they stay, empty. A release leaves the last one out. */
static void a_command_without_a_waiter_leaves_its_arguments_out(void)
{
	rl_request try = request_of(RL_VERB_TRY);
	try.waiter = (rl_bytes){NULL, 0};
	CHECK_ARGV(try, "EVALSHA", sha_of(RL_SCRIPT_TRY), "3", "key", "mark", "tickets", "token", "250",
		"0", "0", "-", "0");
	rl_request release = request_of(RL_VERB_RELEASE);
	release.waiter = (rl_bytes){NULL, 0};
	CHECK_ARGV(
		release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "3", "key", "mark", "tickets", "token");
	release.no_helpers = true;
	CHECK_ARGV(release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "1", "key", "token");
}

static void a_script_without_helper_keys_has_one_key(void)
{
	rl_request try = request_of(RL_VERB_TRY);
	try.no_helpers = true;
	CHECK_ARGV(
		try, "EVALSHA", sha_of(RL_SCRIPT_TRY), "1", "key", "token", "250", "0", "0", "waiter", "0");
	rl_request release = request_of(RL_VERB_RELEASE);
	release.no_helpers = true;
	CHECK_ARGV(release, "EVALSHA", sha_of(RL_SCRIPT_RELEASE), "1", "key", "token", "waiter");
	rl_request force = request_of(RL_VERB_FORCE);
	force.no_helpers = true;
	CHECK_ARGV(force, "EVALSHA", sha_of(RL_SCRIPT_FORCE), "1", "key");
}

/* A longer TTL wakes no waiter, so these scripts need no helper keys. */
static void extend_and_renew_are_always_alone(void)
{
	rl_request extend = request_of(RL_VERB_EXTEND);
	CHECK_ARGV(extend, "EVALSHA", sha_of(RL_SCRIPT_EXTEND), "1", "key", "token", "250");
	extend.form = RL_FORM_TEXT;
	CHECK_ARGV(extend, "EVAL", text_of(RL_SCRIPT_EXTEND), "1", "key", "token", "250");
	rl_request renew = request_of(RL_VERB_RENEW);
	CHECK_ARGV(renew, "EVALSHA", sha_of(RL_SCRIPT_RENEW), "1", "key", "token", "250");
	renew.form = RL_FORM_TEXT;
	CHECK_ARGV(renew, "EVAL", text_of(RL_SCRIPT_RENEW), "1", "key", "token", "250");
}

static void a_swap_names_both_tokens(void)
{
	rl_request swap = request_of(RL_VERB_SWAP);
	swap.fresh = bytes_of("fresh");
	CHECK_ARGV(swap, "EVALSHA", sha_of(RL_SCRIPT_SWAP), "1", "key", "token", "fresh", "250");
	swap.form = RL_FORM_TEXT;
	swap.ttl_ms = 0;
	CHECK_ARGV(swap, "EVAL", text_of(RL_SCRIPT_SWAP), "1", "key", "token", "fresh", "0");
	rl_request fence = request_of(RL_VERB_FENCE);
	fence.fence = bytes_of("number");
	const char *sha = sha_of(RL_SCRIPT_FENCE);
	CHECK_ARGV(fence, "EVALSHA", sha, "2", "key", "number", "token", "0");
	fence.fence_number = INT64_C(9007199254740991); /* 2^53 - 1 */
	CHECK_ARGV(fence, "EVALSHA", sha, "2", "key", "number", "token", "9007199254740991");
	fence.form = RL_FORM_TEXT;
	fence.no_helpers = true; /* without helper keys there is no fencing number */
	CHECK_ARGV(
		fence, "EVAL", text_of(RL_SCRIPT_FENCE), "2", "key", "number", "token", "9007199254740991");
}

static void blpop_gives_its_time_in_seconds(void)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = {{1, "0.001"}, {20, "0.020"}, {999, "0.999"}, {1000, "1.000"}, {10020, "10.020"},
		{60020, "60.020"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_request blpop = request_of(RL_VERB_BLPOP);
		blpop.block_ms = cases[i].ms;
		CHECK_ARGV(blpop, "BLPOP", "tickets", cases[i].text);
	}
}

static void numbers_may_have_any_size(void)
{
	static const struct {
		int64_t ttl_ms;
		const char *text;
	} cases[] = {{0, "0"}, {5, "5"}, {10, "10"}, {99, "99"}, {TTL, "31622400000"},
		{INT64_MAX, "9223372036854775807"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_request set = request_of(RL_VERB_SET);
		set.ttl_ms = cases[i].ttl_ms;
		CHECK_ARGV(set, "SET", "key", "token", "NX", "PX", cases[i].text);
	}
}

static void keys_and_tokens_may_be_any_bytes(void)
{
	rl_request set = request_of(RL_VERB_SET);
	set.key = rl_bytes_of("a\0b\r\n", 5);
	set.token = rl_bytes_of("\xff\0", 2);
	rl_command command;
	rl_command_build(&command, &set);
	CHECK(rl_bytes_equal(command.argv[1], rl_bytes_of("a\0b\r\n", 5)));
	CHECK(rl_bytes_equal(command.argv[2], rl_bytes_of("\xff\0", 2)));
}

static void set_and_try_take_locks(void)
{
	for (int verb = RL_VERB_SET; verb < RL_VERBS; verb++) {
		CHECK_INT(rl_verb_takes((rl_verb) verb), verb == RL_VERB_SET || verb == RL_VERB_TRY);
	}
}

static const check_test tests[] = {
	TEST(plain_verbs_have_the_right_commands),
	TEST(script_verbs_have_the_right_arguments),
	TEST(the_permits_of_a_lock_are_keys),
	TEST(a_release_may_leave_a_mark),
	TEST(a_command_without_a_waiter_leaves_its_arguments_out),
	TEST(a_script_without_helper_keys_has_one_key),
	TEST(extend_and_renew_are_always_alone),
	TEST(a_swap_names_both_tokens),
	TEST(blpop_gives_its_time_in_seconds),
	TEST(numbers_may_have_any_size),
	TEST(keys_and_tokens_may_be_any_bytes),
	TEST(set_and_try_take_locks),
};

CHECK_MAIN(tests, NULL)
