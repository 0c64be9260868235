/* SPDX-License-Identifier: MIT
 *
 * The rules about work that is to be done once. A run is a lease of a call with is_once. Its
 * release leaves a mark if the work has ended, and none if it has failed.
 *
 *     again    after a run whose mark a quorum has confirmed, no run begins before the mark is
 *              over, unless a server may have lost data
 *     done     a call is told that the work is done only if the release of a run was to leave a
 *              mark, and this mark may still be there
 *     cascade  where nothing breaks, all calls that wait in the queue when a run ends are told
 *              soon, although the server wakes one after another (one member)
 */
#ifndef DONE_H
#define DONE_H

#include "client.h"

void done_begin(void);

/* A release that is to leave a mark begins; it may be repeated until the TTL is over. */
void done_marking(unsigned key, int64_t done_ns, int64_t ttl_ns);

/* A quorum has confirmed it. It had begun at this time. */
void done_marked(unsigned key, int64_t done_ns, int64_t begun_at);

/* A call has won its run. */
void done_run_begins(const sim_client *c, unsigned key);

/* A call was told that the work is done. */
void done_told(const sim_client *c, unsigned key);

/* Some time after done_marked(), unless the number is old. */
void done_on_look(unsigned key, uint32_t number);

#endif
