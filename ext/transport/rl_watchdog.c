/* SPDX-License-Identifier: MIT
 *
 * The watchdog's thread. The design is in the header.
 */
#include "transport/rl_watchdog.h"

#include "core/base/rl_time.h"
#include "transport/rl_link.h"
#include "transport/rl_process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define STACK_SIZE (256 * 1024)

/* The longest sleep while there are leases: our clock goes on while the machine is suspended, but
 * the timeout of poll does not. */
#define SLEEP_MAX_NS RL_NS_PER_SECOND

/* The longest sleep when there is no memory for the list of descriptors. */
#define MEMORY_PAUSE_NS (10 * RL_NS_PER_MS)

/* How far the thread is with the releases that a signal handler asks for. */
typedef enum freeing {
	FREEING_NOTHING,
	FREEING_ASKED,
	FREEING_BEGUN,
	FREEING_DONE,
} freeing;

static struct {
	_Atomic int freeing;
	/* There may be late grants: any thread reads this without the mutex. */
	_Atomic bool has_grants;
	/* Changes when threads that resolve names have to share them: the thread has started, or has a
	 * name in doubt. 0 = there is no thread. Any thread reads it without the mutex. */
	_Atomic uint64_t news;
	/* Written before freeing. */
	void (*give_up)(rl_renewer *renewer);
	/* Guards all fields below. A signal handler reads is_running, waker and the counts of the
	 * renewer without it. */
	pthread_mutex_t mutex;
	bool is_running;
	bool must_stop;
	uint64_t news_count; /* of this process and its parents: no news twice */
	pthread_t thread;
	rl_waker waker;
	rl_watchdog_errand errand; /* NULL = none */
	/* When the thread wakes by itself; 0 = the thread has not slept yet, or is woken already. */
	int64_t sleeps_until;
	/* When a link or the errand has something to do, as of the last sleep. */
	int64_t others_until;
	pthread_cond_t sleeps; /* signalled before each sleep */
	/* The shortest time between now and the due time of a lease, among the leases that were added
	 * since the thread woke. */
	int64_t shortest_lead;
	/* Owned. The first descriptor is the waker's. */
	struct pollfd *fds;
	/* Owned. The links of the other descriptors. */
	rl_link **links;
	unsigned count; /* of descriptors */
	size_t room;
	rl_random random; /* for the jitter of the renewer's pauses */
	rl_env env;
	rl_net net;
	rl_renewer renewer;
} dog = {.mutex = PTHREAD_MUTEX_INITIALIZER, .sleeps = PTHREAD_COND_INITIALIZER};

/* This thread has the mutex, or is about to take it. A signal handler must know that before it
 * waits for the watchdog's thread. */
static _Thread_local volatile sig_atomic_t is_inside;

static void lock(void)
{
	is_inside = 1;
	if (pthread_mutex_lock(&dog.mutex) != 0) {
		abort();
	}
}

static void unlock(void)
{
	if (pthread_mutex_unlock(&dog.mutex) != 0) {
		abort();
	}
	is_inside = 0;
}

/* ---- the thread ---- */

static bool reserve(size_t room)
{
	if (room <= dog.room) {
		return true;
	}
	struct pollfd *fds = realloc(dog.fds, room * sizeof *fds);
	dog.fds = fds != NULL ? fds : dog.fds;
	rl_link **links = realloc(dog.links, room * sizeof(rl_link *));
	dog.links = links != NULL ? links : dog.links;
	if (fds == NULL || links == NULL) {
		return false;
	}
	dog.room = room;
	return true;
}

/* Lists the descriptors to poll. @return how many; 0 = out of memory */
static unsigned note_links(int64_t *until)
{
	unsigned count = 1;
	if (!reserve(8)) {
		return 0;
	}
	dog.fds[0] = (struct pollfd){.fd = dog.waker.read_fd, .events = POLLIN};
	rl_renewer_cursor cursor = {0};
	for (rl_link *link = rl_renewer_next_link(&dog.renewer, &cursor); link != NULL;
		 link = rl_renewer_next_link(&dog.renewer, &cursor)) {
		if (count == dog.room && !reserve(2 * dog.room)) {
			return 0;
		}
		dog.fds[count] = (struct pollfd){.fd = rl_link_fd(link), .events = rl_link_events(link)};
		dog.links[count++] = link;
		*until = rl_time_earlier(*until, rl_link_wake_at(link));
	}
	return count;
}

/* When the thread wakes by itself. As long as leases come and go, the thread does not sleep without
 * end, because each new lease would have to wake it. */
static int64_t wake_time(int64_t now)
{
	if (dog.renewer.heap.count > 0) {
		return rl_time_earlier(dog.renewer.until, now + SLEEP_MAX_NS);
	}
	if (dog.shortest_lead == RL_NEVER) {
		return dog.renewer.until;
	}
	return rl_time_earlier(
		dog.renewer.until, now + rl_time_earlier(dog.shortest_lead, SLEEP_MAX_NS));
}

/* Releases the mutex, sleeps, takes the mutex again, and reads what has arrived. */
static void sleep_and_read(rl_tick *tick)
{
	dog.others_until = dog.errand != NULL ? dog.errand(tick->now) : RL_NEVER;
	dog.count = note_links(&dog.others_until);
	if (dog.count == 0) {
		dog.others_until = rl_time_earlier(dog.others_until, tick->now + MEMORY_PAUSE_NS);
	}
	unsigned count = dog.count;
	int64_t until = rl_time_earlier(wake_time(tick->now), dog.others_until);
	dog.shortest_lead = RL_NEVER;
	dog.sleeps_until = until;
	pthread_cond_broadcast(&dog.sleeps);
	if (dog.net.resolver.has_doubts) {
		atomic_store(&dog.news, ++dog.news_count);
	}
	unlock();
	int64_t before = rl_os_now();
	int64_t sleep = until == RL_NEVER ? RL_NEVER : until > before ? until - before : 0;
	int ready = rl_os_poll(dog.fds, count, sleep, NULL, NULL);
	int64_t after = rl_os_now();
	lock();
	if (ready > 0 && dog.fds[0].revents != 0) {
		rl_waker_clear(&dog.waker);
	}
	for (unsigned i = 1; i < count; i++) {
		rl_link_advance(dog.links[i], ready > 0 ? dog.fds[i].revents : 0, after);
	}
	/* All that poll found has been read. If poll found nothing, nothing had arrived by its
	 * timeout. */
	tick->seen = ready > 0 ? before : rl_time_earlier(rl_time_later(before, sleep), after);
	tick->now = rl_os_now();
}

/* Starts the releases that a signal handler asks for. */
static void begin_freeing(void)
{
	int asked = FREEING_ASKED;
	if (atomic_compare_exchange_strong(&dog.freeing, &asked, FREEING_BEGUN)) {
		dog.give_up(&dog.renewer);
		rl_late_release_all(&dog.renewer);
	}
}

static void note_freed(void)
{
	if (atomic_load(&dog.freeing) == FREEING_BEGUN && rl_late_has_released_all(&dog.renewer)) {
		atomic_store(&dog.freeing, FREEING_DONE);
	}
}

static void *run(void *unused)
{
	rl_tick tick = {.now = rl_os_now()};
	lock();
	while (!dog.must_stop) {
		begin_freeing();
		rl_renewer_step(&dog.renewer, &tick);
		note_freed();
		sleep_and_read(&tick);
	}
	unlock();
	return unused;
}

/* Starts the thread with all signals blocked, so that signals stay with PHP's threads. */
static int create_thread(void)
{
	pthread_attr_t attributes;
	int result = pthread_attr_init(&attributes);
	if (result != 0) {
		return result;
	}
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	sigset_t all;
	sigset_t before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	result = pthread_create(&dog.thread, &attributes, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return result;
}

/* ---- its life ---- */

/* @return 0 or an errno */
static int start(void)
{
	if (dog.is_running) {
		return 0;
	}
	if (!rl_waker_init(&dog.waker)) {
		return errno;
	}
	dog.env = rl_process_env(&dog.random);
	rl_net_init(&dog.net);
	dog.net.resolver.is_taught = true; /* by PHP's threads: see learn() */
	rl_renewer_init(&dog.renewer, &dog.net.transport, &dog.env);
	dog.must_stop = false;
	atomic_store(&dog.freeing, FREEING_NOTHING);
	dog.sleeps_until = 0;
	dog.shortest_lead = RL_NEVER;
	int result = create_thread();
	if (result != 0) {
		rl_waker_destroy(&dog.waker);
		return result;
	}
	dog.is_running = true;
	atomic_store(&dog.news, ++dog.news_count);
	return 0;
}

/* Frees everything that belonged to the thread, which is gone. */
static void clean_up(void)
{
	rl_renewer_forget(&dog.renewer);
	rl_net_destroy(&dog.net);
	rl_waker_destroy(&dog.waker);
	free(dog.fds);
	free(dog.links);
	dog.fds = NULL;
	dog.links = NULL;
	dog.room = 0;
	dog.is_running = false;
	atomic_store(&dog.has_grants, false);
	atomic_store(&dog.news, 0);
}

void rl_watchdog_stop(void)
{
	lock();
	bool is_running = dog.is_running;
	if (is_running) {
		dog.must_stop = true;
		rl_waker_wake(&dog.waker);
	}
	unlock();
	if (is_running) {
		pthread_join(dog.thread, NULL);
		clean_up();
	}
}

static void in_child(void)
{
	dog.sleeps = (pthread_cond_t) PTHREAD_COND_INITIALIZER; /* no thread waits here */
	if (dog.is_running) {
		clean_up();
	}
	unlock();
}

static void watch_forks(void)
{
	pthread_atfork(lock, unlock, in_child);
}

/* If the handlers were registered twice, a fork would lock the mutex twice. */
void rl_watchdog_set_up(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, watch_forks);
}

/* ---- leases ---- */

/* Releases the mutex, and wakes the thread if work is due before the thread wakes by itself. */
static void unlock_and_wake(void)
{
	bool must_wake = dog.is_running && dog.renewer.until < dog.sleeps_until;
	if (must_wake) {
		dog.sleeps_until = 0; /* one wake-up is enough */
		rl_waker_wake(&dog.waker);
	}
	unlock();
}

rl_status rl_watchdog_prepare(rl_renewal *renewal, const rl_set *set, int *sys_errno)
{
	lock();
	*sys_errno = start();
	bool is_prepared = *sys_errno == 0 && rl_renewer_prepare(&dog.renewer, renewal, set);
	unlock();
	if (*sys_errno == 0 && !is_prepared) {
		*sys_errno = ENOMEM;
	}
	return is_prepared ? RL_OK : RL_ERR_MEMORY;
}

bool rl_watchdog_has_shared(const rl_resolver *resolver)
{
	return resolver->shared == atomic_load_explicit(&dog.news, memory_order_relaxed);
}

/* As long as a name is in doubt the resolver has to look again.
 * @return true = the thread misses names */
static bool learn(rl_resolver *resolver)
{
	bool has_doubts = false;
	if (dog.is_running && !rl_watchdog_has_shared(resolver)) {
		rl_resolver_learn(&dog.net.resolver, resolver);
		has_doubts = dog.net.resolver.has_doubts;
	}
	resolver->shared = has_doubts ? 0 : dog.news;
	return has_doubts && rl_resolver_note_missed(resolver, &dog.net.resolver);
}

void rl_watchdog_begin(rl_renewal *renewal, const rl_set *set, rl_resolver *resolver)
{
	int64_t now = rl_os_now();
	lock();
	if (renewal->renewer != NULL) { /* else the process was forked since */
		learn(resolver);
		rl_renewer_begin(renewal, set, now);
		dog.shortest_lead = rl_time_earlier(dog.shortest_lead, renewal->due_at - now);
	}
	unlock_and_wake();
}

static int64_t due_at(void)
{
	return rl_time_earlier(dog.renewer.until, dog.others_until);
}

/* True when something wakes the thread, which polls dog.fds itself: only it may write into them. */
static bool is_woken(void)
{
	bool is_any = false;
	for (unsigned i = 0; i < dog.count && !is_any; i++) {
		struct pollfd fd = {.fd = dog.fds[i].fd, .events = dog.fds[i].events};
		is_any = rl_os_poll(&fd, 1, 0, NULL, NULL) != 0;
	}
	return is_any;
}

/* The thread releases the mutex only to sleep. So it has slept, and if nothing is there to wake it,
 * it still sleeps. */
static bool is_at_rest(void)
{
	return dog.sleeps_until != 0 && due_at() > rl_os_now() && !is_woken();
}

/* Signals wait until it is over. A handler that frees the leases cannot do so while this thread is
 * inside, and a thread that moves the clock is inside nearly all the time. */
int64_t rl_watchdog_await_rest(void)
{
	sigset_t all;
	sigset_t before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	lock();
	while (dog.is_running && !is_at_rest()) {
		if (due_at() <= rl_os_now()) {
			rl_waker_wake(&dog.waker);
		}
		pthread_cond_wait(&dog.sleeps, &dog.mutex);
	}
	int64_t due = dog.is_running ? due_at() : RL_NEVER;
	unlock();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return due;
}

bool rl_watchdog_learn(rl_resolver *resolver)
{
	lock();
	bool misses_any = learn(resolver);
	unlock();
	return misses_any;
}

void rl_watchdog_hold(rl_renewal *renewal)
{
	if (renewal != NULL) {
		lock();
	}
}

void rl_watchdog_let_go(rl_renewal *renewal)
{
	if (renewal != NULL) {
		rl_renewer_changed(renewal);
		unlock_and_wake();
	}
}

void rl_watchdog_pause(rl_renewal *renewal)
{
	if (renewal != NULL) {
		lock();
		rl_renewer_pause(renewal);
		unlock();
	}
}

void rl_watchdog_end(rl_renewal *renewal)
{
	if (renewal != NULL) {
		lock();
		rl_renewer_remove(renewal);
		unlock_and_wake();
	}
}

/* ---- for signal handlers ---- */

bool rl_watchdog_is_inside(void)
{
	return is_inside != 0;
}

void rl_watchdog_set_errand(rl_watchdog_errand errand)
{
	lock();
	dog.errand = errand;
	unlock();
}

bool rl_watchdog_call(void)
{
	if (dog.is_running) {
		rl_waker_wake(&dog.waker);
	}
	return dog.is_running;
}

size_t rl_watchdog_free_all(void (*give_up)(rl_renewer *renewer))
{
	size_t owned = dog.renewer.late_count + dog.renewer.grant_count;
	size_t count = dog.is_running ? dog.renewer.all_count - owned : 0;
	if (count > 0) {
		dog.give_up = give_up;
		atomic_store(&dog.freeing, FREEING_ASKED);
		rl_watchdog_call();
	}
	return count;
}

void rl_watchdog_learn_at_the_end(const rl_resolver *resolver)
{
	rl_resolver_learn(&dog.net.resolver, resolver);
}

bool rl_watchdog_has_freed_all(void)
{
	return atomic_load(&dog.freeing) == FREEING_DONE;
}

/* ---- late releases ---- */

void rl_watchdog_release_late(const rl_late_release *late, rl_resolver *resolver)
{
	lock();
	bool is_taken = start() == 0;
	if (is_taken) {
		learn(resolver);
		is_taken = rl_late_add(&dog.renewer, late);
	}
	rl_stats_add(&rl_process_stats()->late_releases_dropped, !is_taken);
	unlock_and_wake();
}

/* ---- late grants ---- */

void rl_watchdog_grant_late(const rl_late_grant *grant, rl_resolver *resolver)
{
	lock();
	if (start() == 0) {
		learn(resolver);
		rl_late_grant_add(&dog.renewer, grant);
		atomic_store(&dog.has_grants, true);
	}
	unlock_and_wake();
}

static void act_on_grants(
	void (*act)(rl_renewer *renewer, rl_bytes key, rl_bytes token), rl_bytes key, rl_bytes token)
{
	if (!atomic_load_explicit(&dog.has_grants, memory_order_relaxed)) {
		return;
	}
	lock();
	act(&dog.renewer, key, token);
	atomic_store(&dog.has_grants, dog.renewer.grant_count > 0);
	unlock_and_wake();
}

void rl_watchdog_stop_grants(rl_bytes key, rl_bytes token)
{
	act_on_grants(rl_renewer_stop_grants, key, token);
}

void rl_watchdog_undo_grants(rl_bytes key, rl_bytes token)
{
	act_on_grants(rl_renewer_undo_grants, key, token);
}

bool rl_watchdog_is_releasing(const rl_set *set, rl_bytes key, rl_bytes token)
{
	lock();
	bool is_releasing = dog.is_running && rl_late_is_releasing(&dog.renewer, set, key, token);
	unlock();
	return is_releasing;
}
