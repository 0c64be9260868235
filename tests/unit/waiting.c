/* SPDX-License-Identifier: MIT */
#include "waiting.h"

#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXTS_MAX 256

static char texts[TEXTS_MAX][64];
static unsigned text_count;

int64_t waiting_proof(int64_t ms, int64_t ttl_ms)
{
	return FAKE_START + (ms + ttl_ms) * MS - rl_set_drift(&fake_set, ttl_ms * MS);
}

int64_t waiting_server_us(int64_t ms)
{
	return (1000000 + ms) * 1000;
}

static char *next_text(void)
{
	return texts[text_count++ % TEXTS_MAX];
}

const char *refusal(int64_t ms, int64_t pttl, rl_holder holder)
{
	char *text = next_text();
	snprintf(text, sizeof texts[0], "*:0 :%" PRId64 " :%" PRId64 " :%d :1", waiting_server_us(ms),
		pttl, (int) holder);
	return text;
}

const char *grant(int64_t ms)
{
	char *text = next_text();
	snprintf(text, sizeof texts[0], "*:1 :%" PRId64, waiting_server_us(ms));
	return text;
}

const char *look(int64_t ms, int64_t pttl, rl_holder holder, rl_ticket ticket)
{
	char *text = next_text();
	snprintf(text, sizeof texts[0], "*:%" PRId64 " :%" PRId64 " :%d :%d :1", waiting_server_us(ms),
		pttl, (int) holder, (int) ticket);
	return text;
}

void waiting_begin(void)
{
	fake_begin(1);
	fake_set.wakes = true;
	fake_warm(0);
	fake_warm(0);
	fake_writes = 0;
	fake_looks = 0;
}

static void refuse_set_and_show_the_holder(void)
{
	waiting_begin();
	fake_says(0, "_");
	fake_says(0, look(0, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
}

static rl_acquire *in_queue(rl_acquire *acquire)
{
	waiting_drive_to(acquire, 0);
	CHECK(rl_queue_is_in(&acquire->queue));
	CHECK_INT(fake_blocked_links(), 1);
	return acquire;
}

rl_acquire *waiting_queued(int64_t ttl_ms, int64_t wait_ns)
{
	refuse_set_and_show_the_holder();
	return in_queue(fake_acquire(ttl_ms, wait_ns));
}

rl_acquire *waiting_queued_own(int64_t ttl_ms, int64_t wait_ns)
{
	refuse_set_and_show_the_holder();
	return in_queue(fake_acquire_own("mine", ttl_ms, wait_ns));
}

void waiting_look_on(unsigned times)
{
	for (unsigned i = 1; i <= times; i++) {
		fake_says(0, look(i * 850, 600000, RL_HOLDER_KIN, RL_TICKET_NONE));
	}
}

void waiting_drive_to(rl_acquire *acquire, int64_t ms)
{
	if (fake_drive_to(&acquire->op, FAKE_START + ms * MS)) {
		FAIL("done at %" PRId64 " ms: %d", fake_ms(), (int) acquire->op.status);
	}
}
