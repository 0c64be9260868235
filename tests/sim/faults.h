/* SPDX-License-Identifier: MIT
 *
 * What breaks, and when: each fault of a seed is drawn when the one before has happened.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "plan.h"

void faults_begin(void);
void faults_happen(void);

/* No more of them. */
void faults_end(void);

/* The server has done something of which a client must hear. Where servers crash, some of them
 * crash then. That is drawn beside the other numbers. */
void faults_tempt(unsigned server);
void faults_strike(unsigned server);

/* Whatever is on the way arrives within this time, and the networks' delays. */
int64_t faults_longest(void);

/* All that is written arrives, sooner or later. */
bool faults_lose_nothing(void);

/* Something is not as it should be until then. */
void faults_disturb(int64_t until);

/* When the effects of all that has broken so far are over, in true time. */
int64_t faults_calm_at(void);

#endif
