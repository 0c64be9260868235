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

#define BUCKETS_MIN 64

static size_t bucket_of(const rl_memory_server *server, rl_bytes name)
{
	return (size_t) (rl_bytes_hash(RL_HASH_BEGIN, name) & (server->bucket_count - 1));
}

static rl_bytes name_of(const rl_memory_lock *lock)
{
	return rl_bytes_of(lock->name, lock->name_len);
}

static bool is_empty(const rl_memory_lock *lock)
{
	const rl_store_key *key = &lock->key;
	return lock->waiters == 0 && !key->exists && key->mark_count == 0 && key->reach_ms == 0 &&
		key->tickets == 0 && key->fence == 0;
}

static void drop_empty(rl_memory_server *server)
{
	for (size_t i = 0; i < server->bucket_count; i++) {
		for (rl_memory_lock **slot = &server->buckets[i]; *slot != NULL;) {
			rl_memory_lock *lock = *slot;
			rl_store_expire(&server->store, &lock->key, rl_memory_now_us());
			if (is_empty(lock)) {
				*slot = lock->next;
				free(lock);
				server->lock_count--;
			} else {
				slot = &lock->next;
			}
		}
	}
}

static void empty(rl_memory_server *server)
{
	for (size_t i = 0; i < server->bucket_count; i++) {
		for (rl_memory_lock *lock = server->buckets[i]; lock != NULL; lock = lock->next) {
			lock->key = (rl_store_key){0};
		}
	}
	drop_empty(server);
}

/* False when out of memory. */
static bool resize(rl_memory_server *server, size_t bucket_count)
{
	rl_memory_lock **old = server->buckets;
	size_t old_count = server->bucket_count;
	rl_memory_lock **buckets = calloc(bucket_count, sizeof *buckets);
	if (buckets == NULL) {
		return false;
	}
	server->buckets = buckets;
	server->bucket_count = bucket_count;
	for (size_t i = 0; i < old_count; i++) {
		while (old[i] != NULL) {
			rl_memory_lock *lock = old[i];
			old[i] = lock->next;
			size_t at = bucket_of(server, name_of(lock));
			lock->next = buckets[at];
			buckets[at] = lock;
		}
	}
	free(old);
	return true;
}

/* Makes room for one more lock: drops the empty locks, and if that is not enough, enlarges the
 * table. False when out of memory. */
static bool make_room(rl_memory_server *server)
{
	if (server->lock_count < server->bucket_count) {
		return true;
	}
	drop_empty(server);
	bool has_room = server->lock_count < server->bucket_count / 2;
	return has_room ||
		resize(server, server->bucket_count > 0 ? 2 * server->bucket_count : BUCKETS_MIN);
}

rl_memory_lock *rl_memory_find_lock(rl_memory_server *server, rl_bytes name)
{
	if (!make_room(server)) {
		return NULL;
	}
	rl_memory_lock **bucket = &server->buckets[bucket_of(server, name)];
	for (rl_memory_lock *lock = *bucket; lock != NULL; lock = lock->next) {
		if (rl_bytes_equal(name_of(lock), name)) {
			return lock;
		}
	}
	rl_memory_lock *lock = calloc(1, sizeof *lock + name.len);
	if (lock != NULL) {
		lock->name_len = name.len;
		memcpy(lock->name, name.data, name.len);
		lock->next = *bucket;
		*bucket = lock;
		server->lock_count++;
	}
	return lock;
}

static bool matches(rl_bytes name, rl_bytes pattern)
{
	size_t at = 0;
	for (size_t i = 0; i + 1 < pattern.len; i++, at++) {
		i += pattern.data[i] == '\\';
		if (at == name.len || name.data[at] != pattern.data[i]) {
			return false;
		}
	}
	return true;
}

static bool put_name(rl_buffer *out, rl_bytes name)
{
	char room[24];
	char *end = room + sizeof room;
	*--end = ':';
	char *digits = rl_put_digits(end, name.len);
	return rl_buffer_append(out, digits, (size_t) (end + 1 - digits)) &&
		rl_buffer_append(out, name.data, name.len);
}

bool rl_memory_list(rl_memory_server *server, rl_bytes pattern, rl_buffer *out)
{
	bool is_put = rl_buffer_append(out, "0 ", 2);
	for (size_t i = 0; i < server->bucket_count; i++) {
		for (rl_memory_lock *lock = server->buckets[i]; lock != NULL; lock = lock->next) {
			rl_store_expire(&server->store, &lock->key, rl_memory_now_us());
			bool is_listed = lock->key.exists && matches(name_of(lock), pattern);
			is_put = is_put && (!is_listed || put_name(out, name_of(lock)));
		}
	}
	return is_put;
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
	server->store.known = ~0U; /* as a real server that was in use before knows all scripts */
	server->next = servers;
	servers = server;
	return server;
}

static void free_server(rl_memory_server **slot)
{
	rl_memory_server *server = *slot;
	*slot = server->next;
	for (size_t i = 0; i < server->bucket_count; i++) {
		while (server->buckets[i] != NULL) {
			rl_memory_lock *lock = server->buckets[i];
			server->buckets[i] = lock->next;
			free(lock);
		}
	}
	free(server->buckets);
	free(server->name);
	free(server);
}

void rl_memory_empty_servers(uint64_t fork_generation)
{
	for (rl_memory_server *server = servers; server != NULL; server = server->next) {
		if (server->fork_generation == fork_generation) {
			empty(server);
		}
	}
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
