/* SPDX-License-Identifier: MIT
 *
 * The names of the keys of a lock.
 */
#ifndef RL_NAMES_H
#define RL_NAMES_H

#include "core/base/rl_status.h"

/* The suffixes of a key's helper keys, the marks and the tickets; rl_queue.h has their design. */
#define RL_MARK_SUFFIX "::rl-wait"
#define RL_TICKETS_SUFFIX "::rl-wake"

/* The suffix of the key that has the last fencing number. It is named as the helper keys are. */
#define RL_FENCE_SUFFIX "::rl-fence"

/* The key of the lock and its helper keys. */
typedef struct rl_names {
	rl_bytes lock;
	/* The same, or the key of one of several permits. */
	rl_bytes key;
	/* No data = the lock has no helper keys. */
	rl_bytes mark;
	rl_bytes tickets;
	/* RL_NAMES_IN_SLOT: the slot of all three; otherwise 0. */
	unsigned slot;
} rl_names;

/* How the helper keys are named. */
typedef enum rl_naming {
	RL_NAMES_PLAIN, /* the key and a suffix */
	/* All three names are in the same slot of a cluster. The helper keys of a key without a hash
	 * tag have the key in braces. If such a key has a '}', no name would be in its slot: the key
	 * has no helper keys, and its waiters poll. The names of a key that is nothing but a hash tag
	 * have one colon less, because the key without its braces has the others: see rl_names.c. */
	RL_NAMES_IN_SLOT,
} rl_naming;

/* The lock has helper keys. */
bool rl_names_have_helpers(rl_bytes key, rl_naming naming);

/* The number of bytes that rl_names_put() writes into room at most. */
size_t rl_names_size(size_t key_len);
rl_names rl_names_put(char *room, rl_bytes key, rl_naming naming);

/* The same for the key of the fencing number. rl_names_put() does not write that name, because few
 * operations need it.
 * @return no data = the lock has no helper keys */
size_t rl_names_fence_size(size_t key_len);
rl_bytes rl_names_put_fence(char *room, rl_bytes key, rl_naming naming);

/* A lock that several holders may have at once has a key for each of them: the keys of its permits.
 * The first is the key of the lock. The others have a number: "k#2", "k#3"; on a cluster they are
 * named as the helper keys are, so "{k}#2". Each of these keys is the key of an ordinary lock. (Two
 * locks may share permits if one has the name of a permit of the other, or is the other one in
 * braces. Then fewer holders than allowed may have them, and never more.) */
#define RL_PERMITS_MAX 64

/* The longest name of a permit. */
#define RL_PERMIT_NAME_MAX(key_len) ((key_len) + sizeof "{}#64")

/* The size of the room for the keys of so many permits, of which the first is not copied. 0 = the
 * lock has one permit. */
static inline size_t rl_names_permits_size(size_t key_len, unsigned count)
{
	size_t one = sizeof(rl_bytes) + RL_PERMIT_NAME_MAX(key_len);
	return count > 1 ? _Alignof(rl_bytes) + count * one : 0;
}

/* Writes the keys into room. The lock must have helper keys. @return the keys, in room */
const rl_bytes *rl_names_put_permits(char *room, const rl_names *names, unsigned count);

/* The key may be the helper key of another key, so it is no name for a lock. */
bool rl_names_may_be_helper(rl_bytes key);

#endif
