/* SPDX-License-Identifier: MIT
 *
 * What the tests of the waiting loop share: a wait that stands in the queue, and the answers of its
 * server.
 *
 * The server's clock shows 1000 s when the test begins. Two connections are warm: the wait begins
 * on a2, which then stands in the queue; a1 carries the looks.
 */
#ifndef WAITING_H
#define WAITING_H

#include "fake.h"

/* The end of the proof of a grant so many ms after the start. */
int64_t waiting_proof(int64_t ms, int64_t ttl_ms);

/* The server's time, so many ms after the start. */
int64_t waiting_server_us(int64_t ms);

/* Answers of the server, with its time. The texts are valid for the test. */
const char *refusal(int64_t ms, int64_t pttl, rl_holder holder);
const char *grant(int64_t ms);
const char *look(int64_t ms, int64_t pttl, rl_holder holder, rl_ticket ticket);

/* Begins with one server that wakes waiters, two warm connections, and no plan. */
void waiting_begin(void);

/* A wait in the queue: SET was refused, and the probe has shown a holder of our form that stays for
 * long. */
rl_acquire *waiting_queued(int64_t ttl_ms, int64_t wait_ns);
rl_acquire *waiting_queued_own(int64_t ttl_ms, int64_t wait_ns);

/* The log of such a wait up to its place in the queue. */
#define QUEUED_LOG(token, seconds) \
 "0 a2 SET k " token " NX PX 30000\n" \
 "0 a2 probe+ k " token " W1\n" \
 "0 a2 BLPOP k::rl-wake " seconds "\n" \
 "0 a2 TRY+ k " token " 30000 0 1 W1 0\n"

/* Plans so many looks that find a holder, one each 850 ms from 850 ms on. */
void waiting_look_on(unsigned times);

/* Drives the wait to this time, without an end. */
void waiting_drive_to(rl_acquire *acquire, int64_t ms);

#endif
