/* SPDX-License-Identifier: MIT
 *
 * What a client does: the acts, their beginnings and their ends. For client.c.
 */
#ifndef ACTS_H
#define ACTS_H

#include "client.h"

void acts_begin(void);

/* No operation is under way: begins one, or says when to come again, in true time. */
int64_t acts_next(sim_client *c);

/* The operation is done. */
void acts_finish(sim_client *c);

/* A signal ends it. */
void acts_abandon(sim_client *c);

/* The judge is told what the client can prove. */
void acts_tell(sim_client *c);

/* Frees all without a word: the process is gone. */
void acts_drop(sim_client *c);

#endif
