/* SPDX-License-Identifier: MIT
 *
 * What the tests of errands share: one member that is a cluster or a primary behind Sentinels,
 * and the operations that ask that member.
 *
 * Behind Sentinels the primary is server a or b, and the Sentinels are c, d and e.
 */
#ifndef CALLING_H
#define CALLING_H

#include "fake_route.h"

#define SET "SET k T1 NX PX 30000\n"
#define UNDO "RELEASE k T1\n"

/* The route of the member. */
extern rl_route *route;

/* ---- the member ---- */

/* A cluster with these seeds, and an idle connection to each. */
void begin_cluster(const char *seeds);
void begin_warm_cluster(const char *seeds);

/* The Sentinels name a, and no lookup has asked them yet. */
void begin_cold(void);

/* The last lookup has named a, and is of this age. Connections to all servers are idle. */
void begin_named(int64_t age);

/* The same as begin_named(), without a connection to a. */
void begin_unconnected(int64_t age);

/* The last lookup is too old to count. The next lookup names a after 30 ms, or no Sentinel answers
 * it.
 * @param answer of a to the command; NULL = none */
void begin_confirmed(const char *answer);
void begin_unconfirmed(const char *answer);

/* The last lookup has named a, and is of this age. The next lookup names b after 20 ms.
 * @param of_a, of_b their answers to the command; NULL = none */
void begin_switched(int64_t age, const char *of_a, const char *of_b);

/* From now on the Sentinels name b, after the delay. */
void switch_to_b(int64_t delay);

/* ---- operations ---- */

/* An acquire without a wait, not driven yet, with a drawn token or with "mine". */
rl_op *acquire(void);
rl_op *acquire_own(void);

/* Drives the operation to this failure. */
rl_op *fails(rl_op *op, rl_status status);

/* Drives the operation for 5 ms, which is too short for it, and abandons it. */
void abandon_later(rl_op *op);

/* The same as abandon_later(), in a child of a fork. The log begins after the fork. */
void abandon_in_child(rl_op *op);

#endif
