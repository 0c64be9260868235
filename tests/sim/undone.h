/* SPDX-License-Identifier: MIT
 *
 * Undos on servers that do not count any more, and undos that the watch makes later.
 *
 *     old primary  a call that has won at a new primary, or has not won, leaves nothing at the
 *                  primary that it has left. The rule applies where all that is written arrives,
 * and to drawn tokens swapped back a take-over that has failed is swapped back while the process
 * lives: the fresh token does not stay for long on a member that could be asked since. The rule
 *                  applies where the answer to the swap was lost: after an answer the call itself
 *                  swaps back
 */
#ifndef UNDONE_H
#define UNDONE_H

#include "core/lock/rl_quorum_call.h"
#include "network.h"
#include "plan.h"
#include "server.h"

void undone_begin(void);

/* The call for a lock has ended.
 * @param has_won the named nodes have given their votes */
void undone_took(
	unsigned client, const rl_quorum_call *call, unsigned key, uint64_t token, bool has_won);

/* The token is used again by another call. */
void undone_used_again(uint64_t token);

/* A take-over has failed. */
void undone_not_taken_over(unsigned client, const rl_quorum_call *call, unsigned key);

/* The server has run a swap. */
void undone_note_swap(const sim_server *s, const rl_link *link, const rl_model_command *c);

/* Judges a record when its time has come. */
void undone_on_look(uint32_t index);

#endif
