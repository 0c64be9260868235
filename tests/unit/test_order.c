/* SPDX-License-Identifier: MIT
 *
 * The order of the members for a key.
 */
#include "check.h"
#include "core/lock/rl_order.h"

#include <stdio.h>
#include <string.h>

#define KEYS 20000

static rl_target targets[RL_MEMBERS_MAX];
static char names[RL_MEMBERS_MAX][32];
static rl_set set;

/* Members in the order of the letters. */
static void list(const char *letters)
{
	set.count = 0;
	for (const char *letter = letters; *letter != '\0'; letter++) {
		unsigned i = set.count++;
		snprintf(names[i], sizeof names[i], "redis://%c:6379", *letter);
		targets[i].name = names[i];
		set.members[i] = (rl_member){.target = &targets[i]};
	}
}

/* The order as letters; valid until the next call. */
static const char *order_of(const char *key)
{
	static char text[RL_MEMBERS_MAX + 1];
	unsigned char order[RL_MEMBERS_MAX];
	rl_order(&set, bytes_of(key), order);
	for (unsigned i = 0; i < set.count; i++) {
		text[i] = names[order[i]][strlen("redis://")];
	}
	text[set.count] = '\0';
	return text;
}

/* The order of the members with these letters, for a key with this number. */
static void order_of_number(unsigned key, const char *letters, char order[RL_MEMBERS_MAX + 1])
{
	char text[32];
	snprintf(text, sizeof text, "key%u", key);
	list(letters);
	snprintf(order, RL_MEMBERS_MAX + 1, "%s", order_of(text));
}

/* Clients of different versions must agree. */
static void the_order_never_changes(void)
{
	list("a");
	CHECK_TEXT(order_of("k"), "a");
	list("ab");
	CHECK_TEXT(order_of("k"), "ab");
	CHECK_TEXT(order_of("other"), "ba");
	list("abc");
	CHECK_TEXT(order_of("k"), "cab");
	CHECK_TEXT(order_of(""), "bca");
	CHECK_TEXT(order_of("lock:1"), "cab");
	CHECK_TEXT(order_of("other"), "bac");
	list("abcde");
	CHECK_TEXT(order_of("k"), "cdeab");
	CHECK_TEXT(order_of("k1"), "decba");
	CHECK_TEXT(order_of("k2"), "aebdc");
	CHECK_TEXT(order_of("other"), "badce");
}

static void the_order_does_not_depend_on_that_of_the_list(void)
{
	static const char *const lists[] = {"abcde", "edcba", "cabed", "badce", "eacbd"};
	for (unsigned key = 0; key < 100; key++) {
		char first[RL_MEMBERS_MAX + 1], other[RL_MEMBERS_MAX + 1];
		order_of_number(key, lists[0], first);
		for (unsigned i = 1; i < 5; i++) {
			order_of_number(key, lists[i], other);
			CHECK_TEXT(other, first);
		}
	}
}

static void a_missing_member_leaves_the_others_in_order(void)
{
	for (unsigned key = 0; key < 100; key++) {
		char all[RL_MEMBERS_MAX + 1], rest[RL_MEMBERS_MAX + 1];
		order_of_number(key, "abcde", all);
		char *gone = strchr(all, 'c');
		memmove(gone, gone + 1, strlen(gone));
		order_of_number(key, "abde", rest);
		CHECK_TEXT(rest, all);
	}
}

/* Each of five members has each place for a fifth of the keys; the bounds are some ten standard
 * deviations wide. */
static void keys_are_spread_evenly(void)
{
	static const char *const forms[] = {
		"%u", "lock:%u", "user:%u:cart", "a/very/long/prefix/of/keys/%08u"};
	list("abcde");
	for (unsigned form = 0; form < 4; form++) {
		unsigned at[RL_MEMBERS_MAX][RL_MEMBERS_MAX] = {{0}};
		for (unsigned key = 0; key < KEYS; key++) {
			char text[64];
			unsigned char order[RL_MEMBERS_MAX];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(text, sizeof text, forms[form], key);
#pragma GCC diagnostic pop
			rl_order(&set, bytes_of(text), order);
			for (unsigned place = 0; place < set.count; place++) {
				at[order[place]][place]++;
			}
		}
		for (unsigned i = 0; i < set.count * set.count; i++) {
			unsigned hits = at[i / set.count][i % set.count];
			if (hits < KEYS / 5 - 600 || hits > KEYS / 5 + 600) {
				FAIL("%s: %u at place %u: %u", forms[form], i / set.count, i % set.count, hits);
			}
		}
	}
}

/* When the first member of a key is down, its load goes to several other members. */
static void the_second_member_does_not_follow_from_the_first(void)
{
	unsigned pairs[26][26] = {{0}};
	list("abcd");
	for (unsigned key = 0; key < KEYS; key++) {
		char text[32];
		snprintf(text, sizeof text, "k%u", key);
		const char *order = order_of(text);
		pairs[order[0] - 'a'][order[1] - 'a']++;
	}
	for (unsigned i = 0; i < 16; i++) {
		unsigned hits = pairs[i / 4][i % 4];
		CHECK(i / 4 == i % 4 ? hits == 0 : hits > KEYS / 12 - 400 && hits < KEYS / 12 + 400);
	}
}

/* The weight of a member is that of its route's name, whatever its target is called. */
static void a_route_has_a_name_of_its_own(void)
{
	rl_route routes[2] = {{.order_name = "redis://a:6379"}, {.order_name = "redis://b:6379"}};
	for (unsigned key = 0; key < 100; key++) {
		char text[32];
		char first[RL_MEMBERS_MAX + 1];
		snprintf(text, sizeof text, "key%u", key);
		order_of_number(key, "abc", first);
		list("xyc");
		set.members[0].route = &routes[0];
		set.members[1].route = &routes[1];
		for (char *letter = first; *letter != '\0'; letter++) {
			*letter = *letter == 'a' ? 'x' : *letter == 'b' ? 'y' : *letter;
		}
		CHECK_TEXT(order_of(text), first);
	}
}

static void keys_may_be_any_bytes(void)
{
	unsigned char order[RL_MEMBERS_MAX];
	unsigned char other[RL_MEMBERS_MAX];
	list("abcdefghijklmno");
	rl_order(&set, rl_bytes_of("a\0b", 3), order);
	rl_order(&set, rl_bytes_of("a\0c", 3), other);
	CHECK(memcmp(order, other, set.count) != 0);
	unsigned seen = 0;
	for (unsigned i = 0; i < set.count; i++) {
		seen |= 1U << order[i];
	}
	CHECK_INT(seen, (1 << 15) - 1);
}

static const check_test tests[] = {
	TEST(the_order_never_changes),
	TEST(the_order_does_not_depend_on_that_of_the_list),
	TEST(a_missing_member_leaves_the_others_in_order),
	TEST(keys_are_spread_evenly),
	TEST(the_second_member_does_not_follow_from_the_first),
	TEST(a_route_has_a_name_of_its_own),
	TEST(keys_may_be_any_bytes),
};

CHECK_MAIN(tests, NULL)
