/* SPDX-License-Identifier: MIT
 *
 * Builds commands. Each verb has a rule.
 */
#include "core/wire/rl_command.h"

#include <stdio.h>

#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

static void add(rl_command *command, rl_bytes argument)
{
	command->argv[command->argc++] = argument;
}

static void add_number(rl_command *command, int64_t value) /* never negative */
{
	char *end = command->numbers[command->number_count++] + RL_COMMAND_DIGITS;
	char *digits = rl_put_digits(end, (uint64_t) value);
	add(command, rl_bytes_of(digits, (size_t) (end - digits)));
}

/* Seconds with three decimals. */
static void add_seconds(rl_command *command, int64_t ms)
{
	char *end = command->numbers[command->number_count++] + RL_COMMAND_DIGITS;
	/* Adding 1000 makes four digits, of which the decimal point replaces the first. */
	char *digits = rl_put_digits(end, (uint64_t) (ms % 1000 + 1000));
	*digits = '.';
	digits = rl_put_digits(digits, (uint64_t) (ms / 1000));
	add(command, rl_bytes_of(digits, (size_t) (end - digits)));
}

/* ---- building ---- */

bool rl_request_is_without_helpers(const rl_request *request)
{
	return request->no_helpers || request->mark.data == NULL || !rl_verb_has_helpers(request->verb);
}

/* EVALSHA or EVAL, and the script. */
static void add_script_name(rl_command *command, const rl_request *request, rl_script_id id)
{
	const rl_script *script = rl_script_get(id);
	add(command, request->form == RL_FORM_TEXT ? LITERAL("EVAL") : LITERAL("EVALSHA"));
	add(command,
		request->form == RL_FORM_TEXT ? rl_bytes_of(script->text, script->text_len)
									  : rl_bytes_of(script->sha1, 40));
}

/* The keys of all permits. */
static void add_permits(rl_command *command, const rl_request *request, unsigned others)
{
	add_number(command, request->permits + others);
	for (unsigned i = 0; i < request->permits; i++) {
		add(command, request->permit_keys[i]);
	}
}

static void add_script(rl_command *command, const rl_request *request, rl_script_id id)
{
	bool no_helpers = rl_request_is_without_helpers(request);
	add_script_name(command, request, id);
	if (request->permit_keys != NULL) {
		add_permits(command, request, no_helpers ? 0 : 2);
	} else {
		add(command, no_helpers ? LITERAL("1") : LITERAL("3"));
		add(command, request->key);
	}
	if (!no_helpers) {
		add(command, request->mark);
		add(command, request->tickets);
	}
}

/* A script without the helper keys reserves nothing, and on one server it needs no argument. */
static bool has_reservation(const rl_request *request)
{
	return request->reserve_ms > 0 && !rl_request_is_without_helpers(request);
}

/* And behind it, if there are several, the number of permits. Only a lock on one server has
 * several, so the reservation is the shortest one. */
static void add_reservation(rl_command *command, const rl_request *request, unsigned permits)
{
	if (permits > 1) {
		add(command, LITERAL("10"));
		add_number(command, permits);
	} else if (has_reservation(request)) {
		add_number(command, request->reserve_ms);
	}
}

/* The script takes so many of its keys for permits. A try that names one key is about this permit:
 * the watch puts it back where a failover has lost it. */
static unsigned named_permits(const rl_request *request)
{
	return request->permit_keys != NULL ? request->permits : 1;
}

static void build_set(rl_command *command, const rl_request *request)
{
	add(command, LITERAL("SET"));
	add(command, request->key);
	add(command, request->token);
	add(command, LITERAL("NX"));
	add(command, LITERAL("PX"));
	add_number(command, request->ttl_ms);
}

static void build_try(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_TRY);
	add(command, request->token);
	add_number(command, request->ttl_ms);
	add(command, request->maybe_ours ? LITERAL("1") : LITERAL("0"));
	add_number(command, (int64_t) request->place);
	/* The script removes the mark of this name. The member '' has the longest reservation. */
	add(command, request->waiter.data != NULL ? request->waiter : LITERAL("-"));
	add_number(command, request->mark_ms);
	add_reservation(command, request, named_permits(request));
}

static void build_probe(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_PROBE);
	add(command, request->token);
	add(command, request->waiter);
	add_number(command, request->mark_ms);
	add_reservation(command, request, named_permits(request));
}

static void build_blpop(rl_command *command, const rl_request *request)
{
	add(command, LITERAL("BLPOP"));
	add(command, request->tickets);
	add_seconds(command, request->block_ms);
}

static void build_release(rl_command *command, const rl_request *request)
{
	if (request->permit_keys != NULL) {
		bool unmarks = request->waiter.data != NULL && !rl_request_is_without_helpers(request);
		add_script_name(command, request, RL_SCRIPT_FREE_ANY);
		add_permits(command, request, unmarks ? 2 : 0);
		if (unmarks) {
			add(command, request->mark);
			add(command, request->tickets);
		}
		add(command, request->token);
		if (unmarks) {
			add(command, request->waiter);
		}
		return;
	}
	add_script(command, request, RL_SCRIPT_RELEASE);
	add(command, request->token);
	bool reserves = has_reservation(request);
	bool has_more = reserves || request->permits > 1 || request->done_ms > 0;
	if (has_more || request->waiter.data != NULL) {
		add(command, request->waiter.data != NULL ? request->waiter : LITERAL(""));
	}
	if (!has_more) {
		return;
	}
	add_reservation(command, request, request->permits);
	if (request->done_ms > 0) {
		if (!reserves) {
			add(command, LITERAL(""));
		}
		add(command, LITERAL(""));
		add_number(command, request->done_ms);
	}
}

static void build_extend(rl_command *command, const rl_request *request)
{
	add_script(
		command, request, request->verb == RL_VERB_EXTEND ? RL_SCRIPT_EXTEND : RL_SCRIPT_RENEW);
	add(command, request->token);
	add_number(command, request->ttl_ms);
}

static void build_swap(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_SWAP);
	add(command, request->token);
	add(command, request->fresh);
	add_number(command, request->ttl_ms);
}

static void build_force(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_FORCE);
	add_reservation(command, request, request->permits);
}

static void build_exists(rl_command *command, const rl_request *request)
{
	add(command, LITERAL("EXISTS"));
	add(command, request->key);
}

static void build_owner(rl_command *command, const rl_request *request)
{
	add(command, request->form == RL_FORM_TYPE ? LITERAL("TYPE") : LITERAL("GET"));
	add(command, request->key);
}

static void build_inspect(rl_command *command, const rl_request *request)
{
	add_script(command, request, RL_SCRIPT_INSPECT);
}

static void build_remaining(rl_command *command, const rl_request *request)
{
	add(command, LITERAL("PTTL"));
	add(command, request->key);
}

static void build_scan(rl_command *command, const rl_request *request)
{
	add_script_name(command, request, RL_SCRIPT_SCAN);
	add(command, request->key.len > 0 ? LITERAL("1") : LITERAL("0"));
	if (request->key.len > 0) {
		add(command, request->key);
	}
	add(command, request->token);
	add(command, request->fresh);
}

static void build_fence(rl_command *command, const rl_request *request)
{
	add_script_name(command, request, RL_SCRIPT_FENCE);
	add(command, LITERAL("2"));
	add(command, request->key);
	add(command, request->fence);
	add(command, request->token);
	add_number(command, request->fence_number);
}

/* ---- the verbs ---- */

typedef struct verb_rule {
	void (*build)(rl_command *command, const rl_request *request);
	bool is_script;
	bool has_helpers; /* a script that may use the helper keys */
	bool takes;
	bool changes;
	bool is_confirmed;
} verb_rule;

static const verb_rule rules[] = {
	[RL_VERB_SET] = {build_set, .takes = true, .is_confirmed = true},
	[RL_VERB_TRY] = {build_try, .is_script = true, .has_helpers = true, .takes = true,
		.is_confirmed = true},
	[RL_VERB_PROBE] = {build_probe, .is_script = true, .has_helpers = true},
	[RL_VERB_BLPOP] = {build_blpop},
	[RL_VERB_RELEASE] = {build_release, .is_script = true, .has_helpers = true, .changes = true},
	[RL_VERB_EXTEND] = {build_extend, .is_script = true, .changes = true, .is_confirmed = true},
	[RL_VERB_RENEW] = {build_extend, .is_script = true, .is_confirmed = true},
	[RL_VERB_SWAP] = {build_swap, .is_script = true, .changes = true, .is_confirmed = true},
	[RL_VERB_FORCE] = {build_force, .is_script = true, .has_helpers = true, .changes = true},
	[RL_VERB_EXISTS] = {build_exists},
	[RL_VERB_OWNER] = {build_owner},
	[RL_VERB_INSPECT] = {build_inspect, .is_script = true, .has_helpers = true},
	[RL_VERB_REMAINING] = {build_remaining},
	[RL_VERB_SCAN] = {build_scan, .is_script = true},
	[RL_VERB_FENCE] = {build_fence, .is_script = true, .is_confirmed = true},
};

_Static_assert(sizeof rules / sizeof rules[0] == RL_VERBS, "each verb has a rule");

bool rl_verb_takes(rl_verb verb)
{
	return rules[verb].takes;
}

bool rl_verb_is_script(rl_verb verb)
{
	return rules[verb].is_script;
}

bool rl_verb_has_helpers(rl_verb verb)
{
	return rules[verb].has_helpers;
}

bool rl_verb_changes(rl_verb verb)
{
	return rules[verb].changes;
}

bool rl_verb_is_confirmed(rl_verb verb)
{
	return rules[verb].is_confirmed;
}

rl_request rl_request_undo(const rl_request *request)
{
	return (rl_request){.verb = RL_VERB_RELEASE,
		.key = request->key,
		.permits = request->permits,
		.permit_keys = request->permit_keys,
		.token = request->token,
		.done_ms = request->done_ms,
		.no_helpers = true,
		.form = RL_FORM_TEXT,
		.is_asking = request->is_asking};
}

void rl_command_build(rl_command *command, const rl_request *request)
{
	command->argc = 0;
	command->number_count = 0;
	rules[request->verb].build(command, request);
}
