/* SPDX-License-Identifier: MIT
 *
 * The module: entry, INI settings, life cycle, phpinfo. This file contains no lock logic.
 */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php_redislock.h"

#include "php/redislock_call.h"
#include "php/redislock_callable.h"
#include "php/redislock_class.h"
#include "php/redislock_record.h"
#include "php/redislock_loss.h"
#include "php/redislock_ini.h"
#include "php/redislock_observer.h"
#include "php/redislock_sigterm.h"
#include "php/redislock_stats.h"
#include "php/redislock_yield.h"

#include "ext/standard/info.h"
#include "php_ini.h"

#include <pthread.h>
#include <time.h>

#include "transport/rl_hiredis.h"
#include "transport/rl_memory.h"
#include "transport/rl_process.h"
#include "transport/rl_sigterm.h"
#include "transport/rl_tls_context.h"
#include "transport/rl_watchdog.h"

#ifdef COMPILE_DL_REDISLOCK
# ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
# endif
#endif

ZEND_DECLARE_MODULE_GLOBALS(redislock)

/* The setting takes effect at once, also for leases that exist already. */
static PHP_INI_MH(redislock_on_free_on_sigterm)
{
	rl_sigterm_enable(zend_ini_parse_bool(new_value));
	return OnUpdateBool(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

PHP_INI_BEGIN()
	STD_PHP_INI_ENTRY_EX("redislock.servers", "redis://127.0.0.1:6379", PHP_INI_ALL,
		redislock_on_servers, servers, zend_redislock_globals, redislock_globals,
		redislock_display_servers)
	STD_PHP_INI_ENTRY("redislock.prefix", "", PHP_INI_ALL, redislock_on_prefix, prefix,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_ENTRY("redislock.max_hold", "0", PHP_INI_ALL, redislock_on_max_hold, max_hold,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_BOOLEAN("redislock.free_on_sigterm", "1", PHP_INI_ALL, redislock_on_free_on_sigterm,
		free_on_sigterm, zend_redislock_globals, redislock_globals)
	PHP_INI_ENTRY_EX("redislock.memory", "0", PHP_INI_ALL, NULL, zend_ini_boolean_displayer_cb)
	STD_PHP_INI_ENTRY("redislock.label", "", PHP_INI_ALL, redislock_on_label, label,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_ENTRY("redislock.slow_wait", "0", PHP_INI_ALL, redislock_on_slow_wait, slow_wait,
		zend_redislock_globals, redislock_globals)
PHP_INI_END()

/* Does not use PHP_GINIT_FUNCTION, whose parameter has the name of the globals themselves. */
static void globals_ctor(void *memory)
{
#if defined(COMPILE_DL_REDISLOCK) && defined(ZTS)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	zend_redislock_globals *globals = memory;
	memset(globals, 0, sizeof *globals);
	globals->env = rl_process_env(&globals->random);
	rl_net_init(&globals->net);
	rl_pool_init(&globals->pool, &globals->net.transport, &globals->env);
}

/* How long the end of a process waits for servers that have not read everything that was sent to
 * them. */
#define LINGER_NS (100 * RL_NS_PER_MS)

/* A slow server whose answer meets a closed connection discards the commands after the answered
 * one: the release of a lock that the process has just asked for. With several servers a release
 * does not wait for the slowest one. */
static void await_lingering(rl_pool *pool)
{
	int64_t end_at = rl_os_now() + LINGER_NS;
	struct timespec pause = {.tv_nsec = RL_NS_PER_MS / 4};
	while (rl_pool_lingers(pool, rl_os_now()) && rl_os_now() < end_at) {
		nanosleep(&pause, NULL);
	}
}

static void globals_dtor(void *memory)
{
	zend_redislock_globals *globals = memory;
	rl_pool_end_idle(&globals->pool, rl_os_now());
	await_lingering(&globals->pool);
	rl_pool_clear(&globals->pool);
	rl_net_destroy(&globals->net);
}

/* ---- life cycle ---- */

/* Runs in the forked child, on the thread that has forked. */
static void in_child(void)
{
#ifdef ZTS
	if (TSRMLS_CACHE == NULL) {
		return; /* a thread that is not PHP's has no globals */
	}
#endif
	rl_net_part(&REDISLOCK_G(net));
	redislock_yield_part();
}

static void watch_forks(void)
{
	static bool is_watching;
	if (!is_watching) {
		is_watching = true;
		/* The C library removes the handler when PHP unloads this library. */
		pthread_atfork(NULL, NULL, in_child);
	}
}

static PHP_MINIT_FUNCTION(redislock)
{
	REGISTER_INI_ENTRIES();
	redislock_class_register();
	redislock_record_watch_fibers();
	redislock_loss_set_up();
	watch_forks();
	rl_process_watch_forks();
	rl_process_share_stats();
	rl_tls_set_up();
	rl_memory_set_up();
	rl_watchdog_set_up();
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(redislock)
{
	redislock_sigterm_remove();
	rl_watchdog_stop();
	rl_process_unshare_stats();
	rl_tls_tear_down();
	rl_memory_tear_down();
	redislock_loss_tear_down();
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

/* The destructor of a hook may end in a fatal error. If its bail-out left this function, PHP 8.4
 * would end the process at once, and the leases of the request would not be freed. A hook that the
 * bail-out has skipped is discarded after the deactivation. */
static PHP_RSHUTDOWN_FUNCTION(redislock)
{
	zend_try
	{
		redislock_yield_forget();
		redislock_observer_forget();
	}
	zend_end_try();
	return SUCCESS;
}

/* Objects, destructors and session handlers have had their turn. */
static ZEND_MODULE_POST_ZEND_DEACTIVATE_D(redislock)
{
	redislock_hook_discard(&REDISLOCK_G(waiter));
	redislock_hook_discard(&REDISLOCK_G(observer));
	redislock_calls_abandon();
	redislock_records_release_all();
	redislock_yield_close();
	return SUCCESS;
}

static void print_tls(void)
{
	char text[192];
	unsigned weak = rl_tls_weak_contexts();
	if (rl_tls_version() == NULL) {
		php_info_print_table_row(2, "TLS", "no (built without OpenSSL)");
		return;
	}
	snprintf(text, sizeof text, "%s (compiled: %s)", rl_tls_version(), rl_tls_compiled_version());
	php_info_print_table_row(2, "TLS", text);
	if (weak > 0) {
		snprintf(
			text, sizeof text, "INCOMPLETE for %u set%s of options", weak, weak == 1 ? "" : "s");
		php_info_print_table_row(2, "Verification of servers by TLS", text);
	}
}

static PHP_MINFO_FUNCTION(redislock)
{
	php_info_print_table_start();
	php_info_print_table_row(2, "redislock support", "enabled");
	php_info_print_table_row(2, "Version", PHP_REDISLOCK_VERSION);
	php_info_print_table_row(2, "hiredis (compiled)", rl_hiredis_version());
	print_tls();
	php_info_print_table_end();
	php_info_print_table_start();
	php_info_print_table_header(2, "Numbers of this process", "Value");
	redislock_stats_print();
	php_info_print_table_end();
	DISPLAY_INI_ENTRIES();
}

zend_module_entry redislock_module_entry = {
	STANDARD_MODULE_HEADER,
	"redislock",
	NULL, /* no functions */
	PHP_MINIT(redislock),
	PHP_MSHUTDOWN(redislock),
	NULL,
	PHP_RSHUTDOWN(redislock),
	PHP_MINFO(redislock),
	PHP_REDISLOCK_VERSION,
	PHP_MODULE_GLOBALS(redislock),
	globals_ctor,
	globals_dtor,
	ZEND_MODULE_POST_ZEND_DEACTIVATE_N(redislock),
	STANDARD_MODULE_PROPERTIES_EX,
};

#ifdef COMPILE_DL_REDISLOCK
ZEND_GET_MODULE(redislock)
#endif
