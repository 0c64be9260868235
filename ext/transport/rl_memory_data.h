/* SPDX-License-Identifier: MIT
 *
 * The servers inside the process, and the locks that they have. The caller has the mutex of
 * rl_memory.c.
 */
#ifndef RL_MEMORY_DATA_H
#define RL_MEMORY_DATA_H

#include "model/rl_store.h"
#include "transport/rl_buffer.h"

/* A lock and its helper keys. */
typedef struct rl_memory_lock {
	struct rl_memory_lock *next; /* in its bucket */
	/* Clients that are blocked for its list, and commands that are being run on it. */
	unsigned waiters;
	rl_store_key key;
	size_t name_len;
	char name[];
} rl_memory_lock;

typedef struct rl_memory_server {
	struct rl_memory_server *next;
	char *name; /* owned */
	uint64_t fork_generation;
	rl_store store;
	/* Owned. A power of two; it grows with the number of locks. */
	rl_memory_lock **buckets;
	size_t bucket_count;
	size_t lock_count;
	/* The first to be blocked stand last. */
	struct rl_memory_client *clients;
} rl_memory_server;

/* The time of all servers, in microseconds since 1970: the wall clock when the first server was
 * made, and from then on as rl_os_now(). */
int64_t rl_memory_now_us(void);

/* NULL = there is none. */
rl_memory_server *rl_memory_find_server(const char *name);

/* NULL when out of memory. */
rl_memory_server *rl_memory_add_server(const char *name, uint64_t fork_generation);

/* Deletes all keys of the servers of this fork generation. Clients stay connected, and blocked. */
void rl_memory_empty_servers(uint64_t fork_generation);

/* Frees the servers that have no client, with their data. */
void rl_memory_free_unused_servers(void);

/* The lock with this name, which need not exist. It stays where it is as long as it has waiters.
 * NULL when out of memory. */
rl_memory_lock *rl_memory_find_lock(rl_memory_server *server, rl_bytes name);

/* Writes the answer of RL_SCRIPT_SCAN: the locks that are held, reserved or done, and whose names
 * match the pattern. False = out of memory.
 * @param pattern a beginning in which each special character is escaped, and '*' */
bool rl_memory_list(rl_memory_server *server, rl_bytes pattern, rl_buffer *out);

#endif
