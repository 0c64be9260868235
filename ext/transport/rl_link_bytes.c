/* SPDX-License-Identifier: MIT
 *
 * Reads and writes, plain or through TLS. With TLS at most one record of commands is sealed at a
 * time, and its bytes count as sent when the kernel has taken the whole record: a server cannot
 * read a part of it.
 */
#include "transport/rl_link_parts.h"

#include "transport/rl_os.h"

#include <errno.h>

#define CHUNK (16 * 1024)

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

bool rl_link_has_spoken(const rl_link *link)
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
void rl_link_note_spoken(const rl_link *link)
{
	rl_net *net = link->net;
	if (!rl_link_has_spoken(link)) {
		net->spoken[net->next_spoken++ % RL_NET_SPOKEN] = hash_of(link->address);
	}
}

/* ---- the end ---- */

/* What a message adds about the other kind of port, as long as the server has never answered. A
 * server of TLS may close a connection without a word when a plain command arrives. So may a Redis
 * server that ends after it has run the command, so the hint decides nothing. */
static const char *hint_of_port(const rl_link *link)
{
	if (link->address->kind != RL_NET_TCP || rl_link_has_spoken(link)) {
		return "";
	}
	if (link->tls == NULL) {
		return link->received == 0 ? " (if this port speaks TLS, use rediss:// in the DSN)" : "";
	}
	return link->state == RL_LINK_SECURING && !rl_tls_has_heard(link->tls)
		? " (is this a port with TLS?)"
		: "";
}

static void set_break_error(rl_link *link, int code)
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
}

void rl_link_break(rl_link *link, int code)
{
	set_break_error(link, code);
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
	rl_link_note_spoken(link);
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
				rl_link_break(link, 0);
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
		rl_link_write(link); /* such as the answer to a new key */
	}
	return is_well;
}

rl_link_read rl_link_read_once(rl_link *link, bool may_block)
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
		rl_link_break(link, 0);
		return RL_LINK_READ_BROKEN;
	}
	if (errno == EINTR) {
		return RL_LINK_READ_INTERRUPTED;
	}
	if (errno == EAGAIN || errno == EWOULDBLOCK) {
		return RL_LINK_READ_NOTHING;
	}
	rl_link_break(link, errno);
	return RL_LINK_READ_BROKEN;
}

void rl_link_read_all(rl_link *link)
{
	while (rl_link_read_once(link, false) == RL_LINK_READ_MORE) {
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
		rl_link_break(link, ENOMEM);
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
			rl_link_read_all(link); /* the server may have sent the reason */
			if (may_write(link)) {
				rl_link_break(link, code);
			}
			return;
		}
		note_taken(link, (size_t) taken);
	}
}

void rl_link_write(rl_link *link)
{
	write_all(link);
	if (link->memory != NULL) {
		rl_memory_serve(link->memory);
	}
}
