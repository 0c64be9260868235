/* SPDX-License-Identifier: MIT
 *
 * No memory in the transport, hiredis included, at each place where some is requested: no crash, no
 * leak, and no reply that the server has not sent.
 */
#include "check.h"
#include "no_memory.h"
#include "peer.h"
#include "transport/rl_link.h"
#include "transport/rl_os.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* hiredis 0.14 itself loses a few bytes when it is out of memory while it formats a command. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:redisFormatSdsCommandArgv\nleak:sdsnewlen\n";
}

static rl_net net;
static peer server;
static rl_link *link_;
static int fd = -1;
static char answers[6000];

static void clean_up(void)
{
	is_counting = false;
	if (link_ != NULL) {
		net.transport.close(link_);
		link_ = NULL;
	}
	if (fd >= 0) {
		close(fd);
		fd = -1;
	}
	if (server.listener > 0) {
		peer_close(&server);
	}
	rl_net_destroy(&net);
}

static void advance(void)
{
	struct pollfd poll_fd = {.fd = rl_link_fd(link_), .events = POLLIN};
	int ready = rl_os_poll(&poll_fd, 1, 100 * RL_NS_PER_MS, NULL, NULL);
	rl_link_advance(link_, ready > 0 ? poll_fd.revents : 0, rl_os_now());
}

/* Reads all replies of the link: one letter for each, and '!' for its end. */
static void read_all(char *out, size_t size)
{
	rl_reply reply;
	rl_error err;
	size_t used = 0;
	for (unsigned i = 0; i < 20 && used + 1 < size; i++) {
		rl_link_event event = net.transport.receive(link_, &reply, &err);
		if (event == RL_LINK_NONE) {
			break;
		}
		out[used++] = event == RL_LINK_DOWN ? '!'
			: reply.type == RL_REPLY_ARRAY  ? 'a'
			: reply.text.len > 1000         ? 'L'
											: 's';
		if (event == RL_LINK_DOWN) {
			CHECK(err.status == RL_ERR_PROTOCOL || err.status == RL_ERR_MEMORY);
			break;
		}
	}
	out[used] = '\0';
}

/* A dial, a command, and three replies.
 * @return the letters of the replies; "" = there was no link */
static const char *talk(void)
{
	static char out[32];
	rl_error err;
	rl_address address = {.kind = RL_NET_UNIX, .host = server.path};
	const rl_bytes argv[] = {bytes_of("GET"), bytes_of("key")};
	out[0] = '\0';
	asked = 0;
	is_counting = true;
	link_ = net.transport.dial(&net.transport, &address, RL_NEVER, &err);
	if (link_ == NULL) {
		is_counting = false;
		CHECK_INT(err.status, RL_ERR_MEMORY);
		return out;
	}
	uint64_t end = net.transport.append(link_, 2, argv);
	net.transport.flush(link_);
	CHECK_INT(net.transport.sent(link_), (int64_t) end);
	is_counting = false;
	fd = peer_accept(&server);
	peer_says(fd, answers);
	is_counting = true;
	advance();
	read_all(out, sizeof out);
	is_counting = false;
	net.transport.close(link_);
	link_ = NULL;
	close(fd);
	fd = -1;
	return out;
}

static void each_allocation_may_fail(void)
{
	rl_net_init(&net);
	CHECK(peer_open_unix(&server, 16));
	strcpy(answers, "$5\r\nsmall\r\n*2\r\n$3000\r\n");
	memset(answers + strlen(answers), 'x', 3000);
	strcat(answers, "\r\n:1\r\n$1000\r\n");
	memset(answers + strlen(answers), 'y', 1000);
	strcat(answers, "\r\n+OK\r\n");
	fails_at = 0;
	CHECK_TEXT(talk(), "sass");
	unsigned all = asked;
	CHECK(all >= 6);
	for (fails_at = 1; fails_at <= all; fails_at++) {
		const char *out = talk();
		/* The link has read the first replies, and then nothing or its end. */
		size_t same = strspn(out, "sa");
		CHECK(strncmp(out, "sass", same) == 0);
		CHECK_INT(strlen(out + same) == 0 || strcmp(out + same, "!") == 0, true);
	}
}

static const check_test tests[] = {
	TEST(each_allocation_may_fail),
};

CHECK_MAIN(tests, clean_up)
