/* SPDX-License-Identifier: MIT
 *
 * memory://, how tests empty it, and the clock that they move.
 */
#include "php_redislock.h"

#include "php/compat.h"
#include "php/redislock_memory.h"
#include "php/redislock_record.h"
#include "php/redislock_yield.h"

#include "SAPI.h"
#include "zend_exceptions.h"
#include "zend_ini.h"

#include "core/base/rl_time.h"
#include "transport/rl_memory.h"
#include "transport/rl_watchdog.h"

#define ADVANCE_MAX_S (366 * 86400)

static bool is_set(const char *setting)
{
	zend_string *name = zend_string_init(setting, strlen(setting), false);
	zend_string *value = zend_ini_get_value(name);
	zend_string_release(name);
	return value != NULL && zend_ini_parse_bool(value);
}

bool redislock_memory_is_allowed(void)
{
	const char *sapi = sapi_module.name;
	return is_set("redislock.memory") || strcmp(sapi, "cli") == 0 || strcmp(sapi, "phpdbg") == 0;
}

/* @param method for the message
 * @return false = an exception was thrown */
static bool check_allowed(const char *method)
{
	bool is_allowed = redislock_memory_is_allowed();
	if (!is_allowed) {
		zend_throw_error(NULL,
			"RedisLock::%s() is for tests; outside of the CLI it needs the INI setting "
			"redislock.memory=1",
			method);
	}
	return is_allowed;
}

/* A key lives through the last millisecond of its TTL. With one more, the clock that is moved by a
 * TTL ends it. */
#define LAST_NS RL_NS_PER_MS

/* The watchdog renews each lease at its time, as if the time had really passed, and PHP runs signal
 * handlers and the like meanwhile. These may throw, which ends the move.
 * @return false = the clock cannot be moved that far */
static bool advance(int64_t ns)
{
	int64_t until = rl_os_now() + ns + LAST_NS;
	while (EG(exception) == NULL) {
		int64_t due = rl_watchdog_await_rest();
		if (rl_os_now() >= until) {
			break;
		}
		if (!rl_os_advance_to(rl_time_earlier(due, until))) {
			return false;
		}
		if (redislock_vm_is_interrupted()) {
			redislock_vm_run_interrupt();
		}
	}
	redislock_yield_look_again();
	return true;
}

void redislock_memory_advance(double seconds, uint32_t arg)
{
	if (!check_allowed("advance")) {
		return;
	}
	if (!(seconds >= 0 && seconds <= ADVANCE_MAX_S)) { /* also NaN */
		zend_argument_value_error(arg, "must be from 0 to %d seconds", ADVANCE_MAX_S);
	} else if (!advance((int64_t) (seconds * 1e9))) {
		zend_throw_error(NULL, "The clock has been moved by 100 years, which is the limit");
	}
}

void redislock_memory_flush(void)
{
	if (check_allowed("flushMemory")) {
		rl_memory_flush();
		redislock_records_lose_memory();
	}
}
