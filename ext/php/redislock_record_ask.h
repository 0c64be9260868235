/* SPDX-License-Identifier: MIT
 *
 * The questions of a lease to its servers: a record asks, whichever of its objects the script has
 * used, and the answer is noted in the record's lease. Signal handlers may run meanwhile, and may
 * release the lock: the caller looks at the lease again afterwards.
 */
#ifndef REDISLOCK_RECORD_ASK_H
#define REDISLOCK_RECORD_ASK_H

#include "php/redislock_record.h"

/* Sends the command of a verb with the token of the lease.
 * @return the call, to be ended with redislock_call_end(); NULL = an exception was thrown */
redislock_call *redislock_record_ask(redislock_record *record, rl_verb verb, int64_t ttl_ms);

/* Releases the locks of several leases, for which rl_lease_leave() was called, at once.
 * @param records of one client, whose leases are open; at most REDISLOCK_RELEASES_MAX
 * @param[in,out] is_ours false if one of the locks was not ours
 * @return false = an exception was thrown: at least one lock may not be free, and the watchdog
 *   repeats its release */
bool redislock_records_ask_release(redislock_record **records, size_t count, bool *is_ours);

/* Notes a loss if the servers say that another holder has the lock, or none. False = an exception
 * was thrown. */
bool redislock_record_verify(redislock_record *record);

/* Sets a new TTL on the servers. False = the lock is lost, or an exception was thrown. */
bool redislock_record_extend(redislock_record *record, int64_t ttl_ms);

/* False = the key can have no fencing number, and an exception was thrown. */
bool redislock_record_may_fence(const redislock_record *record);

/* Asks for the number of the holding, and notes it in the record. A signal handler may have asked
 * for it meanwhile. False = an exception was thrown. */
bool redislock_record_fence(redislock_record *record);

/* How long the end of a section waits at most: as long as a release may take. */
int64_t redislock_record_release_limit(const redislock_record *record);

#endif
