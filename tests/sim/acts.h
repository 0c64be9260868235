/* SPDX-License-Identifier: MIT
 *
 * The acts of a client, their beginnings and their ends. For client.c.
 */
#ifndef ACTS_H
#define ACTS_H

#include "client.h"

void acts_begin(void);

/* Begins an act if no operation is under way.
 * @return when to call this again, in true time */
int64_t acts_next(sim_client *c);

/* Ends the act of an operation that is done. */
void acts_finish(sim_client *c);

/* Ends the act of an operation that a signal has interrupted. */
void acts_abandon(sim_client *c);

/* Tells the judge what the client can prove. */
void acts_tell(sim_client *c);

/* Frees everything without a command: the process is gone. */
void acts_drop(sim_client *c);

#endif
