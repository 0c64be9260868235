/* SPDX-License-Identifier: MIT
 *
 * A name that leads to another server after a role switch: it is resolved again when the old server
 * says that it is a replica, and the watchdog, which resolves nothing, learns the new address from
 * PHP's thread.
 *
 * The old server listens on 127.0.0.1, the new one on the same port of 127.0.0.2.
 */
#include "check.h"
#include "peer.h"
#include "core/lock/rl_acquire.h"
#include "core/lock/rl_plain.h"
#include "transport/rl_driver.h"
#include "transport/rl_os.h"
#include "transport/rl_process.h"
#include "transport/rl_watchdog.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MS RL_NS_PER_MS
#define REPLICA "-READONLY You can't write against a read only replica.\r\n"

static peer old;
static peer new;
static rl_net net;
static rl_random stock;
static rl_env env;
static rl_pool pool;
static rl_set set;
static rl_target target;
static rl_op *op;
static rl_renewal *renewal;
static rl_lease *lease;
static char host[] = "primary.test";
static char name[] = "redis://primary.test";

/* ---- the name server ---- */

static _Atomic bool has_moved;
static _Atomic unsigned asked;
static _Atomic unsigned slow_ms;

int getaddrinfo(
	const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **list)
{
	static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	if (real == NULL) {
		*(void **) &real = dlsym(RTLD_NEXT, "getaddrinfo");
	}
	bool is_ours = strcmp(node, host) == 0 && (hints->ai_flags & AI_NUMERICHOST) == 0;
	atomic_fetch_add(&asked, is_ours);
	if (is_ours && slow_ms > 0) {
		peer_sleeps(slow_ms);
	}
	const char *address = atomic_load(&has_moved) ? "127.0.0.2" : "127.0.0.1";
	return real(is_ours ? address : node, service, hints, list);
}

/* ---- the test's frame ---- */

static void open_new(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(old.port)};
	inet_pton(AF_INET, "127.0.0.2", &address.sin_addr);
	new = (peer){.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
	CHECK(bind(new.listener, (struct sockaddr *) &address, sizeof address) == 0);
	CHECK(listen(new.listener, 16) == 0);
}

static void begin(void)
{
	static bool is_set_up;
	if (!is_set_up) {
		is_set_up = true;
		rl_process_watch_forks();
		rl_watchdog_set_up();
	}
	has_moved = false;
	asked = slow_ms = 0;
	rl_net_init(&net);
	env = rl_process_env(&stock);
	memset(rl_process_stats(), 0, sizeof *rl_process_stats());
	rl_pool_init(&pool, &net.transport, &env);
	CHECK(peer_open_tcp(&old, 16));
	open_new();
	target = (rl_target){.refs = 1000,
		.name = name,
		.address = {.kind = RL_NET_TCP, .host = host, .port = old.port}};
	set = (rl_set){.count = 1,
		.backoff = {10 * MS, 200 * MS, 0},
		.retries = RL_RETRIES_UNLIMITED,
		.outage_wait_ns = RL_NEVER,
		.drift_factor = 0.01};
	set.members[0] =
		(rl_member){.target = &target, .timeout_ns = 2000 * MS, .connect_timeout_ns = 2000 * MS};
}

static void clean_up(void)
{
	rl_op_free(op);
	op = NULL;
	if (renewal != NULL) {
		rl_watchdog_pause(renewal);
		rl_lease_end(lease);
		rl_watchdog_end(renewal);
		free(renewal);
		rl_lease_free(lease);
		renewal = NULL;
	}
	rl_watchdog_stop();
	rl_pool_clear(&pool);
	rl_net_destroy(&net);
	peer_close(&old);
	peer_close(&new);
}

static rl_status extend(void)
{
	rl_op_free(op);
	rl_plain_args args = {.verb = RL_VERB_EXTEND,
		.key = bytes_of("the-key"),
		.token = bytes_of("tok"),
		.ttl_ms = 30000};
	op = rl_plain_new(&set, &pool, &env, &args);
	CHECK(rl_drive(&net, op, NULL));
	return op->status;
}

/* ---- a call ---- */

/* Answers the command of one connection, and its login. */
static void answer_once(peer *self, const char *command, const char *answer)
{
	int fd = peer_accept(self);
	if (peer_hears(self, fd, command)) {
		peer_says(fd, answer);
	}
	peer_sees_end(fd);
	close(fd);
}

static void talk_yes_then_replica(peer *self)
{
	int fd = peer_accept(self);
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_says(fd, ":1\r\n+OK\r\n");
	}
	if (peer_hears(self, fd, "30000\r\n")) {
		peer_says(fd, REPLICA);
	}
	peer_sees_end(fd);
	close(fd);
}

static void talk_yes(peer *self)
{
	answer_once(self, "30000\r\n", ":1\r\n+OK\r\n");
}

static void a_call_resolves_the_name_again_and_goes_on_there(void)
{
	begin();
	peer_start(&old, talk_yes_then_replica);
	peer_start(&new, talk_yes);
	rl_resolve(&net.resolver, &target.address, 60 * RL_NS_PER_SECOND);
	CHECK_INT(extend(), RL_OK);
	has_moved = true;
	peer_sleeps(1010); /* a name is not asked for more often than once a second */
	CHECK_INT(extend(), RL_OK);
	CHECK_INT(asked, 2);
	CHECK_INT(rl_process_stats()->connects, 2);
	rl_pool_clear(&pool);
}

/* ---- an old server that is silent ---- */

#define FILLERS 4

static int fillers[FILLERS];

/* With a full backlog the kernel drops each SYN, as if the machine had no power. */
static void silence_old(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(old.port)};
	inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
	CHECK(listen(old.listener, 0) == 0);
	for (unsigned i = 0; i < FILLERS; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void) connect(fillers[i], (struct sockaddr *) &address, sizeof address);
	}
}

static void end_silence(void)
{
	for (unsigned i = 0; i < FILLERS; i++) {
		close(fillers[i]);
	}
}

static void talk_grant(peer *self)
{
	answer_once(self, "30000\r\n", "*2\r\n:1\r\n:0\r\n+OK\r\n");
}

static rl_status acquire(int64_t wait_ns)
{
	rl_op_free(op);
	rl_acquire_args args = {.key = bytes_of("the-key"), .ttl_ms = 30000, .wait_ns = wait_ns};
	op = rl_acquire_new(&set, &pool, &env, &args);
	CHECK(rl_drive(&net, op, NULL));
	return op->status;
}

static void a_wait_follows_the_name_of_a_server_that_is_silent(void)
{
	begin();
	set.members[0].connect_timeout_ns = 100 * MS;
	silence_old();
	peer_start(&new, talk_grant);
	rl_resolve(&net.resolver, &target.address, 60 * RL_NS_PER_SECOND);
	has_moved = true;
	CHECK_INT(acquire(20 * RL_NS_PER_SECOND), RL_OK);
	CHECK_INT(asked, 2);
	end_silence();
}

/* The doubt about the name of another server is older than the operation. */
static void an_operation_resolves_no_name_of_other_servers(void)
{
	rl_address other = {.kind = RL_NET_TCP, .host = host, .port = 1};
	begin();
	rl_resolve(&net.resolver, &other, 60 * RL_NS_PER_SECOND);
	peer_sleeps(1010);
	rl_resolver_doubt(&net.resolver, &other);
	peer_sleeps(2);
	rl_resolve(&net.resolver, &target.address, 60 * RL_NS_PER_SECOND);
	CHECK_INT(asked, 2);
	close(old.listener); /* a connection is refused, and the wait polls */
	old.listener = -1;
	CHECK(acquire(400 * MS) != RL_OK);
	CHECK_INT(asked, 2);
}

/* Otherwise each call would wait for it, although it has the old address, or other servers. */
static void a_name_server_that_is_slow_is_asked_seldom(void)
{
	begin();
	slow_ms = 400;
	rl_resolve(&net.resolver, &target.address, 60 * RL_NS_PER_SECOND);
	int64_t answered_at = rl_os_now();
	rl_resolver_doubt(&net.resolver, &target.address);
	peer_sleeps(1010);
	rl_resolver_ask_again(&net.resolver, 0);
	rl_resolve(&net.resolver, &target.address, 60 * RL_NS_PER_SECOND);
	CHECK(asked == 1 || rl_os_now() - answered_at > 1600 * MS);
	slow_ms = 0;
	AWAIT((rl_resolver_ask_again(&net.resolver, 0), asked == 2));
	CHECK(rl_os_now() - answered_at > 1600 * MS);
}

/* ---- the watchdog ---- */

static void talk_replica(peer *self)
{
	for (unsigned i = 0; i < 4; i++) {
		int fd = peer_accept(self);
		if (fd >= 0 && peer_hears(self, fd, "tok\r\n")) {
			peer_says(fd, REPLICA);
		}
		peer_sees_end(fd);
		close(fd);
	}
}

static void talk_renewal(peer *self)
{
	answer_once(self, "tok\r\n", ":1\r\n+OK\r\n");
}

static void keep(int64_t ttl_ms)
{
	int sys_errno;
	int64_t ttl = ttl_ms * MS;
	lease = rl_lease_new(&env, bytes_of("k"), 0, 16, 0.01, RL_NAMES_PLAIN);
	renewal = rl_renewal_new(&set, lease);
	CHECK_INT(rl_watchdog_prepare(renewal, &set, &sys_errno), RL_OK);
	renewal->renews = true;
	rl_lease_begin(lease, bytes_of("tok"), ttl, rl_os_now() + ttl - rl_drift(0.01, ttl));
	rl_watchdog_begin(renewal, &set, &net.resolver);
}

static bool is_ours(const void *ctx, const rl_address *address)
{
	return ctx == &target && strcmp(address->host, host) == 0;
}

/* As each call of PHP's thread does. */
static void share(void)
{
	if (rl_watchdog_learn(&net.resolver)) {
		rl_resolve_missed(&net.resolver, is_ours, &target);
		rl_watchdog_learn(&net.resolver);
	}
}

static void the_watchdog_learns_where_the_name_leads_now(void)
{
	begin();
	peer_start(&old, talk_replica);
	peer_start(&new, talk_renewal);
	rl_resolve(&net.resolver, &target.address, 60 * RL_NS_PER_SECOND);
	rl_watchdog_learn(&net.resolver);
	keep(3600); /* due a little later than a second from now */
	share();    /* the watchdog has no doubt yet */
	CHECK_INT(asked, 1);
	has_moved = true;
	/* Each call of PHP's thread asks. The watchdog dials four times, and its next connections are
	 * not served any more. */
	AWAIT((share(), asked == 2));
	AWAIT((share(), rl_process_stats()->renewed >= 1));
	CHECK(rl_lease_is_held(lease));
}

static const check_test tests[] = {
	TEST(a_call_resolves_the_name_again_and_goes_on_there),
	TEST(a_wait_follows_the_name_of_a_server_that_is_silent),
	TEST(an_operation_resolves_no_name_of_other_servers),
	TEST(a_name_server_that_is_slow_is_asked_seldom),
	TEST(the_watchdog_learns_where_the_name_leads_now),
};

CHECK_MAIN(tests, clean_up)
