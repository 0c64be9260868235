/* SPDX-License-Identifier: MIT
 *
 * rl_renewer.c: the lists of records, and the heap.
 */
#include "invariants.h"

/* ---- lists ---- */

static bool is_of_all(const rl_renewal *renewal)
{
	return renewal->stage != RL_RENEWAL_LATE && !rl_renewal_is_grant(renewal);
}

static bool is_late(const rl_renewal *renewal)
{
	return renewal->stage == RL_RENEWAL_LATE;
}

static bool has_begun(const rl_renewal *renewal)
{
	return renewal->lease->stage != RL_LEASE_NEW;
}

/* When something is due for the record, the heap knows it. A step plans what it cannot do yet for a
 * nanosecond later. */
static bool is_planned(const rl_renewal *renewal, int64_t now)
{
	bool is_paused =
		renewal->stage == RL_RENEWAL_PAUSED || renewal->stage == RL_RENEWAL_LOST_PAUSED;
	if (is_paused || !has_begun(renewal)) {
		return holds(
			renewal->heap_at == 0, "rl_renewer: nothing is due for a record that is paused or new");
	}
	int64_t due_at = rl_renewal_due_time(renewal);
	if (renewal->heap_at == 0) {
		return holds(
			due_at == RL_NEVER, "rl_renewer: a record for which something is due is in the heap");
	}
	return holds(renewal->due_at <= (due_at > now ? due_at : now + 1),
		"rl_renewer: a record is in the heap with the time at which it is due");
}

static bool is_record_good(const rl_renewer *renewer, const rl_renewal *renewal, int64_t now)
{
	size_t at = renewal->heap_at;
	return holds(renewal->renewer == renewer, "rl_renewer: a record belongs to its renewer") &&
		holds(*renewal->link == renewal, "rl_renewer: the record before it links to a record") &&
		holds(at == 0 || (at <= renewer->heap.count && renewer->heap.entries[at - 1] == renewal),
			"rl_renewer: the heap has a record in its place") &&
		invariants_of_renewal(renewal, now) && is_planned(renewal, now);
}

/* @param[in,out] count the records so far; at most as many as all_count
 * @param belongs the record belongs in this list */
static bool is_list_good(const rl_renewer *renewer, const rl_renewal *first, size_t *count,
	bool (*belongs)(const rl_renewal *renewal), int64_t now)
{
	for (const rl_renewal *renewal = first; renewal != NULL; renewal = renewal->next) {
		if (!holds(
				++*count <= renewer->all_count, "rl_renewer: all_count is the number of records") ||
			!holds(belongs(renewal), "rl_renewer: a record is in the list of its stage") ||
			!is_record_good(renewer, renewal, now)) {
			return false;
		}
	}
	return true;
}

static bool are_lists_good(const rl_renewer *renewer, int64_t now)
{
	size_t all = 0;
	size_t late = 0;
	size_t grants = 0;
	return is_list_good(renewer, renewer->all, &all, is_of_all, now) &&
		is_list_good(renewer, renewer->late, &late, is_late, now) &&
		is_list_good(renewer, renewer->grants, &grants, rl_renewal_is_grant, now) &&
		holds(
			late == renewer->late_count, "rl_renewer: late_count is the number of late releases") &&
		holds(grants == renewer->grant_count,
			"rl_renewer: grant_count is the number of late grants") &&
		holds(all + late + grants == renewer->all_count,
			"rl_renewer: all_count is the number of records") &&
		holds(*renewer->late_end == NULL, "rl_renewer: late_end is the end of the late releases");
}

/* ---- the heap ---- */

static bool is_heap_good(const rl_renewer *renewer)
{
	size_t count = renewer->heap.count;
	if (!holds(count <= renewer->all_count && renewer->all_count <= renewer->heap.room,
			"rl_renewer: the heap has room for all records")) {
		return false;
	}
	for (size_t at = 1; at <= count; at++) {
		const rl_renewal *renewal = renewer->heap.entries[at - 1];
		if (!holds(renewal->heap_at == at, "rl_renewer: a record knows its place in the heap") ||
			!holds(
				renewal->due_at != RL_NEVER, "rl_renewer: a record in the heap is due some time") ||
			!holds(at == 1 || renewer->heap.entries[at / 2 - 1]->due_at <= renewal->due_at,
				"rl_renewer: the heap has the earliest first")) {
			return false;
		}
	}
	return holds(count == 0 || renewer->until <= renewer->heap.entries[0]->due_at,
		"rl_renewer: the next step is due no later than the first record of the heap");
}

bool invariants_of_renewer(const rl_renewer *renewer, int64_t now)
{
	return are_lists_good(renewer, now) && is_heap_good(renewer) &&
		invariants_of_renewer_errands(renewer);
}
