/* SPDX-License-Identifier: MIT */
#include "hand.h"

#include "core/lock/rl_releases.h"
#include "core/lock/rl_acquire.h"
#include "core/lock/rl_plain.h"
#include "core/wire/rl_dsn.h"
#include "transport/rl_process.h"
#include "transport/rl_watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "out of memory\n");
		exit(3);
	}
	return memory;
}

static rl_target *read_dsn(const char *text)
{
	rl_dsn dsn;
	rl_error err;
	if (rl_dsn_parse(rl_bytes_of(text, strlen(text)), &dsn, &err) != RL_OK) {
		fprintf(stderr, "%s: %s\n", text, err.message);
		exit(3);
	}
	return dsn.target;
}

void hand_open(hand *self, const char *dsn, int64_t timeout_ms, uint64_t seed)
{
	memset(self, 0, sizeof *self);
	rl_net_init(&self->net);
	self->env = rl_process_env(&self->stock);
	self->random = seed * UINT64_C(2654435761) + 1;
	rl_pool_init(&self->pool, &self->net.transport, &self->env);
	self->target = read_dsn(dsn);
	self->set = (rl_set){.count = 1,
		.backoff = {10 * RL_NS_PER_MS, 200 * RL_NS_PER_MS, 0.2},
		.retries = RL_RETRIES_UNLIMITED,
		.outage_wait_ns = RL_NEVER,
		.drift_factor = 0.01,
		.wakes = true};
	self->set.members[0] = (rl_member){.target = self->target,
		.timeout_ns = timeout_ms * RL_NS_PER_MS,
		.connect_timeout_ns = timeout_ms * RL_NS_PER_MS};
}

void hand_close(hand *self)
{
	rl_pool_clear(&self->pool);
	rl_net_destroy(&self->net);
	rl_target_unref(self->target);
}

int64_t hand_draw(hand *self, int64_t least, int64_t most)
{
	self->random ^= self->random >> 12;
	self->random ^= self->random << 25;
	self->random ^= self->random >> 27;
	uint64_t drawn = (self->random * UINT64_C(2685821657736338717)) >> 11;
	return least + (int64_t) (drawn % (uint64_t) (most - least + 1));
}

/* On the watchdog's thread. */
static int64_t on_lost(void *ctx)
{
	kept *self = ctx;
	return atomic_fetch_add(&self->told, 1) < 2 ? RL_NS_PER_MS : 0; /* tell it again, twice */
}

static kept *prepare(hand *self, const char *key, int64_t ttl_ms)
{
	kept *made = need(calloc(1, sizeof *made));
	made->hand = self;
	made->ttl_ms = ttl_ms;
	made->lease =
		need(rl_lease_new(&self->env, rl_bytes_of(key, strlen(key)), 0, 64, 0.01, RL_NAMES_PLAIN));
	made->renewal = need(rl_renewal_new(&self->set, made->lease));
	int sys_errno;
	if (rl_watchdog_prepare(made->renewal, &self->set, &sys_errno) != RL_OK) {
		fprintf(stderr, "no watchdog: %s\n", strerror(sys_errno));
		exit(3);
	}
	made->renewal->renews = true;
	made->renewal->on_lost = on_lost;
	made->renewal->ctx = made;
	return made;
}

kept *hand_take(hand *self, const char *key, int64_t ttl_ms, int64_t wait_ms, rl_status *status)
{
	kept *made = prepare(self, key, ttl_ms);
	rl_acquire_args args = {
		.key = rl_bytes_of(key, strlen(key)), .ttl_ms = ttl_ms, .wait_ns = wait_ms * RL_NS_PER_MS};
	rl_acquire *acquire = need(rl_acquire_new(&self->set, &self->pool, &self->env, &args));
	rl_drive(&self->net, &acquire->op, NULL);
	*status = acquire->op.status;
	if (*status == RL_OK) {
		rl_lease_begin(made->lease, acquire->token, ttl_ms * RL_NS_PER_MS, acquire->proven_until);
		rl_watchdog_begin(made->renewal, &self->set, &self->net.resolver);
	} else {
		kept_free(made);
		made = NULL;
	}
	rl_op_free(&acquire->op);
	return made;
}

static rl_op *ask(kept *self, rl_verb verb, int64_t ttl_ms)
{
	hand *by = self->hand;
	rl_plain_args args = {.verb = verb,
		.key = self->lease->names.key,
		.token = rl_lease_token(self->lease),
		.ttl_ms = ttl_ms,
		.was_held = rl_lease_was_held(self->lease),
		.is_leased = true};
	rl_op *op = need(rl_plain_new(&by->set, &by->pool, &by->env, &args));
	rl_drive(&by->net, op, NULL);
	return op;
}

rl_status kept_extend(kept *self, int64_t ttl_ms)
{
	int64_t ttl_ns = ttl_ms * RL_NS_PER_MS;
	rl_watchdog_hold(self->renewal);
	rl_lease_expect(self->lease, ttl_ns);
	rl_watchdog_let_go(self->renewal);
	rl_op *op = ask(self, RL_VERB_EXTEND, ttl_ms);
	rl_status status = op->status;
	rl_watchdog_hold(self->renewal);
	if (status == RL_OK) {
		bool is_ours = rl_lease_confirm(self->lease, ttl_ns, rl_quorum_call_sent_at(&op->call));
		status = is_ours ? RL_OK : RL_BUSY;
	} else if (status == RL_BUSY) {
		rl_lease_lose(self->lease);
	} else {
		rl_lease_doubt(self->lease, ttl_ns);
	}
	rl_watchdog_let_go(self->renewal);
	if (op->status == RL_BUSY) {
		rl_plain_undo(op, rl_os_now());
	}
	rl_op_free(op);
	self->ttl_ms = ttl_ms;
	return status;
}

static void leave_watch(kept *self)
{
	rl_renewal *renewal = self->renewal;
	self->renewal = NULL;
	rl_watchdog_end(renewal);
	free(renewal);
}

rl_status kept_release(kept *self)
{
	rl_watchdog_pause(self->renewal);
	bool was_held = rl_lease_leave(self->lease);
	if (!rl_lease_is_open(self->lease)) {
		return RL_BUSY;
	}
	rl_op *op = ask(self, RL_VERB_RELEASE, 0);
	rl_status status = op->status;
	rl_op_free(op);
	if (status == RL_OK || status == RL_BUSY) {
		rl_lease_end(self->lease);
		leave_watch(self);
		status = was_held ? status : RL_BUSY;
	}
	return status;
}

rl_status kept_farewell(kept *self, int64_t limit_ms)
{
	rl_status status = RL_BUSY;
	rl_watchdog_pause(self->renewal);
	if (rl_lease_is_open(self->lease)) {
		hand *by = self->hand;
		rl_op *op = need(rl_releases_new(
			&by->set, &by->pool, &by->env, &self->lease, 1, limit_ms * RL_NS_PER_MS));
		rl_drive(&by->net, op, NULL);
		status = op->status;
		rl_op_free(op);
	}
	leave_watch(self);
	return status;
}

void kept_detach(kept *self)
{
	rl_watchdog_pause(self->renewal);
	rl_lease_end(self->lease);
	leave_watch(self);
}

void kept_free(kept *self)
{
	rl_watchdog_pause(self->renewal);
	leave_watch(self);
	rl_lease_free(self->lease);
	free(self);
}
