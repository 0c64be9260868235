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
static const kind branches[STORE_BRANCH_COUNT] = {STORE_BRANCHES(ROW)};
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

unsigned cover_report(bool has_clusters, bool is_quiet)
{
	unsigned usual = COVER_moved; /* the first of clusters */
	if (has_clusters) {
		return report(kinds + usual, cover_counts + usual, COVER_KINDS - usual, is_quiet);
	}
	return report(kinds, cover_counts, usual, is_quiet) +
		report(branches, store_met, STORE_BRANCH_COUNT, is_quiet);
}
