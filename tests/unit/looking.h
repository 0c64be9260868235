/* SPDX-License-Identifier: MIT
 *
 * What the tests of lookups share: one lookup with a time of 400 ms, and a driver for it. The
 * Sentinels are the servers of the fake.
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
extern rl_lookup *lookup;
extern rl_error lookup_err; /* why the last lookup has failed */
extern unsigned most_links; /* the most links that the lookup waited for at once */

/* Begins the fake with this many Sentinels, of which a majority or the given quorum decides. The
 * lookup is that of the route, and uses the pool. */
void begin_sentinels(unsigned sentinels);
void begin_quorum(unsigned sentinels, unsigned quorum);

/* Ends the lookup and the fake. */
void end_lookup(void);

/* Puts an idle connection to each Sentinel into the pool. */
void warm_sentinels(void);

/* From now on each Sentinel answers with this text. */
void all_say(const char *text);

void start_lookup(void);

/* The time of the next event for which the lookup waits. */
int64_t next_time(rl_wait *wait);

/* Drives the lookup until the clock would pass the time. */
rl_vote drive_to(int64_t time);

/* Begins the lookup, drives it to its end, and explains a failure. */
rl_vote look_up(void);

/* The primary that the route knows: "10.0.0.1:6379"; "-:0" = none. */
const char *primary(void);

#endif
