/* SPDX-License-Identifier: MIT */
#include "batching.h"

#include "check.h"
#include "core/wire/rl_slot.h"

#include <stdio.h>

#define LIMIT (200 * MS)
#define TOKEN_ROOM 40

rl_lease *leases[BATCH_MAX];
rl_op *batch_op;

void batch_make(size_t count, const char *token)
{
	for (size_t i = 0; i < count; i++) {
		char key[24];
		snprintf(key, sizeof key, "k%zu", i + 1);
		leases[i] = rl_lease_new(&fake_env, bytes_of(key), 0, TOKEN_ROOM, 0.01, fake_set.naming);
		rl_lease_begin(leases[i], bytes_of(token), 30 * SECOND, fake_clock + 29 * SECOND);
	}
	batch_again(count);
}

void batch_again(size_t count)
{
	batch_op = rl_releases_new(&fake_set, &fake_pool, &fake_env, leases, count, LIMIT);
}

void batch_end(void)
{
	if (batch_op != NULL) {
		rl_op_abandon(batch_op, fake_clock, false);
		rl_op_free(batch_op);
		batch_op = NULL;
	}
	for (size_t i = 0; i < BATCH_MAX; i++) {
		rl_lease_free(leases[i]);
		leases[i] = NULL;
	}
	fake_end();
}

static const char *address(const char *word, unsigned lease, const char *node, unsigned port)
{
	static char texts[BATCH_MAX][48];
	static unsigned count;
	char *text = texts[count++ % BATCH_MAX];
	snprintf(text, sizeof texts[0], "-%s %u %s:%u", word, rl_slot_of(leases[lease]->names.key),
		node, port);
	return text;
}

const char *redirect(const char *word, unsigned lease, const char *node)
{
	return address(word, lease, node, 6379);
}

void batch_know(unsigned lease, const char *node, unsigned port)
{
	rl_redirect moved = rl_redirect_read(bytes_of(address("MOVED", lease, node, port) + 1));
	CHECK(rl_route_follow(route, &moved, &fake_targets[0]) != NULL);
}

void batch_lead_to(const char *nodes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char node[2] = {nodes[i % strlen(nodes)], '\0'};
		batch_know(i, node, 6379);
	}
}

void batch_begin_warm(const char *seeds, size_t count, const char *token)
{
	begin_warm_cluster(seeds);
	batch_make(count, token);
}

unsigned batch_missing(unsigned lease)
{
	return rl_releases_missing(batch_op, lease);
}
