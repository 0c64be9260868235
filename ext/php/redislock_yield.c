/* SPDX-License-Identifier: MIT
 *
 * Calls that yield. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_callable.h"
#include "php/redislock_flow.h"
#include "php/redislock_yield.h"

#include "ext/standard/basic_functions.h"
#include "php_network.h"
#include "php_streams.h"
#include "zend_exceptions.h"
#include "zend_fibers.h"

#include "core/wire/rl_transport.h"
#include "transport/rl_process.h"
#include "transport/rl_watch.h"

/* How many watches are kept for later calls; each has two descriptors. */
#define IDLE_WATCHES_MAX 16

/* A waiter that returns so often in a row within so short a time, before the stream is readable,
 * cannot wait. */
#define VAIN_MAX 100
#define VAIN_NS RL_NS_PER_MS

struct redislock_watch {
	/* The next watch in the list of idle watches, or in the list of the watches whose calls are
	 * suspended. */
	redislock_watch *next;
	/* The pointer to this watch in the list of suspended calls; NULL = its call is not suspended.
	 */
	redislock_watch **link;
	rl_watch watch;
	uint64_t fork_generation; /* of the process that made it */
	/* Of the call that has the watch. NULL = PHP has closed it, or there is no call. */
	php_stream *stream;
	redislock_flow flow; /* in which the call is suspended */
	int64_t *ask_at;     /* see redislock_yield_begin() */
	int64_t suspended_at;
	/* How often in a row the waiter has returned too early. */
	unsigned vain;
	/* The descriptors of the latest wait. */
	unsigned count;
	int fds[RL_WAIT_LINKS];
};

/* ---- the stream ---- */

static ssize_t write_nothing(php_stream *stream, const char *data, size_t len)
{
	return -1;
}

static ssize_t read_nothing(php_stream *stream, char *data, size_t len)
{
	return -1;
}

static int flush_nothing(php_stream *stream)
{
	return 0;
}

/* The watch belongs to the call. */
static int close_stream(php_stream *stream, int close_handle)
{
	redislock_watch *watch = stream->abstract;
	watch->stream = NULL;
	return 0;
}

static int cast_stream(php_stream *stream, int castas, void **out)
{
	const redislock_watch *watch = stream->abstract;
	if (castas == PHP_STREAM_AS_STDIO) {
		return FAILURE;
	}
	if (out != NULL) {
		*(php_socket_t *) (void *) out = watch->watch.fd;
	}
	return SUCCESS;
}

static const php_stream_ops stream_ops = {.write = write_nothing,
	.read = read_nothing,
	.close = close_stream,
	.flush = flush_nothing,
	.label = "redislock",
	.cast = cast_stream};

static bool open_stream(redislock_watch *watch)
{
	if (watch->stream != NULL) {
		return true;
	}
	php_stream *stream = php_stream_alloc(&stream_ops, watch, NULL, "r");
	if (stream != NULL) {
		stream->flags |=
			PHP_STREAM_FLAG_NO_FCLOSE | PHP_STREAM_FLAG_NO_SEEK | PHP_STREAM_FLAG_NO_BUFFER;
	}
	watch->stream = stream;
	return stream != NULL;
}

/* The script may keep the resource, which is a closed one from now on. */
static void end_stream(redislock_watch *watch)
{
	if (watch->stream != NULL) {
		zend_resource *resource = watch->stream->res;
		zend_list_close(resource);
		zend_list_delete(resource);
	}
}

/* ---- watches ---- */

static void free_watch(redislock_watch *watch)
{
	rl_watch_destroy(&watch->watch);
	free(watch);
}

static redislock_watch *new_watch(void)
{
	redislock_watch *watch = calloc(1, sizeof *watch);
	if (watch != NULL && !rl_watch_init(&watch->watch)) {
		free(watch);
		return NULL;
	}
	if (watch != NULL) {
		watch->fork_generation = rl_process_fork_generation();
	}
	return watch;
}

/* An idle watch of this process, or a new one. NULL = the system has no descriptor or memory
 * left. */
static redislock_watch *take_watch(void)
{
	redislock_watch *watch = REDISLOCK_G(idle_watches);
	while (watch != NULL) {
		REDISLOCK_G(idle_watches) = watch->next;
		REDISLOCK_G(idle_watch_count)--;
		if (watch->fork_generation == rl_process_fork_generation()) {
			return watch;
		}
		free_watch(watch);
		watch = REDISLOCK_G(idle_watches);
	}
	return new_watch();
}

static bool is_waited_for(const redislock_watch *watch, int fd)
{
	for (unsigned i = 0; i < watch->count; i++) {
		if (watch->fds[i] == fd) {
			return true;
		}
	}
	return false;
}

/* Wakes the suspended calls that share a lookup with the one that has read. A call that finds
 * nothing wakes no other. */
void redislock_yield_heard(const struct pollfd *fds, unsigned count)
{
	for (const redislock_watch *watch = REDISLOCK_G(suspended); watch != NULL;
		 watch = watch->next) {
		bool is_shared = false;
		for (unsigned i = 0; i < count && !is_shared; i++) {
			is_shared = fds[i].fd >= 0 && is_waited_for(watch, fds[i].fd);
		}
		if (is_shared) {
			rl_watch_hurry(&watch->watch);
		}
	}
}

static void note_fds(redislock_watch *watch, const struct pollfd *fds, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		watch->fds[i] = fds[i].fd;
	}
	watch->count = count;
}

/* False = the system has no descriptor or memory left. */
static bool prepare(
	redislock_suspension *suspension, const struct pollfd *fds, unsigned count, int64_t at)
{
	if (suspension->watch == NULL) {
		suspension->watch = take_watch();
	}
	redislock_watch *watch = suspension->watch;
	if (watch == NULL) {
		return false;
	}
	note_fds(watch, fds, count);
	int64_t sleep = at == RL_NEVER ? RL_NEVER : at - rl_os_now();
	return open_stream(watch) && rl_watch_set(&watch->watch, fds, count, sleep);
}

static void suspend(redislock_watch *watch, int64_t *ask_at)
{
	redislock_watch **list = &REDISLOCK_G(suspended);
	watch->suspended_at = rl_os_now();
	watch->flow = redislock_flow_current();
	watch->ask_at = ask_at;
	watch->next = *list;
	watch->link = list;
	if (watch->next != NULL) {
		watch->next->link = &watch->next;
	}
	*list = watch;
}

static void unsuspend(redislock_watch *watch)
{
	*watch->link = watch->next;
	if (watch->next != NULL) {
		watch->next->link = watch->link;
	}
	watch->link = NULL;
}

void redislock_yield_clear(redislock_suspension *suspension)
{
	redislock_watch *watch = suspension->watch;
	suspension->watch = NULL;
	if (watch->link != NULL) {
		unsuspend(watch);
	}
	end_stream(watch);
	watch->vain = 0;
	if (REDISLOCK_G(idle_watch_count) == IDLE_WATCHES_MAX ||
		watch->fork_generation != rl_process_fork_generation()) {
		free_watch(watch);
		return;
	}
	rl_watch_set(&watch->watch, NULL, 0, RL_NEVER);
	watch->next = REDISLOCK_G(idle_watches);
	REDISLOCK_G(idle_watches) = watch;
	REDISLOCK_G(idle_watch_count)++;
}

void redislock_yield_close(void)
{
	while (REDISLOCK_G(idle_watches) != NULL) {
		redislock_watch *watch = REDISLOCK_G(idle_watches);
		REDISLOCK_G(idle_watches) = watch->next;
		free_watch(watch);
	}
	REDISLOCK_G(idle_watch_count) = 0;
	REDISLOCK_G(env).idle_max = 0;
}

/* ---- where a call yields ---- */

/* The shutdown functions have run. */
static bool is_past_script(void)
{
	return (EG(flags) & EG_FLAGS_IN_SHUTDOWN) != 0 && BG(user_shutdown_function_names) == NULL;
}

static bool is_force_closed(void)
{
	return EG(active_fiber) != NULL && (EG(active_fiber)->flags & ZEND_FIBER_FLAG_DESTROYED) != 0;
}

/* A waiter of this flow has made the call. */
static bool is_in_waiter(void)
{
	for (const redislock_watch *watch = REDISLOCK_G(suspended); watch != NULL;
		 watch = watch->next) {
		if (redislock_flow_is_current(&watch->flow)) {
			return true;
		}
	}
	return false;
}

bool redislock_yield_is_possible(void)
{
	return REDISLOCK_G(waiter) != NULL && EG(active) && EG(exception) == NULL &&
		EG(current_execute_data) != NULL && !CG(unclean_shutdown) && !is_past_script() &&
		!zend_fiber_switch_blocked() && !is_force_closed() && !is_in_waiter();
}

/* ---- the waiter ---- */

bool redislock_yield_by(const zend_fcall_info *function, const zend_fcall_info_cache *cache)
{
	redislock_hook *before = REDISLOCK_G(waiter);
	if (function != NULL && !rl_watch_is_possible()) {
		zend_throw_error(NULL,
			"RedisLock::waitWith() needs epoll or kqueue, which this system "
			"does not have, or a free descriptor");
		return false;
	}
	redislock_hook *waiter = redislock_hook_new(function, cache);
	REDISLOCK_G(waiter) = waiter;
	REDISLOCK_G(env).idle_max = waiter != NULL ? REDISLOCK_IDLE_WITH_WAITER : 0;
	redislock_hook_drop(before); /* may run a destructor */
	return EG(exception) == NULL;
}

void redislock_yield_forget(void)
{
	redislock_hook *waiter = REDISLOCK_G(waiter);
	REDISLOCK_G(waiter) = NULL;
	redislock_hook_drop(waiter);
}

static void read_answer(redislock_suspension *suspension, const zval *answer)
{
	ZVAL_DEREF(answer);
	if (Z_TYPE_P(answer) == IS_FALSE) {
		suspension->is_refused = true;
	} else if (Z_TYPE_P(answer) > IS_FALSE && Z_TYPE_P(answer) != IS_TRUE) {
		zend_type_error("RedisLock::waitWith(): Argument #1 ($waiter) must return a bool or null, "
						"%s returned",
			zend_zval_type_name(answer));
	}
}

bool redislock_yield_begin(redislock_suspension *suspension, const struct pollfd *fds,
	unsigned count, int64_t at, int64_t *ask_at)
{
	if (suspension->is_refused || !redislock_yield_is_possible() ||
		!prepare(suspension, fds, count, at)) {
		return false;
	}
	suspend(suspension->watch, ask_at);
	return true;
}

void redislock_yield_wait(redislock_suspension *suspension, bool is_waiting)
{
	zval answer;
	zval arguments[2];
	php_stream_to_zval(suspension->watch->stream, &arguments[0]);
	ZVAL_BOOL(&arguments[1], is_waiting);
	redislock_hook_run(REDISLOCK_G(waiter), arguments, 2, &answer);
	if (EG(exception) == NULL) {
		read_answer(suspension, &answer);
	}
	zval_ptr_dtor(&answer);
}

void redislock_yield_end(redislock_suspension *suspension)
{
	redislock_watch *watch = suspension->watch;
	unsuspend(watch);
	bool is_early = rl_os_now() - watch->suspended_at < VAIN_NS && !rl_watch_is_due(&watch->watch);
	watch->vain = is_early ? watch->vain + 1 : 0;
	suspension->is_refused = suspension->is_refused || watch->vain == VAIN_MAX;
}

/* ---- what concerns suspended calls ---- */

void redislock_yield_look_again(void)
{
	for (const redislock_watch *watch = REDISLOCK_G(suspended); watch != NULL;
		 watch = watch->next) {
		rl_watch_hurry(&watch->watch);
	}
}

void redislock_yield_ask_aborts(void)
{
	for (const redislock_watch *watch = REDISLOCK_G(suspended); watch != NULL;
		 watch = watch->next) {
		if (watch->ask_at != NULL) {
			*watch->ask_at = 0;
			rl_watch_hurry(&watch->watch);
		}
	}
}

void redislock_yield_part(void)
{
	for (redislock_watch *watch = REDISLOCK_G(suspended); watch != NULL; watch = watch->next) {
		rl_watch_part(&watch->watch);
	}
}
