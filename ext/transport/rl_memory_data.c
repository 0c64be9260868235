/* SPDX-License-Identifier: MIT
 *
 * The servers inside the process.
 */
#include "transport/rl_memory_data.h"

#include "transport/rl_os.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static rl_memory_server *servers;

/* From rl_os_now() to the time of the wall clock. */
static int64_t wall_offset;

int64_t rl_memory_now_us(void)
{
	return (rl_os_now() + wall_offset) / 1000;
}

/* ---- locks ---- */

static unsigned bucket_of(rl_bytes name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	for (size_t i = 0; i < name.len; i++) {
		hash = (hash ^ (unsigned char) name.data[i]) * UINT64_C(0x100000001b3);
	}
	return (unsigned) (hash % RL_MEMORY_BUCKETS);
}

static bool is_empty(const rl_memory_lock *entry)
{
	const rl_store_key *key = &entry->key;
	return entry->waiters == 0 && !key->exists && key->mark_count == 0 && key->reach_ms == 0 &&
		key->tickets == 0 && key->fence == 0;
}

static void drop_empty(rl_memory_server *server, rl_memory_lock **slot)
{
	while (*slot != NULL) {
		rl_memory_lock *entry = *slot;
		rl_store_expire(&server->store, &entry->key, rl_memory_now_us());
		if (is_empty(entry)) {
			*slot = entry->next;
			free(entry);
		} else {
			slot = &entry->next;
		}
	}
}

rl_memory_lock *rl_memory_find_lock(rl_memory_server *server, rl_bytes name)
{
	rl_memory_lock **bucket = &server->buckets[bucket_of(name)];
	for (rl_memory_lock *entry = *bucket; entry != NULL; entry = entry->next) {
		if (rl_bytes_equal(rl_bytes_of(entry->name, entry->name_len), name)) {
			return entry;
		}
	}
	drop_empty(server, bucket);
	rl_memory_lock *entry = calloc(1, sizeof *entry + name.len);
	if (entry != NULL) {
		entry->name_len = name.len;
		memcpy(entry->name, name.data, name.len);
		entry->next = *bucket;
		*bucket = entry;
	}
	return entry;
}

/* ---- servers ---- */

rl_memory_server *rl_memory_find_server(const char *name)
{
	rl_memory_server *server = servers;
	while (server != NULL && strcmp(server->name, name) != 0) {
		server = server->next;
	}
	return server;
}

static void read_wall_clock(void)
{
	struct timespec wall;
	clock_gettime(CLOCK_REALTIME, &wall);
	wall_offset = (int64_t) wall.tv_sec * RL_NS_PER_SECOND + wall.tv_nsec - rl_os_now();
}

rl_memory_server *rl_memory_add_server(const char *name, uint64_t fork_generation)
{
	rl_memory_server *server = calloc(1, sizeof *server);
	char *copy = strdup(name);
	if (server == NULL || copy == NULL) {
		free(server);
		free(copy);
		return NULL;
	}
	if (servers == NULL) {
		read_wall_clock();
	}
	server->name = copy;
	server->fork_generation = fork_generation;
	server->next = servers;
	servers = server;
	return server;
}

static void free_server(rl_memory_server **slot)
{
	rl_memory_server *server = *slot;
	*slot = server->next;
	for (unsigned i = 0; i < RL_MEMORY_BUCKETS; i++) {
		while (server->buckets[i] != NULL) {
			rl_memory_lock *entry = server->buckets[i];
			server->buckets[i] = entry->next;
			free(entry);
		}
	}
	free(server->name);
	free(server);
}

void rl_memory_free_unused_servers(void)
{
	for (rl_memory_server **slot = &servers; *slot != NULL;) {
		if ((*slot)->clients == NULL) {
			free_server(slot);
		} else {
			slot = &(*slot)->next;
		}
	}
}
