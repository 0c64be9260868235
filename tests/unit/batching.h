/* SPDX-License-Identifier: MIT
 *
 * What the tests of the release of many leases share: leases of the keys k1, k2 and so on, and the
 * operation that releases them within 200 ms. On a cluster the nodes of these keys, too.
 */
#ifndef BATCHING_H
#define BATCHING_H

#include "core/lock/rl_releases.h"
#include "calling.h"

#define BATCH_MAX 330
#define DRAWN "rl1.AAAAAAAAAAAAAAAAAAAAAAAA" /* T1 in the log */

extern rl_lease *leases[BATCH_MAX];
extern rl_op *batch_op;

/* Makes this many leases, won just now with this token, and a batch of all. A test calls it after
 * fake_begin(). */
void batch_make(size_t count, const char *token);

/* Makes another batch of the first leases. */
void batch_again(size_t count);

/* Abandons and frees all, and ends the fake. */
void batch_end(void);

/* A redirect for the key of the lease: "-MOVED 7629 b:6379". The text is valid until the test
 * ends. */
const char *redirect(const char *word, unsigned lease, const char *node);

/* Begins a cluster with idle connections to its seeds, and makes the batch. */
void batch_begin_warm(const char *seeds, size_t count, const char *token);

/* Tells the route the node of one lease, or the nodes of all leases in turn: "ab". */
void batch_know(unsigned lease, const char *node, unsigned port);
void batch_lead_to(const char *nodes, unsigned count);

/* How many members have not confirmed the release of this lease. */
unsigned batch_missing(unsigned lease);

#endif
