/* SPDX-License-Identifier: MIT
 *
 * The structs of quorum calls and member calls. rl_member_call.h has the functions of one member
 * call, and rl_quorum_call.h those of the quorum call.
 */
#ifndef RL_CALL_H
#define RL_CALL_H

#include "core/conn/rl_lookup.h"
#include "core/wire/rl_answer.h"
#include "core/wire/rl_set.h"

typedef enum rl_member_call_state {
	RL_MEMBER_CALL_START,
	RL_MEMBER_CALL_LOOKUP,     /* the Sentinels are asked for the primary */
	RL_MEMBER_CALL_BACKED_OFF, /* asked only as last resort */
	RL_MEMBER_CALL_PAUSED,     /* until resume_at */
	RL_MEMBER_CALL_NAMING,     /* PAUSED; the driver resolves names */
	RL_MEMBER_CALL_LOGIN,      /* the command is sent afterwards */
	RL_MEMBER_CALL_ANSWER,     /* the command is sent */
	RL_MEMBER_CALL_REFUSED,    /* ANSWER, and the login failed */
	/* REFUSED, and the grant is being released. */
	RL_MEMBER_CALL_UNDOING,
	/* The member has granted the caller's token, which is being released. */
	RL_MEMBER_CALL_TAKING_BACK,
	/* The node has answered, and the Sentinels are asked whether this node still is the primary. */
	RL_MEMBER_CALL_CHECKING,
	RL_MEMBER_CALL_DONE,
} rl_member_call_state;

/* How much is unknown about a command, in increasing order. */
typedef enum rl_doubt {
	RL_DOUBT_NONE,
	/* The answer is known, but a copy of the command may still be carried out. */
	RL_DOUBT_STRAY,
	RL_DOUBT_LEFT,    /* the answer was not awaited */
	RL_DOUBT_GUARDED, /* LEFT, and an undo follows */
	/* In doubt: the command was sent, and its answer is lost or makes no sense. */
	RL_DOUBT_UNKNOWN,
} rl_doubt;

static inline rl_doubt rl_doubt_add(rl_doubt a, rl_doubt b)
{
	return a > b ? a : b;
}

typedef struct rl_quorum_call rl_quorum_call;

typedef struct rl_member_call {
	rl_quorum_call *call;
	rl_error *err; /* the reason of a FAILED vote */
	/* The server that is asked: of a member with several servers, one of its nodes. One
	 * reference. */
	rl_target *node;
	/* Borrowed; NULL = no lookup was needed yet. */
	rl_lookup *lookup;
	/* The following fields are cleared when the member call begins. */
	rl_member_call_state state;
	rl_vote vote;
	rl_channel channel;
	rl_doubt doubt;
	/* The command as last sent. If it is sent again, it keeps the form that the server wants. */
	rl_request sent;
	bool has_dialled; /* the budget includes connect_timeout */
	/* The connection must not be used again: a reply is overdue or makes no sense, or the server is
	 * a replica. */
	bool must_close;
	bool is_taken_back; /* the granted token was released */
	/* How often the command was in vain: a connection broke or failed, or the keys were on two
	 * nodes. */
	unsigned vain;
	/* How many other nodes were asked; of a single server, how often the call has left a
	 * replica. */
	unsigned hops;
	int64_t heard_at; /* the answer arrived; 0 = not yet */
	int64_t budget_end;
	int64_t budget_max; /* the limit for budget_end */
	int64_t resume_at;
	int64_t timeout; /* of one answer */
	int64_t connect_timeout;
	rl_answer answer; /* its text is the next field */
	char *text;       /* owned */
	size_t text_len;
} rl_member_call;

/* Which answers a quorum call waits for once the outcome is known. */
typedef enum rl_wanted {
	RL_WANTED_DECISION, /* none */
	RL_WANTED_SOON,     /* answers within the grace time */
	RL_WANTED_ALL,
} rl_wanted;

struct rl_quorum_call {
	/* Set, pool and env are borrowed, and outlive the call. */
	rl_set *set;
	rl_pool *pool;
	const rl_env *env;
	rl_request request;
	/* RELEASE: ownership was proven, so a refusal after a lost answer means that the first copy has
	 * freed the lock. */
	bool was_held;
	/* The token (SWAP: the fresh token) is the caller's, and is undone only after the answer that
	 * granted it. */
	bool is_own_token;
	/* Borrowed. The lines on which the member calls share connections with those of other quorum
	 * calls of the operation; NULL = each has a connection of its own. */
	rl_lines *lines;
	rl_member_call *members; /* in the operation's block */
	unsigned char *order;    /* of rl_order(); in the block */
	rl_wanted wanted;
	/* A bit for each member where the caller's token is in doubt. Such a member is not asked for
	 * the lock again. */
	unsigned spent;
	rl_vote outcome; /* OPEN = not known yet */
	int64_t begun_at;
	int64_t call_up_at; /* backed-off members are asked then */
	int64_t grace_end;  /* set once the outcome is known */
};

static inline unsigned rl_member_call_index(const rl_member_call *member)
{
	return (unsigned) (member - member->call->members);
}

static inline const rl_member *rl_member_call_server(const rl_member_call *member)
{
	return &member->call->set->members[rl_member_call_index(member)];
}

/* rl_set_unheard_patience() for the connection of this member call. */
static inline int64_t rl_member_call_patience(const rl_member_call *member)
{
	return rl_set_unheard_patience(member->call->set, member->timeout);
}

/* The member has carried out the command, but too few of its replicas have confirmed it. */
static inline bool rl_member_call_is_unconfirmed(const rl_member_call *member)
{
	return member->vote == RL_VOTE_FAILED && member->err->status == RL_ERR_UNCONFIRMED;
}

static inline bool rl_member_call_is_spent(const rl_member_call *member)
{
	return (member->call->spent >> rl_member_call_index(member) & 1U) != 0;
}

#endif
