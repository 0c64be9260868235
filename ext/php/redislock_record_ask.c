/* SPDX-License-Identifier: MIT
 *
 * The questions of a lease to its servers. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_exception.h"
#include "php/redislock_record_ask.h"
#include "php/redislock_sigterm.h"

#include "zend_exceptions.h"

#include "core/lock/rl_releases.h"

#include "transport/rl_watchdog.h"

int64_t redislock_record_release_limit(const redislock_record *record)
{
	const rl_set *set = &record->client->set;
	int64_t longest = 0;
	for (unsigned i = 0; i < set->count; i++) {
		int64_t own = rl_set_patience(set, set->members[i].timeout_ns, record->lease->ttl_ns);
		longest = own > longest ? own : longest;
	}
	return longest;
}

/* How often a question is repeated whose refusals are older than what the watchdog has put back. */
#define AGAIN_MOST 3

static redislock_call *ask_once(redislock_record *record, rl_verb verb, int64_t ttl_ms)
{
	redislock_sigterm_keep();
	rl_lease *lease = record->lease;
	rl_bytes token = verb == RL_VERB_OWNER ? rl_bytes_of(NULL, 0) : rl_lease_token(lease);
	bool may_be_repeated = verb == RL_VERB_RELEASE && !lease->is_own_token;
	rl_op *op = rl_plain_new(&record->client->set, record->client->pool, &REDISLOCK_G(env),
		&(rl_plain_args){.verb = verb,
			.key = lease->names.lock,
			.permit = lease->permits > 1 ? lease->names.key : rl_bytes_of(NULL, 0),
			.permits = lease->permits,
			.token = token,
			.ttl_ms = ttl_ms,
			.was_held = rl_lease_was_held(lease),
			.done_ms = verb == RL_VERB_RELEASE ? lease->done_ms : 0,
			.is_leased = true,
			/* A member that runs the command late could shorten the TTL that the next extend()
			   sets. */
			.wanted = verb == RL_VERB_EXTEND ? RL_WANTED_SOON : RL_WANTED_DECISION,
			.late_ns = may_be_repeated ? lease->ttl_ns : 0});
	redislock_call *call = redislock_call_run(record->client, op);
	if (call != NULL && record->client->backed_off_until != 0) {
		redislock_records_back_off(record->client, 0); /* the server answers again */
	}
	return call;
}

/* True = the refusals prove no loss. The repetition of an extend() may meet a copy of the first. */
static bool must_repeat(redislock_record *record, const redislock_call *call)
{
	const rl_op *op = call->op;
	rl_verb verb = op->call.terms.request.verb;
	if (op->status != RL_BUSY || (verb != RL_VERB_EXTEND && verb != RL_VERB_FENCE)) {
		return false;
	}
	rl_watchdog_hold(record->renewal);
	bool is_overruled = rl_quorum_call_is_overruled(&op->call, record->renewal);
	if (is_overruled && verb == RL_VERB_EXTEND && rl_quorum_call_has_strays(&op->call)) {
		rl_lease_suspect(record->lease, op->call.terms.request.ttl_ms * RL_NS_PER_MS);
	}
	rl_watchdog_let_go(record->renewal);
	return is_overruled;
}

redislock_call *redislock_record_ask(redislock_record *record, rl_verb verb, int64_t ttl_ms)
{
	redislock_call *call = ask_once(record, verb, ttl_ms);
	for (int again = 0; call != NULL && again < AGAIN_MOST && must_repeat(record, call); again++) {
		redislock_call_end(call);
		call = ask_once(record, verb, ttl_ms);
	}
	if (call != NULL && verb == RL_VERB_EXTEND && call->op->status == RL_BUSY) {
		rl_plain_undo(call->op, rl_os_now());
	}
	return call;
}

bool redislock_records_ask_release(redislock_record **records, size_t count, bool *is_ours)
{
	rl_lease *leases[REDISLOCK_RELEASES_MAX];
	redislock_client *client = records[0]->client;
	redislock_sigterm_keep();
	for (size_t i = 0; i < count; i++) {
		leases[i] = records[i]->lease;
		rl_watchdog_stop_grants(leases[i]->names.key, rl_lease_token(leases[i]));
	}
	redislock_call *call = redislock_call_try(client,
		rl_releases_new(&client->set, client->pool, &REDISLOCK_G(env), leases, count, RL_NEVER),
		RL_NEVER);
	if (call == NULL) {
		/* A handler has thrown. Those of a forked child are not open. */
		for (size_t i = 0; i < count; i++) {
			if (rl_lease_is_open(leases[i])) {
				redislock_record_release_late(records[i], rl_late_all(&client->set));
				rl_watchdog_undo_grants(leases[i]->names.key, rl_lease_token(leases[i]));
			}
		}
		return false;
	}
	bool is_decided = true;
	for (size_t i = 0; i < count; i++) {
		rl_vote vote = rl_releases_vote(call->op, i);
		redislock_record_release_late(records[i], rl_releases_missing(call->op, i));
		rl_watchdog_undo_grants(leases[i]->names.key, rl_lease_token(leases[i]));
		is_decided = is_decided && (vote == RL_VOTE_GRANTED || vote == RL_VOTE_REFUSED);
		*is_ours = *is_ours && vote == RL_VOTE_GRANTED;
	}
	const rl_op *failed = rl_releases_failed(call->op);
	if (failed != NULL) {
		redislock_throw(failed->err, failed);
		redislock_note_op_key(client, failed);
	} else if (!is_decided) {
		zend_throw_error(NULL, "Out of memory"); /* for one of the releases */
	} else if (client->backed_off_until != 0) {
		redislock_records_back_off(client, 0); /* the server answers again */
	}
	redislock_call_end(call);
	return is_decided;
}

static void lose(redislock_record *record, rl_loss loss)
{
	rl_watchdog_hold(record->renewal);
	rl_lease_lose_by(record->lease, loss);
	rl_watchdog_let_go(record->renewal);
}

bool redislock_record_verify(redislock_record *record)
{
	const rl_lease *lease = record->lease;
	redislock_call *call = redislock_record_ask(record, RL_VERB_OWNER, 0);
	if (call == NULL) {
		return false;
	}
	const rl_errand *member = rl_quorum_call_owner(&call->op->call);
	bool is_ours = call->op->status == RL_OK &&
		rl_bytes_equal(rl_bytes_of(member->text, member->text_len), rl_lease_token(lease));
	rl_loss loss = rl_quorum_call_loss(&call->op->call, rl_lease_token(lease));
	redislock_call_end(call);
	if (!is_ours) {
		lose(record, loss);
	}
	return true;
}

bool redislock_record_may_fence(const redislock_record *record)
{
	const rl_lease *lease = record->lease;
	char shown[RL_BYTES_TEXT];
	const char *why = lease->permits > 1      ? "its slots have several holders at once"
		: sizeof(zend_long) < sizeof(int64_t) ? "PHP's integers have 32 bits only"
		: lease->names.mark.data == NULL
		? "on a cluster no other name is in the slot of a key that has a '}' and no hash tag"
		: NULL;
	if (why != NULL) {
		zend_throw_exception_ex(redislock_ce_exception, 0,
			"the lock \"%s\" can have no fencing number: %s",
			rl_bytes_text(rl_lease_name(lease), shown), why);
		redislock_note_key(rl_lease_name(lease));
	}
	return why == NULL;
}

bool redislock_record_fence(redislock_record *record)
{
	const rl_lease *lease = record->lease;
	redislock_call *call = redislock_record_ask(record, RL_VERB_FENCE, 0);
	if (call == NULL) {
		return false;
	}
	bool is_ours = call->op->status == RL_OK;
	int64_t number = call->op->call.terms.request.fence_number;
	rl_loss loss = rl_quorum_call_loss(&call->op->call, rl_lease_token(lease));
	redislock_call_end(call);
	if (!is_ours) {
		lose(record, loss);
	} else if (record->fence == 0) {
		record->fence = number;
	}
	return true;
}

bool redislock_record_extend(redislock_record *record, int64_t ttl_ms)
{
	rl_lease *lease = record->lease;
	int64_t ttl_ns = ttl_ms * RL_NS_PER_MS;
	rl_watchdog_hold(record->renewal);
	rl_lease_expect(lease, ttl_ns);
	rl_watchdog_let_go(record->renewal);
	redislock_call *call = redislock_record_ask(record, RL_VERB_EXTEND, ttl_ms);
	bool is_answered = call != NULL;
	bool is_ours = is_answered && call->op->status == RL_OK;
	int64_t sent_at = is_ours ? rl_quorum_call_sent_at(&call->op->call) : 0;
	bool has_strays = is_answered && rl_quorum_call_has_strays(&call->op->call);
	rl_loss loss = RL_LOSS_NONE;
	if (is_answered) {
		loss = rl_quorum_call_loss(&call->op->call, rl_lease_token(lease));
		redislock_call_end(call);
	}
	rl_watchdog_hold(record->renewal);
	if (has_strays) {
		rl_lease_suspect(lease, ttl_ns);
	}
	if (is_ours) {
		is_ours = rl_lease_confirm(lease, ttl_ns, sent_at);
	} else if (is_answered) {
		rl_lease_lose_by(lease, loss);
	} else {
		rl_lease_doubt(lease, ttl_ns);
	}
	rl_watchdog_let_go(record->renewal);
	return is_ours;
}
