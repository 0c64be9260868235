/* SPDX-License-Identifier: MIT
 *
 * What the tests of DSNs share.
 */
#ifndef PARSING_H
#define PARSING_H

#include "core/wire/rl_dsn.h"

#include <stdlib.h>
#include <string.h>

/* Parses a copy without any byte after its end, so that the sanitizer sees a read beyond the
 * end. */
static inline rl_status parse_exactly(const char *text, size_t len, rl_dsn *dsn, rl_error *err)
{
	char *copy = malloc(len > 0 ? len : 1);
	memcpy(copy, text, len);
	memset(err, 0, sizeof *err);
	rl_status status = rl_dsn_parse(rl_bytes_of(copy, len), dsn, err);
	free(copy);
	return status;
}

#endif
