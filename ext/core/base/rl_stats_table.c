/* SPDX-License-Identifier: MIT
 *
 * The table of numbers. The design is in the header.
 */
#include "core/base/rl_stats_table.h"

#include <string.h>

_Static_assert(sizeof(rl_stats) == RL_STATS_WORDS * sizeof(uint64_t), "rl_stats is words only");

typedef _Atomic uint64_t word;

/* The numbers of rl_stats one after another. */
static word *words_of(rl_stats *stats)
{
	return (word *) (void *) stats;
}

static const word *const_words_of(const rl_stats *stats)
{
	return (const word *) (const void *) stats;
}

static uint64_t get(const word *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

static void set(word *to, uint64_t value)
{
	atomic_store_explicit(to, value, memory_order_relaxed);
}

/* ---- rows ---- */

static void prepare(rl_stats_row *row)
{
	word *now = words_of(&row->stats);
	word *before = words_of(&row->before);
	for (size_t i = 0; i < RL_STATS_GROWING; i++) {
		set(&before[i], get(&now[i]));
	}
	for (size_t i = RL_STATS_GROWING; i < RL_STATS_WORDS; i++) {
		set(&now[i], 0);
	}
}

static void note_used(rl_stats_table *table, uint64_t count)
{
	uint64_t used = atomic_load(&table->used);
	while (used < count && !atomic_compare_exchange_weak(&table->used, &used, count)) {
	}
}

/* The first free row, so that few rows are ever touched. NULL = there is none. */
static rl_stats_row *take_free(rl_stats_table *table, uint64_t owner)
{
	for (size_t i = 0; i < RL_STATS_ROWS; i++) {
		uint64_t none = 0;
		if (get(&table->owners[i]) == 0 &&
			atomic_compare_exchange_strong(&table->owners[i], &none, owner)) {
			note_used(table, i + 1);
			prepare(&table->rows[i]);
			return &table->rows[i];
		}
	}
	return NULL;
}

/* The mark of the living owner of the row; 0 = none. The row of a dead owner becomes free. */
static uint64_t living_owner(rl_stats_table *table, size_t index, rl_owner_lives lives)
{
	uint64_t owner = atomic_load(&table->owners[index]);
	if (owner == 0 || lives(owner)) {
		return owner;
	}
	atomic_compare_exchange_strong(&table->owners[index], &owner, 0);
	return 0;
}

rl_stats_row *rl_stats_table_take(rl_stats_table *table, uint64_t owner, rl_owner_lives lives)
{
	rl_stats_row *row = take_free(table, owner);
	for (size_t i = 0; i < RL_STATS_ROWS && row == NULL; i++) {
		living_owner(table, i, lives);
	}
	row = row != NULL ? row : take_free(table, owner);
	rl_stats_add(&table->turned_away, row == NULL);
	return row;
}

void rl_stats_table_give_back(rl_stats_table *table, uint64_t owner, const rl_stats_row *row)
{
	atomic_compare_exchange_strong(&table->owners[row - table->rows], &owner, 0);
}

/* ---- reading ---- */

void rl_stats_table_sum(rl_stats_table *table, rl_owner_lives lives, rl_stats_totals *totals)
{
	memset(totals, 0, sizeof *totals);
	totals->turned_away = atomic_load(&table->turned_away);
	size_t used = (size_t) atomic_load(&table->used);
	for (size_t i = 0; i < used; i++) {
		bool is_alive = living_owner(table, i, lives) != 0;
		size_t count = is_alive ? RL_STATS_WORDS : RL_STATS_GROWING;
		const word *row = const_words_of(&table->rows[i].stats);
		word *sums = words_of(&totals->stats);
		totals->processes += is_alive;
		for (size_t w = 0; w < count; w++) {
			set(&sums[w], get(&sums[w]) + get(&row[w]));
		}
	}
}

void rl_stats_row_read(const rl_stats_row *row, rl_stats *stats)
{
	const word *now = const_words_of(&row->stats);
	const word *before = const_words_of(&row->before);
	word *own = words_of(stats);
	for (size_t i = 0; i < RL_STATS_WORDS; i++) {
		set(&own[i], get(&now[i]) - get(&before[i]));
	}
}
