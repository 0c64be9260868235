/* SPDX-License-Identifier: MIT
 *
 * rl_renewer_errands.c: what the members of leases wait for, and what is under way.
 */
#include "invariants.h"

/* The members of the records of a list. */
typedef struct users {
	size_t members;
	size_t waiting;
	size_t asked;
} users;

static bool is_member_good(const rl_renewer_errands *errands, const rl_renewal_member *member)
{
	bool is_asked = member->state == RL_RENEWAL_MEMBER_ASKED;
	return holds(
			   member->errands == errands, "rl_renewer_errands: a member belongs to its renewer") &&
		holds(member->server >= member->set->set.members &&
				member->server < member->set->set.members + member->set->set.count,
			"rl_renewer_errands: the server of a member is of its set") &&
		holds((member->under_way != NULL) == is_asked,
			"rl_renewer_errands: a member has an errand while it is ASKED, and only then") &&
		holds(!is_asked || member->under_way->member == member,
			"rl_renewer_errands: an errand belongs to its member") &&
		holds(member->state != RL_RENEWAL_MEMBER_WAITING || *member->link == member,
			"rl_renewer_errands: the list links to a member that waits");
}

static bool add_list(const rl_renewer *renewer, const rl_renewal *first, users *all)
{
	for (const rl_renewal *renewal = first; renewal != NULL; renewal = renewal->next) {
		for (unsigned i = 0; i < renewal->count; i++) {
			const rl_renewal_member *member = &renewal->members[i];
			if (!is_member_good(&renewer->errands, member)) {
				return false;
			}
			all->members++;
			all->waiting += member->state == RL_RENEWAL_MEMBER_WAITING;
			all->asked += member->state == RL_RENEWAL_MEMBER_ASKED;
		}
	}
	return true;
}

static bool is_waiting_list_good(const rl_renewer_errands *errands, size_t wanted)
{
	size_t count = 0;
	const rl_renewal_member *member = errands->waiting;
	for (; member != NULL && count <= wanted; member = member->next) {
		count++;
		if (!holds(member->state == RL_RENEWAL_MEMBER_WAITING,
				"rl_renewer_errands: the list has members that wait")) {
			return false;
		}
	}
	return holds(count == wanted, "rl_renewer_errands: a member that waits is in the list") &&
		holds(*errands->waiting_end == NULL,
			"rl_renewer_errands: waiting_end is the end of the list");
}

static bool is_under_way_good(const rl_renewer_errands *errands, size_t wanted)
{
	size_t count = 0;
	for (const rl_renewer_errand *one = errands->under_way; one != NULL && count <= wanted;
		 one = one->next) {
		count++;
		if (!holds(*one->link == one, "rl_renewer_errands: the list links to an errand") ||
			!holds(one->errand.terms == &one->terms && one->errand.server == one->member->server,
				"rl_renewer_errands: an errand has its own terms, and the server of its member") ||
			!invariants_of_errand(&one->errand)) {
			return false;
		}
	}
	return holds(count == wanted, "rl_renewer_errands: a member that is ASKED has an errand");
}

static bool are_sets_good(const rl_renewer_errands *errands, size_t wanted)
{
	size_t members = 0;
	for (const rl_renewer_set *set = errands->sets; set != NULL; set = set->next) {
		members += set->members;
	}
	return holds(members == wanted, "rl_renewer_errands: the sets count the members that use them");
}

bool invariants_of_renewer_errands(const rl_renewer *renewer)
{
	const rl_renewer_errands *errands = &renewer->errands;
	users all = {0};
	return add_list(renewer, renewer->all, &all) && add_list(renewer, renewer->late, &all) &&
		add_list(renewer, renewer->grants, &all) && are_sets_good(errands, all.members) &&
		is_waiting_list_good(errands, all.waiting) && is_under_way_good(errands, all.asked) &&
		invariants_of_pool(&errands->pool) && invariants_of_lines(&errands->lines);
}
