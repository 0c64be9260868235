/* SPDX-License-Identifier: MIT
 *
 * A link: a socket, the bytes that are still to be sent, and the reader of what arrives.
 *
 * DESIGN
 *
 * A link reads only while the driver waits (rl_link_advance, rl_link_block), and receive() parses
 * what was read. So a step of core costs no system call but the send. When the link breaks, it
 * keeps the reason and reports it after the replies that had arrived: a server that refuses a
 * client sends the reason before it closes.
 *
 * A server that closes without ever having sent a byte may be a TLS server: for such a server a
 * command is a malformed handshake. The kernel accepted that command, so the sender could not know
 * whether it ran. Therefore the link finds out before it reports its end: it connects once more,
 * sends only a ClientHello, and checks the first bytes of the answer (LINK_PROBING). It does so
 * only if no link has received a byte from the address before, because a server that has spoken
 * Redis once breaks for other reasons, and for PROBE_NS at most.
 *
 * Connecting tries the addresses of the name one after the other. An address that does not answer
 * uses only its share of the time, so that time is left for the next one.
 */
#include "transport/rl_link.h"

#include "transport/rl_hiredis.h"
#include "transport/rl_os.h"
#include "transport/rl_socket.h"
#include "transport/rl_tls_hello.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK (16 * 1024)
#define CONNECT_AGAIN_NS (5 * RL_NS_PER_MS)
#define PROBE_NS (400 * RL_NS_PER_MS)

typedef enum link_state {
	LINK_CONNECTING,
	LINK_CONNECTED,
	/* The server has closed the connection. fd belongs to the probe for TLS. */
	LINK_PROBING,
	LINK_DOWN, /* err has the reason */
} link_state;

struct rl_link {
	rl_net *net;   /* borrowed */
	rl_link *next; /* in the net's list */
	/* The pointer to this link in the net's list. */
	rl_link **slot;
	/* Borrowed from the target. */
	const rl_address *address;
	link_state state;
	int fd;
	rl_addresses addresses;
	unsigned next_address;
	/* Connecting ends at this time. */
	int64_t until;
	/* While connecting: the time for the next address, or for another attempt. */
	int64_t wake_at;
	/* Owned. The bytes from out_start to out_end are not sent yet. */
	char *out;
	size_t out_start;
	size_t out_end;
	size_t out_size;
	uint64_t appended;
	uint64_t sent;
	rl_reader *reader;
	/* The server has sent something. */
	bool has_heard;
	/* LINK_PROBING: the ClientHello is sent. */
	bool has_asked;
	/* The server sent bytes that are not the Redis protocol. The link reads no more, but can still
	 * send an undo. */
	bool is_garbled;
	rl_error err;
};

/* For a signal handler, and the threads that it wakes, the writes before this call come before the
 * writes after it. */
static void in_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

static void close_fd(rl_link *link)
{
	int fd = link->fd;
	link->fd = -1;
	in_order();
	if (fd >= 0) {
		close(fd);
	}
}

static void enlist(rl_link *link)
{
	rl_net *net = link->net;
	link->next = net->links;
	link->slot = &net->links;
	in_order();
	if (link->next != NULL) {
		link->next->slot = &link->next;
	}
	net->links = link;
}

static void delist(rl_link *link)
{
	if (link->next != NULL) {
		link->next->slot = link->slot;
	}
	*link->slot = link->next;
	in_order();
}

void rl_net_end_sending(const rl_net *net)
{
	for (const rl_link *link = net->links; link != NULL; link = link->next) {
		if (link->fd >= 0) {
			shutdown(link->fd, SHUT_WR);
		}
	}
}

/* ---- connecting ---- */

static void connect_next(rl_link *link, int64_t now);

static void on_connecting(rl_link *link, rl_connecting state, int64_t now)
{
	switch (state) {
		case RL_CONNECTING_DONE:
			link->state = LINK_CONNECTED;
			link->wake_at = RL_NEVER;
			break;
		case RL_CONNECTING_ON: {
			/* The share of this address in the time that is left. */
			int64_t shares = (int64_t) (link->addresses.count - link->next_address) + 1;
			link->wake_at = shares == 1 ? RL_NEVER : now + (link->until - now) / shares;
			break;
		}
		case RL_CONNECTING_AGAIN:
			link->next_address--;
			link->wake_at = now + CONNECT_AGAIN_NS;
			break;
		case RL_CONNECTING_FAILED:
			connect_next(link, now);
			break;
	}
}

static void connect_next(rl_link *link, int64_t now)
{
	close_fd(link);
	if (link->next_address == link->addresses.count) {
		link->state = LINK_DOWN; /* err belongs to the last address */
		rl_resolver_doubt(&link->net->resolver, link->address);
		return;
	}
	const rl_sockaddr *to = &link->addresses.list[link->next_address++];
	on_connecting(link, rl_socket_connect(to, &link->fd, &link->err), now);
}

static void advance_connecting(rl_link *link, short revents, int64_t now)
{
	if (revents != 0) {
		on_connecting(link, rl_socket_connected(link->fd, &link->err), now);
	} else if (now >= link->wake_at) {
		connect_next(link, now);
	}
}

/* ---- does it speak TLS? ---- */

static uint64_t hash_of(const rl_address *address)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ address->port; /* FNV-1a */
	for (const char *c = address->host; *c != '\0'; c++) {
		hash = (hash ^ (unsigned char) *c) * UINT64_C(1099511628211);
	}
	return hash;
}

static bool has_spoken(const rl_net *net, const rl_address *address)
{
	uint64_t hash = hash_of(address);
	for (unsigned i = 0; i < RL_NET_SPOKEN; i++) {
		if (net->spoken[i] == hash) {
			return true;
		}
	}
	return false;
}

/* The newest address replaces the oldest one. */
static void note_spoken(rl_net *net, const rl_address *address)
{
	if (!has_spoken(net, address)) {
		net->spoken[net->next_spoken++ % RL_NET_SPOKEN] = hash_of(address);
	}
}

static void set_tls_error(rl_error *err)
{
	rl_error_set(err, RL_ERR_TLS, 0,
		"the server answers in TLS, so it has run no command: does this port want TLS? Use a port "
		"without TLS, because redislock has no TLS yet");
}

static void end_probe(rl_link *link, bool is_tls)
{
	close_fd(link);
	link->state = LINK_DOWN;
	if (is_tls) {
		set_tls_error(&link->err);
	}
}

/* Sends the ClientHello once the probe is connected. A Redis server may take it for the beginning
 * of a command, and wait for the rest. */
static void ask_for_tls(rl_link *link)
{
	rl_bytes hello = rl_tls_hello();
	if (rl_socket_send(link->fd, hello.data, hello.len) != (ssize_t) hello.len) {
		end_probe(link, false);
		return;
	}
	link->has_asked = true;
}

static void on_probe_connecting(rl_link *link, rl_connecting state)
{
	switch (state) {
		case RL_CONNECTING_DONE:
			ask_for_tls(link);
			break;
		case RL_CONNECTING_ON:
			break;
		case RL_CONNECTING_AGAIN:
		case RL_CONNECTING_FAILED:
			end_probe(link, false);
			break;
	}
}

/* Call when the link is down and err has the reason. If TLS may be the cause, the link stays up a
 * little longer for the probe. */
static void begin_probe(rl_link *link)
{
	const rl_sockaddr *to = &link->addresses.list[link->next_address - 1];
	if (link->address->kind != RL_NET_TCP || link->has_heard || link->sent == 0 ||
		has_spoken(link->net, link->address)) {
		return;
	}
	rl_error unused;
	close_fd(link);
	link->state = LINK_PROBING;
	link->wake_at = rl_os_now() + PROBE_NS;
	on_probe_connecting(link, rl_socket_connect(to, &link->fd, &unused));
}

static void advance_probe(rl_link *link, short revents, int64_t now)
{
	rl_error unused;
	if (revents == 0) {
		if (now >= link->wake_at) {
			end_probe(link, false);
		}
	} else if (!link->has_asked) {
		on_probe_connecting(link, rl_socket_connected(link->fd, &unused));
	} else {
		char answer[8];
		ssize_t got = rl_socket_receive(link->fd, answer, sizeof answer, false);
		bool is_none = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
		if (!is_none) {
			end_probe(link, got > 0 && rl_tls_is_record(answer, (size_t) got));
		}
	}
}

/* ---- bytes ---- */

static void go_down(rl_link *link, int code)
{
	link->state = LINK_DOWN;
	if (code == 0) {
		rl_error_set(&link->err, RL_ERR_CLOSED, 0, "the server closed the connection");
	} else {
		char text[128];
		rl_error_set(&link->err, RL_ERR_CLOSED, code, "the connection broke: %s",
			rl_os_error_text(code, text, sizeof text));
	}
	begin_probe(link);
}

/* Takes the first bytes that arrive on a link. False = they belong to TLS. */
static bool hear_first(rl_link *link, const char *data, size_t len)
{
	if (rl_tls_is_record(data, len)) {
		set_tls_error(&link->err);
		link->state = LINK_DOWN;
		return false;
	}
	link->has_heard = true;
	note_spoken(link->net, link->address);
	return true;
}

typedef enum read_result {
	READ_MORE, /* more may be there */
	READ_SOME, /* no more for now */
	READ_NOTHING,
	READ_INTERRUPTED, /* by a signal */
	READ_BROKEN,      /* the link is down */
} read_result;

static read_result read_once(rl_link *link, bool may_block)
{
	char chunk[CHUNK];
	ssize_t got = rl_socket_receive(link->fd, chunk, sizeof chunk, may_block);
	if (got > 0) {
		if (!link->has_heard && !hear_first(link, chunk, (size_t) got)) {
			return READ_BROKEN;
		}
		if (!rl_reader_feed(link->reader, chunk, (size_t) got)) {
			link->is_garbled = true;
			return READ_BROKEN;
		}
		return got == sizeof chunk ? READ_MORE : READ_SOME;
	}
	if (got == 0) {
		go_down(link, 0);
		return READ_BROKEN;
	}
	if (errno == EINTR) {
		return READ_INTERRUPTED;
	}
	if (errno == EAGAIN || errno == EWOULDBLOCK) {
		return READ_NOTHING;
	}
	go_down(link, errno);
	return READ_BROKEN;
}

static void read_all(rl_link *link)
{
	while (read_once(link, false) == READ_MORE) {
	}
}

static bool reserve(rl_link *link, size_t len)
{
	if (link->out_start == link->out_end) {
		link->out_start = link->out_end = 0;
	}
	if (link->out_size - link->out_end >= len) {
		return true;
	}
	size_t size = 2 * link->out_end + len + 256;
	char *grown = realloc(link->out, size);
	if (grown == NULL) {
		return false;
	}
	link->out = grown;
	link->out_size = size;
	return true;
}

/* ---- rl_transport ---- */

static rl_link *net_dial(
	rl_transport *self, const rl_address *address, int64_t until, rl_error *err)
{
	rl_net *net = (rl_net *) self;
	rl_link *link = calloc(1, sizeof *link);
	rl_reader *reader = rl_reader_new();
	if (link == NULL || reader == NULL) {
		free(link);
		rl_reader_free(reader);
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return NULL;
	}
	*link = (rl_link){.net = net,
		.address = address,
		.fd = -1,
		.until = until,
		.wake_at = RL_NEVER,
		.reader = reader};
	enlist(link);
	if (rl_resolved_get(&net->resolver, address, &link->addresses, err) != RL_OK) {
		rl_resolver_doubt(&net->resolver, address);
		net->transport.close(link);
		return NULL;
	}
	connect_next(link, rl_os_now());
	if (link->state == LINK_DOWN) {
		*err = link->err;
		net->transport.close(link);
		return NULL;
	}
	return link;
}

static bool net_distrust(rl_transport *self, const rl_address *address)
{
	rl_net *net = (rl_net *) self;
	return rl_resolver_doubt(&net->resolver, address);
}

static uint64_t link_append(rl_link *link, unsigned argc, const rl_bytes *argv)
{
	char *command;
	size_t len = rl_format(argc, argv, &command);
	if (len == 0) {
		return 0;
	}
	bool has_room = reserve(link, len);
	if (has_room) {
		memcpy(link->out + link->out_end, command, len);
		link->out_end += len;
		link->appended += len;
	}
	rl_format_free(command);
	return has_room ? link->appended : 0;
}

static void link_flush(rl_link *link)
{
	while (link->state == LINK_CONNECTED && link->out_start < link->out_end) {
		ssize_t taken =
			rl_socket_send(link->fd, link->out + link->out_start, link->out_end - link->out_start);
		if (taken == 0) {
			return;
		}
		if (taken < 0) {
			int code = errno;
			read_all(link); /* the server may have sent the reason */
			if (link->state == LINK_CONNECTED) {
				go_down(link, code);
			}
			return;
		}
		link->out_start += (size_t) taken;
		link->sent += (uint64_t) taken;
	}
}

static uint64_t link_sent(const rl_link *link)
{
	return link->sent;
}

static bool link_retract(rl_link *link, uint64_t position)
{
	if (link->sent > position) {
		return false;
	}
	link->out_end -= (size_t) (link->appended - position);
	link->appended = position;
	return true;
}

static bool link_is_connected(const rl_link *link)
{
	return link->state == LINK_CONNECTED || link->state == LINK_PROBING;
}

static rl_link_event link_receive(rl_link *link, rl_reply *reply, rl_error *err)
{
	int result = link->is_garbled ? -1 : rl_reader_next(link->reader, reply);
	if (result > 0) {
		return RL_LINK_REPLY;
	}
	if (result < 0) {
		link->is_garbled = true;
		rl_error_set(err, RL_ERR_PROTOCOL, 0,
			"the answer is not the Redis protocol, or is longer than any answer to this command "
			"can be");
		return RL_LINK_DOWN;
	}
	if (link->state != LINK_DOWN) {
		return RL_LINK_NONE;
	}
	*err = link->err;
	return RL_LINK_DOWN;
}

static bool link_is_alive(rl_link *link, bool has_pending)
{
	if (link->state != LINK_CONNECTED || link->is_garbled) {
		return false;
	}
	if (has_pending) {
		read_all(link); /* the end may follow the pending replies */
		return link->state == LINK_CONNECTED && !link->is_garbled;
	}
	return rl_socket_peek(link->fd) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static void link_take_in(rl_link *link)
{
	if (link->state == LINK_CONNECTING) {
		struct pollfd fd = {.fd = link->fd, .events = POLLOUT};
		int ready = link->fd >= 0 ? rl_os_poll(&fd, 1, 0, NULL, NULL) : 0;
		advance_connecting(link, ready > 0 ? fd.revents : 0, rl_os_now());
	}
	if (link->state == LINK_CONNECTED && !link->is_garbled) {
		read_all(link);
	}
}

static void link_end(rl_link *link)
{
	if (link->fd >= 0) {
		rl_socket_end(link->fd);
	}
}

static bool link_is_over(rl_link *link)
{
	char dropped[4096];
	ssize_t got;
	unsigned rounds = 0; /* bounded: the server may never stop sending */
	if (link->state != LINK_CONNECTED) {
		return true;
	}
	do {
		got = rl_socket_receive(link->fd, dropped, sizeof dropped, false);
	} while (got > 0 && ++rounds < 16);
	return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void link_close(rl_link *link)
{
	delist(link);
	close_fd(link);
	rl_reader_free(link->reader);
	free(link->out);
	free(link);
}

void rl_net_init(rl_net *net)
{
	*net = (rl_net){.transport = {.dial = net_dial,
						.distrust = net_distrust,
						.append = link_append,
						.flush = link_flush,
						.sent = link_sent,
						.retract = link_retract,
						.is_connected = link_is_connected,
						.receive = link_receive,
						.is_alive = link_is_alive,
						.take_in = link_take_in,
						.end = link_end,
						.is_over = link_is_over,
						.close = link_close}};
}

void rl_net_destroy(rl_net *net)
{
	rl_resolver_clear(&net->resolver);
}

/* ---- for the driver ---- */

int rl_link_fd(const rl_link *link)
{
	return link->state == LINK_DOWN ? -1 : link->fd;
}

short rl_link_events(const rl_link *link)
{
	if (link->state == LINK_CONNECTING || (link->state == LINK_PROBING && !link->has_asked)) {
		return POLLOUT;
	}
	if (link->state == LINK_PROBING) {
		return POLLIN;
	}
	return link->out_start < link->out_end ? POLLIN | POLLOUT : POLLIN;
}

int64_t rl_link_wake_at(const rl_link *link)
{
	/* A broken link reports its error at once. */
	return link->state == LINK_DOWN || link->is_garbled ? 0 : link->wake_at;
}

void rl_link_advance(rl_link *link, short revents, int64_t now)
{
	if (link->state == LINK_CONNECTING) {
		advance_connecting(link, revents, now);
	} else if (link->state == LINK_PROBING) {
		advance_probe(link, revents, now);
	} else if ((revents & ~POLLOUT) != 0) {
		link_take_in(link);
	}
}

rl_link_blocked rl_link_block(rl_link *link)
{
	if (link->state != LINK_CONNECTED || link->is_garbled || link->out_start < link->out_end) {
		return RL_LINK_BLOCKED_NOTHING;
	}
	switch (read_once(link, true)) {
		case READ_MORE:
			read_all(link);
			break;
		case READ_SOME:
		case READ_BROKEN:
			break;
		case READ_INTERRUPTED:
			return RL_LINK_BLOCKED_INTERRUPTED;
		case READ_NOTHING:
			return RL_LINK_BLOCKED_NOTHING;
	}
	return RL_LINK_BLOCKED_READ;
}
