/* SPDX-License-Identifier: MIT
 *
 * Clients, and the operations that run for them. The design is in the header.
 */
#include "php_redislock.h"

#include "php/compat.h"
#include "php/redislock_call.h"
#include "php/redislock_exception.h"
#include "php/redislock_observer.h"

#include "zend_exceptions.h"

#include "transport/rl_process.h"
#include "transport/rl_watchdog.h"

/* When a new connection is needed, a name that was resolved longer ago than this is resolved
 * again. */
#define RESOLVE_AGAIN_NS (60 * RL_NS_PER_SECOND)

rl_yielded (*redislock_call_check_wait)(redislock_call *call);

/* The sets of members that this process has had, in all threads. */
static _Atomic uint64_t sets;

redislock_client *redislock_client_new(void)
{
	redislock_client *client = calloc(1, sizeof *client);
	if (client != NULL) {
		client->refs = 1;
		client->set.number = atomic_fetch_add(&sets, 1) + 1;
		client->pool = &client->own_pool;
		rl_pool_init(&client->own_pool, &REDISLOCK_G(net).transport, &REDISLOCK_G(env));
	}
	return client;
}

void redislock_client_unref(redislock_client *client)
{
	if (client == NULL || --client->refs > 0) {
		return;
	}
	rl_pool_end_idle(&client->own_pool, rl_os_now());
	/* The servers may not have read the undos on these connections yet. */
	rl_pool_hand_over_lingering(&client->own_pool, &REDISLOCK_G(pool), rl_os_now());
	rl_pool_clear(&client->own_pool);
	for (unsigned i = 0; i < client->set.count; i++) {
		rl_target_unref(client->set.members[i].target);
		rl_route_unref(client->set.members[i].route);
	}
	free(client->prefix);
	free(client);
}

bool redislock_call_has_forked(const redislock_call *call)
{
	return call->fork_generation != rl_process_fork_generation();
}

static bool may_stop(const redislock_call *call)
{
	return call->abort != NULL && rl_acquire_may_stop(rl_acquire_of(call->op));
}

static int64_t guard_due_at(void *ctx)
{
	const redislock_call *call = ctx;
	return may_stop(call) ? call->abort->due_at : RL_NEVER;
}

static bool guard_is_due(void *ctx)
{
	int64_t due_at = guard_due_at(ctx);
	return redislock_vm_is_interrupted() || (due_at != RL_NEVER && due_at <= rl_os_now());
}

/* True = the wait ends now, by the script's own answer. */
static bool is_stopped(const redislock_call *call)
{
	return may_stop(call) && call->abort->answer == REDISLOCK_ABORT_STOP && EG(exception) == NULL &&
		!call->has_bailed_out && !redislock_call_has_forked(call);
}

/* Runs what is due: signal handlers and the like, then the script's callable that may end the wait.
 * The handlers may have changed what that callable will answer. */
static void run_script(redislock_call *call)
{
	if (redislock_vm_is_interrupted()) {
		redislock_vm_run_interrupt();
		if (call->abort != NULL) {
			call->abort->due_at = 0;
		}
	}
	bool may_ask = EG(exception) == NULL && !redislock_call_has_forked(call) && may_stop(call);
	if (may_ask && call->abort->answer == REDISLOCK_ABORT_GO_ON &&
		call->abort->due_at <= rl_os_now()) {
		redislock_abort_ask(call->abort);
	}
}

/* Runs code that may run PHP code. Catches a bail-out, so that the operation can be undone.
 * give_up() continues the bail-out.
 * @return false = the call has to be given up */
static bool run_php(redislock_call *call, void (*code)(redislock_call *call))
{
	zend_try
	{
		code(call);
	}
	zend_catch
	{
		call->has_bailed_out = true;
	}
	zend_end_try();
	return !call->has_bailed_out && EG(exception) == NULL && !redislock_call_has_forked(call);
}

static bool guard_run(void *ctx)
{
	redislock_call *call = ctx;
	/* If the script has stopped the wait, the step since then has not found a grant. */
	return !is_stopped(call) && run_php(call, run_script);
}

static void wait_by_script(redislock_call *call)
{
	const rl_acquire *acquire = rl_acquire_of(call->op);
	redislock_yield_wait(&call->suspension, acquire != NULL && rl_acquire_may_stop(acquire));
}

void redislock_call_block(rl_op *op)
{
	/* Calls of other flows may be suspended. */
	static const rl_guard beside_others = {.heard = redislock_yield_heard};
	rl_drive(&REDISLOCK_G(net), op, REDISLOCK_G(suspended) != NULL ? &beside_others : NULL);
}

/* The servers have answered that another holder has the lock, and the wait can only block. */
static bool is_blocked(const redislock_call *call)
{
	const rl_acquire *acquire = rl_acquire_of(call->op);
	return acquire != NULL && acquire->op.call.terms.request.permits <= 1 &&
		acquire->failures == 0 && rl_acquire_may_stop(acquire);
}

static rl_yielded guard_yield(void *ctx, const struct pollfd *fds, unsigned count, int64_t at)
{
	redislock_call *call = ctx;
	int64_t *ask_at = call->abort != NULL ? &call->abort->due_at : NULL;
	if (!redislock_yield_begin(&call->suspension, fds, count, at, ask_at)) {
		return is_blocked(call) ? redislock_call_check_wait(call) : RL_YIELD_REFUSED;
	}
	bool goes_on = run_php(call, wait_by_script);
	redislock_yield_end(&call->suspension);
	return goes_on ? RL_YIELDED : RL_YIELD_ABANDONED;
}

static zend_always_inline redislock_call *begin(redislock_client *client, rl_op *op)
{
	redislock_call *call = rl_pool_take_block(client->pool, sizeof *call);
	if (call == NULL) {
		return NULL;
	}
	client->refs++;
	redislock_call **list = &REDISLOCK_G(calls);
	*call = (redislock_call){.next = *list,
		.link = list,
		.client = client,
		.op = op,
		.fork_generation = rl_process_fork_generation()};
	if (call->next != NULL) {
		call->next->link = &call->next;
	}
	*list = call;
	return call;
}

/* Hands to the watchdog what the call has left undone: releases that failed, and grants on
 * members to which the call had no connection yet. */
static void pass_on(const redislock_call *call)
{
	rl_late_release late;
	rl_late_grant grant;
	const rl_acquire *acquire = rl_acquire_of(call->op);
	if (!redislock_call_has_forked(call) && rl_op_leaves(call->op, &late)) {
		rl_watchdog_release_late(&late, &REDISLOCK_G(net).resolver);
	}
	if (!redislock_call_has_forked(call) && acquire != NULL && rl_acquire_leaves(acquire, &grant)) {
		rl_watchdog_grant_late(&grant, &REDISLOCK_G(net).resolver);
	}
}

/* The token of the lock that the operation may end or shorten; no data = it ends whatever lock the
 * key has. */
static rl_bytes ended_token(const rl_op *op)
{
	bool is_forced = op->call.terms.request.verb == RL_VERB_FORCE;
	return is_forced ? (rl_bytes){NULL, 0} : op->call.terms.request.token;
}

/* No late grant of the lock may follow the operation. */
static void stop_grants(const rl_op *op)
{
	if (rl_verb_changes(op->call.terms.request.verb)) {
		rl_watchdog_stop_grants(op->call.terms.request.key, ended_token(op));
	}
}

/* What late grants have stored is released where the connections of the call may not get to. */
static void undo_grants(const redislock_call *call)
{
	const rl_op *op = call->op;
	rl_verb verb = op->call.terms.request.verb;
	bool was_swapped = verb == RL_VERB_SWAP && op->status == RL_OK;
	if ((verb == RL_VERB_RELEASE || verb == RL_VERB_FORCE || was_swapped) &&
		!redislock_call_has_forked(call)) {
		rl_watchdog_undo_grants(op->call.terms.request.key, ended_token(op));
	}
}

void redislock_call_end(redislock_call *call)
{
	pass_on(call);
	undo_grants(call);
	if (call->suspension.watch != NULL) {
		redislock_yield_clear(&call->suspension);
	}
	*call->link = call->next;
	if (call->next != NULL) {
		call->next->link = call->link;
	}
	redislock_client *client = call->client;
	rl_op_free(call->op);
	rl_pool_give_block(client->pool, call, sizeof *call);
	redislock_client_unref(client);
}

static void abandon(redislock_call *call)
{
	rl_op_abandon(call->op, rl_os_now(), redislock_call_has_forked(call));
	redislock_call_end(call);
}

void redislock_calls_abandon(void)
{
	while (REDISLOCK_G(calls) != NULL) {
		abandon(REDISLOCK_G(calls));
	}
}

/* One of several members needs no dial: it has a connection, or is backed off. */
static bool needs_no_dial(rl_pool *pool, const rl_target *target)
{
	return rl_pool_count(pool, target) > 0 || rl_pool_is_backed_off(pool, target, rl_os_now());
}

static void resolve_target(rl_pool *pool, const rl_target *target, bool is_only_server)
{
	if (target->address.kind != RL_NET_TCP) {
		return;
	}
	/* A slow connection to one of several servers must not be closed here: a release may have to
	 * follow on it. */
	bool has_conn = is_only_server ? rl_pool_has(pool, target, RL_WANT_ANY, rl_os_now())
								   : needs_no_dial(pool, target);
	if (!has_conn) {
		rl_resolve(&REDISLOCK_G(net).resolver, &target->address, RESOLVE_AGAIN_NS);
	}
}

/* Resolves the name of the node that will be asked first. That is enough if this node is known to
 * have the slot, and needs no check: the driver resolves the names of other nodes when redirects
 * lead to them. */
static void resolve_route(rl_pool *pool, rl_route *route, unsigned slot, bool is_only_member)
{
	rl_target *node = rl_route_node(route, slot);
	bool is_checked = route->check_ns != RL_NEVER;
	if (node != NULL) {
		rl_target_ref(node); /* a map that is read meanwhile may drop the node */
		resolve_target(pool, node, is_only_member);
		rl_target_unref(node);
	}
	if (rl_route_knows(route, slot) && !is_checked) {
		return;
	}
	for (unsigned i = 0; i < route->seed_count; i++) {
		resolve_target(pool, route->seeds[i], false);
	}
}

static bool is_address_of_route(const rl_route *route, const rl_address *address)
{
	for (unsigned i = 0; i < route->seed_count; i++) {
		if (rl_address_equal(&route->seeds[i]->address, address)) {
			return true;
		}
	}
	for (unsigned i = 0; i < route->node_count; i++) {
		if (rl_address_equal(&route->nodes[i].target->address, address)) {
			return true;
		}
	}
	return false;
}

/* A call resolves no name of other servers: without a name server that would take long. */
static bool is_address_of(const void *ctx, const rl_address *address)
{
	const redislock_client *client = ctx;
	bool is_any = false;
	for (unsigned i = 0; i < client->set.count && !is_any; i++) {
		const rl_member *member = &client->set.members[i];
		is_any = member->route != NULL ? is_address_of_route(member->route, address)
									   : rl_address_equal(&member->target->address, address);
	}
	return is_any;
}

static ZEND_COLD zend_never_inline void share_names(const redislock_client *client)
{
	rl_resolver *resolver = &REDISLOCK_G(net).resolver;
	if (rl_watchdog_learn(resolver)) {
		rl_resolve_missed(resolver, is_address_of, client);
		rl_watchdog_learn(resolver);
	}
}

/* Before the operation's time begins to run, resolves the names that the operation needs for a
 * dial, and the names that the watchdog lacks, because the watchdog itself resolves none. */
static void resolve_names(redislock_client *client, unsigned slot)
{
	bool is_one = client->set.count == 1;
	for (unsigned i = 0; i < client->set.count; i++) {
		const rl_member *member = &client->set.members[i];
		if (member->route != NULL) {
			resolve_route(client->pool, member->route, slot, is_one);
		} else {
			resolve_target(client->pool, member->target, is_one);
		}
	}
	if (!rl_watchdog_has_shared(&REDISLOCK_G(net).resolver)) {
		share_names(client);
	}
}

static void throw_out_of_memory(void)
{
	rl_error err;
	rl_error_set(&err, RL_ERR_MEMORY, 0, "out of memory");
	redislock_throw(&err, NULL);
}

/* The key without its prefix. */
static rl_bytes key_of(const redislock_client *client, const rl_op *op)
{
	rl_bytes key = op->lock;
	return rl_bytes_of(key.data + client->prefix_len, key.len - client->prefix_len);
}

void redislock_note_op_key(const redislock_client *client, const rl_op *op)
{
	if (op->lock.data != NULL) {
		redislock_note_key(key_of(client, op));
	}
}

static void throw_forked(const redislock_call *call)
{
	rl_error err;
	rl_error_set(&err, RL_ERR_FORKED, 0,
		"the process was forked during this call, which only the parent process continues");
	redislock_throw(&err, NULL);
	redislock_note_op_key(call->client, call->op);
}

/* Call when PHP code has ended the call. @param end abandon() or redislock_call_end() */
static redislock_call *give_up(redislock_call *call, void (*end)(redislock_call *call))
{
	bool has_bailed_out = call->has_bailed_out;
	if (!has_bailed_out && redislock_call_has_forked(call) && EG(exception) == NULL) {
		throw_forked(call);
	}
	end(call);
	if (has_bailed_out) {
		zend_bailout();
	}
	return NULL;
}

/* The wait took longer than redislock.slow_wait. */
static bool was_slow(const rl_acquire *acquire)
{
	double limit = REDISLOCK_G(slow_wait) * 1e9;
	return limit > 0 && rl_acquire_is_waiting(acquire) && (double) acquire->waited_ns > limit;
}

/* Tells the script's observer that the lock was taken, and raises the notice of a slow wait. */
static void tell(redislock_call *call)
{
	const rl_acquire *acquire = rl_acquire_of(call->op);
	if (redislock_observer_wants(acquire)) {
		redislock_observer_call(acquire, key_of(call->client, call->op));
	}
	if (EG(exception) != NULL || !was_slow(acquire)) {
		return;
	}
	char key[RL_BYTES_TEXT];
	char waited[RL_SECONDS_TEXT];
	char holder[RL_HOLDER_TEXT];
	int64_t waited_ms = (acquire->waited_ns + RL_NS_PER_MS / 2) / RL_NS_PER_MS;
	bool is_known = rl_acquire_holder_text(acquire, holder)[0] != '\0';
	zend_error(E_NOTICE, "waited %s s for the lock \"%s\"%s%s",
		rl_seconds_text(waited_ms * RL_NS_PER_MS, waited),
		rl_bytes_text(key_of(call->client, call->op), key), is_known ? ", last seen " : "", holder);
}

/* A signal may have arrived just before the answer. The VM would run its handler right after this
 * method, and if the handler throws, the token would be lost while the key is still locked.
 * Therefore the handler runs here, while the call still has the connections on which the lock can
 * be undone. The same holds for the observer of contention, and for the notice of a slow wait,
 * which may run an error handler. A call that has failed calls neither, because what they throw
 * would replace the exception of the failure.
 * @return false = the call has to be given up */
static bool run_late_handlers(redislock_call *call)
{
	rl_acquire *acquire = rl_acquire_of(call->op);
	bool is_told = acquire != NULL && (was_slow(acquire) || redislock_observer_wants(acquire));
	bool is_granted = acquire != NULL && call->op->status == RL_OK;
	if (!is_granted) {
		return !is_told || call->op->status != RL_BUSY || run_php(call, tell);
	}
	if (!is_told && !guard_is_due(call)) {
		return true;
	}
	rl_quorum_call_hold(&call->op->call, false, rl_os_now());
	if ((is_told && !run_php(call, tell)) || (guard_is_due(call) && !guard_run(call))) {
		return false;
	}
	int64_t now = rl_os_now();
	bool is_still_proven = acquire->proven_until > now;
	rl_quorum_call_settle(&call->op->call, is_still_proven ? RL_UNDO_NOTHING : RL_UNDO_ALL, now);
	if (!is_still_proven) {
		rl_op_fail_with(call->op, RL_ERR_SLOW,
			"too slow: a signal handler ran until the TTL of the granted lock was used up; "
			"the lock was released");
	}
	return true;
}

/* Runs the operation to its end, which may be a failure. NULL = an exception was thrown: here, or
 * before by the destructor of an argument, such as an object that stood for the key. The caller
 * would never see what the operation returns then. */
static redislock_call *run(redislock_client *client, rl_op *op, redislock_abort *abort)
{
	if (EG(exception) != NULL) {
		rl_op_free(op);
		return NULL;
	}
	redislock_call *call = op != NULL ? begin(client, op) : NULL;
	if (call == NULL) {
		rl_op_free(op);
		throw_out_of_memory();
		return NULL;
	}
	call->abort = abort != NULL && redislock_abort_is_set(abort) ? abort : NULL;
	stop_grants(op);
	resolve_names(client, op->call.terms.request.slot);
	bool yields = REDISLOCK_G(waiter) != NULL;
	rl_guard guard = {.ctx = call,
		.is_due = guard_is_due,
		.due_at = call->abort != NULL ? guard_due_at : NULL,
		.run = guard_run,
		.yield = yields ? guard_yield : NULL,
		.heard = yields ? redislock_yield_heard : NULL};
	if (!rl_drive(&REDISLOCK_G(net), op, &guard)) {
		if (!is_stopped(call)) {
			return give_up(call, abandon);
		}
		rl_acquire_stop(rl_acquire_of(op), rl_os_now());
	}
	if (!run_late_handlers(call)) {
		return give_up(call, op->status == RL_OK ? abandon : redislock_call_end);
	}
	return call;
}

static bool has_failed(const redislock_call *call)
{
	return call->op->status != RL_OK && call->op->status != RL_BUSY;
}

static void throw_failure(redislock_call *call)
{
	redislock_throw(call->op->err, call->op);
	redislock_note_op_key(call->client, call->op);
	redislock_call_end(call);
}

redislock_call *redislock_call_wait(redislock_client *client, rl_op *op, redislock_abort *abort)
{
	redislock_call *call = run(client, op, abort);
	if (call != NULL && has_failed(call)) {
		throw_failure(call);
		return NULL;
	}
	return call;
}

redislock_call *redislock_call_run(redislock_client *client, rl_op *op)
{
	return redislock_call_wait(client, op, NULL);
}

redislock_call *redislock_call_try(redislock_client *client, rl_op *op, int64_t until)
{
	redislock_call *call = run(client, op, NULL);
	if (call != NULL && has_failed(call) && rl_os_now() >= until) {
		throw_failure(call);
		return NULL;
	}
	return call;
}

redislock_call *redislock_call_lend(redislock_client *client, rl_op *op)
{
	redislock_call *call = begin(client, op);
	if (call == NULL) {
		rl_op_free(op);
		return NULL;
	}
	rl_guard guard = {.ctx = call, .yield = guard_yield, .heard = redislock_yield_heard};
	return rl_drive(&REDISLOCK_G(net), op, &guard) ? call : give_up(call, abandon);
}
