/* SPDX-License-Identifier: MIT
 *
 * What the threads share: when it is over, what they have seen, and who claims which lock.
 */
#ifndef CREW_H
#define CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CREW_KEYS 5
#define CREW_WORKERS 8

/* X(name): counters, shown at the end. */
#define CREW_EACH(X) \
 X(taken) \
 X(refused) \
 X(failed) \
 X(looks) \
 X(extended) \
 X(doubted) \
 X(released) \
 X(detached) \
 X(dropped) \
 X(deleted) /* by a stranger, under a lease */ \
 X(noticed) /* of these, seen before the proof had ended by itself */ \
 X(lost)    /* without a stranger */ \
 X(excused) /* of these, while the server or this machine stood still */ \
 X(forks) \
 X(children_failed) /* for the server's sake */ \
 X(told)

/* X(name): what must not happen. */
#define CREW_EACH_FAULT(X) \
 X(two_owners) /* proven for two at once */ \
 X(lost_without_a_cause) \
 X(revived)      /* held after it was lost */ \
 X(unnoticed)    /* still held although it was taken away */ \
 X(told_wrongly) /* of a loss that was none, or not at all */ \
 X(bad_children)

typedef struct crew {
	const char *dsn;
	int64_t scale; /* of all times, in percent */
	_Atomic bool is_over;
	_Atomic int owner[CREW_KEYS]; /* the number of who claims the lock; 0 = nobody */
	_Atomic int64_t stood_until;  /* the server or this machine stood still until then */
	_Atomic bool is_standing;
#define CREW_COUNTER(name) _Atomic uint64_t name;
	CREW_EACH(CREW_COUNTER)
	CREW_EACH_FAULT(CREW_COUNTER)
#undef CREW_COUNTER
} crew;

extern crew *the_crew; /* shared with the children of forks */

#define COUNT(name) atomic_fetch_add_explicit(&the_crew->name, 1, memory_order_relaxed)

/* So many ms, scaled. */
static inline int64_t crew_ms(int64_t ms)
{
	return ms * the_crew->scale / 100;
}

void crew_pause(int64_t ms);

/* Whether the loss of a lease with this TTL is excused: the server or this machine stands still, or
 * stood still so recently that the renewals may have come too late. */
bool crew_excuses(int64_t ttl_ms);

/* A worker, from 1; its thread's function. */
void *crew_work(void *number);

/* Forks, with a lease under watch that the child does not have; waits for the child's end. */
struct hand;
struct kept;
void crew_fork(struct hand *hand, struct kept *inherited);

#endif
