/* SPDX-License-Identifier: MIT
 *
 * What the tests of lookups share: one lookup, which has 400 ms, and the driver for it. The
 * Sentinels are the fake's servers.
 */
#ifndef LOOKING_H
#define LOOKING_H

#include "core/conn/rl_lookup.h"
#include "fake.h"

#define TIME (400 * MS)
#define ASK "SENTINEL GET-MASTER-ADDR-BY-NAME mymaster\n"
#define OLD "*$10.0.0.1 $6379"
#define NEW "*$10.0.0.2 $6380"

extern rl_route *lookup_route;
extern rl_lookup lookup;
extern rl_error lookup_err; /* why the last lookup has failed */
extern unsigned most_links; /* that were waited for */

/* So many Sentinels, of which a majority decides, or so many. The lookup uses the pool. */
void begin_sentinels(unsigned sentinels);
void begin_quorum(unsigned sentinels, unsigned quorum);

/* The lookup keeps its connections itself. */
void begin_alone(unsigned sentinels);

/* Ends the lookup and the fake. */
void end_lookup(void);

/* An idle connection to each. */
void warm_sentinels(void);

/* Each of them says it. */
void all_say(const char *text);

void start_lookup(void);

/* When something will happen next that the lookup waits for. */
int64_t next_time(rl_wait *wait);

/* Drives the lookup until the clock would pass the time. */
rl_vote drive_to(int64_t time);

/* Starts it, drives it to its end, and explains a failure. */
rl_vote look_up(void);

/* The primary that the route knows: "10.0.0.1:6379"; "-:0" = none. */
const char *primary(void);

#endif
