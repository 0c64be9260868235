/* SPDX-License-Identifier: MIT
 *
 * The numbers of real processes: marks, forks, kills.
 */
#include "check.h"
#include "transport/rl_process.h"
#include "transport/rl_process_mark.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The longest name that a host can have on Linux. */
static const char host[] = "a-host-with-a-long-name-0123456789-0123456789-0123456789-0123456";

_Static_assert(sizeof host == 65, "64 characters");

/* In place of gethostname() of the C library: a buffer that is too small for the NUL is an
 * error. */
int gethostname(char *name, size_t size)
{
	memcpy(name, host, size < sizeof host ? size : sizeof host);
	errno = size < sizeof host ? ENAMETOOLONG : 0;
	return size < sizeof host ? -1 : 0;
}

static pid_t child;
static int to_parent[2];
static int to_child[2];

static void begin(void)
{
	rl_process_watch_forks();
	rl_process_share_stats();
	CHECK(pipe(to_parent) == 0 && pipe(to_child) == 0);
}

static void reap(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		child = 0;
	}
}

static void clean_up(void)
{
	reap();
	for (int i = 0; i < 2; i++) {
		close(to_parent[i]);
		close(to_child[i]);
	}
	rl_process_unshare_stats();
}

/* Forks a child that runs the function, reports that, and lives until it is killed. */
static void start_child(void (*run)(void))
{
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		run();
		char byte = 'x';
		_exit(write(to_parent[1], &byte, 1) == 1 && read(to_child[0], &byte, 1) == 1 ? 0 : 1);
	}
	char byte = 0;
	CHECK(read(to_parent[0], &byte, 1) == 1);
}

static rl_stats_totals totals_of_all(void)
{
	rl_stats_totals totals;
	int sys_errno;
	CHECK(rl_process_read_totals(&totals, &sys_errno));
	return totals;
}

/* The result is that of the last call. */
static const rl_stats *own(void)
{
	static rl_stats stats;
	rl_process_read_stats(&stats);
	return &stats;
}

/* ---- the label ---- */

static void the_longest_host_name_is_cut(void)
{
	begin();
	char label[sizeof host + 24];
	int len = snprintf(label, sizeof label, ":%ld", (long) getpid());
	memmove(label + RL_LABEL_MAX - len, label, (size_t) len + 1);
	memcpy(label, host, (size_t) (RL_LABEL_MAX - len));
	const rl_label *own_label = rl_process_label();
	CHECK_INT(own_label->len, RL_LABEL_MAX);
	CHECK(memcmp(own_label->text, label, RL_LABEL_MAX) == 0);
}

/* ---- marks ---- */

static void do_nothing(void)
{
}

static void a_mark_is_alive_as_long_as_its_process(void)
{
	begin();
	uint64_t mine = rl_process_mark();
	CHECK(mine != 0 && mine == rl_process_mark());
	CHECK(rl_process_mark_is_alive(mine));
	start_child(do_nothing);
	/* A mark without the start of its process is a pid. */
	CHECK(rl_process_mark_is_alive((uint64_t) child));
	kill(child, SIGKILL);
	siginfo_t info;
	CHECK(waitid(P_PID, (id_t) child, &info, WEXITED | WNOWAIT) == 0);
	CHECK(!rl_process_mark_is_alive((uint64_t) child)); /* a zombie */
	uint64_t was = (uint64_t) child;
	reap();
	CHECK(!rl_process_mark_is_alive(was));
}

static void a_reused_pid_has_another_mark(void)
{
	begin();
	uint64_t mine = rl_process_mark();
	CHECK(mine >> 32 != 0);
	CHECK(!rl_process_mark_is_alive(mine - (UINT64_C(1) << 32)));
}

/* ---- numbers ---- */

static void count_in_child(void)
{
	CHECK_INT(own()->acquired, 0);
	rl_stats_add(&rl_process_stats()->acquired, 5);
	rl_stats_add(&rl_process_stats()->held, 2);
	CHECK_INT(own()->acquired, 5);
}

/* To a child that asks about itself qemu gives the start of its parent. */
static bool is_emulated(pid_t pid)
{
	char path[32];
	char program[100] = "";
	snprintf(path, sizeof path, "/proc/%ld/cmdline", (long) pid);
	FILE *file = fopen(path, "re");
	size_t len = file != NULL ? fread(program, 1, sizeof program - 1, file) : 0;
	program[len] = '\0';
	if (file != NULL) {
		fclose(file);
	}
	return strstr(program, "qemu") != NULL;
}

static void a_child_counts_in_a_row_of_its_own(void)
{
	begin();
	rl_stats_add(&rl_process_stats()->acquired, 1);
	rl_stats_add(&rl_process_stats()->held, 1);
	start_child(count_in_child);
	if (is_emulated(child)) {
		printf("in an emulator, the next test shows nothing\n");
		return;
	}
	CHECK_INT(own()->acquired, 1);
	CHECK_INT(own()->held, 1);
	rl_stats_totals totals = totals_of_all();
	CHECK_INT(totals.processes, 2);
	CHECK_INT(totals.stats.acquired, 6);
	CHECK_INT(totals.stats.held, 3);
	reap();
	totals = totals_of_all();
	CHECK_INT(totals.processes, 1);
	CHECK_INT(totals.stats.acquired, 6);
	CHECK_INT(totals.stats.held, 1);
}

static void a_process_that_counts_nothing_takes_no_row(void)
{
	begin();
	start_child(do_nothing);
	CHECK_INT(totals_of_all().processes, 0);
	CHECK_INT(own()->acquired, 0);
	CHECK_INT(totals_of_all().processes, 0);
}

static void without_a_table_a_process_counts_for_itself(void)
{
	begin();
	rl_process_unshare_stats();
	rl_stats_totals totals;
	int sys_errno = 0;
	CHECK(!rl_process_read_totals(&totals, &sys_errno));
	int64_t before = (int64_t) own()->acquired;
	rl_stats_add(&rl_process_stats()->acquired, 2);
	CHECK_INT(own()->acquired, before + 2);
	start_child(count_in_child);
	CHECK_INT(own()->acquired, before + 2);
}

static const check_test tests[] = {
	TEST(the_longest_host_name_is_cut),
	TEST(a_mark_is_alive_as_long_as_its_process),
	TEST(a_reused_pid_has_another_mark),
	TEST(a_child_counts_in_a_row_of_its_own),
	TEST(a_process_that_counts_nothing_takes_no_row),
	TEST(without_a_table_a_process_counts_for_itself),
};

CHECK_MAIN(tests, clean_up)
