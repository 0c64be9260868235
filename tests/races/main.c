/* SPDX-License-Identifier: MIT
 *
 * Threads that keep leases by the one watchdog of a process, on a real server that is killed,
 * stopped and restarted under them. scripts/races compiles it with the thread sanitizer, or runs it
 * under helgrind.
 *
 * usage: main SERVER CONFIG SOCKET DSN SECONDS SCALE
 *
 * DESIGN
 *
 *     main.c    the trouble, and the judgement: prints a line for each check
 *     worker.c  a thread that takes leases, looks at them, and lets them go; fork.c: forks under it
 *     hand.c    what such a thread has, and the calls that PHP's glue makes
 *     server.c  the private server; crew.h: what the threads share
 *
 * SCALE is that of all times in percent: under helgrind all is slow. A lease may be lost when a
 * stranger has taken it away, or while the server or this machine stood still, which is measured
 * here, and for no other reason.
 */
#include "crew.h"
#include "hand.h"
#include "server.h"
#include "transport/rl_process.h"
#include "transport/rl_tls_context.h"
#include "transport/rl_watchdog.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MS RL_NS_PER_MS

/* What stands still for less is no cause for a loss. */
#define STILL_MS 100

crew *the_crew;

static unsigned failures;

static void check(bool is_good, const char *what)
{
	printf("%s %s\n", is_good ? "ok" : "not ok", what);
	failures += !is_good;
}

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(3);
}

static unsigned entries_in(const char *folder)
{
	unsigned count = 0;
	DIR *open = opendir(folder);
	while (open != NULL && readdir(open) != NULL) {
		count++;
	}
	if (open != NULL) {
		closedir(open);
	}
	return count;
}

/* ---- trouble ---- */

static void note_standing(int64_t since)
{
	int64_t now = rl_os_now();
	if (now - since >= crew_ms(STILL_MS) * MS) {
		atomic_store(&the_crew->stood_until, now);
	}
}

static void freeze(long ms)
{
	int64_t since = rl_os_now();
	atomic_store(&the_crew->is_standing, true);
	server_freeze(true);
	crew_pause(ms);
	server_freeze(false);
	note_standing(since);
	atomic_store(&the_crew->is_standing, false);
}

static void restart(void)
{
	int64_t since = rl_os_now();
	atomic_store(&the_crew->is_standing, true);
	server_stop();
	if (!server_start()) {
		die("the server does not start again");
	}
	note_standing(since);
	atomic_store(&the_crew->is_standing, false);
}

static void make_trouble(unsigned number)
{
	char answer[64];
	switch (number % 9) {
		case 0:
		case 3:
			server_says("CLIENT KILL TYPE normal", answer, sizeof answer);
			break;
		case 1:
			server_says("SCRIPT FLUSH", answer, sizeof answer);
			break;
		case 2:
			restart();
			break;
		case 4:
			freeze(20);
			break;
		case 5:
		case 6:
			freeze(90);
			break;
		case 7:
			freeze(600); /* some leases end */
			break;
		default: /* a moment of peace */
			break;
	}
}

/* In between it measures how long this machine keeps a thread waiting. */
static void trouble_until(int64_t end)
{
	static unsigned number;
	int64_t next = 0;
	while (rl_os_now() < end) {
		int64_t before = rl_os_now();
		if (before >= next) {
			make_trouble(number++);
			next = rl_os_now() + crew_ms(200) * MS;
			before = rl_os_now();
		}
		crew_pause(5);
		note_standing(before);
	}
}

/* ---- judgement ---- */

static void check_faults(void)
{
	check(the_crew->two_owners == 0, "no lock was proven for two at once");
	check(the_crew->lost_without_a_cause == 0, "no lease was lost without a cause");
	check(the_crew->revived == 0, "what was lost stayed lost");
	check(the_crew->unnoticed == 0, "what a stranger took away was noticed");
	check(the_crew->told_wrongly == 0, "a loss was told, and nothing else was");
	check(the_crew->bad_children == 0, "forked children had nothing, and leases of their own");
}

static bool has_kept_leases(void)
{
	return the_crew->taken >= 30 && rl_process_stats()->renewed >= 30;
}

static bool has_met_all(void)
{
	return the_crew->extended > 0 && the_crew->noticed > 0 && the_crew->forks > 0 &&
		the_crew->told > 0;
}

/* A run in which nothing happened has shown nothing. */
static void check_work(void)
{
	check(has_kept_leases(), "leases were taken and renewed");
	check(has_met_all(), "each thing that can happen has happened");
}

static void check_rest(unsigned descriptors, unsigned threads)
{
	int64_t end = rl_os_now() + crew_ms(3000) * MS;
	while (server_number("DBSIZE") != 0 && rl_os_now() < end) {
		crew_pause(20);
	}
	check(server_number("DBSIZE") == 0, "no key is left");
	check(server_number("CLIENT KILL TYPE normal") == 0, "no connection is left");
	check(entries_in("/proc/self/fd") == descriptors, "no descriptor is left");
	check(entries_in("/proc/self/task") == threads, "no thread is left");
}

static void tell_figures(void)
{
	const rl_stats *stats = rl_process_stats();
	printf("renewed %" PRIu64 ", lost %" PRIu64 ", connects %" PRIu64 ", scripts %" PRIu64 "\n",
		stats->renewed, stats->lost, stats->connects, stats->scripts_loaded);
#define TELL(name) printf("%s %" PRIu64 "; ", #name, the_crew->name);
	CREW_EACH(TELL)
#undef TELL
	printf("\n");
}

static void work(double seconds)
{
	pthread_t threads[CREW_WORKERS];
	int numbers[CREW_WORKERS];
	int64_t begun_at = rl_os_now();
	int64_t span = (int64_t) (seconds * 1e9);
	for (int i = 0; i < CREW_WORKERS; i++) {
		numbers[i] = i + 1;
		if (pthread_create(&threads[i], NULL, crew_work, &numbers[i]) != 0) {
			die("no thread");
		}
	}
	trouble_until(begun_at + span);
	/* On a machine without a free processor not enough may have happened yet. */
	while (!(has_kept_leases() && has_met_all()) && rl_os_now() < begun_at + 8 * span) {
		trouble_until(rl_os_now() + RL_NS_PER_SECOND);
	}
	atomic_store(&the_crew->is_over, true);
	for (int i = 0; i < CREW_WORKERS; i++) {
		pthread_join(threads[i], NULL);
	}
	rl_watchdog_stop();
}

static void *do_nothing(void *unused)
{
	return unused;
}

static void work_nothing(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, do_nothing, NULL) == 0) {
		pthread_join(thread, NULL);
	}
}

/* Takes and frees a lock once, because libraries open what they keep when they are used first. */
static void warm_up(void)
{
	hand first;
	rl_status status;
	hand_open(&first, the_crew->dsn, crew_ms(1000), 0);
	kept *lease = hand_take(&first, "warm", crew_ms(1000), 0, &status);
	if (lease != NULL) {
		kept_release(lease);
		kept_free(lease);
	}
	hand_close(&first);
	rl_watchdog_stop();
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		die("usage: main SERVER CONFIG SOCKET DSN SECONDS SCALE");
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	the_crew =
		mmap(NULL, sizeof *the_crew, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (the_crew == MAP_FAILED) {
		die("out of memory");
	}
	the_crew->dsn = argv[4];
	the_crew->scale = atoi(argv[6]);
	server_set_up(argv[1], argv[2], argv[3]);
	if (!server_start()) {
		die("the server does not start");
	}
	rl_process_watch_forks();
	rl_tls_set_up();
	rl_watchdog_set_up();
	work_nothing(); /* the sanitizer has a thread of its own from then on */
	warm_up();
	unsigned descriptors = entries_in("/proc/self/fd");
	unsigned tasks = entries_in("/proc/self/task");
	work(atof(argv[5]));
	check_faults();
	check_work();
	check_rest(descriptors, tasks);
	rl_tls_tear_down();
	server_stop();
	tell_figures();
	return failures > 0;
}
