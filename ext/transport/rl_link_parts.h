/* SPDX-License-Identifier: MIT
 *
 * What the files of a link share. Only rl_link*.c include this header. The design is in
 * rl_link_transport.c.
 */
#ifndef RL_LINK_PARTS_H
#define RL_LINK_PARTS_H

#include "transport/rl_buffer.h"
#include "transport/rl_hiredis.h"
#include "transport/rl_link.h"
#include "transport/rl_memory.h"
#include "transport/rl_socket.h"
#include "transport/rl_tls.h"

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

/* ---- rl_link_transport.c ---- */

void rl_link_close_fd(rl_link *link);

/* ---- rl_link_connect.c: from dial to CONNECTED ---- */

/* Tries the next address. Without one the link is broken. */
void rl_link_connect_next(rl_link *link, int64_t now);

/* RL_LINK_CONNECTING: goes on after poll. */
void rl_link_connect_on(rl_link *link, short revents, int64_t now);

/* RL_LINK_SECURING: goes on after poll. */
void rl_link_secure_on(rl_link *link);

/* ---- rl_link_bytes.c: reading and writing ---- */

/* True when a link to this address has received an answer before, in Redis or in TLS, as its DSN
 * says. Then a message does not ask whether the port is of the other kind. */
bool rl_link_has_spoken(const rl_link *link);
void rl_link_note_spoken(const rl_link *link);

typedef enum rl_link_read {
	RL_LINK_READ_MORE, /* more may be there */
	RL_LINK_READ_SOME, /* no more for now */
	RL_LINK_READ_NOTHING,
	RL_LINK_READ_INTERRUPTED, /* by a signal */
	RL_LINK_READ_BROKEN,      /* the link is broken, or garbled */
} rl_link_read;

rl_link_read rl_link_read_once(rl_link *link, bool may_block);
void rl_link_read_all(rl_link *link);

/* Sends what the kernel takes, as far as the link is connected. */
void rl_link_write(rl_link *link);

/* The link is broken.
 * @param code an errno; 0 = the server closed the connection */
void rl_link_break(rl_link *link, int code);

#endif
