/* SPDX-License-Identifier: MIT
 *
 * Members behind Sentinels whose vote counts for the judge although the node that a majority of the
 * Sentinels names does not have the token.
 *
 * A switch of the primary loses locks that the new primary does not have. And a client may count
 * the answer of a former primary, if it has asked the Sentinels less than RL_CHECK_NS before. Both
 * are excused until the proof ends, or grows: then the votes must be excused anew, or be given by
 * the named node. With several members a proof may grow by the answer of one of them long after the
 * others have given their votes. A claim with excuses is no breach of exclusion, even if another
 * client has the lock.
 */
#ifndef EXCUSES_H
#define EXCUSES_H

#include "judge.h"
#include "server.h"

void excuses_begin(void);

/* A node that calls itself the primary has set or prolonged the lock, or freed it. */
void excuses_note_write(sim_server *s, unsigned key);

/* The proof has grown by answers of nodes that are primaries, or were primaries a moment ago. */
void excuses_renew(judge_claim *claim);

/* How many votes of the claim count by an excuse alone. */
unsigned excuses_count(const judge_claim *claim);

/* A majority of the Sentinels names another primary of the member than this one now, or the named
 * one has got the data of another: EXCUSES_NOWHERE. */
#define EXCUSES_NOWHERE UINT8_MAX
void excuses_note_switch(unsigned member, unsigned old);

/* The server, which was a replica, is a primary. */
void excuses_note_promotion(unsigned member, unsigned server);

/* A renewed lease that a switch has lost should have been noticed as lost by now. */
void excuses_on_tardy(unsigned client, unsigned at, uint32_t token);

#endif
