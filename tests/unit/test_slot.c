/* SPDX-License-Identifier: MIT
 *
 * The slots of keys, and the names of helper keys that have the slot of their key.
 */
#include "check.h"
#include "core/wire/rl_names.h"
#include "core/wire/rl_slot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned slot_of(const char *key)
{
	return rl_slot_of(bytes_of(key));
}

/* The values of a server's CLUSTER KEYSLOT. */
static void the_slots_of_known_keys_are_right(void)
{
	static const struct {
		const char *key;
		unsigned slot;
	} cases[] = {{"123456789", 12739}, {"foo", 12182}, {"bar", 5061}, {"a", 15495}, {"hello", 866},
		{"{user1000}.following", 3443}, {"{user1000}.followers", 3443}, {"user1000", 3443}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		CHECK_INT(slot_of(cases[i].key), cases[i].slot);
	}
	CHECK_INT(rl_slot_of(rl_bytes_of("\0\xff\x80\n", 4)), 13745);
	CHECK_INT(rl_slot_of(rl_bytes_of("", 0)), 0);
}

static void the_tag_of_a_key_is_between_its_first_braces(void)
{
	static const struct {
		const char *key, *tag;
	} cases[] = {{"foo{}{bar}", "foo{}{bar}"}, {"foo{{bar}}zap", "{bar"}, {"foo{bar}{zap}", "bar"},
		{"{a}", "a"}, {"{a}b", "a"}, {"b{a}", "a"}, {"{", "{"}, {"}", "}"}, {"{}", "{}"},
		{"}{", "}{"}, {"}{a}", "a"}, {"a{b", "a{b"}, {"a}b", "a}b"}, {"{{a}", "{a"},
		{"x{y}z}", "y"}, {"{ }", " "}, {"plain", "plain"}, {"", ""}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_bytes key = bytes_of(cases[i].key);
		rl_bytes tag = rl_slot_tag(key);
		if (!rl_bytes_equal(tag, bytes_of(cases[i].tag))) {
			FAIL("%s: %.*s", cases[i].key, (int) tag.len, tag.data);
		}
		CHECK_INT(rl_slot_of(key), rl_slot_of(tag));
	}
	/* Bytes after the end of the key are not read. */
	CHECK_INT(rl_slot_tag(rl_bytes_of("{a}", 2)).len, 2);
	CHECK_INT(rl_slot_tag(rl_bytes_of("a{}", 2)).len, 2);
}

/* ---- the specification once more, in another way ---- */

static unsigned slow_slot_of(const char *key, size_t len)
{
	size_t open = 0;
	while (open < len && key[open] != '{') {
		open++;
	}
	size_t close = open + 1;
	while (close < len && key[close] != '}') {
		close++;
	}
	if (open < len && close < len && close > open + 1) {
		key += open + 1;
		len = close - open - 1;
	}
	unsigned crc = 0;
	for (size_t i = 0; i < len; i++) {
		crc ^= (unsigned) (unsigned char) key[i] << 8;
		for (unsigned bit = 0; bit < 8; bit++) {
			crc = crc & 0x8000 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1;
		}
	}
	return crc % 16384;
}

static uint64_t state = 88172645463325252u;

static unsigned any(unsigned limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned) (state >> 33) % limit;
}

static bool is_in_slot(rl_bytes name, unsigned slot)
{
	return slow_slot_of(name.data, name.len) == slot;
}

static bool has(rl_bytes text, char c)
{
	return memchr(text.data, c, text.len) != NULL;
}

/* All names of a key are in its slot, unless no name would be. */
static void all_names_are_in_the_slot_of_the_key(void)
{
	unsigned without = 0;
	for (unsigned round = 0; round < 100000; round++) {
		char text[12];
		size_t len = 1 + any(sizeof text);
		for (size_t i = 0; i < len; i++) {
			text[i] = "{}{}ab:"[any(7)];
		}
		rl_bytes key = rl_bytes_of(text, len);
		char *room = malloc(rl_names_size(len));
		rl_names names = rl_names_put(room, key, RL_NAMES_IN_SLOT);
		bool is_right = rl_bytes_equal(names.key, key) && is_in_slot(key, names.slot);
		if (names.mark.data == NULL) {
			without++;
			is_right = is_right && names.tickets.data == NULL && has(key, '}') &&
				rl_slot_tag(key).len == key.len;
		} else {
			is_right = is_right && is_in_slot(names.mark, names.slot) &&
				is_in_slot(names.tickets, names.slot) && !rl_bytes_equal(names.mark, names.tickets);
		}
		free(room);
		if (!is_right) {
			FAIL("the names of %.*s", (int) len, text);
		}
	}
	CHECK(without > 1000 && without < 50000);
}

/* The name of the fencing number is as that of the marks. */
static void check_fence_name(const char *key, rl_naming naming, const char *mark)
{
	char wanted[60];
	rl_bytes fence;
	char *room = malloc(rl_names_fence_size(strlen(key)));
	fence = rl_names_put_fence(room, bytes_of(key), naming);
	if (mark == NULL) {
		CHECK(fence.data == NULL);
	} else {
		int len = (int) (strstr(mark, ":rl-wait") - mark);
		len -= len > 0 && mark[len - 1] == ':';
		/* The suffix of the mark's name has one colon or two. */
		bool has_two = mark[len] == ':' && mark[len + 1] == ':';
		snprintf(wanted, sizeof wanted, "%.*s%s", len, mark, has_two ? "::rl-fence" : ":rl-fence");
		CHECK(rl_bytes_equal(fence, bytes_of(wanted)));
	}
	free(room);
}

static void check_names(const char *key, rl_naming naming, const char *mark, const char *tickets)
{
	char room[100];
	check_fence_name(key, naming, mark);
	CHECK(rl_names_size(strlen(key)) <= sizeof room);
	rl_names names = rl_names_put(room, bytes_of(key), naming);
	CHECK(rl_bytes_equal(names.key, bytes_of(key)));
	if (mark == NULL) {
		CHECK(names.mark.data == NULL && names.tickets.data == NULL);
		return;
	}
	if (!rl_bytes_equal(names.mark, bytes_of(mark)) ||
		!rl_bytes_equal(names.tickets, bytes_of(tickets))) {
		FAIL("%s has %.*s and %.*s", key, (int) names.mark.len, names.mark.data,
			(int) names.tickets.len, names.tickets.data);
	}
}

static void the_names_of_helper_keys_have_the_slot_of_their_key(void)
{
	static const char *const tagged[] = {"{a}b", "{{a}b", "}{a}", "{a}}", "x{a}{b}", "{a}{b}"};
	static const char *const tags[] = {"{a}", "{{a}", "{{}", "{:}"};
	static const char *const plain[] = {"a", "a{b", "{", "a:b"};
	static const char *const unnamed[] = {"a}b", "{}", "x{}y", "user:{}", "}", "{}{a}"};
	char mark[40];
	char tickets[40];
	for (size_t i = 0; i < sizeof tagged / sizeof tagged[0]; i++) {
		strcat(strcpy(mark, tagged[i]), "::rl-wait");
		strcat(strcpy(tickets, tagged[i]), "::rl-wake");
		check_names(tagged[i], RL_NAMES_IN_SLOT, mark, tickets);
	}
	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
		strcat(strcpy(mark, tags[i]), ":rl-wait");
		strcat(strcpy(tickets, tags[i]), ":rl-wake");
		check_names(tags[i], RL_NAMES_IN_SLOT, mark, tickets);
	}
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
		strcat(strcat(strcpy(mark, "{"), plain[i]), "}::rl-wait");
		strcat(strcat(strcpy(tickets, "{"), plain[i]), "}::rl-wake");
		check_names(plain[i], RL_NAMES_IN_SLOT, mark, tickets);
	}
	for (size_t i = 0; i < sizeof unnamed / sizeof unnamed[0]; i++) {
		check_names(unnamed[i], RL_NAMES_IN_SLOT, NULL, NULL);
	}
}

/* ---- no two keys share a helper key ---- */

#define SHORT_MAX 6 /* bytes of a key */
#define NAME_ROOM 32

typedef struct named {
	char name[NAME_ROOM];
	char key[SHORT_MAX + 1];
} named;

static int compare_names(const void *one, const void *other)
{
	return strcmp(((const named *) one)->name, ((const named *) other)->name);
}

static void note_name(named *entry, rl_bytes name, const char *key)
{
	memcpy(entry->name, name.data, name.len);
	entry->name[name.len] = '\0';
	strcpy(entry->key, key);
	if (!rl_names_may_be_helper(name)) {
		FAIL("%s of %s is no name of a helper key", entry->name, key);
	}
}

/* Every key of so many bytes of the alphabet, with all its names. */
static size_t note_names(named *entries, size_t len, rl_naming naming)
{
	size_t count = 0;
	char key[SHORT_MAX + 1] = {0};
	for (unsigned number = 0; number < 1U << 2 * len; number++) {
		for (size_t i = 0; i < len; i++) {
			key[i] = "a{}:"[number >> 2 * i & 3];
		}
		char room[2 * NAME_ROOM];
		rl_names names = rl_names_put(room, bytes_of(key), naming);
		if (names.mark.data != NULL) {
			char fence_room[NAME_ROOM];
			note_name(&entries[count++], names.mark, key);
			note_name(&entries[count++], names.tickets, key);
			note_name(
				&entries[count++], rl_names_put_fence(fence_room, bytes_of(key), naming), key);
		}
	}
	return count;
}

static void check_that_names_differ(rl_naming naming)
{
	named *entries = calloc((size_t) 4 << 2 * SHORT_MAX, sizeof *entries);
	size_t count = 0;
	for (size_t len = 1; len <= SHORT_MAX; len++) {
		count += note_names(entries + count, len, naming);
	}
	CHECK(count > 5000);
	qsort(entries, count, sizeof *entries, compare_names);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(entries[i - 1].name, entries[i].name) == 0) {
			FAIL("%s and %s share %s", entries[i - 1].key, entries[i].key, entries[i].name);
			break;
		}
	}
	free(entries);
}

static void no_two_keys_share_a_helper_key(void)
{
	check_that_names_differ(RL_NAMES_IN_SLOT);
	check_that_names_differ(RL_NAMES_PLAIN);
}

static void a_name_that_may_be_a_helper_key_is_no_lock(void)
{
	static const char *const helpers[] = {
		"a::rl-wait", "{a}:rl-wake", ":rl-fence", "a:rl-wait", "::rl-wake"};
	static const char *const others[] = {"rl-wait", "a::rl-wait ", "a::rl-", "a:rl_wait", "a"};
	for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++) {
		CHECK(rl_names_may_be_helper(bytes_of(helpers[i])));
		CHECK(!rl_names_may_be_helper(bytes_of(others[i])));
	}
}

static void without_a_cluster_names_are_plain(void)
{
	static const char *const keys[] = {"a", "a}b", "{}", "{a}b", "a{b"};
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		char mark[40];
		char tickets[40];
		strcat(strcpy(mark, keys[i]), "::rl-wait");
		strcat(strcpy(tickets, keys[i]), "::rl-wake");
		check_names(keys[i], RL_NAMES_PLAIN, mark, tickets);
		char room[100];
		CHECK_INT(rl_names_put(room, bytes_of(keys[i]), RL_NAMES_PLAIN).slot, 0);
	}
}

static void permits_are_told_by_number(const char *key, rl_naming naming, const char *stem)
{
	char names_room[256];
	char block[1024];
	char *room = block + 1; /* however it is aligned */
	rl_names names = rl_names_put(names_room, bytes_of(key), naming);
	CHECK(rl_names_permits_size(strlen(key), 12) < sizeof block);
	const rl_bytes *keys = rl_names_put_permits(room, &names, 12);
	CHECK(rl_bytes_is(keys[0], key));
	for (unsigned i = 1; i < 12; i++) {
		char wanted[64];
		snprintf(wanted, sizeof wanted, "%s#%u", stem, i + 1);
		CHECK(rl_bytes_is(keys[i], wanted));
		CHECK(keys[i].len <= RL_PERMIT_NAME_MAX(strlen(key)));
		CHECK(naming == RL_NAMES_PLAIN || rl_slot_of(keys[i]) == names.slot);
		CHECK(keys[i].data + keys[i].len <= room + rl_names_permits_size(strlen(key), 12));
	}
}

static void the_permits_of_a_key_are_in_its_slot(void)
{
	permits_are_told_by_number("k", RL_NAMES_PLAIN, "k");
	permits_are_told_by_number("{a}k", RL_NAMES_PLAIN, "{a}k");
	permits_are_told_by_number("k", RL_NAMES_IN_SLOT, "{k}");
	permits_are_told_by_number("{a}k", RL_NAMES_IN_SLOT, "{a}k");
	permits_are_told_by_number("{a}", RL_NAMES_IN_SLOT, "{a}");
	CHECK(rl_names_have_helpers(bytes_of("k"), RL_NAMES_IN_SLOT));
	CHECK(rl_names_have_helpers(bytes_of("k}"), RL_NAMES_PLAIN));
	CHECK(!rl_names_have_helpers(bytes_of("k}"), RL_NAMES_IN_SLOT));
}

static const check_test tests[] = {
	TEST(the_permits_of_a_key_are_in_its_slot),
	TEST(the_slots_of_known_keys_are_right),
	TEST(the_tag_of_a_key_is_between_its_first_braces),
	TEST(all_names_are_in_the_slot_of_the_key),
	TEST(the_names_of_helper_keys_have_the_slot_of_their_key),
	TEST(no_two_keys_share_a_helper_key),
	TEST(a_name_that_may_be_a_helper_key_is_no_lock),
	TEST(without_a_cluster_names_are_plain),
};

CHECK_MAIN(tests, NULL)
