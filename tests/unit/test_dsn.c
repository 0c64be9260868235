/* SPDX-License-Identifier: MIT
 *
 * DSNs of one server, good and bad. The DSNs of clusters and Sentinels are in test_dsn_routes.c.
 */
#include "check.h"
#include "parsing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *or_none(const char *text)
{
	return text != NULL ? text : "(none)";
}

/* The meaning of the DSN, as "kind host port user password db timeout connect_timeout", or "error:
 * .." */
static const char *read_bytes(const char *text, size_t len)
{
	static char out[1024];
	rl_dsn dsn;
	rl_error err;
	rl_status status = parse_exactly(text, len, &dsn, &err);
	if (status != RL_OK) {
		CHECK_INT(status, (int64_t) err.status);
		CHECK(dsn.target == NULL);
		snprintf(out, sizeof out, "error: %s", err.message);
		return out;
	}
	const rl_target *target = dsn.target;
	CHECK_INT(target->refs, 1);
	CHECK(dsn.route == NULL);
	static const char *const kinds[] = {
		[RL_NET_TCP] = "tcp", [RL_NET_UNIX] = "unix", [RL_NET_MEMORY] = "memory"};
	const char *kind = kinds[target->address.kind];
	snprintf(out, sizeof out, "%s %s %u %s %s %u %g %g", target->address.tls != NULL ? "tls" : kind,
		target->address.host, (unsigned) target->address.port, or_none(target->user),
		or_none(target->password.data), target->database, (double) dsn.timeout_ns / 1e9,
		(double) dsn.connect_timeout_ns / 1e9);
	rl_target_unref(dsn.target);
	return out;
}

static const char *read_it(const char *text)
{
	return read_bytes(text, strlen(text));
}

static const char *name_of(const char *text)
{
	static char out[512];
	rl_dsn dsn;
	rl_error err;
	CHECK_INT(parse_exactly(text, strlen(text), &dsn, &err), RL_OK);
	snprintf(out, sizeof out, "%s", dsn.target->name);
	rl_dsn_drop(&dsn);
	return out;
}

#define PLAIN " (none) (none) 0 0 0"

static void dsns_have_hosts_and_ports(void)
{
	static const check_case table[] = {
		{"redis://localhost", "tcp localhost 6379" PLAIN},
		{"redis://localhost/", "tcp localhost 6379" PLAIN},
		{"redis://localhost?", "tcp localhost 6379" PLAIN},
		{"redis://localhost/?", "tcp localhost 6379" PLAIN},
		{"redis://localhost:1", "tcp localhost 1" PLAIN},
		{"redis://localhost:65535", "tcp localhost 65535" PLAIN},
		{"redis://127.0.0.1:6380", "tcp 127.0.0.1 6380" PLAIN},
		{"redis://a-b_c.example.", "tcp a-b_c.example. 6379" PLAIN},
		{"redis://%6cocal%68ost", "tcp localhost 6379" PLAIN},
		{"redis://[::1]", "tcp ::1 6379" PLAIN},
		{"redis://[::1]:7000", "tcp ::1 7000" PLAIN},
		{"redis://[2001:db8::1]/3", "tcp 2001:db8::1 6379 (none) (none) 3 0 0"},
		{"redis://[::ffff:1.2.3.4]:7", "tcp ::ffff:1.2.3.4 7" PLAIN},
		{"redis://[fe80::1%25eth0.5]:7", "tcp fe80::1%eth0.5 7" PLAIN},
		{"valkey://h", "tcp h 6379" PLAIN},
		{"tcp://h", "tcp h 6379" PLAIN},
		{"REDIS://H", "tcp H 6379" PLAIN},
		{"ValKey://h:1", "tcp h 1" PLAIN},
	};
	CHECK_CASES(table, read_it);
}

static void dsns_may_name_sockets(void)
{
	static const check_case table[] = {
		{"unix:///run/redis.sock", "unix /run/redis.sock 0" PLAIN},
		{"redis:///run/redis.sock", "unix /run/redis.sock 0" PLAIN},
		{"valkey:///run/redis.sock", "unix /run/redis.sock 0" PLAIN},
		{"tcp:///run/redis.sock", "unix /run/redis.sock 0" PLAIN},
		{"unix:///a?db=15", "unix /a 0 (none) (none) 15 0 0"},
		{"unix://me:word@/a", "unix /a 0 me word 0 0 0"},
		{"unix://:word@/a?db=2", "unix /a 0 (none) word 2 0 0"},
		{"redis://:word@/a/b", "unix /a/b 0 (none) word 0 0 0"},
		{"unix:///a%20b%3fc%23d%25", "unix /a b?c#d% 0" PLAIN},
		{"unix:///a@b:c", "unix /a@b:c 0" PLAIN},
		{"unix:///\xc3\xa4", "unix /\xc3\xa4 0" PLAIN},
	};
	CHECK_CASES(table, read_it);
}

static void dsns_may_name_servers_in_memory(void)
{
	static const check_case table[] = {
		{"memory://", "memory  0" PLAIN},
		{"memory:///", "memory  0" PLAIN},
		{"MEMORY://Shop.1-a_b+c", "memory Shop.1-a_b+c 0" PLAIN},
		{"memory://a?timeout=0.05&connect_timeout=2", "memory a 0 (none) (none) 0 0.05 2"},
		{"memory://me:word@a",
			"error: after memory:// only a name may follow, of at most 32 "
			"letters, digits, '.', '-', '_' and '+'"},
	};
	CHECK_CASES(table, read_it);
	static const check_case names[] = {
		{"memory://", "memory://"},
		{"memory://a", "memory://a"},
		{"memory://a?fail=refused", "memory://a?fail=refused"},
		{"memory://?fail=timeout&timeout=1", "memory://?fail=timeout"},
		{"memory://a?fail=readonly", "memory://a?fail=readonly"},
		{"memory://a?fail=lost-reply", "memory://a?fail=lost-reply"},
	};
	CHECK_CASES(names, name_of);
}

static void dsns_may_have_credentials(void)
{
	static const check_case table[] = {
		{"redis://:word@h", "tcp h 6379 (none) word 0 0 0"},
		{"redis://me:word@h:1/2", "tcp h 1 me word 2 0 0"},
		{"redis://me:@h", "tcp h 6379 me  0 0 0"},
		{"redis://:@h", "tcp h 6379" PLAIN},
		{"redis://@h", "tcp h 6379" PLAIN},
		{"redis://me:wo:rd@h", "tcp h 6379 me wo:rd 0 0 0"},
		{"redis://me:wo@rd@h", "tcp h 6379 me wo@rd 0 0 0"},
		{"redis://m%3ae:w%40%2f%3F%23%25%3A@h", "tcp h 6379 m:e w@/?#%: 0 0 0"},
		{"redis://:%20@h", "tcp h 6379 (none)   0 0 0"},
		{"redis://:word@[::1]:1", "tcp ::1 1 (none) word 0 0 0"},
		{"redis://:w%c3%a4@h", "tcp h 6379 (none) w\xc3\xa4 0 0 0"},
		{"redis://:w\xc3\xa4@h", "tcp h 6379 (none) w\xc3\xa4 0 0 0"},
		{"redis://a%40b.example:word@h", "tcp h 6379 a@b.example word 0 0 0"},
	};
	CHECK_CASES(table, read_it);
}

static void a_password_may_have_a_nul(void)
{
	rl_dsn dsn;
	rl_error err;
	const char *text = "redis://:a%00b@h";
	CHECK_INT(parse_exactly(text, strlen(text), &dsn, &err), RL_OK);
	CHECK_INT(dsn.target->password.len, 3);
	CHECK(memcmp(dsn.target->password.data, "a\0b", 4) == 0);
	rl_target_unref(dsn.target);
}

static void dsns_may_have_databases_and_options(void)
{
	static const check_case table[] = {
		{"redis://h/0", "tcp h 6379 (none) (none) 0 0 0"},
		{"redis://h/2147483647", "tcp h 6379 (none) (none) 2147483647 0 0"},
		{"redis://h/007", "tcp h 6379 (none) (none) 7 0 0"},
		{"redis://h?db=5", "tcp h 6379 (none) (none) 5 0 0"},
		{"redis://h/?db=5", "tcp h 6379 (none) (none) 5 0 0"},
		{"redis://h?db=%35", "tcp h 6379 (none) (none) 5 0 0"},
		{"redis://h?d%62=5", "tcp h 6379 (none) (none) 5 0 0"},
		{"redis://h?timeout=0.25", "tcp h 6379 (none) (none) 0 0.25 0"},
		{"redis://h?connect_timeout=3", "tcp h 6379 (none) (none) 0 0 3"},
		{"redis://h/4?timeout=.5&connect_timeout=2.", "tcp h 6379 (none) (none) 4 0.5 2"},
		{"redis://h?timeout=0.001", "tcp h 6379 (none) (none) 0 0.001 0"},
		{"redis://h?timeout=3600", "tcp h 6379 (none) (none) 0 3600 0"},
		{"redis://h?timeout=3600.0000000000000000001", "tcp h 6379 (none) (none) 0 3600 0"},
		{"redis://h?timeout=1&", "tcp h 6379 (none) (none) 0 1 0"},
		{"redis://h?connect_timeout=1&timeout=2&db=3", "tcp h 6379 (none) (none) 3 2 1"},
	};
	CHECK_CASES(table, read_it);
}

static void dsns_may_ask_for_tls(void)
{
	static const check_case table[] = {
		{"rediss://h", "tls h 6379" PLAIN},
		{"REDISS://h", "tls h 6379" PLAIN},
		{"valkeys://h:7000/2", "tls h 7000 (none) (none) 2 0 0"},
		{"tls://me:word@[::1]:1", "tls ::1 1 me word 0 0 0"},
		{"rediss://h?ssl[cafile]=/a%20b&timeout=1", "tls h 6379 (none) (none) 0 1 0"},
		{"rediss://h?ssl%5Bverify_peer%5D=false", "tls h 6379" PLAIN},
	};
	CHECK_CASES(table, read_it);
	rl_dsn dsn;
	rl_error err;
	const char *text = "valkeys://h?ssl[cafile]=/a%20b&ssl%5bverify_peer%5d=off";
	CHECK_INT(parse_exactly(text, strlen(text), &dsn, &err), RL_OK);
	const rl_tls_options *options = dsn.target->address.tls;
	CHECK_TEXT(dsn.target->name, "rediss://h:6379");
	CHECK_TEXT(options->values[RL_TLS_CAFILE], "/a b");
	CHECK(!rl_tls_is_on(options, RL_TLS_VERIFY_PEER));
	CHECK(rl_tls_is_on(options, RL_TLS_VERIFY_PEER_NAME));
	rl_target_unref(dsn.target);
}

static void timeouts_are_exact(void)
{
	rl_dsn dsn;
	rl_error err;
	const char *text = "redis://h?timeout=1.234567891&connect_timeout=0.1";
	CHECK_INT(parse_exactly(text, strlen(text), &dsn, &err), RL_OK);
	CHECK_INT(dsn.timeout_ns, 1234567891);
	CHECK_INT(dsn.connect_timeout_ns, 100000000);
	rl_target_unref(dsn.target);
}

static void an_outage_wait_may_be_zero(void)
{
	static const struct {
		const char *text;
		int64_t outage_wait_ns;
	} cases[] = {{"redis://h", RL_DSN_NO_OUTAGE_WAIT}, {"redis://h?outage_wait=0", 0},
		{"unix:///a?outage_wait=0.0", 0}, {"memory://?outage_wait=.25&fail=refused", 250000000},
		{"redis-cluster://h?outage_wait=3600", 3600000000000},
		{"redis-sentinel://h/m?outage_wait=0.0001", 100000}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_dsn dsn;
		rl_error err;
		CHECK_INT(parse_exactly(cases[i].text, strlen(cases[i].text), &dsn, &err), RL_OK);
		CHECK_INT(dsn.outage_wait_ns, cases[i].outage_wait_ns);
		rl_dsn_drop(&dsn);
	}
}

static void dsns_may_ask_for_replicas_and_their_time(void)
{
	static const struct {
		const char *text;
		unsigned replicas;
		int64_t timeout_ns;
	} cases[] = {{"redis://h", 0, 0}, {"redis://h?replicas=0", 0, 0},
		{"redis://h?replicas=1", 1, 0}, {"redis://h?replicas=100", 100, 0},
		{"unix:///a?replicas=2&db=1", 2, 0},
		{"redis://h/1?replicas=2&replicas_timeout=0.05", 2, 50000000},
		{"rediss://h?replicas_timeout=0.001&replicas=1", 1, 1000000},
		{"redis://h?replicas_timeout=3600", 0, 3600000000000}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		rl_dsn dsn;
		rl_error err;
		CHECK_INT(parse_exactly(cases[i].text, strlen(cases[i].text), &dsn, &err), RL_OK);
		CHECK_INT(dsn.target->replicas, cases[i].replicas);
		CHECK_INT(dsn.replicas_timeout_ns, cases[i].timeout_ns);
		CHECK_INT(dsn.timeout_ns, 0);
		rl_target_unref(dsn.target);
	}
}

/* ---- errors ---- */

typedef struct bad {
	const char *text, *part;
} bad;

static void check_bad(const bad *table, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *is = read_it(table[i].text);
		if (strncmp(is, "error: ", 7) != 0 || strstr(is, table[i].part) == NULL) {
			FAIL("%s is [%s], not an error with [%s]", table[i].text, is, table[i].part);
		}
	}
}

#define CHECK_BAD(table) check_bad(table, sizeof table / sizeof table[0])

static void bad_options_of_tls_are_refused(void)
{
	static const bad table[] = {
		{"rediss:///run/a.sock", "TLS needs a host"},
		{"rediss://", "the host is missing"},
		{"redis://h?ssl[cafile]=/a", "use rediss://"},
		{"unix:///a?ssl[cafile]=/a", "use rediss://"},
		{"rediss://h?ssl[cafile=/a", "must be written ssl[name]=value"},
		{"rediss://h?ssl[]=1", "is unknown"},
		{"rediss://h?ssl[=1", "must be written ssl[name]=value"},
		{"rediss://h?ssl[allow_self_signed]=1", "the options are cafile, capath"},
		{"rediss://h?ssl[cafile]=", "cafile must not be empty"},
		{"rediss://h?ssl[cafile]=/a&ssl[cafile]=/b", "cafile is given twice"},
		{"rediss://h?ssl[cafile]=%00", "must not contain a NUL byte"},
		{"rediss://h?ssl[verify_peer]=maybe", "must be true or false"},
		{"rediss://h?ssl[min_version]=1.1", "must be 1.2 or 1.3"},
		{"rediss://h?cafile=/a",
			"is unknown; use db, timeout, connect_timeout, outage_wait, replicas, replicas_timeout or "
			"ssl[name]"},
	};
	CHECK_BAD(table);
}

static void bad_schemes_are_refused(void)
{
	static const bad table[] = {
		{"", "the DSN is empty"},
		{"localhost", "the scheme is missing"},
		{"localhost:6379", "the scheme is missing"},
		{"redis:localhost", "the scheme is missing"},
		{"redis:/localhost", "the scheme is missing"},
		{"redis:", "the scheme is missing"},
		{"redis:/", "the scheme is missing"},
		{":", "the scheme is missing"},
		{"://h", "the scheme is unknown"},
		{"http://h", "the scheme http:// is unknown"},
		{"redi://h", "the scheme redi:// is unknown"},
		{"redisss://h", "is unknown"},
		{"redis-clusters://h", "the scheme redis-clusters:// is unknown"},
		{"redis+cluster://h", "the scheme redis+cluster:// is unknown"},
		{"unix-sentinel://h/m", "redis-cluster:// or redis-sentinel://"},
		{" redis://h", "spaces, control characters"},
		{"redis://h ", "spaces, control characters"},
		{"redis://h\n", "spaces, control characters"},
		{"redis://h#x", "spaces, control characters and '#'"},
		{"redis://:a b@h", "spaces, control characters"},
		{"redis://h\x7f", "spaces, control characters"},
	};
	CHECK_BAD(table);
}

static void bad_hosts_are_refused(void)
{
	static const bad table[] = {
		{"redis://", "the host is missing"},
		{"redis:///", "the host is missing"},
		{"redis://:6379", "the host is missing"},
		{"redis://:word@", "the host is missing"},
		{"redis://:word@/", "the host is missing"},
		{"redis://[]", "the host is missing"},
		{"redis://[::1", "the ']' after the IPv6 address is missing"},
		{"redis://[::1]x", "after ']' only :port may follow"},
		{"redis://[::1]:", "the port must be"},
		{"redis://[localhost]", "brackets are for IPv6 addresses only"},
		{"redis://::1", "an IPv6 address must be in brackets"},
		{"redis://[fe80::1%eth0]", "two hex digits"},
		{"redis://a%zz", "two hex digits"},
		{"redis://a%", "two hex digits"},
		{"redis://a%4", "two hex digits"},
		{"redis://a%4g", "two hex digits"},
		{"redis://a%00b", "%00"},
		{"redis://a%20b", "a character that is not allowed in a host name"},
		{"redis://a%2fb", "a character that is not allowed in a host name"},
		{"redis://\xc3\xa4", "a character that is not allowed in a host name"},
		{"redis://a!b", "a character that is not allowed in a host name"},
		{"redis://a:1,b:2", "DSN names one server; for several servers pass an array"},
		{"rediss://a,b", "DSN names one server; for several servers pass an array"},
		{"redis://a,b", "for a cluster use redis-cluster://"},
		{"redis://[::1],[::2]:1", "DSN names one server"},
		{"redis://a redis://b", "another DSN follows in the same text; for several servers pass"},
		{"redis://a,redis://b", "another DSN follows"},
		{"redis://a:1/1,redis://b:1/1", "another DSN follows"},
		{"redis://a?db=1,redis-cluster://b", "another DSN follows"},
		{"redis://a,redis+sentinel://b/m", "another DSN follows"},
		{"unix:///a,unix:///b", "another DSN follows"},
		{"redis://h:0", "the port must be"},
		{"redis://h:65536", "the port must be"},
		{"redis://h:99999999999999999999", "the port must be"},
		{"redis://h:", "the port must be"},
		{"redis://h:-1", "the port must be"},
		{"redis://h:1x", "the port must be"},
		{"redis://h:+1", "the port must be"},
		{"redis://h:6379:1", "more than one ':'"},
	};
	CHECK_BAD(table);
}

static void bad_credentials_are_refused(void)
{
	static const bad table[] = {
		{"redis://word@h", "or :password@ without a user"},
		{"unix://word@/a", "or :password@ without a user"},
		{"redis://a%00:word@h", "%00"},
		{"redis://a%0:word@h", "two hex digits"},
		{"redis://a:wo%rd@h", "two hex digits"},
	};
	CHECK_BAD(table);
}

static void bad_sockets_are_refused(void)
{
	static const bad table[] = {
		{"unix://", "must be absolute"},
		{"unix:///", "must be absolute"},
		{"unix://a", "must be absolute"},
		{"unix://a/b", "must be absolute"},
		{"unix://:word@a/b", "must be absolute"},
		{"unix:///a%00b", "%00"},
		{"unix:///a%", "two hex digits"},
	};
	CHECK_BAD(table);
}

static void bad_servers_in_memory_are_refused(void)
{
#define BAD_NAME "after memory:// only a name may follow, of at most 32 letters, digits"
	static const bad table[] = {
		{"memory://me:word@a", BAD_NAME},
		{"memory://a:1", BAD_NAME},
		{"memory://a/1", BAD_NAME},
		{"memory:///a", BAD_NAME},
		{"memory://a%20b", BAD_NAME},
		{"memory://a,b", BAD_NAME},
		{"memory://0123456789012345678901234567890123", BAD_NAME},
		{"memory://a?fail=", "must be refused, timeout, readonly or lost-reply"},
		{"memory://a?fail=Refused", "must be refused, timeout, readonly or lost-reply"},
		{"memory://a?fail=refused&fail=refused", "the option fail is given twice"},
		{"memory://a?db=1", "the option db is not for memory://, which has timeout"},
		{"memory://a?replicas=1", "the option replicas is not for memory://"},
		{"memory://a?sentinel_user=a", "the option sentinel_user is not for memory://"},
		{"memory://a?fai=1", "the option fai is not for memory://"},
		{"memory://a?ssl[cafile]=/a", "need TLS"},
		{"redis://a?fail=timeout", "the option fail is for memory:// only"},
		{"memory+sentinel://a", "the scheme memory+sentinel:// is unknown"},
	};
	CHECK_BAD(table);
}

static void bad_options_are_refused(void)
{
	static const bad table[] = {
		{"redis://h/x", "the database must be a number from 0 to"},
		{"redis://h/-1", "the database must be a number from 0 to"},
		{"redis://h/1/", "the database must be a number from 0 to"},
		{"redis://h//1", "the database must be a number from 0 to"},
		{"redis://h/2147483648", "the database must be a number from 0 to"},
		{"redis://h/99999999999999999999999", "the database must be a number from 0 to"},
		{"redis://h?db=", "the database must be a number from 0 to"},
		{"redis://h?db=1.0", "the database must be a number from 0 to"},
		{"redis://h/1?db=1", "the database is given twice"},
		{"redis://h?db=1&db=1", "the database is given twice"},
		{"redis://h?timeout=1&timeout=1", "is given twice"},
		{"redis://h?connect_timeout=1&connect_timeout=1", "is given twice"},
		{"redis://h?db", "name=value"},
		{"redis://h?&db=1", "name=value"},
		{"redis://h?foo=1", "is unknown; use db"},
		{"redis://h?DB=1", "is unknown; use db"},
		{"redis://h?sentinel_user=x", "is for redis-sentinel:// only"},
		{"redis://h?sentinel_password=x", "is for redis-sentinel:// only"},
		{"redis://h?timeout=", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=.", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=0", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=0.0009", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=3600.1", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=99999999999999999999",
			"must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=-1", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=1e3", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=1,5", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=1.2.3", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?timeout=inf", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?outage_wait=", "must be a number of seconds from 0 to 3600"},
		{"redis://h?outage_wait=-1", "must be a number of seconds from 0 to 3600"},
		{"redis://h?outage_wait=3600.1", "must be a number of seconds from 0 to 3600"},
		{"redis://h?outage_wait=inf", "must be a number of seconds from 0 to 3600"},
		{"redis://h?outage_wait=0&outage_wait=0", "is given twice"},
		{"redis://h?replicas=", "must be a number from 0 to 100"},
		{"redis://h?replicas=101", "must be a number from 0 to 100"},
		{"redis://h?replicas=-1", "must be a number from 0 to 100"},
		{"redis://h?replicas=1.0", "must be a number from 0 to 100"},
		{"redis://h?replicas=all", "must be a number from 0 to 100"},
		{"redis://h?replicas=18446744073709551617", "must be a number from 0 to 100"},
		{"redis://h?replicas=1&replicas=1", "is given twice"},
		{"redis://h?replicas_timeout=0", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?replicas_timeout=x", "must be a number of seconds from 0.001 to 3600"},
		{"redis://h?replicas_timeout=1&replicas_timeout=1", "is given twice"},
		{"redis://h?replica=1", "is unknown; use db"},
		{"redis://h?timeout=%", "two hex digits"},
		{"redis://h?timeout=1@x", "'@' after '?'"},
	};
	CHECK_BAD(table);
}

static void bytes_that_no_text_has_are_refused(void)
{
	CHECK_HAS(read_bytes("redis://h\0", 10), "spaces, control characters");
	CHECK_HAS(read_bytes("\0", 1), "spaces, control characters");
	rl_dsn dsn;
	rl_error err;
	CHECK_INT(rl_dsn_parse((rl_bytes){NULL, 0}, &dsn, &err), RL_ERR_ARGUMENT);
	CHECK_INT(rl_dsn_parse(bytes_of("x"), &dsn, NULL), RL_ERR_ARGUMENT);
}

static void lengths_have_limits(void)
{
	char text[600] = "unix:///";
	memset(text + 8, 'p', 106); /* the path is 107 with its '/' */
	CHECK(strncmp(read_it(text), "unix /p", 7) == 0);
	text[8 + 106] = 'p';
	CHECK_HAS(read_it(text), "longer than 107 bytes");
	strcpy(text, "redis://");
	memset(text + 8, 'h', 253);
	text[8 + 253] = '\0';
	CHECK(strncmp(read_it(text), "tcp h", 5) == 0);
	strcpy(text + 8 + 253, "h");
	CHECK_HAS(read_it(text), "longer than 253 bytes");
}

/* Wherever the word stands, if it may be a password or part of one, no message has it. */
static void no_message_has_a_secret(void)
{
	static const char *const texts[] = {"redis://:hunter2@", "redis://:hunter2@:1",
		"redis://:hunter2@h:x", "redis://:hunter2@h/x", "redis://:hunter2@h?x=1",
		"redis://:hunter2@h?db=x", "redis://:hunter2@h:0/x", "redis://hunter2@h",
		"redis://me:hunter2%@h", "redis://me:hunter2/x@h", "redis://me:x/hunter2@h",
		"redis://me:hunter2?x@h", "redis://me:x?hunter2@h", "redis://me:x?hunter2=1@h",
		"redis://me:x?timeout=hunter2@h", "redis://me:x?db=1&hunter2@h", "redis://me:hunter2#x@h",
		"redis://me:x#hunter2@h", "redis://:hunter2 @h", "redis://me:hunter2", "redis://:hunter2",
		"redis://hunter2!", "redis://me:1/hunter2@h", "unix://:hunter2@", "unix://:hunter2@a/b",
		"unix://hunter2@/a", "unix://me:hunter2", "unix://:hunter2%@/a", "redis://:hunter2@[::1",
		"redis://:hunter2@[h]", "redis://:hunter2@a,b", "rediss://:hunter2@h?ssl[x]=1",
		"redis-sentinel://:hunter2@h", "http://:hunter2@h", "hunter2@h", ":hunter2@h",
		"redis:hunter2@h", "redis:/:hunter2@h", "hunter2", "redis://:hunter2@h:1:2",
		"redis://me:hunter2@@", "redis://me%00:hunter2@h", "redis://:hunter2@h?timeout",
		"redis://:hunter2@h?timeout=1&timeout=2", "redis://h?password=hunter2",
		"redis://h?sentinel_password=hunter2", "redis://h?timeout=hunter2", "redis://h?db=hunter2",
		"redis://h?auth%3Dhunter2"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const char *is = read_it(texts[i]);
		if (strncmp(is, "error: ", 7) != 0 || strstr(is, "hunter2") != NULL) {
			FAIL("%s is [%s]", texts[i], is);
		}
	}
}

static void names_show_no_credentials(void)
{
	CHECK_TEXT(name_of("redis://me:word@h:1/2"), "redis://h:1/2");
	CHECK_TEXT(name_of("valkey://:word@h"), "redis://h:6379");
	CHECK_TEXT(name_of("redis://[::1]"), "redis://[::1]:6379");
	CHECK_TEXT(name_of("redis://[::1]:7/3?timeout=1"), "redis://[::1]:7/3");
	CHECK_TEXT(name_of("unix://:word@/a"), "unix:///a");
	CHECK_TEXT(name_of("redis:///a?db=3"), "unix:///a?db=3");
}

/* The name leads to the same place. */
static void a_name_can_be_read_again(void)
{
	static const check_case names[] = {
		{"unix:///a%20b", "unix:///a%20b"},
		{"unix:///%C3%A4/(1)@:=\xc3\xa4", "unix:///\xc3\xa4/(1)@:=\xc3\xa4"},
		{"unix:///%23%3f%25%2c%ff", "unix:///%23%3F%25%2C%FF"},
		{"unix:///a%2cunix%3a%2f%2fb", "unix:///a%2Cunix://b"},
		{"unix:///\xc2\x9b"
		 "31m%E2%80%AE?db=1",
			"unix:///%C2%9B31m%E2%80%AE?db=1"},
		{"redis-sentinel://a:1/m%20%C3%A4%2f%C2%9b.x",
			"redis-sentinel://a:1/m%20%C3%A4%2F%C2%9B.x"},
	};
	CHECK_CASES(names, name_of);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		CHECK_TEXT(name_of(names[i].wanted), names[i].wanted);
	}
}

static void a_name_is_fit_to_be_shown(void)
{
	static const char *const texts[] = {"unix:///a%0Ab", "unix:///a%1bb", "unix:///a%7f"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		rl_dsn dsn;
		rl_error err;
		CHECK_INT(parse_exactly(texts[i], strlen(texts[i]), &dsn, &err), RL_ERR_ARGUMENT);
	}
}

static bool same_target(const char *a, const char *b)
{
	rl_dsn first;
	rl_dsn second;
	rl_error err;
	CHECK_INT(parse_exactly(a, strlen(a), &first, &err), RL_OK);
	CHECK_INT(parse_exactly(b, strlen(b), &second, &err), RL_OK);
	bool is_same = rl_target_equal(first.target, second.target);
	CHECK_INT(rl_target_equal(second.target, first.target), is_same);
	rl_target_unref(first.target);
	rl_target_unref(second.target);
	return is_same;
}

static void targets_differ_by_all_that_alters_the_handshake(void)
{
	CHECK(same_target("redis://h", "valkey://h:6379/0?timeout=1"));
	CHECK(same_target("redis:///a", "unix:///a"));
	CHECK(same_target("redis://me:word@h", "redis://m%65:w%6frd@h"));
	CHECK(!same_target("redis://h", "redis://g"));
	CHECK(!same_target("redis://h", "redis://h:1"));
	CHECK(!same_target("redis://h", "redis://h/1"));
	CHECK(!same_target("redis://h", "redis://:word@h"));
	CHECK(!same_target("redis://:a@h", "redis://:b@h"));
	CHECK(!same_target("redis://:a@h", "redis://:ab@h"));
	CHECK(!same_target("redis://:a@h", "redis://me:a@h"));
	CHECK(!same_target("redis://me:a@h", "redis://you:a@h"));
	CHECK(!same_target("redis://me:@h", "redis://h"));
	CHECK(!same_target("unix:///a", "unix:///b"));
	CHECK(!same_target("redis://:a%00b@h", "redis://:a%00c@h"));
	CHECK(!same_target("redis://h", "redis://h?replicas=1"));
	CHECK(!same_target("redis://h?replicas=2", "redis://h?replicas=1"));
	CHECK(same_target("redis://h", "redis://h?replicas=0"));
	CHECK(same_target("memory://", "memory:///?timeout=1"));
	CHECK(!same_target("memory://a", "memory://A"));
	CHECK(!same_target("memory://a", "memory://a?fail=timeout"));
}

static void a_target_is_counted(void)
{
	rl_dsn dsn;
	rl_error err;
	CHECK_INT(parse_exactly("redis://h", 9, &dsn, &err), RL_OK);
	CHECK(rl_target_ref(dsn.target) == dsn.target);
	rl_target_unref(dsn.target);
	CHECK_TEXT(dsn.target->address.host, "h");
	rl_target_unref(dsn.target);
	rl_target_unref(NULL);
}

static const check_test tests[] = {
	TEST(dsns_have_hosts_and_ports),
	TEST(dsns_may_name_sockets),
	TEST(dsns_may_name_servers_in_memory),
	TEST(bad_servers_in_memory_are_refused),
	TEST(dsns_may_have_credentials),
	TEST(a_password_may_have_a_nul),
	TEST(dsns_may_have_databases_and_options),
	TEST(dsns_may_ask_for_tls),
	TEST(bad_options_of_tls_are_refused),
	TEST(timeouts_are_exact),
	TEST(an_outage_wait_may_be_zero),
	TEST(dsns_may_ask_for_replicas_and_their_time),
	TEST(bad_schemes_are_refused),
	TEST(bad_hosts_are_refused),
	TEST(bad_credentials_are_refused),
	TEST(bad_sockets_are_refused),
	TEST(bad_options_are_refused),
	TEST(bytes_that_no_text_has_are_refused),
	TEST(lengths_have_limits),
	TEST(no_message_has_a_secret),
	TEST(names_show_no_credentials),
	TEST(a_name_can_be_read_again),
	TEST(a_name_is_fit_to_be_shown),
	TEST(targets_differ_by_all_that_alters_the_handshake),
	TEST(a_target_is_counted),
};

CHECK_MAIN(tests, NULL)
