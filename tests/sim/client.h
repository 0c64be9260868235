/* SPDX-License-Identifier: MIT
 *
 * A client: a process with core in it. PHP's thread runs one operation after the other, and the
 * watchdog keeps leases alive beside it. Both have their own connections.
 *
 * DESIGN
 *
 * A client is two actors. Each is stepped when its timer is due or a link that it waits for has an
 * event, as transport/rl_driver.c and transport/rl_watchdog.c do with poll. A client treats
 * operations and leases as ext/php does, call for call: prepare, acquire, begin; expect, extend,
 * confirm; leave, release, end.
 *
 * Each lock of a client is a lease, also a lock of which PHP would have a mere token: the same rule
 * proves both. A token may also be given away, and be released or taken over by any client.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "core/lock/rl_releases.h"
#include "core/lock/rl_acquire.h"
#include "core/lock/rl_plain.h"
#include "core/lease/rl_late.h"
#include "judge.h"
#include "network.h"
#include "plan.h"

#define CLIENT_HOLDINGS 3

typedef struct holding {
	rl_lease *lease;     /* owned; NULL = the place is free */
	rl_renewal *renewal; /* owned; NULL = the lease is not renewed */
	judge_claim claim;
	uint8_t key;
	int64_t fence;  /* the fencing number; 0 = it was not asked for yet */
	bool is_token;  /* PHP has a token, not a lease */
	bool is_own;    /* a caller's token, of any form */
	bool is_once;   /* a run of work that is to be done once */
	bool is_part;   /* one of several keys, of which the client has not got all yet */
	bool was_lost;  /* the loss has been counted */
	int64_t end_at; /* in true time */
} holding;

typedef enum act {
	ACT_NOTHING,
	ACT_TAKE,
	ACT_RELEASE,
	ACT_EXTEND,
	ACT_FAREWELL,
	ACT_RESUME,
	ACT_RELEASE_LOOSE,
	ACT_FENCE,
} act;

/* A thread of a client that is stepped. */
typedef struct actor {
	int64_t wake_at;
	int64_t timer_at; /* the planned event; RL_NEVER = none */
	int64_t frozen_until;
	int64_t frozen_at; /* RL_NEVER = not frozen since its last step */
} actor;

/* The knowledge of a process about the name of a server. */
typedef struct sim_name {
	uint32_t reign; /* which server the name leads to */
	int64_t asked_at;
	bool is_in_doubt;
} sim_name;

typedef struct sim_client {
	uint8_t index;
	bool is_alive;
	bool is_closing; /* the client begins no further act */
	bool is_waiter;  /* the operation waits for a lock */
	bool is_once;    /* for TAKE: the work is to be done once */
	bool wakes;
	uint32_t life;
	uint32_t step;
	clock_of clock;
	actor script;
	actor dog;
	int64_t dog_calm_at; /* the watchdog stood still until then */
	sim_name names[PLAN_SERVERS];
	net script_net;
	net dog_net;
	rl_env env;
	rl_stats stats;
	rl_stats_home stats_home;
	rl_set set;
	rl_pool pool;
	rl_renewer renewer;
	holding holdings[CLIENT_HOLDINGS];
	/* The operation under way. */
	act act;
	rl_op *op; /* owned; NULL = none */
	holding *subject;
	/* ACT_FAREWELL: what is released, the subject first. */
	holding *leaving[CLIENT_HOLDINGS];
	rl_lease *leaving_leases[CLIENT_HOLDINGS];
	unsigned leaving_count;
	int64_t ttl_ns;
	int64_t wait_ns;
	int64_t max_hold_ns;
	int64_t begun_at; /* in true time, as are the next fields */
	int64_t abandon_at;
	int64_t queued_at;        /* when its place blocked at the server; RL_NEVER = no place does */
	const rl_link *queued_on; /* the link of that place */
	bool was_queued;          /* the operation has had a place at least once */
	int64_t oom_at;          /* when the only server answered OOM, in true time; RL_NEVER = never */
	int64_t paused_ns;       /* how long the client stood still */
	uint64_t token;          /* for TAKE: the first token */
	judge_fence fence_asked; /* for FENCE */
	uint8_t wanted;          /* a bit for each of several keys that the client is still to take */
	int64_t wanted_until;    /* the end of the wait for them, by the client's clock */
	unsigned spins;
	/* The latest caller's token of our form. The client may use it again. */
	bool has_given;
	bool is_again; /* for TAKE: the client has used the token before */
	char given[RL_TOKEN_LEN];
} sim_client;

extern sim_client clients[PLAN_CLIENTS];

void client_begin(void);
void client_end(void);

/* All clients begin nothing more, and end what they have. */
void client_close_all(void);
bool client_all_are_over(void);

/* Reads the clock of the client's process. */
int64_t client_now(const sim_client *c);

/* An event has arrived on the client's link. */
void client_hear(rl_link *link);

/* The BLPOP of the link blocks at the server. */
void client_is_queued(rl_link *link);

/* The server has no memory for the command. */
void client_is_told_oom(const rl_link *link, const rl_model_command *what);

/* The BLPOP of the link is over. A fast server's clock may end it before the wait. */
void client_is_out(rl_link *link);

/* The server at that name is the wrong one.
 * @return true = the name will be resolved again */
bool client_doubts(unsigned index, unsigned server);

/* The client can prove that it holds by the token. */
bool client_claims(unsigned index, uint64_t token);

void client_pause(sim_client *c, bool is_script_only, int64_t until);
void client_crash(sim_client *c);

/* Resolves the names that are in doubt, once a second each. */
void client_resolve(sim_client *c);

void client_on_event(const event *e);

#endif
