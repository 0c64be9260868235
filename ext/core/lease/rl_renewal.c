/* SPDX-License-Identifier: MIT
 *
 * What follows from one record alone. The rules are in the header.
 */
#include "core/lease/rl_renewal.h"

#include "core/base/rl_time.h"

#include <stdlib.h>

/* The time for an answer is this share of the proof that is left, so that there is time for more
 * tries. */
#define PATIENCE_SHARE 4
#define PATIENCE_MIN_NS (5 * RL_NS_PER_MS)

/* A renewal that is due takes along the renewals that are due within this share of their TTL. */
#define EARLY_SHARE 12

size_t rl_renewal_size(unsigned members)
{
	return sizeof(rl_renewal) + members * sizeof(rl_renewal_member);
}

/* rl_renewer_prepare() fills in the members. */
rl_renewal *rl_renewal_put(void *room, const rl_set *set, rl_lease *lease)
{
	rl_renewal *renewal = room;
	*renewal = (rl_renewal){.lease = lease, .hold_until = RL_NEVER, .count = set->count};
	return renewal;
}

rl_renewal *rl_renewal_new(const rl_set *set, rl_lease *lease)
{
	void *room = calloc(1, rl_renewal_size(set->count));
	return room != NULL ? rl_renewal_put(room, set, lease) : NULL;
}

/* ---- what is asked for ---- */

int64_t rl_renewal_ttl(const rl_renewal *renewal, int64_t now)
{
	int64_t ttl = renewal->lease->ttl_ns;
	if (renewal->hold_until != RL_NEVER) {
		ttl = rl_time_earlier(ttl, renewal->hold_until - now);
	}
	return ttl - ttl % RL_NS_PER_MS;
}

static rl_request request_of(const rl_renewal_member *member, rl_verb verb)
{
	const rl_lease *lease = member->renewal->lease;
	return (rl_request){.verb = verb,
		.key = lease->names.key,
		.mark = lease->names.mark,
		.tickets = lease->names.tickets,
		.slot = lease->names.slot,
		.permits = lease->permits,
		.token = rl_lease_token(lease),
		.ttl_ms = member->asked_ttl / RL_NS_PER_MS,
		.reserve_ms = rl_reservation_ms(member->renewal->count, 0),
		.no_helpers = member->no_helpers};
}

/* A release is sent as text, so that one answer is enough. */
static rl_request release_of(const rl_renewal_member *member)
{
	bool is_swap = member->renewal->back.len > 0;
	rl_request request = request_of(member, is_swap ? RL_VERB_SWAP : RL_VERB_RELEASE);
	request.form = RL_FORM_TEXT;
	request.waiter = member->renewal->waiter;
	request.done_ms = member->renewal->lease->done_ms;
	request.permit_keys = member->renewal->permit_keys;
	if (is_swap) {
		request.fresh = member->renewal->back;
		request.ttl_ms = 0; /* the key keeps its TTL */
	}
	return request;
}

rl_request rl_renewal_request(const rl_renewal_member *member, rl_renewal_command command)
{
	switch (command) {
		case RL_SEND_RENEW:
			break;
		case RL_SEND_PUT_BACK:
			return request_of(member, RL_VERB_SET);
		case RL_SEND_RELEASE:
		case RL_SEND_RELEASE_BOTH:
			return release_of(member);
	}
	return request_of(member, RL_VERB_RENEW);
}

bool rl_renewal_may_put_back(const rl_renewal *renewal)
{
	return renewal->renews && !renewal->lease->is_own_token;
}

bool rl_renewal_must_ask_again(const rl_renewal_member *member)
{
	if (rl_renewal_is_lost(member->renewal)) {
		return member->needs_release && member->state == RL_RENEWAL_MEMBER_IDLE;
	}
	/* The other members have decided the round, and the server of this one was not reached. */
	bool is_left_over = member->renewal->stage == RL_RENEWAL_IDLE &&
		member->vote == RL_VOTE_FAILED && member->again_at != 0;
	bool is_grant = member->renewal->stage == RL_RENEWAL_GRANT;
	bool is_wanted = member->vote == RL_VOTE_FAILED ||
		(member->vote == RL_VOTE_REFUSED && (is_grant || rl_renewal_may_put_back(member->renewal)));
	bool is_open = is_grant || member->renewal->stage == RL_RENEWAL_IN_ROUND;
	return member->state == RL_RENEWAL_MEMBER_IDLE && ((is_open && is_wanted) || is_left_over);
}

bool rl_renewal_is_released(const rl_renewal *renewal)
{
	bool is_released = true;
	for (unsigned i = 0; i < renewal->count; i++) {
		is_released = is_released && !renewal->members[i].needs_release;
	}
	return is_released;
}

/* ---- when ---- */

int64_t rl_renewal_patience(const rl_renewal *renewal, int64_t timeout_ns, int64_t now)
{
	if (rl_renewal_is_lost(renewal)) {
		return timeout_ns; /* there is no proof any more that could end */
	}
	int64_t share = (atomic_load(&renewal->lease->proof) - now) / PATIENCE_SHARE;
	return rl_time_earlier(timeout_ns, share > PATIENCE_MIN_NS ? share : PATIENCE_MIN_NS);
}

/* When something is due for the lease as a whole, whatever its members do. */
static int64_t own_due_time(const rl_renewal *renewal)
{
	if (rl_renewal_is_lost(renewal) || renewal->stage == RL_RENEWAL_GRANT) {
		return rl_time_earlier(renewal->give_up_at, renewal->report_at);
	}
	int64_t proof = atomic_load(&renewal->lease->proof);
	int64_t due = proof > 0 ? proof : 0;
	bool is_to_be_renewed = renewal->renews && renewal->stage == RL_RENEWAL_IDLE;
	return is_to_be_renewed ? rl_time_earlier(due, renewal->renew_at) : due;
}

int64_t rl_renewal_due_time(const rl_renewal *renewal)
{
	if (renewal->stage == RL_RENEWAL_PAUSED || renewal->stage == RL_RENEWAL_LOST_PAUSED) {
		return RL_NEVER; /* its owner releases the lease */
	}
	if (renewal->stage == RL_RENEWAL_LATE && rl_renewal_is_released(renewal)) {
		return 0;
	}
	int64_t due = own_due_time(renewal);
	for (unsigned i = 0; i < renewal->count; i++) {
		const rl_renewal_member *member = &renewal->members[i];
		if (member->state == RL_RENEWAL_MEMBER_ASKED) {
			due = rl_time_earlier(due, member->step_at);
		} else if (rl_renewal_must_ask_again(member)) {
			due = rl_time_earlier(due, member->ask_again_at);
		}
	}
	return due;
}

bool rl_renewal_is_near(const rl_renewal *renewal, int64_t now)
{
	return renewal->renews && renewal->stage == RL_RENEWAL_IDLE &&
		renewal->renew_at - renewal->lease->ttl_ns / EARLY_SHARE <= now;
}
