/* SPDX-License-Identifier: MIT
 *
 * The query of a DSN.
 */
#include "core/wire/rl_dsn_options.h"

#include "core/base/rl_tally.h"
#include "core/wire/rl_dsn_text.h"

#include <string.h>

#define REPLICAS_MAX 100

typedef enum option {
	OPTION_TIMEOUT,
	OPTION_CONNECT_TIMEOUT,
	OPTION_OUTAGE_WAIT,
	/* Of memory:// alone. */
	OPTION_FAIL,
	/* From here on: not of memory://. */
	OPTION_DB,
	OPTION_REPLICAS,
	OPTION_REPLICAS_TIMEOUT,
	/* From here on: of Sentinels alone. */
	OPTION_SENTINEL_USER,
	OPTION_SENTINEL_PASSWORD,
	OPTION_SENTINEL_TLS,
	OPTION_SENTINEL_QUORUM,
	OPTION_SENTINEL_CHECK,
	OPTION_FAILOVER_GRACE,
	OPTIONS,
} option;

static const char *const option_names[OPTIONS] = {"timeout", "connect_timeout", "outage_wait",
	"fail", "db", "replicas", "replicas_timeout", "sentinel_user", "sentinel_password",
	"sentinel_tls", "sentinel_quorum", "sentinel_check", "failover_grace"};

typedef struct option_reader {
	rl_dsn_parts *parts;
	bool is_seen[OPTIONS];
} option_reader;

static rl_status refuse(rl_error *err, rl_bytes name, const char *what)
{
	if (!rl_dsn_text_is_plain(name)) {
		return rl_error_set(err, RL_ERR_ARGUMENT, 0, "an option %s", what);
	}
	return rl_error_set(
		err, RL_ERR_ARGUMENT, 0, "the option %.*s %s", (int) name.len, name.data, what);
}

/* An option ssl[name]. */
static rl_status read_tls_option(rl_bytes name, rl_bytes value, rl_dsn_parts *parts, rl_error *err)
{
	if (name.data[name.len - 1] != ']') {
		return rl_dsn_text_refuse(err, "an option of TLS must be written ssl[name]=value");
	}
	return rl_tls_options_set(parts->tls, rl_bytes_of(name.data + 4, name.len - 5), value, err);
}

static rl_status read_seconds(rl_bytes name, rl_bytes value, int64_t *seconds, rl_error *err)
{
	return rl_dsn_text_read_seconds(value, seconds) && *seconds >= RL_TIMEOUT_MIN_NS
		? RL_OK
		: refuse(err, name, "must be a number of seconds from 0.001 to 3600");
}

static rl_status read_outage_wait(rl_bytes name, rl_bytes value, int64_t *wait_ns, rl_error *err)
{
	return rl_dsn_text_read_seconds(value, wait_ns)
		? RL_OK
		: refuse(err, name, "must be a number of seconds from 0 to 3600");
}

static rl_status read_switch(rl_bytes name, rl_bytes value, bool *is_on, rl_error *err)
{
	*is_on = rl_dsn_text_is(value, "1");
	return *is_on || rl_dsn_text_is(value, "0") ? RL_OK : refuse(err, name, "must be 0 or 1");
}

static rl_status read_check(rl_bytes name, rl_bytes value, int64_t *check_ns, rl_error *err)
{
	bool is_on;
	rl_status status = read_switch(name, value, &is_on, err);
	*check_ns = is_on ? RL_CHECK_NS : RL_NEVER;
	return status;
}

static rl_status read_grace(rl_bytes name, rl_bytes value, int64_t *grace_ns, rl_error *err)
{
	return rl_dsn_text_read_seconds(value, grace_ns) && *grace_ns >= 2 * RL_CHECK_NS
		? RL_OK
		: refuse(err, name, "must be a number of seconds from 2 to 3600");
}

static rl_status read_quorum(rl_bytes name, rl_bytes value, rl_dsn_parts *parts, rl_error *err)
{
	unsigned *quorum = &parts->sentinels.quorum;
	if (rl_bytes_read_number(value, parts->host_count, quorum) && *quorum > 0) {
		return RL_OK;
	}
	return rl_error_set(err, RL_ERR_ARGUMENT, 0,
		"the option %.*s must be a number from 1 to %u, the number of Sentinels in the DSN",
		(int) name.len, name.data, parts->host_count);
}

/* As in "user:password@", an empty user is the default user.
 * @param value its text is taken */
static rl_status take_user(rl_secret *value, char **user, rl_error *err)
{
	rl_status status = rl_dsn_text_check_name(rl_bytes_of(value->data, value->len), err);
	if (status == RL_OK && value->len > 0) {
		*user = value->data;
		*value = (rl_secret){NULL, 0};
	}
	return status;
}

static rl_status take_password(rl_secret *value, rl_secret *password)
{
	*password = *value;
	*value = (rl_secret){NULL, 0};
	return RL_OK;
}

static rl_status read_value(
	option which, rl_bytes name, rl_secret *decoded, rl_dsn_parts *parts, rl_error *err)
{
	rl_bytes value = rl_bytes_of(decoded->data, decoded->len);
	rl_dsn_sentinels *sentinels = &parts->sentinels;
	switch (which) {
		case OPTION_FAIL:
			return rl_fault_read(value, &parts->target->address.fault)
				? RL_OK
				: refuse(err, name, "must be refused, timeout, readonly or lost-reply");
		case OPTION_DB:
			return rl_dsn_text_read_database(value, &parts->target->database, err);
		case OPTION_TIMEOUT:
			return read_seconds(name, value, &parts->timeout_ns, err);
		case OPTION_CONNECT_TIMEOUT:
			return read_seconds(name, value, &parts->connect_timeout_ns, err);
		case OPTION_OUTAGE_WAIT:
			return read_outage_wait(name, value, &parts->outage_wait_ns, err);
		case OPTION_REPLICAS_TIMEOUT:
			return read_seconds(name, value, &parts->replicas_timeout_ns, err);
		case OPTION_REPLICAS:
			return rl_bytes_read_number(value, REPLICAS_MAX, &parts->target->replicas)
				? RL_OK
				: refuse(err, name, "must be a number from 0 to 100");
		case OPTION_SENTINEL_USER:
			return take_user(decoded, &sentinels->user, err);
		case OPTION_SENTINEL_PASSWORD:
			return take_password(decoded, &sentinels->password);
		case OPTION_SENTINEL_TLS:
			return read_switch(name, value, &sentinels->has_tls, err);
		case OPTION_SENTINEL_QUORUM:
			return read_quorum(name, value, parts, err);
		case OPTION_SENTINEL_CHECK:
			return read_check(name, value, &sentinels->check_ns, err);
		case OPTION_FAILOVER_GRACE:
			return read_grace(name, value, &sentinels->grace_ns, err);
		case OPTIONS:
			break;
	}
	return RL_OK;
}

/* Why this kind of DSN cannot have the option; NULL = it can. */
static const char *refusal(const rl_dsn_parts *parts, option which)
{
	bool is_memory = parts->target->address.kind == RL_NET_MEMORY;
	bool is_sentinel = parts->kind == RL_DSN_SENTINEL;
	if (is_memory) {
		return which > OPTION_FAIL ? "is not for memory://, which has timeout, "
									 "connect_timeout, outage_wait and fail"
								   : NULL;
	}
	if (which == OPTIONS) {
		return is_sentinel
			? "is unknown; use db, timeout, connect_timeout, outage_wait, "
			  "replicas, replicas_timeout, ssl[name], sentinel_user, sentinel_password, "
			  "sentinel_tls, sentinel_quorum, sentinel_check or failover_grace"
			: "is unknown; use db, timeout, connect_timeout, outage_wait, "
			  "replicas, replicas_timeout or ssl[name]";
	}
	return which == OPTION_FAIL                         ? "is for memory:// only"
		: which >= OPTION_SENTINEL_USER && !is_sentinel ? "is for redis-sentinel:// only"
														: NULL;
}

static rl_status read_option(option_reader *reader, rl_bytes name, rl_secret *value, rl_error *err)
{
	rl_dsn_parts *parts = reader->parts;
	if (rl_dsn_text_begins(name, "ssl[")) {
		return read_tls_option(name, rl_bytes_of(value->data, value->len), parts, err);
	}
	option which = 0;
	while (which < OPTIONS && !rl_dsn_text_is(name, option_names[which])) {
		which++;
	}
	const char *reason = refusal(parts, which);
	if (reason != NULL) {
		return refuse(err, name, reason);
	}
	if (reader->is_seen[which] || (which == OPTION_DB && parts->has_database)) {
		return which == OPTION_DB ? rl_dsn_text_refuse(err, "the database is given twice")
								  : refuse(err, name, "is given twice");
	}
	reader->is_seen[which] = true;
	return read_value(which, name, value, parts, err);
}

/* Decodes one name=value, and stores the value. */
static rl_status read_pair(option_reader *reader, rl_bytes pair, rl_error *err)
{
	size_t equal;
	if (!rl_dsn_text_find(pair, '=', &equal)) {
		return refuse(err, pair, "must be written name=value");
	}
	rl_secret name = {NULL, 0};
	rl_secret value = {NULL, 0};
	rl_status status = rl_dsn_text_decode(rl_dsn_text_head(pair, equal), &name, err);
	if (status == RL_OK) {
		status = rl_dsn_text_decode(rl_dsn_text_tail(pair, equal + 1), &value, err);
	}
	if (status == RL_OK) {
		status = read_option(reader, rl_bytes_of(name.data, name.len), &value, err);
	}
	rl_secret_wipe(&name);
	rl_secret_wipe(&value);
	return status;
}

static const char *tls_advice(rl_dsn_kind kind)
{
	switch (kind) {
		case RL_DSN_SERVER:
			break;
		case RL_DSN_CLUSTER:
			return "ssl[...] options need TLS: use rediss-cluster://";
		case RL_DSN_SENTINEL:
			return "ssl[...] options need TLS: use rediss-sentinel:// or sentinel_tls=1";
	}
	return "ssl[...] options need TLS: use rediss://";
}

/* failover_grace rests on the Sentinel that two majorities have in common. */
static rl_status check_grace(const rl_dsn_parts *parts, rl_error *err)
{
	const rl_dsn_sentinels *sentinels = &parts->sentinels;
	if (sentinels->grace_ns > 0 && sentinels->check_ns == RL_NEVER) {
		return rl_dsn_text_refuse(err, "the option failover_grace needs sentinel_check=1");
	}
	if (sentinels->grace_ns > 0 && sentinels->quorum > 0 &&
		sentinels->quorum < rl_quorum(parts->host_count)) {
		return rl_error_set(err, RL_ERR_ARGUMENT, 0,
			"with failover_grace the option sentinel_quorum must be a majority of the Sentinels in "
			"the DSN, at least %u",
			rl_quorum(parts->host_count));
	}
	return RL_OK;
}

/* What the options must be together. */
static rl_status check(const option_reader *reader, rl_error *err)
{
	const rl_dsn_parts *parts = reader->parts;
	const rl_dsn_sentinels *sentinels = &parts->sentinels;
	if (rl_tls_options_is_any_set(parts->tls) && !parts->has_tls && !sentinels->has_tls) {
		return rl_dsn_text_refuse(err, tls_advice(parts->kind));
	}
	if (sentinels->user != NULL && !reader->is_seen[OPTION_SENTINEL_PASSWORD]) {
		return rl_dsn_text_refuse(err, "the option sentinel_user needs sentinel_password as well");
	}
	return check_grace(parts, err);
}

rl_status rl_dsn_options_read(rl_bytes query, rl_dsn_parts *parts, rl_error *err)
{
	option_reader reader = {.parts = parts};
	size_t at;
	if (rl_dsn_text_find(query, '@', &at)) {
		/* The '?' may be a part of a password, so the message quotes nothing. */
		return rl_dsn_text_refuse(
			err, "'@' after '?' must be percent-encoded, and so must '?' in a password");
	}
	while (query.len > 0) {
		rl_status status = read_pair(&reader, rl_dsn_text_cut(&query, '&'), err);
		if (status != RL_OK) {
			return status;
		}
	}
	return check(&reader, err);
}
