/* SPDX-License-Identifier: MIT
 *
 * A network, a clock and random bytes that do as the test says, and a driver that steps an
 * operation against them. There is one of each, with up to eight servers ("a" to "h"). The fake
 * never calls malloc. fake_route.h makes members of several servers.
 *
 * A test says in advance how the next dials and commands end. The fake then writes a log with one
 * line for each dial, command and close, with the milliseconds since the start and the number of
 * the link:
 *
 *     0 a1 dial
 *     0 a1 SET k T1 NX PX 30000        the words are those of fake_words.h
 *     0 a1 NAME
 *     5 a1 try k T1 30000 0 0 - 1
 *     9 a1 close
 */
#ifndef FAKE_H
#define FAKE_H

#include "core/lock/rl_acquire.h"
#include "core/lock/rl_plain.h"

#define FAKE_MEMBERS 5
#define FAKE_SERVERS 8
#define FAKE_START (1000 * RL_NS_PER_SECOND)
#define MS RL_NS_PER_MS
#define SECOND RL_NS_PER_SECOND

/* What comes of a dial. */
typedef enum fake_dial {
	FAKE_ACCEPT,         /* after the delay; with 0, when the driver has looked once */
	FAKE_ACCEPT_AT_ONCE, /* as a unix socket does */
	FAKE_REFUSE,         /* told by dial() itself */
	FAKE_REFUSE_LATER,   /* after the delay */
	FAKE_HANG,           /* nothing ever comes of it */
	FAKE_NO_NAME,        /* the name has no address */
	FAKE_GREET,          /* connects, says the text unasked and breaks */
} fake_dial;

/* What comes of a command about a lock. */
typedef enum fake_act {
	FAKE_SAY,          /* the server answers after the delay */
	FAKE_SAY_TWICE,    /* and once more at the same moment */
	FAKE_SAY_BREAK,    /* answers, and closes */
	FAKE_SILENCE,      /* no answer, nor to what stands behind it on this link */
	FAKE_BREAK,        /* takes it, and closes after the delay */
	FAKE_NONSENSE,     /* takes it, and answers what is not the protocol */
	FAKE_BREAK_UNSENT, /* the system finds the link broken, and takes nothing */
	FAKE_BREAK_HALF,   /* the system takes half of it, and finds the link broken */
	FAKE_HALF,         /* the system takes half of it, and the rest after the delay */
} fake_act;

/* Each reading of it is a nanosecond later than the one before, so core sees no time twice. Tests
 * give times in milliseconds: what happens within FAKE_BLINK of one happens at that time. */
extern int64_t fake_clock;
#define FAKE_BLINK 1000

/* The time is this one, but for some readings of the clock. */
#define CHECK_TIME(time, wanted) \
 CHECK_INT(((time) + FAKE_BLINK / 2) / FAKE_BLINK, (wanted) / FAKE_BLINK)

/* Until when a driver goes on that is told to drive to this time. */
int64_t fake_end_of(int64_t time);

/* For a test whose model of core computes with the same nanoseconds: a reading takes no time. */
void fake_hold_clock(void);
extern rl_env fake_env;
extern rl_stats fake_stats;
extern rl_set fake_set; /* a test may alter it before the operation is made */
extern rl_pool fake_pool;
extern rl_transport fake_transport;
extern rl_target fake_targets[FAKE_SERVERS];

/* Starts over with so many servers, timeouts of 1 s, back-off of 10 ms to 200 ms without jitter.
 * Waiters poll; a test of the others sets fake_set.wakes. */
void fake_begin(unsigned members);

/* Frees the operations that the test made, clears the pool, and sees to it that nothing is left. */
void fake_end(void);

/* True = fake_end() frees the routes of the set, because fake_route.h has made them. */
extern bool fake_owns_routes;

/* ---- what will happen ---- */

/* The next dial to a member that nothing is said of yet. Without any it is accepted. */
void fake_dials(unsigned member, fake_dial what, int64_t delay);
void fake_greets(unsigned member, const char *text);
void fake_refuses(unsigned member, unsigned dials); /* this many of the next dials */

/*
 * The next command about a lock to a member, or WAIT. Without any, an undo (EVAL of release) is
 * answered with :1 and all else with silence. A WAIT blocks its link for the delay.
 * @param text borrowed: "+OK", "-ERR ..", "$text", ":1", "_" for nil, "*:0 :500 :1" for an array
 */
void fake_acts(unsigned member, fake_act what, const char *text, int64_t delay);
void fake_says(unsigned member, const char *text);

typedef struct fake_plan {
	fake_act what;
	const char *text;
	int64_t delay;
} fake_plan;

/* Beside what the operation waits for: RL_NEVER, or when to call this, which sets the next time. */
extern int64_t fake_alarm;
extern void (*fake_on_alarm)(void);

/* From now on the member acts like this on each command that begins with this word: "ASKING",
 * "CLUSTER" or "SENTINEL". Without this call such a command is like a command about a lock.
 * @param text "#0 99 a 6379;100 16383 b 6379" is a map, which gives the slots up to 99 to a */
void fake_always(unsigned member, const char *word, fake_act what, const char *text, int64_t delay);

/* NULL, or asked about each command without a plan, twice: before the system takes it, when only
 * the acts count that concern the taking, and when the server runs it. Its words are those of the
 * log. For BLPOP the delay is how long it blocks.
 * @return false = no idea */
extern bool (*fake_improvise)(const char *words, bool is_taken, fake_plan *plan);

/* For fake_improvise: all servers answer 1 at once. */
bool fake_yes(const char *words, bool is_taken, fake_plan *plan);

/* The command that is asked about: when the server runs it, which server that is, and the command
 * as tests/model reads it; NULL = the model does not know such a command. */
extern int64_t fake_run_at;
extern unsigned fake_run_on;
extern const struct rl_model_command *fake_run_command;

/* A BLPOP blocks its link for as long as it says, and then comes to nothing. What stands behind it
 * meets its plan when it is run. */
#define FAKE_TICKET "*$k::rl-wake $1"

/* What comes of the next BLPOP instead, after the delay. */
void fake_blpops(unsigned member, fake_act what, const char *text, int64_t delay);

/* Who blocks at the member for longest gets a ticket after the delay. */
void fake_wakes(unsigned member, int64_t delay);

unsigned fake_blocked_links(void);
unsigned fake_blocked_on(unsigned member);

/* How the server's end behind ours shows: 0 = as a clean one, else an errno. */
extern int fake_end_errno;

/* From now on the member answers AUTH, SELECT, ROLE or CLIENT with this text; NULL = silence.
 * Without this call the answer is "+OK", and to ROLE "master". */
void fake_login_says(unsigned member, const char *what, const char *text);

/* What distrust() says from now on, and how often it was called. */
extern bool fake_names_move;
extern unsigned fake_distrusts;

/* Closes the member's open links from its side. What is sent on them from now on is lost. */
void fake_kill(unsigned member);

/* The next time that the clock moves, this much more passes before core is stepped. */
void fake_lag(int64_t ns);
int64_t fake_take_lag(void); /* for a driver */

void fake_fork(void);

/* Random bytes: so many more draws work. */
void fake_random_draws(unsigned left);

/* NULL, or asked at each dial and append: true = there is no memory for it. */
extern bool (*fake_lacks_memory)(void);

/* Puts a connection to the member into the pool, and forgets the log. Plans stay for later. */
void fake_warm(unsigned member);
void fake_warm_to(rl_target *target);

/* The driver's part for one link: connects it, reads what has arrived by now. */
void fake_read(rl_link *link);

/* ---- operations ---- */

/* They are abandoned and freed by fake_end() unless fake_free() did. */
rl_acquire *fake_acquire(int64_t ttl_ms, int64_t wait_ns);
rl_acquire *fake_acquire_own(const char *token, int64_t ttl_ms, int64_t wait_ns);
rl_op *fake_ask(rl_verb verb, const char *token, int64_t ttl_ms);
rl_op *fake_plain(const rl_plain_args *args);

/* See rl_op_leaves(). */
bool fake_leaves_something(const rl_op *op);
rl_op *fake_take_over(const char *token, int64_t ttl_ms);
void fake_free(rl_op *op);

/* Drives to the end, fails the test when there is none. */
rl_status fake_drive(rl_op *op);

/* Drives until the clock would pass the time; the clock then stands there. True = done. */
bool fake_drive_to(rl_op *op, int64_t time);

/* Milliseconds since the start. */
int64_t fake_ms(void);

/* What the last step said to wait for. */
extern rl_wait fake_wait;

/* ---- what did happen ---- */

const char *fake_log(void);
void fake_forget_log(void);
unsigned fake_count(const char *part); /* how often the log has it */
unsigned fake_open_links(void);
extern unsigned fake_looks;  /* calls of is_alive */
extern unsigned fake_writes; /* flushes by which the system took whole commands */
extern unsigned fake_steps;  /* of all operations */

#define CHECK_LOG(wanted) CHECK_TEXT(fake_log(), wanted)
#define CHECK_COUNT(part, wanted) CHECK_INT(fake_count(part), wanted)

#endif
