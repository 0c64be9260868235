/* SPDX-License-Identifier: MIT
 *
 * The fake's network, for fake.c: servers, links, and what is planned for them. What a test needs
 * of it is in fake.h.
 *
 * A server runs the commands of a link in their order, as soon as the system has taken them. A
 * BLPOP blocks its link: what stands behind it is run when it is over, and is not run at all when
 * the link has ended before.
 */
#ifndef FAKE_NET_H
#define FAKE_NET_H

#include "fake.h"

void fake_net_begin(void);

/* The member answers logins well, and has no plan. */
void fake_net_add(unsigned member);

/* When something will happen on the link that is not read yet. */
int64_t fake_next_on(const rl_link *link);

#endif
