/* SPDX-License-Identifier: MIT
 *
 * The DSN parser. It works on a view (rl_bytes) of the text, and cuts scheme, query, authority and
 * path off it. Each piece is decoded when it is stored. An error never quotes a piece that may
 * contain a password: everything before the last '@', and also the host, because users forget
 * the '@'.
 */
#include "core/wire/rl_dsn.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_PORT 6379
/* The size of sun_path on Linux, without the NUL. On BSD and macOS it is 104 with the NUL. */
#define UNIX_PATH_MAX 107
#define HOST_MAX 253
#define DATABASE_MAX 2147483647
#define REPLICAS_MAX 100

static rl_status fail(rl_error *err, const char *what)
{
	return rl_error_set(err, RL_ERR_ARGUMENT, 0, "%s", what);
}

static rl_status fail_several(rl_error *err)
{
	return fail(err,
		"a DSN names one server; for several servers pass an array of DSNs (in an INI setting, separate them by "
		"spaces)");
}

static bool find(rl_bytes text, char c, size_t *at)
{
	const char *hit = text.len > 0 ? memchr(text.data, c, text.len) : NULL;
	if (hit == NULL) {
		return false;
	}
	*at = (size_t) (hit - text.data);
	return true;
}

static rl_bytes head(rl_bytes text, size_t len)
{
	return rl_bytes_of(text.data, len);
}

static rl_bytes tail(rl_bytes text, size_t from)
{
	return rl_bytes_of(text.data + from, text.len - from);
}

static bool equals(rl_bytes text, const char *word)
{
	return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

static bool equals_ignoring_case(rl_bytes text, const char *word)
{
	if (text.len != strlen(word)) {
		return false;
	}
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != word[i]) {
			return false;
		}
	}
	return true;
}

/* True when the text is short and has only harmless characters, so that an error may quote it. */
static bool is_plain(rl_bytes text)
{
	bool is_plain = text.len > 0 && text.len <= 32;
	for (size_t i = 0; is_plain && i < text.len; i++) {
		char c = text.data[i];
		is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			c == '_' || c == '-' || c == '+' || c == '.';
	}
	return is_plain;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	c = (char) (c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Percent-decodes text into a new string that ends with a NUL. */
static rl_status decode(rl_bytes text, rl_secret *out, rl_error *err)
{
	char *data = malloc(text.len + 1);
	if (data == NULL) {
		return rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
	}
	size_t used = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] != '%') {
			data[used++] = text.data[i];
			continue;
		}
		int high = i + 2 < text.len ? hex_digit(text.data[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(text.data[i + 2]) : -1;
		if (low < 0) {
			free(data);
			return fail(err, "a '%' must be followed by two hex digits; write '%' itself as %25");
		}
		data[used++] = (char) (high * 16 + low);
		i += 2;
	}
	data[used] = '\0';
	*out = (rl_secret){data, used};
	return RL_OK;
}

/* The same for a text that becomes a C string. */
static rl_status decode_text(rl_bytes text, char **out, rl_error *err)
{
	rl_secret decoded;
	rl_status status = decode(text, &decoded, err);
	if (status != RL_OK) {
		return status;
	}
	if (strlen(decoded.data) != decoded.len) {
		free(decoded.data);
		return fail(err, "%00, a NUL byte, is allowed in the password only");
	}
	for (const char *c = decoded.data; *c != '\0'; c++) {
		if ((unsigned char) *c < 0x20 || *c == 0x7f) {
			free(decoded.data);
			return fail(err, "control characters are allowed in the password only");
		}
	}
	*out = decoded.data;
	return RL_OK;
}

static bool parse_number(rl_bytes text, uint64_t max, unsigned *out)
{
	uint64_t value = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9') {
			return false;
		}
		value = value * 10 + (uint64_t) (text.data[i] - '0');
		if (value > max) {
			return false;
		}
	}
	*out = (unsigned) value;
	return text.len > 0;
}

/* Seconds such as "0.25" as nanoseconds. strtod() would follow the locale. */
static bool parse_seconds(rl_bytes text, int64_t *out)
{
	int64_t value = 0;
	int64_t unit = RL_NS_PER_SECOND;
	size_t digits = 0;
	bool is_fraction = false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		if (c == '.' && !is_fraction) {
			is_fraction = true;
			continue;
		}
		if (c < '0' || c > '9') {
			return false;
		}
		digits++;
		if (is_fraction) {
			unit /= 10;
			value += (c - '0') * unit;
		} else {
			value = value * 10 + (c - '0') * RL_NS_PER_SECOND;
		}
		if (value > RL_TIMEOUT_MAX_NS) {
			return false;
		}
	}
	*out = value;
	return digits > 0 && value >= RL_TIMEOUT_MIN_NS;
}

/* @param[out] address its kind, and with TLS its options, all at their defaults */
static rl_status parse_scheme(rl_bytes scheme, rl_address *address, rl_error *err)
{
	static const struct {
		const char *name;
		rl_net_kind kind;
		bool has_tls;
		const char *missing; /* the error; NULL = supported */
	} schemes[] = {
		{"redis", RL_NET_TCP, false, NULL},
		{"valkey", RL_NET_TCP, false, NULL},
		{"tcp", RL_NET_TCP, false, NULL},
		{"unix", RL_NET_UNIX, false, NULL},
		{"rediss", RL_NET_TCP, true, NULL},
		{"valkeys", RL_NET_TCP, true, NULL},
		{"tls", RL_NET_TCP, true, NULL},
		{"redis-sentinel", RL_NET_TCP, false, "Sentinel (redis-sentinel://) is not supported yet"},
		{"redis-cluster", RL_NET_TCP, false, "Cluster (redis-cluster://) is not supported yet"},
	};
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		if (!equals_ignoring_case(scheme, schemes[i].name)) {
			continue;
		}
		address->kind = schemes[i].kind;
		address->tls = schemes[i].has_tls ? rl_tls_options_new() : NULL;
		if (schemes[i].has_tls && address->tls == NULL) {
			return rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		}
		return schemes[i].missing == NULL ? RL_OK : fail(err, schemes[i].missing);
	}
	if (!is_plain(scheme)) {
		return fail(err, "the scheme is unknown; use redis://, rediss:// or unix://");
	}
	return rl_error_set(err, RL_ERR_ARGUMENT, 0,
		"the scheme %.*s:// is unknown; use redis://, rediss:// or unix://", (int) scheme.len,
		scheme.data);
}

static rl_status parse_credentials(rl_bytes text, rl_target *target, rl_error *err)
{
	size_t colon;
	if (!find(text, ':', &colon)) {
		return text.len == 0
			? RL_OK
			: fail(err,
				  "a single word before '@' could be a user or a password; write user:password@, "
				  "or :password@ without a user");
	}
	rl_bytes user = head(text, colon);
	rl_bytes password = tail(text, colon + 1);
	if (user.len > 0) {
		rl_status status = decode_text(user, &target->user, err);
		if (status != RL_OK) {
			return status;
		}
	}
	return user.len + password.len == 0 ? RL_OK : decode(password, &target->password, err);
}

static rl_status check_host(const char *host, bool is_v6, rl_error *err)
{
	if (host[0] == '\0') {
		return fail(err, "the host is missing; use redis://host:port or unix:///path");
	}
	if (strlen(host) > HOST_MAX) {
		return fail(err, "the host is longer than 253 bytes, the limit of DNS");
	}
	if (strchr(host, ',') != NULL) {
		return fail_several(err);
	}
	for (const char *c = host; *c != '\0'; c++) {
		bool is_letter = (*c | 0x20) >= 'a' && (*c | 0x20) <= 'z';
		bool is_digit = *c >= '0' && *c <= '9';
		bool is_mark = is_v6 ? strchr(":.%_-", *c) != NULL : strchr(".-_", *c) != NULL;
		if (!is_letter && !is_digit && !is_mark) {
			return fail(err,
				"the host has a character that is not allowed in a host name; in a password, "
				"percent-encode '@', '/', '?', '#', ':' and '%'");
		}
	}
	return is_v6 && strchr(host, ':') == NULL ? fail(err, "brackets are for IPv6 addresses only")
											  : RL_OK;
}

static rl_status parse_port(rl_bytes text, uint16_t *port, rl_error *err)
{
	unsigned value = 0;
	if (!parse_number(text, 65535, &value) || value == 0) {
		return fail(err, "the port must be a number from 1 to 65535");
	}
	*port = (uint16_t) value;
	return RL_OK;
}

static rl_status parse_host_port(rl_bytes text, rl_address *address, rl_error *err)
{
	rl_bytes host = text;
	rl_bytes port = {NULL, 0};
	bool has_port = false;
	bool is_v6 = text.len > 0 && text.data[0] == '[';
	size_t at;
	if (is_v6) {
		if (!find(text, ']', &at)) {
			return fail(err, "the ']' after the IPv6 address is missing");
		}
		host = rl_bytes_of(text.data + 1, at - 1);
		rl_bytes rest = tail(text, at + 1);
		if (rest.len > 0 && rest.data[0] != ':') {
			return fail(err, "after ']' only :port may follow");
		}
		has_port = rest.len > 0;
		port = has_port ? tail(rest, 1) : rest;
	} else if (find(text, ':', &at) && memchr(text.data, ',', text.len) == NULL) {
		size_t second;
		host = head(text, at);
		port = tail(text, at + 1);
		has_port = true;
		if (find(port, ':', &second)) {
			return fail(err, "more than one ':' in the host; an IPv6 address must be in brackets");
		}
	}
	rl_status status = decode_text(host, &address->host, err);
	if (status == RL_OK) {
		status = check_host(address->host, is_v6, err);
	}
	address->port = DEFAULT_PORT;
	return status == RL_OK && has_port ? parse_port(port, &address->port, err) : status;
}

static rl_status parse_socket_path(rl_bytes path, rl_address *address, rl_error *err)
{
	rl_status status = decode_text(path, &address->host, err);
	if (status != RL_OK) {
		return status;
	}
	size_t len = strlen(address->host);
	if (len < 2 || address->host[0] != '/') {
		return fail(err, "the socket's path must be absolute: unix:///path/to.sock");
	}
	if (len > UNIX_PATH_MAX) {
		return fail(err, "the socket's path is longer than 107 bytes, the system's limit");
	}
	return RL_OK;
}

static rl_status parse_database(rl_bytes text, rl_target *target, rl_error *err)
{
	if (!parse_number(text, DATABASE_MAX, &target->database)) {
		return fail(err, "the database must be a number from 0 to 2147483647");
	}
	return RL_OK;
}

typedef enum option {
	OPTION_DB,
	OPTION_TIMEOUT,
	OPTION_CONNECT_TIMEOUT,
	OPTION_REPLICAS,
	OPTION_REPLICAS_TIMEOUT,
	OPTIONS,
} option;

static const char *const option_names[OPTIONS] = {
	"db", "timeout", "connect_timeout", "replicas", "replicas_timeout"};

typedef struct options_seen {
	bool is_seen[OPTIONS];
} options_seen;

static rl_status fail_option(rl_error *err, rl_bytes name, const char *what)
{
	if (!is_plain(name)) {
		return rl_error_set(err, RL_ERR_ARGUMENT, 0, "an option %s", what);
	}
	return rl_error_set(
		err, RL_ERR_ARGUMENT, 0, "the option %.*s %s", (int) name.len, name.data, what);
}

static bool has_prefix(rl_bytes text, const char *prefix)
{
	size_t len = strlen(prefix);
	return text.len >= len && memcmp(text.data, prefix, len) == 0;
}

/* An option ssl[name]. */
static rl_status parse_tls_option(rl_bytes name, rl_bytes value, rl_dsn *dsn, rl_error *err)
{
	rl_tls_options *options = dsn->target->address.tls;
	if (name.data[name.len - 1] != ']') {
		return fail(err, "an option of TLS must be written ssl[name]=value");
	}
	if (options == NULL) {
		return fail(err, "ssl[...] options need TLS: use rediss://");
	}
	return rl_tls_options_set(options, rl_bytes_of(name.data + 4, name.len - 5), value, err);
}

static rl_status parse_seconds_option(
	rl_bytes name, rl_bytes value, int64_t *seconds, rl_error *err)
{
	return parse_seconds(value, seconds)
		? RL_OK
		: fail_option(err, name, "must be a number of seconds from 0.001 to 3600");
}

static rl_status parse_value(
	option which, rl_bytes name, rl_bytes value, rl_dsn *dsn, rl_error *err)
{
	switch (which) {
		case OPTION_DB:
			return parse_database(value, dsn->target, err);
		case OPTION_TIMEOUT:
			return parse_seconds_option(name, value, &dsn->timeout_ns, err);
		case OPTION_CONNECT_TIMEOUT:
			return parse_seconds_option(name, value, &dsn->connect_timeout_ns, err);
		case OPTION_REPLICAS_TIMEOUT:
			return parse_seconds_option(name, value, &dsn->replicas_timeout_ns, err);
		case OPTION_REPLICAS:
			return parse_number(value, REPLICAS_MAX, &dsn->target->replicas)
				? RL_OK
				: fail_option(err, name, "must be a number from 0 to 100");
		case OPTIONS:
			break;
	}
	return RL_OK;
}

static rl_status parse_option(
	rl_bytes name, rl_bytes value, rl_dsn *dsn, options_seen *seen, rl_error *err)
{
	if (has_prefix(name, "ssl[")) {
		return parse_tls_option(name, value, dsn, err);
	}
	if (equals(name, "sentinel_user") || equals(name, "sentinel_password")) {
		return fail(
			err, "sentinel_user and sentinel_password are options of redis-sentinel:// only");
	}
	option which = 0;
	while (which < OPTIONS && !equals(name, option_names[which])) {
		which++;
	}
	if (which == OPTIONS) {
		return fail_option(err, name,
			"is unknown; use db, timeout, connect_timeout, replicas, replicas_timeout or "
			"ssl[name]");
	}
	if (seen->is_seen[which]) {
		return which == OPTION_DB ? fail(err, "the database is given twice")
								  : fail_option(err, name, "is given twice");
	}
	seen->is_seen[which] = true;
	return parse_value(which, name, value, dsn, err);
}

/* Decodes one name=value, and stores the value. */
static rl_status parse_pair(rl_bytes pair, rl_dsn *dsn, options_seen *seen, rl_error *err)
{
	size_t equal;
	if (!find(pair, '=', &equal)) {
		return fail_option(err, pair, "must be written name=value");
	}
	rl_secret name = {NULL, 0};
	rl_secret value = {NULL, 0};
	rl_status status = decode(head(pair, equal), &name, err);
	if (status == RL_OK) {
		status = decode(tail(pair, equal + 1), &value, err);
	}
	if (status == RL_OK) {
		status = parse_option(
			rl_bytes_of(name.data, name.len), rl_bytes_of(value.data, value.len), dsn, seen, err);
	}
	rl_secret_wipe(&name);
	rl_secret_wipe(&value);
	return status;
}

static rl_status parse_query(rl_bytes query, rl_dsn *dsn, options_seen *seen, rl_error *err)
{
	size_t at;
	if (find(query, '@', &at)) {
		/* The '?' may be a part of a password, so the message quotes nothing. */
		return fail(err, "'@' after '?' must be percent-encoded, and so must '?' in a password");
	}
	while (query.len > 0) {
		size_t end = query.len;
		find(query, '&', &end);
		rl_status status = parse_pair(head(query, end), dsn, seen, err);
		if (status != RL_OK) {
			return status;
		}
		query = end < query.len ? tail(query, end + 1) : tail(query, end);
	}
	return RL_OK;
}

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
		is_scheme = c == ',' || c == ' ' || (is_scheme && (is_letter || c == '-'));
	}
	return false;
}

/* Parses the text between "scheme://" and '?'. */
static rl_status parse_place(rl_bytes rest, rl_target *target, options_seen *seen, rl_error *err)
{
	size_t slash = rest.len;
	find(rest, '/', &slash);
	rl_bytes authority = head(rest, slash);
	rl_bytes path = tail(rest, slash);
	rl_bytes host = authority;
	for (size_t i = authority.len; i > 0; i--) {
		if (authority.data[i - 1] == '@') {
			host = tail(authority, i);
			rl_status status = parse_credentials(head(authority, i - 1), target, err);
			if (status != RL_OK) {
				return status;
			}
			break;
		}
	}
	bool is_path = target->address.kind == RL_NET_UNIX || (host.len == 0 && path.len > 1);
	target->address.kind = is_path ? RL_NET_UNIX : RL_NET_TCP;
	if (is_path && target->address.tls != NULL) {
		return fail(err, "TLS needs a host; for a socket's path use unix://");
	}
	if (is_path) {
		return host.len > 0 ? fail(err, "the socket's path must be absolute: unix:///path/to.sock")
							: parse_socket_path(path, &target->address, err);
	}
	rl_status status = parse_host_port(host, &target->address, err);
	if (status != RL_OK || path.len <= 1) {
		return status;
	}
	seen->is_seen[OPTION_DB] = true;
	return parse_database(tail(path, 1), target, err);
}

static rl_status parse_into(rl_bytes text, rl_dsn *dsn, rl_error *err)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char) text.data[i];
		if (c <= 0x20 || c == 0x7f || c == '#') {
			return has_another_dsn(text)
				? fail_several(err)
				: fail(err, "spaces, control characters and '#' must be percent-encoded");
		}
	}
	size_t colon;
	if (!find(text, ':', &colon) || text.len < colon + 3 ||
		memcmp(text.data + colon, "://", 3) != 0) {
		return fail(err,
			text.len == 0 ? "the DSN is empty; use redis://host:port or unix:///path"
						  : "the scheme is missing; use redis://host:port or unix:///path");
	}
	rl_status status = parse_scheme(head(text, colon), &dsn->target->address, err);
	if (status != RL_OK) {
		return status;
	}
	rl_bytes rest = tail(text, colon + 3);
	if (has_another_dsn(rest)) {
		return fail_several(err);
	}
	rl_bytes query = {NULL, 0};
	size_t question;
	if (find(rest, '?', &question)) {
		query = tail(rest, question + 1);
		rest = head(rest, question);
	}
	options_seen seen = {0};
	status = parse_place(rest, dsn->target, &seen, err);
	if (status == RL_OK) {
		status = parse_query(query, dsn, &seen, err);
	}
	if (status == RL_OK && !rl_target_set_name(dsn->target)) {
		status = rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
	}
	return status;
}

rl_status rl_dsn_parse(rl_bytes text, rl_dsn *dsn, rl_error *err)
{
	*dsn = (rl_dsn){.target = rl_target_new()};
	if (dsn->target == NULL) {
		return rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
	}
	rl_status status = parse_into(text, dsn, err);
	if (status != RL_OK) {
		rl_target_unref(dsn->target);
		dsn->target = NULL;
	}
	return status;
}
