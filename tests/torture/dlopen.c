/* SPDX-License-Identifier: MIT
 *
 * To be preloaded before the library of AddressSanitizer, which refuses RTLD_DEEPBIND: PHP loads
 * its extensions with it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

void *dlopen(const char *path, int mode)
{
	void *(*next)(const char *, int) = (void *(*) (const char *, int) ) dlsym(RTLD_NEXT, "dlopen");
	return next(path, mode & ~RTLD_DEEPBIND);
}
