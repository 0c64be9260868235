/* SPDX-License-Identifier: MIT
 *
 * What the comparisons of the model with real servers share: conformance.c has one server,
 * conformance_cluster.c two nodes.
 */
#ifndef CONFORMANCE_COMPARE_H
#define CONFORMANCE_COMPARE_H

#include "chance.h"
#include "store.h"

#include <hiredis.h>

#define US_PER_MS 1000

/* The ports of the nodes that redirects name. */
extern int node_ports[2];

extern uint64_t compared;
extern uint64_t denied; /* errors among them */
extern bool has_failed;

/* Begins a sequence, with numbers and a history of its own. */
void begin_sequence(uint64_t seed);

uint32_t any(uint32_t below);
int64_t now_us(void);
void sleep_until(int64_t at_us);

/* A line of the history, which tells what came before a failure. */
void note(const char *line);
void fail(const char *what);
void tell_failure(void);

redisContext *dial(const char *path);

/* Sends a command that must not fail. */
void say(redisContext *real, const char *plain);

/* The tolerance for the reply to the command: 0 if the reply is a number and no time. */
int64_t tolerance_of(
	const rl_model_command *what, const rl_model_reply *wanted, int64_t tolerance_us);

/* Compares a reply, and frees it.
 * @param wanted NULL = there was none */
void compare_with(const rl_model_reply *wanted, redisReply *got, int64_t tolerance_us);

/* The next time at which a key, a mark or a ticket of the model ends by itself. */
int64_t next_end(const store *s, int64_t after_us);

#endif
