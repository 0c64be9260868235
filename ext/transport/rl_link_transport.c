/* SPDX-License-Identifier: MIT
 *
 * A link: a socket, the bytes that are still to be sent, and the reader of what arrives; with TLS
 * also what encrypts and decrypts between them.
 *
 * DESIGN
 *
 * A link reads only while the driver waits (rl_link_advance, rl_link_block), and receive() parses
 * what was read. So a step of core costs no system call but the send. When the link breaks, it
 * keeps the reason and reports it after the replies that had arrived: a server that refuses a
 * client sends the reason before it closes.
 *
 * rl_link_connect.c leads a link from dial() to CONNECTED, and rl_link_bytes.c reads and writes.
 */
#include "transport/rl_link_parts.h"

#include "transport/rl_os.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* For a signal handler, and the threads that it wakes, the writes before this call come before the
 * writes after it. */
static void in_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

void rl_link_close_fd(rl_link *link)
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
	rl_link_connect_next(link, rl_os_now());
	if (link->state == RL_LINK_BROKEN) {
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
	bool is_appended = rl_buffer_append(&link->out, command, len);
	link->appended += is_appended ? len : 0;
	rl_format_free(command);
	return is_appended ? link->appended : 0;
}

static uint64_t link_sent(const rl_link *link)
{
	return link->sent;
}

static bool link_retract(rl_link *link, uint64_t position)
{
	if (link->sent + link->sealed > position) {
		return false;
	}
	rl_buffer_drop(&link->out, (size_t) (link->appended - position));
	link->appended = position;
	return true;
}

static bool link_is_connected(const rl_link *link)
{
	switch (link->state) {
		case RL_LINK_CONNECTED:
		case RL_LINK_GARBLED:
			return true;
		case RL_LINK_CONNECTING:
		case RL_LINK_SECURING:
		case RL_LINK_BROKEN:
			break;
	}
	return false;
}

static const char *link_hint(const rl_link *link)
{
	if (link->state != RL_LINK_SECURING) {
		return "";
	}
	if (rl_tls_has_heard(link->tls) || rl_link_has_spoken(link)) {
		return ", because the TLS handshake was not over";
	}
	return ", because no answer in TLS came: is this a port without TLS (redis://)?";
}

static rl_link_event link_receive(rl_link *link, rl_reply *reply, rl_error *err)
{
	int result = link->state == RL_LINK_GARBLED ? -1 : rl_reader_next(link->reader, reply);
	if (result > 0) {
		return RL_LINK_REPLY;
	}
	if (result < 0) {
		link->state = link->state == RL_LINK_CONNECTED ? RL_LINK_GARBLED : link->state;
		rl_error_set(err, RL_ERR_PROTOCOL, 0,
			"the answer is not the Redis protocol, or is longer than any answer to this command "
			"can be");
		return RL_LINK_DOWN;
	}
	if (link->state != RL_LINK_BROKEN) {
		return RL_LINK_NONE;
	}
	*err = link->err;
	return RL_LINK_DOWN;
}

static bool link_is_alive(rl_link *link, bool has_pending)
{
	if (link->state != RL_LINK_CONNECTED) {
		return false;
	}
	if (!has_pending && link->tls == NULL) {
		return rl_socket_peek(link->fd) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
	}
	/* The end may follow the pending replies. With TLS, bytes may arrive that are no reply. */
	uint64_t before = link->received;
	rl_link_read_all(link);
	return link->state == RL_LINK_CONNECTED && (has_pending || link->received == before);
}

static void link_take_in(rl_link *link)
{
	if (link->state == RL_LINK_CONNECTING) {
		struct pollfd fd = {.fd = link->fd, .events = POLLOUT};
		int ready = link->fd >= 0 ? rl_os_poll(&fd, 1, 0, NULL, NULL) : 0;
		rl_link_connect_on(link, ready > 0 ? fd.revents : 0, rl_os_now());
	}
	if (link->state == RL_LINK_SECURING) {
		rl_link_secure_on(link);
	}
	if (link->state == RL_LINK_CONNECTED) {
		rl_link_read_all(link);
	}
}

static void link_end(rl_link *link)
{
	if (link->tls != NULL) {
		/* Bytes that are not sealed yet cannot follow close_notify, which must come before the
		 * half-close: otherwise the server would see a broken connection. */
		rl_buffer_drop(&link->out, rl_buffer_bytes(&link->out).len);
		rl_tls_end(link->tls);
		rl_link_write(link);
	}
	if (link->fd >= 0) {
		rl_socket_end(link->fd);
	}
	if (link->memory != NULL) {
		rl_memory_serve(link->memory);
	}
}

static bool link_is_over(rl_link *link)
{
	char dropped[4096];
	ssize_t got;
	unsigned rounds = 0; /* bounded: the server may never stop sending */
	if (link->state != RL_LINK_CONNECTED && link->state != RL_LINK_GARBLED) {
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
	rl_link_close_fd(link);
	if (link->memory != NULL) {
		rl_memory_hang_up(link->memory);
	}
	rl_reader_free(link->reader);
	rl_tls_free(link->tls);
	rl_buffer_free(&link->out);
	free(link);
}

void rl_net_init(rl_net *net)
{
	*net = (rl_net){.transport = {.dial = net_dial,
						.distrust = net_distrust,
						.append = link_append,
						.flush = rl_link_write,
						.sent = link_sent,
						.retract = link_retract,
						.is_connected = link_is_connected,
						.hint = link_hint,
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
	rl_tls_sessions_free(net->tls_sessions);
	net->tls_sessions = NULL;
}

/* ---- for the driver ---- */

/* Bytes that the kernel should take. Commands wait until the handshake is over. */
static bool has_output(const rl_link *link)
{
	return (!rl_buffer_is_empty(&link->out) && link->state != RL_LINK_SECURING) ||
		(link->tls != NULL && rl_tls_output(link->tls).len > 0);
}

int rl_link_fd(const rl_link *link)
{
	return link->state == RL_LINK_BROKEN ? -1 : link->fd;
}

short rl_link_events(const rl_link *link)
{
	switch (link->state) {
		case RL_LINK_CONNECTING:
			return POLLOUT;
		case RL_LINK_SECURING:
		case RL_LINK_CONNECTED:
		case RL_LINK_GARBLED:
		case RL_LINK_BROKEN:
			break;
	}
	return has_output(link) ? POLLIN | POLLOUT : POLLIN;
}

int64_t rl_link_wake_at(const rl_link *link)
{
	if (link->state == RL_LINK_BROKEN || link->state == RL_LINK_GARBLED) {
		return 0; /* it reports its error at once */
	}
	return link->memory != NULL ? rl_memory_wake_at(link->memory) : link->wake_at;
}

void rl_link_advance(rl_link *link, short revents, int64_t now)
{
	switch (link->state) {
		case RL_LINK_CONNECTING:
			rl_link_connect_on(link, revents, now);
			break;
		case RL_LINK_SECURING:
			if (revents != 0) {
				rl_link_secure_on(link);
			}
			break;
		case RL_LINK_CONNECTED:
			if (link->memory != NULL) {
				rl_memory_serve(link->memory); /* a BLPOP may end */
				rl_link_read_all(link);
			} else if ((revents & ~POLLOUT) != 0) {
				rl_link_read_all(link);
			}
			break;
		case RL_LINK_GARBLED:
		case RL_LINK_BROKEN:
			break;
	}
}

rl_link_blocked rl_link_block(rl_link *link)
{
	if (link->state != RL_LINK_CONNECTED || has_output(link)) {
		return RL_LINK_BLOCKED_NOTHING;
	}
	switch (rl_link_read_once(link, true)) {
		case RL_LINK_READ_MORE:
			rl_link_read_all(link);
			break;
		case RL_LINK_READ_SOME:
		case RL_LINK_READ_BROKEN:
			break;
		case RL_LINK_READ_INTERRUPTED:
			return RL_LINK_BLOCKED_INTERRUPTED;
		case RL_LINK_READ_NOTHING:
			return RL_LINK_BLOCKED_NOTHING;
	}
	return RL_LINK_BLOCKED_READ;
}
