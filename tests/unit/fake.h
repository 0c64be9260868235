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
#include "fake_words.h"

#define FAKE_MEMBERS 5
#define FAKE_SERVERS 8
#define FAKE_START (1000 * RL_NS_PER_SECOND)
#define MS RL_NS_PER_MS
#define SECOND RL_NS_PER_SECOND

/* How a dial ends. */
typedef enum fake_dial {
	FAKE_ACCEPT,         /* after the delay; with 0, after the first look of the driver */
	FAKE_ACCEPT_AT_ONCE, /* as a unix socket does */
	FAKE_REFUSE,         /* dial() itself fails */
	FAKE_REFUSE_LATER,   /* after the delay */
	FAKE_HANG,           /* the dial never ends */
	FAKE_NO_NAME,        /* the name has no address */
	FAKE_GREET,          /* the link connects, the server sends the text unasked and closes */
} fake_dial;

/* How a command about a lock ends. */
typedef enum fake_act {
	FAKE_SAY,          /* the server answers after the delay */
	FAKE_SAY_TWICE,    /* the answer comes twice at the same moment */
	FAKE_SAY_BREAK,    /* the server answers, and closes */
	FAKE_SILENCE,      /* no answer to this command, nor to those after it on this link */
	FAKE_BREAK,        /* the server takes the command, and closes after the delay */
	FAKE_NONSENSE,     /* the server answers with bytes that are not the protocol */
	FAKE_BREAK_UNSENT, /* the system finds the link broken, and takes nothing */
	FAKE_BREAK_HALF,   /* the system takes half of the command, and finds the link broken */
	FAKE_HALF,         /* the system takes half of the command, and the rest after the delay */
} fake_act;

/* Each reading of the clock is a nanosecond later than the one before, so core sees no time twice.
 * Tests give times in milliseconds: an event within FAKE_BLINK of a millisecond happens at that
 * millisecond. */
extern int64_t fake_clock;
#define FAKE_BLINK 1000

/* Checks that the time is the wanted one, or later by some readings of the clock. */
#define CHECK_TIME(time, wanted) \
 CHECK_INT(((time) + FAKE_BLINK / 2) / FAKE_BLINK, (wanted) / FAKE_BLINK)

/* The end of a drive to this time. */
int64_t fake_end_of(int64_t time);

/* From now on a reading of the clock takes no time: for a test whose model of core computes with
 * the same nanoseconds. */
void fake_hold_clock(void);
extern rl_env fake_env;
extern rl_stats fake_stats;
extern rl_set fake_set; /* a test may alter it before the operation is made */
extern rl_pool fake_pool;
extern rl_transport fake_transport;
extern rl_target fake_targets[FAKE_SERVERS];

/* Starts over with so many servers, timeouts of 1 s, and a back-off of 10 ms to 200 ms without
 * jitter. Waiters poll, unless the test sets fake_set.wakes. */
void fake_begin(unsigned members);

/* Frees the operations that the test has made, clears the pool, and checks that nothing is left. */
void fake_end(void);

/* True = fake_end() frees the routes of the set, because fake_route.h has made them. */
extern bool fake_owns_routes;

/* ---- plans ---- */

/* Plans the next dial to the member that has no plan yet. A dial without a plan is accepted. */
void fake_dials(unsigned member, fake_dial what, int64_t delay);
void fake_greets(unsigned member, const char *text);
void fake_refuses(unsigned member, unsigned dials); /* plans this many dials */

/* Plans the next command about a lock to the member, or WAIT. Without a plan, an undo (EVAL of
 * release) is answered with :1, and any other command with silence. A WAIT blocks its link for the
 * delay.
 * @param text borrowed: "+OK", "-ERR ..", "$text", ":1", "_" for nil, "*:0 :500 :1" for an array */
void fake_acts(unsigned member, fake_act what, const char *text, int64_t delay);
void fake_says(unsigned member, const char *text);

typedef struct fake_plan {
	fake_act what;
	const char *text;
	int64_t delay;
} fake_plan;

/* The driver calls fake_on_alarm() at this time, and that function sets the next one. RL_NEVER =
 * not at all. */
extern int64_t fake_alarm;
extern void (*fake_on_alarm)(void);

/* From now on the member acts like this on each command that begins with this word: "ASKING",
 * "CLUSTER" or "SENTINEL". Without this call such a command is like a command about a lock.
 * @param text "#0 99 a 6379;100 16383 b 6379" is a map, which gives the slots up to 99 to a */
void fake_always(unsigned member, const char *word, fake_act what, const char *text, int64_t delay);

/* NULL, or a function that plans each command without a plan. The fake calls the function twice:
 * before the system takes the command, when only the acts count that concern the taking, and when
 * the server runs it. The words are those of the log. For BLPOP the delay is how long it blocks.
 * @return false = no plan */
extern bool (*fake_improvise)(const char *words, bool is_taken, fake_plan *plan);

/* For fake_improvise: all servers answer 1 at once. */
bool fake_yes(const char *words, bool is_taken, fake_plan *plan);

/* About the command that fake_improvise() is called for: when and on which server it runs, and the
 * command as tests/model reads it. NULL = the model does not know such a command. */
extern int64_t fake_run_at;
extern unsigned fake_run_on;
extern const struct rl_model_command *fake_run_command;

/* Without fake_blpops() a BLPOP blocks its link for its whole time, and is then answered with nil.
 * The commands after it meet their plans when they run. */
#define FAKE_TICKET "*$k::rl-wake $1"

/* Plans the answer to the next BLPOP, after the delay. */
void fake_blpops(unsigned member, fake_act what, const char *text, int64_t delay);

/* The connection that has blocked for longest at the member gets a ticket after the delay. */
void fake_wakes(unsigned member, int64_t delay);

unsigned fake_blocked_links(void);
unsigned fake_blocked_on(unsigned member);

/* How a close by the server looks: 0 = a clean end, else an errno. */
extern int fake_end_errno;

/* From now on the member answers AUTH, SELECT, ROLE or CLIENT with this text; NULL = not at all.
 * Without this call the answer is "+OK", and to ROLE "master". */
void fake_login_says(unsigned member, const char *what, const char *text);

/* The answers of distrust() from now on, and how often it was called. */
extern bool fake_names_move;
extern unsigned fake_distrusts;

/* Closes the member's open links from its side. Bytes that are sent on these links from now on are
 * lost. */
void fake_kill(unsigned member);

/* When the clock moves next, it moves this much further before core is stepped. */
void fake_lag(int64_t ns);
int64_t fake_take_lag(void); /* for a driver */

void fake_fork(void);

/* From now on so many draws of random bytes work. */
void fake_random_draws(unsigned left);

/* NULL, or a function that each dial and append calls: true = there is no memory for it. */
extern bool (*fake_lacks_memory)(void);

/* Puts a connection to the member into the pool, and forgets the log. Plans are kept for later. */
void fake_warm(unsigned member);
void fake_warm_to(rl_target *target);

/* Does for one link what a driver does: connects it, and reads what has arrived by now. */
void fake_read(rl_link *link);

/* ---- operations ---- */

/* fake_end() abandons and frees these operations, unless fake_free() has done so. */
rl_acquire *fake_acquire(int64_t ttl_ms, int64_t wait_ns);
rl_acquire *fake_acquire_with(const rl_acquire_args *args);
rl_acquire *fake_acquire_own(const char *token, int64_t ttl_ms, int64_t wait_ns);
rl_op *fake_ask(rl_verb verb, const char *token, int64_t ttl_ms);
rl_op *fake_plain(const rl_plain_args *args);

/* See rl_op_leaves(). */
bool fake_leaves_something(const rl_op *op);
rl_op *fake_take_over(const char *token, int64_t ttl_ms);
void fake_free(rl_op *op);

/* Drives the operation to its end. Without an end the test fails. */
rl_status fake_drive(rl_op *op);

/* Drives until the clock would pass the time, where it then stands.
 * @return true = the operation is done */
bool fake_drive_to(rl_op *op, int64_t time);

/* Milliseconds since the start. */
int64_t fake_ms(void);

/* The links and the time that the last step has asked to wait for. */
extern rl_wait fake_wait;

/* ---- what has happened ---- */

const char *fake_log(void);
void fake_forget_log(void);
unsigned fake_count(const char *part); /* how often the part is in the log */
unsigned fake_open_links(void);
extern unsigned fake_looks;  /* calls of is_alive */
extern unsigned fake_writes; /* flushes by which the system took whole commands */
extern unsigned fake_steps;  /* steps of all operations */

#define CHECK_LOG(wanted) CHECK_TEXT(fake_log(), wanted)
#define CHECK_COUNT(part, wanted) CHECK_INT(fake_count(part), wanted)

#endif
