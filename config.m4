dnl The build for phpize, PIE and pecl. config.w32 has the same list of sources; scripts/check-package compares.

PHP_ARG_ENABLE([redislock],
  [whether to enable redislock],
  [AS_HELP_STRING([--enable-redislock], [Enable redislock])])

PHP_ARG_WITH([redislock-tls],
  [whether redislock speaks TLS],
  [AS_HELP_STRING([--without-redislock-tls], [Build redislock without TLS. Default: with TLS where pkg-config finds OpenSSL])],
  [auto],
  [no])

PHP_ARG_ENABLE([redislock-dev],
  [whether to build redislock with strict warnings],
  [AS_HELP_STRING([--enable-redislock-dev], [For developers of redislock: warnings are errors])],
  [no],
  [no])

if test "$PHP_REDISLOCK" != "no"; then
  dnl A part of PHP itself would need its header elsewhere, and would start before SPL.
  if test "$ext_shared" != "yes"; then
    AC_MSG_ERROR([redislock can only be built as a shared extension: --enable-redislock=shared])
  fi

  PKG_PROG_PKG_CONFIG
  PKG_CHECK_MODULES([HIREDIS], [hiredis >= 0.14.0], [],
    [AC_MSG_ERROR([redislock needs pkg-config and hiredis 0.14 or later with its headers. On Debian and Ubuntu they are in the packages pkg-config and libhiredis-dev, on Fedora in pkgconf and hiredis-devel, on Alpine in pkgconf and hiredis-dev.])])
  PHP_EVAL_INCLINE([$HIREDIS_CFLAGS])
  PHP_EVAL_LIBLINE([$HIREDIS_LIBS], [REDISLOCK_SHARED_LIBADD])
  PHP_ADD_LIBRARY([pthread],, [REDISLOCK_SHARED_LIBADD])

  dnl Some processors of 32 bits have no instruction for these.
  AC_CACHE_CHECK([whether atomics of 64 bits need libatomic], [redislock_cv_needs_libatomic], [
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
static _Atomic int64_t number;
static _Atomic bool flag;
]], [[
int64_t expected = atomic_fetch_add(&number, 1);
return atomic_exchange(&flag, atomic_compare_exchange_strong(&number, &expected, 2));
]])], [redislock_cv_needs_libatomic=no], [redislock_cv_needs_libatomic=yes])
  ])
  if test "$redislock_cv_needs_libatomic" = "yes"; then
    PHP_ADD_LIBRARY([atomic],, [REDISLOCK_SHARED_LIBADD])
  fi

  redislock_tls_flags=""
  if test "$PHP_REDISLOCK_TLS" != "no"; then
    PKG_CHECK_MODULES([REDISLOCK_OPENSSL], [openssl >= 1.1.1], [
      PHP_EVAL_INCLINE([$REDISLOCK_OPENSSL_CFLAGS])
      PHP_EVAL_LIBLINE([$REDISLOCK_OPENSSL_LIBS], [REDISLOCK_SHARED_LIBADD])
      redislock_tls_flags="-DRL_WITH_TLS"
    ], [
      if test "$PHP_REDISLOCK_TLS" != "auto"; then
        AC_MSG_ERROR([--with-redislock-tls needs OpenSSL 1.1.1 or later with its headers. On Debian and Ubuntu they are in the package libssl-dev, on Fedora in openssl-devel, on Alpine in openssl-dev.])
      fi
      AC_MSG_WARN([redislock is built without TLS (rediss://): pkg-config has not found OpenSSL 1.1.1 or later (Debian and Ubuntu: libssl-dev, Fedora: openssl-devel, Alpine: openssl-dev)])
    ])
  fi
  PHP_SUBST([REDISLOCK_SHARED_LIBADD])

  redislock_flags="-DZEND_ENABLE_STATIC_TSRMLS_CACHE=1 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64"
  redislock_flags="$redislock_flags -fvisibility=hidden -I@ext_srcdir@/ext $redislock_tls_flags"

  if test "$PHP_REDISLOCK_DEV" != "no"; then
    dnl The warnings are meant for the headers of redislock, not for those of PHP.
    INCLUDES=`echo "$INCLUDES" | sed 's/-I/-isystem /g'`
    dnl gcc 10 misses initializers where a field is meant to be zero.
    for redislock_flag in -Wall -Wextra -Wshadow -Wstrict-prototypes -Wno-unused-parameter \
        -Wno-missing-field-initializers -Werror; do
      AX_CHECK_COMPILE_FLAG([$redislock_flag], [redislock_flags="$redislock_flags $redislock_flag"])
    done
  fi

  redislock_sources="
    ext/redislock.c
    ext/php/redislock_abort.c
    ext/php/redislock_call.c
    ext/php/redislock_call_site.c
    ext/php/redislock_callable.c
    ext/php/redislock_class.c
    ext/php/redislock_exception.c
    ext/php/redislock_ini.c
    ext/php/redislock_lease.c
    ext/php/redislock_loss.c
    ext/php/redislock_memory.c
    ext/php/redislock_observer.c
    ext/php/redislock_options.c
    ext/php/redislock_record.c
    ext/php/redislock_record_ask.c
    ext/php/redislock_servers.c
    ext/php/redislock_sigterm.c
    ext/php/redislock_state.c
    ext/php/redislock_stats.c
    ext/php/redislock_yield.c
    ext/core/base/rl_backoff.c
    ext/core/base/rl_label.c
    ext/core/base/rl_stats_table.c
    ext/core/base/rl_status.c
    ext/core/base/rl_tally.c
    ext/core/base/rl_token.c
    ext/core/conn/rl_channel.c
    ext/core/conn/rl_conn.c
    ext/core/conn/rl_errand.c
    ext/core/conn/rl_grace.c
    ext/core/conn/rl_held.c
    ext/core/conn/rl_lookup.c
    ext/core/conn/rl_pool.c
    ext/core/lease/rl_late.c
    ext/core/lease/rl_late_grant.c
    ext/core/lease/rl_lease.c
    ext/core/lease/rl_renewal.c
    ext/core/lease/rl_renewer.c
    ext/core/lease/rl_renewer_errands.c
    ext/core/lock/rl_acquire.c
    ext/core/lock/rl_batch.c
    ext/core/lock/rl_inspections.c
    ext/core/lock/rl_listing.c
    ext/core/lock/rl_op.c
    ext/core/lock/rl_op_failure.c
    ext/core/lock/rl_order.c
    ext/core/lock/rl_plain.c
    ext/core/lock/rl_queue.c
    ext/core/lock/rl_quorum_call.c
    ext/core/lock/rl_releases.c
    ext/core/wire/rl_answer.c
    ext/core/wire/rl_command.c
    ext/core/wire/rl_dsn.c
    ext/core/wire/rl_names.c
    ext/core/wire/rl_order_name.c
    ext/core/wire/rl_redirect.c
    ext/core/wire/rl_route.c
    ext/core/wire/rl_script.c
    ext/core/wire/rl_set.c
    ext/core/wire/rl_slot.c
    ext/core/wire/rl_target.c
    ext/core/wire/rl_tls_options.c
    ext/model/rl_store.c
    ext/model/rl_words.c
    ext/transport/rl_buffer.c
    ext/transport/rl_driver.c
    ext/transport/rl_hiredis.c
    ext/transport/rl_link.c
    ext/transport/rl_memory.c
    ext/transport/rl_memory_data.c
    ext/transport/rl_memory_reply.c
    ext/transport/rl_os.c
    ext/transport/rl_process.c
    ext/transport/rl_process_mark.c
    ext/transport/rl_resolve.c
    ext/transport/rl_sigterm.c
    ext/transport/rl_socket.c
    ext/transport/rl_tls.c
    ext/transport/rl_tls_context.c
    ext/transport/rl_tls_error.c
    ext/transport/rl_tls_none.c
    ext/transport/rl_watch.c
    ext/transport/rl_watchdog.c
  "
  PHP_NEW_EXTENSION([redislock], [$redislock_sources], [$ext_shared],, [$redislock_flags])
  PHP_ADD_BUILD_DIR([$ext_builddir/ext])
  PHP_ADD_BUILD_DIR([$ext_builddir/ext/php])
  PHP_ADD_BUILD_DIR([$ext_builddir/ext/core/base])
  PHP_ADD_BUILD_DIR([$ext_builddir/ext/core/conn])
  PHP_ADD_BUILD_DIR([$ext_builddir/ext/core/lease])
  PHP_ADD_BUILD_DIR([$ext_builddir/ext/core/lock])
  PHP_ADD_BUILD_DIR([$ext_builddir/ext/core/wire])
  PHP_ADD_BUILD_DIR([$ext_builddir/ext/model])
  PHP_ADD_BUILD_DIR([$ext_builddir/ext/transport])
fi
