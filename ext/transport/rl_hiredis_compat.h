/* SPDX-License-Identifier: MIT
 *
 * The differences between hiredis 0.14 and 1.x for the reader. Only this file asks for the version.
 */
#ifndef RL_HIREDIS_COMPAT_H
#define RL_HIREDIS_COMPAT_H

#include <hiredis.h>

#if HIREDIS_MAJOR >= 1
typedef size_t rl_hiredis_count;

/* We never ask for the types of RESP3. These functions refuse them: without a function hiredis
 * would not refuse the type, but return a number cast to a pointer. */
static inline void *rl_hiredis_no_double(
	const redisReadTask *task, double value, char *text, size_t len)
{
	(void) task, (void) value, (void) text, (void) len;
	return NULL;
}

static inline void *rl_hiredis_no_bool(const redisReadTask *task, int value)
{
	(void) task, (void) value;
	return NULL;
}

# define RL_HIREDIS_REFUSED_TYPES \
  .createDouble = rl_hiredis_no_double, .createBool = rl_hiredis_no_bool,
#else
typedef int rl_hiredis_count;
# define RL_HIREDIS_REFUSED_TYPES
#endif

#define RL_HIREDIS_STRINGIFY(x) #x
#define RL_HIREDIS_VERSION(a, b, c) \
 RL_HIREDIS_STRINGIFY(a) "." RL_HIREDIS_STRINGIFY(b) "." RL_HIREDIS_STRINGIFY(c)

/* The version at compile time. The library does not report its own version. */
#define RL_HIREDIS_COMPILED RL_HIREDIS_VERSION(HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH)

#endif
