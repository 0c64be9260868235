/* SPDX-License-Identifier: MIT
 *
 * What a quorum call and its member calls consist of. rl_member_call.h has what one member call
 * does, rl_quorum_call.h what is done with all of them, and the design.
 */
#ifndef RL_CALL_H
#define RL_CALL_H

#include "core/conn/rl_channel.h"
#include "core/wire/rl_set.h"

typedef enum rl_member_call_state {
	RL_MEMBER_CALL_START,
	RL_MEMBER_CALL_BACKED_OFF,  /* its server has failed lately: it is asked as the last resort only
								 */
	RL_MEMBER_CALL_PAUSED,      /* until resume_at */
	RL_MEMBER_CALL_NAMING,      /* the same, and the driver resolves the member's name first */
	RL_MEMBER_CALL_LOGIN,       /* the command waits for the end of the login */
	RL_MEMBER_CALL_ANSWER,      /* the command is sent, perhaps with the login */
	RL_MEMBER_CALL_REFUSED,     /* the same, and the login failed; err says why */
	RL_MEMBER_CALL_UNDOING,     /* and what the command has taken is being released */
	RL_MEMBER_CALL_TAKING_BACK, /* the member has granted the caller's token, which is being
								   released */
	RL_MEMBER_CALL_DONE,
} rl_member_call_state;

/* What is not known of a command, in growing order. */
typedef enum rl_doubt {
	RL_DOUBT_NONE,
	RL_DOUBT_STRAY,   /* the outcome is known, but a copy of the command may still be carried out */
	RL_DOUBT_LEFT,    /* its answer was not waited for */
	RL_DOUBT_GUARDED, /* the same, and an undo follows it */
	RL_DOUBT_UNKNOWN, /* a server took it, and its answer is lost, or makes no sense */
} rl_doubt;

static inline rl_doubt rl_doubt_add(rl_doubt a, rl_doubt b)
{
	return a > b ? a : b;
}

typedef struct rl_quorum_call rl_quorum_call;

typedef struct rl_member_call {
	rl_quorum_call *call;
	rl_error *err; /* why the vote is FAILED */
	/* What follows is cleared when the call begins. */
	rl_member_call_state state;
	rl_vote vote;
	rl_channel channel;
	rl_doubt doubt;
	rl_request sent;  /* the command as it was sent last; the form that the server wants stays */
	bool has_dialled; /* the budget has its connect timeout */
	bool must_close;  /* the connection is not to be used again: it owes an answer past its time, or
						 lies */
	bool has_moved;   /* it left a server that is a replica */
	bool is_taken_back; /* the caller's token was granted there, and released again */
	unsigned breaks;    /* connections that broke */
	int64_t heard_at;   /* when the answer came; 0 = not yet */
	int64_t budget_end;
	int64_t budget_max; /* dialling cannot extend the budget beyond this */
	int64_t resume_at;
	int64_t timeout; /* of one answer */
	int64_t connect_timeout;
	rl_answer answer; /* its text is the next field */
	char *text;       /* owned */
	size_t text_len;
} rl_member_call;

/* Which answers are waited for although the outcome is known. */
typedef enum rl_wanted {
	RL_WANTED_DECISION, /* none */
	RL_WANTED_SOON,     /* those that come in the time of grace */
	RL_WANTED_ALL,
} rl_wanted;

struct rl_quorum_call {
	rl_set *set; /* borrowed, as are the next two; they outlive the call */
	rl_pool *pool;
	const rl_env *env;
	rl_request request;
	/* RELEASE: ownership was proven, so that the lock was ours even if a lost answer said so. */
	bool was_held;
	/* The token is the caller's (SWAP: the fresh one is): it is undone only after the answer that
	 * granted it. */
	bool is_own_token;
	rl_member_call *members; /* memory of the operation, as is the next */
	unsigned char *order;    /* the members, for this key */
	rl_wanted wanted;
	/* A bit for each member where it is unknown what became of the caller's token: it is not asked
	 * for the lock again. */
	unsigned spent;
	rl_vote outcome; /* OPEN = not known yet */
	int64_t begun_at;
	int64_t call_up_at; /* then those that are backed off are asked, too */
	int64_t grace_end;  /* the outcome is known: others are waited for until then */
};

static inline bool rl_call_is_several(const rl_quorum_call *call)
{
	return call->set->count > 1;
}

/* Not every answer to the command is read, because the others decide. */
static inline bool rl_call_may_stay_unheard(const rl_quorum_call *call, rl_verb verb)
{
	return rl_call_is_several(call) && rl_verb_changes(verb);
}

static inline unsigned rl_member_call_index(const rl_member_call *member)
{
	return (unsigned) (member - member->call->members);
}

static inline const rl_member *rl_member_call_server(const rl_member_call *member)
{
	return &member->call->set->members[rl_member_call_index(member)];
}

static inline bool rl_member_call_is_spent(const rl_member_call *member)
{
	return (member->call->spent >> rl_member_call_index(member) & 1U) != 0;
}

#endif
