/* SPDX-License-Identifier: MIT
 *
 * A copy of a target, for another thread: the same to a server, with nothing shared. The names of
 * targets, and the pool's use of them, are in test_dsn.c and test_pool.c.
 */
#include "check.h"
#include "core/wire/rl_dsn.h"

#include <string.h>

static rl_target *original;
static rl_target *copy;

static void clean_up(void)
{
	rl_target_unref(copy);
	rl_target_unref(original);
	copy = original = NULL;
}

static void begin(const char *text)
{
	rl_dsn dsn;
	rl_error err;
	CHECK_INT(rl_dsn_parse(bytes_of(text), &dsn, &err), RL_OK);
	original = dsn.target;
	copy = rl_target_copy(original);
	CHECK(copy != NULL);
}

static void check_text_is_copied(const char *from, const char *to)
{
	CHECK((from == NULL) == (to == NULL));
	if (from != NULL) {
		CHECK(from != to);
		CHECK_TEXT(to, from);
	}
}

static void a_copy_is_the_same_and_shares_nothing(void)
{
	static const char *const texts[] = {"redis://host", "redis://me:word@host:1/7",
		"redis://:word@[::1]:2", "unix:///run/a.sock", "unix://me:word@/run/a.sock?db=3",
		"redis://me:@host"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		begin(texts[i]);
		CHECK(rl_target_equal(original, copy));
		CHECK_INT(copy->refs, 1);
		CHECK_INT(original->refs, 1);
		check_text_is_copied(original->address.host, copy->address.host);
		check_text_is_copied(original->user, copy->user);
		check_text_is_copied(original->name, copy->name);
		CHECK(original->password.data == NULL || original->password.data != copy->password.data);
		clean_up();
	}
}

static void a_password_is_copied_to_its_end(void)
{
	begin("redis://:a%00b@host");
	CHECK_INT(copy->password.len, 3);
	CHECK(memcmp(copy->password.data, "a\0b", 3) == 0);
	CHECK(rl_target_equal(original, copy));
	original->password.data[2] = 'c';
	CHECK(!rl_target_equal(original, copy));
}

/* A connection is for as many replicas as its target says. */
static void replicas_are_copied(void)
{
	begin("redis://host?replicas=3");
	CHECK_INT(copy->replicas, 3);
	original->replicas_ms = 50;
	CHECK(!rl_target_equal(original, copy));
	CHECK(!rl_target_equal(copy, original));
	rl_target_unref(copy);
	copy = rl_target_copy(original);
	CHECK_INT(copy->replicas_ms, 50);
	CHECK(rl_target_equal(original, copy));
	CHECK(rl_address_equal(&original->address, &copy->address));
	copy->replicas = 2;
	CHECK(!rl_target_equal(original, copy));
	CHECK(rl_address_equal(&original->address, &copy->address));
}

/* An empty password logs in; none does not. */
static void an_empty_password_differs_from_no_password(void)
{
	begin("redis://me:@host");
	CHECK(copy->password.data != NULL);
	CHECK_INT(copy->password.len, 0);
	clean_up();
	begin("redis://host");
	CHECK(copy->password.data == NULL);
}

static void a_copy_outlives_its_original(void)
{
	begin("redis://me:word@host:1/7");
	rl_target_ref(original); /* other references to the original do not concern the copy */
	rl_target_unref(original);
	rl_target_unref(original);
	original = NULL;
	CHECK_TEXT(copy->address.host, "host");
	CHECK_TEXT(copy->user, "me");
	CHECK_TEXT(copy->name, "redis://host:1/7");
	CHECK_INT(copy->address.port, 1);
	CHECK_INT(copy->database, 7);
}

/* ---- addresses ---- */

static bool is_same(const char *one, const char *other)
{
	begin(one);
	rl_target_unref(copy);
	copy = original;
	original = NULL;
	rl_dsn dsn;
	rl_error err;
	CHECK_INT(rl_dsn_parse(bytes_of(other), &dsn, &err), RL_OK);
	original = dsn.target;
	bool is_equal = rl_address_equal(&copy->address, &original->address);
	CHECK_INT(rl_address_equal(&original->address, &copy->address), is_equal);
	clean_up();
	return is_equal;
}

static void a_name_in_capitals_is_the_same(void)
{
	CHECK(is_same("redis://host", "redis://HOST"));
	CHECK(is_same("redis://Host.Example:7000", "redis://hOST.eXAMPLE:7000"));
	CHECK(is_same("redis://[fe80::1]", "redis://[FE80::1]"));
	CHECK(!is_same("redis://host", "redis://host2"));
	CHECK(!is_same("redis://host:1", "redis://HOST:2"));
}

static void a_path_in_capitals_is_another(void)
{
	CHECK(is_same("unix:///run/a.sock", "unix:///run/a.sock"));
	CHECK(!is_same("unix:///run/a.sock", "unix:///run/A.sock"));
}

static const check_test tests[] = {
	TEST(a_copy_is_the_same_and_shares_nothing),
	TEST(a_password_is_copied_to_its_end),
	TEST(replicas_are_copied),
	TEST(an_empty_password_differs_from_no_password),
	TEST(a_copy_outlives_its_original),
	TEST(a_name_in_capitals_is_the_same),
	TEST(a_path_in_capitals_is_another),
};

CHECK_MAIN(tests, clean_up)
