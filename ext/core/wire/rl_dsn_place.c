/* SPDX-License-Identifier: MIT
 *
 * The place in a DSN. An error never quotes a piece of it, because each piece may contain a
 * password: everything before the last '@', and also a host, because users forget the '@'.
 */
#include "core/wire/rl_dsn_place.h"

#include "core/wire/rl_dsn_text.h"

#include <stdlib.h>
#include <string.h>

/* The size of sun_path on Linux, without the NUL. On BSD and macOS it is 104 with the NUL. */
#define UNIX_PATH_MAX 107
#define HOST_MAX 253

#define PORT 6379
#define SENTINEL_PORT 26379

#define BAD_CHARACTER "; in a password, percent-encode '@', '/', '?', '#', ':' and '%'"

/* ---- credentials ---- */

static rl_status read_credentials(rl_bytes text, rl_target *target, rl_error *err)
{
	size_t colon;
	if (!rl_dsn_text_find(text, ':', &colon)) {
		return text.len == 0
			? RL_OK
			: rl_dsn_text_refuse(err,
				  "a single word before '@' could be a user or a password; write user:password@, "
				  "or :password@ without a user");
	}
	rl_bytes user = rl_dsn_text_head(text, colon);
	rl_bytes password = rl_dsn_text_tail(text, colon + 1);
	if (user.len > 0) {
		rl_status status = rl_dsn_text_decode_name(user, &target->user, err);
		if (status != RL_OK) {
			return status;
		}
	}
	return user.len + password.len == 0 ? RL_OK
										: rl_dsn_text_decode(password, &target->password, err);
}

/* Cuts the credentials off the hosts. */
static rl_status take_credentials(rl_bytes *hosts, const rl_dsn_parts *parts, rl_error *err)
{
	size_t at;
	if (!rl_dsn_text_find_last(*hosts, '@', &at)) {
		return RL_OK;
	}
	rl_bytes credentials = rl_dsn_text_head(*hosts, at);
	*hosts = rl_dsn_text_tail(*hosts, at + 1);
	if (parts->kind != RL_DSN_SERVER && rl_dsn_text_find(credentials, '@', &at)) {
		return rl_dsn_text_refuse(err,
			"there is more than one '@' before the last host: write the credentials once, before "
			"the first host, and percent-encode '@' in a password");
	}
	return read_credentials(credentials, parts->target, err);
}

/* ---- a host ---- */

static rl_status check_host(const char *host, bool is_v6, rl_error *err)
{
	if (strlen(host) > HOST_MAX) {
		return rl_dsn_text_refuse(err, "the host is longer than 253 bytes, the limit of DNS");
	}
	for (const char *c = host; *c != '\0'; c++) {
		bool is_letter = (*c | 0x20) >= 'a' && (*c | 0x20) <= 'z';
		bool is_digit = *c >= '0' && *c <= '9';
		bool is_mark = is_v6 ? strchr(":.%_-", *c) != NULL : strchr(".-_", *c) != NULL;
		if (!is_letter && !is_digit && !is_mark) {
			return rl_dsn_text_refuse(
				err, "the host has a character that is not allowed in a host name" BAD_CHARACTER);
		}
	}
	return is_v6 && strchr(host, ':') == NULL
		? rl_dsn_text_refuse(err, "brackets are for IPv6 addresses only")
		: RL_OK;
}

/* The two pieces of "host:port" or "[host]:port". */
typedef struct host_port {
	rl_bytes host;
	rl_bytes port;
	bool has_port;
	bool is_v6;
} host_port;

static rl_status split_v6(rl_bytes text, host_port *out, rl_error *err)
{
	size_t end;
	if (!rl_dsn_text_find(text, ']', &end)) {
		return rl_dsn_text_refuse(err, "the ']' after the IPv6 address is missing");
	}
	rl_bytes rest = rl_dsn_text_tail(text, end + 1);
	if (rest.len > 0 && rest.data[0] != ':') {
		return rl_dsn_text_refuse(err, "after ']' only :port may follow");
	}
	*out = (host_port){.host = rl_bytes_of(text.data + 1, end - 1),
		.port = rest.len > 0 ? rl_dsn_text_tail(rest, 1) : rest,
		.has_port = rest.len > 0,
		.is_v6 = true};
	return RL_OK;
}

static rl_status split_host(rl_bytes text, host_port *out, rl_error *err)
{
	if (text.len > 0 && text.data[0] == '[') {
		return split_v6(text, out, err);
	}
	size_t colon = text.len;
	bool has_port = rl_dsn_text_find(text, ':', &colon);
	*out = (host_port){.host = rl_dsn_text_head(text, colon),
		.port = rl_dsn_text_tail(text, has_port ? colon + 1 : colon),
		.has_port = has_port};
	return rl_dsn_text_find(out->port, ':', &colon)
		? rl_dsn_text_refuse(
			  err, "more than one ':' in the host; an IPv6 address must be in brackets")
		: RL_OK;
}

static rl_status read_port(rl_bytes text, uint16_t *port, rl_error *err)
{
	unsigned value = 0;
	if (!rl_bytes_read_number(text, 65535, &value) || value == 0) {
		return rl_dsn_text_refuse(err, "the port must be a number from 1 to 65535");
	}
	*port = (uint16_t) value;
	return RL_OK;
}

/* @param missing the error where there is no host */
static rl_status read_host(
	rl_bytes text, uint16_t port, const char *missing, rl_address *address, rl_error *err)
{
	host_port pieces = {0};
	rl_status status = split_host(text, &pieces, err);
	if (status != RL_OK) {
		return status;
	}
	if (pieces.host.len == 0) {
		return rl_dsn_text_refuse(err, missing);
	}
	address->kind = RL_NET_TCP;
	address->port = port;
	status = rl_dsn_text_decode_name(pieces.host, &address->host, err);
	if (status == RL_OK) {
		status = check_host(address->host, pieces.is_v6, err);
	}
	return status == RL_OK && pieces.has_port ? read_port(pieces.port, &address->port, err)
											  : status;
}

/* ---- one server ---- */

static rl_status read_socket_path(rl_bytes path, rl_address *address, rl_error *err)
{
	rl_status status = rl_dsn_text_decode_name(path, &address->host, err);
	if (status != RL_OK) {
		return status;
	}
	size_t len = strlen(address->host);
	if (len < 2 || address->host[0] != '/') {
		return rl_dsn_text_refuse(err, "the socket's path must be absolute: unix:///path/to.sock");
	}
	if (len > UNIX_PATH_MAX) {
		return rl_dsn_text_refuse(
			err, "the socket's path is longer than 107 bytes, the system's limit");
	}
	return RL_OK;
}

/* @param path empty, or begins with a '/' */
static rl_status read_database(rl_bytes path, rl_dsn_parts *parts, rl_error *err)
{
	if (path.len <= 1) {
		return RL_OK;
	}
	parts->has_database = true;
	return rl_dsn_text_read_database(rl_dsn_text_tail(path, 1), &parts->target->database, err);
}

/* The name of a server inside the process. */
static rl_status read_memory(rl_bytes name, rl_bytes path, rl_dsn_parts *parts, rl_error *err)
{
	if (path.len > 1 || (name.len > 0 && !rl_dsn_text_is_plain(name))) {
		return rl_dsn_text_refuse(err,
			"after memory:// only a name may follow, of at most 32 letters, digits, '.', '-', '_' "
			"and '+'");
	}
	return rl_dsn_text_decode_name(name, &parts->target->address.host, err);
}

static rl_status read_server(rl_bytes host, rl_bytes path, rl_dsn_parts *parts, rl_error *err)
{
	rl_address *address = &parts->target->address;
	bool is_path = address->kind == RL_NET_UNIX || (host.len == 0 && path.len > 1);
	if (is_path && parts->has_tls) {
		return rl_dsn_text_refuse(err, "TLS needs a host; for a socket's path use unix://");
	}
	if (is_path) {
		address->kind = RL_NET_UNIX;
		return host.len > 0
			? rl_dsn_text_refuse(err, "the socket's path must be absolute: unix:///path/to.sock")
			: read_socket_path(path, address, err);
	}
	size_t comma;
	if (rl_dsn_text_find(host, ',', &comma)) {
		return rl_dsn_text_refuse(err,
			"this kind of DSN names one server; for several servers pass an array of DSNs (in an "
			"INI setting, separate them by spaces), for a cluster use redis-cluster://");
	}
	rl_status status = read_host(
		host, PORT, "the host is missing; use redis://host:port or unix:///path", address, err);
	return status == RL_OK ? read_database(path, parts, err) : status;
}

/* ---- several hosts ---- */

static bool has_host(const rl_dsn_parts *parts, const rl_address *host)
{
	bool has_it = false;
	for (unsigned i = 0; i < parts->host_count; i++) {
		has_it = has_it || rl_address_equal(&parts->hosts[i], host);
	}
	return has_it;
}

static rl_status add_host(rl_bytes text, rl_dsn_parts *parts, rl_error *err)
{
	bool is_cluster = parts->kind == RL_DSN_CLUSTER;
	unsigned most = is_cluster ? RL_SEEDS_MAX : RL_SENTINELS_MAX;
	if (parts->host_count == most) {
		return rl_error_set(err, RL_ERR_ARGUMENT, 0, "a DSN may name %u %s at most", most,
			is_cluster ? "nodes of a cluster" : "Sentinels");
	}
	rl_address host = {0};
	rl_status status = read_host(text, is_cluster ? PORT : SENTINEL_PORT,
		"a host in the list is missing; the hosts are separated by one comma each", &host, err);
	if (status == RL_OK && has_host(parts, &host)) {
		status = rl_dsn_text_refuse(err, "a host in the list is given twice");
	}
	if (status != RL_OK) {
		free(host.host);
		return status;
	}
	parts->hosts[parts->host_count++] = host;
	return RL_OK;
}

static rl_status read_hosts(rl_bytes hosts, rl_dsn_parts *parts, rl_error *err)
{
	if (hosts.len == 0) {
		return rl_dsn_text_refuse(err,
			parts->kind == RL_DSN_CLUSTER
				? "the hosts are missing, and a cluster has no socket's path; use "
				  "redis-cluster://host:port,host:port"
				: "the hosts are missing, and Sentinels have no socket's path; use "
				  "redis-sentinel://host:port,host:port/master-name");
	}
	bool has_more = true;
	while (has_more) {
		size_t comma;
		has_more = rl_dsn_text_find(hosts, ',', &comma);
		rl_status status = add_host(rl_dsn_text_cut(&hosts, ','), parts, err);
		if (status != RL_OK) {
			return status;
		}
	}
	return RL_OK;
}

/* The name under which Sentinels know the primary. It must look like a name, because a password
 * with a '/' in it would stand here. */
static rl_status read_service(rl_bytes name, char **service, rl_error *err)
{
	if (name.len == 0) {
		return rl_dsn_text_refuse(err,
			"the master name is missing, by which the Sentinels know the primary; use "
			"redis-sentinel://host:port,host:port/master-name");
	}
	for (size_t i = 0; i < name.len; i++) {
		rl_bytes c = rl_bytes_of(name.data + i, 1);
		if (!rl_dsn_text_is_plain(c) && *c.data != '%') {
			return rl_dsn_text_refuse(err,
				"the master name has a character other than letters, digits, '.', '-' and '_', "
				"which must be percent-encoded" BAD_CHARACTER);
		}
	}
	return rl_dsn_text_decode_name(name, service, err);
}

static rl_status read_list(rl_bytes hosts, rl_bytes path, rl_dsn_parts *parts, rl_error *err)
{
	rl_status status = read_hosts(hosts, parts, err);
	if (status == RL_OK && parts->kind == RL_DSN_SENTINEL) {
		path = rl_dsn_text_tail(path, path.len > 0 ? 1 : 0);
		size_t len = path.len;
		rl_dsn_text_find(path, '/', &len);
		status = read_service(rl_dsn_text_head(path, len), &parts->service, err);
		path = rl_dsn_text_tail(path, len);
	}
	return status == RL_OK ? read_database(path, parts, err) : status;
}

rl_status rl_dsn_place_read(rl_bytes place, rl_dsn_parts *parts, rl_error *err)
{
	size_t slash = place.len;
	rl_dsn_text_find(place, '/', &slash);
	rl_bytes hosts = rl_dsn_text_head(place, slash);
	rl_bytes path = rl_dsn_text_tail(place, slash);
	if (parts->target->address.kind == RL_NET_MEMORY) {
		return read_memory(hosts, path, parts, err);
	}
	rl_status status = take_credentials(&hosts, parts, err);
	if (status != RL_OK) {
		return status;
	}
	return parts->kind == RL_DSN_SERVER ? read_server(hosts, path, parts, err)
										: read_list(hosts, path, parts, err);
}
