/* SPDX-License-Identifier: MIT
 *
 * A server that closes without ever having sent a byte may be a TLS server: for such a server a
 * command is a malformed handshake. The kernel accepted that command, so the sender could not know
 * whether it ran. Therefore the link finds out before it reports its end: it connects once more,
 * sends only a ClientHello, and checks the first bytes of the answer. It does so only if no link
 * has received a byte from the address before, because a server that has spoken Redis once breaks
 * for other reasons, and for PROBE_NS at most.
 */
#include "transport/rl_link_parts.h"

#include "transport/rl_os.h"
#include "transport/rl_tls_hello.h"

#include <errno.h>

#define PROBE_NS (400 * RL_NS_PER_MS)

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

/* ---- the answer ---- */

static void set_tls_error(rl_error *err)
{
	rl_error_set(err, RL_ERR_TLS, 0,
		"the server answers in TLS, so it has run no command: does this port want TLS? Use "
		"rediss:// in the DSN");
}

static void end_probe(rl_link *link, bool is_tls)
{
	rl_link_close_fd(link);
	link->state = RL_LINK_BROKEN;
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
	link->state = RL_LINK_ASKING;
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

void rl_link_begin_probe(rl_link *link)
{
	const rl_sockaddr *to = &link->addresses.list[link->next_address - 1];
	if (link->address->kind != RL_NET_TCP || link->address->tls != NULL || link->received > 0 ||
		link->sent == 0 || rl_link_has_spoken(link)) {
		return;
	}
	rl_error unused;
	rl_link_close_fd(link);
	link->state = RL_LINK_PROBING;
	link->wake_at = rl_os_now() + PROBE_NS;
	on_probe_connecting(link, rl_socket_connect(to, &link->fd, &unused));
}

void rl_link_probe_on(rl_link *link, short revents, int64_t now)
{
	rl_error unused;
	if (revents == 0) {
		if (now >= link->wake_at) {
			end_probe(link, false);
		}
	} else if (link->state == RL_LINK_PROBING) {
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

bool rl_link_hear_first(rl_link *link, const char *data, size_t len)
{
	if (rl_tls_is_record(data, len)) {
		set_tls_error(&link->err);
		link->state = RL_LINK_BROKEN;
		return false;
	}
	rl_link_note_spoken(link);
	return true;
}
