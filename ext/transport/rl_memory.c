/* SPDX-License-Identifier: MIT
 *
 * Servers inside the process. The design is in the header.
 */
#include "transport/rl_memory.h"

#include "core/base/rl_time.h"
#include "transport/rl_hiredis.h"
#include "transport/rl_memory_data.h"
#include "transport/rl_memory_reply.h"
#include "transport/rl_os.h"
#include "transport/rl_process.h"
#include "transport/rl_socket.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#define ARGS_MAX RL_COMMAND_ARGS

struct rl_memory_client {
	rl_memory_server *server;
	rl_memory_client *next; /* of the same server */
	rl_fault fault;
	int fd; /* -1 = the server has closed the connection */
	rl_reader *reader;
	rl_buffer out;
	/* NULL = the client is not blocked. */
	rl_memory_lock *blocked_for;
	int64_t blocked_until;
	bool is_woken; /* by another client; commands that were sent meanwhile have not run yet */
};

static struct {
	pthread_mutex_t mutex; /* guards all fields, and all servers and clients */
	sigset_t open_signals; /* of the thread that has the mutex */
	/* The module is shut down: a server goes with its last client. */
	bool is_over;
} memory = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void lock(void)
{
	sigset_t all;
	sigset_t before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_mutex_lock(&memory.mutex) != 0) {
		abort();
	}
	memory.open_signals = before;
}

static void unlock(void)
{
	sigset_t before = memory.open_signals;
	if (pthread_mutex_unlock(&memory.mutex) != 0) {
		abort();
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- clients ---- */

static rl_memory_client *new_client(const rl_address *address)
{
	rl_memory_client *client = calloc(1, sizeof *client);
	rl_reader *reader = rl_reader_new();
	if (client == NULL || reader == NULL) {
		free(client);
		rl_reader_free(reader);
		return NULL;
	}
	*client = (rl_memory_client){
		.fault = address->fault, .fd = -1, .reader = reader, .blocked_until = RL_NEVER};
	return client;
}

static void free_client(rl_memory_client *client)
{
	if (client->fd >= 0) {
		close(client->fd);
	}
	rl_reader_free(client->reader);
	rl_buffer_free(&client->out);
	free(client);
}

/* A client is blocked behind all others: so the list is in order. */
static void enlist(rl_memory_client *client)
{
	client->next = client->server->clients;
	client->server->clients = client;
}

static void delist(rl_memory_client *client)
{
	rl_memory_client **slot = &client->server->clients;
	while (*slot != client) {
		slot = &(*slot)->next;
	}
	*slot = client->next;
}

static void unblock(rl_memory_client *client)
{
	if (client->blocked_for != NULL) {
		client->blocked_for->waiters--;
		client->blocked_for = NULL;
		client->blocked_until = RL_NEVER;
	}
}

/* The server closes the connection. */
static void drop_connection(rl_memory_client *client)
{
	unblock(client);
	if (client->fd >= 0) {
		close(client->fd);
		client->fd = -1;
	}
}

static void reply_to(rl_memory_client *client, const rl_model_reply *reply, rl_bytes key)
{
	if (client->fault == RL_FAULT_LOST_REPLY || !rl_memory_put_reply(&client->out, reply, key)) {
		drop_connection(client);
	}
}

/* Hands the replies to the kernel, all in one call: it counts small writes as large ones. */
static void send_replies(rl_memory_client *client)
{
	rl_bytes bytes = rl_buffer_bytes(&client->out);
	if (client->fd < 0 || bytes.len == 0) {
		return;
	}
	ssize_t taken = rl_socket_send(client->fd, bytes.data, bytes.len);
	if (taken < 0) {
		drop_connection(client);
	} else {
		rl_buffer_take(&client->out, (size_t) taken);
	}
}

/* ---- waiting for a ticket ---- */

static void block(rl_memory_client *client, rl_memory_lock *entry, int64_t block_ms)
{
	client->blocked_for = entry;
	client->blocked_until = block_ms > 0 ? rl_os_now() + block_ms * RL_NS_PER_MS : RL_NEVER;
	entry->waiters++;
	delist(client);
	enlist(client);
}

static rl_memory_client *first_blocked(const rl_memory_server *server, const rl_memory_lock *entry)
{
	rl_memory_client *first = NULL;
	for (rl_memory_client *client = server->clients; client != NULL; client = client->next) {
		first = client->blocked_for == entry ? client : first;
	}
	return first;
}

/* Wakes the client that has been blocked longest. */
static void hand_ticket_out(rl_memory_server *server, rl_memory_lock *entry)
{
	rl_memory_client *client = first_blocked(server, entry);
	if (client != NULL && rl_store_pop(&server->store, &entry->key, rl_memory_now_us())) {
		unblock(client);
		reply_to(client, &(rl_model_reply){.type = RL_SAYS_TICKET},
			rl_bytes_of(entry->name, entry->name_len));
		client->is_woken = true;
	}
}

static void end_block_in_time(rl_memory_client *client)
{
	if (client->blocked_for != NULL && rl_os_now() >= client->blocked_until) {
		unblock(client);
		reply_to(client, &(rl_model_reply){.type = RL_SAYS_NIL}, (rl_bytes){0});
	}
}

/* ---- commands ---- */

/* The locks of a command. */
typedef struct found_locks {
	rl_memory_lock *locks[RL_PERMITS_MAX + 1]; /* the lock, or all its permits, and then the home */
	unsigned count;
} found_locks;

static void let_go(const found_locks *found)
{
	for (unsigned i = 0; i < found->count; i++) {
		found->locks[i]->waiters--;
	}
}

/* A lock that is found stays, as if it had a waiter. False when out of memory. */
static bool find(rl_memory_server *server, rl_bytes name, found_locks *found)
{
	rl_memory_lock *lock = rl_memory_find_lock(server, name);
	if (lock == NULL) {
		return false;
	}
	lock->waiters++;
	found->locks[found->count++] = lock;
	return true;
}

static bool find_all(rl_memory_server *server, const rl_model_command *command, found_locks *found)
{
	bool has_found = find(server, command->name, found);
	for (unsigned i = 1; has_found && i < command->permits; i++) {
		has_found = find(server, command->permit_names[i], found);
	}
	return has_found && find(server, command->home, found);
}

static void run_on_locks(
	rl_memory_client *client, const found_locks *found, const rl_model_command *command)
{
	rl_memory_server *server = client->server;
	rl_memory_lock *home = found->locks[found->count - 1];
	rl_model_reply reply = {.type = RL_SAYS_NIL};
	if (command->what != RL_WORD_BLPOP) {
		rl_store_key *permits[RL_PERMITS_MAX + 1];
		for (unsigned i = 0; i < found->count; i++) {
			permits[i] = &found->locks[i]->key;
		}
		rl_store_keys keys = {.lock = permits[0], .home = &home->key, .permits = permits};
		rl_store_run(&server->store, &keys, command, rl_memory_now_us(), &reply);
	} else if (!rl_store_refuses(&server->store, command, &reply)) {
		if (!rl_store_pop(&server->store, &home->key, rl_memory_now_us())) {
			block(client, home, command->block_ms);
			return;
		}
		reply.type = RL_SAYS_TICKET;
	}
	bool has_ticket =
		command->what != RL_WORD_BLPOP && (server->store.done & RL_STORE_PUT_TICKET) != 0;
	reply_to(client, &reply, command->name);
	if (has_ticket) {
		hand_ticket_out(server, home);
	}
}

/* Answers SCAN with all names at once. */
static void list_locks(rl_memory_client *client, rl_bytes pattern)
{
	rl_buffer names = {0};
	if (client->fault == RL_FAULT_LOST_REPLY || !rl_memory_list(client->server, pattern, &names) ||
		!rl_memory_put_bytes(&client->out, rl_buffer_bytes(&names))) {
		drop_connection(client);
	}
	free(names.data);
}

static void run(rl_memory_client *client, unsigned argc, const rl_bytes *argv)
{
	static const rl_model_reply ok = {.type = RL_SAYS_STATUS};
	static const rl_model_reply unknown = {
		.type = RL_SAYS_ERROR, .error = "ERR a server in memory does not know this command"};
	rl_model_command command;
	if (!rl_words_read(&command, argc, argv)) {
		reply_to(client, &unknown, (rl_bytes){0});
		return;
	}
	if (command.what == RL_WORD_SCRIPT && command.script == RL_SCRIPT_SCAN) {
		list_locks(client, command.pattern);
		return;
	}
	if (command.name.data == NULL) {
		reply_to(client, command.what == RL_WORD_HELLO ? &ok : &unknown, (rl_bytes){0});
		return;
	}
	found_locks found = {.count = 0};
	bool has_found = find_all(client->server, &command, &found);
	if (has_found) {
		client->server->store.denies =
			client->fault == RL_FAULT_READONLY ? RL_DENIES_AS_REPLICA : RL_DENIES_NOTHING;
		run_on_locks(client, &found, &command);
	}
	let_go(&found);
	if (!has_found) {
		drop_connection(client);
	}
}

/* A client sends arrays of strings only. */
static bool read_request(const rl_reply *request, rl_bytes *argv)
{
	bool is_good =
		request->type == RL_REPLY_ARRAY && request->count > 0 && request->count <= ARGS_MAX;
	for (size_t i = 0; is_good && i < request->count; i++) {
		is_good = request->elements[i].type == RL_REPLY_STRING;
		argv[i] = request->elements[i].text;
	}
	return is_good && argv[0].len > 1;
}

/* Runs the commands that were read, up to a BLPOP that blocks. */
static void run_all(rl_memory_client *client)
{
	rl_reply request;
	rl_bytes argv[ARGS_MAX];
	int state = 0;
	while (client->fd >= 0 && client->blocked_for == NULL &&
		(state = rl_reader_next(client->reader, &request)) == 1) {
		if (!read_request(&request, argv)) {
			state = -1;
			break;
		}
		run(client, (unsigned) request.count, argv);
	}
	if (state < 0) {
		drop_connection(client);
	}
}

/* Runs what clients have sent while they were blocked, until no command wakes another client. One
 * after another: each waiter may wake the next, and the stack is a Fiber's. */
static void run_woken(rl_memory_server *server)
{
	rl_memory_client *client = server->clients;
	while (client != NULL) {
		bool was_woken = client->is_woken;
		client->is_woken = false;
		if (was_woken) {
			run_all(client);
		}
		client = was_woken ? server->clients : client->next;
	}
}

/* @return false = the link has ended its sending */
static bool read_all(rl_memory_client *client)
{
	char chunk[16 * 1024];
	ssize_t got;
	while ((got = rl_socket_receive(client->fd, chunk, sizeof chunk, false)) > 0) {
		if (!rl_reader_feed(client->reader, chunk, (size_t) got)) {
			return false;
		}
	}
	return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* As a real server does, the server reads also from a client that is blocked, and when the link
 * ends its sending, the server drops such a client and its commands. */
static void serve(rl_memory_client *client)
{
	if (client->fd < 0 || client->fault == RL_FAULT_TIMEOUT) {
		return;
	}
	bool is_open = read_all(client);
	end_block_in_time(client);
	run_all(client);
	run_woken(client->server);
	for (rl_memory_client *each = client->server->clients; each != NULL; each = each->next) {
		send_replies(each);
	}
	if (!is_open) {
		drop_connection(client);
	}
}

/* ---- for links ---- */

static void fail(rl_error *err, rl_status status, int code, const char *what)
{
	char text[128];
	rl_error_set(err, status, code, "cannot connect: %s%s",
		code != 0 ? rl_os_error_text(code, text, sizeof text) : "", what);
}

/* The server, or NULL with err. */
static rl_memory_server *admit(const rl_address *address, rl_error *err)
{
	if (address->fault == RL_FAULT_REFUSED) {
		fail(err, RL_ERR_CONNECT, ECONNREFUSED, " (fail=refused)");
		return NULL;
	}
	rl_memory_server *server = rl_memory_find_server(address->host);
	if (server == NULL) {
		server = rl_memory_add_server(address->host, rl_process_fork_generation());
		if (server == NULL) {
			fail(err, RL_ERR_MEMORY, ENOMEM, "");
		}
		return server;
	}
	if (server->fork_generation != rl_process_fork_generation()) {
		fail(err, RL_ERR_CONNECT, 0,
			"this server in memory belongs to the parent process; use a name of its own in a "
			"forked child");
		return NULL;
	}
	return server;
}

rl_memory_client *rl_memory_connect(const rl_address *address, int *fd, rl_error *err)
{
	*fd = -1;
	rl_memory_client *client = new_client(address);
	if (client == NULL) {
		fail(err, RL_ERR_MEMORY, ENOMEM, "");
		return NULL;
	}
	lock();
	client->server = admit(address, err);
	if (client->server == NULL || rl_socket_pair(fd, &client->fd, err) != RL_CONNECTING_DONE) {
		free_client(client);
		client = NULL;
	} else {
		enlist(client);
	}
	unlock();
	return client;
}

void rl_memory_serve(rl_memory_client *client)
{
	lock();
	serve(client);
	unlock();
}

int64_t rl_memory_wake_at(const rl_memory_client *client)
{
	lock();
	bool has_more = client->fd >= 0 && !rl_buffer_is_empty(&client->out);
	int64_t at = has_more ? 0 : client->blocked_until;
	unlock();
	return at;
}

/* The other end of the socket of a client from before a fork belongs to the parent, too. */
void rl_memory_hang_up(rl_memory_client *client)
{
	lock();
	if (client->server->fork_generation == rl_process_fork_generation()) {
		serve(client);
	}
	drop_connection(client);
	delist(client);
	free_client(client);
	if (memory.is_over) {
		rl_memory_free_unused_servers();
	}
	unlock();
}

void rl_memory_flush(void)
{
	lock();
	rl_memory_empty_servers(rl_process_fork_generation());
	unlock();
}

/* ---- the life of the module ---- */

static void watch_forks(void)
{
	pthread_atfork(lock, unlock, unlock);
}

void rl_memory_set_up(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, watch_forks);
	memory.is_over = false;
}

void rl_memory_tear_down(void)
{
	lock();
	memory.is_over = true;
	rl_memory_free_unused_servers();
	unlock();
}
