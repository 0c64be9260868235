/* SPDX-License-Identifier: MIT
 *
 * The watch on the fake network: a driver that steps it as its thread does, and leases for it to
 * keep.
 *
 * A lease has no drift but the fixed 2 ms, so a lease of TTL is proven for 30 s, and due after 10
 * s.
 */
#ifndef WATCHING_H
#define WATCHING_H

#include "core/lease/rl_renewer.h"
#include "fake.h"

#define TTL 30002 /* in ms */

extern rl_renewer watching;

/* Begins with so many servers, all of which are members of each lease. The servers answer each
 * renewal with yes, unless the test says otherwise. */
void watching_begin(unsigned members);

/* Ends all leases and the watch, and checks that nothing is left. */
void watching_end(void);

/* The next lease, prepared on the servers of fake_set, and not won yet. */
rl_renewal *watching_prepare(const char *key);

/* The lease was won just now, with the token "tok" or another one of 15 bytes at most. */
void watching_win(rl_renewal *renewal, int64_t ttl_ms);
void watching_win_with(rl_renewal *renewal, const char *token, int64_t ttl_ms);

/* Prepares and wins a lease that is renewed. */
rl_renewal *watching_keep(const char *key, int64_t ttl_ms);

/* From now on watching_losses counts the calls of the lease's on_lost. */
void watching_tell(rl_renewal *renewal);

/* watching_keep() and watching_tell() in one. */
rl_renewal *watching_keep_told(const char *key, int64_t ttl_ms);

/* The calls since watching_begin(). */
extern unsigned watching_losses;

/* The owner ends the lease, after a release that was carried out or failed. Then the lease is
 * gone. */
void watching_let_go(rl_renewal *renewal, bool is_released);

/* Hands over a release of "k" with "tok" that has failed on the first member, to be repeated. */
void watching_hand_over(void);

/* From now on the process is a child of a fork, which forgets all leases. The log begins anew. */
void watching_fork(void);

/* Drives the watch to so many ms after the start. A step is made when the watch wants one or
 * something arrives, and only then. */
void watching_to(int64_t ms);

/* The same, up to a time of the clock. */
void watching_to_time(int64_t time);

extern unsigned watching_steps;

/* Milliseconds of proof that the lease has left; 0 = the lease is not held. */
int64_t watching_left(const rl_renewal *renewal);

/* For on_lost: counts in ctx, an unsigned. The second one wants to be called again. */
int64_t watching_note_loss(void *ctx);
int64_t watching_note_loss_again(void *ctx);

#endif
