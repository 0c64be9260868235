/* SPDX-License-Identifier: MIT
 *
 * Sets of members: the members that two sets have in common, and how long a set waits for answers.
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
		rl_member *member = &set->members[--set->count];
		rl_target_unref(member->target);
		rl_route_unref(member->route);
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
	set->members[set->count++] = (rl_member){.target = dsn.target, .route = dsn.route};
}

/* Each set has up to three DSNs. */
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

static void servers_of_both_sets_are_common(void)
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
		/* The user does not matter, the database does. */
		{{"redis://user:secret@a"}, {"redis://a"}, 1},
		{{"redis://a/1"}, {"redis://a/1"}, 1},
		{{"redis://a/1"}, {"redis://a/2"}, 0},
		{{"redis://a"}, {"redis://a/0"}, 1},
		{{"redis://a"}, {"redis://a:6379"}, 1},
		{{"redis://a"}, {"redis://a:6380"}, 0},
		{{"unix:///a.sock"}, {"unix:///a.sock"}, 1},
		{{"unix:///a.sock"}, {"unix:///b.sock"}, 0},
		{{"unix:///a.sock"}, {"redis://a.sock"}, 0},
		/* One common node is enough for clusters. */
		{{"redis-cluster://a"}, {"redis-cluster://a"}, 1},
		{{"redis-cluster://a,b"}, {"rediss-cluster://:word@c,b,d"}, 1},
		{{"redis-cluster://a,b"}, {"redis-cluster://c,d"}, 0},
		{{"redis-cluster://a"}, {"redis-cluster://a:7000"}, 0},
		{{"redis-cluster://a/1"}, {"redis-cluster://a/1"}, 1},
		{{"redis-cluster://a/1"}, {"redis-cluster://a/2"}, 0},
		/* Sentinels may look after several services. */
		{{"redis-sentinel://a,b/m"}, {"redis-sentinel://b,c/m?sentinel_tls=1"}, 1},
		{{"redis-sentinel://a,b/m"}, {"redis-sentinel://b,c/n"}, 0},
		{{"redis-sentinel://a,b/m"}, {"redis-sentinel://c,d/m"}, 0},
		{{"redis-sentinel://a/m"}, {"redis-sentinel://a/m/1"}, 0},
		/* An address may be a node for one DSN and a Sentinel for the other: that does not make the
		 * members the same. */
		{{"redis-cluster://a:1"}, {"redis-sentinel://a:1/m"}, 0},
		{{"redis-cluster://a"}, {"redis://a"}, 0},
		{{"redis-sentinel://a:1/m"}, {"redis://a:1"}, 0},
		{{"redis://a", "redis-cluster://b", "redis-sentinel://c/m"},
			{"redis-sentinel://c/m", "redis-cluster://b", "redis://a"}, 3},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned count = common(cases[i].a, cases[i].b);
		unsigned turned = common(cases[i].b, cases[i].a);
		if (count != cases[i].count || turned != cases[i].count) {
			FAIL("case %zu: %u, and %u the other way round", i, count, turned);
		}
	}
}

static void a_set_finds_its_members_on_the_same_server(void)
{
	clean_up();
	add(&one, "redis://a");
	add(&one, "redis-cluster://b,c");
	add(&one, "redis-sentinel://d/m/1");
	static const struct {
		const char *text;
		bool is_in;
	} cases[] = {
		{"redis://me:word@a", true},
		{"redis://a/1", false},
		{"redis://b", false}, /* the first seed, whose address the common target has */
		{"redis://d:26379/1", false},
		{"redis-cluster://a", false},
		{"redis-cluster://c", true},
		{"redis-cluster://c/1", false},
		{"redis-sentinel://e,d/m/1", true},
		{"redis-sentinel://e,d/m", false},
		{"redis-sentinel://e,d/n/1", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		clear(&other);
		add(&other, cases[i].text);
		if (rl_set_has(&one, &other.members[0]) != cases[i].is_in) {
			FAIL("%s", cases[i].text);
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
		/* On one server no other member could answer instead. */
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
		/* The least timeout is a millisecond. */
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

/* ---- failover grace ---- */

/* The proof for the longest TTL, and after it the 1 s for which an answer of the Sentinels counts,
 * fit together into the grace, even if each clock is slow or fast by the drift. */
static void the_longest_ttl_fits_into_the_grace(void)
{
	static const struct {
		const char *text;
		double drift;
		int64_t wanted;
	} cases[] = {{"redis-sentinel://a/m", 0.01, INT64_MAX}, {"redis://a", 0.01, INT64_MAX},
		{"redis-cluster://a", 0.01, INT64_MAX},
		{"redis-sentinel://a/m?failover_grace=32", 0.01, 30989},
		{"redis-sentinel://a/m?failover_grace=32", 0, 30999},
		{"redis-sentinel://a/m?failover_grace=32", 0.5, 29999},
		{"redis-sentinel://a/m?failover_grace=2", 0.01, 989}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		clean_up();
		add(&one, cases[i].text);
		one.drift_factor = cases[i].drift;
		int64_t longest = rl_set_longest_ttl_ms(&one);
		CHECK_INT(longest, cases[i].wanted);
		if (longest < INT64_MAX) {
			int64_t ttl = longest * MS;
			int64_t grace = one.members[0].route->grace_ns;
			CHECK(ttl - rl_set_drift(&one, ttl) + SECOND <= grace - rl_set_drift(&one, grace));
		}
	}
}

static void the_shortest_grace_counts(void)
{
	add(&one, "redis-sentinel://a/m?failover_grace=32");
	add(&one, "redis://b");
	add(&one, "redis-sentinel://c/m?failover_grace=12");
	one.drift_factor = 0;
	CHECK_INT(rl_set_longest_ttl_ms(&one), 10999);
}

static void a_set_settles_with_its_first_primary(void)
{
	add(&one, "redis-sentinel://a/m?failover_grace=32");
	add(&one, "redis-sentinel://c/m?failover_grace=12");
	add(&one, "redis://b");
	one.members[0].route->known_since = -32 * SECOND;
	one.members[1].route->known_since = -12 * SECOND;
	CHECK_INT(rl_set_grants_at(&one), 0);
	one.members[0].route->known_since = 80 - 32 * SECOND;
	CHECK_INT(rl_set_grants_at(&one), 80);
	one.members[1].route->known_since = 70 - 12 * SECOND;
	CHECK_INT(rl_set_grants_at(&one), 70);
	one.members[1].route->named_at = 70;
	CHECK_INT(rl_set_grants_at(&one), 80);
}

static const check_test tests[] = {TEST(servers_of_both_sets_are_common),
	TEST(a_set_finds_its_members_on_the_same_server), TEST(a_member_is_given_a_tenth_of_the_ttl),
	TEST(the_longest_ttl_fits_into_the_grace), TEST(the_shortest_grace_counts),
	TEST(a_set_settles_with_its_first_primary)};

CHECK_MAIN(tests, clean_up)
