/* SPDX-License-Identifier: MIT
 *
 * The seam, part two: the network as core sees it. It carries commands and replies, not bytes, and
 * none of its functions blocks. ext/transport implements it with sockets; the unit tests have a
 * fake.
 *
 * A link is one connection: dial() makes it, and close() ends it. Replies arrive in the order of
 * the commands. When a link breaks, receive() first returns the replies that had arrived, and from
 * then on RL_LINK_DOWN. A link belongs to one thread.
 */
#ifndef RL_TRANSPORT_H
#define RL_TRANSPORT_H

#include "core/base/rl_status.h"

typedef struct rl_link rl_link;       /* private to the transport */
typedef struct rl_address rl_address; /* core/wire/rl_target.h */

typedef enum rl_reply_type {
	RL_REPLY_NIL,
	RL_REPLY_STATUS,
	RL_REPLY_ERROR,
	RL_REPLY_STRING,
	RL_REPLY_INTEGER,
	RL_REPLY_ARRAY,
	/* Made by a connection, not by a server: the command was carried out, but too few replicas have
	 * confirmed it; text says why. integer: the number of the server's reply, or the first number
	 * of an array. count: 1 = the server has refused WAIT, and text is its error. */
	RL_REPLY_UNCONFIRMED,
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
	/* Begins to connect. Commands may be appended at once.
	 * @param until core gives the attempt up at this time, which several addresses share
	 * @return NULL with err when connecting cannot begin */
	rl_link *(*dial)(rl_transport *self, const rl_address *address, int64_t until, rl_error *err);

	/* Notes that the server at the address is a replica, so that its name may lead to another
	 * server by now, or that the name was never resolved.
	 * @return true = the name will be resolved again as soon as the driver sees
	 * rl_wait.wants_names; false = resolving would bring nothing new: the address is no name, or
	 * was resolved a moment ago */
	bool (*distrust)(rl_transport *self, const rl_address *address);

	/* Appends a copy of a command. A server skips a command without arguments.
	 * @return the position of its last byte in all that was appended so far; 0 when out of
	 * memory */
	uint64_t (*append)(rl_link *link, unsigned argc, const rl_bytes *argv);

	/* Writes as much as the kernel accepts now. receive() reports errors. */
	void (*flush)(rl_link *link);

	/* How many bytes the kernel has accepted. A command whose last byte lies beyond this cannot
	 * have run. */
	uint64_t (*sent)(const rl_link *link);

	/* Takes back all that was appended after the position. False when the kernel has accepted some
	 * of it already; then nothing is taken back. */
	bool (*retract)(rl_link *link, uint64_t position);

	bool (*is_connected)(const rl_link *link);

	/* What may keep a link from being connected, for the message about it: the end of a sentence,
	 * or "". */
	const char *(*hint)(const rl_link *link);

	/* The next reply that was read. *reply is valid until the next reply is read on this link, or
	 * the link is closed.
	 * @param[out] err filled with RL_LINK_DOWN. RL_ERR_PROTOCOL: bytes arrived that are no Redis
	 * reply; commands can still be sent. RL_ERR_TLS: the other side speaks TLS, and has understood
	 * no command */
	rl_link_event (*receive)(rl_link *link, rl_reply *reply, rl_error *err);

	/* Checks a link that was idle. False when the other side has closed it or, unless replies
	 * are pending, when something unexpected has arrived. Pending replies that have arrived are
	 * read. */
	bool (*is_alive)(rl_link *link, bool has_pending);

	/* Reads what has arrived, for receive(), without waiting. Continues to connect if need be. */
	void (*take_in)(rl_link *link);

	/* Tells the other side that nothing more will be sent. The link stays open until is_over()
	 * returns true. */
	void (*end)(rl_link *link);

	/* After end(): true when the other side has read everything and closed the link, or the link is
	 * broken. Drops the answers that have arrived. */
	bool (*is_over)(rl_link *link);

	/* Closes the link at once. Never blocks, and sends nothing more. */
	void (*close)(rl_link *link);
};

/* The two times that a step gets. */
typedef struct rl_tick {
	int64_t now; /* the clock, just read; what the step does happens later (rl_env.h) */
	/* Everything that had arrived by this time has been read. Timeouts are judged by it. */
	int64_t seen;
} rl_tick;

#define RL_MEMBERS_MAX 15
/* The Sentinels of one member. */
#define RL_SENTINELS_MAX 7
/* How many calls of a batch are under way at once (rl_batch.h), on a cluster to as many nodes. */
#define RL_BATCH_WINDOW 64
/* The links to the Sentinels of each member, and one link to each member, with that in the wait
 * queue, or the links to the nodes that release leases. */
#define RL_WAIT_LINKS (RL_MEMBERS_MAX * RL_SENTINELS_MAX + RL_BATCH_WINDOW)

/* What an operation waits for: any of the links, or a time. Each part of it adds its own. */
typedef struct rl_wait {
	rl_link *links[RL_WAIT_LINKS];
	unsigned count;
	int64_t until;
	/* The driver should resolve distrusted names before the next step. */
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

/* Each link is listed once. */
static inline void rl_wait_for(rl_wait *wait, rl_link *link, int64_t until)
{
	unsigned i = 0;
	while (i < wait->count && wait->links[i] != link) {
		i++;
	}
	wait->links[i] = link;
	wait->count += i == wait->count;
	rl_wait_until(wait, until);
}

#endif
