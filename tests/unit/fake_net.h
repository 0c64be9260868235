/* SPDX-License-Identifier: MIT
 *
 * The fake's network, for fake.c: servers, links, and the plans for them. Tests use fake.h instead.
 *
 * A server runs the commands of a link in their order, as soon as the system has taken them. A
 * BLPOP blocks its link: the commands after it run when the BLPOP is over, and never if the link
 * has ended before.
 */
#ifndef FAKE_NET_H
#define FAKE_NET_H

#include "fake.h"

void fake_net_begin(void);

/* A member that accepts logins, without a plan. */
void fake_net_add(unsigned member);

/* The time of the next unread event on the link. */
int64_t fake_next_on(const rl_link *link);

#endif
