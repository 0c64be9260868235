/* SPDX-License-Identifier: MIT
 *
 * The network: links between clients and servers, and the transport that core sees.
 *
 * DESIGN
 *
 * A link is a TCP connection: both its ends and the packets on the way. Commands and replies are
 * numbered from 0 in each direction, and numbers say how far they have come. So packets of one
 * direction stay in their order, whatever the delay of each packet. Other links have their own
 * delays, so between links all orders occur.
 *
 * A link may meet a reset, where some packets on the way are lost and both ends learn of it; a
 * silent drop, where it carries nothing any more and neither end learns of it; a cut of the way
 * between two machines, where packets are held until the cut is over, which also delays a dial; and
 * the acts of its ends. When a client closes, packets on the way arrive, or a part of them: packets
 * after an answer that met a closed end may be dropped unread.
 *
 * The server's end is in server.c.
 */
#ifndef NETWORK_H
#define NETWORK_H

#include "core/wire/rl_transport.h"
#include "words.h"
#include "world.h"

/* The first size of the rings for commands that have not run, and for replies that are not read. */
#define NET_QUEUE 32
#define NET_QUEUE_MAX 4096
#define NET_LINKS 1024
#define NET_PORT 6379 /* the port of a server, or of the first server of a world with clusters */

struct rl_link {
	uint32_t life; /* changes when the link is used again */
	uint32_t index;
	uint32_t next_free;
	uint8_t client;
	uint8_t server;
	bool is_watch;
	uint32_t reign; /* the server that the link leads to, by the number of role switches so far */
	/* the client's end */
	bool is_open;
	bool is_connected;
	bool is_ended; /* the client has ended the link: it sends nothing more */
	bool is_down;  /* the client has been told */
	bool is_refused;
	int down_errno;
	uint32_t awaited; /* the step of its actor that waits for it */
	/* the server's end */
	bool is_served;
	bool is_eof; /* the client's end has arrived, and waits to be seen */
	bool is_blocked;
	bool is_resuming; /* the link was unblocked, and goes on in a moment */
	bool is_stalled;  /* the link is in its server's list of stalled links */
	bool is_asking;   /* the next command follows ASKING */
	uint8_t asked;    /* a bit for each key about which a command after ASKING has run */
	uint32_t blocked_number;
	uint8_t blocked_key;
	int64_t blocked_at;
	/* the way */
	bool is_mute_up; /* nothing reaches the sim_server */
	bool is_mute_down;
	bool has_dropped;   /* the client closed it with commands on the way */
	bool writes_asking; /* the client has written ASKING, and nothing after it */
	uint64_t appended;  /* bytes */
	uint64_t sent;      /* bytes that the system has taken */
	uint64_t sealed;    /* plan.has_records: the end of the record that is under way */
	/* Up to here the server can read: the end of the last record, or of the bytes. */
	uint64_t whole;
	uint64_t acked;
	uint64_t wrote;   /* plan.replicas: the number of the server's last write by this link */
	uint32_t written; /* commands appended */
	uint32_t taken;   /* commands that the system has taken whole */
	uint32_t limit_up;
	uint32_t delivered;
	uint32_t run;
	uint32_t said; /* replies */
	uint32_t limit_down;
	uint32_t arrived;
	uint32_t received;
	rl_reply elements[5]; /* INSPECT has as many */
	char redirect[32];    /* the text of a redirect */
	/* Owned, and kept for the link's next life. Both are rings of so many entries, a power of
	 * two. */
	uint32_t queue_size;
	rl_model_command *commands;
	rl_model_reply *replies;
};

/* The transport of one thread of a client. */
typedef struct net {
	rl_transport transport; /* must be the first field */
	uint8_t client;
	bool is_watch;
} net;

void net_begin(void);
void net_init(net *n, unsigned client, bool is_watch);

/* NULL = the link has ended, or has another life. */
rl_link *net_link(uint32_t index, uint32_t life);
/* The link with this index among all that were used; NULL = there are no more. */
rl_link *net_link_at(unsigned i);
rl_link *net_any_link(void); /* any open link; NULL = there is none */

/* The delay of one way now. */
int64_t net_delay(void);

/* The ways between a client and a server are cut until then, but not for longer than this.
 * Otherwise the arrival of packets on the way would have no limit. */
#define NET_CUT_MOST (4 * SECOND)
void net_cut(unsigned client, unsigned server, bool is_up, bool is_down, int64_t until);
bool net_is_cut(unsigned client, unsigned server);

/* When the latest trouble of a client's links with a server was over. */
int64_t net_calm_at(unsigned client, unsigned server);
void net_note_trouble(const rl_link *link);

/* Until then each packet takes so much longer. */
void net_slow_down(int64_t by, int64_t until);

void net_reset(rl_link *link);
void net_silence(rl_link *link);

/* The process is gone: its machine closes its links. */
void net_close_all_of(unsigned client);

/* ---- the server's end, for server.c ---- */

/* The next command to be run, and the place for its reply. */
const rl_model_command *net_next_command(rl_link *link);
rl_model_reply *net_next_reply(rl_link *link);

/* Sends the reply. */
void net_say(rl_link *link);

/* The server closes the link.
 * @param sys_errno 0 = a clean end */
void net_hang_up(rl_link *link, int sys_errno, int64_t delay);

/* ---- events ---- */

void net_on_event(const event *e);

#endif
