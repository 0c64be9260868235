/* SPDX-License-Identifier: MIT
 *
 * DSNs of clusters and of primaries behind Sentinels, and the routes that are made of them.
 */
#include "check.h"
#include "no_memory.h"
#include "parsing.h"

#include <stdio.h>

static rl_dsn dsn;
static rl_error err;

static void clean_up(void)
{
	is_counting = false;
	rl_dsn_drop(&dsn);
}

static rl_status parse(const char *text)
{
	rl_dsn_drop(&dsn);
	return parse_exactly(text, strlen(text), &dsn, &err);
}

static void read_good(const char *text)
{
	if (parse(text) != RL_OK) {
		FAIL("%s: %s", text, err.message);
	}
	CHECK(dsn.route != NULL);
	CHECK(dsn.route->common == dsn.target);
	CHECK_INT(dsn.route->refs, 1);
	CHECK_INT(dsn.target->refs, 2);
}

/* A target as "name user password db", with "-" for what is not there. */
static void append_target(char *out, size_t size, const rl_target *target)
{
	size_t used = strlen(out);
	const rl_secret *password = &target->password;
	bool has_password = password->data != NULL;
	snprintf(out + used, size - used, "%s %s %.*s %u;", target->name,
		target->user != NULL ? target->user : "-", has_password ? (int) password->len : 1,
		has_password ? password->data : "-", target->database);
}

/* The common target, and then the seeds. */
static const char *targets_of(const char *text)
{
	static char out[4096];
	out[0] = '\0';
	read_good(text);
	append_target(out, sizeof out, dsn.target);
	for (unsigned i = 0; i < dsn.route->seed_count; i++) {
		size_t used = strlen(out);
		snprintf(out + used, sizeof out - used, " ");
		append_target(out, sizeof out, dsn.route->seeds[i]);
	}
	return out;
}

static void dsns_may_name_clusters(void)
{
	static const check_case table[] = {
		{"redis-cluster://a", "redis-cluster://a:6379 - - 0; redis://a:6379 - - 0;"},
		{"valkey-cluster://a:7000/", "redis-cluster://a:7000 - - 0; redis://a:7000 - - 0;"},
		{"redis-cluster://a:7000,b:7001,c",
			"redis-cluster://a:7000,b:7001,c:6379 - - 0; redis://a:7000 - - 0; "
			"redis://b:7001 - - 0; redis://c:6379 - - 0;"},
		{"redis-cluster://me:word@a,b/3",
			"redis-cluster://a:6379,b:6379/3 me word 3; redis://a:6379/3 me word 3; "
			"redis://b:6379/3 me word 3;"},
		{"REDIS-CLUSTER://:w%2cord@[::1]:1,[::2]?db=2",
			"redis-cluster://[::1]:1,[::2]:6379/2 - w,ord 2; redis://[::1]:1/2 - w,ord 2; "
			"redis://[::2]:6379/2 - w,ord 2;"},
		{"rediss-cluster://a,b",
			"rediss-cluster://a:6379,b:6379 - - 0; rediss://a:6379 - - 0; "
			"rediss://b:6379 - - 0;"},
		{"valkeys-cluster://a", "rediss-cluster://a:6379 - - 0; rediss://a:6379 - - 0;"},
	};
	CHECK_CASES(table, targets_of);
	CHECK_INT(dsn.route->kind, RL_ROUTE_CLUSTER);
	CHECK(dsn.route->service == NULL);
	CHECK_INT(dsn.route->node_count, 1);
	CHECK_INT(dsn.route->seed_node_count, 1);
}

/* Credentials and database are those of the nodes. */
static void dsns_may_name_sentinels(void)
{
	static const check_case table[] = {
		{"redis-sentinel://a/m", "redis-sentinel://a:26379/m - - 0; redis://a:26379 - - 0;"},
		{"valkey-sentinel://a/m/", "redis-sentinel://a:26379/m - - 0; redis://a:26379 - - 0;"},
		{"redis+sentinel://a:1,b/m-1.x_Y",
			"redis-sentinel://a:1,b:26379/m-1.x_Y - - 0; redis://a:1 - - 0; "
			"redis://b:26379 - - 0;"},
		{"valkey+sentinel://me:word@a,[::1]/m/3",
			"redis-sentinel://a:26379,[::1]:26379/m/3 me word 3; redis://a:26379 - - 0; "
			"redis://[::1]:26379 - - 0;"},
		{"redis-sentinel://a/m?db=4", "redis-sentinel://a:26379/m/4 - - 4; redis://a:26379 - - 0;"},
		{"redis-sentinel://a/m%20n",
			"redis-sentinel://a:26379/m%20n - - 0; redis://a:26379 - - 0;"},
		{"redis-sentinel://a/m?sentinel_user=me&sentinel_password=w%40rd",
			"redis-sentinel://a:26379/m - - 0; redis://a:26379 me w@rd 0;"},
		{"redis-sentinel://:x@a,b/m?sentinel_password=word",
			"redis-sentinel://a:26379,b:26379/m - x 0; redis://a:26379 - word 0; "
			"redis://b:26379 - word 0;"},
		{"redis-sentinel://:x@a/m?sentinel_user=&sentinel_password=",
			"redis-sentinel://a:26379/m - x 0; redis://a:26379 - - 0;"},
		{"redis-sentinel://a/m?sentinel_user=me&sentinel_password=",
			"redis-sentinel://a:26379/m - - 0; redis://a:26379 me  0;"},
	};
	CHECK_CASES(table, targets_of);
	CHECK_INT(dsn.route->kind, RL_ROUTE_SENTINEL);
	CHECK_TEXT(dsn.route->service, "m");
	CHECK_INT(dsn.route->node_count, 0);
}

static void a_password_of_sentinels_may_have_a_nul(void)
{
	read_good("redis-sentinel://a/m?sentinel_password=a%00b");
	CHECK_INT(dsn.route->seeds[0]->password.len, 3);
	CHECK(memcmp(dsn.route->seeds[0]->password.data, "a\0b", 4) == 0);
}

/* The scheme decides for nodes and Sentinels, sentinel_tls for Sentinels. */
static void nodes_and_sentinels_may_use_tls(void)
{
	static const struct {
		const char *text;
		bool nodes, sentinels;
	} table[] = {
		{"redis-sentinel://a/m", false, false},
		{"redis-sentinel://a/m?sentinel_tls=0", false, false},
		{"redis-sentinel://a/m?sentinel_tls=1", false, true},
		{"rediss-sentinel://a/m", true, true},
		{"rediss-sentinel://a/m?sentinel_tls=1", true, true},
		{"rediss-sentinel://a/m?sentinel_tls=0", true, false},
		{"rediss+sentinel://a/m", true, true},
		{"valkeys-sentinel://a/m", true, true},
		{"valkeys+sentinel://a/m", true, true},
		{"rediss-cluster://a", true, true},
		{"redis-cluster://a", false, false},
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		read_good(table[i].text);
		const rl_target *seed = dsn.route->seeds[0];
		if ((dsn.target->address.tls != NULL) != table[i].nodes ||
			(seed->address.tls != NULL) != table[i].sentinels) {
			FAIL("%s", table[i].text);
		}
	}
}

/* The nodes and the Sentinels have these options, as far as they speak TLS. */
static void options_of_tls_are_for_nodes_and_sentinels(void)
{
	read_good("redis-sentinel://a,b/m?ssl[cafile]=/ca&sentinel_tls=1");
	CHECK_TEXT(dsn.route->seeds[0]->address.tls->values[RL_TLS_CAFILE], "/ca");
	CHECK_TEXT(dsn.route->seeds[1]->address.tls->values[RL_TLS_CAFILE], "/ca");
	CHECK(dsn.route->seeds[0]->address.tls != dsn.route->seeds[1]->address.tls);
	read_good("rediss-sentinel://a/m?sentinel_tls=0&ssl[cafile]=/ca");
	CHECK_TEXT(dsn.target->address.tls->values[RL_TLS_CAFILE], "/ca");
	read_good("rediss-cluster://a,b?ssl[cafile]=/ca");
	CHECK_TEXT(dsn.target->address.tls->values[RL_TLS_CAFILE], "/ca");
	CHECK_TEXT(dsn.route->seeds[1]->address.tls->values[RL_TLS_CAFILE], "/ca");
}

static void the_nodes_have_the_options_of_the_dsn(void)
{
	read_good("redis-cluster://a,b?replicas=2&timeout=0.5&connect_timeout=2&replicas_timeout=0.1");
	CHECK_INT(dsn.target->replicas, 2);
	CHECK_INT(dsn.route->seeds[1]->replicas, 2);
	CHECK_INT(dsn.timeout_ns, 500000000);
	CHECK_INT(dsn.connect_timeout_ns, 2000000000);
	CHECK_INT(dsn.replicas_timeout_ns, 100000000);
	read_good("redis-sentinel://a/m?replicas=2");
	CHECK_INT(dsn.target->replicas, 2);
	CHECK_INT(dsn.route->seeds[0]->replicas, 0);
}

static void sentinels_have_options_of_their_own(void)
{
	read_good("redis-sentinel://a,b,c/m");
	CHECK_INT(dsn.route->sentinel_quorum, 0);
	CHECK(dsn.route->check_ns == RL_CHECK_NS);
	CHECK_INT(dsn.route->grace_ns, 0);
	read_good("redis-sentinel://a,b,c/m?sentinel_quorum=1&sentinel_check=0");
	CHECK_INT(dsn.route->sentinel_quorum, 1);
	CHECK(dsn.route->check_ns == RL_NEVER);
	read_good("redis-sentinel://a,b,c/m?sentinel_check=1&sentinel_quorum=3");
	CHECK_INT(dsn.route->sentinel_quorum, 3);
	CHECK(dsn.route->check_ns == RL_CHECK_NS);
	read_good("redis-sentinel://a,b,c/m?failover_grace=32.5&sentinel_quorum=2&sentinel_check=1");
	CHECK_INT(dsn.route->grace_ns, 32500 * INT64_C(1000000));
	read_good("redis-sentinel://a,b,c,d/m?sentinel_quorum=3&failover_grace=2");
	CHECK_INT(dsn.route->grace_ns, 2 * RL_NS_PER_SECOND);
}

/* ---- errors ---- */

static void check_bad(const check_case *table, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		rl_status status = parse(table[i].text);
		CHECK(dsn.target == NULL || status == RL_OK);
		CHECK(dsn.route == NULL || status == RL_OK);
		if (status != RL_ERR_ARGUMENT || strstr(err.message, table[i].wanted) == NULL) {
			FAIL("%s: [%s], not an error with [%s]", table[i].text, err.message, table[i].wanted);
		}
	}
}

#define CHECK_BAD(table) check_bad(table, sizeof table / sizeof table[0])

static void bad_lists_are_refused(void)
{
	static const check_case table[] = {
		{"redis-cluster://", "the hosts are missing"},
		{"redis-cluster:///", "the hosts are missing"},
		{"redis-cluster:///run/a.sock", "a cluster has no socket's path"},
		{"redis-cluster://:word@", "the hosts are missing"},
		{"redis-sentinel://", "the hosts are missing"},
		{"redis-sentinel:///run/a.sock", "Sentinels have no socket's path"},
		{"redis-cluster://a,", "a host in the list is missing"},
		{"redis-cluster://,a", "a host in the list is missing"},
		{"redis-cluster://a,,b", "a host in the list is missing"},
		{"redis-cluster://a,:7000", "a host in the list is missing"},
		{"redis-cluster://a,[]", "a host in the list is missing"},
		{"redis-sentinel://,/m", "a host in the list is missing"},
		{"redis-cluster://a,b,a", "a host in the list is given twice"},
		{"redis-cluster://a,A:6379", "a host in the list is given twice"},
		{"redis-sentinel://a:26379,a/m", "a host in the list is given twice"},
		{"redis-cluster://a,b:0", "the port must be"},
		{"redis-cluster://a,b:x", "the port must be"},
		{"redis-cluster://a,b:1:2", "more than one ':' in the host"},
		{"redis-cluster://a,[::1", "the ']' after the IPv6 address is missing"},
		{"redis-cluster://a,b!", "a character that is not allowed in a host name"},
		{"redis-cluster://a,b%2cc", "a character that is not allowed in a host name"},
		{"redis-cluster://me:word@a,me:word@b", "more than one '@'"},
		{"redis-sentinel://:w@rd@a/m", "more than one '@'"},
		{"redis-cluster://word@a", "or :password@ without a user"},
		{"redis-cluster://a,redis://b", "another DSN follows in the same text"},
		{"redis-cluster://a,redis-cluster://b", "another DSN follows in the same text"},
		{"redis-sentinel://a/m,redis+sentinel://b/m", "another DSN follows in the same text"},
		{"redis-cluster://a redis-cluster://b", "another DSN follows in the same text"},
		{"redis-cluster://a, b", "spaces, control characters"},
		{"redis-cluster://a/x", "the database must be a number"},
		{"redis-cluster://a/1?db=1", "the database is given twice"},
	};
	CHECK_BAD(table);
}

static void bad_master_names_are_refused(void)
{
	static const check_case table[] = {
		{"redis-sentinel://a", "the master name is missing"},
		{"redis-sentinel://a/", "the master name is missing"},
		{"redis-sentinel://a,b?sentinel_quorum=1", "the master name is missing"},
		{"redis-sentinel://a//0", "the master name is missing"},
		{"redis-sentinel://a/m@b", "the master name has a character other than"},
		{"redis-sentinel://a/m:1", "the master name has a character other than"},
		{"redis-sentinel://a/m,n", "the master name has a character other than"},
		{"redis-sentinel://a/\xc3\xa4", "the master name has a character other than"},
		{"redis-sentinel://a/m%", "two hex digits"},
		{"redis-sentinel://a/m%00", "%00"},
		{"redis-sentinel://a/m%0a", "control characters"},
		{"redis-sentinel://a/m/x", "the database must be a number"},
		{"redis-sentinel://a/m/1/", "the database must be a number"},
		{"redis-sentinel://a/m/1?db=2", "the database is given twice"},
	};
	CHECK_BAD(table);
}

static void bad_options_are_refused(void)
{
	static const check_case table[] = {
		{"redis://a?sentinel_user=x", "the option sentinel_user is for redis-sentinel:// only"},
		{"redis://a?sentinel_password=x", "sentinel_password is for redis-sentinel:// only"},
		{"redis-cluster://a?sentinel_tls=1", "sentinel_tls is for redis-sentinel:// only"},
		{"unix:///a?sentinel_quorum=1", "sentinel_quorum is for redis-sentinel:// only"},
		{"rediss://a?sentinel_check=0", "sentinel_check is for redis-sentinel:// only"},
		{"redis-sentinel://a/m?sentinel_tls=yes", "sentinel_tls must be 0 or 1"},
		{"redis-sentinel://a/m?sentinel_check=", "sentinel_check must be 0 or 1"},
		{"redis-sentinel://a/m?sentinel_check=01", "sentinel_check must be 0 or 1"},
		{"redis-sentinel://a,b,c/m?sentinel_quorum=0", "must be a number from 1 to 3"},
		{"redis-sentinel://a,b,c/m?sentinel_quorum=4", "from 1 to 3, the number of Sentinels"},
		{"redis-sentinel://a/m?sentinel_quorum=", "must be a number from 1 to 1"},
		{"redis-sentinel://a/m?sentinel_quorum=x", "must be a number from 1 to 1"},
		{"redis-sentinel://a/m?sentinel_user=x", "sentinel_user needs sentinel_password"},
		{"redis-sentinel://a/m?sentinel_user=a%00&sentinel_password=b", "%00"},
		{"redis-sentinel://a/m?sentinel_password=x&sentinel_password=y",
			"sentinel_password is given twice"},
		{"redis-sentinel://a/m?sentinel_password=a@b", "'@' after '?' must be percent-encoded"},
		{"redis-cluster://a?failover_grace=9", "failover_grace is for redis-sentinel:// only"},
		{"redis-sentinel://a/m?failover_grace=1.999", "must be a number of seconds from 2 to 3600"},
		{"redis-sentinel://a/m?failover_grace=3601", "must be a number of seconds from 2 to 3600"},
		{"redis-sentinel://a/m?failover_grace=x", "must be a number of seconds from 2 to 3600"},
		{"redis-sentinel://a/m?failover_grace=9&sentinel_check=0", "needs sentinel_check=1"},
		{"redis-sentinel://a,b,c/m?sentinel_quorum=1&failover_grace=9", "at least 2"},
		{"redis-sentinel://a,b,c,d/m?failover_grace=9&sentinel_quorum=2", "at least 3"},
		{"redis-sentinel://a/m?sentinel=1", "sentinel_check or failover_grace"},
		{"redis-cluster://a?sentinel=1", "replicas_timeout or ssl[name]"},
		{"redis-sentinel://a/m?ssl[cafile]=/ca", "use rediss-sentinel:// or sentinel_tls=1"},
		{"redis-cluster://a?ssl[cafile]=/ca", "use rediss-cluster://"},
	};
	CHECK_BAD(table);
}

/* Makes "SCHEMEh0,h1,..TAIL". */
static const char *list(const char *scheme, unsigned count, const char *tail)
{
	static char text[1024];
	snprintf(text, sizeof text, "%s", scheme);
	for (unsigned i = 0; i < count; i++) {
		size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%sh%u", i == 0 ? "" : ",", i);
	}
	strncat(text, tail, sizeof text - strlen(text) - 1);
	return text;
}

static void lists_have_a_limit(void)
{
	read_good(list("redis-cluster://", 16, ""));
	CHECK_INT(dsn.route->seed_count, 16);
	CHECK_INT(parse(list("redis-cluster://", 17, "")), RL_ERR_ARGUMENT);
	CHECK_TEXT(err.message, "a DSN may name 16 nodes of a cluster at most");
	read_good(list("redis-sentinel://", 7, "/m"));
	CHECK_INT(dsn.route->seed_count, 7);
	CHECK_INT(parse(list("redis-sentinel://", 8, "/m")), RL_ERR_ARGUMENT);
	CHECK_TEXT(err.message, "a DSN may name 7 Sentinels at most");
}

/* Wherever the word stands, if it may be a password or part of one, no message has it. */
static void no_message_has_a_secret(void)
{
	static const char *const texts[] = {"redis-cluster://:hunter2@", "redis-cluster://:hunter2@,a",
		"redis-cluster://me:hunter2", "redis-cluster://me:hunter2,b",
		"redis-cluster://:hunter2@a/x", "redis-cluster://me:1/hunter2@h",
		"redis-cluster://me:x/hunter2@a,b", "redis-cluster://me:hunter2@a,me:hunter2@b",
		"redis-cluster://hunter2@a", "redis-cluster://:hunter2@a,redis://b",
		"redis-cluster://:hunter2@a,a", "redis-cluster://:hunter2@a?x=1",
		"redis-cluster://hunter2!,b", "redis-sentinel://:hunter2@a",
		"redis-sentinel://me:1/hunter2@a/m", "redis-sentinel://me:1/hunter2@a",
		"redis-sentinel://me:1/hunter2%40a,b@c", "redis-sentinel://:hunter2@a/m/x",
		"redis-sentinel://a/m?sentinel_user=hunter2",
		"redis-sentinel://a/m?sentinel_password=hunter2@",
		"redis-sentinel://a/m?sentinel_password=hunter2&x=1",
		"redis-sentinel://a/m?sentinel_password=hunter2%",
		"redis-sentinel://a/m?sentinel_tls=hunter2", "redis-sentinel://a/m?sentinel_check=hunter2",
		"redis-sentinel://a/m?sentinel_quorum=hunter2",
		"redis-cluster://a?sentinel_password=hunter2"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		if (parse(texts[i]) != RL_ERR_ARGUMENT || strstr(err.message, "hunter2") != NULL) {
			FAIL("%s is [%s]", texts[i], err.message);
		}
	}
}

static void no_name_has_a_secret(void)
{
	const char *text = "rediss-sentinel://me:hunter2@a,b/m/1?sentinel_user=hunter2"
					   "&sentinel_password=hunter2&ssl[passphrase]=hunter2&ssl[local_cert]=/c";
	read_good(text);
	CHECK_TEXT(dsn.target->name, "rediss-sentinel://a:26379,b:26379/m/1");
	CHECK_TEXT(dsn.route->seeds[1]->name, "rediss://b:26379");
}

/* ---- routes ---- */

static bool is_equal(const char *a, const char *b)
{
	rl_dsn other;
	read_good(a);
	CHECK_INT(rl_dsn_parse(bytes_of(b), &other, &err), RL_OK);
	bool is_same = rl_route_equal(dsn.route, other.route);
	CHECK_INT(rl_route_equal(other.route, dsn.route), is_same);
	rl_dsn_drop(&other);
	return is_same;
}

static void routes_differ_by_all_that_alters_a_lookup(void)
{
	static const char base[] = "redis-sentinel://a,b/m";
	static const char *const others[] = {"redis-sentinel://a,c/m", "redis-sentinel://a/m",
		"redis-sentinel://a,b/n", "redis-sentinel://:word@a,b/m", "redis-sentinel://a,b/m/1",
		"redis-sentinel://a,b/m?sentinel_password=x", "redis-sentinel://a,b/m?sentinel_tls=1",
		"redis-sentinel://a,b/m?sentinel_quorum=1", "redis-sentinel://a,b/m?sentinel_check=0",
		"redis-sentinel://a,b/m?failover_grace=9", "redis-sentinel://a,b/m?replicas=1",
		"redis-cluster://a:26379,b:26379"};
	CHECK(is_equal(base, "valkey+sentinel://a:26379,B/m/0?timeout=3&sentinel_check=1"));
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (is_equal(base, others[i])) {
			FAIL("%s", others[i]);
		}
	}
}

static void a_copy_is_equal(void)
{
	static const char *const texts[] = {"redis-cluster://me:word@b,a:1,a:2/3",
		"rediss-sentinel://:x@a,b/m?sentinel_quorum=2&sentinel_check=0&sentinel_password=y",
		"redis-sentinel://a,b/m?failover_grace=9"};
	for (size_t i = 0; i < 3; i++) {
		read_good(texts[i]);
		rl_route *copy = rl_route_copy(dsn.route, 0);
		CHECK(copy != NULL);
		CHECK(rl_route_equal(copy, dsn.route));
		CHECK_TEXT(copy->order_name, dsn.route->order_name);
		CHECK_TEXT(copy->common->name, dsn.target->name);
		rl_route_unref(copy);
	}
}

static const char *order_name(const char *text)
{
	read_good(text);
	return dsn.route->order_name;
}

static void names_for_the_order_are_the_same_for_all_clients(void)
{
	CHECK_TEXT(order_name("redis-sentinel://a,b/main/1"), "sentinel:main");
	CHECK_TEXT(order_name("rediss+sentinel://c/main"), "sentinel:main");
	CHECK_TEXT(order_name("redis-cluster://b,a:7001,a:7000,c"), "cluster:a:7000");
	CHECK_TEXT(order_name("rediss-cluster://me:word@C,A:7000/2"), "cluster:a:7000");
	CHECK_TEXT(order_name("redis-cluster://[::1]:7000"), "cluster:[::1]:7000");
}

/* In a set with a cluster the keys have slots, which mean nothing behind Sentinels. */
static void behind_sentinels_any_slot_leads_to_the_primary(void)
{
	read_good("redis-sentinel://a/m");
	CHECK(rl_route_node(dsn.route, 16383) == NULL);
	rl_target *node = rl_route_name(dsn.route, bytes_of("10.0.0.1"), 6379, 1);
	CHECK(rl_route_node(dsn.route, 16383) == node);
	CHECK(rl_route_knows(dsn.route, 16383));
	rl_route *copy = rl_route_copy(dsn.route, 16383);
	CHECK(copy != NULL && rl_route_knows(copy, 0));
	rl_route_unref(copy);
}

static void without_memory_nothing_is_left(void)
{
	static const char *const texts[] = {"rediss-cluster://me:word@a,b/1?ssl[cafile]=/ca",
		"redis-sentinel://:w@a,b/m?sentinel_user=u&sentinel_password=p&sentinel_tls=1",
		"unix://me:word@/a?db=1", "rediss://me:word@h/1?ssl[cafile]=/ca"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		rl_status status = RL_ERR_MEMORY;
		for (fails_at = 1; status == RL_ERR_MEMORY; fails_at++) {
			asked = 0;
			rl_dsn_drop(&dsn);
			is_counting = true;
			status = rl_dsn_parse(bytes_of(texts[i]), &dsn, &err);
			is_counting = false;
			CHECK(status == RL_OK || (dsn.target == NULL && dsn.route == NULL));
		}
		CHECK_INT(status, RL_OK);
		CHECK(fails_at > 5);
	}
	fails_at = 0;
}

static const check_test tests[] = {
	TEST(dsns_may_name_clusters),
	TEST(dsns_may_name_sentinels),
	TEST(a_password_of_sentinels_may_have_a_nul),
	TEST(nodes_and_sentinels_may_use_tls),
	TEST(options_of_tls_are_for_nodes_and_sentinels),
	TEST(the_nodes_have_the_options_of_the_dsn),
	TEST(sentinels_have_options_of_their_own),
	TEST(bad_lists_are_refused),
	TEST(bad_master_names_are_refused),
	TEST(bad_options_are_refused),
	TEST(lists_have_a_limit),
	TEST(no_message_has_a_secret),
	TEST(no_name_has_a_secret),
	TEST(routes_differ_by_all_that_alters_a_lookup),
	TEST(a_copy_is_equal),
	TEST(names_for_the_order_are_the_same_for_all_clients),
	TEST(behind_sentinels_any_slot_leads_to_the_primary),
	TEST(without_memory_nothing_is_left),
};

CHECK_MAIN(tests, clean_up)
