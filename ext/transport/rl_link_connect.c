/* SPDX-License-Identifier: MIT
 *
 * Connecting tries the addresses of the name one after the other. An address that does not answer
 * uses only its share of the time, so that time is left for the next one. The handshake of TLS
 * follows on the first connection that is made, and may use all the time that is left.
 */
#include "transport/rl_link_parts.h"

#include "transport/rl_process.h"

#define CONNECT_AGAIN_NS (5 * RL_NS_PER_MS)

/* ---- TLS ---- */

static void begin_securing(rl_link *link)
{
	link->tls = rl_tls_new(link->address, &link->net->tls_sessions, &link->err);
	link->state = link->tls != NULL ? RL_LINK_SECURING : RL_LINK_BROKEN;
	rl_link_write(link);
}

/* The last bytes of the handshake stay in the output: they leave with the first command, in one
 * system call. */
static void on_secured(rl_link *link)
{
	link->state = RL_LINK_CONNECTED;
	rl_link_note_spoken(link);
	rl_stats *stats = rl_process_stats();
	rl_stats_add(&stats->tls_handshakes, 1);
	rl_stats_add(&stats->tls_resumed, rl_tls_is_resumed(link->tls));
}

void rl_link_secure_on(rl_link *link)
{
	rl_link_write(link);
	if (link->state == RL_LINK_SECURING) {
		rl_link_read_all(link);
	}
	if (link->state == RL_LINK_SECURING && rl_tls_is_open(link->tls)) {
		on_secured(link);
	}
	if (link->state == RL_LINK_SECURING) {
		rl_link_write(link); /* the next message of the handshake */
	}
}

/* ---- addresses ---- */

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
			rl_link_connect_next(link, now);
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

void rl_link_connect_next(rl_link *link, int64_t now)
{
	rl_link_close_fd(link);
	if (link->next_address == link->addresses.count) {
		link->state = RL_LINK_BROKEN; /* err belongs to the last address */
		rl_resolver_doubt(&link->net->resolver, link->address);
		return;
	}
	const rl_sockaddr *to = &link->addresses.list[link->next_address++];
	on_connecting(link, connect_to(link, to), now);
}

void rl_link_connect_on(rl_link *link, short revents, int64_t now)
{
	if (revents != 0) {
		on_connecting(link, rl_socket_connected(link->fd, &link->err), now);
	} else if (now >= link->wake_at) {
		rl_link_connect_next(link, now);
	}
}
