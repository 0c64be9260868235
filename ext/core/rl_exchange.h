/* SPDX-License-Identifier: MIT
 *
 * An exchange: one command to every member of a set, within one budget of time, until the outcome is
 * decided. The only place that dials, sends, reads and judges timeouts, with rl_seat.c.
 *
 * DESIGN
 *
 * Each member has a seat. A seat takes a connection from the pool or dials one, sends, and waits for its
 * answer; what ends it is a vote:
 *
 *     START -> LOGIN -> ANSWER -> DONE          LOGIN: only for commands that must not reach a wrong
 *        ^       |        |                     database; one that takes a lock travels with AUTH and
 *        +-- PAUSED <-----+  (broken)           SELECT in one write, and is undone (UNDO) if they fail
 *
 * The budget is one timeout, plus one connect timeout if the seat has to dial. A connection that breaks
 * inside it is replaced and the command sent again, at once and then with back-off. A server that
 * refuses the connection ends the seat, unless an earlier connection took the command: then the seat is
 * in doubt, and asking again is the only way to know. A connection that talks nonsense also ends it.
 *
 * In doubt: a command was handed over whole, and its answer is lost. For a lock that we tried to take,
 * the next command is a TRY that says that we are owed an answer; it finds our own token. A caller's own
 * token may stand for somebody else's lock, so there "it holds this token" stays unknown.
 *
 * Ownership: seats hold connections only between begin and settle; after settle the pool has them or
 * they are closed. Undoing is part of settle: a compare-and-delete behind the unanswered command on the
 * same connection can never overtake it.
 */
#ifndef RL_EXCHANGE_H
#define RL_EXCHANGE_H

#include "core/rl_pool.h"
#include "core/rl_set.h"

typedef enum rl_seat_state {
	RL_SEAT_START,
	RL_SEAT_LOGIN,
	RL_SEAT_ANSWER,
	RL_SEAT_UNDO,
	RL_SEAT_PAUSED,
	RL_SEAT_DONE,
} rl_seat_state;

typedef struct rl_seat {
	rl_seat_state state;
	rl_vote vote;
	rl_conn *conn;      /* NULL when it has none */
	bool has_dialled;   /* the budget has its connect timeout */
	bool is_connecting; /* and has not been cut back to what is left after connecting */
	bool is_in_doubt;   /* a server took the command; its answer is lost, or makes no sense */
	bool
		has_strays; /* a copy of the command may still be carried out, whatever was answered since */
	bool is_text;   /* the server does not know the script: EVAL */
	bool is_alone;  /* scripts go without the helper keys */
	bool was_forbidden; /* because the server does not allow them */
	bool is_refused;    /* the login failed; err says why */
	bool must_close;    /* conn is not to be used again: it owes an answer past its time, or lies */
	unsigned breaks;    /* connections that broke in this exchange */
	uint64_t command_end; /* last byte of the command on conn */
	int64_t sent_at;      /* not later than the first hand-over of the command; 0 = not yet */
	int64_t budget_end;
	int64_t budget_max; /* dialling cannot extend the budget beyond this */
	int64_t connect_end;
	int64_t resume_at; /* PAUSED */
	rl_answer answer;  /* what was said; its text is the next one */
	char *text;        /* owned */
	size_t text_len;
	rl_error err; /* why the vote is FAILED; last, for it is not cleared */
} rl_seat;

typedef struct rl_exchange {
	const rl_set *set; /* borrowed, as are the next two; they outlive the exchange */
	rl_pool *pool;
	const rl_env *env;
	rl_request request;
	bool
		was_held; /* RELEASE: ownership was proven, so that it was ours even if a lost answer said so */
	bool is_own_token; /* the caller's: never owed, undone only after the answer that granted it */
	rl_seat *seats;    /* one for each member; memory of whoever holds the exchange */
} rl_exchange;

/* Starts over: all seats open. Nothing is sent before the first step.
 * @param latest no budget goes beyond this plus one timeout; RL_NEVER = no such limit */
void rl_exchange_begin(rl_exchange *exchange, int64_t now, int64_t latest);

/* Goes on as far as it can without waiting.
 * @return the outcome; RL_VOTE_OPEN = not decided, and what it waits for was added to *wait */
rl_vote rl_exchange_step(rl_exchange *exchange, const rl_tick *tick, rl_wait *wait);

/* What became of the connections and grants. */
typedef struct rl_settlement {
	bool was_undone;  /* an undo was written: this token must not be used again */
	bool is_in_doubt; /* a member may hold this token, and no undo could be written */
} rl_settlement;

typedef enum rl_undo {
	RL_UNDO_NOTHING,
	RL_UNDO_ALL,          /* take back what members granted or may have granted */
	RL_UNDO_BUT_REFUSALS, /* the same, but not where the server would refuse an undo, too: the token will be
	                       * tried again as owed */
} rl_undo;

/* Ends the exchange at any moment: writes undos if asked, gives connections back or closes them. */
rl_settlement rl_exchange_settle(rl_exchange *exchange, rl_undo undo, int64_t now);

/* Notes what a member said by another way than this exchange, which is settled: a grant, for
 * rl_exchange_hold(), or a failure. */
void rl_exchange_note_grant(rl_exchange *exchange, unsigned member);
void rl_exchange_note_failure(rl_exchange *exchange, unsigned member, const rl_error *err);

/* Takes the idle connections of the granting members again, after the end, so that the grant can still be
 * undone on them: by settling once more.
 * @param is_owed also where the token may be held through an earlier exchange */
void rl_exchange_hold(rl_exchange *exchange, bool is_owed, int64_t now);

/* The same as settling, in a forked child: closes the connections, which are the parent's, and sends nothing. */
void rl_exchange_drop(rl_exchange *exchange);

/* When the earliest of the granting members was asked. */
int64_t rl_exchange_sent_at(const rl_exchange *exchange);

/* A member may carry the command out once more, at any time: a connection broke when it had taken it. */
bool rl_exchange_has_strays(const rl_exchange *exchange);

/* The seat that speaks for the outcome: the first with that vote. */
const rl_seat *rl_exchange_speaker(const rl_exchange *exchange, rl_vote outcome);

/* True when each failure may pass by itself: connections, and errors such as LOADING. */
bool rl_exchange_may_pass(const rl_exchange *exchange);

#endif
