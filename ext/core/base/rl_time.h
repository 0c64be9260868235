/* SPDX-License-Identifier: MIT
 *
 * Points in time, in nanoseconds of the clock in rl_env. RL_NEVER is one of them, and stays
 * RL_NEVER whatever is added to it.
 */
#ifndef RL_TIME_H
#define RL_TIME_H

#include "core/base/rl_status.h"

static inline int64_t rl_time_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t rl_time_later(int64_t time, int64_t by)
{
	return time > RL_NEVER - by ? RL_NEVER : time + by;
}

#endif
