/* SPDX-License-Identifier: MIT
 *
 * The faults and their times: each fault of a seed is drawn when the one before has happened.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "plan.h"

void faults_begin(void);
void faults_happen(void);

/* No further faults happen. */
void faults_end(void);

/* The server has done something of which a client must learn. Where servers crash, some of them
 * crash then. A separate generator decides that. */
void faults_tempt(unsigned server);
void faults_strike(unsigned server);

/* Everything on its way arrives within this time, and the delays of the networks. */
int64_t faults_longest(void);

/* Everything that is written arrives, sooner or later. */
bool faults_lose_nothing(void);

/* A fault may have effects until then. */
void faults_disturb(int64_t until);

/* When the effects of all that has broken so far are over, in true time. */
int64_t faults_calm_at(void);

#endif
