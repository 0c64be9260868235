/* SPDX-License-Identifier: MIT
 *
 * Sets of members: what two have in common, and how patient a set is.
 */
#include "check.h"
#include "core/wire/rl_dsn.h"
#include "core/wire/rl_set.h"

#define MS RL_NS_PER_MS
#define SECOND RL_NS_PER_SECOND

static rl_set one;
static rl_set other;

static void clear(rl_set *set)
{
	while (set->count > 0) {
		rl_target_unref(set->members[--set->count].target);
	}
}

static void clean_up(void)
{
	clear(&one);
	clear(&other);
}

static void add(rl_set *set, const char *text)
{
	rl_dsn dsn;
	rl_error err;
	if (rl_dsn_parse(bytes_of(text), &dsn, &err) != RL_OK) {
		FAIL("%s: %s", text, err.message);
	}
	set->members[set->count++] = (rl_member){.target = dsn.target};
}

/* Up to three DSNs each. */
static unsigned common(const char *const *a, const char *const *b)
{
	clean_up();
	for (unsigned i = 0; i < 3 && a[i] != NULL; i++) {
		add(&one, a[i]);
	}
	for (unsigned i = 0; i < 3 && b[i] != NULL; i++) {
		add(&other, b[i]);
	}
	return rl_set_common(&one, &other);
}

static void the_same_servers_are_common(void)
{
	static const struct {
		const char *const a[3];
		const char *const b[3];
		unsigned count;
	} cases[] = {
		{{"redis://a"}, {"redis://a"}, 1},
		{{"redis://a"}, {"redis://b"}, 0},
		{{"redis://a", "redis://b", "redis://c"}, {"redis://a", "redis://b", "redis://c"}, 3},
		{{"redis://a", "redis://b", "redis://c"}, {"redis://c", "redis://a", "redis://b"}, 3},
		{{"redis://a", "redis://b", "redis://c"}, {"redis://b"}, 1},
		{{"redis://a", "redis://b", "redis://c"}, {"redis://d", "redis://c", "redis://e"}, 1},
		{{"redis://a:1", "redis://a:2", "redis://a:3"},
			{"redis://a:2", "redis://a:3", "redis://a:4"}, 2},
		/* Who asks does not matter, the database does. */
		{{"redis://user:secret@a"}, {"redis://a"}, 1},
		{{"redis://a/1"}, {"redis://a/1"}, 1},
		{{"redis://a/1"}, {"redis://a/2"}, 0},
		{{"redis://a"}, {"redis://a/0"}, 1},
		{{"redis://a"}, {"redis://a:6379"}, 1},
		{{"redis://a"}, {"redis://a:6380"}, 0},
		{{"unix:///a.sock"}, {"unix:///a.sock"}, 1},
		{{"unix:///a.sock"}, {"unix:///b.sock"}, 0},
		{{"unix:///a.sock"}, {"redis://a.sock"}, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned count = common(cases[i].a, cases[i].b);
		unsigned turned = common(cases[i].b, cases[i].a);
		if (count != cases[i].count || turned != cases[i].count) {
			FAIL("case %zu: %u, and %u the other way round", i, count, turned);
		}
	}
}

static void a_member_is_given_a_tenth_of_the_ttl(void)
{
	static const struct {
		unsigned count;
		int64_t option;
		int64_t ttl;
		int64_t patience;
	} cases[] = {
		/* One server: nobody else could do it. */
		{1, SECOND, 0, SECOND},
		{1, SECOND, 5 * MS, SECOND},
		{1, SECOND, 30 * SECOND, SECOND},
		/* No TTL is at stake. */
		{2, SECOND, 0, SECOND},
		{3, 7 * SECOND, 0, 7 * SECOND},
		{2, SECOND, 30 * SECOND, SECOND},
		{3, SECOND, 30 * SECOND, SECOND},
		{3, SECOND, 10 * SECOND, SECOND},
		{3, SECOND, 9990 * MS, 999 * MS},
		{3, SECOND, SECOND, 100 * MS},
		{15, SECOND, SECOND, 100 * MS},
		{3, 50 * MS, SECOND, 50 * MS},
		/* But a millisecond. */
		{3, SECOND, 100 * MS, 10 * MS},
		{3, SECOND, 15 * MS, 3 * MS / 2},
		{3, SECOND, 10 * MS, MS},
		{3, SECOND, 9 * MS, MS},
		{3, SECOND, 5 * MS, MS},
		{3, MS, 5 * MS, MS},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_set set = {.count = cases[i].count};
		int64_t patience = rl_set_patience(&set, cases[i].option, cases[i].ttl);
		if (patience != cases[i].patience) {
			FAIL("case %zu: %lld ns", i, (long long) patience);
		}
	}
}

static const check_test tests[] = {
	TEST(the_same_servers_are_common),
	TEST(a_member_is_given_a_tenth_of_the_ttl),
};

CHECK_MAIN(tests, clean_up)
