/* SPDX-License-Identifier: MIT
 *
 * The state that sentinel.c and sentinel_switch.c share: what each server and each member of this
 * kind is and knows.
 */
#ifndef SENTINEL_PARTS_H
#define SENTINEL_PARTS_H

#include "sentinel.h"

/* A server of such a member. */
typedef struct sentinel_part {
	bool is_master; /* this field and the next ones: for nodes */
	bool is_copy_due;
	bool is_synced;      /* the node has had all data of its source once */
	uint8_t source;      /* the node whose replica this one is */
	uint64_t has;        /* how many writes of its source the node has */
	int64_t out_at;      /* see sentinel_out_at() */
	int64_t promoted_at; /* the latest promotion; 0 = it was a primary from the start, or is none */
	int64_t demoted_at;
	uint64_t had[WORDS_KEYS]; /* the tokens of the node when it became a replica; 0 = none */
	/* Until then this server and the others that are cut off cannot reach the rest of the
	 * member. */
	int64_t cut_until;
	uint8_t names; /* this field and the next ones: for Sentinels */
	int64_t forgets_until;
	int64_t learned_at;
	int64_t known_at; /* since when the Sentinel knows the node, as far as it remembers */
} sentinel_part;

typedef struct sentinel_group {
	uint8_t primary;
	uint8_t named;
	bool is_switching; /* the primary is being replaced, or a majority does not know it yet */
	bool is_planned;
	uint8_t candidate;
	uint32_t number; /* the number of the latest switch */
	uint32_t epoch;  /* the epoch of the primary */
	int64_t named_at;
	/* The latest promotion; 0 = the node always was the primary. As for the next field. */
	int64_t promoted_at;
	int64_t agreed_at;   /* since when a majority of the Sentinels names the primary */
	int64_t attached_at; /* when a replica last began to follow a primary */
} sentinel_group;

extern sentinel_part sentinel_parts[PLAN_SERVERS];
extern sentinel_group sentinel_groups[PLAN_MEMBERS];

/* The servers of a member are its nodes, and then its Sentinels. */
static inline unsigned sentinel_first(unsigned member)
{
	return plan.first[member] + plan.nodes[member];
}

static inline unsigned sentinel_end(unsigned member)
{
	return plan.first[member] + plan.count[member];
}

static inline unsigned sentinel_majority(unsigned member)
{
	return (plan.count[member] - plan.nodes[member]) / 2 + 1;
}

/* The time until which the server is silent for all clients. Says nothing about a server that is
 * down for good: use sentinel_is_silent(). */
int64_t sentinel_silent_until(unsigned n);
bool sentinel_is_silent(unsigned n);

/* The node is a replica that has all data of its source, or is about to have them. */
bool sentinel_is_attached(unsigned n, unsigned source);

/* The replica gets all data of its source, soon or now. */
void sentinel_plan_copy(unsigned n, int64_t at);
void sentinel_copy(unsigned n);
void sentinel_on_copy(unsigned n);

#endif
