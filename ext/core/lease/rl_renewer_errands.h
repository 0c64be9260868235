/* SPDX-License-Identifier: MIT
 *
 * The errands of the renewer: the servers that its leases use, and the commands that are under way
 * to them. The design is in rl_renewer_errands.c.
 *
 * Threads: everything here is called under the renewer's lock, by rl_renewer.c, rl_late.c and
 * rl_late_grant.c alone. Connections are closed by the functions that take a tick, and by _free(),
 * which only rl_renewer_step() and rl_renewer_forget() call, so that the thread that waits for the
 * links need not hold the lock.
 */
#ifndef RL_RENEWER_ERRANDS_H
#define RL_RENEWER_ERRANDS_H

#include "core/conn/rl_errand.h"
#include "core/lease/rl_renewal.h"

/* The renewer's copy of the set of some leases, because a set belongs to one thread. */
typedef struct rl_renewer_set rl_renewer_set;
struct rl_renewer_set {
	rl_renewer_set *next;
	rl_set set;
	/* The members of leases that use the set. */
	size_t members;
	/* For each member: the end of the latest lookup that its errands have looked at. */
	int64_t looked_at[RL_MEMBERS_MAX];
};

/* A command under way. */
typedef struct rl_renewer_errand rl_renewer_errand;
struct rl_renewer_errand {
	rl_errand errand;
	rl_errand_terms terms;
	rl_error err;
	rl_renewal_member *member; /* borrowed */
	/* Its place in the list of all. */
	rl_renewer_errand *next;
	rl_renewer_errand **link;
};

/* Must not be moved. */
typedef struct rl_renewer_errands {
	rl_transport *transport; /* borrowed */
	const rl_env *env;       /* borrowed */
	/* Idle connections, and servers that are backed off. */
	rl_pool pool;
	/* The connections with commands under way. */
	rl_lines lines;
	/* Owned; the one that a lease has asked for last comes first. */
	rl_renewer_set *sets;
	/* The members that have something to send. They are borrowed. */
	rl_renewal_member *waiting;
	rl_renewal_member **waiting_end;
	/* Owned: the commands that are under way. */
	rl_renewer_errand *under_way;
	/* Borrowed: the next of them that must look at a lookup which has ended; NULL = none. */
	rl_renewer_errand *called;
} rl_renewer_errands;

void rl_renewer_errands_init(
	rl_renewer_errands *errands, rl_transport *transport, const rl_env *env);

/* ---- the members of a lease ---- */

/* Gives each member of the record its server. False when out of memory; then no member has any. */
bool rl_renewer_errands_assign(rl_renewer_errands *errands, rl_renewal *renewal, const rl_set *set);

/* The lease was granted: the renewer's routes learn what the set's routes know about its slot. */
void rl_renewer_errands_learn(rl_renewal *renewal, const rl_set *set);

/* The member gives up its server, and sends nothing more. */
void rl_renewer_errands_unassign(rl_renewal_member *member);

/* The server of the member has just answered on another connection: earlier failures no longer
 * count. */
void rl_renewer_errands_trust(rl_renewal_member *member);

/* ---- what a member sends ---- */

/* The member has something to send: member->wanted. It must be idle. */
void rl_renewer_errands_queue(rl_renewal_member *member);

/* The member wants nothing any more. If its command was sent, the reply is discarded, and a SET is
 * in doubt from now on. */
void rl_renewer_errands_leave(rl_renewal_member *member);

/* The member sends nothing more: if its command is on its way, the answer still counts, else the
 * member is idle. */
void rl_renewer_errands_withdraw(rl_renewal_member *member);

/* Writes a release after everything that was sent to the member.
 * @return false = there is no connection on which it could follow */
bool rl_renewer_errands_release_behind(rl_renewal_member *member);

/* ---- a step ---- */

/* A member whose errand has gone on by what has arrived, also from the Sentinels: if the member is
 * idle now, the errand has ended, and its outcome is in member->told. NULL = no errand can go on.
 * Call it until it returns NULL. In between the caller may change any member. */
rl_renewal_member *rl_renewer_errands_read(rl_renewer_errands *errands, const rl_tick *tick);

/* The same for an errand whose step_at has come, and which goes on by the time. */
void rl_renewer_errands_step(rl_renewal_member *member, const rl_tick *tick);

/* The same for the members that wait: begins the errand of the first. NULL = no member waits. */
rl_renewal_member *rl_renewer_errands_send(rl_renewer_errands *errands, const rl_tick *tick);

/* Writes what was queued, and gives up connections and sets that are not used.
 * @return when the next step is due; RL_NEVER = when something arrives, or for a member */
int64_t rl_renewer_errands_flush(rl_renewer_errands *errands, int64_t now);

/* ---- the links ---- */

/* A place among the links. All zero = before the first. */
typedef struct rl_renewer_cursor {
	const rl_line *line;
	bool is_past_lines;
	const rl_renewer_set *set;
	unsigned member; /* of the set */
	unsigned at;     /* of the links of the member's lookup */
} rl_renewer_cursor;

/* The next of the links for which the renewer waits; NULL = there are no more. */
rl_link *rl_renewer_errands_next_link(const rl_renewer_errands *errands, rl_renewer_cursor *cursor);

/* ---- the end ---- */

/* Closes all connections, and sends nothing. No member may use a server any more. */
void rl_renewer_errands_free(rl_renewer_errands *errands);

#endif
