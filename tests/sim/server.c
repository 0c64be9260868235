/* SPDX-License-Identifier: MIT
 *
 * Servers. The design is in the header.
 */
#include "server.h"

#include "client.h"
#include "cluster.h"
#include "cover.h"
#include "judge.h"
#include "sentinel.h"
#include "undone.h"
#include "votes.h"

#include <string.h>

#define TICK_NS \
 (100 * MS) /* an idle server ends a BLPOP that is over at its next tick, ten times a second */
#define COPY_NS (2 * MS)     /* a replica confirms within this time */
#define CLOSE_NS (100 * US)  /* between clocks that are nearly the same */
#define NO_KEY UINT8_MAX     /* the key of a connection that blocks in WAIT */
#define RESUME_NS (200 * US) /* an unblocked client goes on after this time, at most */

sim_server servers[PLAN_SERVERS];

void server_begin(void)
{
	for (unsigned i = 0; i < plan.servers; i++) {
		sim_server *s = &servers[i];
		s->index = (uint8_t) i;
		s->member = plan.member_of[i];
		s->is_up = s->member >= plan.dead;
		s->is_machine_down = s->loses_data = false;
		s->clock = (clock_of){.offset = between(1000000, 2000000) * SECOND + between(0, SECOND),
			.rate = 1 + plan.drift_bound * ((double) between(-1000, 1000) / 1000)};
		if (plan.fencing == FENCING_CLOSE) {
			s->clock.offset = servers[0].clock.offset + i * CLOSE_NS;
		}
		s->back_at = s->loading_until = s->stalled_until = s->calm_since = 0;
		s->replica_until = s->memory_until = s->uncopied_until = s->full_until = 0;
		s->lag_until = 0;
		s->reign = 0;
		s->blocked_count = s->stalled_count = 0;
		store_clear(&s->store);
		s->store.state.known = one_in(2) ? ~0U : 0;
		s->copied = s->store;
		s->writes = s->copied_writes = 0;
		if (!s->is_up) {
			COVER(dead);
		}
	}
}

int64_t server_us(const sim_server *s)
{
	return clock_at(&s->clock, world.now) / 1000;
}

bool server_holds(sim_server *s, unsigned key, uint64_t token)
{
	const rl_store_key *k = &s->store.keys[key];
	return k->exists && k->value.mark == token && server_us(s) / 1000 <= k->expires_ms;
}

void server_plan_expiry(sim_server *s, unsigned key)
{
	const rl_store_key *k = &s->store.keys[key];
	if (k->exists) {
		world_plan(EVENT_EXPIRY, clock_when(&s->clock, (k->expires_ms + 1) * MS), s->index, 0, key);
	}
}

/* ---- blocking ---- */

static void block(sim_server *s, rl_link *link, const rl_model_command *c)
{
	if (s->blocked_count == SERVER_BLOCKED) {
		world_violate("too many block at s%u", (unsigned) s->index);
		return;
	}
	s->blocked[s->blocked_count++] = link;
	link->is_blocked = true;
	link->blocked_key = c->key;
	link->blocked_at = world.now;
	link->blocked_number++;
	client_is_queued(link);
	if (c->block_ms > 0) {
		int64_t until = (server_us(s) / 1000 + c->block_ms) * MS;
		int64_t late = one_in(2) ? 0 : between(0, TICK_NS);
		world_plan(EVENT_BLOCK_END, clock_when(&s->clock, until) + late, link->index, link->life,
			link->blocked_number);
	}
}

/* Blocks a connection in WAIT. */
static void block_for_copy(sim_server *s, rl_link *link, const rl_model_command *c)
{
	if (s->blocked_count == SERVER_BLOCKED) {
		world_violate("too many block at s%u", (unsigned) s->index);
		return;
	}
	s->blocked[s->blocked_count++] = link;
	link->is_blocked = true;
	link->blocked_key = NO_KEY;
	link->blocked_at = world.now;
	link->blocked_number++;
	bool is_vain =
		s->lag_until > world.now || (plan_is_sentinel(s->member) && !sentinel_can_confirm(s));
	int64_t end = is_vain ? c->block_ms * MS + between(0, TICK_NS) : between(20 * US, COPY_NS);
	world_plan(EVENT_BLOCK_END, world.now + end, link->index, link->life, link->blocked_number);
}

static void unblock(sim_server *s, rl_link *link);

/* Call when a connection ends on which a command blocks, BLPOP or WAIT: drops this command. The
 * caller drops the commands behind it. */
static void drop_blocked(sim_server *s, rl_link *link)
{
	if (link->blocked_key != NO_KEY) {
		COVER(blpop_dropped);
		client_is_out(link);
	} else {
		COVER(wait_dropped);
	}
	unblock(s, link);
}

static void unblock(sim_server *s, rl_link *link)
{
	for (unsigned i = 0; i < s->blocked_count; i++) {
		if (s->blocked[i] == link) {
			s->blocked_count--;
			memmove(s->blocked + i, s->blocked + i + 1, (s->blocked_count - i) * sizeof(rl_link *));
			break;
		}
	}
	link->is_blocked = false;
}

/* Sends the answer to the blocked command. The commands after it run in a moment. */
static void resume_with(sim_server *s, rl_link *link, const rl_model_reply *answer)
{
	unblock(s, link);
	link->is_resuming = true;
	*net_next_reply(link) = *answer;
	world_plan(EVENT_UNBLOCKED, world.now + between(0, RESUME_NS), link->index, link->life, 0);
	net_say(link);
}

static void resume(sim_server *s, rl_link *link, rl_says answer, int64_t number)
{
	bool is_waiting = link->blocked_key == NO_KEY;
	rl_model_reply r = {.type = is_waiting && answer == RL_SAYS_NIL ? RL_SAYS_NUMBER : answer,
		.number = {number},
		.error = "UNBLOCKED client unblocked via CLIENT UNBLOCK"};
	resume_with(s, link, &r);
}

void server_send_away(sim_server *s, rl_link *link, const rl_model_reply *answer)
{
	char said[64];
	TRACE("s%u ends the BLPOP of link %u of c%u: %s", (unsigned) s->index, link->index,
		(unsigned) link->client, words_say_reply(answer, said, sizeof said));
	client_is_out(link);
	resume_with(s, link, answer);
}

/* Answers a WAIT that the replica has confirmed, or whose time is over. */
static void end_wait(sim_server *s, rl_link *link)
{
	bool has_sentinels = plan_is_sentinel(s->member);
	bool is_copied = s->lag_until <= world.now && s->uncopied_until <= world.now &&
		(!has_sentinels || sentinel_can_confirm(s));
	if (is_copied && has_sentinels) {
		COVER(confirmed);
		sentinel_confirm(s);
	} else if (is_copied) {
		COVER(confirmed);
		s->copied = s->store;
		s->copied_writes = s->writes;
	} else {
		COVER(unconfirmed);
	}
	resume(s, link, RL_SAYS_NUMBER, is_copied);
}

void server_serve(sim_server *s, unsigned key)
{
	for (unsigned i = 0; i < s->blocked_count; i++) {
		rl_link *link = s->blocked[i];
		if (link->blocked_key == key && store_pop(&s->store, key, server_us(s))) {
			COVER(ticket_taken);
			TRACE("s%u wakes link %u of c%u", (unsigned) s->index, link->index,
				(unsigned) link->client);
			resume(s, link, RL_SAYS_TICKET, 0);
			return;
		}
	}
	COVER(ticket_lies);
}

/* ---- commands ---- */

static bool is_refused(const sim_server *s, const rl_model_command *c, rl_model_reply *r)
{
	if (c->what == RL_WORD_HELLO) {
		return false;
	}
	if (s->loading_until > world.now) {
		r->type = RL_SAYS_ERROR;
		r->error = "LOADING Redis is loading the dataset in memory";
		COVER(loading);
		return true;
	}
	if (plan.is_forbidden && rl_words_has_helpers(c)) {
		r->type = RL_SAYS_ERROR;
		r->error = "NOPERM No permissions to access a key";
		COVER(noperm);
		return true;
	}
	return false;
}

static rl_store_denial denial_of(const sim_server *s, const rl_link *link)
{
	if (link->reign != s->reign) {
		COVER(demoted);
		return RL_DENIES_AS_REPLICA;
	}
	if (s->replica_until > world.now) {
		return s->is_stale ? RL_DENIES_ALL : RL_DENIES_AS_REPLICA;
	}
	if (plan.has_sentinels && sentinel_refuses_writes(s)) {
		return RL_DENIES_AS_REPLICA;
	}
	if (s->uncopied_until > world.now) {
		return RL_DENIES_UNCOPIED;
	}
	return s->memory_until > world.now ? RL_DENIES_MEMORY : RL_DENIES_NOTHING;
}

static bool says(const rl_model_reply *r, const char *word)
{
	return strncmp(r->error, word, strlen(word)) == 0;
}

static void count_error(const rl_link *link, const rl_model_command *c, const rl_model_reply *r)
{
	if (says(r, "OOM")) {
		COVER(oom);
		client_is_told_oom(link, c);
	} else if (says(r, "NOREPLICAS")) {
		COVER(noreplicas);
	} else if (says(r, "READONLY")) {
		COVER(readonly);
	} else if (says(r, "MASTERDOWN")) {
		COVER(masterdown);
	}
}

/* The command may have changed any key that it names. */
static void note_changes(sim_server *s, const rl_model_command *c)
{
	unsigned count = c->permits > 0 ? c->permits : 1;
	for (unsigned i = 0; i < count; i++) {
		unsigned key = c->permits > 0 ? c->permit_key[i] : c->key;
		server_plan_expiry(s, key);
		judge_key_changed(key);
	}
}

/* The two servers of a switch know different scripts. */
static void exchange_scripts(sim_server *s, const rl_link *link)
{
	if (link->reign != s->reign) {
		unsigned known = s->store.state.known;
		s->store.state.known = s->demoted_known;
		s->demoted_known = known;
	}
}

static void trace_run(
	const sim_server *s, const rl_link *link, const rl_model_command *c, const rl_model_reply *r)
{
	char said[128];
	char answer[64];
	world_say("s%u runs link %u of c%u%s%s: %s -> %s", (unsigned) s->index, link->index,
		(unsigned) link->client, link->is_watch ? "w" : "", link->is_open ? "" : " (closed)",
		words_say(c, said, sizeof said),
		r == NULL ? "blocks" : words_say_reply(r, answer, sizeof answer));
}

static void look_at_watch(
	const sim_server *s, const rl_link *link, const rl_model_command *c, const rl_model_reply *r)
{
	if (!link->is_watch) {
		return;
	}
	bool is_renewal = c->what == RL_WORD_SCRIPT && c->script == RL_SCRIPT_RENEW;
	if ((s->store.state.done & RL_STORE_CHANGED) != 0 && (c->what == RL_WORD_SET || is_renewal)) {
		int64_t end = s->store.keys[c->key].expires_ms * MS;
		judge_renewed(link->client, c->token.mark, clock_when(&s->clock, end), c->written_at);
	}
	if (c->what == RL_WORD_SET && r->type == RL_SAYS_STATUS) {
		COVER(put_back);
	} else if (is_renewal && r->type == RL_SAYS_NUMBER && r->number[0] == 1 &&
		!client_claims(link->client, c->token.mark)) {
		COVER(late_renewal);
	}
}

static void note_write(sim_server *s, rl_link *link, unsigned key)
{
	link->wrote = ++s->writes;
	if (plan.has_sentinels) {
		sentinel_wrote(s, key);
	}
}

static void run_one(sim_server *s, rl_link *link)
{
	rl_model_reply *r = net_next_reply(link); /* comes first, because it may move the commands */
	const rl_model_command *c = net_next_command(link);
	s->store.state.denies = denial_of(s, link);
	if (is_refused(s, c, r) || (plan.has_clusters && cluster_answers(s, link, c, r)) ||
		(plan.has_sentinels && sentinel_answers(s, c, r)) || store_refuses(&s->store, c, r)) {
		/* the reply is there */
	} else if (c->what == RL_WORD_WAIT && s->store.state.denies >= RL_DENIES_AS_REPLICA) {
		r->type = RL_SAYS_ERROR;
		r->error = "ERR WAIT cannot be used with replica instances.";
	} else if (c->what == RL_WORD_WAIT && link->wrote <= s->copied_writes) {
		r->type = RL_SAYS_NUMBER;
		r->number[0] = 1;
	} else if (c->what == RL_WORD_WAIT) {
		link->said--;
		block_for_copy(s, link, c);
		r = NULL;
	} else if (c->what == RL_WORD_BLPOP) {
		if (store_pop(&s->store, c->key, server_us(s))) {
			r->type = RL_SAYS_TICKET;
			COVER(ticket_taken);
		} else {
			link->said--;
			block(s, link, c);
			r = NULL;
		}
	} else {
		exchange_scripts(s, link);
		store_run(&s->store, c, server_us(s), r);
		exchange_scripts(s, link);
		if ((s->store.state.done & (RL_STORE_WROTE | RL_STORE_CHANGED)) != 0) {
			note_write(s, link, c->key);
		}
		look_at_watch(s, link, c, r);
		judge_mark(s->index, c, r);
		if (r->type == RL_SAYS_ERROR && strncmp(r->error, "NOSCRIPT", 8) == 0) {
			judge_sent_back(link->client);
		}
		if ((s->store.state.done & RL_STORE_CHANGED) != 0) {
			note_changes(s, c);
			votes_note_run(s, link, c);
			if (c->what == RL_WORD_SCRIPT && c->script == RL_SCRIPT_SWAP) {
				undone_note_swap(s, link, c);
			}
		}
		if ((s->store.state.done & RL_STORE_PUT_TICKET) != 0) {
			server_serve(s, c->home_key);
		}
	}
	if (r != NULL && r->type == RL_SAYS_ERROR) {
		count_error(link, c, r);
	}
	if (world.is_tracing) {
		trace_run(s, link, c, r);
	}
}

static void see_end(sim_server *s, rl_link *link)
{
	if (link->is_blocked) {
		drop_blocked(s, link);
	}
	TRACE("s%u sees the end of link %u of c%u", (unsigned) s->index, link->index,
		(unsigned) link->client);
	link->run = link->delivered;
	net_hang_up(link, 0, net_delay());
}

void server_read(rl_link *link)
{
	sim_server *s = &servers[link->server];
	if (s->stalled_until > world.now) {
		if (!link->is_stalled) {
			link->is_stalled = true;
			s->stalled[s->stalled_count++] = link;
		}
		return;
	}
	uint32_t before = link->said;
	/* An unblocked connection goes on before its end is seen, unless the server finds both in one
	 * look. It does not, if the client has the answer already: the server goes on before it sends
	 * answers. */
	bool is_answered = link->arrived == link->said;
	link->is_resuming =
		link->is_resuming && !(link->is_eof && (is_answered || plan_is_calm() || !one_in(8)));
	while (!link->is_blocked && !link->is_resuming && link->run < link->delivered) {
		run_one(s, link);
	}
	if (link->said != before) {
		net_say(link);
	}
	if (link->is_eof) {
		see_end(s, link);
	}
}

bool server_accept(rl_link *link)
{
	const sim_server *s = &servers[link->server];
	link->is_served = s->is_up;
	if (!plan.has_names) {
		link->reign = s->reign;
	}
	return link->is_served;
}

bool server_is_full(const rl_link *link)
{
	const sim_server *s = &servers[link->server];
	return s->full_until > world.now && link->reign == s->reign;
}

/* ---- troubles ---- */

static void disturb(sim_server *s, int64_t until)
{
	s->calm_since = until > s->calm_since ? until : s->calm_since;
}

static void hang_up_all(sim_server *s, bool is_machine, int64_t away)
{
	s->blocked_count = 0;
	s->stalled_count = 0;
	for (unsigned i = 0;; i++) {
		rl_link *link = net_link_at(i);
		if (link == NULL) {
			return;
		}
		if (link->is_served && link->server == s->index) {
			link->is_blocked = link->is_stalled = link->is_resuming = false;
			int code = is_machine || one_in(2) ? 104 : 0;
			link->is_served = false;
			net_hang_up(link, code, is_machine ? away + net_delay() : net_delay());
		}
	}
}

void server_crash(sim_server *s, bool is_machine, bool loses_data, int64_t away)
{
	if (!s->is_up) {
		return; /* the server is down already */
	}
	TRACE("s%u crashes%s%s", (unsigned) s->index, is_machine ? " with its machine" : "",
		loses_data ? " and loses its data" : "");
	s->is_up = false;
	s->is_machine_down = is_machine;
	s->loses_data = loses_data;
	s->stalled_until = 0;
	s->back_at = world.now + away;
	disturb(s, s->back_at);
	hang_up_all(s, is_machine, away);
	world_plan(EVENT_RESTART, s->back_at, s->index, 0, 0);
}

static void restart(sim_server *s)
{
	COVER(restart);
	TRACE("s%u is back", (unsigned) s->index);
	s->is_up = true;
	if (s->loses_data) {
		if (plan.replicas == 0 || plan_is_sentinel(s->member)) {
			store_clear(&s->store);
		} else if (one_in(2)) {
			s->store = s->copied;
		}
		for (unsigned key = 0; key < plan.keys; key++) {
			judge_key_changed(key);
			server_plan_expiry(s, key);
		}
	}
	s->store.state.known = 0;
	if (one_in(3)) {
		s->loading_until = world.now + spread(MS, 200 * MS);
		disturb(s, s->loading_until);
	}
	if (plan_is_sentinel(s->member)) {
		sentinel_restarted(s);
	}
}

void server_stall(sim_server *s, int64_t until)
{
	if (s->is_up && s->stalled_until <= world.now) {
		COVER(stall);
		TRACE("s%u is slow until %.3f ms", (unsigned) s->index, (double) until / 1e6);
		s->stalled_until = until;
		disturb(s, until);
		world_plan(EVENT_AWAKE, until, s->index, 0, 0);
	}
}

static void awake(sim_server *s)
{
	while (s->stalled_count > 0 && s->stalled_until <= world.now) {
		unsigned i = any(s->stalled_count);
		rl_link *link = s->stalled[i];
		s->stalled[i] = s->stalled[--s->stalled_count];
		link->is_stalled = false;
		bool was_full = link->acked < link->sent;
		link->acked = link->sent;
		if (link->is_served) {
			server_read(link);
		}
		if (was_full && link->is_open) {
			client_hear(link);
		}
	}
}

/* The server's end of the connection is gone, and so are the commands that it has not run. */
static void drop(sim_server *s, rl_link *link, int sys_errno)
{
	if (link->is_blocked) {
		drop_blocked(s, link);
	}
	for (unsigned i = 0; i < s->stalled_count; i++) {
		if (s->stalled[i] == link) {
			s->stalled[i--] = s->stalled[--s->stalled_count];
		}
	}
	net_note_trouble(link);
	link->run = link->delivered;
	link->is_stalled = link->is_resuming = link->is_served = false;
	net_hang_up(link, sys_errno, net_delay());
}

void server_send_all_away(sim_server *s)
{
	while (s->blocked_count > 0) {
		rl_link *link = s->blocked[0];
		COVER(sent_away);
		rl_model_reply *r = net_next_reply(link);
		r->type = RL_SAYS_ERROR;
		r->error = "UNBLOCKED force unblock from blocking operation, instance state changed";
		net_say(link);
		drop(s, link, 0);
	}
}

void server_hang_up_all(sim_server *s)
{
	server_send_all_away(s);
	hang_up_all(s, false, 0);
	s->store.state.known = 0;
	disturb(s, world.now);
}

void server_be_replica(sim_server *s, int64_t until)
{
	if (s->is_up && s->replica_until <= world.now) {
		COVER(replica);
		TRACE("s%u is a replica until %.3f ms", (unsigned) s->index, (double) until / 1e6);
		s->replica_until = until;
		s->is_stale = one_in(4);
		disturb(s, until);
		server_send_all_away(s);
	}
}

void server_switch(sim_server *s)
{
	if (s->is_up && s->replica_until <= world.now) {
		COVER(role_switch);
		TRACE("s%u: another server is the primary", (unsigned) s->index);
		s->reign++;
		s->demoted_known = s->store.state.known;
		s->store.state.known = 0;
		s->memory_until = s->uncopied_until = s->full_until = 0;
		disturb(s, world.now);
		server_send_all_away(s);
	}
}

void server_run_out_of_memory(sim_server *s, int64_t until)
{
	COVER(out_of_memory);
	TRACE("s%u is out of memory until %.3f ms", (unsigned) s->index, (double) until / 1e6);
	s->memory_until = until;
	disturb(s, until);
}

void server_lose_replicas(sim_server *s, int64_t until)
{
	COVER(uncopied);
	TRACE("s%u has no replicas until %.3f ms", (unsigned) s->index, (double) until / 1e6);
	s->uncopied_until = until;
	disturb(s, until);
}

void server_be_full(sim_server *s, int64_t until)
{
	COVER(full);
	TRACE("s%u takes no clients until %.3f ms", (unsigned) s->index, (double) until / 1e6);
	s->full_until = until;
	disturb(s, until);
}

void server_lag(sim_server *s, int64_t until)
{
	if (plan.replicas > 0) {
		COVER(lag);
		TRACE("the replica of s%u lags until %.3f ms", (unsigned) s->index, (double) until / 1e6);
		s->lag_until = until;
		disturb(s, until);
	}
}

void server_kill(rl_link *link)
{
	sim_server *s = &servers[link->server];
	if (s->stalled_until <= world.now) {
		COVER(killed);
		TRACE(
			"s%u closes link %u of c%u", (unsigned) s->index, link->index, (unsigned) link->client);
		drop(s, link, one_in(2) ? 104 : 0);
	}
}

void server_unblock_any(sim_server *s)
{
	if (s->blocked_count > 0 && s->stalled_until <= world.now) {
		rl_link *link = s->blocked[any(s->blocked_count)];
		COVER(unblocked);
		TRACE("s%u unblocks link %u of c%u", (unsigned) s->index, link->index,
			(unsigned) link->client);
		if (link->blocked_key != NO_KEY) {
			client_is_out(link);
		}
		resume(s, link, one_in(2) ? RL_SAYS_NIL : RL_SAYS_ERROR, 0);
	}
}

void server_forget_scripts(sim_server *s)
{
	COVER(scripts_lost);
	TRACE("s%u forgets its scripts", (unsigned) s->index);
	s->store.state.known = 0;
}

void server_jump(sim_server *s, int64_t by)
{
	TRACE("the clock of s%u jumps by %.3f ms", (unsigned) s->index, (double) by / 1e6);
	s->clock.offset += by;
	for (unsigned key = 0; key < plan.keys; key++) {
		server_plan_expiry(s, key);
	}
}

void server_copy(sim_server *to, const store *data, const sim_server *from)
{
	unsigned known = to->store.state.known;
	int64_t ahead_ms = server_us(to) / 1000 - server_us(from) / 1000;
	to->store = *data;
	to->store.state.known = known;
	for (unsigned key = 0; key < WORDS_KEYS; key++) {
		rl_store_key *k = &to->store.keys[key];
		k->expires_ms += ahead_ms;
		k->marks_expire_ms += ahead_ms;
		k->tickets_expire_ms += ahead_ms;
	}
	to->copied = to->store;
	to->writes = to->copied_writes = 0;
}

/* ---- events ---- */

static void on_expiry(sim_server *s, unsigned key)
{
	const rl_store_key *k = &s->store.keys[key];
	if (!k->exists || server_us(s) / 1000 <= k->expires_ms) {
		world_uncount();
		return;
	}
	TRACE("k%u expires at s%u", key, (unsigned) s->index);
	if (!rl_store_is_reservation(&k->value)) {
		judge_key_expired(key);
	}
	store_expire(&s->store, key, server_us(s));
	judge_key_changed(key);
}

static void on_link_event(const event *e)
{
	rl_link *link = net_link(e->what, e->life);
	if (link == NULL || !link->is_served) {
		return;
	}
	if (e->kind == EVENT_UNBLOCKED) {
		link->is_resuming = false;
		server_read(link);
	} else if (link->is_blocked && link->blocked_number == e->until) {
		sim_server *s = &servers[link->server];
		if (s->stalled_until > world.now) {
			world_plan(EVENT_BLOCK_END, s->stalled_until, link->index, link->life, e->until);
			return;
		}
		if (link->blocked_key == NO_KEY) {
			end_wait(s, link);
			return;
		}
		COVER(blpop_timeout);
		client_is_out(link);
		resume(s, link, RL_SAYS_NIL, 0);
	}
}

void server_on_event(const event *e)
{
	switch (e->kind) {
		case EVENT_EXPIRY:
			on_expiry(&servers[e->what], e->until);
			break;
		case EVENT_RESTART:
			restart(&servers[e->what]);
			break;
		case EVENT_AWAKE:
			awake(&servers[e->what]);
			break;
		default: /* EVENT_UNBLOCKED, EVENT_BLOCK_END */
			on_link_event(e);
			break;
	}
}
