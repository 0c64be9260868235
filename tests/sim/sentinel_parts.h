/* SPDX-License-Identifier: MIT
 *
 * What sentinel.c and sentinel_switch.c share: what each server and each member of this kind is and
 * knows.
 */
#ifndef SENTINEL_PARTS_H
#define SENTINEL_PARTS_H

#include "sentinel.h"

/* A server of such a member. */
typedef struct sentinel_part {
	bool is_master; /* of a node, as are the next */
	bool is_copy_due;
	bool is_synced;      /* it has had all data of its source once */
	uint8_t source;      /* it is a replica of this node */
	uint64_t has;        /* so many writes of its source */
	int64_t out_at;      /* see sentinel_out_at() */
	int64_t promoted_at; /* the latest; 0 = it was a primary from the start, or is none */
	int64_t demoted_at;
	uint64_t had[WORDS_KEYS]; /* the tokens that it had when it became a replica; 0 = none */
	/* It and the others that are cut off have nothing to do with the rest of the member. */
	int64_t cut_until;
	uint8_t names; /* of a Sentinel, as are the next */
	int64_t forgets_until;
	int64_t learned_at;
	int64_t known_at; /* since then, as far as it remembers */
} sentinel_part;

typedef struct sentinel_group {
	uint8_t primary;
	uint8_t named;
	bool is_switching; /* the primary is being replaced, or a majority does not know it yet */
	bool is_planned;
	uint8_t candidate;
	uint32_t number; /* of the switch that was begun last */
	uint32_t epoch;  /* of the primary */
	int64_t named_at;
	int64_t promoted_at; /* when the primary became one; 0 = it always was, as of the next */
	int64_t agreed_at;   /* since then a majority of the Sentinels names it */
	int64_t attached_at; /* a replica began to follow a primary */
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

/* Until when no client hears of the server; it may be down for good. */
int64_t sentinel_silent_until(unsigned n);
bool sentinel_is_silent(unsigned n);

/* The node is a replica that has all that its source has, or is about to have it. */
bool sentinel_is_attached(unsigned n, unsigned source);

/* The replica gets all data of its source, soon or now. */
void sentinel_plan_copy(unsigned n, int64_t at);
void sentinel_copy(unsigned n);
void sentinel_on_copy(unsigned n);

#endif
