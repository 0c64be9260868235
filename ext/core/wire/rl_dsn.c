/* SPDX-License-Identifier: MIT
 *
 * The DSN parser: cuts a DSN into scheme, place and query, and makes targets of the parts that the
 * modules for place and query have read. An error never quotes a piece that may contain a password.
 */
#include "core/wire/rl_dsn.h"

#include "core/wire/rl_dsn_options.h"
#include "core/wire/rl_dsn_place.h"
#include "core/wire/rl_dsn_route.h"
#include "core/wire/rl_dsn_text.h"

#include <stdlib.h>
#include <string.h>

/* ---- the scheme ---- */

typedef struct scheme {
	const char *name;
	rl_dsn_kind kind;
	rl_net_kind net;
	bool has_tls;
} scheme;

static const scheme schemes[] = {
	{"redis", RL_DSN_SERVER, RL_NET_TCP, false},
	{"valkey", RL_DSN_SERVER, RL_NET_TCP, false},
	{"tcp", RL_DSN_SERVER, RL_NET_TCP, false},
	{"unix", RL_DSN_SERVER, RL_NET_UNIX, false},
	{"memory", RL_DSN_SERVER, RL_NET_MEMORY, false},
	{"rediss", RL_DSN_SERVER, RL_NET_TCP, true},
	{"valkeys", RL_DSN_SERVER, RL_NET_TCP, true},
	{"tls", RL_DSN_SERVER, RL_NET_TCP, true},
	{"redis-cluster", RL_DSN_CLUSTER, RL_NET_TCP, false},
	{"valkey-cluster", RL_DSN_CLUSTER, RL_NET_TCP, false},
	{"rediss-cluster", RL_DSN_CLUSTER, RL_NET_TCP, true},
	{"valkeys-cluster", RL_DSN_CLUSTER, RL_NET_TCP, true},
	{"redis-sentinel", RL_DSN_SENTINEL, RL_NET_TCP, false},
	{"redis+sentinel", RL_DSN_SENTINEL, RL_NET_TCP, false},
	{"valkey-sentinel", RL_DSN_SENTINEL, RL_NET_TCP, false},
	{"valkey+sentinel", RL_DSN_SENTINEL, RL_NET_TCP, false},
	{"rediss-sentinel", RL_DSN_SENTINEL, RL_NET_TCP, true},
	{"rediss+sentinel", RL_DSN_SENTINEL, RL_NET_TCP, true},
	{"valkeys-sentinel", RL_DSN_SENTINEL, RL_NET_TCP, true},
	{"valkeys+sentinel", RL_DSN_SENTINEL, RL_NET_TCP, true},
};

#define KNOWN_SCHEMES "use redis://, rediss://, unix://, redis-cluster:// or redis-sentinel://"

static rl_status read_scheme(rl_bytes name, rl_dsn_parts *parts, rl_error *err)
{
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		if (rl_dsn_text_is_ignoring_case(name, schemes[i].name)) {
			parts->kind = schemes[i].kind;
			parts->target->address.kind = schemes[i].net;
			parts->has_tls = schemes[i].has_tls;
			parts->sentinels.has_tls = schemes[i].has_tls && schemes[i].kind == RL_DSN_SENTINEL;
			return RL_OK;
		}
	}
	if (!rl_dsn_text_is_plain(name)) {
		return rl_dsn_text_refuse(err, "the scheme is unknown; " KNOWN_SCHEMES);
	}
	return rl_error_set(err, RL_ERR_ARGUMENT, 0, "the scheme %.*s:// is unknown; " KNOWN_SCHEMES,
		(int) name.len, name.data);
}

/* ---- the pieces ---- */

/* True when another DSN follows after a comma or a space. No part of a DSN contains "://" unless it
 * is percent-encoded. */
static bool has_another_dsn(rl_bytes text)
{
	bool is_scheme = false;
	for (size_t i = 1; i + 2 < text.len; i++) {
		char c = text.data[i];
		bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
		if (is_scheme && memcmp(text.data + i, "://", 3) == 0) {
			return true;
		}
		is_scheme = c == ',' || c == ' ' || (is_scheme && (is_letter || c == '-' || c == '+'));
	}
	return false;
}

static rl_status check_bytes(rl_bytes text, rl_error *err)
{
	if (has_another_dsn(text)) {
		return rl_dsn_text_refuse(err,
			"another DSN follows in the same text; for several servers pass an array of DSNs (in "
			"an INI setting, separate them by spaces)");
	}
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char) text.data[i];
		if (c <= 0x20 || c == 0x7f || c == '#') {
			return rl_dsn_text_refuse(
				err, "spaces, control characters and '#' must be percent-encoded");
		}
	}
	return RL_OK;
}

/* Cuts the scheme off. */
static rl_status take_scheme(rl_bytes *text, rl_dsn_parts *parts, rl_error *err)
{
	size_t colon;
	if (!rl_dsn_text_find(*text, ':', &colon) || text->len < colon + 3 ||
		memcmp(text->data + colon, "://", 3) != 0) {
		return rl_dsn_text_refuse(err,
			text->len == 0 ? "the DSN is empty; use redis://host:port or unix:///path"
						   : "the scheme is missing; use redis://host:port or unix:///path");
	}
	rl_bytes name = rl_dsn_text_head(*text, colon);
	*text = rl_dsn_text_tail(*text, colon + 3);
	return read_scheme(name, parts, err);
}

static rl_status read_parts(rl_bytes text, rl_dsn_parts *parts, rl_error *err)
{
	rl_status status = check_bytes(text, err);
	if (status == RL_OK) {
		status = take_scheme(&text, parts, err);
	}
	if (status == RL_OK) {
		rl_bytes place = rl_dsn_text_cut(&text, '?');
		status = rl_dsn_place_read(place, parts, err);
	}
	return status == RL_OK ? rl_dsn_options_read(text, parts, err) : status;
}

/* ---- the result ---- */

static rl_status complete_server(rl_dsn_parts *parts, rl_error *err)
{
	rl_target *target = parts->target;
	if (parts->has_tls) {
		target->address.tls = parts->tls;
		parts->tls = NULL;
	}
	return rl_target_set_name(target) ? RL_OK : rl_dsn_text_no_memory(err);
}

static rl_status make_result(rl_dsn_parts *parts, rl_dsn *dsn, rl_error *err)
{
	if (parts->kind == RL_DSN_SERVER) {
		rl_status status = complete_server(parts, err);
		if (status != RL_OK) {
			return status;
		}
	} else {
		dsn->route = rl_dsn_route_make(parts);
		if (dsn->route == NULL) {
			return rl_dsn_text_no_memory(err);
		}
	}
	dsn->target = rl_target_ref(parts->target);
	dsn->timeout_ns = parts->timeout_ns;
	dsn->connect_timeout_ns = parts->connect_timeout_ns;
	dsn->replicas_timeout_ns = parts->replicas_timeout_ns;
	dsn->outage_wait_ns = parts->outage_wait_ns;
	return RL_OK;
}

static void clear(rl_dsn_parts *parts)
{
	rl_target_unref(parts->target);
	for (unsigned i = 0; i < parts->host_count; i++) {
		free(parts->hosts[i].host);
	}
	free(parts->service);
	free(parts->sentinels.user);
	rl_secret_wipe(&parts->sentinels.password);
	rl_tls_options_free(parts->tls);
}

rl_status rl_dsn_parse(rl_bytes text, rl_dsn *dsn, rl_error *err)
{
	rl_dsn_parts parts = {.target = rl_target_new(),
		.tls = rl_tls_options_new(),
		.sentinels.check_ns = RL_CHECK_NS,
		.outage_wait_ns = RL_DSN_NO_OUTAGE_WAIT};
	*dsn = (rl_dsn){0};
	rl_status status = parts.target != NULL && parts.tls != NULL ? read_parts(text, &parts, err)
																 : rl_dsn_text_no_memory(err);
	if (status == RL_OK) {
		status = make_result(&parts, dsn, err);
	}
	clear(&parts);
	return status;
}

void rl_dsn_drop(rl_dsn *dsn)
{
	rl_target_unref(dsn->target);
	rl_route_unref(dsn->route);
	dsn->target = NULL;
	dsn->route = NULL;
}
