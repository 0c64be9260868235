/* SPDX-License-Identifier: MIT
 *
 * Answers: reads the reply to a command as a vote. The functions keep no state.
 */
#ifndef RL_ANSWER_H
#define RL_ANSWER_H

#include "core/wire/rl_command.h"

/* True for a reply that is neither a refusal nor an error, to a verb of which
 * rl_request_is_confirmed() is true. */
bool rl_reply_is_yes(const rl_reply *reply);

/* The reply is no vote: the command must be sent again in another form. */
typedef enum rl_again {
	RL_AGAIN_NOT,
	RL_AGAIN_AS_TEXT,    /* the server lacks the script */
	RL_AGAIN_NO_HELPERS, /* without the helper keys */
	/* Without the helper keys, and so must all commands about other locks. */
	RL_AGAIN_NEVER_HELPERS,
	/* The key is no string, and its type shows whether it is a lock. */
	RL_AGAIN_BY_TYPE,
	/* After a pause: the keys of the command, none of which it can do without, are on two nodes. */
	RL_AGAIN_LATER,
} rl_again;

#define RL_NO_NUMBER (-2)

/* rl_answer.number of an EXTEND, RENEW or FENCE that was refused: another holder has the key. */
#define RL_TAKEN_OVER (-1)

static inline bool rl_again_is_without_helpers(rl_again again)
{
	return again == RL_AGAIN_NO_HELPERS || again == RL_AGAIN_NEVER_HELPERS;
}

/* rl_answer.number of a RELEASE or FORCE: the lock was freed, but the waiters could not be woken.
 */
#define RL_FREED_UNTOLD 2

/* rl_answer.number of a RELEASE that was to leave a mark: the key had the mark already. */
#define RL_MARKED_BEFORE 3

/* rl_answer.number of a SWAP that was granted. */
#define RL_SWAPPED_NOW 1
/* The key held the fresh token already. */
#define RL_SWAPPED_BEFORE 2

/* What a reply means. */
typedef struct rl_answer {
	/* BLPOP: GRANTED = a ticket has arrived. PROBE: GRANTED = the lock was looked at. */
	rl_vote vote;
	rl_again again;
	/* REMAINING, INSPECT: the PTTL. PROBE, and a refused TRY: the PTTL of the holder. SWAP, even if
	 * it is unconfirmed, RELEASE, FORCE, EXTEND, RENEW: see above. FENCE: the number in the key; if
	 * it is refused, as EXTEND. RL_NO_NUMBER before a reply was read, and after an error. */
	int64_t number;
	/* TRY, PROBE: the server's time; 0 = unknown, or the helper keys cannot be used. */
	int64_t time_us;
	rl_holder holder; /* TRY that was refused, PROBE, INSPECT */
	rl_ticket ticket; /* PROBE */
	unsigned permit;  /* TRY that was granted: which of several permits, from 0 on */
	/* TRY that was refused, PROBE, INSPECT: about how many clients wait. */
	int64_t crowd;
	/* Borrowed from the reply. OWNER, INSPECT: the token. TRY that was refused, PROBE: the label in
	 * the holder's token. */
	rl_bytes text;
	/* INSPECT, borrowed as well: the labels of waiters, separated by spaces. */
	rl_bytes labels;
} rl_answer;

/* The lock was freed, but the waiters could not be woken. */
static inline bool rl_answer_is_untold(const rl_answer *answer, rl_verb verb)
{
	return (verb == RL_VERB_RELEASE || verb == RL_VERB_FORCE) && answer->number == RL_FREED_UNTOLD;
}

/* The refusal of an EXTEND, RENEW or FENCE: another holder has the key. */
static inline bool rl_answer_is_taken_over(const rl_answer *answer)
{
	return answer->vote == RL_VOTE_REFUSED && answer->number == RL_TAKEN_OVER;
}

/* @param[out] err filled when the vote is RL_VOTE_FAILED */
void rl_answer_read(const rl_request *request, const rl_reply *reply, rl_answer *answer,
	rl_error *err, const rl_bytes *secrets, unsigned secret_count);

#endif
