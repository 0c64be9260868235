/* SPDX-License-Identifier: MIT
 *
 * Names: which answers are kept, for how long, and which names are resolved again.
 */
#include "check.h"
#include "peer.h"
#include "transport/rl_link.h"
#include "transport/rl_os.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

static rl_resolver resolver;
static rl_resolver teacher;
static rl_addresses found;
static rl_error err;

static void clean_up(void)
{
	rl_resolver_clear(&resolver);
	rl_resolver_clear(&teacher);
}

static rl_status get(const char *host, rl_net_kind kind)
{
	char copy[200];
	strcpy(copy, host);
	rl_address address = {.kind = kind, .host = copy, .port = 6379};
	memset(&err, 0, sizeof err);
	return rl_resolved_get(&resolver, &address, &found, &err);
}

static void resolve(char *host, int64_t max_age)
{
	rl_address address = {.kind = RL_NET_TCP, .host = host, .port = 6379};
	rl_resolve(&resolver, &address, max_age);
}

static void literals_need_no_asking(void)
{
	CHECK_INT(get("127.0.0.1", RL_NET_TCP), RL_OK);
	CHECK_INT(found.count, 1);
	const struct sockaddr_in *v4 = (const void *) &found.list[0].storage;
	CHECK_INT(v4->sin_family, AF_INET);
	CHECK_INT(ntohs(v4->sin_port), 6379);
	CHECK_INT(ntohl(v4->sin_addr.s_addr), 0x7f000001);
	CHECK_INT(get("::1", RL_NET_TCP), RL_OK);
	const struct sockaddr_in6 *v6 = (const void *) &found.list[0].storage;
	CHECK_INT(v6->sin6_family, AF_INET6);
	CHECK_INT(ntohs(v6->sin6_port), 6379);
	CHECK_INT(get("/run/a.sock", RL_NET_UNIX), RL_OK);
	const struct sockaddr_un *path = (const void *) &found.list[0].storage;
	CHECK_INT(path->sun_family, AF_UNIX);
	CHECK_TEXT(path->sun_path, "/run/a.sock");
	CHECK(resolver.names == NULL);
	char literal[] = "127.0.0.1";
	resolve(literal, 0);
	CHECK(resolver.names == NULL);
}

static void the_longest_path_fits(void)
{
	char path[108] = "/";
	memset(path + 1, 'p', 106);
	path[107] = '\0';
	CHECK_INT(get(path, RL_NET_UNIX), RL_OK);
	const struct sockaddr_un *to = (const void *) &found.list[0].storage;
	CHECK_INT(strlen(to->sun_path), 107);
}

static void a_name_is_kept(void)
{
	if (!peer_knows_localhost()) {
		return;
	}
	char name[] = "localhost";
	CHECK_INT(get(name, RL_NET_TCP), RL_ERR_NAME);
	CHECK_HAS(err.message, "the host name could not be resolved");
	resolve(name, RL_NS_PER_SECOND);
	CHECK_INT(get(name, RL_NET_TCP), RL_OK);
	CHECK(found.count >= 1);
	CHECK(resolver.names != NULL);
	resolve(name, RL_NS_PER_SECOND);
	resolve(name, -1);
	CHECK_INT(get(name, RL_NET_TCP), RL_OK);
	/* Another port is another entry: the answer has the port in it. */
	rl_address other = {.kind = RL_NET_TCP, .host = name, .port = 1};
	CHECK_INT(rl_resolved_get(&resolver, &other, &found, &err), RL_ERR_NAME);
}

static void a_name_that_does_not_exist_is_an_error(void)
{
	char name[] = "no.such.name.invalid";
	resolve(name, RL_NS_PER_SECOND);
	CHECK_INT(get(name, RL_NET_TCP), RL_ERR_NAME);
	CHECK_HAS(err.message, "the host name could not be resolved: ");
	CHECK(strlen(err.message) > strlen("the host name could not be resolved: "));
}

static void a_name_in_doubt_is_resolved_again_once_a_second(void)
{
	if (!peer_knows_localhost()) {
		return;
	}
	char name[] = "localhost";
	rl_address address = {.kind = RL_NET_TCP, .host = name, .port = 6379};
	CHECK(rl_resolver_doubt(&resolver, &address)); /* an unknown name */
	CHECK_INT(get(name, RL_NET_TCP), RL_ERR_NAME);
	rl_resolver_ask_again(&resolver, 0);
	CHECK(!resolver.has_doubts);
	CHECK_INT(get(name, RL_NET_TCP), RL_OK);
	rl_resolver_doubt(&resolver, &address);
	CHECK(resolver.has_doubts);
	rl_resolver_ask_again(&resolver, 0); /* too soon */
	CHECK(resolver.has_doubts);
	CHECK_INT(get(name, RL_NET_TCP), RL_OK); /* the known address stays */
	peer_sleeps(1010);
	rl_resolver_ask_again(&resolver, 0);
	CHECK(!resolver.has_doubts);
	CHECK_INT(get(name, RL_NET_TCP), RL_OK);
	rl_resolver_ask_again(&resolver, 0);
	CHECK(!resolver.has_doubts);
}

/* Otherwise an errand of the watchdog would wait for the name again and again. */
static void a_resolver_that_is_taught_asks_for_no_name(void)
{
	if (!peer_knows_localhost()) {
		return;
	}
	char host[] = "localhost";
	rl_address address = {.kind = RL_NET_TCP, .host = host, .port = 6379};
	resolver.is_taught = true;
	CHECK(!rl_resolver_doubt(&resolver, &address));
	CHECK(rl_resolver_note_missed(&teacher, &resolver)); /* its teacher sees the doubt */
	resolve(host, 0);
	CHECK_INT(get(host, RL_NET_TCP), RL_OK);
	resolver.is_taught = false;
}

/* localhost is often ::1 and 127.0.0.1; the listener has the second only. */
static void the_next_address_is_tried(void)
{
	if (!peer_knows_localhost()) {
		return;
	}
	peer server;
	rl_net net;
	char name[] = "localhost";
	CHECK(peer_open_tcp(&server, 4));
	rl_net_init(&net);
	rl_address address = {.kind = RL_NET_TCP, .host = name, .port = server.port};
	rl_resolve(&net.resolver, &address, 0);
	rl_link *link =
		net.transport.dial(&net.transport, &address, rl_os_now() + 2 * RL_NS_PER_SECOND, &err);
	bool is_connected = false;
	for (unsigned i = 0; link != NULL && i < 100 && !is_connected; i++) {
		struct pollfd poll_fd = {.fd = rl_link_fd(link), .events = rl_link_events(link)};
		int ready = rl_os_poll(&poll_fd, 1, 10 * RL_NS_PER_MS, NULL, NULL);
		rl_link_advance(link, ready > 0 ? poll_fd.revents : 0, rl_os_now());
		is_connected = net.transport.is_connected(link);
	}
	if (link != NULL) {
		net.transport.close(link);
	}
	rl_net_destroy(&net);
	peer_close(&server);
	CHECK(is_connected);
}

/* ---- names that another thread has resolved ---- */

static void one_resolver_learns_from_another(void)
{
	if (!peer_knows_localhost()) {
		return;
	}
	char name[] = "localhost";
	rl_address address = {.kind = RL_NET_TCP, .host = name, .port = 6379};
	CHECK_INT(get(name, RL_NET_TCP), RL_ERR_NAME);
	rl_resolve(&teacher, &address, 0);
	for (int i = 0; i < 2; i++) { /* the second time changes nothing */
		rl_resolver_learn(&resolver, &teacher);
		CHECK_INT(get(name, RL_NET_TCP), RL_OK);
		CHECK(found.count > 0);
	}
	rl_addresses first;
	CHECK_INT(rl_resolved_get(&teacher, &address, &first, &err), RL_OK);
	CHECK_INT(found.count, first.count);
	CHECK(memcmp(&found.list[0].storage, &first.list[0].storage, first.list[0].len) == 0);
	rl_resolver_clear(&teacher); /* the two resolvers share nothing */
	CHECK_INT(get(name, RL_NET_TCP), RL_OK);
	rl_resolver_learn(&resolver, &teacher); /* an empty resolver teaches and removes nothing */
	CHECK_INT(get(name, RL_NET_TCP), RL_OK);
}

static void a_name_without_an_address_is_not_learned(void)
{
	char none[] = "no.such.name.invalid";
	rl_address address = {.kind = RL_NET_TCP, .host = none, .port = 6379};
	rl_resolve(&teacher, &address, 0);
	rl_resolver_learn(&resolver, &teacher);
	CHECK(resolver.names == NULL);
	CHECK_INT(get(none, RL_NET_TCP), RL_ERR_NAME);
}

static bool is_asked_for(const void *ctx, const rl_address *address)
{
	return strcmp(ctx, address->host) == 0;
}

/* Otherwise a thread whose answer is old would bring the doubt, and then the name, back. */
static void only_what_is_newer_ends_a_doubt(void)
{
	if (!peer_knows_localhost()) {
		return;
	}
	char name[] = "localhost";
	rl_address address = {.kind = RL_NET_TCP, .host = name, .port = 6379};
	resolver.is_taught = true;
	CHECK(!rl_resolver_note_missed(&teacher, &resolver)); /* there is no doubt */
	rl_resolver_doubt(&resolver, &address);
	CHECK(rl_resolver_note_missed(&teacher, &resolver)); /* the teacher has not asked yet */
	CHECK(!teacher.has_doubts);                          /* the doubt is not the teacher's own */
	rl_resolve_missed(&teacher, is_asked_for, "another");
	CHECK(rl_resolver_note_missed(&teacher, &resolver));
	rl_resolve_missed(&teacher, is_asked_for, name);
	CHECK(!rl_resolver_note_missed(&teacher, &resolver)); /* its answer is newer than the doubt */
	rl_resolver_learn(&resolver, &teacher);
	CHECK(!resolver.has_doubts);
	rl_resolver_doubt(&resolver, &address);
	rl_resolver_learn(&resolver, &teacher);
	CHECK(resolver.has_doubts);
	CHECK(rl_resolver_note_missed(&teacher, &resolver));
	rl_resolve_missed(&teacher, is_asked_for, name); /* too soon */
	CHECK(rl_resolver_note_missed(&teacher, &resolver));
	peer_sleeps(1010);
	rl_resolve_missed(&teacher, is_asked_for, name);
	rl_resolver_learn(&resolver, &teacher);
	CHECK(!resolver.has_doubts);
}

static const check_test tests[] = {
	TEST(literals_need_no_asking),
	TEST(the_longest_path_fits),
	TEST(a_name_is_kept),
	TEST(a_name_that_does_not_exist_is_an_error),
	TEST(a_name_in_doubt_is_resolved_again_once_a_second),
	TEST(a_resolver_that_is_taught_asks_for_no_name),
	TEST(the_next_address_is_tried),
	TEST(one_resolver_learns_from_another),
	TEST(a_name_without_an_address_is_not_learned),
	TEST(only_what_is_newer_ends_a_doubt),
};

CHECK_MAIN(tests, clean_up)
