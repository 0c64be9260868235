/* SPDX-License-Identifier: MIT
 *
 * What the fuzz targets share. With clang and -fsanitize=fuzzer a target is a program of its own:
 *
 *     clang -g -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iext tests/fuzz/fuzz_dsn.c \
 *         $(find ext/core -name "rl_*.c")
 *     clang -g -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iext tests/fuzz/fuzz_reply.c \
 *         $(find ext/core -name "rl_*.c") ext/transport/rl_*.c -lhiredis -pthread
 *     clang -g -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -DRL_WITH_TLS -Iext \
 *         tests/fuzz/fuzz_tls.c tests/unit/{check,tls_server,tls_forge}.c \
 *         $(find ext/core -name "rl_*.c") ext/transport/rl_*.c -lhiredis -lssl -lcrypto -pthread
 *
 * Without it (-DFUZZ_STANDALONE, any compiler) main() mutates the seeds of the target in a fixed
 * pseudo-random way: "fuzz_dsn [rounds [seed]]". tests/unit/test_transport_fuzz.c and
 * test_transport_tls_fuzz.c run them for a moment.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_INPUT_MAX 4096

typedef int (*fuzz_target)(const uint8_t *data, size_t size);

typedef struct fuzz_seed {
	const char *data;
	size_t size;
} fuzz_seed;

#define FUZZ_SEED(text) \
 { \
  text, sizeof text - 1 \
 }

/* A target calls this when a promise is broken. */
#define FUZZ_PROMISE(condition) \
 do { \
  if (!(condition)) { \
   fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
   abort(); \
  } \
 } while (0)

static uint64_t fuzz_state = 1;

static inline size_t fuzz_below(size_t limit)
{
	fuzz_state ^= fuzz_state << 13;
	fuzz_state ^= fuzz_state >> 7;
	fuzz_state ^= fuzz_state << 17;
	return limit > 0 ? (size_t) (fuzz_state >> 11) % limit : 0;
}

static inline size_t fuzz_remove(uint8_t *data, size_t size)
{
	size_t at = fuzz_below(size);
	size_t len = 1 + fuzz_below(size - at < 8 ? size - at : 8);
	len = len < size - at ? len : size - at;
	memmove(data + at, data + at + len, size - at - len);
	return size - len;
}

static inline size_t fuzz_insert(uint8_t *data, size_t size, const uint8_t *what, size_t len)
{
	if (size + len > FUZZ_INPUT_MAX) {
		return size;
	}
	size_t at = fuzz_below(size + 1);
	memmove(data + at + len, data + at, size - at);
	memcpy(data + at, what, len);
	return size + len;
}

/* One small change. Bytes that mean something come often. */
static inline size_t fuzz_mutate(uint8_t *data, size_t size, const fuzz_seed *other)
{
	static const char marks[] = "+-:$*%>#_,~=(|!@/?&[].;\r\n0123456789";
	uint8_t byte = (uint8_t) (fuzz_below(3) > 0 ? (size_t) marks[fuzz_below(sizeof marks - 1)]
												: fuzz_below(256));
	switch (fuzz_below(size > 0 ? 6 : 1)) {
		case 0:
			return fuzz_insert(data, size, &byte, 1);
		case 1:
			data[fuzz_below(size)] = byte;
			return size;
		case 2:
			return fuzz_remove(data, size);
		case 3:
			data[fuzz_below(size)] ^= (uint8_t) (1 << fuzz_below(8));
			return size;
		case 4: {
			size_t from = fuzz_below(other->size);
			size_t len = fuzz_below(other->size - from + 1);
			return fuzz_insert(data, size, (const uint8_t *) other->data + from, len);
		}
		default:
			return 1 + fuzz_below(size);
	}
}

/* Runs the target so often, each time with a seed that was changed a little, in a block that ends
 * at its end. */
static inline void fuzz_run(
	fuzz_target target, const fuzz_seed *seeds, size_t seed_count, unsigned long rounds)
{
	uint8_t input[FUZZ_INPUT_MAX];
	for (unsigned long round = 0; round < rounds; round++) {
		const fuzz_seed *seed = &seeds[round % seed_count];
		size_t size = seed->size;
		memcpy(input, seed->data, size);
		for (size_t changes = round < seed_count ? 0 : 1 + fuzz_below(8); changes > 0; changes--) {
			size = fuzz_mutate(input, size, &seeds[fuzz_below(seed_count)]);
		}
		uint8_t *exact = malloc(size > 0 ? size : 1);
		if (exact == NULL) {
			return;
		}
		memcpy(exact, input, size);
		target(exact, size);
		free(exact);
	}
}

#ifdef FUZZ_STANDALONE
# define FUZZ_MAIN(target, seeds) \
  int main(int argc, char **argv) \
  { \
   fuzz_state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 1; \
   fuzz_run(target, seeds, sizeof seeds / sizeof seeds[0], \
	   argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000); \
   return 0; \
  }
#else
# define FUZZ_MAIN(target, seeds)
#endif

#endif
