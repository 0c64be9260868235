/* SPDX-License-Identifier: MIT
 *
 * DESIGN
 *
 * A connection is a link, and the queue of the replies that the link still has to bring. A server
 * answers the commands in their order, so the queue shows which command a reply belongs to:
 *
 *     owed   LOGIN x2 | ROLE | CONFIRMED tag 0 | NAME | WAIT | NOBODY x3
 *            ^ the next reply                                  ^ the latest commands
 *     held   replies that have arrived, and wait for the reply to WAIT (rl_held.h)
 *
 * Neighbours of the same kind and tag are one run, so the ring of the runs is short, however many
 * replies are pending. It grows on a line with many commands after ASKING, each of which is two
 * runs. The login comes first, because dialling queues it. Other commands may follow before it is
 * answered, and rl_conn_retract() takes them back as long as none was sent: all but the commands
 * that an earlier owner has left to be sent later.
 *
 * No reply is ever taken out of the middle of the queue. If no operation waits for a reply any
 * more, its run becomes NOBODY, and the reply is discarded when it arrives.
 *
 * Replicas: where the target wants them to confirm, a command that takes or prolongs a lock is
 * CONFIRMED. One WAIT follows all such commands before the next flush, but it follows a try of the
 * wait queue only after the try has taken the lock. A reply that says yes is held back until the
 * server has answered WAIT, and so is every reply after it.
 *
 * A connection belongs to one operation at a time, or to the pool, and to the thread of both. It
 * owns its link and the held replies, and has one reference each to its target and to the route
 * that learns from a map.
 *
 * Between two steps:
 * - pending_count is the number of the replies in all runs, and no run is empty.
 * - kept_left, undo_left, own_left and waits_left are at most this number.
 * - A reply is held only until WAIT is answered. While WAIT is pending a connection is not ended.
 */
#include "core/conn/rl_conn.h"

#include <stdlib.h>
#include <string.h>

#define CLIENT_NAME "redislock:"
#define LITERAL(text) rl_bytes_of(text, sizeof text - 1)

/* The error of a login to a node that is no primary. */
#define REPLICA_ERROR "READONLY the node is a replica"

/* The replicas may take this share of a TTL to confirm. */
#define CONFIRM_SHARE 20

/* The largest numbers of pending replies with which a connection is kept: if replies are waited
 * for, and if they are not. */
#define PENDING_TO_KEEP 4
#define PENDING_TO_KEEP_UNHEARD 1024

/* ---- queueing ---- */

static rl_pending *pending_at(rl_conn *conn, unsigned run)
{
	return &conn->owed[(conn->pending_first + run) & conn->ring_mask];
}

/* Doubles the ring. False = out of memory. */
static bool grow_ring(rl_conn *conn)
{
	unsigned room = 2 * (conn->ring_mask + 1);
	rl_pending *grown = malloc(room * sizeof *grown);
	if (grown == NULL) {
		return false;
	}
	for (unsigned i = 0; i < conn->pending_runs; i++) {
		grown[i] = *pending_at(conn, i);
	}
	if (conn->owed != conn->first_runs) {
		free(conn->owed);
	}
	conn->owed = grown;
	conn->ring_mask = room - 1;
	conn->pending_first = 0;
	return true;
}

/* The run that the next reply of this kind belongs to; NULL = out of memory. */
static rl_pending *pending_run(rl_conn *conn, rl_pending_kind kind, unsigned tag)
{
	if (conn->pending_runs > 0) {
		rl_pending *last = pending_at(conn, conn->pending_runs - 1);
		if (last->kind == kind && last->tag == tag) {
			return last;
		}
	}
	if (conn->pending_runs > conn->ring_mask && !grow_ring(conn)) {
		return NULL;
	}
	rl_pending *run = pending_at(conn, conn->pending_runs++);
	*run = (rl_pending){.kind = kind, .tag = tag};
	return run;
}

/* Queues a command, and notes that its reply is pending.
 * @return the position of its last byte; 0 when it could not be queued */
static uint64_t append(
	rl_conn *conn, unsigned argc, const rl_bytes *argv, rl_pending_kind kind, unsigned tag)
{
	rl_pending *run = pending_run(conn, kind, tag);
	uint64_t last_byte = run == NULL ? 0 : conn->transport->append(conn->link, argc, argv);
	if (last_byte != 0) {
		run->count++;
		conn->pending_count++;
		conn->last_byte = last_byte;
	} else if (run != NULL && run->count == 0) {
		conn->pending_runs--;
	}
	return last_byte;
}

/* The command that was queued last was taken back. */
static void forget_last(rl_conn *conn)
{
	conn->pending_count--;
	conn->pending_runs -= --pending_at(conn, conn->pending_runs - 1)->count == 0;
}

/* The number as text, in room. */
static rl_bytes decimal(uint64_t number, char room[16])
{
	const char *digit = rl_put_digits(room + 16, number);
	return rl_bytes_of(digit, (size_t) (room + 16 - digit));
}

/* ---- dialling ---- */

static bool append_login(rl_conn *conn, rl_pending_kind kind, unsigned argc, const rl_bytes *argv)
{
	conn->logins_pending++;
	return append(conn, argc, argv, kind, 0) != 0;
}

static bool append_auth(rl_conn *conn)
{
	const rl_target *target = conn->target;
	if (target->password.data == NULL) {
		return true;
	}
	rl_bytes password = rl_bytes_of(target->password.data, target->password.len);
	if (target->user == NULL) {
		return append_login(conn, RL_PENDING_LOGIN, 2, (rl_bytes[]){LITERAL("AUTH"), password});
	}
	rl_bytes user = rl_bytes_of(target->user, strlen(target->user));
	return append_login(conn, RL_PENDING_LOGIN, 3, (rl_bytes[]){LITERAL("AUTH"), user, password});
}

static bool append_select(rl_conn *conn)
{
	if (conn->target->database == 0) {
		return true;
	}
	char digits[16];
	rl_bytes number = decimal(conn->target->database, digits);
	return append_login(conn, RL_PENDING_LOGIN, 2, (rl_bytes[]){LITERAL("SELECT"), number});
}

/* A replica may accept writes, with replica-read-only no, and lose them. */
static bool append_role(rl_conn *conn)
{
	rl_bytes role = LITERAL("ROLE");
	return !conn->target->must_be_primary || append_login(conn, RL_PENDING_ROLE, 1, &role);
}

rl_conn *rl_conn_dial(
	rl_transport *transport, rl_target *target, int64_t until, const rl_env *env, rl_error *err)
{
	rl_conn *conn = calloc(1, sizeof *conn);
	if (conn == NULL) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		return NULL;
	}
	conn->transport = transport;
	conn->owed = conn->first_runs;
	conn->ring_mask = RL_CONN_RUNS - 1;
	rl_stats_add(&rl_env_stats(env)->connects, 1);
	conn->link = transport->dial(transport, &target->address, until, err);
	if (conn->link == NULL) {
		free(conn);
		return NULL;
	}
	conn->target = rl_target_ref(target);
	conn->connect_end = until;
	conn->is_nameless = true;
	conn->label = rl_label_or(&target->label, env->label);
	if (!append_auth(conn) || !append_select(conn) || !append_role(conn)) {
		rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
		rl_conn_free(conn);
		return NULL;
	}
	rl_conn_keep(conn);
	return conn;
}

/* CLIENT SETNAME usually follows the first command, because a server that refuses the connection
 * sends an error without being asked, and closes. That error must count as the answer to the
 * command. */
void rl_conn_send_name(rl_conn *conn)
{
	if (conn->is_nameless) {
		conn->is_nameless = false;
		char name[sizeof CLIENT_NAME + RL_LABEL_MAX];
		size_t prefix_len = sizeof CLIENT_NAME - 1;
		const rl_label *label = conn->label;
		memcpy(name, CLIENT_NAME, prefix_len);
		memcpy(name + prefix_len, label->text, label->len);
		rl_bytes full =
			rl_bytes_of(name, label->len > 0 ? prefix_len + label->len : prefix_len - 1);
		rl_bytes argv[] = {LITERAL("CLIENT"), LITERAL("SETNAME"), full};
		/* When out of memory, the connection stays without a name. */
		append(conn, 3, argv, RL_PENDING_NAME, 0);
	}
}

/* ---- sending ---- */

/* Queues the command, after ASKING if the request needs it: ASKING applies to one command only.
 * @return as append() */
static uint64_t append_request(
	rl_conn *conn, const rl_request *request, rl_pending_kind kind, unsigned tag)
{
	rl_command command;
	rl_bytes asking = LITERAL("ASKING");
	uint64_t before = conn->last_byte;
	if (request->is_asking && append(conn, 1, &asking, RL_PENDING_NOBODY, 0) == 0) {
		return 0;
	}
	rl_command_build(&command, request);
	uint64_t last_byte = append(conn, command.argc, command.argv, kind, tag);
	/* ASKING without its command would apply to the next command, whose key the node must not
	 * serve. The kernel has none of it yet, because nothing was flushed. */
	if (request->is_asking && last_byte == 0) {
		(void) conn->transport->retract(conn->link, before);
		conn->last_byte = before;
		forget_last(conn);
	}
	return last_byte;
}

/* Notes that the replicas must confirm the command, and for how long WAIT may wait for them.
 * That is a small part of the TTL at most, so that WAIT ends before the call loses patience with
 * this member, where the set has several. */
static void note_confirmed(rl_conn *conn, const rl_request *request)
{
	int64_t most = conn->target->replicas_ms;
	int64_t share = request->ttl_ms > 0 ? request->ttl_ms / CONFIRM_SHARE : most;
	int64_t ms = share < most ? share : most;
	ms = ms > 0 ? ms : 1; /* WAIT takes 0 for "without end" */
	if (request->place == RL_PLACE_QUEUED) {
		conn->later_ms = ms;
	} else if (conn->confirm_ms == 0 || ms < conn->confirm_ms) {
		conn->confirm_ms = ms;
	}
}

uint64_t rl_conn_send(rl_conn *conn, const rl_request *request, unsigned tag)
{
	bool is_confirmed = conn->target->replicas > 0 && rl_request_is_confirmed(request);
	uint64_t last_byte = append_request(
		conn, request, is_confirmed ? RL_PENDING_CONFIRMED : RL_PENDING_COMMAND, tag);
	if (is_confirmed && last_byte != 0) {
		note_confirmed(conn, request);
	}
	rl_conn_send_name(conn);
	return last_byte;
}

void rl_conn_ask_replicas(rl_conn *conn)
{
	char digits[2][16];
	if (conn->confirm_ms == 0) {
		return;
	}
	rl_bytes argv[] = {LITERAL("WAIT"), decimal((uint64_t) conn->target->replicas, digits[0]),
		decimal((uint64_t) conn->confirm_ms, digits[1])};
	/* When out of memory, the next flush tries again. */
	if (append(conn, 3, argv, RL_PENDING_WAIT, 0) != 0) {
		conn->waits_left = conn->pending_count;
		conn->waited_ms = conn->confirm_ms;
		conn->confirm_ms = 0;
	}
}

void rl_conn_ask_map(rl_conn *conn, rl_route *route, int64_t now)
{
	rl_bytes argv[] = {LITERAL("CLUSTER"), LITERAL("SLOTS")};
	if (!rl_route_wants_map(route, now)) {
		return;
	}
	if (append(conn, 2, argv, RL_PENDING_MAP, 0) == 0) {
		rl_route_want_map(route);
		return;
	}
	rl_route *before = conn->mapped;
	conn->mapped = rl_route_ref(route);
	rl_route_unref(before);
}

uint64_t rl_conn_ask_primary(rl_conn *conn, rl_bytes question, rl_bytes service)
{
	rl_bytes argv[] = {LITERAL("SENTINEL"), question, service};
	uint64_t last_byte = append(conn, 3, argv, RL_PENDING_COMMAND, 0);
	rl_conn_send_name(conn);
	return last_byte;
}

void rl_conn_prod(rl_conn *conn)
{
	uint64_t last_byte = conn->transport->append(conn->link, 0, NULL);
	conn->last_byte = last_byte != 0 ? last_byte : conn->last_byte;
}

bool rl_conn_send_blind(rl_conn *conn, const rl_request *request)
{
	return append_request(conn, request, RL_PENDING_NOBODY, 0) != 0;
}

/* @return as rl_conn_undo() */
static bool send_undo(rl_conn *conn, const rl_request *undo)
{
	bool is_queued = rl_conn_send_blind(conn, undo);
	conn->undo_left = conn->pending_count;
	conn->transport->flush(conn->link);
	return is_queued && conn->transport->sent(conn->link) >= conn->last_byte;
}

bool rl_conn_undo(rl_conn *conn, const rl_request *request)
{
	rl_request undo = rl_request_undo(request);
	return send_undo(conn, &undo);
}

bool rl_conn_swap_back(rl_conn *conn, const rl_request *request)
{
	rl_request back = {.verb = RL_VERB_SWAP,
		.key = request->key,
		.token = request->fresh,
		.fresh = request->token,
		.form = RL_FORM_TEXT,
		.is_asking = request->is_asking};
	return send_undo(conn, &back);
}

void rl_conn_note_own(rl_conn *conn, rl_bytes key, rl_bytes token)
{
	if (conn->pending_count == 0) {
		return; /* the server has read all commands */
	}
	uint64_t lock = rl_conn_lock(key, token);
	bool is_same = conn->own_left == 0 || conn->own_lock == lock;
	conn->own_lock = is_same ? lock : 0;
	conn->own_left = conn->pending_count;
}

/* ---- the answers to the login ---- */

static rl_conn_event_type login_passed(rl_conn *conn)
{
	conn->logins_pending--;
	return conn->logins_pending == 0 ? RL_CONN_READY : RL_CONN_NONE;
}

static rl_conn_event_type login_refused(rl_conn *conn)
{
	if (conn->life != RL_CONN_LIFE_WELL) {
		return RL_CONN_NONE; /* the first error is reported */
	}
	conn->life = RL_CONN_LIFE_REFUSED;
	return RL_CONN_REFUSED;
}

/* What the answer to AUTH or SELECT means: NONE, READY, REFUSED, or DOWN with event->err. */
static rl_conn_event_type auth_answered(rl_conn *conn, rl_conn_event *event)
{
	if (event->reply.type == RL_REPLY_ERROR) {
		return login_refused(conn);
	}
	if (event->reply.type != RL_REPLY_STATUS || !rl_bytes_equal(event->reply.text, LITERAL("OK"))) {
		rl_error_set(&event->err, RL_ERR_PROTOCOL, 0,
			"unexpected answer to AUTH or SELECT: is this a Redis server?");
		return RL_CONN_DOWN;
	}
	return login_passed(conn);
}

/* The user may not run ROLE, or the server does not know ROLE: the node counts as a primary. */
static bool is_without_role(const rl_reply *reply)
{
	rl_error err;
	rl_error_from_server(&err, reply->text, NULL, 0);
	return strcmp(err.code, "NOPERM") == 0 || strstr(err.message, "unknown command") != NULL;
}

/* The same for the answer to ROLE. */
static rl_conn_event_type role_answered(rl_conn *conn, rl_conn_event *event)
{
	rl_reply *reply = &event->reply;
	if (reply->type == RL_REPLY_ERROR) {
		return is_without_role(reply) ? login_passed(conn) : login_refused(conn);
	}
	rl_bytes role = reply->type == RL_REPLY_ARRAY && reply->count > 0 ? reply->elements[0].text
																	  : rl_bytes_of(NULL, 0);
	if (rl_bytes_equal(role, LITERAL("master"))) {
		return login_passed(conn);
	}
	if (rl_bytes_equal(role, LITERAL("slave")) || rl_bytes_equal(role, LITERAL("replica"))) {
		*reply = (rl_reply){.type = RL_REPLY_ERROR, .text = LITERAL(REPLICA_ERROR)};
		return login_refused(conn);
	}
	rl_error_set(
		&event->err, RL_ERR_PROTOCOL, 0, "unexpected answer to ROLE: is this a Redis server?");
	return RL_CONN_DOWN;
}

/* ---- reading ---- */

/* Passes the reply to a command on, or holds it back until the replicas have confirmed. */
static void on_command_answered(rl_conn *conn, rl_conn_event *event, const rl_pending *owed)
{
	bool needs_replicas = owed->kind == RL_PENDING_CONFIRMED;
	bool is_held =
		!rl_held_is_empty(&conn->held) || (needs_replicas && rl_reply_is_yes(&event->reply));
	if (!is_held) {
		event->type = RL_CONN_REPLY;
		event->tag = owed->tag;
	} else if (!rl_held_add(&conn->held, &event->reply, owed->tag, needs_replicas)) {
		rl_error_set(&event->err, RL_ERR_CLOSED, 0, "out of memory");
		event->type = RL_CONN_DOWN;
	} else if (conn->later_ms != 0) {
		conn->confirm_ms = conn->later_ms;
		conn->later_ms = 0;
		rl_conn_ask_replicas(conn);
		conn->transport->flush(conn->link);
	}
}

static void go_down(rl_conn *conn, rl_conn_event *event)
{
	conn->life = RL_CONN_LIFE_BROKEN;
	event->type = RL_CONN_DOWN;
}

/* Takes one pending reply off the queue; RL_CONN_NONE when the reply is discarded. */
static void take_reply(rl_conn *conn, rl_conn_event *event)
{
	if (conn->pending_count == 0) {
		rl_error_set(&event->err, RL_ERR_PROTOCOL, 0,
			"the server sent a reply that belongs to no command: it is not a Redis server, or "
			"another process uses the same connection");
		if (event->reply.type == RL_REPLY_ERROR) {
			rl_error_from_server(&event->err, event->reply.text, NULL, 0);
		}
		go_down(conn, event);
		return;
	}
	rl_pending owed = conn->owed[conn->pending_first];
	conn->heard = RL_CONN_HEARD_SINCE;
	conn->pending_since = 0;
	conn->pending_count--;
	conn->kept_left -= conn->kept_left > 0;
	conn->undo_left -= conn->undo_left > 0;
	conn->own_left -= conn->own_left > 0;
	conn->waits_left -= conn->waits_left > 0;
	if (--conn->owed[conn->pending_first].count == 0) {
		conn->pending_first = (conn->pending_first + 1) & conn->ring_mask;
		conn->pending_runs--;
	}
	event->type = RL_CONN_NONE;
	switch (owed.kind) {
		case RL_PENDING_LOGIN:
			event->type = auth_answered(conn, event);
			break;
		case RL_PENDING_ROLE:
			event->type = role_answered(conn, event);
			break;
		case RL_PENDING_COMMAND:
		case RL_PENDING_CONFIRMED:
			on_command_answered(conn, event, &owed);
			break;
		case RL_PENDING_WAIT:
			rl_held_judge(&conn->held, &event->reply, conn->target->replicas, conn->waited_ms);
			break;
		case RL_PENDING_MAP:
			rl_route_read_map(conn->mapped, &event->reply, conn->target);
			break;
		case RL_PENDING_NAME:
		case RL_PENDING_NOBODY:
			break;
	}
	if (event->type == RL_CONN_DOWN) {
		conn->life = RL_CONN_LIFE_BROKEN;
	}
}

void rl_conn_next(rl_conn *conn, rl_conn_event *event)
{
	event->type = RL_CONN_NONE;
	while (event->type == RL_CONN_NONE) {
		if (!rl_held_is_empty(&conn->held) &&
			rl_held_take(&conn->held, &event->reply, &event->tag)) {
			event->type = RL_CONN_REPLY;
			return;
		}
		switch (conn->transport->receive(conn->link, &event->reply, &event->err)) {
			case RL_LINK_NONE:
				return;
			case RL_LINK_DOWN:
				go_down(conn, event);
				return;
			case RL_LINK_REPLY:
				take_reply(conn, event);
				break;
		}
	}
}

bool rl_conn_is_confirming(const rl_conn *conn)
{
	return !rl_held_is_empty(&conn->held) && conn->pending_runs > 0 &&
		conn->owed[conn->pending_first].kind == RL_PENDING_WAIT;
}

void rl_conn_give_up_replicas(rl_conn *conn)
{
	rl_reply nothing = {.type = RL_REPLY_NIL};
	conn->owed[conn->pending_first].kind = RL_PENDING_NOBODY;
	rl_held_judge(&conn->held, &nothing, conn->target->replicas, conn->waited_ms);
}

/* ---- giving up ---- */

void rl_conn_discard_pending(rl_conn *conn)
{
	if (!rl_held_is_empty(&conn->held)) {
		rl_held_clear(&conn->held);
	}
	conn->confirm_ms = conn->later_ms = 0;
	unsigned kept = 0; /* neighbouring runs that have become alike are joined */
	for (unsigned i = 0; i < conn->pending_runs; i++) {
		rl_pending owed = *pending_at(conn, i);
		if (owed.kind == RL_PENDING_COMMAND || owed.kind == RL_PENDING_CONFIRMED ||
			owed.kind == RL_PENDING_WAIT) {
			owed.kind = RL_PENDING_NOBODY;
			owed.tag = 0;
		}
		rl_pending *last = kept > 0 ? pending_at(conn, kept - 1) : NULL;
		if (last != NULL && last->kind == owed.kind && last->tag == owed.tag) {
			last->count += owed.count;
		} else {
			*pending_at(conn, kept++) = owed;
		}
	}
	conn->pending_runs = kept;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

void rl_conn_keep(rl_conn *conn)
{
	conn->kept_end = conn->last_byte;
	conn->kept_left = conn->pending_count;
}

/* The map will not arrive on this connection: another connection asks for it again. */
static void want_map_again(rl_conn *conn)
{
	for (unsigned i = 0; i < conn->pending_runs; i++) {
		if (pending_at(conn, i)->kind == RL_PENDING_MAP) {
			rl_route_want_map(conn->mapped);
		}
	}
}

/* Forgets all pending replies but the first ones, which are kept. */
static void forget_retracted(rl_conn *conn)
{
	while (conn->pending_count > conn->kept_left) {
		const rl_pending *last = pending_at(conn, conn->pending_runs - 1);
		conn->is_nameless = conn->is_nameless || last->kind == RL_PENDING_NAME;
		forget_last(conn);
	}
	conn->waits_left = smaller(conn->waits_left, conn->kept_left);
	conn->undo_left = smaller(conn->undo_left, conn->kept_left);
	conn->own_left = smaller(conn->own_left, conn->kept_left);
}

bool rl_conn_retract(rl_conn *conn)
{
	if (conn->transport->sent(conn->link) >= conn->last_byte) {
		return true;
	}
	if (!conn->transport->retract(conn->link, conn->kept_end)) {
		return false;
	}
	conn->last_byte = conn->kept_end;
	want_map_again(conn);
	forget_retracted(conn);
	conn->confirm_ms = conn->later_ms = 0;
	return true;
}

/* ---- in the pool ---- */

void rl_conn_note_pending(rl_conn *conn, int64_t now)
{
	bool is_any_due = conn->pending_count > 0 && conn->transport->sent(conn->link) > 0;
	if (!is_any_due || conn->pending_since == 0) {
		conn->pending_since = is_any_due ? now : 0;
	}
}

bool rl_conn_catch_up(rl_conn *conn, int64_t now)
{
	rl_conn_event event;
	uint64_t sent = conn->transport->sent(conn->link);
	conn->transport->take_in(conn->link);
	conn->transport->flush(conn->link);
	do {
		rl_conn_next(conn, &event);
	} while (event.type == RL_CONN_READY);
	/* A server cannot answer what it is sent only now: a login, if no operation has waited for the
	 * connection since it was dialled. */
	if (conn->transport->sent(conn->link) != sent) {
		conn->pending_since = 0;
	}
	rl_conn_note_pending(conn, now);
	return event.type == RL_CONN_NONE;
}

bool rl_conn_is_reusable(const rl_conn *conn)
{
	return conn->life == RL_CONN_LIFE_WELL && conn->logins_pending == 0 &&
		conn->pending_count <= PENDING_TO_KEEP &&
		conn->transport->sent(conn->link) >= conn->last_byte;
}

bool rl_conn_is_worth_keeping(const rl_conn *conn)
{
	uint64_t sent = conn->transport->sent(conn->link);
	return conn->life == RL_CONN_LIFE_WELL && conn->pending_count <= PENDING_TO_KEEP_UNHEARD &&
		(sent >= conn->last_byte || conn->last_byte == conn->kept_end ||
			!conn->transport->is_connected(conn->link));
}

/* ---- the end ---- */

void rl_conn_end(rl_conn *conn)
{
	if (conn->waits_left == 0) {
		conn->life = RL_CONN_LIFE_ENDED;
		conn->transport->end(conn->link);
	}
}

bool rl_conn_is_over(rl_conn *conn)
{
	if (conn->life == RL_CONN_LIFE_ENDED) {
		return conn->transport->is_over(conn->link);
	}
	rl_conn_event event = {.type = RL_CONN_NONE};
	conn->transport->take_in(conn->link);
	do {
		rl_conn_next(conn, &event);
	} while (event.type == RL_CONN_READY);
	if (event.type == RL_CONN_NONE) {
		rl_conn_end(conn);
	}
	return event.type != RL_CONN_NONE;
}

void rl_conn_leave_away(rl_conn *conn)
{
	*conn->away_link = conn->next;
	if (conn->next != NULL) {
		conn->next->away_link = conn->away_link;
	}
	conn->away_link = NULL;
	conn->next = NULL;
}

void rl_conn_free(rl_conn *conn)
{
	if (conn == NULL) {
		return;
	}
	rl_conn_return(conn);
	conn->transport->close(conn->link);
	want_map_again(conn);
	rl_held_clear(&conn->held);
	rl_target_unref(conn->target);
	rl_route_unref(conn->mapped);
	if (conn->owed != conn->first_runs) {
		free(conn->owed);
	}
	free(conn);
}
