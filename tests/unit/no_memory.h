/* SPDX-License-Identifier: MIT
 *
 * malloc, calloc, realloc and strdup that fail when a test says so. Only one file of a program may
 * include this header, because its functions replace those of libc or of the sanitizer, and call
 * them. The functions count the calls and the bytes while is_counting is true.
 */
#ifndef NO_MEMORY_H
#define NO_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* clang says it in another way. */
#ifdef __has_feature
# if __has_feature(address_sanitizer) && !defined __SANITIZE_ADDRESS__
#  define __SANITIZE_ADDRESS__ 1
# endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __GLIBC__
# ifdef __SANITIZE_ADDRESS__
#  define REAL(name) __interceptor_##name
# else
#  define REAL(name) __libc_##name
# endif
void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *old, size_t size);
void REAL(free)(void *old);
#else
/* musl has no other names for these functions, and its dlsym() takes no memory. */
# include <dlfcn.h>
# define REAL(name) real_##name
static inline void *real_malloc(size_t size)
{
	return ((void *(*) (size_t)) dlsym(RTLD_NEXT, "malloc"))(size);
}

/* Calls malloc(): musl's own calloc() would do so, too, and the request would be counted twice. */
static inline void *real_calloc(size_t count, size_t size)
{
	void *memory = count == 0 || size <= (size_t) -1 / count ? real_malloc(count * size) : NULL;
	return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

static inline void *real_realloc(void *old, size_t size)
{
	return ((void *(*) (void *, size_t)) dlsym(RTLD_NEXT, "realloc"))(old, size);
}

static inline void real_free(void *old)
{
	((void (*)(void *)) dlsym(RTLD_NEXT, "free"))(old);
}
#endif

static bool is_counting;
static bool is_lasting; /* after the first failure all requests fail */
static unsigned asked;
static size_t asked_bytes;
static unsigned fails_at; /* from 1; 0 = never */

#define UNWATCHED __attribute__((no_sanitize_address, no_sanitize("undefined")))

UNWATCHED static bool lacks_memory(void)
{
	if (!is_counting) {
		return false;
	}
	asked++;
	return fails_at != 0 && (asked == fails_at || (is_lasting && asked > fails_at));
}

UNWATCHED static bool lacks_bytes(size_t size)
{
	asked_bytes += is_counting ? size : 0;
	return lacks_memory();
}

UNWATCHED void *malloc(size_t size)
{
	return lacks_bytes(size) ? NULL : REAL(malloc)(size);
}

UNWATCHED void *calloc(size_t count, size_t size)
{
	return lacks_bytes(count * size) ? NULL : REAL(calloc)(count, size);
}

UNWATCHED void *realloc(void *old, size_t size)
{
	return lacks_bytes(size) ? NULL : REAL(realloc)(old, size);
}

UNWATCHED char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = lacks_bytes(size) ? NULL : REAL(malloc)(size);
	return copy != NULL ? memcpy(copy, text, size) : NULL;
}

#endif
