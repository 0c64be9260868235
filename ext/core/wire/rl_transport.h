/* SPDX-License-Identifier: MIT
 *
 * The seam, part two: the network as core sees it. It carries commands and replies, not bytes, and
 * no call in it blocks. Real sockets are in ext/transport; the unit tests have a fake.
 *
 * A link is one connection. It is made by dial() and ends with close(). Replies come in the order
 * of the commands. When a link breaks, receive() first gives the replies that had arrived, then
 * RL_LINK_DOWN for ever. A link belongs to one thread.
 */
#ifndef RL_TRANSPORT_H
#define RL_TRANSPORT_H

#include "core/base/rl_status.h"

typedef struct rl_link rl_link;       /* the transport's own */
typedef struct rl_address rl_address; /* core/wire/rl_target.h */

typedef enum rl_reply_type {
	RL_REPLY_NIL,
	RL_REPLY_STATUS,
	RL_REPLY_ERROR,
	RL_REPLY_STRING,
	RL_REPLY_INTEGER,
	RL_REPLY_ARRAY,
} rl_reply_type;

typedef struct rl_reply rl_reply;
struct rl_reply {
	rl_reply_type type;
	int64_t integer;
	rl_bytes text;            /* STATUS, ERROR, STRING */
	const rl_reply *elements; /* ARRAY */
	size_t count;
};

typedef enum rl_link_event {
	RL_LINK_NONE,  /* nothing complete has arrived */
	RL_LINK_REPLY, /* one reply */
	RL_LINK_DOWN,  /* the link is broken */
} rl_link_event;

typedef struct rl_transport rl_transport;
struct rl_transport {
	/* Begins to connect. NULL with err when that cannot even begin. Commands may be appended at
	 * once.
	 * @param until when core will give the attempt up; several addresses share the time until then
	 */
	rl_link *(*dial)(rl_transport *self, const rl_address *address, int64_t until, rl_error *err);

	/* Notes that a server at the address turned out to be the wrong one (a replica): its name may
	 * lead elsewhere. True = the name will be resolved again as soon as the driver sees
	 * rl_wait.wants_names. False = that would tell nothing new: there is no name, or its addresses
	 * are fresh. */
	bool (*distrust)(rl_transport *self, const rl_address *address);

	/* Puts a command behind the others. The bytes are copied. One of no arguments is skipped by the
	 * server.
	 * @return the position of its last byte in all that was appended so far; 0 when out of memory
	 */
	uint64_t (*append)(rl_link *link, unsigned argc, const rl_bytes *argv);

	/* Hands the system what it takes now. Trouble is told by receive(). */
	void (*flush)(rl_link *link);

	/* How many bytes the system has taken. A command whose last byte is beyond this never ran. */
	uint64_t (*sent)(const rl_link *link);

	/* Takes back all that was appended behind the position. False, and nothing is, when the system
	 * has taken some of it. */
	bool (*retract)(rl_link *link, uint64_t position);

	bool (*is_connected)(const rl_link *link);

	/* The next reply of what was read while waiting. *reply is valid until the next call on this
	 * link.
	 * @param[out] err filled with RL_LINK_DOWN. RL_ERR_PROTOCOL: nonsense came; commands can still
	 * be sent. RL_ERR_TLS: the other side speaks TLS, and has understood nothing of what it was
	 * sent */
	rl_link_event (*receive)(rl_link *link, rl_reply *reply, rl_error *err);

	/* A look at a link that was idle: false when the other side has closed it, or, unless it owes
	 * replies, when something unexpected has arrived. What is owed is taken in. */
	bool (*is_alive)(rl_link *link, bool has_pending);

	/* Reads what has arrived, without waiting, for receive(); connects on, if it is connecting. */
	void (*take_in)(rl_link *link);

	/* Says that nothing more will be sent. The link can still be waited for until it is_over(). */
	void (*end)(rl_link *link);

	/* After end(): whether the other side has taken all and closed. Drops what it answered. */
	bool (*is_over)(rl_link *link);

	/* Ends the link at once; never blocks, says nothing to the other side. */
	void (*close)(rl_link *link);
};

/* Times of one step. */
typedef struct rl_tick {
	int64_t now;  /* the clock, just read */
	int64_t seen; /* all that had arrived by then has been read: what timeouts are judged by */
} rl_tick;

#define RL_MEMBERS_MAX 15
#define RL_WAIT_LINKS (RL_MEMBERS_MAX + 1) /* one for each member, and one in a queue */

/* What an operation that is not done waits for: any of the links, or a time. Its parts add to it.
 */
typedef struct rl_wait {
	rl_link *links[RL_WAIT_LINKS];
	unsigned count;
	int64_t until;
	/* A distrusted name should be resolved before the next step. */
	bool wants_names;
} rl_wait;

static inline void rl_wait_begin(rl_wait *wait)
{
	wait->count = 0;
	wait->until = RL_NEVER;
	wait->wants_names = false;
}

static inline void rl_wait_until(rl_wait *wait, int64_t until)
{
	wait->until = until < wait->until ? until : wait->until;
}

static inline void rl_wait_for(rl_wait *wait, rl_link *link, int64_t until)
{
	wait->links[wait->count++] = link;
	rl_wait_until(wait, until);
}

#endif
