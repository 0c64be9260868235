/* SPDX-License-Identifier: MIT
 *
 * malloc, calloc, realloc and strdup that fail when a test says so. For one file of a program: they take the places of libc's,
 * or of the sanitizer's, to which they hand on. They count while is_counting.
 */
#ifndef NO_MEMORY_H
#define NO_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
# define REAL(name) __interceptor_##name
#else
# define REAL(name) __libc_##name
#endif

void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *old, size_t size);
void REAL(free)(void *old);

static bool is_counting;
static bool is_lasting; /* once it failed, it fails for good */
static unsigned asked;
static unsigned fails_at; /* from 1; 0 = never */

#define UNWATCHED __attribute__((no_sanitize_address, no_sanitize_undefined))

UNWATCHED static bool lacks_memory(void)
{
	if (!is_counting) {
		return false;
	}
	asked++;
	return fails_at != 0 && (asked == fails_at || (is_lasting && asked > fails_at));
}

UNWATCHED void *malloc(size_t size)
{
	return lacks_memory() ? NULL : REAL(malloc)(size);
}

UNWATCHED void *calloc(size_t count, size_t size)
{
	return lacks_memory() ? NULL : REAL(calloc)(count, size);
}

UNWATCHED void *realloc(void *old, size_t size)
{
	return lacks_memory() ? NULL : REAL(realloc)(old, size);
}

UNWATCHED char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = lacks_memory() ? NULL : REAL(malloc)(size);
	return copy != NULL ? memcpy(copy, text, size) : NULL;
}

#endif
