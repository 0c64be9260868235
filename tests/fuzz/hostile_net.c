/* SPDX-License-Identifier: MIT
 *
 * The network, the clock and the system of a hostile run. See hostile_net.h.
 */
#include "hostile_net.h"

#include "fuzz.h"
#include "hostile_input.h"
#include "core/wire/rl_redirect.h"
#include "transport/rl_os.h"
#include "witness.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>

/* No descriptor of the process is that large: closing one that is not there has no effect. */
#define FIRST_FD (1 << 20)
#define EVENT_NS (50 * (int64_t) 1000)
#define LAG_NS (40 * RL_NS_PER_MS)
#define TRACED 400 /* bytes of each piece that a trace shows */

int64_t hostile_clock;
int64_t hostile_lag;
size_t hostile_carried;
bool hostile_is_sealed;

static hostile_socket sockets[HOSTILE_SOCKETS_MAX];
static unsigned socket_count;
static uint64_t random_state;

/* ---- tracing ---- */

/* With FUZZ_TRACE in the environment each run tells what goes through the network. */
static void trace(const hostile_socket *s, const char *what, const char *data, size_t len)
{
	if (getenv("FUZZ_TRACE") == NULL) {
		return;
	}
	fprintf(stderr, "%10.3f ms, %u to %u.%u %s ", (double) (hostile_clock - HOSTILE_START) / 1e6,
		(unsigned) (s - sockets), s->server / 256, s->server % 256, what);
	for (size_t i = 0; i < len && i < TRACED; i++) {
		unsigned char c = (unsigned char) data[i];
		fprintf(stderr, c >= ' ' && c < 0x7f ? "%c" : "\\%02x", c);
	}
	fprintf(stderr, "%s\n", len > TRACED ? ".." : "");
}

void hostile_net_begin(void)
{
	hostile_clock = HOSTILE_START;
	hostile_lag = 0;
	hostile_carried = 0;
	random_state = 1;
	socket_count = 0;
}

void hostile_net_end(void)
{
	for (unsigned i = 0; i < socket_count; i++) {
		hostile_server_close(&sockets[i].end);
	}
	socket_count = 0;
}

static hostile_socket *socket_of(int fd)
{
	FUZZ_PROMISE(fd >= FIRST_FD && fd < FIRST_FD + (int) socket_count);
	return &sockets[fd - FIRST_FD];
}

/* ---- what happens on a connection ---- */

static int any_errno(void)
{
	static const int codes[] = {0, ECONNRESET, ETIMEDOUT, EPIPE};
	return codes[input_take() % 4];
}

/* Lets something happen on the connection, unless bytes or its end can be read already. */
static void happen(hostile_socket *s)
{
	if (s->read < s->arrived || (s->is_over && s->arrived == s->end.sent_len)) {
		return;
	}
	s->is_blocked = false;
	if (s->arrived < s->end.sent_len) { /* it was cut */
		s->arrived = s->end.sent_len;
		return;
	}
	switch (hostile_server_act(&s->end)) {
		case HOSTILE_NOTHING:
			break;
		case HOSTILE_SAID:
			s->arrived = s->end.sent_len;
			break;
		case HOSTILE_CUT: {
			size_t new = s->end.sent_len - s->arrived;
			s->arrived += new > 0 ? input_take() % new : 0;
			break;
		}
		case HOSTILE_OVER:
			s->arrived = s->end.sent_len;
			s->is_over = true;
			s->over_errno = any_errno();
			trace(s, "is over", NULL, 0);
			break;
	}
}

static bool is_readable(const hostile_socket *s)
{
	return s->is_connected &&
		(s->read < s->arrived || (s->is_over && s->arrived == s->end.sent_len));
}

/* ---- rl_socket.h ---- */

static rl_connecting refuse(rl_error *err)
{
	rl_error_set(err, RL_ERR_CONNECT, ECONNREFUSED, "cannot connect: refused");
	return RL_CONNECTING_FAILED;
}

/* Where an address has no number, as a path, the server is 0. */
static unsigned server_at(const rl_sockaddr *to)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *) &to->storage;
	return in->sin_family == AF_INET ? ntohl(in->sin_addr.s_addr) & 0xffff : 0;
}

rl_connecting rl_socket_connect(const rl_sockaddr *to, int *fd, rl_error *err)
{
	unsigned how = input_is_over() ? 0xa0 : input_take();
	*fd = -1;
	if (socket_count == HOSTILE_SOCKETS_MAX || how >= 0xf0) {
		return refuse(err);
	}
	if (to->storage.ss_family == AF_UNIX && how >= 0xc0) {
		return RL_CONNECTING_AGAIN;
	}
	*fd = FIRST_FD + (int) socket_count;
	hostile_socket *s = &sockets[socket_count++];
	*s = (hostile_socket){.server = server_at(to), .is_connected = how < 0x80};
	return s->is_connected ? RL_CONNECTING_DONE : RL_CONNECTING_ON;
}

rl_connecting rl_socket_connected(int fd, rl_error *err)
{
	hostile_socket *s = socket_of(fd);
	if (!s->is_connected) {
		return refuse(err);
	}
	return RL_CONNECTING_DONE;
}

rl_connecting rl_socket_pair(int *fd, int *other, rl_error *err)
{
	*fd = *other = -1;
	return refuse(err);
}

ssize_t rl_socket_send(int fd, const char *data, size_t len)
{
	hostile_socket *s = socket_of(fd);
	if (s->is_blocked) {
		return 0;
	}
	unsigned how = input_take();
	if (how >= 0xfc) {
		s->is_over = true;
		s->over_errno = errno = EPIPE;
		return -1;
	}
	if (how >= 0xf0) {
		s->is_blocked = true;
		len = len < how - 0xf0 ? len : how - 0xf0;
	}
	trace(s, "sends", data, len);
	if (!hostile_is_sealed) {
		hostile_server_hear(&s->end, data, len);
	}
	witness_sees((unsigned) (s - sockets), s->server, &s->end);
	hostile_carried += len;
	return (ssize_t) len;
}

ssize_t rl_socket_receive(int fd, char *out, size_t size, bool may_block)
{
	hostile_socket *s = socket_of(fd);
	happen(s);
	if (!is_readable(s)) {
		hostile_clock += may_block ? RL_SOCKET_BLOCK_NS : 0;
		errno = EAGAIN;
		return -1;
	}
	hostile_clock += may_block ? EVENT_NS : 0;
	if (s->read == s->arrived) {
		errno = s->over_errno;
		return errno != 0 ? -1 : 0;
	}
	size_t len = s->arrived - s->read < size ? s->arrived - s->read : size;
	memcpy(out, s->end.sent + s->read, len);
	trace(s, "reads", out, len);
	witness_hears((unsigned) (s - sockets), s->server, &s->end, out, len);
	s->read += len;
	return (ssize_t) len;
}

void rl_socket_end(int fd)
{
	socket_of(fd);
}

ssize_t rl_socket_peek(int fd)
{
	hostile_socket *s = socket_of(fd);
	happen(s);
	if (!is_readable(s)) {
		errno = EAGAIN;
		return -1;
	}
	errno = s->over_errno;
	return s->read < s->arrived ? 1 : errno != 0 ? -1 : 0;
}

/* ---- rl_os.h ---- */

int64_t rl_os_now(void)
{
	return ++hostile_clock;
}

bool rl_os_advance_to(int64_t time)
{
	(void) time;
	return false;
}

const char *rl_os_error_text(int code, char *buffer, size_t size)
{
	snprintf(buffer, size, "error %d", code);
	return buffer;
}

bool rl_random_draw(rl_random *random, uint64_t fork_generation, void *out, size_t len)
{
	(void) random;
	(void) fork_generation;
	unsigned char *byte = out;
	for (size_t i = 0; i < len; i++) {
		random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		byte[i] = (unsigned char) (random_state >> 56);
	}
	return true;
}

/* @return the events of the descriptor */
static short poll_one(const struct pollfd *fd)
{
	if (fd->fd < 0) {
		return 0;
	}
	hostile_socket *s = socket_of(fd->fd);
	if (s->is_connected) {
		happen(s);
		short out = s->is_blocked ? 0 : POLLOUT;
		return (short) (((is_readable(s) ? POLLIN : 0) | out) & fd->events);
	}
	unsigned how = input_is_over() ? 0xff : input_take();
	if (how >= 0xc0) {
		return 0;
	}
	s->is_connected = how < 0xa0;
	return fd->events & POLLOUT;
}

int rl_os_poll(
	struct pollfd *fds, unsigned count, int64_t timeout_ns, rl_os_is_due is_due, void *ctx)
{
	int ready = 0;
	if (is_due != NULL && is_due(ctx)) {
		errno = EINTR;
		return -1;
	}
	for (unsigned i = 0; i < count; i++) {
		fds[i].revents = poll_one(&fds[i]);
		ready += fds[i].revents != 0;
	}
	if (ready > 0 || timeout_ns == 0) {
		hostile_clock += EVENT_NS;
		return ready;
	}
	unsigned how = input_take();
	int64_t lag = how >= 0xf0 ? (int64_t) (how - 0xef) * LAG_NS : 0;
	hostile_clock += timeout_ns + lag;
	hostile_lag += lag;
	return 0;
}

int rl_os_above_standard_streams(int fd)
{
	return fd;
}

/* The watchdog's thread does not run. */
bool rl_waker_init(rl_waker *waker)
{
	*waker = (rl_waker){.read_fd = -1, .write_fd = -1};
	return false;
}

void rl_waker_destroy(rl_waker *waker)
{
	(void) waker;
}

void rl_waker_wake(const rl_waker *waker)
{
	(void) waker;
}

void rl_waker_clear(const rl_waker *waker)
{
	(void) waker;
}

/* ---- names ---- */

static bool read_address(const char *host, struct in_addr *out)
{
	return inet_pton(AF_INET, host, out) == 1;
}

static struct in_addr address_of(const char *host)
{
	struct in_addr address;
	if (!read_address(host, &address)) {
		address.s_addr = htonl(0x0a000100 + (unsigned char) host[0]);
	}
	return address;
}

unsigned hostile_server_at(rl_bytes host)
{
	char text[RL_HOST_MAX + 1] = "";
	memcpy(text, host.data, host.len < sizeof text ? host.len : 0);
	return ntohl(address_of(text).s_addr) & 0xffff;
}

/* A name has an address, or none, as the input wants. */
int getaddrinfo(
	const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out)
{
	struct in_addr address = address_of(host);
	struct in_addr literal;
	if (!read_address(host, &literal) &&
		((hints->ai_flags & AI_NUMERICHOST) != 0 || input_take() >= 0x80)) {
		return EAI_NONAME;
	}
	struct {
		struct addrinfo info;
		struct sockaddr_in in;
	} *found = calloc(1, sizeof *found);
	FUZZ_PROMISE(found != NULL);
	found->in = (struct sockaddr_in){.sin_family = AF_INET,
		.sin_port = htons((uint16_t) strtoul(port, NULL, 10)),
		.sin_addr = address};
	found->info = (struct addrinfo){.ai_family = AF_INET,
		.ai_socktype = SOCK_STREAM,
		.ai_addrlen = sizeof found->in,
		.ai_addr = (struct sockaddr *) &found->in};
	*out = &found->info;
	return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
	free(list);
}
