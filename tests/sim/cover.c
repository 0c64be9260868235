/* SPDX-License-Identifier: MIT */
#include "cover.h"

#include "store.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t cover_counts[COVER_KINDS];

typedef struct kind {
	const char *name, *what;
} kind;

#define ROW(name, what) {#name, what},
static const kind kinds[COVER_KINDS] = {COVER_EACH(ROW)};
static const kind branches[RL_STORE_BRANCH_COUNT] = {RL_STORE_BRANCHES(ROW)};
#undef ROW

static unsigned report(const kind *of, const uint64_t *counts, unsigned count, bool is_quiet)
{
	unsigned missing = 0;
	for (unsigned i = 0; i < count; i++) {
		if (!is_quiet || counts[i] == 0) {
			printf("%14" PRIu64 " %-18s %s\n", counts[i], of[i].name, of[i].what);
		}
		missing += counts[i] == 0;
	}
	return missing;
}

static unsigned report_part(cover_kind first, cover_kind end, bool is_quiet)
{
	return report(kinds + first, cover_counts + first, end - first, is_quiet);
}

unsigned cover_report(cover_part part, bool is_quiet)
{
	switch (part) {
		case COVER_OF_CLUSTERS:
			return report_part(COVER_moved, COVER_named, is_quiet);
		case COVER_OF_SENTINELS:
			return report_part(COVER_named, COVER_waits_with_keys, is_quiet);
		case COVER_OF_SEVERAL:
			return report_part(COVER_waits_with_keys, COVER_KINDS, is_quiet);
		case COVER_OF_ALL:
			break;
	}
	return report_part((cover_kind) 0, COVER_moved, is_quiet) +
		report(branches, rl_store_met, RL_STORE_BRANCH_COUNT, is_quiet);
}
