/* SPDX-License-Identifier: MIT
 *
 * The handlers of the INI settings.
 */
#ifndef REDISLOCK_INI_H
#define REDISLOCK_INI_H

#include "php_redislock.h"

/* A bad value is refused when a script sets it. redislock.servers is displayed without its
 * passwords. */
ZEND_INI_MH(redislock_on_label);
ZEND_INI_MH(redislock_on_max_hold);
ZEND_INI_MH(redislock_on_prefix);
ZEND_INI_MH(redislock_on_servers);
ZEND_INI_MH(redislock_on_slow_wait);
ZEND_INI_DISP(redislock_display_servers);

#endif
