/* SPDX-License-Identifier: MIT
 *
 * The network: links between clients and servers, and the transport that core sees.
 *
 * DESIGN
 *
 * A link is a TCP connection, both its ends and what is on the way. Commands and replies are
 * numbered from 0 in each direction, and what has come how far is a number: what follows comes
 * after what goes before, whatever each packet's delay. Other links have their own delays, so
 * between links all orders occur.
 *
 * What can happen to it: a reset, where some of what is on the way is lost and both ends are told;
 * a silent drop, where it carries nothing any more and nobody is told; a cut of the way between two
 * machines, where what is sent is held until the cut is over, which also delays a dial; and its
 * ends' own doings. When a client closes, what is on the way arrives, or a part of it: what came
 * behind an answer that found nobody may be dropped unread.
 *
 * The server's end is in server.c.
 */
#ifndef NETWORK_H
#define NETWORK_H

#include "core/wire/rl_transport.h"
#include "words.h"
#include "world.h"

#define NET_QUEUE \
 32 /* room for commands of a link that are not run, and replies that are not read, at first */
#define NET_QUEUE_MAX 4096
#define NET_LINKS 1024
#define NET_PORT 6379 /* of a server, and of the first server of a world with clusters */

struct rl_link {
	uint32_t life; /* raised when it is used anew */
	uint32_t index;
	uint32_t next_free;
	uint8_t client;
	uint8_t server;
	bool is_watch;
	uint32_t reign; /* the server that it leads to: of the role switches so far */
	/* the client's end */
	bool is_open;
	bool is_connected;
	bool is_ended; /* nothing more will be sent */
	bool is_down;  /* the client has been told */
	bool is_refused;
	int down_errno;
	uint32_t awaited; /* the step of its actor that waits for it */
	/* the server's end */
	bool is_served;
	bool is_eof; /* the client's end has arrived, and waits to be seen */
	bool is_blocked;
	bool is_resuming; /* was unblocked, and goes on in a moment */
	bool is_stalled;  /* in its server's list of those */
	bool is_asking;   /* the next command stands behind ASKING */
	uint8_t asked;    /* a bit for each key about which a command behind ASKING has run */
	uint32_t blocked_number;
	uint8_t blocked_key;
	int64_t blocked_at;
	/* on the way */
	bool is_mute_up; /* nothing reaches the sim_server */
	bool is_mute_down;
	bool has_dropped;   /* the client closed it with commands on the way */
	bool writes_asking; /* the client has written ASKING, and nothing after it */
	uint64_t appended;  /* bytes */
	uint64_t sent;      /* that the system has taken */
	uint64_t sealed;    /* plan.has_records: the end of the record that is under way */
	uint64_t whole;     /* the end of the last record, or the bytes, that the server can read */
	uint64_t acked;
	uint64_t wrote;   /* plan.replicas: which write of the server was the last one of this link */
	uint32_t written; /* commands appended */
	uint32_t taken;   /* by the system, whole */
	uint32_t limit_up;
	uint32_t delivered;
	uint32_t run;
	uint32_t said; /* replies */
	uint32_t limit_down;
	uint32_t arrived;
	uint32_t received;
	rl_reply elements[5];
	char redirect[32]; /* the text of one */
	/* Owned, and kept for the link's next life; both are rings of so many, a power of two. */
	uint32_t queue_size;
	rl_model_command *commands;
	rl_model_reply *replies;
};

/* The transport of one thread of a client. */
typedef struct net {
	rl_transport transport; /* first */
	uint8_t client;
	bool is_watch;
} net;

void net_begin(void);
void net_init(net *n, unsigned client, bool is_watch);

rl_link *net_link(uint32_t index, uint32_t life); /* NULL when that one is gone */
rl_link *net_link_at(unsigned i); /* of all that were used; NULL = that was the last */
rl_link *net_any_link(void);      /* an open one; NULL = there is none */

/* One way's delay now. */
int64_t net_delay(void);

/* The ways between a client and a server are cut until then, but not for longer than this, or
 * nobody could say when what is on the way has arrived. */
#define NET_CUT_MOST (4 * SECOND)
void net_cut(unsigned client, unsigned server, bool is_up, bool is_down, int64_t until);
bool net_is_cut(unsigned client, unsigned server);

/* When the latest trouble of a client's links with a server was over. */
int64_t net_calm_at(unsigned client, unsigned server);
void net_note_trouble(const rl_link *link);

/* Everything takes so much longer until then. */
void net_slow_down(int64_t by, int64_t until);

void net_reset(rl_link *link);
void net_silence(rl_link *link);

/* A process is gone: its machine closes what it had. */
void net_close_all_of(unsigned client);

/* ---- the server's end, for server.c ---- */

/* The next thing to be run, and room for its reply. */
const rl_model_command *net_next_command(rl_link *link);
rl_model_reply *net_next_reply(rl_link *link);

/* What was said goes out. */
void net_say(rl_link *link);

/* The server closes. @param sys_errno 0 = a clean end */
void net_hang_up(rl_link *link, int sys_errno, int64_t delay);

/* ---- events ---- */

void net_on_event(const event *e);

#endif
