/* SPDX-License-Identifier: MIT
 *
 * What the objects of core may look like between two steps. The simulator and the unit tests check
 * it after each step of an operation and of the renewer.
 *
 * There is one file for each object of core. The comment at the source of the object states the
 * same in words ("Between two steps"). A check reads an object, changes nothing, and reads no
 * clock. It is false when a sentence is not true. The first such sentence was reported by then, and
 * begins with the name of the object.
 */
#ifndef INVARIANTS_H
#define INVARIANTS_H

#include "core/lease/rl_renewer.h"
#include "core/lock/rl_acquire.h"
#include "core/lock/rl_batch.h"

/* Reports a sentence that is not true. The simulator and the unit tests each define it. */
void invariant_broken(const char *sentence);

static inline bool holds(bool is_true, const char *sentence)
{
	if (!is_true) {
		invariant_broken(sentence);
	}
	return is_true;
}

/* ---- conn ---- */

bool invariants_of_conn(const rl_conn *conn);

/* How many commands an operation waits for on the connection. */
unsigned commands_on(const rl_conn *conn);

bool invariants_of_channel(const rl_channel *channel);
bool invariants_of_lines(const rl_lines *lines);

/* The pool, and the lookups of its routes. */
bool invariants_of_pool(const rl_pool *pool);

bool invariants_of_lookup(const rl_lookup *lookup);

/* An errand that was stepped, and whose caller has not settled it. */
bool invariants_of_errand(const rl_errand *errand);

/* An errand that has not begun, or that its caller has settled. */
bool invariants_of_resting_errand(const rl_errand *errand);

/* ---- lock ---- */

/* A quorum call that was stepped, and that is not settled. */
bool invariants_of_call(const rl_quorum_call *call);

/* A quorum call that has not begun, or that is settled. */
bool invariants_of_resting_call(const rl_quorum_call *call);

bool invariants_of_queue(const rl_queue *queue, const rl_quorum_call *call);
bool invariants_of_acquire(const rl_acquire *acquire);
bool invariants_of_batch(const rl_batch *batch);

/* Any operation, after a step.
 * @param is_done what the step has returned */
bool invariants_of_op(const rl_op *op, bool is_done);

/* ---- lease ---- */

bool invariants_of_lease(const rl_lease *lease);
bool invariants_of_renewal(const rl_renewal *renewal, int64_t now);
bool invariants_of_renewer_errands(const rl_renewer *renewer);

/* The renewer with all its records, leases, servers and lookups, after a step, or after a call of
 * the owner of a lease.
 * @param now no earlier than that step or call */
bool invariants_of_renewer(const rl_renewer *renewer, int64_t now);

#endif
