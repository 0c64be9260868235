/* SPDX-License-Identifier: MIT */
#include "cover.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t cover_counts[COVER_KINDS];

static const struct {
	const char *name, *what;
} kinds[COVER_KINDS] = {
#define COVER_ROW(name, what) {#name, what},
	COVER_EACH(COVER_ROW)
#undef COVER_ROW
};

unsigned cover_report(bool is_quiet)
{
	unsigned missing = 0;
	for (unsigned i = 0; i < COVER_KINDS; i++) {
		if (!is_quiet || cover_counts[i] == 0) {
			printf("%14" PRIu64 " %-18s %s\n", cover_counts[i], kinds[i].name, kinds[i].what);
		}
		missing += cover_counts[i] == 0;
	}
	return missing;
}
