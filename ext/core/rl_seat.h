/* SPDX-License-Identifier: MIT
 *
 * A seat: one member's part in an exchange. For rl_exchange.c, which has the design in its header; nobody
 * else steps a seat.
 */
#ifndef RL_SEAT_H
#define RL_SEAT_H

#include "core/rl_exchange.h"

/* Starts over. @param latest as for rl_exchange_begin() */
void rl_seat_begin(rl_exchange *exchange, unsigned index, int64_t now, int64_t latest);

/* Goes on as far as it can without waiting. */
void rl_seat_step(rl_exchange *exchange, unsigned index, const rl_tick *tick);

/* Its vote is known. */
void rl_seat_finish(rl_seat *seat, rl_vote vote);

/* Closes its connection, if it has one. */
void rl_seat_drop(rl_seat *seat);

/* A grant there may be undone. What may have ended is not, with a token that others may have, too: theirs could be
 * met. */
bool rl_seat_may_take_back(const rl_exchange *exchange, const rl_seat *seat, int64_t now);

/* Releases the caller's token where it was granted, and goes on until that is answered. */
void rl_seat_take_back(rl_exchange *exchange, unsigned index, const rl_tick *tick);

/* The system has taken the whole command: the server may have carried it out. */
bool rl_seat_is_handed_over(const rl_seat *seat);

/* Its connection, which it must have, is established. */
bool rl_seat_is_connected(const rl_seat *seat);

#endif
