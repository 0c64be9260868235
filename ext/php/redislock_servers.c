/* SPDX-License-Identifier: MIT
 *
 * The members of a set.
 */
#include "php_redislock.h"

#include "php/redislock_memory.h"
#include "php/redislock_servers.h"

#include "main/fopen_wrappers.h"
#include "zend_exceptions.h"

#include "core/wire/rl_dsn.h"
#include "transport/rl_tls.h"

/* Where a DSN comes from, for the message about an error in it. */
typedef struct dsn_source {
	bool is_ini;
	/* Its number in a list, from 1; 0 = there is no list. */
	unsigned number;
} dsn_source;

static void throw_bad_dsn(const rl_error *err, dsn_source source)
{
	char where[32] = "";
	if (source.number > 0) {
		snprintf(where, sizeof where, " (server %u)", source.number);
	}
	if (source.is_ini) {
		zend_value_error(
			"The INI setting redislock.servers must be a valid DSN%s: %s (in php.ini it needs "
			"double quotes)",
			where, err->message);
	} else {
		zend_argument_value_error(1, "must be a valid DSN%s: %s", where, err->message);
	}
}

#define MEMORY_REFUSED \
 "must not be memory:// outside of the CLI, because its locks exclude no other process; for " \
 "tests set redislock.memory=1"

static void throw_memory_refused(dsn_source source)
{
	if (source.is_ini) {
		zend_value_error("The INI setting redislock.servers " MEMORY_REFUSED);
	} else {
		zend_argument_value_error(1, MEMORY_REFUSED);
	}
}

/* ---- TLS ---- */

const rl_tls_options *redislock_servers_tls(const rl_member *member)
{
	const rl_tls_options *options = member->target->address.tls;
	return options != NULL || member->route == NULL ? options
													: member->route->seeds[0]->address.tls;
}

/* Adds the options of the argument $tls that the DSN of the target does not set. False when out of
 * memory. */
static bool add_defaults(rl_target *target, const rl_tls_options *defaults)
{
	rl_tls_options *options = target->address.tls;
	return options == NULL || rl_tls_options_add(options, defaults);
}

static bool add_all_defaults(const rl_member *member, const rl_tls_options *defaults)
{
	bool is_added = add_defaults(member->target, defaults);
	for (unsigned i = 0; member->route != NULL && i < member->route->seed_count; i++) {
		is_added = is_added && add_defaults(member->route->seeds[i], defaults);
	}
	return is_added;
}

static bool is_outside(const rl_tls_options *options, rl_tls_option option)
{
	const char *path = options->values[option];
	return path != NULL && php_check_open_basedir_ex(path, 0) != 0;
}

/* The certificate and the key of the client must be within open_basedir, as for PHP's own ssl
 * streams. No file is touched before this check. */
static rl_status check_basedir(const rl_tls_options *options, rl_error *err)
{
	static const rl_tls_option files[] = {RL_TLS_LOCAL_CERT, RL_TLS_LOCAL_PK};
	for (unsigned i = 0; i < 2; i++) {
		if (is_outside(options, files[i])) {
			return rl_error_set(err, RL_ERR_ARGUMENT, 0,
				"the TLS option %s: the file is outside of open_basedir",
				rl_tls_option_name(files[i]));
		}
	}
	return RL_OK;
}

/* The trusted certificates may be outside of open_basedir, as for PHP's own ssl streams. But then
 * the message does not say whether there is such a file. */
static void hide_reason(const rl_tls_options *options, rl_error *err)
{
	static const rl_tls_option files[] = {RL_TLS_CAFILE, RL_TLS_CAPATH};
	for (unsigned i = 0; i < 2; i++) {
		const char *name = rl_tls_option_name(files[i]);
		char begin[64];
		snprintf(begin, sizeof begin, "the TLS option %s:", name);
		if (is_outside(options, files[i]) && strncmp(err->message, begin, strlen(begin)) == 0) {
			rl_error_set(err, RL_ERR_ARGUMENT, 0,
				"the TLS option %s: no certificate can be read there; it is outside of "
				"open_basedir, so no reason is given",
				name);
		}
	}
}

static rl_status prepare_tls(const rl_tls_options *options, rl_error *err)
{
	rl_status status = rl_tls_options_check(options, err);
	if (status == RL_OK) {
		status = check_basedir(options, err);
	}
	if (status == RL_OK) {
		status = rl_tls_prepare(options, err);
		if (status != RL_OK) {
			hide_reason(options, err);
		}
	}
	return status;
}

/* All servers of a member have the same options. False = an exception was thrown. */
static bool set_up_tls(const rl_member *member, const rl_tls_options *defaults)
{
	const rl_tls_options *options = redislock_servers_tls(member);
	rl_error err;
	if (options == NULL) {
		return true;
	}
	if (defaults != NULL && !add_all_defaults(member, defaults)) {
		zend_throw_error(NULL, "Out of memory");
		return false;
	}
	if (prepare_tls(options, &err) != RL_OK) {
		zend_value_error("%s: %s", member->target->name, err.message);
		return false;
	}
	return true;
}

/* ---- replicas ---- */

#define REPLICAS_TIMEOUT_NS (100 * RL_NS_PER_MS)

static void set_replicas_ms(rl_target *target, int64_t ns)
{
	target->replicas_ms = target->replicas == 0 ? 0 : ns < RL_NS_PER_MS ? 1 : ns / RL_NS_PER_MS;
}

/* The replicas' time must leave some of the time for the answer. False = an exception was
 * thrown. */
static bool set_up_replicas(const rl_member *member, int64_t given, dsn_source source)
{
	int64_t most = member->timeout_ns / 2;
	rl_error err;
	if (given > most) {
		char limit[RL_SECONDS_TEXT];
		rl_error_set(&err, RL_ERR_ARGUMENT, 0,
			"the option replicas_timeout must be half of the timeout at most, %s s",
			rl_seconds_text(most, limit));
		throw_bad_dsn(&err, source);
		return false;
	}
	int64_t ns = given != 0 ? given : REPLICAS_TIMEOUT_NS < most ? REPLICAS_TIMEOUT_NS : most;
	set_replicas_ms(member->target, ns);
	for (unsigned i = 0; member->route != NULL && i < member->route->seed_count; i++) {
		set_replicas_ms(member->route->seeds[i], ns);
	}
	return true;
}

/* ---- members ---- */

/* True when the DSN of the cluster names the server at the address as a node. */
static bool has_node(const rl_route *route, const rl_address *address)
{
	bool has_it = false;
	for (unsigned i = 0; i < route->seed_count; i++) {
		has_it = has_it || rl_address_equal(&route->seeds[i]->address, address);
	}
	return has_it && route->kind == RL_ROUTE_CLUSTER;
}

/* A server in memory is the same one with whatever fault: the undo of one member would free the
 * lock that the other member has granted. */
static bool is_same_server(const rl_address *a, const rl_address *b)
{
	rl_address like_a = *b;
	like_a.fault = a->fault;
	return rl_address_equal(a, &like_a);
}

/* Why one set cannot have both members; NULL = it can. */
static const char *conflict(const rl_member *a, const rl_member *b)
{
	if (a->route == NULL && b->route == NULL) {
		bool is_same = is_same_server(&a->target->address, &b->target->address);
		return is_same ? "the same server is given twice" : NULL;
	}
	if (a->route == NULL || b->route == NULL) {
		const rl_route *route = a->route != NULL ? a->route : b->route;
		const rl_target *server = a->route != NULL ? b->target : a->target;
		bool is_node = has_node(route, &server->address);
		return is_node ? "the same server is given twice, once as a node of a cluster" : NULL;
	}
	if (!rl_route_overlaps(a->route, b->route)) {
		return NULL;
	}
	return a->route->kind == RL_ROUTE_CLUSTER
		? "the same cluster is given twice: two DSNs have a node in common"
		: "the same primary is given twice: two DSNs have the master name and a Sentinel in common";
}

/* False = an exception was thrown. */
static bool check_conflicts(const rl_set *set, const rl_member *member, dsn_source source)
{
	for (unsigned i = 0; i < set->count; i++) {
		const char *reason = conflict(&set->members[i], member);
		if (reason != NULL) {
			rl_error err;
			rl_error_set(&err, RL_ERR_ARGUMENT, 0, "%s", reason);
			throw_bad_dsn(&err, source);
			return false;
		}
	}
	return true;
}

/* The client shares the route of the pool, and so knows what others with the same DSN have
 * learned. From now on connections to its nodes are named by the label of this client. */
static void add_member(redislock_client *client, rl_member member)
{
	rl_set *set = &client->set;
	member.target->label = set->label;
	if (member.route != NULL) {
		if (member.route->kind == RL_ROUTE_CLUSTER) {
			set->naming = RL_NAMES_IN_SLOT;
		}
		member.route = rl_pool_share_route(client->pool, member.route);
		rl_route_set_label(member.route, &set->label);
	}
	set->members[set->count++] = member;
}

/* A wait is for all members, so DSNs that set its option must agree. False = an exception was
 * thrown. */
static bool set_outage_wait(rl_set *set, int64_t given, dsn_source source)
{
	bool is_same = set->outage_wait_ns == RL_DSN_NO_OUTAGE_WAIT || set->outage_wait_ns == given;
	if (given == RL_DSN_NO_OUTAGE_WAIT) {
		return true;
	}
	if (!is_same) {
		rl_error err;
		rl_error_set(&err, RL_ERR_ARGUMENT, 0,
			"the option outage_wait must be the same in all DSNs that have it");
		throw_bad_dsn(&err, source);
		return false;
	}
	set->outage_wait_ns = given;
	return true;
}

static int64_t time_of(int64_t option_ns, double argument)
{
	return option_ns != 0 ? option_ns : (int64_t) (argument * 1e9);
}

static bool add_server(redislock_client *client, const redislock_arguments *arguments,
	rl_bytes text, dsn_source source)
{
	rl_error err;
	rl_dsn dsn;
	if (rl_dsn_parse(text, &dsn, &err) != RL_OK) {
		throw_bad_dsn(&err, source);
		return false;
	}
	if (dsn.target->address.kind == RL_NET_MEMORY && !redislock_memory_is_allowed()) {
		throw_memory_refused(source);
		rl_dsn_drop(&dsn);
		return false;
	}
	rl_member member = {.target = dsn.target,
		.route = dsn.route,
		.timeout_ns = time_of(dsn.timeout_ns, arguments->timeout),
		.connect_timeout_ns = time_of(dsn.connect_timeout_ns, arguments->connect_timeout)};
	if (!check_conflicts(&client->set, &member, source) || !set_up_tls(&member, arguments->tls) ||
		!set_up_replicas(&member, dsn.replicas_timeout_ns, source) ||
		!set_outage_wait(&client->set, dsn.outage_wait_ns, source)) {
		rl_dsn_drop(&dsn);
		return false;
	}
	add_member(client, member);
	return true;
}

/* ---- lists ---- */

static bool add_list(redislock_client *client, const redislock_arguments *arguments)
{
	unsigned count = zend_hash_num_elements(arguments->servers);
	if (count == 0 || count > RL_MEMBERS_MAX) {
		zend_argument_value_error(1, "must be a list of 1 to %d DSNs", RL_MEMBERS_MAX);
		return false;
	}
	zval *entry;
	ZEND_HASH_FOREACH_VAL(arguments->servers, entry) {
		ZVAL_DEREF(entry);
		if (Z_TYPE_P(entry) != IS_STRING) {
			zend_argument_type_error(
				1, "must be a list of DSN strings, %s given", zend_zval_type_name(entry));
			return false;
		}
		dsn_source source = {.number = count > 1 ? client->set.count + 1 : 0};
		if (!add_server(
				client, arguments, rl_bytes_of(Z_STRVAL_P(entry), Z_STRLEN_P(entry)), source)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

rl_bytes redislock_servers_next(const char **text)
{
	const char *start = *text + strspn(*text, " \t\r\n");
	*text = start + strcspn(start, " \t\r\n");
	return rl_bytes_of(start, (size_t) (*text - start));
}

static bool add_ini(redislock_client *client, const redislock_arguments *arguments)
{
	const char *text = REDISLOCK_G(servers) != NULL ? REDISLOCK_G(servers) : "";
	rl_bytes word = redislock_servers_next(&text);
	rl_bytes next = redislock_servers_next(&text);
	bool is_list = next.len > 0;
	while (true) {
		dsn_source source = {.is_ini = true, .number = is_list ? client->set.count + 1 : 0};
		if (client->set.count == RL_MEMBERS_MAX) {
			zend_value_error(
				"The INI setting redislock.servers must be at most %d DSNs", RL_MEMBERS_MAX);
			return false;
		}
		if (!add_server(client, arguments, word, source)) {
			return false;
		}
		if (next.len == 0) {
			return true;
		}
		word = next;
		next = redislock_servers_next(&text);
	}
}

bool redislock_servers_fill(redislock_client *client, const redislock_arguments *arguments)
{
	if (arguments->servers != NULL) {
		return add_list(client, arguments);
	}
	if (arguments->server != NULL) {
		rl_bytes text = rl_bytes_of(ZSTR_VAL(arguments->server), ZSTR_LEN(arguments->server));
		return add_server(client, arguments, text, (dsn_source){0});
	}
	return add_ini(client, arguments);
}
