/* SPDX-License-Identifier: MIT
 *
 * An errand: one command to one member, until it is answered. The design is in rl_errand.c.
 *
 * An errand belongs to its caller, such as a quorum call, and to the thread of it.
 */
#ifndef RL_ERRAND_H
#define RL_ERRAND_H

#include "core/conn/rl_lookup.h"
#include "core/wire/rl_answer.h"
#include "core/wire/rl_set.h"

typedef enum rl_errand_state {
	RL_ERRAND_START,
	RL_ERRAND_LOOKUP,     /* the Sentinels are asked for the primary */
	RL_ERRAND_BACKED_OFF, /* asked only as last resort */
	RL_ERRAND_PAUSED,     /* until resume_at */
	RL_ERRAND_NAMING,     /* PAUSED; the driver resolves names */
	RL_ERRAND_LOGIN,      /* the command is sent afterwards */
	RL_ERRAND_ANSWER,     /* the command is sent */
	RL_ERRAND_REFUSED,    /* ANSWER, and the login failed */
	/* REFUSED, and the grant is being released. */
	RL_ERRAND_UNDOING,
	/* The node has answered, and the Sentinels are asked whether this node still is the primary. */
	RL_ERRAND_CHECKING,
	RL_ERRAND_DONE,
} rl_errand_state;

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

/* The answer to the BLPOP before a try in the wait queue. */
typedef enum rl_blpop {
	RL_BLPOP_UNHEARD,
	RL_BLPOP_NOTHING, /* timed out */
	RL_BLPOP_TICKET,
	RL_BLPOP_LATER, /* an error that may pass */
	RL_BLPOP_NEVER, /* an error that does not */
} rl_blpop;

/* What has become of the token. */
typedef struct rl_settlement {
	/* An undo was written, so this token must not be used again. */
	bool was_undone;
	/* Of several errands the greatest. UNKNOWN = a member may hold this token. */
	rl_doubt doubt;
} rl_settlement;

typedef enum rl_undo {
	RL_UNDO_NOTHING,
	RL_UNDO_ALL, /* grants, and commands in doubt */
	/* The same, except where the server would refuse the undo as well: there the token will be
	 * tried again as "maybe ours". */
	RL_UNDO_BUT_REFUSALS,
} rl_undo;

/* What the errands of one caller have in common. The caller fills in the terms, and keeps them
 * where they are while an errand is open. */
typedef struct rl_errand_terms rl_errand_terms;
struct rl_errand_terms {
	/* Set, pool and env are borrowed, and outlive the errands. */
	rl_set *set;
	rl_pool *pool;
	const rl_env *env;
	/* The command. In the same write BLPOP precedes a try of RL_PLACE_QUEUED, and blocks for
	 * block_ms. */
	rl_request request;
	/* RELEASE: ownership was proven, so a refusal after a lost answer means that the first copy has
	 * freed the lock. SET: the lease is held, and the lock is put back. */
	bool was_held;
	/* The token (SWAP: the fresh token) is the caller's, who may use it again after an undo. */
	bool is_own_token;
	/* A command that is in doubt is not sent again: a break of its connection ends the errand. */
	bool is_once;
	/* The command is queued only once its connection is established and logged in: so its TTL is
	 * right, and until then the command can be withdrawn. */
	bool waits_for_login;
	/* The command was withdrawn: nothing more is sent, and only the answer to what was sent
	 * counts. The caller may set this while the errand is open. */
	bool is_withdrawn;
	/* How long an answer, and a connection, may take at most; 0 = as the set says. */
	int64_t patience;
	/* Fills in what may have changed by the time the command is sent. False = it must not be sent
	 * any more. NULL = nothing changes. */
	bool (*refresh)(rl_errand_terms *terms, int64_t now);
	/* RELEASE: another token that the key may have. It is turned into the token of the request
	 * first, by a swap in the same write, so that one answer covers both tokens. No data = none. */
	rl_bytes other;
	/* Borrowed. The lines on which the errands share connections with those of other callers; NULL
	 * = each errand has a connection of its own. */
	rl_lines *lines;
	int64_t begun_at;
	int64_t call_up_at; /* backed-off servers are asked then */
};

typedef struct rl_errand {
	rl_errand_terms *terms;  /* borrowed */
	const rl_member *server; /* of terms->set */
	rl_error *err;           /* the reason of a FAILED vote */
	/* The server that is asked: of a member with several servers, one of its nodes. One
	 * reference. */
	rl_target *node;
	/* Borrowed; NULL = no lookup was needed yet. */
	rl_lookup *lookup;
	/* The command as last sent. If it is sent again, it keeps the form that the server wants. */
	rl_request sent;
	/* rl_errand_begin() clears the fields from here to the end. */
	rl_errand_state state;
	rl_vote vote;
	rl_channel channel;
	rl_doubt doubt;
	bool has_dialled; /* the budget includes connect_timeout */
	/* The connection must not be used again: a reply is overdue or makes no sense, or the server is
	 * a replica. */
	bool must_close;
	/* How often the command was in vain: a connection broke or failed, or the keys were on two
	 * nodes. */
	unsigned vain;
	/* How many other nodes were asked; of a single server, how often the call has left a
	 * replica. */
	unsigned hops;
	/* Of a try in the wait queue: its BLPOP, whether an empty command has followed that, and where
	 * the answer to BLPOP redirects to. One reference. */
	rl_blpop blpop;
	bool is_prodded;
	rl_destination next;
	/* The vote stands although the Sentinels could not be asked about its node. */
	bool is_unchecked;
	int64_t heard_at; /* the answer arrived; 0 = not yet */
	int64_t budget_end;
	int64_t budget_max; /* the limit for budget_end */
	int64_t resume_at;
	int64_t timeout; /* of one answer */
	int64_t connect_timeout;
	rl_answer answer; /* its text and its labels are the next fields */
	char *text;       /* owned; the labels stand behind the text */
	size_t text_len;
	size_t labels_len;
} rl_errand;

/* rl_set_unheard_ns() for the connection of this errand. */
static inline int64_t rl_errand_unheard_ns(const rl_errand *errand)
{
	return rl_set_unheard_ns(errand->terms->set, errand->timeout);
}

/* The member has carried out the command, but too few of its replicas have confirmed it. */
static inline bool rl_errand_is_unconfirmed(const rl_errand *errand)
{
	return errand->vote == RL_VOTE_FAILED && errand->err->status == RL_ERR_UNCONFIRMED;
}

/* Starts over. For latest see rl_quorum_call_begin(). */
void rl_errand_begin(rl_errand *errand, int64_t now, int64_t latest);

/* Call after rl_errand_begin(): the errand uses this connection, which it owns from now on.
 * @param is_asking commands on it need ASKING */
void rl_errand_use(rl_errand *errand, rl_conn *conn, bool is_asking);

/* The same, if the member has granted the lock already on this connection. */
void rl_errand_adopt(rl_errand *errand, rl_conn *conn, bool is_asking, int64_t sent_at);

/* From now on the member is asked although it is backed off. */
void rl_errand_call_up(rl_errand *errand);

/* Continues as far as possible without waiting. */
void rl_errand_step(rl_errand *errand, const rl_tick *tick);

/* Adds what the errand waits for, unless it is done. */
void rl_errand_add_to_wait(const rl_errand *errand, rl_wait *wait);

/* The command may have been carried out, and its answer may still come. */
bool rl_errand_is_unanswered(const rl_errand *errand);

/* Ends the errand with this vote, and keeps its connection. */
void rl_errand_finish(rl_errand *errand, rl_vote vote);

/* Ends the errand at any moment: writes an undo if asked, and gives the connection back. */
rl_settlement rl_errand_settle(rl_errand *errand, rl_undo undo, int64_t now);

/* Frees what the errand owns besides its connection. */
void rl_errand_clear(rl_errand *errand);

#endif
