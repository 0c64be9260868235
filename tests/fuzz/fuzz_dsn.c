/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a DSN: no crash; what is understood is within its limits, and its name is a DSN of
 * the same server; what is not gives a message fit to be shown, without the password.
 */
#include "core/wire/rl_dsn.h"

#include "fuzz.h"

#ifndef FUZZ_DSN
# define FUZZ_DSN LLVMFuzzerTestOneInput
#endif

int FUZZ_DSN(const uint8_t *data, size_t size);

static const fuzz_seed dsn_seeds[] = {
	FUZZ_SEED("redis://localhost"),
	FUZZ_SEED("redis://me:hunter2@host.example:6379/15?timeout=0.25&connect_timeout=2"),
	FUZZ_SEED("valkey://:hunter2@[2001:db8::1]:7000/3"),
	FUZZ_SEED("unix://me:hunter2@/run/redis/redis.sock?db=2"),
	FUZZ_SEED("redis:///run/redis.sock"),
	FUZZ_SEED("tcp://a%40b:hunter2%2f%3f@127.0.0.1?db=1"),
	FUZZ_SEED("rediss://:hunter2@host"),
	FUZZ_SEED("memory://a.b-c_d+1?timeout=0.5&fail=lost-reply"),
	FUZZ_SEED("redis-sentinel://:hunter2@a:1,b:2/main/0?sentinel_password=hunter2"),
	FUZZ_SEED("redis-cluster://a:1,b:2"),
	FUZZ_SEED(
		"rediss+sentinel://a,[::1]:5/m%20/3?sentinel_tls=0&sentinel_quorum=2&sentinel_user=x"),
	FUZZ_SEED(""),
};

#define SECRET "hunter2"

static const uint8_t *find(const uint8_t *from, const uint8_t *end, const char *what)
{
	return from != NULL && from < end ? memmem(from, (size_t) (end - from), what, strlen(what))
									  : NULL;
}

/* The secret of the seeds stands whole behind the scheme and before an '@', and nowhere else. */
static bool has_secret(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	const uint8_t *first = find(data, end, SECRET);
	return first != NULL && find(data, first, "://") != NULL && find(first, end, "@") != NULL &&
		find(first + 1, end, SECRET) == NULL;
}

static void check_message(const rl_error *err, const uint8_t *data, size_t size)
{
	FUZZ_PROMISE(err->status == RL_ERR_ARGUMENT || err->status == RL_ERR_MEMORY);
	FUZZ_PROMISE(fuzz_is_fit(err->message, sizeof err->message));
	FUZZ_PROMISE(!has_secret(data, size) || strstr(err->message, SECRET) == NULL);
}

static bool is_timeout(int64_t ns)
{
	return ns == 0 || (ns >= RL_NS_PER_MS && ns <= 3600 * RL_NS_PER_SECOND);
}

static void check_target(const rl_target *target, bool has_route)
{
	FUZZ_PROMISE(target->refs == 1U + has_route);
	const rl_address *address = &target->address;
	FUZZ_PROMISE(address->kind == RL_NET_MEMORY || address->host[0] != '\0');
	FUZZ_PROMISE(address->kind == RL_NET_MEMORY || address->fault == RL_FAULT_NONE);
	FUZZ_PROMISE((address->kind == RL_NET_UNIX) == (address->host[0] == '/'));
	FUZZ_PROMISE((address->kind == RL_NET_TCP) == (address->port != 0));
	FUZZ_PROMISE(address->kind == RL_NET_TCP || strlen(address->host) < 108);
	FUZZ_PROMISE(target->user == NULL || target->password.data != NULL);
	FUZZ_PROMISE(target->database <= 2147483647);
}

static void check_route(const rl_route *route, const rl_target *common)
{
	bool is_cluster = route->kind == RL_ROUTE_CLUSTER;
	FUZZ_PROMISE(route->refs == 1 && route->common == common);
	FUZZ_PROMISE(route->seed_count > 0);
	FUZZ_PROMISE(route->seed_count <= (is_cluster ? RL_SEEDS_MAX : RL_SENTINELS_MAX));
	FUZZ_PROMISE(is_cluster == (route->service == NULL));
	FUZZ_PROMISE(route->sentinel_quorum <= route->seed_count);
	FUZZ_PROMISE(route->order_name != NULL);
	for (unsigned i = 0; i < route->seed_count; i++) {
		check_target(route->seeds[i], is_cluster);
		FUZZ_PROMISE(route->seeds[i]->address.kind == RL_NET_TCP);
	}
}

/* The name is a DSN of the same place, without the secrets. */
static void check_name(const rl_dsn *dsn)
{
	const rl_target *target = dsn->target;
	rl_dsn again;
	rl_error err;
	FUZZ_PROMISE(fuzz_is_fit(target->name, SIZE_MAX));
	rl_status status = rl_dsn_parse(rl_bytes_of(target->name, strlen(target->name)), &again, &err);
	FUZZ_PROMISE(status == RL_OK);
	FUZZ_PROMISE(rl_address_equal(&again.target->address, &target->address));
	FUZZ_PROMISE(again.target->database == target->database);
	FUZZ_PROMISE(again.target->password.data == NULL);
	FUZZ_PROMISE(strcmp(again.target->name, target->name) == 0);
	FUZZ_PROMISE((again.route == NULL) == (dsn->route == NULL));
	FUZZ_PROMISE(dsn->route == NULL || rl_route_overlaps(again.route, dsn->route));
	rl_dsn_drop(&again);
}

static void check_dsn(const rl_dsn *dsn)
{
	check_target(dsn->target, dsn->route != NULL);
	FUZZ_PROMISE(is_timeout(dsn->timeout_ns) && is_timeout(dsn->connect_timeout_ns));
	if (dsn->route != NULL) {
		check_route(dsn->route, dsn->target);
	}
	check_name(dsn);
}

int FUZZ_DSN(const uint8_t *data, size_t size)
{
	rl_dsn dsn;
	rl_error err;
	memset(&err, 0xa5, sizeof err);
	if (rl_dsn_parse(rl_bytes_of((const char *) data, size), &dsn, &err) == RL_OK) {
		check_dsn(&dsn);
		rl_dsn_drop(&dsn);
	} else {
		FUZZ_PROMISE(dsn.target == NULL && dsn.route == NULL);
		check_message(&err, data, size);
	}
	return 0;
}

FUZZ_MAIN(FUZZ_DSN, dsn_seeds)
