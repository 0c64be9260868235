/* SPDX-License-Identifier: MIT
 *
 * What the answers to a quorum call mean together.
 */
#include "core/base/rl_time.h"
#include "core/lock/rl_quorum_call.h"

int64_t rl_quorum_call_sent_at(const rl_quorum_call *call)
{
	int64_t earliest = RL_NEVER;
	for (unsigned i = 0; i < call->set->count; i++) {
		if (call->members[i].vote == RL_VOTE_GRANTED) {
			earliest = rl_time_earlier(earliest, call->members[i].channel.sent_at);
		}
	}
	return earliest;
}

bool rl_quorum_call_has_strays(const rl_quorum_call *call)
{
	return rl_quorum_call_strays(call) != 0;
}

unsigned rl_quorum_call_strays(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		members |= (unsigned) (member->doubt != RL_DOUBT_NONE) << i;
	}
	return members;
}

static bool is_unasked(const rl_member_call *member)
{
	switch (member->state) {
		case RL_MEMBER_CALL_START:
		case RL_MEMBER_CALL_LOGIN:
		case RL_MEMBER_CALL_PAUSED:
		case RL_MEMBER_CALL_NAMING:
		case RL_MEMBER_CALL_LOOKUP:
			return true;
		case RL_MEMBER_CALL_ANSWER:
			return !rl_channel_is_handed_over(&member->channel);
		case RL_MEMBER_CALL_BACKED_OFF:
		case RL_MEMBER_CALL_REFUSED:
		case RL_MEMBER_CALL_UNDOING:
		case RL_MEMBER_CALL_TAKING_BACK:
		case RL_MEMBER_CALL_CHECKING:
		case RL_MEMBER_CALL_DONE:
			break;
	}
	return false;
}

unsigned rl_quorum_call_unasked(const rl_quorum_call *call)
{
	unsigned members = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		members |= (unsigned) is_unasked(&call->members[i]) << i;
	}
	return members;
}

unsigned rl_quorum_call_missing(const rl_quorum_call *call)
{
	unsigned members = 0;
	if (call->outcome == RL_VOTE_GRANTED || call->outcome == RL_VOTE_REFUSED) {
		return 0;
	}
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		/* After RL_ERR_UNKNOWN the member does not have the token any more. */
		bool is_done = member->vote == RL_VOTE_GRANTED || member->vote == RL_VOTE_REFUSED ||
			(member->vote == RL_VOTE_FAILED &&
				(rl_error_is_final(member->err) || member->err->status == RL_ERR_UNKNOWN));
		members |= (unsigned) !is_done << i;
	}
	return members;
}

const rl_member_call *rl_quorum_call_speaker(const rl_quorum_call *call, rl_vote outcome)
{
	for (unsigned i = 0; i < call->set->count; i++) {
		if (call->members[i].vote == outcome) {
			return &call->members[i];
		}
	}
	return &call->members[0];
}

int64_t rl_quorum_call_remaining(const rl_quorum_call *call)
{
	/* Of the members with the longest TTLs that are a quorum, the shortest TTL counts. */
	unsigned quorum = rl_quorum(call->set->count);
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		uint64_t left = (uint64_t) member->answer.number; /* -1, no end, is longest */
		unsigned longer = 0;
		unsigned alike = 0;
		for (unsigned j = 0; j < call->set->count; j++) {
			const rl_member_call *other = &call->members[j];
			bool has_it = other->vote == RL_VOTE_GRANTED;
			longer += has_it && (uint64_t) other->answer.number > left;
			alike += has_it && other->answer.number == member->answer.number;
		}
		if (member->vote == RL_VOTE_GRANTED && longer < quorum && longer + alike >= quorum) {
			return member->answer.number;
		}
	}
	return 0;
}

int64_t rl_quorum_call_greatest(const rl_quorum_call *call, unsigned *holders)
{
	int64_t greatest = 0;
	*holders = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		if (member->vote != RL_VOTE_GRANTED || member->answer.number < greatest) {
			continue;
		}
		*holders = member->answer.number > greatest ? 1 : *holders + 1;
		greatest = member->answer.number;
	}
	return greatest;
}

int64_t rl_quorum_call_waiters(const rl_quorum_call *call)
{
	int64_t most = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		bool has_more = member->vote == RL_VOTE_GRANTED && member->answer.crowd > most;
		most = has_more ? member->answer.crowd : most;
	}
	return most;
}

rl_loss rl_quorum_call_loss(const rl_quorum_call *call, rl_bytes token)
{
	unsigned absent = 0;
	unsigned taken_over = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		bool is_named = call->request.verb == RL_VERB_OWNER && member->vote == RL_VOTE_GRANTED;
		bool is_refused = member->vote == RL_VOTE_REFUSED;
		bool is_others = is_named
			? !rl_bytes_equal(rl_bytes_of(member->text, member->text_len), token)
			: rl_answer_is_taken_over(&member->answer);
		taken_over += is_others;
		absent += is_refused && !is_others;
	}
	return rl_loss_of_refusals(absent, taken_over);
}

unsigned rl_quorum_call_count(const rl_quorum_call *call, rl_vote vote)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		count += call->members[i].vote == vote;
	}
	return count;
}

unsigned rl_quorum_call_spent(const rl_quorum_call *call)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		count += rl_member_call_is_spent(&call->members[i]);
	}
	return count;
}

bool rl_quorum_call_has_swapped(const rl_quorum_call *call)
{
	unsigned count = 0;
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		count += member->vote == RL_VOTE_GRANTED && member->answer.number == RL_SWAPPED_NOW;
	}
	return count >= rl_quorum(call->set->count);
}

static bool is_overruled(const rl_member_call *member, const rl_renewal_member *renewed)
{
	return member->vote == RL_VOTE_REFUSED && renewed->vote == RL_VOTE_GRANTED &&
		renewed->sent_at > member->heard_at;
}

bool rl_quorum_call_is_overruled(const rl_quorum_call *call, const rl_renewal *renewal)
{
	if (renewal == NULL || rl_renewal_is_lost(renewal)) {
		return false;
	}
	rl_tally tally = {0};
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		bool counts = !is_overruled(member, &renewal->members[i]);
		rl_tally_add(&tally, counts ? member->vote : RL_VOTE_FAILED);
	}
	return rl_tally_outcome(&tally) != RL_VOTE_REFUSED;
}

/* A majority of the Sentinels does not know the service. */
static bool knows_no_primary(const rl_member_call *member)
{
	return member->node == NULL && member->lookup != NULL &&
		member->lookup->vote == RL_VOTE_REFUSED;
}

bool rl_quorum_call_may_pass(const rl_quorum_call *call)
{
	for (unsigned i = 0; i < call->set->count; i++) {
		const rl_member_call *member = &call->members[i];
		if (member->vote != RL_VOTE_FAILED) {
			continue;
		}
		if (knows_no_primary(member)) {
			return false;
		}
		switch (member->err->status) {
			case RL_ERR_NAME:
			case RL_ERR_CONNECT:
			case RL_ERR_TIMEOUT:
			case RL_ERR_CLOSED:
				break;
			case RL_ERR_SERVER:
			case RL_ERR_UNCONFIRMED:
				if (!rl_error_passes(member->err)) {
					return false;
				}
				break;
			case RL_OK:
			case RL_BUSY:
			case RL_ERR_MEMORY:
			case RL_ERR_RANDOM:
			case RL_ERR_ARGUMENT:
			case RL_ERR_TLS:
			case RL_ERR_PROTOCOL:
			case RL_ERR_UNKNOWN:
			case RL_ERR_SLOW:
			case RL_ERR_FORKED:
				return false;
		}
	}
	return true;
}
