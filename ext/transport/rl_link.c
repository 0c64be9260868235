/* SPDX-License-Identifier: MIT
 *
 * A link: a socket, the bytes that are still to be sent, and the reader of what arrives; with TLS
 * also what encrypts and decrypts between them.
 *
 * DESIGN
 *
 *     plain:  append --> out -----------------> socket -----------------> reader --> receive
 *     TLS:    append --> out --> one record --> socket --> plain bytes --> reader --> receive
 *
 *     dial --> CONNECTING -------------------> CONNECTED --> GARBLED      each of them --> BROKEN
 *                  \--> SECURING, with TLS ------^
 *
 * Connecting tries the addresses of the name one after the other. An address that does not answer
 * uses only its share of the time, so that time is left for the next one. The handshake of TLS
 * follows on the first connection that is made, and may use all the time that is left.
 *
 * A link reads only while the driver waits (rl_link_advance, rl_link_block), and receive() parses
 * what was read. So a step of core costs no system call but the send. When the link breaks, it
 * keeps the reason and reports it after the replies that had arrived: a server that refuses a
 * client sends the reason before it closes.
 *
 * With TLS at most one record of commands is sealed at a time, and its bytes count as sent when the
 * kernel has taken the whole record: a server cannot read a part of it.
 *
 * A link belongs to the connection that has dialled it, and to the thread of its net, which has a
 * list of all links. At the end of the process rl_net_end_sending() reads the list while that
 * thread stands still at any instruction. So at each instruction the list is in order, and names no
 * descriptor that is closed.
 *
 * A socket ends when the last process has closed it. So a forked child closes its copies at once:
 * otherwise the server would not notice that the parent is dead, and the child could end what the
 * parent still sends.
 */
#include "transport/rl_link.h"

#include "transport/rl_buffer.h"
#include "transport/rl_hiredis.h"
#include "transport/rl_memory.h"
#include "transport/rl_os.h"
#include "transport/rl_process.h"
#include "transport/rl_socket.h"
#include "transport/rl_tls.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK (16 * 1024)
#define CONNECT_AGAIN_NS (5 * RL_NS_PER_MS)

typedef enum rl_link_state {
	RL_LINK_CONNECTING,
	/* Connected, and in the handshake of TLS. */
	RL_LINK_SECURING,
	RL_LINK_CONNECTED,
	/* Connected, but the server sent bytes that are not the Redis protocol. The link reads no more,
	 * and can still send an undo. */
	RL_LINK_GARBLED,
	RL_LINK_BROKEN, /* err has the reason */
} rl_link_state;

struct rl_link {
	rl_net *net;   /* borrowed */
	rl_link *next; /* in the net's list */
	/* The pointer to this link in the net's list. */
	rl_link **slot;
	uint64_t number;
	/* Borrowed from the target. */
	const rl_address *address;
	rl_link_state state;
	int fd;
	rl_addresses addresses;
	unsigned next_address;
	/* Connecting ends at this time. */
	int64_t until;
	/* While connecting: the time for the next address, or for another attempt. */
	int64_t wake_at;
	rl_buffer out; /* commands that are not sent yet; with TLS, not sealed yet */
	uint64_t appended;
	uint64_t sent;
	/* The plain bytes that have arrived. */
	uint64_t received;
	rl_reader *reader;
	/* Owned. NULL = without TLS, or not connected yet. */
	rl_tls *tls;
	/* Owned. NULL = the server is outside of this process, or not connected yet. */
	rl_memory_client *memory;
	/* The plain bytes in the output of tls. They count as sent when it is empty: the other side
	 * cannot read a part of a record. */
	size_t sealed;
	rl_error err;
};

/* ---- the net's list ---- */

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

void rl_net_part(const rl_net *net)
{
	for (rl_link *link = net->links; link != NULL; link = link->next) {
		close_fd(link);
	}
}

/* ---- which addresses have answered as expected ---- */

static uint64_t hash_of(const rl_address *address)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ address->port; /* FNV-1a */
	hash = (hash ^ (address->tls != NULL)) * UINT64_C(1099511628211);
	for (const char *c = address->host; *c != '\0'; c++) {
		hash = (hash ^ (unsigned char) *c) * UINT64_C(1099511628211);
	}
	return hash;
}

/* True when a link to this address has received an answer before, in Redis or in TLS, as its DSN
 * says. Then a message does not ask whether the port is of the other kind. */
static bool has_spoken(const rl_link *link)
{
	uint64_t hash = hash_of(link->address);
	for (unsigned i = 0; i < RL_NET_SPOKEN; i++) {
		if (link->net->spoken[i] == hash) {
			return true;
		}
	}
	return false;
}

/* The newest address replaces the oldest one. */
static void note_spoken(const rl_link *link)
{
	rl_net *net = link->net;
	if (!has_spoken(link)) {
		net->spoken[net->next_spoken++ % RL_NET_SPOKEN] = hash_of(link->address);
	}
}

/* ---- breaking ---- */

/* What a message adds about the other kind of port, as long as the server has never answered. A
 * server of TLS may close a connection without a word when a plain command arrives. So may a Redis
 * server that ends after it has run the command, so the hint decides nothing. */
static const char *hint_of_port(const rl_link *link)
{
	if (link->address->kind != RL_NET_TCP || has_spoken(link)) {
		return "";
	}
	if (link->tls == NULL) {
		return link->received == 0 ? " (if this port speaks TLS, use rediss:// in the DSN)" : "";
	}
	return link->state == RL_LINK_SECURING && !rl_tls_has_heard(link->tls)
		? " (is this a port with TLS?)"
		: "";
}

/* The link is broken.
 * @param code an errno; 0 = the server closed the connection */
static void break_link(rl_link *link, int code)
{
	bool is_securing = link->state == RL_LINK_SECURING;
	rl_status status = is_securing ? RL_ERR_CONNECT : RL_ERR_CLOSED;
	const char *where = is_securing ? " during the TLS handshake" : "";
	const char *hint = hint_of_port(link);
	if (code == 0) {
		rl_error_set(&link->err, status, 0, "the server closed the connection%s%s", where, hint);
	} else {
		char text[128];
		rl_error_set(&link->err, status, code, "the connection broke%s: %s%s", where,
			rl_os_error_text(code, text, sizeof text), hint);
	}
	link->state = RL_LINK_BROKEN;
}

/* TLS has failed. Unless err says otherwise the server has run nothing, whatever the kernel has
 * accepted. */
static void break_tls(rl_link *link, const rl_error *err)
{
	rl_bytes alert = rl_tls_output(link->tls);
	rl_socket_send(link->fd, alert.data, alert.len); /* the server may log it */
	link->err = *err;
	link->state = RL_LINK_BROKEN;
	if (err->status != RL_ERR_CLOSED) {
		link->sent = 0;
		link->sealed = 0;
	}
}

/* ---- reading ---- */

static void link_flush(rl_link *link);

/* True for the first bytes of a handshake or an alert. No reply of Redis begins with them. */
static bool is_tls_record(const char *data, size_t len)
{
	enum { ALERT = 0x15, HANDSHAKE = 0x16, MAJOR = 0x03 };
	return len >= 2 && (data[0] == ALERT || data[0] == HANDSHAKE) && data[1] == MAJOR;
}

/* Takes the first bytes that arrive on a link without TLS. False = they belong to TLS, and the link
 * is broken. */
static bool hear_first(rl_link *link, const char *data, size_t len)
{
	if (is_tls_record(data, len)) {
		rl_error_set(&link->err, RL_ERR_TLS, 0,
			"the server answers in TLS, so it has run no command: does this port want TLS? Use "
			"rediss:// in the DSN");
		link->state = RL_LINK_BROKEN;
		return false;
	}
	note_spoken(link);
	return true;
}

static bool parse(rl_link *link, const char *data, size_t len)
{
	link->received += len;
	if (!rl_reader_feed(link->reader, data, len)) {
		link->state = RL_LINK_GARBLED;
		return false;
	}
	return true;
}

static bool take_sealed(rl_link *link, const char *data, size_t len)
{
	char plain[CHUNK];
	size_t got;
	rl_error err;
	rl_tls_feed(link->tls, data, len);
	for (;;) {
		switch (rl_tls_read(link->tls, plain, sizeof plain, &got, &err)) {
			case RL_TLS_DATA:
				if (!parse(link, plain, got)) {
					rl_tls_feed(link->tls, NULL, 0); /* data is gone soon */
					return false;
				}
				break;
			case RL_TLS_NOTHING:
				return true;
			case RL_TLS_ENDED:
				break_link(link, 0);
				return false;
			case RL_TLS_BROKEN:
				break_tls(link, &err);
				return false;
		}
	}
}

static bool take(rl_link *link, const char *data, size_t len)
{
	if (link->tls == NULL) {
		return (link->received > 0 || hear_first(link, data, len)) && parse(link, data, len);
	}
	bool was_connected = link->state == RL_LINK_CONNECTED;
	bool is_well = take_sealed(link, data, len);
	if (was_connected && is_well && rl_tls_output(link->tls).len > 0) {
		link_flush(link); /* such as the answer to a new key */
	}
	return is_well;
}

typedef enum rl_link_read {
	RL_LINK_READ_MORE, /* more may be there */
	RL_LINK_READ_SOME, /* no more for now */
	RL_LINK_READ_NOTHING,
	RL_LINK_READ_INTERRUPTED, /* by a signal */
	RL_LINK_READ_BROKEN,      /* the link is broken, or garbled */
} rl_link_read;

static rl_link_read read_once(rl_link *link, bool may_block)
{
	char chunk[CHUNK];
	ssize_t got = rl_socket_receive(link->fd, chunk, sizeof chunk, may_block);
	if (got > 0) {
		if (!take(link, chunk, (size_t) got)) {
			return RL_LINK_READ_BROKEN;
		}
		return got == sizeof chunk ? RL_LINK_READ_MORE : RL_LINK_READ_SOME;
	}
	if (got == 0) {
		break_link(link, 0);
		return RL_LINK_READ_BROKEN;
	}
	if (errno == EINTR) {
		return RL_LINK_READ_INTERRUPTED;
	}
	if (errno == EAGAIN || errno == EWOULDBLOCK) {
		return RL_LINK_READ_NOTHING;
	}
	break_link(link, errno);
	return RL_LINK_READ_BROKEN;
}

static void read_all(rl_link *link)
{
	while (read_once(link, false) == RL_LINK_READ_MORE) {
	}
}

/* ---- writing ---- */

/* Seals the next commands when no record is under way. False = the link is broken. */
static bool seal(rl_link *link)
{
	if (!rl_tls_is_open(link->tls) || link->sealed > 0 || rl_buffer_is_empty(&link->out)) {
		return true;
	}
	rl_bytes commands = rl_buffer_bytes(&link->out);
	link->sealed = rl_tls_seal(link->tls, commands.data, commands.len);
	if (link->sealed == 0) {
		break_link(link, ENOMEM);
		return false;
	}
	rl_buffer_take(&link->out, link->sealed);
	return true;
}

/* The bytes for the kernel. */
static rl_bytes next_bytes(rl_link *link)
{
	if (link->tls == NULL) {
		return rl_buffer_bytes(&link->out);
	}
	return seal(link) ? rl_tls_output(link->tls) : (rl_bytes){NULL, 0};
}

static void note_taken(rl_link *link, size_t taken)
{
	if (link->tls == NULL) {
		rl_buffer_take(&link->out, taken);
		link->sent += taken;
		return;
	}
	rl_tls_sent(link->tls, taken);
	if (rl_tls_output(link->tls).len == 0) {
		link->sent += link->sealed;
		link->sealed = 0;
	}
}

static bool may_write(const rl_link *link)
{
	return link->state == RL_LINK_CONNECTED || link->state == RL_LINK_SECURING ||
		link->state == RL_LINK_GARBLED;
}

static void write_all(rl_link *link)
{
	while (may_write(link)) {
		rl_bytes bytes = next_bytes(link);
		if (bytes.len == 0) {
			return;
		}
		ssize_t taken = rl_socket_send(link->fd, bytes.data, bytes.len);
		if (taken == 0) {
			return;
		}
		if (taken < 0) {
			int code = errno;
			read_all(link); /* the server may have sent the reason */
			if (may_write(link)) {
				break_link(link, code);
			}
			return;
		}
		note_taken(link, (size_t) taken);
	}
}

/* Sends what the kernel takes, as far as the link is connected. */
static void link_flush(rl_link *link)
{
	write_all(link);
	if (link->memory != NULL) {
		rl_memory_serve(link->memory);
	}
}

/* ---- the handshake of TLS ---- */

static void begin_securing(rl_link *link)
{
	link->tls = rl_tls_new(link->address, &link->net->tls_sessions, &link->err);
	link->state = link->tls != NULL ? RL_LINK_SECURING : RL_LINK_BROKEN;
	link_flush(link);
}

/* The last bytes of the handshake stay in the output: they leave with the first command, in one
 * system call. */
static void on_secured(rl_link *link)
{
	link->state = RL_LINK_CONNECTED;
	note_spoken(link);
	rl_stats *stats = rl_process_stats();
	rl_stats_add(&stats->tls_handshakes, 1);
	rl_stats_add(&stats->tls_resumed, rl_tls_is_resumed(link->tls));
}

/* RL_LINK_SECURING: goes on after poll. */
static void continue_securing(rl_link *link)
{
	link_flush(link);
	if (link->state == RL_LINK_SECURING) {
		read_all(link);
	}
	if (link->state == RL_LINK_SECURING && rl_tls_is_open(link->tls)) {
		on_secured(link);
	}
	if (link->state == RL_LINK_SECURING) {
		link_flush(link); /* the next message of the handshake */
	}
}

/* ---- connecting ---- */

static void connect_next(rl_link *link, int64_t now);

static void on_connected(rl_link *link)
{
	link->state = RL_LINK_CONNECTED;
	link->wake_at = RL_NEVER;
	if (link->address->tls != NULL) {
		begin_securing(link);
	}
}

static void on_connecting(rl_link *link, rl_connecting state, int64_t now)
{
	switch (state) {
		case RL_CONNECTING_DONE:
			on_connected(link);
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

/* Begins to connect to the next address. */
static rl_connecting connect_to(rl_link *link, const rl_sockaddr *to)
{
	if (link->address->kind != RL_NET_MEMORY) {
		return rl_socket_connect(to, &link->fd, &link->err);
	}
	link->memory = rl_memory_connect(link->address, &link->fd, &link->err);
	return link->memory != NULL ? RL_CONNECTING_DONE : RL_CONNECTING_FAILED;
}

/* Tries the next address. Without one the link is broken. */
static void connect_next(rl_link *link, int64_t now)
{
	close_fd(link);
	if (link->next_address == link->addresses.count) {
		link->state = RL_LINK_BROKEN; /* err belongs to the last address */
		rl_resolver_doubt(&link->net->resolver, link->address);
		return;
	}
	const rl_sockaddr *to = &link->addresses.list[link->next_address++];
	on_connecting(link, connect_to(link, to), now);
}

/* RL_LINK_CONNECTING: goes on after poll. */
static void continue_connecting(rl_link *link, short revents, int64_t now)
{
	if (revents != 0) {
		on_connecting(link, rl_socket_connected(link->fd, &link->err), now);
	} else if (now >= link->wake_at) {
		connect_next(link, now);
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
		.number = ++net->dialled,
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
	size_t len = rl_buffer_append_command(&link->out, argc, argv);
	link->appended += len;
	return len > 0 ? link->appended : 0;
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
	if (rl_tls_has_heard(link->tls) || has_spoken(link)) {
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
	read_all(link);
	return link->state == RL_LINK_CONNECTED && (has_pending || link->received == before);
}

static void link_take_in(rl_link *link)
{
	if (link->state == RL_LINK_CONNECTING) {
		struct pollfd fd = {.fd = link->fd, .events = POLLOUT};
		int ready = link->fd >= 0 ? rl_os_poll(&fd, 1, 0, NULL, NULL) : 0;
		continue_connecting(link, ready > 0 ? fd.revents : 0, rl_os_now());
	}
	if (link->state == RL_LINK_SECURING) {
		continue_securing(link);
	}
	if (link->state == RL_LINK_CONNECTED) {
		read_all(link);
	}
}

static void link_end(rl_link *link)
{
	if (link->tls != NULL) {
		/* Bytes that are not sealed yet cannot follow close_notify, which must come before the
		 * half-close: otherwise the server would see a broken connection. */
		rl_buffer_drop(&link->out, rl_buffer_bytes(&link->out).len);
		rl_tls_end(link->tls);
		link_flush(link);
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
	bool is_silent = link->state == RL_LINK_CONNECTING && rl_os_now() >= link->until;
	if (is_silent) {
		rl_resolver_doubt(&link->net->resolver, link->address);
	}
	delist(link);
	close_fd(link);
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
						.flush = link_flush,
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

uint64_t rl_link_number(const rl_link *link)
{
	return link->number;
}

bool rl_net_has(const rl_net *net, const rl_link *link, uint64_t number)
{
	const rl_link *open = net->links;
	while (open != NULL && open != link) {
		open = open->next;
	}
	return open != NULL && open->number == number;
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
			continue_connecting(link, revents, now);
			break;
		case RL_LINK_SECURING:
			if (revents != 0) {
				continue_securing(link);
			}
			break;
		case RL_LINK_CONNECTED:
			if (link->memory != NULL) {
				rl_memory_serve(link->memory); /* a BLPOP may end */
				read_all(link);
			} else if ((revents & ~POLLOUT) != 0) {
				read_all(link);
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
	switch (read_once(link, true)) {
		case RL_LINK_READ_MORE:
			read_all(link);
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
