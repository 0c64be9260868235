/* SPDX-License-Identifier: MIT */
#include "watching.h"

#include "check.h"
#include "core/base/rl_time.h"
#include "core/lease/rl_late.h"
#include "fake_net.h"
#include "invariants.h"

#include <inttypes.h>
#include <stdlib.h>

#define LEASES_MAX 256
#define STEPS_MAX 100000
#define SPINS_MAX 64

rl_renewer watching;
unsigned watching_steps;
unsigned watching_losses;

static rl_renewal *kept[LEASES_MAX];
static unsigned kept_count;
static bool has_begun;

void watching_begin(unsigned members)
{
	fake_begin(members);
	fake_set.drift_factor = 0;
	fake_improvise = fake_yes;
	rl_renewer_init(&watching, &fake_transport, &fake_env);
	watching_steps = 0;
	watching_losses = 0;
	has_begun = true;
}

static void forget(rl_renewal *renewal)
{
	for (unsigned i = 0; i < kept_count; i++) {
		if (kept[i] == renewal) {
			kept[i] = kept[--kept_count];
			return;
		}
	}
}

void watching_end(void)
{
	if (!has_begun) {
		return;
	}
	has_begun = false;
	fake_lacks_memory = NULL;
	while (kept_count > 0) {
		watching_let_go(kept[kept_count - 1], true);
	}
	CHECK(watching.all == NULL && watching.late == NULL);
	CHECK_INT(watching.all_count, 0);
	CHECK_INT(watching.heap.count, 0);
	rl_renewer_forget(&watching);
	fake_end();
}

rl_renewal *watching_prepare(const char *key)
{
	if (kept_count == LEASES_MAX) {
		FAIL("too many leases");
	}
	rl_lease *lease =
		rl_lease_new(&fake_env, bytes_of(key), 0, 16, fake_set.drift_factor, fake_set.naming);
	rl_renewal *renewal = lease != NULL ? rl_renewal_new(&fake_set, lease) : NULL;
	if (renewal == NULL || !rl_renewer_prepare(&watching, renewal, &fake_set)) {
		free(renewal);
		rl_lease_free(lease);
		return NULL;
	}
	renewal->renews = true;
	kept[kept_count++] = renewal;
	return renewal;
}

void watching_win_with(rl_renewal *renewal, const char *token, int64_t ttl_ms)
{
	int64_t ttl = ttl_ms * MS;
	rl_lease *lease = renewal->lease;
	rl_lease_begin(
		lease, bytes_of(token), ttl, fake_clock + ttl - rl_drift(lease->drift_factor, ttl));
	rl_renewer_begin(renewal, &fake_set, fake_env.now(fake_env.ctx));
}

void watching_win(rl_renewal *renewal, int64_t ttl_ms)
{
	watching_win_with(renewal, "tok", ttl_ms);
}

rl_renewal *watching_keep(const char *key, int64_t ttl_ms)
{
	rl_renewal *renewal = watching_prepare(key);
	CHECK(renewal != NULL);
	watching_win(renewal, ttl_ms);
	return renewal;
}

void watching_tell(rl_renewal *renewal)
{
	renewal->on_lost = watching_note_loss;
	renewal->ctx = &watching_losses;
}

rl_renewal *watching_keep_told(const char *key, int64_t ttl_ms)
{
	rl_renewal *renewal = watching_keep(key, ttl_ms);
	watching_tell(renewal);
	return renewal;
}

void watching_let_go(rl_renewal *renewal, bool is_released)
{
	rl_lease *lease = renewal->lease;
	forget(renewal);
	rl_renewer_pause(renewal);
	if (is_released) {
		rl_lease_end(lease);
	}
	rl_renewer_remove(renewal);
	free(renewal);
	rl_lease_free(lease);
}

int64_t watching_left(const rl_renewal *renewal)
{
	return (rl_lease_remaining(renewal->lease) + FAKE_BLINK) / MS;
}

int64_t watching_note_loss(void *ctx)
{
	(*(unsigned *) ctx)++;
	return 0;
}

int64_t watching_note_loss_again(void *ctx)
{
	(*(unsigned *) ctx)++;
	return 5 * MS;
}

/* ---- the driver ---- */

static int64_t next_event(void)
{
	int64_t at = rl_time_earlier(watching.until, fake_alarm);
	rl_renewer_cursor cursor = {0};
	for (rl_link *link = rl_renewer_next_link(&watching, &cursor); link != NULL;
		 link = rl_renewer_next_link(&watching, &cursor)) {
		at = rl_time_earlier(at, fake_next_on(link));
	}
	return at;
}

static void read_links(void)
{
	rl_renewer_cursor cursor = {0};
	for (rl_link *link = rl_renewer_next_link(&watching, &cursor); link != NULL;
		 link = rl_renewer_next_link(&watching, &cursor)) {
		fake_read(link);
	}
}

void watching_to_time(int64_t time)
{
	int64_t stood_at = -1;
	unsigned stood = 0;
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		invariants_of_renewer(&watching, fake_clock);
		int64_t at = next_event();
		if (at > fake_end_of(time)) {
			fake_clock = time > fake_clock ? time : fake_clock;
			return;
		}
		stood = at <= stood_at ? stood + 1 : 0;
		if (stood > SPINS_MAX) {
			FAIL("spins at %" PRId64 " ms", fake_ms());
		}
		fake_clock = at > fake_clock ? at : fake_clock;
		stood_at = fake_clock;
		if (fake_alarm <= fake_clock) {
			fake_on_alarm();
		}
		read_links();
		rl_tick tick = {.seen = fake_clock};
		fake_clock += fake_take_lag();
		tick.now = fake_clock;
		watching_steps++;
		rl_renewer_step(&watching, &tick);
	}
	FAIL("no end after %d steps", STEPS_MAX);
}

void watching_hand_over(void)
{
	rl_late_release late = {.set = &fake_set,
		.key = bytes_of("k"),
		.token = bytes_of("tok"),
		.members = 1,
		.ttl_ns = 30 * SECOND};
	CHECK(rl_late_add(&watching, &late));
}

void watching_fork(void)
{
	fake_forget_log();
	fake_fork();
	rl_renewer_forget(&watching);
}

void watching_to(int64_t ms)
{
	watching_to_time(FAKE_START + ms * MS);
}
