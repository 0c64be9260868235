/* SPDX-License-Identifier: MIT
 *
 * The servers of the fake network, run on the model of tests/model: each keeps keys, marks and
 * tickets as a real server does. A test sets the servers up, acts as their other clients, and has
 * fake.h ask them.
 *
 * Tokens and waiters have the names of the log. Tokens of other clients are "kin", which has the
 * form of a drawn token, and any other text, "foreign" for instance.
 */
#ifndef SERVERS_H
#define SERVERS_H

#include "fake.h"
#include "store.h"

typedef struct servers_member {
	store store;
	double rate;            /* the rate of the server's clock */
	int64_t clock_us;       /* how much the server's clock is ahead */
	int64_t delay;          /* the delay of each reply */
	bool is_mute;           /* the server reads commands, and does not run them */
	int64_t replicas;       /* how many replicas confirm at once */
	int64_t wait_late;      /* how long after its time a WAIT ends if too few replicas confirm */
	const char *wait_error; /* NULL, or the reply to WAIT */
	const char *error;      /* NULL, or the reply to all scripts */
} servers_member;

extern servers_member servers[FAKE_MEMBERS];

/* Begins with so many servers without a lock, and sets fake_improvise. Waiters are woken, and each
 * server has a warm connection. */
void servers_begin(unsigned members);

/* Clears the servers. The network was begun by fake_begin(). */
void servers_clear(void);

/* The function for fake_improvise, which servers_begin() has set. */
bool servers_serve(const char *words, bool is_taken, fake_plan *plan);

/* NULL, or a function that is called when a ticket was put into an empty list: true = a waiter that
 * the test plays takes the ticket. */
extern bool (*servers_give_ticket)(unsigned member);

/* The server's time. */
int64_t servers_us(unsigned member, int64_t at);

/* Runs a command on the server, and hands out its ticket.
 * @return the reply, in the words of fake_says() */
const char *servers_run(unsigned member, const rl_model_command *command, int64_t at);

/* The server's lock "k" now. */
rl_store_key *servers_key(unsigned member);

/* When the TTL of the key ends, by the test's clock. */
int64_t servers_ends_at(unsigned member, const rl_store_key *key);

/* ---- other clients ---- */

/* Another client takes the lock on one server, or on all, even if it is held. */
void servers_take(unsigned member, const char *token, int64_t ttl_ms);
void servers_take_all(const char *token, int64_t ttl_ms);
void servers_take_key(unsigned member, unsigned key, const char *token, int64_t ttl_ms);

/* Another client deletes the key. */
void servers_delete(unsigned member);

/* The holder releases the lock on one server, or on all: first on the others, last where waiters
 * queue, as rl_order.h has it. */
void servers_free(unsigned member);
void servers_free_all(unsigned last);

/* Runs a command of another client now. A request that names no key is about "k". */
const char *servers_ask(unsigned member, const rl_request *request);

/* ---- what the servers have ---- */

/* The token of the lock's holder, "" = reserved, "-" = free. */
const char *servers_owner(unsigned member);

/* PTTL */
int64_t servers_pttl(unsigned member);

/* The value is a token that we have drawn, or the caller's "mine". */
bool servers_is_ours(const rl_model_text *value);

/* One of the members has such a token. */
bool servers_have_ours(void);

/* A waiter of ours is marked. */
bool servers_has_marks(unsigned member);

#endif
