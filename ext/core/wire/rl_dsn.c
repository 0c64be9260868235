/* SPDX-License-Identifier: MIT
 *
 * The parser of DSNs.
 *
 * DESIGN
 *
 *     scheme :// user:password @ host:port,host:port / path ? name=value & name=value
 *     ------     ------------------------------------------   -----------------------
 *     a row of                   the place                    the query: for each
 *     schemes[]                                               option a row of OPTIONS
 *
 * A DSN is read once, from left to right, and each part is decoded and checked when it is read. The
 * parser owns the parts. The result is made of them only after all of them were read, because an
 * option may say how to use the parts before it. So after an error there is nothing to undo.
 *
 * Each step returns false after an error, which it has noted by then, and the steps after it are
 * left out.
 *
 * An error quotes the name of a scheme or of an option, if the name is short and plain. It quotes
 * nothing else, because any other piece may contain a password: everything before the last '@', and
 * also a host or the query, because users forget the '@', and forget to encode a '?'.
 */
#include "core/wire/rl_dsn.h"

#include "core/base/rl_tally.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of sun_path on Linux, without the NUL. On BSD and macOS it is 104 with the NUL. */
#define UNIX_PATH_MAX 107
#define HOST_MAX 253
#define PLAIN_MAX 32

#define PORT 6379
#define SENTINEL_PORT 26379

/* ---- the schemes ---- */

/* What a DSN names, as a bit: an option has the set of the kinds that it is for. */
typedef enum dsn_kind {
	DSN_SERVER = 1,
	DSN_MEMORY = 2,
	DSN_CLUSTER = 4,
	DSN_SENTINELS = 8,
} dsn_kind;

#define DSN_REMOTE (DSN_SERVER | DSN_CLUSTER | DSN_SENTINELS)
#define DSN_ANY (DSN_REMOTE | DSN_MEMORY)

typedef struct scheme {
	const char *name;
	dsn_kind kind;
	rl_net_kind net;
	/* The server, or the nodes, speak TLS. */
	bool has_tls;
} scheme;

static const scheme schemes[] = {
	{"redis", DSN_SERVER, RL_NET_TCP, false},
	{"valkey", DSN_SERVER, RL_NET_TCP, false},
	{"tcp", DSN_SERVER, RL_NET_TCP, false},
	{"unix", DSN_SERVER, RL_NET_UNIX, false},
	{"memory", DSN_MEMORY, RL_NET_MEMORY, false},
	{"rediss", DSN_SERVER, RL_NET_TCP, true},
	{"valkeys", DSN_SERVER, RL_NET_TCP, true},
	{"tls", DSN_SERVER, RL_NET_TCP, true},
	{"redis-cluster", DSN_CLUSTER, RL_NET_TCP, false},
	{"valkey-cluster", DSN_CLUSTER, RL_NET_TCP, false},
	{"rediss-cluster", DSN_CLUSTER, RL_NET_TCP, true},
	{"valkeys-cluster", DSN_CLUSTER, RL_NET_TCP, true},
	{"redis-sentinel", DSN_SENTINELS, RL_NET_TCP, false},
	{"redis+sentinel", DSN_SENTINELS, RL_NET_TCP, false},
	{"valkey-sentinel", DSN_SENTINELS, RL_NET_TCP, false},
	{"valkey+sentinel", DSN_SENTINELS, RL_NET_TCP, false},
	{"rediss-sentinel", DSN_SENTINELS, RL_NET_TCP, true},
	{"rediss+sentinel", DSN_SENTINELS, RL_NET_TCP, true},
	{"valkeys-sentinel", DSN_SENTINELS, RL_NET_TCP, true},
	{"valkeys+sentinel", DSN_SENTINELS, RL_NET_TCP, true},
};

#define KNOWN_SCHEMES "use redis://, rediss://, unix://, redis-cluster:// or redis-sentinel://"

/* ---- the options ---- */

typedef enum option_type {
	SECONDS,   /* a number of ns, from least to most */
	NUMBER,    /* a number from least to most */
	DATABASE,  /* a NUMBER that the place may give as well */
	SENTINELS, /* a NUMBER of Sentinels, at most as many as the DSN has */
	SWITCH,    /* a number: "0" or "1" */
	FAULT,     /* a name of rl_fault; the target has it */
	TLS,       /* rl_tls_options.c has a table of these */
	NAME,      /* a text without control characters */
	SECRET,    /* a text of any bytes */
} option_type;

#define HOUR (3600 * RL_NS_PER_SECOND)

/* X(id, name, type, least, most, standard, kinds). To add an option, add a row: the parser then
 * reads the option, refuses bad values and other kinds of DSN, and lists the option in messages, in
 * the order of the rows. The parser keeps the value under the id (FAULT and TLS: see option_type);
 * standard is the number of an option that is not given. For an option of a single kind of DSN,
 * refuse_misplaced() has messages for memory:// and redis-sentinel:// only; another single kind
 * needs a message there. */
#define OPTIONS(X) \
 X(DB, "db", DATABASE, 0, 2147483647, 0, DSN_REMOTE) \
 X(TIMEOUT, "timeout", SECONDS, RL_NS_PER_MS, HOUR, 0, DSN_ANY) \
 X(CONNECT_TIMEOUT, "connect_timeout", SECONDS, RL_NS_PER_MS, HOUR, 0, DSN_ANY) \
 X(OUTAGE_WAIT, "outage_wait", SECONDS, 0, HOUR, RL_DSN_NO_OUTAGE_WAIT, DSN_ANY) \
 X(FAIL, "fail", FAULT, 0, 0, 0, DSN_MEMORY) \
 X(REPLICAS, "replicas", NUMBER, 0, 100, 0, DSN_REMOTE) \
 X(REPLICAS_TIMEOUT, "replicas_timeout", SECONDS, RL_NS_PER_MS, HOUR, 0, DSN_REMOTE) \
 X(SSL, "ssl[name]", TLS, 0, 0, 0, DSN_REMOTE) \
 X(SENTINEL_USER, "sentinel_user", NAME, 0, 0, 0, DSN_SENTINELS) \
 X(SENTINEL_PASSWORD, "sentinel_password", SECRET, 0, 0, 0, DSN_SENTINELS) \
 X(SENTINEL_TLS, "sentinel_tls", SWITCH, 0, 1, 0, DSN_SENTINELS) \
 X(SENTINEL_QUORUM, "sentinel_quorum", SENTINELS, 1, 0, 0, DSN_SENTINELS) \
 X(SENTINEL_CHECK, "sentinel_check", SWITCH, 0, 1, 1, DSN_SENTINELS) \
 X(FAILOVER_GRACE, "failover_grace", SECONDS, 2 * RL_CHECK_NS, HOUR, 0, DSN_SENTINELS)

#define OPTION_ID(id, ...) OPTION_##id,
#define OPTION_ROW(id, ...) [OPTION_##id] = {__VA_ARGS__},

typedef enum option_id { OPTIONS(OPTION_ID) OPTION_COUNT } option_id;

static const struct option {
	const char *name;
	option_type type;
	int64_t least;
	int64_t most;
	int64_t standard;
	unsigned kinds;
} options[OPTION_COUNT] = {OPTIONS(OPTION_ROW)};

/* ---- the parser ---- */

typedef struct dsn_parser {
	rl_error *err; /* may be NULL */
	rl_status status;
	const scheme *scheme;
	/* The server, or what all nodes have in common. The parser has one reference. */
	rl_target *target;
	/* The hosts of a list; their names are owned. */
	rl_address hosts[RL_SEEDS_MAX];
	unsigned host_count;
	/* Owned; the name under which Sentinels know the primary. */
	char *service;
	/* Owned; all ssl[...] options, whether the scheme needs them or not. */
	rl_tls_options *tls;
	bool is_given[OPTION_COUNT];
	int64_t numbers[OPTION_COUNT];
	rl_secret texts[OPTION_COUNT]; /* wiped when freed */
} dsn_parser;

/* Notes the outcome of a step. */
static bool note(dsn_parser *parser, rl_status status)
{
	parser->status = status;
	return status == RL_OK;
}

/* Notes an error with a message as of printf(), and is false. */
#define REFUSE(parser, ...) \
 note(parser, rl_error_set((parser)->err, RL_ERR_ARGUMENT, 0, __VA_ARGS__))

static bool refuse(dsn_parser *parser, const char *what)
{
	return REFUSE(parser, "%s", what);
}

static bool no_memory(dsn_parser *parser)
{
	return note(parser, rl_error_set(parser->err, RL_ERR_MEMORY, 0, "out of memory"));
}

/* ---- cutting ---- */

/* Where the first c is; the length of the text when there is none. */
static size_t find(rl_bytes text, char c)
{
	const char *hit = text.len > 0 ? memchr(text.data, c, text.len) : NULL;
	return hit != NULL ? (size_t) (hit - text.data) : text.len;
}

static bool has(rl_bytes text, char c)
{
	return find(text, c) < text.len;
}

/* The bytes from this position on. */
static rl_bytes tail(rl_bytes text, size_t from)
{
	return from < text.len ? rl_bytes_of(text.data + from, text.len - from) : rl_bytes_of("", 0);
}

/* Cuts off the text before the first c, or all of it. The c itself is dropped. */
static rl_bytes cut(rl_bytes *text, char c)
{
	size_t end = find(*text, c);
	rl_bytes piece = rl_bytes_of(text->data, end);
	*text = tail(*text, end + 1);
	return piece;
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* True when the text has only letters, digits and these marks. */
static bool consists_of(rl_bytes text, const char *marks)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		bool is_mark = c != '\0' && strchr(marks, c) != NULL;
		if (!is_letter(c) && !(c >= '0' && c <= '9') && !is_mark) {
			return false;
		}
	}
	return true;
}

/* True when the text is short and has only harmless characters, so that an error may quote it. */
static bool is_plain(rl_bytes text)
{
	return text.len > 0 && text.len <= PLAIN_MAX && consists_of(text, "_-+.");
}

/* ---- decoding ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	c = (char) (c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Percent-decodes text into a new string that ends with a NUL. */
static bool decode(dsn_parser *parser, rl_bytes text, rl_secret *out)
{
	*out = (rl_secret){malloc(text.len + 1), 0};
	if (out->data == NULL) {
		return no_memory(parser);
	}
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		if (c == '%') {
			int high = i + 2 < text.len ? hex_digit(text.data[i + 1]) : -1;
			int low = high >= 0 ? hex_digit(text.data[i + 2]) : -1;
			if (low < 0) {
				rl_secret_wipe(out);
				return refuse(
					parser, "a '%' must be followed by two hex digits; write '%' itself as %25");
			}
			c = (char) (high * 16 + low);
			i += 2;
		}
		out->data[out->len++] = c;
	}
	out->data[out->len] = '\0';
	return true;
}

/* Refuses a decoded name that has control characters. */
static bool check_name(dsn_parser *parser, const rl_secret *name)
{
	if (has(rl_bytes_of(name->data, name->len), '\0')) {
		return refuse(parser, "%00, a NUL byte, is allowed in the password only");
	}
	for (const char *c = name->data; *c != '\0'; c++) {
		if ((unsigned char) *c < 0x20 || *c == 0x7f) {
			return refuse(parser, "control characters are allowed in the password only");
		}
	}
	return true;
}

/* Decodes a name, which becomes a C string and may be shown. */
static bool decode_name(dsn_parser *parser, rl_bytes text, char **out)
{
	rl_secret name;
	if (!decode(parser, text, &name)) {
		return false;
	}
	if (!check_name(parser, &name)) {
		rl_secret_wipe(&name);
		return false;
	}
	*out = name.data;
	return true;
}

/* ---- numbers ---- */

static bool refuse_number(dsn_parser *parser, const struct option *option, int64_t most)
{
	char from[RL_SECONDS_TEXT];
	char to[RL_SECONDS_TEXT];
	if (option->type == SECONDS) {
		return REFUSE(parser, "the option %s must be a number of seconds from %s to %s",
			option->name, rl_seconds_text(option->least, from), rl_seconds_text(most, to));
	}
	if (option->type == SWITCH) {
		return REFUSE(parser, "the option %s must be 0 or 1", option->name);
	}
	bool is_database = option->type == DATABASE;
	return REFUSE(parser, "the %s%s must be a number from %" PRId64 " to %" PRId64 "%s",
		is_database ? "" : "option ", is_database ? "database" : option->name, option->least, most,
		option->type == SENTINELS ? ", the number of Sentinels in the DSN" : "");
}

/* Reads the number of an option, which is of a type of numbers. */
static bool read_number(dsn_parser *parser, option_id id, rl_bytes text)
{
	const struct option *option = &options[id];
	int64_t most = option->type == SENTINELS ? parser->host_count : option->most;
	int64_t *number = &parser->numbers[id];
	bool is_number = option->type == SECONDS ? rl_bytes_read_seconds(text, most, number)
											 : rl_bytes_read_number(text, most, number);
	bool is_long_switch = option->type == SWITCH && text.len > 1;
	return (is_number && *number >= option->least && !is_long_switch) ||
		refuse_number(parser, option, most);
}

/* ---- bytes and scheme ---- */

/* True when another DSN follows after a comma or a space. No part of a DSN contains "://" unless it
 * is percent-encoded. */
static bool has_another_dsn(rl_bytes text)
{
	bool is_in_scheme = false;
	for (size_t i = 1; i + 2 < text.len; i++) {
		char c = text.data[i];
		if (is_in_scheme && memcmp(text.data + i, "://", 3) == 0) {
			return true;
		}
		is_in_scheme =
			c == ',' || c == ' ' || (is_in_scheme && (is_letter(c) || c == '-' || c == '+'));
	}
	return false;
}

static bool check_bytes(dsn_parser *parser, rl_bytes text)
{
	if (has_another_dsn(text)) {
		return refuse(parser,
			"another DSN follows in the same text; for several servers pass an array of DSNs (in "
			"an INI setting, separate them by spaces)");
	}
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char) text.data[i];
		if (c <= 0x20 || c == 0x7f || c == '#') {
			return refuse(parser, "spaces, control characters and '#' must be percent-encoded");
		}
	}
	return true;
}

static bool is_scheme(rl_bytes text, const char *name)
{
	size_t same = 0;
	while (same < text.len && (text.data[same] | 0x20) == name[same]) {
		same++;
	}
	return same == text.len && name[same] == '\0';
}

/* Cuts the scheme off. */
static bool take_scheme(dsn_parser *parser, rl_bytes *text)
{
	size_t colon = find(*text, ':');
	if (text->len < colon + 3 || memcmp(text->data + colon, "://", 3) != 0) {
		return refuse(parser,
			text->len == 0 ? "the DSN is empty; use redis://host:port or unix:///path"
						   : "the scheme is missing; use redis://host:port or unix:///path");
	}
	rl_bytes name = rl_bytes_of(text->data, colon);
	*text = tail(*text, colon + 3);
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		if (is_scheme(name, schemes[i].name)) {
			parser->scheme = &schemes[i];
			parser->target->address.kind = schemes[i].net;
			/* Unless the option says otherwise. */
			parser->numbers[OPTION_SENTINEL_TLS] = schemes[i].has_tls;
			return true;
		}
	}
	return is_plain(name)
		? REFUSE(parser, "the scheme %.*s:// is unknown; " KNOWN_SCHEMES, (int) name.len, name.data)
		: refuse(parser, "the scheme is unknown; " KNOWN_SCHEMES);
}

/* ---- place: credentials ---- */

#define BAD_CHARACTER "; in a password, percent-encode '@', '/', '?', '#', ':' and '%'"

/* Cuts the credentials off the hosts. */
static bool take_credentials(dsn_parser *parser, rl_bytes *hosts)
{
	size_t end = hosts->len;
	while (end > 0 && hosts->data[end - 1] != '@') {
		end--;
	}
	if (end <= 1) {
		*hosts = tail(*hosts, end);
		return true;
	}
	rl_bytes password = rl_bytes_of(hosts->data, end - 1);
	*hosts = tail(*hosts, end);
	if (parser->scheme->kind != DSN_SERVER && has(password, '@')) {
		return refuse(parser,
			"there is more than one '@' before the last host: write the credentials once, before "
			"the first host, and percent-encode '@' in a password");
	}
	if (!has(password, ':')) {
		return refuse(parser,
			"a single word before '@' could be a user or a password; write user:password@, or "
			":password@ without a user");
	}
	rl_bytes user = cut(&password, ':');
	if (user.len > 0 && !decode_name(parser, user, &parser->target->user)) {
		return false;
	}
	return user.len + password.len == 0 || decode(parser, password, &parser->target->password);
}

/* ---- place: a host ---- */

static bool check_host(dsn_parser *parser, rl_bytes host, bool is_v6)
{
	if (host.len > HOST_MAX) {
		return refuse(parser, "the host is longer than 253 bytes, the limit of DNS");
	}
	if (!consists_of(host, is_v6 ? ":.%_-" : ".-_")) {
		return refuse(
			parser, "the host has a character that is not allowed in a host name" BAD_CHARACTER);
	}
	return !is_v6 || has(host, ':') || refuse(parser, "brackets are for IPv6 addresses only");
}

/* @param[out] port begins with the ':'; empty = there is none */
static bool split_host(dsn_parser *parser, rl_bytes text, rl_bytes *host, rl_bytes *port)
{
	bool is_v6 = text.len > 0 && text.data[0] == '[';
	size_t end = find(text, is_v6 ? ']' : ':');
	*host = rl_bytes_of(text.data + is_v6, end - is_v6);
	*port = tail(text, end + is_v6);
	if (!is_v6) {
		return !has(tail(*port, 1), ':') ||
			refuse(parser, "more than one ':' in the host; an IPv6 address must be in brackets");
	}
	if (end == text.len) {
		return refuse(parser, "the ']' after the IPv6 address is missing");
	}
	return port->len == 0 || port->data[0] == ':' ||
		refuse(parser, "after ']' only :port may follow");
}

/* Reads "host", "host:port" or "[host]:port".
 * @param missing the error where there is no host
 * @param port the port where the text has none */
static bool read_host(
	dsn_parser *parser, rl_bytes text, const char *missing, uint16_t port, rl_address *address)
{
	rl_bytes host;
	rl_bytes port_text;
	int64_t number = port;
	if (!split_host(parser, text, &host, &port_text)) {
		return false;
	}
	if (host.len == 0) {
		return refuse(parser, missing);
	}
	if (!decode_name(parser, host, &address->host) ||
		!check_host(
			parser, rl_bytes_of(address->host, strlen(address->host)), text.data[0] == '[')) {
		return false;
	}
	if (port_text.len > 0 &&
		(!rl_bytes_read_number(tail(port_text, 1), UINT16_MAX, &number) || number == 0)) {
		return refuse(parser, "the port must be a number from 1 to 65535");
	}
	address->port = (uint16_t) number;
	return true;
}

/* ---- place: one server ---- */

/* The name of a server inside the process. */
static bool read_memory(dsn_parser *parser, rl_bytes name, rl_bytes path)
{
	if (path.len > 1 || (name.len > 0 && !is_plain(name))) {
		return refuse(parser,
			"after memory:// only a name may follow, of at most 32 letters, digits, '.', '-', '_' "
			"and '+'");
	}
	return decode_name(parser, name, &parser->target->address.host);
}

static bool read_socket_path(dsn_parser *parser, rl_bytes host, rl_bytes path)
{
	rl_address *address = &parser->target->address;
	address->kind = RL_NET_UNIX;
	if (host.len == 0 && !decode_name(parser, path, &address->host)) {
		return false;
	}
	if (host.len > 0 || strlen(address->host) < 2) {
		return refuse(parser, "the socket's path must be absolute: unix:///path/to.sock");
	}
	return strlen(address->host) <= UNIX_PATH_MAX ||
		refuse(parser, "the socket's path is longer than 107 bytes, the system's limit");
}

/* @param path empty, or begins with a '/' */
static bool read_database(dsn_parser *parser, rl_bytes path)
{
	parser->is_given[OPTION_DB] = path.len > 1;
	return path.len <= 1 || read_number(parser, OPTION_DB, tail(path, 1));
}

static bool read_server(dsn_parser *parser, rl_bytes host, rl_bytes path)
{
	rl_address *address = &parser->target->address;
	bool is_path = address->kind == RL_NET_UNIX || (host.len == 0 && path.len > 1);
	if (is_path) {
		return parser->scheme->has_tls
			? refuse(parser, "TLS needs a host; for a socket's path use unix://")
			: read_socket_path(parser, host, path);
	}
	if (has(host, ',')) {
		return refuse(parser,
			"this kind of DSN names one server; for several servers pass an array of DSNs (in an "
			"INI setting, separate them by spaces), for a cluster use redis-cluster://");
	}
	return read_host(parser, host, "the host is missing; use redis://host:port or unix:///path",
			   PORT, address) &&
		read_database(parser, path);
}

/* ---- place: several hosts ---- */

static bool add_host(dsn_parser *parser, rl_bytes text)
{
	bool is_cluster = parser->scheme->kind == DSN_CLUSTER;
	unsigned most = is_cluster ? RL_SEEDS_MAX : RL_SENTINELS_MAX;
	if (parser->host_count == most) {
		return REFUSE(parser, "a DSN may name %u %s at most", most,
			is_cluster ? "nodes of a cluster" : "Sentinels");
	}
	/* Counted at once, so that the parser frees it also after an error. */
	rl_address *host = &parser->hosts[parser->host_count++];
	if (!read_host(parser, text,
			"a host in the list is missing; the hosts are separated by one comma each",
			is_cluster ? PORT : SENTINEL_PORT, host)) {
		return false;
	}
	for (const rl_address *other = parser->hosts; other < host; other++) {
		if (rl_address_equal(other, host)) {
			return refuse(parser, "a host in the list is given twice");
		}
	}
	return true;
}

static bool read_hosts(dsn_parser *parser, rl_bytes hosts)
{
	if (hosts.len == 0) {
		return refuse(parser,
			parser->scheme->kind == DSN_CLUSTER
				? "the hosts are missing, and a cluster has no socket's path; use "
				  "redis-cluster://host:port,host:port"
				: "the hosts are missing, and Sentinels have no socket's path; use "
				  "redis-sentinel://host:port,host:port/master-name");
	}
	while (has(hosts, ',')) {
		if (!add_host(parser, cut(&hosts, ','))) {
			return false;
		}
	}
	return add_host(parser, hosts);
}

/* The name under which Sentinels know the primary. It must look like a name, because a password
 * with a '/' in it would stand here. */
static bool read_service(dsn_parser *parser, rl_bytes name)
{
	if (name.len == 0) {
		return refuse(parser,
			"the master name is missing, by which the Sentinels know the primary; use "
			"redis-sentinel://host:port,host:port/master-name");
	}
	if (!consists_of(name, "_-+.%")) {
		return refuse(parser,
			"the master name has a character other than letters, digits, '.', '-' and '_', "
			"which must be percent-encoded" BAD_CHARACTER);
	}
	return decode_name(parser, name, &parser->service);
}

static bool read_list(dsn_parser *parser, rl_bytes hosts, rl_bytes path)
{
	if (!read_hosts(parser, hosts)) {
		return false;
	}
	if (parser->scheme->kind == DSN_SENTINELS) {
		rl_bytes service = tail(path, 1);
		size_t len = find(service, '/');
		path = tail(service, len);
		service.len = len;
		if (!read_service(parser, service)) {
			return false;
		}
	}
	return read_database(parser, path);
}

/* Reads the text between "scheme://" and '?'. */
static bool read_place(dsn_parser *parser, rl_bytes place)
{
	size_t slash = find(place, '/');
	rl_bytes hosts = rl_bytes_of(place.data, slash);
	rl_bytes path = tail(place, slash);
	if (parser->scheme->kind == DSN_MEMORY) {
		return read_memory(parser, hosts, path);
	}
	if (!take_credentials(parser, &hosts)) {
		return false;
	}
	return parser->scheme->kind == DSN_SERVER ? read_server(parser, hosts, path)
											  : read_list(parser, hosts, path);
}

/* ---- query: an option ---- */

static bool refuse_option(dsn_parser *parser, rl_bytes name, const char *what)
{
	return is_plain(name) ? REFUSE(parser, "the option %.*s %s", (int) name.len, name.data, what)
						  : REFUSE(parser, "an option %s", what);
}

/* Appends the options of this kind of DSN to the message, as " a, b and c". */
static void append_options(dsn_parser *parser, const char *conjunction)
{
	option_id last = OPTION_COUNT - 1;
	while ((options[last].kinds & parser->scheme->kind) == 0) {
		last--;
	}
	const char *separator = "";
	for (option_id id = 0; id <= last; id++) {
		if ((options[id].kinds & parser->scheme->kind) != 0) {
			rl_error_append(
				parser->err, "%s %s", id == last ? conjunction : separator, options[id].name);
			separator = ",";
		}
	}
}

/* @param id OPTION_COUNT = the option is unknown */
static bool refuse_misplaced(dsn_parser *parser, rl_bytes name, option_id id)
{
	if (parser->scheme->kind == DSN_MEMORY) {
		refuse_option(parser, name, "is not for memory://, which has");
		append_options(parser, " and");
	} else if (id == OPTION_COUNT) {
		refuse_option(parser, name, "is unknown; use");
		append_options(parser, " or");
	} else {
		refuse_option(parser, name,
			options[id].kinds == DSN_MEMORY ? "is for memory:// only"
											: "is for redis-sentinel:// only");
	}
	return false;
}

/* @param value its text may be taken */
static bool read_value(dsn_parser *parser, option_id id, rl_bytes name, rl_secret *value)
{
	rl_bytes text = rl_bytes_of(value->data, value->len);
	switch (options[id].type) {
		case FAULT:
			return rl_fault_read(text, &parser->target->address.fault) ||
				refuse_option(parser, name, "must be refused, timeout, readonly or lost-reply");
		case NAME:
			if (!check_name(parser, value)) {
				return false;
			}
			break;
		case SECRET:
			break;
		default:
			return read_number(parser, id, text);
	}
	parser->texts[id] = *value;
	*value = (rl_secret){0};
	return true;
}

/* @param value its text may be taken */
static bool read_option(dsn_parser *parser, rl_bytes name, rl_secret *value)
{
	if (name.len >= 4 && memcmp(name.data, "ssl[", 4) == 0) {
		return name.data[name.len - 1] == ']'
			? note(parser,
				  rl_tls_options_set(parser->tls, rl_bytes_of(name.data + 4, name.len - 5),
					  rl_bytes_of(value->data, value->len), parser->err))
			: refuse(parser, "an option of TLS must be written ssl[name]=value");
	}
	option_id id = 0;
	while (id < OPTION_COUNT && !rl_bytes_is(name, options[id].name)) {
		id++;
	}
	if (id == OPTION_COUNT || (options[id].kinds & parser->scheme->kind) == 0) {
		return refuse_misplaced(parser, name, id);
	}
	if (parser->is_given[id]) {
		return id == OPTION_DB ? refuse(parser, "the database is given twice")
							   : refuse_option(parser, name, "is given twice");
	}
	parser->is_given[id] = true;
	return read_value(parser, id, name, value);
}

/* Decodes one name=value, and stores the value. */
static bool read_pair(dsn_parser *parser, rl_bytes pair)
{
	if (!has(pair, '=')) {
		return refuse_option(parser, pair, "must be written name=value");
	}
	rl_secret name = {0};
	rl_secret value = {0};
	bool is_read = decode(parser, cut(&pair, '='), &name) && decode(parser, pair, &value) &&
		read_option(parser, rl_bytes_of(name.data, name.len), &value);
	rl_secret_wipe(&name);
	rl_secret_wipe(&value);
	return is_read;
}

/* ---- query: the options together ---- */

/* failover_grace rests on the Sentinel that two majorities have in common. */
static bool check_grace(dsn_parser *parser)
{
	unsigned majority = rl_quorum(parser->host_count);
	if (!parser->is_given[OPTION_FAILOVER_GRACE]) {
		return true;
	}
	if (parser->numbers[OPTION_SENTINEL_CHECK] == 0) {
		return refuse(parser, "the option failover_grace needs sentinel_check=1");
	}
	if (parser->is_given[OPTION_SENTINEL_QUORUM] &&
		parser->numbers[OPTION_SENTINEL_QUORUM] < majority) {
		return REFUSE(parser,
			"with failover_grace the option sentinel_quorum must be a majority of the Sentinels in "
			"the DSN, at least %u",
			majority);
	}
	return true;
}

static bool check_options(dsn_parser *parser)
{
	dsn_kind kind = parser->scheme->kind;
	if (rl_tls_options_is_any_set(parser->tls) && !parser->scheme->has_tls &&
		parser->numbers[OPTION_SENTINEL_TLS] == 0) {
		return refuse(parser,
			kind == DSN_SENTINELS
				? "ssl[...] options need TLS: use rediss-sentinel:// or sentinel_tls=1"
				: kind == DSN_CLUSTER ? "ssl[...] options need TLS: use rediss-cluster://"
									  : "ssl[...] options need TLS: use rediss://");
	}
	if (parser->texts[OPTION_SENTINEL_USER].len > 0 &&
		!parser->is_given[OPTION_SENTINEL_PASSWORD]) {
		return refuse(parser, "the option sentinel_user needs sentinel_password as well");
	}
	return check_grace(parser);
}

/* Reads the text after the '?'. */
static bool read_query(dsn_parser *parser, rl_bytes query)
{
	if (has(query, '@')) {
		/* The '?' may be a part of a password. */
		return refuse(
			parser, "'@' after '?' must be percent-encoded, and so must '?' in a password");
	}
	while (query.len > 0) {
		if (!read_pair(parser, cut(&query, '&'))) {
			return false;
		}
	}
	return check_options(parser);
}

/* ---- the result: the name of a route ---- */

/* A text in memory that has enough room for it. */
typedef struct name_room {
	char *data;
	size_t size;
	size_t used;
} name_room;

RL_PRINTF(2, 3) static void append(name_room *name, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	name->used +=
		(size_t) vsnprintf(name->data + name->used, name->size - name->used, format, args);
	va_end(args);
}

static size_t name_size(const dsn_parser *parser)
{
	size_t size = sizeof "redis-sentinel:///s/4294967295";
	size += parser->service != NULL ? RL_ENCODED_MAX * strlen(parser->service) : 0;
	for (unsigned i = 0; i < parser->host_count; i++) {
		size += strlen(parser->hosts[i].host) + sizeof ",[]:65535";
	}
	return size;
}

/* The DSN without credentials and options. */
static bool set_route_name(const dsn_parser *parser)
{
	rl_target *target = parser->target;
	size_t size = name_size(parser);
	name_room name = {.data = malloc(size), .size = size};
	if (name.data == NULL) {
		return false;
	}
	append(&name, "redis%s-%s://", parser->scheme->has_tls ? "s" : "",
		parser->scheme->kind == DSN_CLUSTER ? "cluster" : "sentinel");
	for (unsigned i = 0; i < parser->host_count; i++) {
		const rl_address *host = &parser->hosts[i];
		bool is_v6 = strchr(host->host, ':') != NULL;
		append(&name, is_v6 ? "%s[%s]:%u" : "%s%s:%u", i == 0 ? "" : ",", host->host,
			(unsigned) host->port);
	}
	if (parser->service != NULL) {
		append(&name, "/");
		name.used += rl_target_encode(parser->service, RL_ENCODE_SERVICE, name.data + name.used);
	}
	if (target->database != 0) {
		append(&name, "/%u", target->database);
	}
	target->name = name.data;
	return true;
}

/* ---- the result: targets and the route ---- */

/* Gives the target TLS with the options of the DSN, or none. */
static bool set_tls(const dsn_parser *parser, rl_target *target, bool has_tls)
{
	target->address.tls = has_tls ? rl_tls_options_copy(parser->tls) : NULL;
	return target->address.tls != NULL || !has_tls;
}

static bool set_host(rl_target *target, const rl_address *host)
{
	free(target->address.host);
	target->address.host = strdup(host->host);
	target->address.port = host->port;
	return target->address.host != NULL;
}

/* What all Sentinels have in common, which is nothing of the nodes: they have credentials of their
 * own, no databases, and no replicas that could confirm. Takes the texts of the options. */
static rl_target *make_sentinel(dsn_parser *parser)
{
	rl_secret *user = &parser->texts[OPTION_SENTINEL_USER];
	rl_secret *password = &parser->texts[OPTION_SENTINEL_PASSWORD];
	rl_target *sentinel = rl_target_new();
	if (sentinel == NULL || !set_tls(parser, sentinel, parser->numbers[OPTION_SENTINEL_TLS] != 0)) {
		rl_target_unref(sentinel);
		return NULL;
	}
	sentinel->address.kind = RL_NET_TCP;
	if (user->len > 0) {
		/* As in "user:password@", an empty user is the default user. */
		sentinel->user = user->data;
		*user = (rl_secret){0};
	}
	if (sentinel->user != NULL || password->len > 0) {
		sentinel->password = *password;
		*password = (rl_secret){0};
	}
	return sentinel;
}

/* @param like what the seeds have in common */
static bool add_seeds(const dsn_parser *parser, rl_route *route, const rl_target *like)
{
	bool is_added = true;
	for (unsigned i = 0; i < parser->host_count && is_added; i++) {
		rl_target *seed = rl_target_copy(like);
		is_added = seed != NULL && set_host(seed, &parser->hosts[i]) && rl_target_set_name(seed) &&
			rl_route_add_seed(route, seed);
		rl_target_unref(seed);
	}
	return is_added;
}

static bool add_sentinels(dsn_parser *parser, rl_route *route)
{
	route->sentinel_quorum = (unsigned) parser->numbers[OPTION_SENTINEL_QUORUM];
	route->check_ns = parser->numbers[OPTION_SENTINEL_CHECK] != 0 ? RL_CHECK_NS : RL_NEVER;
	route->grace_ns = parser->numbers[OPTION_FAILOVER_GRACE];
	rl_target *sentinel = make_sentinel(parser);
	bool is_added = sentinel != NULL &&
		rl_route_set_service(route, rl_bytes_of(parser->service, strlen(parser->service))) &&
		add_seeds(parser, route, sentinel);
	rl_target_unref(sentinel);
	return is_added;
}

/* NULL = out of memory. */
static rl_route *make_route(dsn_parser *parser)
{
	bool is_cluster = parser->scheme->kind == DSN_CLUSTER;
	rl_target *common = parser->target;
	if (!set_host(common, &parser->hosts[0]) || !set_route_name(parser)) {
		return NULL;
	}
	rl_route *route = rl_route_new(is_cluster ? RL_ROUTE_CLUSTER : RL_ROUTE_SENTINEL, common);
	if (route != NULL &&
		(is_cluster ? add_seeds(parser, route, common) : add_sentinels(parser, route))) {
		return route;
	}
	rl_route_unref(route);
	return NULL;
}

static bool make_result(dsn_parser *parser, rl_dsn *dsn)
{
	rl_target *target = parser->target;
	target->database = (unsigned) parser->numbers[OPTION_DB];
	target->replicas = (unsigned) parser->numbers[OPTION_REPLICAS];
	bool is_list = parser->host_count > 0;
	if (!set_tls(parser, target, parser->scheme->has_tls) ||
		(!is_list && !rl_target_set_name(target))) {
		return no_memory(parser);
	}
	dsn->route = is_list ? make_route(parser) : NULL;
	if (is_list && dsn->route == NULL) {
		return no_memory(parser);
	}
	dsn->target = rl_target_ref(target);
	dsn->timeout_ns = parser->numbers[OPTION_TIMEOUT];
	dsn->connect_timeout_ns = parser->numbers[OPTION_CONNECT_TIMEOUT];
	dsn->replicas_timeout_ns = parser->numbers[OPTION_REPLICAS_TIMEOUT];
	dsn->outage_wait_ns = parser->numbers[OPTION_OUTAGE_WAIT];
	return true;
}

/* ---- the whole text ---- */

static bool read_text(dsn_parser *parser, rl_bytes text)
{
	if (!check_bytes(parser, text) || !take_scheme(parser, &text)) {
		return false;
	}
	rl_bytes place = cut(&text, '?');
	return read_place(parser, place) && read_query(parser, text);
}

static void free_parts(dsn_parser *parser)
{
	rl_target_unref(parser->target);
	for (unsigned i = 0; i < parser->host_count; i++) {
		free(parser->hosts[i].host);
	}
	free(parser->service);
	rl_tls_options_free(parser->tls);
	for (option_id id = 0; id < OPTION_COUNT; id++) {
		rl_secret_wipe(&parser->texts[id]);
	}
}

rl_status rl_dsn_parse(rl_bytes text, rl_dsn *dsn, rl_error *err)
{
	dsn_parser parser = {.err = err, .target = rl_target_new(), .tls = rl_tls_options_new()};
	for (option_id id = 0; id < OPTION_COUNT; id++) {
		parser.numbers[id] = options[id].standard;
	}
	*dsn = (rl_dsn){0};
	if (parser.target == NULL || parser.tls == NULL) {
		no_memory(&parser);
	} else if (read_text(&parser, text)) {
		make_result(&parser, dsn);
	}
	free_parts(&parser);
	return parser.status;
}

void rl_dsn_drop(rl_dsn *dsn)
{
	rl_target_unref(dsn->target);
	rl_route_unref(dsn->route);
	dsn->target = NULL;
	dsn->route = NULL;
}
