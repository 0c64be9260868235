/* SPDX-License-Identifier: MIT
 *
 * The reader hands hiredis functions that build rl_reply nodes from a small fixed array. No reply
 * to our commands has more than a few elements, so the reader refuses a longer array before it
 * allocates anything. Short texts go into a buffer of the reader, long ones get memory of their
 * own.
 */
#include "transport/rl_hiredis.h"

#include "transport/rl_hiredis_compat.h"

#include <stdlib.h>
#include <string.h>

#define NODES 16
#define SMALL_TEXTS 512
#define ARGS_MAX 16

struct rl_reader {
	redisReader *parser;
	rl_reply nodes[NODES];
	/* Owned. The long text of the node with the same index. */
	char *large[NODES];
	unsigned node_count;
	char small[SMALL_TEXTS];
	size_t small_used;
	/* The nodes belong to a reply that the caller has received. */
	bool is_delivered;
};

static void reset(rl_reader *reader)
{
	for (unsigned i = 0; i < reader->node_count; i++) {
		free(reader->large[i]);
		reader->large[i] = NULL;
	}
	reader->node_count = 0;
	reader->small_used = 0;
	reader->is_delivered = false;
}

/* The node for a task: a new node for a whole reply, the place in the parent for an element. */
static rl_reply *node_for(const redisReadTask *task)
{
	rl_reader *reader = task->privdata;
	if (task->parent != NULL) {
		const rl_reply *parent = task->parent->obj;
		return &reader->nodes[(size_t) (parent->elements - reader->nodes) + (size_t) task->idx];
	}
	return reader->node_count < NODES ? &reader->nodes[reader->node_count++] : NULL;
}

static rl_reply *new_node(const redisReadTask *task, rl_reply_type type)
{
	rl_reply *node = node_for(task);
	if (node != NULL) {
		*node = (rl_reply){.type = type};
	}
	return node;
}

static void *create_string(const redisReadTask *task, char *text, size_t len)
{
	rl_reader *reader = task->privdata;
	rl_reply_type type = task->type == REDIS_REPLY_ERROR ? RL_REPLY_ERROR
		: task->type == REDIS_REPLY_STATUS               ? RL_REPLY_STATUS
														 : RL_REPLY_STRING;
	rl_reply *node = new_node(task, type);
	if (node == NULL) {
		return NULL;
	}
	char *copy = reader->small + reader->small_used;
	if (len <= SMALL_TEXTS - reader->small_used) {
		reader->small_used += len;
	} else {
		copy = malloc(len);
		if (copy == NULL) {
			return NULL;
		}
		reader->large[node - reader->nodes] = copy;
	}
	memcpy(copy, text, len);
	node->text = rl_bytes_of(copy, len);
	return node;
}

static void *create_array(const redisReadTask *task, rl_hiredis_count count)
{
	rl_reader *reader = task->privdata;
	rl_reply *node = new_node(task, RL_REPLY_ARRAY);
	/* This comparison cannot overflow. */
	if (node == NULL || (size_t) count > NODES - reader->node_count) {
		return NULL;
	}
	node->elements = &reader->nodes[reader->node_count];
	node->count = (size_t) count;
	reader->node_count += (unsigned) count;
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
	redisReader *parser = reader->parser;
	return parser->len - parser->pos + len <= RL_READER_BYTES_MAX &&
		redisReaderFeed(parser, data, len) == REDIS_OK;
}

int rl_reader_next(rl_reader *reader, rl_reply *reply)
{
	if (reader->is_delivered) {
		reset(reader);
	}
	void *object = NULL;
	if (redisReaderGetReply(reader->parser, &object) != REDIS_OK) {
		return -1;
	}
	if (object == NULL) {
		return 0;
	}
	reader->is_delivered = true;
	*reply = *(const rl_reply *) object;
	return 1;
}

size_t rl_format(unsigned argc, const rl_bytes *argv, char **out)
{
	const char *texts[ARGS_MAX];
	size_t lengths[ARGS_MAX];
	if (argc > ARGS_MAX) {
		return 0;
	}
	for (unsigned i = 0; i < argc; i++) {
		texts[i] = argv[i].data;
		lengths[i] = argv[i].len;
	}
	/* The function for sds formats numbers itself; the other one calls sprintf for each
	 * argument. */
	long long len = redisFormatSdsCommandArgv(out, (int) argc, texts, lengths);
	return len > 0 ? (size_t) len : 0;
}

void rl_format_free(char *command)
{
	redisFreeSdsCommand(command);
}

const char *rl_hiredis_version(void)
{
	return RL_HIREDIS_COMPILED;
}
