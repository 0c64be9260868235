/* SPDX-License-Identifier: MIT
 *
 * Bytes that wait to be sent: they are appended at the end, and taken from the start.
 *
 * Commands are written here by hand, and not by hiredis, whose formatter makes a string of its own
 * for each command, which would have to be copied: that took more than all the rest of a command.
 */
#ifndef RL_BUFFER_H
#define RL_BUFFER_H

#include "core/base/rl_status.h"

#include <stdlib.h>
#include <string.h>

typedef struct rl_buffer {
	/* Owned. The bytes from start to end are waiting. */
	char *data;
	size_t start;
	size_t end;
	size_t size;
} rl_buffer;

static inline bool rl_buffer_is_empty(const rl_buffer *buffer)
{
	return buffer->start == buffer->end;
}

/* The waiting bytes; valid until the next call on this buffer. */
static inline rl_bytes rl_buffer_bytes(const rl_buffer *buffer)
{
	return rl_bytes_of(
		buffer->data != NULL ? buffer->data + buffer->start : NULL, buffer->end - buffer->start);
}

/* Removes the first len bytes. */
static inline void rl_buffer_take(rl_buffer *buffer, size_t len)
{
	buffer->start += len;
}

/* Removes the last len bytes. */
static inline void rl_buffer_drop(rl_buffer *buffer, size_t len)
{
	buffer->end -= len;
}

/* Makes room for len more bytes at the end. False when out of memory. */
static inline bool rl_buffer_reserve(rl_buffer *buffer, size_t len)
{
	if (rl_buffer_is_empty(buffer)) {
		buffer->start = buffer->end = 0;
	}
	if (buffer->size - buffer->end >= len) {
		return true;
	}
	size_t size = 2 * buffer->end + len + 256;
	char *grown = realloc(buffer->data, size);
	if (grown != NULL) {
		buffer->data = grown;
		buffer->size = size;
	}
	return grown != NULL;
}

/* Appends a copy. False when out of memory. */
static inline bool rl_buffer_append(rl_buffer *buffer, const char *data, size_t len)
{
	if (!rl_buffer_reserve(buffer, len)) {
		return false;
	}
	memcpy(buffer->data + buffer->end, data, len);
	buffer->end += len;
	return true;
}

/* Appends a command in the Redis protocol: an array of texts, which may have any bytes.
 * @return its length; 0 = out of memory */
size_t rl_buffer_append_command(rl_buffer *buffer, unsigned argc, const rl_bytes *argv);

static inline void rl_buffer_free(rl_buffer *buffer)
{
	free(buffer->data);
	*buffer = (rl_buffer){0};
}

#endif
