/* SPDX-License-Identifier: MIT
 *
 * A worker: takes leases, looks at them all the time, prolongs them, and lets them go in each of
 * the ways there are. Some locks are contended for; those of its own it has taken away by a
 * stranger now and then.
 *
 * Who looks at its lease first reads who claims the lock, and then the proof: if somebody else
 * claims it by then, who must have been granted it before, the proof must be over.
 */
#include "crew.h"
#include "hand.h"
#include "server.h"
#include "transport/rl_watchdog.h"

#include <stdio.h>
#include <time.h>

#define MS RL_NS_PER_MS

typedef struct worker {
	int number;
	int key; /* the contended one; -1 = its own */
	char name[32];
	hand hand;
} worker;

void crew_pause(int64_t ms)
{
	int64_t us = ms * the_crew->scale * 10;
	struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
	nanosleep(&time, NULL);
}

/* ---- claims ---- */

static void claim(const worker *self)
{
	if (self->key >= 0) {
		atomic_store(&the_crew->owner[self->key], self->number);
	}
}

static void give_up_claim(const worker *self)
{
	int mine = self->number;
	if (self->key >= 0) {
		atomic_compare_exchange_strong(&the_crew->owner[self->key], &mine, 0);
	}
}

static bool look(const worker *self, kept *lease)
{
	int owner = self->key >= 0 ? atomic_load(&the_crew->owner[self->key]) : self->number;
	bool is_held = rl_lease_is_held(lease->lease);
	COUNT(looks);
	if (is_held && owner != self->number) {
		COUNT(two_owners);
	}
	int64_t left = rl_lease_remaining(lease->lease);
	if (!is_held && left > 0) {
		COUNT(revived);
	}
	return is_held;
}

/* Looks at it for so long; false = it was lost meanwhile. */
static bool hold(const worker *self, kept *lease, int64_t ms)
{
	int64_t end = rl_os_now() + crew_ms(ms) * MS;
	while (rl_os_now() < end) {
		if (!look(self, lease)) {
			return false;
		}
		if (self->number == 1) {
			rl_watchdog_await_rest(); /* as a thread that moves the clock */
		}
		crew_pause(1);
	}
	return look(self, lease);
}

/* ---- losses ---- */

bool crew_excuses(int64_t ttl_ms)
{
	crew_pause(100); /* who measures may have stood still, too */
	return atomic_load(&the_crew->is_standing) ||
		atomic_load(&the_crew->stood_until) > rl_os_now() - (3 * ttl_ms + crew_ms(500)) * MS;
}

static void after_loss(const worker *self, kept *lease)
{
	give_up_claim(self);
	COUNT(lost);
	if (crew_excuses(lease->ttl_ms)) {
		COUNT(excused);
	} else {
		COUNT(lost_without_a_cause);
		fprintf(stderr, "worker %d: %s was lost without a cause, proof %lld\n", self->number,
			self->name, (long long) atomic_load(&lease->lease->proof));
	}
	if (rl_lease_is_held(lease->lease)) {
		COUNT(revived);
	}
}

/* A stranger takes it away: the next renewal finds out, long before the proof would have ended
 * without one. */
static void lose(const worker *self, kept *lease)
{
	char command[64];
	snprintf(command, sizeof command, "DEL %s", self->name);
	int64_t ttl_ns = lease->ttl_ms * MS;
	if (server_number(command) != 1) {
		return; /* the server is away, or it was lost already */
	}
	COUNT(deleted);
	int64_t end = rl_os_now() + 2 * ttl_ns;
	while (rl_lease_is_held(lease->lease) && rl_os_now() < end) {
		crew_pause(1);
	}
	if (rl_lease_is_held(lease->lease)) {
		COUNT(unnoticed);
	} else if (rl_lease_loss(lease->lease) == RL_LOSS_DELETED) {
		COUNT(noticed);
	}
	crew_pause(20); /* it is told, and told again */
	bool must_be_told = !crew_excuses(lease->ttl_ms);
	if (must_be_told && atomic_load(&lease->told) == 0) {
		COUNT(told_wrongly);
	}
}

/* ---- a lease ---- */

static void extend(worker *self, kept *lease)
{
	int64_t ttl_ms = crew_ms(hand_draw(&self->hand, 300, 1500));
	if (!look(self, lease)) {
		return;
	}
	rl_status status = kept_extend(lease, ttl_ms);
	if (status == RL_OK) {
		COUNT(extended);
	} else if (status != RL_BUSY) {
		COUNT(doubted);
	}
}

static void let_go(worker *self, kept *lease)
{
	give_up_claim(self);
	int64_t way = hand_draw(&self->hand, 1, 100);
	if (atomic_load(&the_crew->is_standing) && way > 30) {
		way = 100; /* there may be a renewal in flight, to be released behind */
	}
	if (way <= 70) {
		rl_status status = kept_release(lease);
		for (int i = 0; i < 3 && status != RL_OK && status != RL_BUSY; i++) {
			status = kept_release(lease);
		}
		COUNT(released);
	} else if (way <= 85) {
		kept_farewell(lease, 200);
		COUNT(released);
	} else if (way <= 92) {
		kept_detach(lease);
		COUNT(detached);
	} else {
		COUNT(dropped);
	}
	bool was_lost = atomic_load(&lease->lease->proof) < 0;
	unsigned told = atomic_load(&lease->told);
	atomic_fetch_add(&the_crew->told, told);
	if (told > 0 && !was_lost) {
		COUNT(told_wrongly);
	}
	kept_free(lease);
}

static void work_under(worker *self, kept *lease)
{
	hand *by = &self->hand;
	int64_t ttl_ms = lease->ttl_ms * 100 / the_crew->scale;
	bool is_long = hand_draw(by, 1, 100) <= 30;
	bool is_held =
		hold(self, lease, is_long ? hand_draw(by, ttl_ms, 2 * ttl_ms) : hand_draw(by, 0, 20));
	for (int64_t i = hand_draw(by, -2, 2); is_held && i > 0; i--) {
		extend(self, lease);
		is_held = hold(self, lease, hand_draw(by, 0, 100));
	}
	if (is_held && self->number <= 4 && hand_draw(by, 1, 100) <= 60) {
		crew_fork(by, lease);
		is_held = hold(self, lease, 5);
	}
	if (!is_held) {
		after_loss(self, lease);
	} else if (self->key < 0 && hand_draw(by, 1, 100) <= 30) {
		lose(self, lease);
	}
	let_go(self, lease);
}

static void choose_key(worker *self)
{
	self->key =
		hand_draw(&self->hand, 1, 100) <= 60 ? (int) hand_draw(&self->hand, 0, CREW_KEYS - 1) : -1;
	if (self->key >= 0) {
		snprintf(self->name, sizeof self->name, "shared:%d", self->key);
	} else {
		snprintf(self->name, sizeof self->name, "own:%d", self->number);
	}
}

void *crew_work(void *number)
{
	worker self = {.number = *(int *) number};
	hand_open(&self.hand, the_crew->dsn, crew_ms(400), (uint64_t) self.number);
	while (!atomic_load(&the_crew->is_over)) {
		rl_status status;
		choose_key(&self);
		kept *lease = hand_take(&self.hand, self.name, crew_ms(hand_draw(&self.hand, 400, 1000)),
			crew_ms(hand_draw(&self.hand, 0, 300)), &status);
		if (lease != NULL) {
			COUNT(taken);
			claim(&self);
			work_under(&self, lease);
		} else if (status == RL_BUSY) {
			COUNT(refused);
		} else {
			COUNT(failed);
		}
		crew_pause(hand_draw(&self.hand, 0, 10));
	}
	hand_close(&self.hand);
	return NULL;
}
