/* SPDX-License-Identifier: MIT
 *
 * A test is a function. The first failed check ends it, and the other tests go on. Each test prints
 * "ok name" or "not ok name: why", as scripts/unit expects. A test that fails while the machine
 * stalls runs again, and says so.
 */
#ifndef CHECK_H
#define CHECK_H

#include "core/base/rl_status.h"

#include <setjmp.h>
#include <string.h>

typedef struct check_test {
	const char *name;
	void (*run)(void);
} check_test;

/* clang-format off */
#define TEST(name) {#name, name}
/* clang-format on */

/* Runs all; returns main's exit code. Arguments name the tests to run; without any, all run.
 * @param clean_up NULL, or runs after each test, also after a failed one */
int check_run(const check_test *tests, size_t count, void (*clean_up)(void), int argc, char **argv);

#define CHECK_MAIN(tests, clean_up) \
 int main(int argc, char **argv) \
 { \
  return check_run(tests, sizeof tests / sizeof tests[0], clean_up, argc, argv); \
 }

/* For how long the threads of this process have waited for a processor, in nanoseconds, as Linux
 * counts it; 0 elsewhere. */
int64_t check_stall(void);

/* Ends the test as failed. */
_Noreturn void check_fail(const char *file, int line, const char *format, ...) RL_PRINTF(3, 4);

void check_true(const char *file, int line, bool is_true, const char *what);
void check_int(const char *file, int line, int64_t is, int64_t wanted, const char *what);
void check_text(const char *file, int line, const char *is, const char *wanted, const char *what);
void check_has(const char *file, int line, const char *is, const char *part);

/* A row of a table of texts, for a function that reads each text and writes down its meaning. */
typedef struct check_case {
	const char *text, *wanted;
} check_case;

void check_cases(const char *file, int line, const check_case *cases, size_t count,
	const char *(*read)(const char *text));

#define FAIL(...) check_fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition) check_true(__FILE__, __LINE__, condition, #condition)
#define CHECK_INT(is, wanted) check_int(__FILE__, __LINE__, (int64_t) (is), wanted, #is)
#define CHECK_TEXT(is, wanted) check_text(__FILE__, __LINE__, is, wanted, #is)
/* Checks that the text contains the part. */
#define CHECK_HAS(is, part) check_has(__FILE__, __LINE__, is, part)

#define CHECK_CASES(cases, read) \
 check_cases(__FILE__, __LINE__, cases, sizeof cases / sizeof cases[0], read)

static inline rl_bytes bytes_of(const char *text)
{
	return rl_bytes_of(text, strlen(text));
}

#endif
