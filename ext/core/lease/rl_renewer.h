/* SPDX-License-Identifier: MIT
 *
 * The watch: keeps leases alive, and notices which are lost. Core's half of the watchdog, what is due and when;
 * the thread that steps it is transport/rl_watchdog.c.
 *
 * DESIGN
 *
 * A lease is due when a third of what is proven has passed. All that is due at once, and what soon would be, goes
 * out in one write to each server, on a connection of the watch's own (rl_renewer_server.h). A renewal is a round:
 * RENEW to each member, a quorum of yes proves the lease from the moment it was sent, a quorum out of reach by
 * refusals loses it. Trouble loses nothing: a connection that breaks or does not answer within a quarter of the
 * proof that is left is replaced, and the renewal said again; a member that answers with an error is asked again
 * after a pause, the others are not; until the proof is over. Then the lease is lost by the clock, and a member that
 * may have prolonged it meanwhile is told to release it.
 *
 * A member that says in a round which a quorum has granted that the lock is not there has lost it: it was restarted
 * empty, or had not granted it in the first place. There the lease's own token is put back, by SET NX PX, so that the lock
 * is again on as many members as can be; also in a round that is not decided, after a pause: the proof still excludes
 * everybody else, and the member may be the one that makes a quorum. What is put back may come behind the release that the lease's own thread
 * sends on a connection of its own: then another release is written behind it here.
 *
 * RENEW never shortens, so it may be said twice, and its order beside an extend() of the lease's own thread does
 * not matter (see rl_lease.h for what the proof makes of such a pair).
 *
 * A lost lease is released on each member that may keep it for longer than was proven. That goes on until the member
 * has confirmed it, or the TTL is over: a member that answers with an error is asked again after a pause, which doubles
 * up to a second. A release that failed in its owner's hands (rl_late.h) is handed over and goes the same way, as
 * a record that is lost from its first moment.
 *
 * Who owns what: a rl_renewal belongs to whoever keeps the lease, which it borrows. A late release and its lease belong
 * to the watch. Servers, with their connections and copies of their targets, belong to the watch, which keeps them for
 * the leases to come.
 *
 * Threads: everything here is called under one lock, that of the watchdog. Connections are closed by
 * rl_renewer_step() and rl_renewer_forget() alone, so that who waits for their links need not hold the lock.
 */
#ifndef RL_RENEWER_H
#define RL_RENEWER_H

#include "core/lease/rl_lease.h"
#include "core/wire/rl_set.h"

typedef struct rl_renewer rl_renewer;
typedef struct rl_renewal rl_renewal;
struct rl_renewer_server; /* rl_renewer_server.h */

typedef enum rl_renewal_state {
	RL_RENEWAL_IDLE,
	RL_RENEWAL_WAITING, /* has something to send; in the server's list */
	RL_RENEWAL_FLYING,  /* sent, not answered; in the server's ring */
} rl_renewal_state;

/* One member's part in a watched lease. */
typedef struct rl_renewal_member {
	rl_renewal *renewal;
	struct rl_renewer_server *server;
	struct rl_renewal_member *next; /* WAITING */
	struct rl_renewal_member **link;
	uint64_t flight; /* FLYING: its number on the server */
	rl_renewal_state state;
	rl_vote vote;      /* in this round */
	bool is_text;      /* FLYING: as EVAL */
	bool is_alone;     /* the release goes without the helper keys */
	bool is_missing;   /* the member does not have it: what goes next puts it back */
	bool is_putting;   /* FLYING: that does */
	bool was_put;      /* that was tried in this round */
	bool must_release; /* it was on its way when the lease was released */
	bool may_outlive;  /* the server may keep the lock for longer than is proven */
	/* A SET of this token may still be carried out: a connection broke under it. Then "not ours" proves nothing. */
	bool has_lost_set;
	/* Late: the other token may have taken the place of the lease's there. */
	bool may_be_other;
	unsigned pauses; /* lost: releases that the member has answered with an error */
	/* REFUSED: the key is somebody else's. */
	bool is_taken_over;
	int64_t asked_ttl;
	int64_t sent_at;
	int64_t answer_by;    /* FLYING: then the connection is given up */
	int64_t ask_again_at; /* IDLE, after an error */
	int64_t timeout_ns;
	int64_t connect_timeout_ns;
} rl_renewal_member;

/* A lease under watch. Its owner fills in the first part. */
struct rl_renewal {
	rl_lease *lease;    /* borrowed; outlives this */
	bool renews;        /* false = only its loss is watched for */
	bool wakes;         /* as in rl_set */
	int64_t hold_until; /* no renewal sets an expiry beyond this; RL_NEVER = no such end */
	/* NULL, or called when the lease is lost, under the lock, by the watchdog's thread.
	 * @return so many nanoseconds later it wants to be called again; 0 = no more */
	int64_t (*on_lost)(void *ctx);
	void *ctx;
	/* The watch's own. */
	rl_renewer *renewer; /* NULL = is not watched */
	rl_renewal *next;
	rl_renewal **link;
	size_t heap_at; /* place in the heap, from 1; 0 = not in it */
	int64_t due_at;
	int64_t renew_at;
	int64_t give_up_at; /* lost: nothing is released after this */
	int64_t tell_at;    /* lost: on_lost is called again */
	bool is_in_round;
	bool is_lost;
	bool is_late; /* a late release: the watch owns this, and the lease */
	rl_bytes
		back; /* of a late release: this token takes the place of the lease's; no data = the key is freed */
	rl_bytes other; /* of a late release: see there */
	bool is_ending; /* released because the process ends */
	bool is_paused;
	unsigned count;
	rl_renewal_member members[];
};

struct rl_renewer {
	rl_transport *transport; /* borrowed, as is the next */
	const rl_env *env;
	rl_renewal *all;  /* prepared or watched */
	size_t all_count; /* with the next ones */
	rl_renewal *late; /* late releases, the oldest first */
	rl_renewal **late_end;
	size_t late_count;
	rl_renewal **heap; /* those that something is due for, the earliest first */
	size_t heap_count;
	size_t heap_room;
	struct rl_renewer_server *servers; /* owned; latest used first */
	int64_t until;                     /* when the next step is due */
};

void rl_renewer_init(rl_renewer *renewer, rl_transport *transport, const rl_env *env);

/* @return NULL when out of memory */
rl_renewal *rl_renewal_new(const rl_set *set, rl_lease *lease);

/* Takes it off the watch and frees it. */
void rl_renewal_free(rl_renewal *renewal);

/* Sees to all that can fail, before the lock is asked for. False when out of memory. */
bool rl_renewer_prepare(rl_renewer *renewer, rl_renewal *renewal, const rl_set *set);

/* The lease is held: from now on it is watched. It must have been prepared. */
void rl_renewal_begin(rl_renewal *renewal);

/* Somebody else has changed the lease, or renews. */
void rl_renewal_changed(rl_renewal *renewal);

/* The lease is about to be released or given away: no renewal is sent from now on, and the lease is its owner's
 * alone again. */
void rl_renewal_pause(rl_renewal *renewal);

/* Ends the watching. If the lease may still be at a server, a release is written behind a renewal that is not
 * answered yet: it could prolong what its owner could not release; and behind what was put back, unless the lease was
 * given away. */
void rl_renewal_end(rl_renewal *renewal);

/* Does what is due, as far as it can without waiting; watch->until says when to come again. */
void rl_renewer_step(rl_renewer *renewer, const rl_tick *tick);

/* The next server's link to be waited for; NULL = that was the last. @param server NULL = the first */
rl_link *rl_renewer_next_link(const rl_renewer *renewer, struct rl_renewer_server **server);

/* Closes the connections without a word, and lets go of all leases: for a forked child, and for the end. */
void rl_renewer_forget(rl_renewer *renewer);

#endif
