/* SPDX-License-Identifier: MIT
 *
 * A table with the numbers of several processes, in memory that they share.
 *
 * Each process takes a row and counts there. Its counters and histograms go on from what earlier
 * owners of the row have counted, and are never set back: so the sums over all rows only grow, and
 * those of a process that ends or is killed stay in them. What the row had when its owner took it
 * is noted, and the difference is what the owner has counted. Gauges are those of the owner: they
 * begin at zero, and are summed only over living owners.
 *
 * An owner is told by a mark that no other living process has (rl_process_mark.h). The row of a
 * dead owner is free again once a reader, or a process that finds no free row, notices that it is
 * dead. There are no locks: a process that is killed at any point leaves nothing that another one
 * would wait for.
 */
#ifndef RL_STATS_TABLE_H
#define RL_STATS_TABLE_H

#include "core/base/rl_stats.h"

#include <stdbool.h>

#define RL_STATS_ROWS 1024

typedef struct rl_stats_row {
	rl_stats stats;
	/* What the row had when its owner took it; its gauges are zero. */
	rl_stats before;
} rl_stats_row;

/* Memory of zeros is an empty table. */
typedef struct rl_stats_table {
	/* The rows that were ever taken are among the first `used`. */
	_Atomic uint64_t used;
	_Atomic uint64_t turned_away;           /* processes that found no row */
	_Atomic uint64_t owners[RL_STATS_ROWS]; /* marks; 0 = the row is free */
	rl_stats_row rows[RL_STATS_ROWS];
} rl_stats_table;

/* What the rows have together. */
typedef struct rl_stats_totals {
	rl_stats stats;
	uint64_t processes;   /* living owners */
	uint64_t turned_away; /* processes so far that found no row */
} rl_stats_totals;

/* Whether the process with this mark is alive. */
typedef bool (*rl_owner_lives)(uint64_t owner);

/* Takes a row for the owner, whose mark is not 0. NULL = living processes have all rows; the owner
 * is counted as turned away. */
rl_stats_row *rl_stats_table_take(rl_stats_table *table, uint64_t owner, rl_owner_lives lives);

/* Gives the owner's row back. Its numbers stay in the sums. */
void rl_stats_table_give_back(rl_stats_table *table, uint64_t owner, const rl_stats_row *row);

/* The sums over all rows. The call also frees the rows whose owners are dead. */
void rl_stats_table_sum(rl_stats_table *table, rl_owner_lives lives, rl_stats_totals *totals);

/* What the owner of the row has counted. */
void rl_stats_row_read(const rl_stats_row *row, rl_stats *stats);

#endif
