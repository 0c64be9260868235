/* SPDX-License-Identifier: MIT
 *
 * Installing the handler of SIGTERM. The design is in the header.
 */
#include "php_redislock.h"

#include "php/redislock_call.h"
#include "php/redislock_sigterm.h"

#include "SAPI.h"
#include "zend_signal.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "core/lease/rl_late.h"
#include "transport/rl_process.h"
#include "transport/rl_sigterm.h"
#include "transport/rl_watchdog.h"

#ifdef ZTS

void redislock_sigterm_install(void)
{
}

void redislock_sigterm_keep(void)
{
}

void redislock_sigterm_remove(void)
{
}

#else

/* The process for which the handler is armed: the number of its forks plus one; 0 = no process. */
static uint64_t armed_for;

/* Runs on the watchdog's thread, while PHP's thread waits in the handler. Only reads the data of
 * PHP's thread. */
static void give_up(rl_renewer *watch)
{
	rl_net_end_sending(&REDISLOCK_G(net));
	rl_watchdog_learn_at_the_end(&REDISLOCK_G(net).resolver);
	for (const redislock_call *call = REDISLOCK_G(calls); call != NULL; call = call->next) {
		rl_late_release late;
		if (!redislock_call_has_forked(call) && rl_op_may_hold(call->op, rl_os_now(), &late)) {
			rl_late_release_pending(watch, &late);
		}
	}
}

/* True where the process belongs to PHP alone. */
static bool is_own_process(void)
{
	static const char *const sapis[] = {"cli", "cgi-fcgi", "fpm-fcgi", "cli-server"};
	for (size_t i = 0; i < sizeof sapis / sizeof sapis[0]; i++) {
		if (strcmp(sapi_module.name, sapis[i]) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_blocked(void)
{
	sigset_t blocked;
	return pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || sigismember(&blocked, SIGTERM) != 0;
}

# ifdef ZEND_SIGNALS

static void *current_handler(void)
{
	return SIGG(handlers)[SIGTERM - 1].handler;
}

/* Zend Signals are running a handler. */
static bool is_in_handler(void)
{
	return *(volatile int *) &SIGG(running) != 0;
}

/* Does not use zend_sigaction(), which would deliver a signal that the script has blocked. */
static void restore_default(void)
{
	SIGG(handlers)[SIGTERM - 1] = (zend_signal_entry_t){.handler = (void *) SIG_DFL};
}

/* True when the kernel runs the default action for the signal, or calls Zend's own function, as it
 * does for the time limit, and Zend's table has the default. */
static bool is_unhandled(void)
{
	struct sigaction is;
	struct sigaction of_zend;
	if (current_handler() != (void *) SIG_DFL || sigaction(SIGTERM, NULL, &is) != 0 ||
		sigaction(SIGPROF, NULL, &of_zend) != 0) {
		return false;
	}
	bool is_zends = (is.sa_flags & of_zend.sa_flags & SA_SIGINFO) != 0 &&
		is.sa_sigaction == of_zend.sa_sigaction;
	return is_zends || ((is.sa_flags & SA_SIGINFO) == 0 && is.sa_handler == SIG_DFL);
}

# else

static void *current_handler(void)
{
	struct sigaction is;
	bool has_handler = sigaction(SIGTERM, NULL, &is) == 0 && (is.sa_flags & SA_SIGINFO) == 0;
	return has_handler ? (void *) is.sa_handler : (void *) SIG_ERR;
}

static bool is_in_handler(void)
{
	return false;
}

static void restore_default(void)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};
	sigemptyset(&normal.sa_mask);
	sigaction(SIGTERM, &normal, NULL);
}

static bool is_unhandled(void)
{
	return current_handler() == (void *) SIG_DFL;
}

# endif

static bool is_installed(void)
{
	return current_handler() == (void *) rl_sigterm_handle;
}

static uint64_t this_process(void)
{
	return rl_process_fork_generation() + 1;
}

void redislock_sigterm_install(void)
{
	bool is_ours = is_installed();
	if (!REDISLOCK_G(free_on_sigterm) || (is_ours && armed_for == this_process())) {
		return;
	}
	if (getpid() == 1 || (!is_ours && (!is_own_process() || !is_unhandled()))) {
		return;
	}
	static const rl_sigterm_host host = {.give_up = give_up, .is_in_handler = is_in_handler};
	rl_sigterm_arm(&host);
	armed_for = this_process();
	/* Where the signal is blocked now, redislock_sigterm_keep() installs the handler later. */
	if (!is_ours && !is_blocked()) {
		struct sigaction ours = {.sa_handler = rl_sigterm_handle, .sa_flags = SA_RESTART};
		sigfillset(&ours.sa_mask);
		zend_sigaction(SIGTERM, &ours, NULL);
	}
}

/* A process that was never armed has no lease that the handler could free. */
void redislock_sigterm_keep(void)
{
	if (REDISLOCK_G(records) != NULL && armed_for == this_process()) {
		redislock_sigterm_install();
	}
}

void redislock_sigterm_remove(void)
{
	if (is_installed()) {
		restore_default();
	}
}

#endif
