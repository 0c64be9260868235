/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A hanging program is killed, so that scripts/unit reports it: after so many seconds of processor
 * time, or because it hangs asleep. It does so if in five times as many seconds of real time its
 * first thread has waited for a processor for less than a second. A cc with -DSECONDS_MAX=.. allows
 * more. */
#ifndef SECONDS_MAX
# define SECONDS_MAX 60
#endif

/* A test that fails while the machine keeps its threads waiting for so long may have missed a time
 * that it depends on: it runs again, up to so many times. */
#define STALL_NS (20 * INT64_C(1000000))
#define AGAIN_MOST 3

static jmp_buf end_of_test;
static char why[4096];

void check_fail(const char *file, int line, const char *format, ...)
{
	if (why[0] != '\0') {
		longjmp(end_of_test, 1); /* the first reason is the one to report */
	}
	const char *name = strrchr(file, '/');
	int used = snprintf(why, sizeof why, "%s:%d: ", name != NULL ? name + 1 : file, line);
	va_list args;
	va_start(args, format);
	vsnprintf(why + used, sizeof why - (size_t) used, format, args);
	va_end(args);
	longjmp(end_of_test, 1);
}

void check_true(const char *file, int line, bool is_true, const char *what)
{
	if (!is_true) {
		check_fail(file, line, "not true: %s", what);
	}
}

void check_int(const char *file, int line, int64_t is, int64_t wanted, const char *what)
{
	if (is != wanted) {
		check_fail(file, line, "%s is %" PRId64 ", not %" PRId64, what, is, wanted);
	}
}

void check_text(const char *file, int line, const char *is, const char *wanted, const char *what)
{
	if (strcmp(is, wanted) != 0) {
		check_fail(file, line, "%s is\n[%s]\nnot\n[%s]", what, is, wanted);
	}
}

void check_has(const char *file, int line, const char *is, const char *part)
{
	if (strstr(is, part) == NULL) {
		check_fail(file, line, "[%s] has no [%s]", is, part);
	}
}

void check_cases(const char *file, int line, const check_case *cases, size_t count,
	const char *(*read)(const char *text))
{
	for (size_t i = 0; i < count; i++) {
		const char *is = read(cases[i].text);
		if (strcmp(is, cases[i].wanted) != 0) {
			check_fail(file, line, "%s is [%s], not [%s]", cases[i].text, is, cases[i].wanted);
		}
	}
}

static bool is_wanted(const check_test *test, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], test->name) == 0) {
			return true;
		}
	}
	return argc < 2;
}

static bool run_one(const check_test *test, void (*clean_up)(void))
{
	volatile bool is_good = false;
	why[0] = '\0';
	if (setjmp(end_of_test) == 0) {
		test->run();
		is_good = true;
	}
	if (clean_up != NULL) {
		if (setjmp(end_of_test) == 0) {
			clean_up();
		} else {
			is_good = false;
		}
	}
	return is_good;
}

int64_t check_stall(void)
{
	int64_t sum = 0;
	DIR *threads = opendir("/proc/self/task");
	for (struct dirent *each; threads != NULL && (each = readdir(threads)) != NULL;) {
		char path[300];
		long long waited = 0;
		snprintf(path, sizeof path, "/proc/self/task/%.30s/schedstat", each->d_name);
		FILE *file = fopen(path, "re");
		sum += file != NULL && fscanf(file, "%*u %lld", &waited) == 1 ? waited : 0;
		if (file != NULL) {
			fclose(file);
		}
	}
	if (threads != NULL) {
		closedir(threads);
	}
	return sum;
}

/* For how long the first thread has waited for a processor, as check_stall() knows it of all
 * threads, but for a handler of signals. */
static long long stall_of_first_thread(void)
{
	char text[100];
	int file = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t len = file >= 0 ? read(file, text, sizeof text - 1) : 0;
	if (file >= 0) {
		close(file);
	}
	text[len > 0 ? len : 0] = '\0';
	const char *waited = strchr(text, ' ');
	return waited != NULL ? strtoll(waited, NULL, 10) : 0;
}

static void kill_if_asleep(int signal_number)
{
	static long long before;
	long long now = stall_of_first_thread();
	if (now - before < INT64_C(1000000000)) {
		signal(signal_number, SIG_DFL);
		raise(signal_number);
	}
	before = now;
	alarm(5 * SECONDS_MAX);
}

static bool run_until_undisturbed(const check_test *test, void (*clean_up)(void))
{
	for (unsigned again = 0;; again++) {
		int64_t before = check_stall();
		if (run_one(test, clean_up)) {
			return true;
		}
		int64_t stall = check_stall() - before;
		if (again == AGAIN_MOST || stall < STALL_NS) {
			return false;
		}
		printf("again, because the machine stalled for %" PRId64 " ms: %s: %s\n", stall / 1000000,
			test->name, why);
	}
}

int check_run(const check_test *tests, size_t count, void (*clean_up)(void), int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS_MAX, SECONDS_MAX});
	signal(SIGALRM, kill_if_asleep);
	alarm(5 * SECONDS_MAX);
	int code = 0;
	for (size_t i = 0; i < count; i++) {
		if (!is_wanted(&tests[i], argc, argv)) {
			continue;
		}
		if (run_until_undisturbed(&tests[i], clean_up)) {
			printf("ok %s\n", tests[i].name);
			continue;
		}
		printf("not ok %s: %s\n", tests[i].name, why);
		code = 1;
	}
	return code;
}
