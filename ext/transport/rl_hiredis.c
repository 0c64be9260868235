/* SPDX-License-Identifier: MIT
 *
 * The reader hands hiredis functions that build rl_reply nodes in the memory of the reader. A small
 * reply, as those to almost all commands are, fits into a stock that is part of the reader. A
 * larger one, such as the map of a cluster, takes blocks, which are freed before the next reply.
 *
 * Bounds: a reply has at most RL_READER_BYTES_MAX bytes, and at most one node for 16 of them, so
 * its nodes take no more than three times as much, and its texts no more than once. With what is
 * lost at the ends of blocks, and with the bytes that hiredis has not parsed yet, the memory of one
 * reply is less than eight times RL_READER_BYTES_MAX. The announced length of an array is believed
 * only if the bytes that may still come can have so many elements.
 */
#include "transport/rl_hiredis.h"

#include "transport/rl_hiredis_compat.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NODES 16
#define SMALL_TEXTS 512

/* The most elements of one reply. The longest reply, the map of a cluster, has an element for every
 * 13 to 22 bytes. Only maps with long host names, with an element for some 22 bytes, come near
 * RL_READER_BYTES_MAX, so one for 16 bytes is enough. */
#define NODES_MAX (RL_READER_BYTES_MAX / 16)
/* The shortest element is a type and the end of its line. */
#define ELEMENT_BYTES_MIN 3
/* What stands around the longest text: "$1048576\r\n" and the end of the line. */
#define TEXT_FRAME 12

/* The sizes of the first block and of the largest one that several allocations share. An allocation
 * that is larger than a quarter of the next block has a block of its own. */
#define BLOCK_MIN 4096
#define BLOCK_MAX (64 * 1024)

typedef struct block block;
struct block {
	block *next;
	_Alignas(max_align_t) char bytes[];
};

struct rl_reader {
	redisReader *parser;
	rl_reply nodes[NODES];
	unsigned nodes_used;
	char small[SMALL_TEXTS];
	size_t small_used;
	/* The nodes of this reply, in the stock and in blocks. */
	size_t node_count;
	/* Owned. What did not fit into the stock. */
	block *blocks;
	/* What is left of the block that is shared. */
	char *spare;
	size_t spare_len;
	size_t next_block;
	/* The bytes that were fed after the last complete reply. */
	size_t fed;
	/* The nodes belong to a reply that the caller has received. */
	bool is_delivered;
};

/* ---- memory ---- */

static void reset(rl_reader *reader)
{
	while (reader->blocks != NULL) {
		block *next = reader->blocks->next;
		free(reader->blocks);
		reader->blocks = next;
	}
	reader->nodes_used = 0;
	reader->small_used = 0;
	reader->node_count = 0;
	reader->spare_len = 0;
	reader->next_block = BLOCK_MIN;
	reader->is_delivered = false;
}

/* NULL when out of memory. */
static char *add_block(rl_reader *reader, size_t size)
{
	block *added = malloc(sizeof *added + size);
	if (added == NULL) {
		return NULL;
	}
	added->next = reader->blocks;
	reader->blocks = added;
	return added->bytes;
}

/* Memory for what does not fit into the stock, aligned for nodes; NULL when out of memory. */
static void *take(rl_reader *reader, size_t wanted)
{
	size_t size = (wanted + _Alignof(rl_reply) - 1) / _Alignof(rl_reply) * _Alignof(rl_reply);
	if (size > reader->spare_len) {
		if (size > reader->next_block / 4) {
			return add_block(reader, size);
		}
		reader->spare = add_block(reader, reader->next_block);
		if (reader->spare == NULL) {
			reader->spare_len = 0;
			return NULL;
		}
		reader->spare_len = reader->next_block;
		reader->next_block = reader->next_block < BLOCK_MAX ? 2 * reader->next_block : BLOCK_MAX;
	}
	char *taken = reader->spare;
	reader->spare += size;
	reader->spare_len -= size;
	return taken;
}

/* NULL when a reply cannot have so many nodes, and when out of memory. */
static rl_reply *take_nodes(rl_reader *reader, size_t count)
{
	if (count > NODES_MAX - reader->node_count) {
		return NULL;
	}
	reader->node_count += count;
	if (count > NODES - reader->nodes_used) {
		return take(reader, count * sizeof(rl_reply));
	}
	rl_reply *nodes = &reader->nodes[reader->nodes_used];
	reader->nodes_used += (unsigned) count;
	return nodes;
}

static char *take_text(rl_reader *reader, size_t len)
{
	if (len > SMALL_TEXTS - reader->small_used) {
		return take(reader, len);
	}
	char *text = reader->small + reader->small_used;
	reader->small_used += len;
	return text;
}

/* ---- building ---- */

/* A reply has no more levels of arrays than this; the map of a cluster has four. */
#define DEPTH_MAX 7

/* The node for a task: a new node for a whole reply, the place in the parent for an element. NULL
 * when there is no memory for it. */
static rl_reply *new_node(const redisReadTask *task, rl_reply_type type)
{
	rl_reply *node;
	if (task->parent == NULL) {
		node = take_nodes(task->privdata, 1);
	} else {
		const rl_reply *parent = task->parent->obj;
		/* The elements are constant for the receiver of the reply alone. */
		node = (rl_reply *) (uintptr_t) parent->elements + task->idx;
	}
	if (node != NULL) {
		*node = (rl_reply){.type = type};
	}
	return node;
}

static void *create_string(const redisReadTask *task, char *text, size_t len)
{
	rl_reply_type type = task->type == REDIS_REPLY_ERROR ? RL_REPLY_ERROR
		: task->type == REDIS_REPLY_STATUS               ? RL_REPLY_STATUS
														 : RL_REPLY_STRING;
	rl_reply *node = new_node(task, type);
	char *copy = node != NULL && len <= RL_READER_TEXT_MAX ? take_text(task->privdata, len) : NULL;
	if (copy == NULL) {
		return NULL;
	}
	memcpy(copy, text, len);
	node->text = rl_bytes_of(copy, len);
	return node;
}

/* False when so many elements need more bytes than a reply may still have. */
static bool may_come(const rl_reader *reader, size_t count)
{
	size_t parsed = reader->fed - (reader->parser->len - reader->parser->pos);
	return count <= (RL_READER_BYTES_MAX - parsed) / ELEMENT_BYTES_MIN;
}

/* hiredis 1.0 and later have no limit of their own. */
static bool is_too_deep(const redisReadTask *task)
{
	unsigned depth = 1;
	for (; task->parent != NULL && depth <= DEPTH_MAX; task = task->parent) {
		depth++;
	}
	return depth > DEPTH_MAX;
}

static void *create_array(const redisReadTask *task, rl_hiredis_count count)
{
	rl_reader *reader = task->privdata;
	rl_reply *node = is_too_deep(task) ? NULL : new_node(task, RL_REPLY_ARRAY);
	rl_reply *elements = node != NULL && may_come(reader, (size_t) count)
		? take_nodes(reader, (size_t) count)
		: NULL;
	if (elements == NULL) {
		return NULL;
	}
	node->elements = elements;
	node->count = (size_t) count;
	return node;
}

static void *create_integer(const redisReadTask *task, long long value)
{
	rl_reply *node = new_node(task, RL_REPLY_INTEGER);
	if (node != NULL) {
		node->integer = value;
	}
	return node;
}

static void *create_nil(const redisReadTask *task)
{
	return new_node(task, RL_REPLY_NIL);
}

static void free_object(void *object)
{
	(void) object; /* the reader owns the nodes */
}

static redisReplyObjectFunctions functions = {.createString = create_string,
	.createArray = create_array,
	.createInteger = create_integer,
	.createNil = create_nil,
	.freeObject = free_object,
	RL_HIREDIS_REFUSED_TYPES};

rl_reader *rl_reader_new(void)
{
	rl_reader *reader = calloc(1, sizeof *reader);
	if (reader == NULL) {
		return NULL;
	}
	reader->parser = redisReaderCreateWithFunctions(&functions);
	if (reader->parser == NULL) {
		free(reader);
		return NULL;
	}
	reader->parser->privdata = reader;
	reset(reader);
	return reader;
}

void rl_reader_free(rl_reader *reader)
{
	if (reader == NULL) {
		return;
	}
	redisReaderFree(reader->parser);
	reset(reader);
	free(reader);
}

bool rl_reader_feed(rl_reader *reader, const char *data, size_t len)
{
	if (len > RL_READER_BYTES_MAX - reader->fed ||
		redisReaderFeed(reader->parser, data, len) != REDIS_OK) {
		return false;
	}
	reader->fed += len;
	return true;
}

int rl_reader_next(rl_reader *reader, rl_reply *reply)
{
	if (reader->is_delivered) {
		reset(reader);
	}
	if (reader->fed == 0) {
		return 0;
	}
	void *object = NULL;
	if (redisReaderGetReply(reader->parser, &object) != REDIS_OK) {
		return -1;
	}
	size_t unparsed = reader->parser->len - reader->parser->pos;
	if (object == NULL) {
		return unparsed <= RL_READER_TEXT_MAX + TEXT_FRAME ? 0 : -1;
	}
	reader->is_delivered = true;
	reader->fed = unparsed;
	*reply = *(const rl_reply *) object;
	return 1;
}

const char *rl_hiredis_version(void)
{
	return RL_HIREDIS_COMPILED;
}
