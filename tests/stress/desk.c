/* SPDX-License-Identifier: MIT */
#include "desk.h"
#include "transport/rl_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char loopback[] = "127.0.0.1";
static char name[] = "redis://stress";

void desk_open(desk *self, unsigned port)
{
	memset(self, 0, sizeof *self);
	rl_net_init(&self->net);
	self->env = rl_process_env(&self->stock);
	rl_pool_init(&self->pool, &self->net.transport, &self->env);
	self->target = (rl_target){.refs = 1,
		.name = name,
		.address = {.kind = RL_NET_TCP, .host = loopback, .port = (uint16_t) port}};
	self->set = (rl_set){.count = 1,
		.backoff = {10 * RL_NS_PER_MS, 200 * RL_NS_PER_MS, 0.2},
		.retries = RL_RETRIES_UNLIMITED,
		.outage_wait_ns = RL_NEVER,
		.drift_factor = 0.01,
		.wakes = true};
	self->set.members[0] = (rl_member){.target = &self->target,
		.timeout_ns = DESK_TIMEOUT_MS * RL_NS_PER_MS,
		.connect_timeout_ns = DESK_TIMEOUT_MS * RL_NS_PER_MS};
}

void desk_close(desk *self)
{
	rl_pool_clear(&self->pool);
	rl_net_destroy(&self->net);
}

static void *need(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "out of memory\n");
		exit(3);
	}
	return memory;
}

rl_acquire *desk_acquire(desk *self, const char *key, int64_t ttl_ms, int64_t wait_ms)
{
	rl_acquire_args args = {.key = rl_bytes_of(key, strlen(key)),
		.ttl_ms = ttl_ms,
		.wait_ns = wait_ms < 0 ? RL_NEVER : wait_ms * RL_NS_PER_MS};
	return need(rl_acquire_new(&self->set, &self->pool, &self->env, &args));
}

rl_status desk_release(desk *self, const char *key, rl_bytes token)
{
	rl_plain_args args = {
		.verb = RL_VERB_RELEASE, .key = rl_bytes_of(key, strlen(key)), .token = token};
	rl_op *op = need(rl_plain_new(&self->set, &self->pool, &self->env, &args));
	rl_drive(&self->net, op, NULL);
	rl_status status = op->status;
	if (status != RL_OK && status != RL_BUSY) {
		fprintf(stderr, "release: %s\n", op->err->message);
	}
	rl_op_free(op);
	return status;
}
