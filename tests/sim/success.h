/* SPDX-License-Identifier: MIT
 *
 * The rules of success: a call that nothing speaks against succeeds.
 *
 *     success  a call on healthy servers, with enough time, is granted: an acquire of a key that is
 *              free and that no other client wants; an extend, a release and a request for a
 *              fencing number of a lock that all living members have
 *     reason   no failure says that memory is out, because no memory ever is; a release and a
 *              request for a fencing number are never refused by a time of grace
 *
 * WHAT IS HEALTHY. A member counts as healthy for a call if, for the call's whole time and for some
 * time before it, nothing was broken that the call may need: the ways between the client and all
 * servers of the member, the servers themselves, the slots of a cluster. Behind Sentinels a
 * majority of them answers and names the primary, and with a time of grace each Sentinel that names
 * it has known it for that time. The time before the call is that in which a client notices what
 * has broken. All members that are not dead for good must be healthy. A connection of the client
 * that died silently, and that the client has not noticed, speaks against a call at any time, and
 * so does a process that stood still.
 *
 * There is enough time if timeouts and TTL are far longer than the network's delay.
 */
#ifndef SUCCESS_H
#define SUCCESS_H

#include "client.h"

void success_begin(void);

/* A client has begun or ended an act about the key, or has dropped its lock. */
void success_touched(const sim_client *c, unsigned key);

/* The lock of the key has changed on a server. */
void success_key_changed(unsigned key);

/* An operation begins, and its fields in the client are set. */
void success_call_begins(const sim_client *c);

/* An operation is over, and was not abandoned. */
void success_call_ends(const sim_client *c);

#endif
