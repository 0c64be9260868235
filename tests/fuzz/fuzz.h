/* SPDX-License-Identifier: MIT
 *
 * What the fuzz targets share. A target is a function and its seeds, and scripts/fuzz makes a
 * program of it:
 *
 * - with clang and libFuzzer (-DFUZZ_LIBFUZZER), which looks for inputs that reach new branches;
 * - without them (-DFUZZ_STANDALONE, any compiler): then main() mutates the seeds in a fixed
 *   pseudo-random way, "fuzz_dsn ROUNDS SEED", or runs all files of some folders, "fuzz_dsn replay
 *   FOLDER...".
 *
 * Both write the seeds into a folder by "fuzz_dsn seeds FOLDER", one file each. The programs
 * tests/unit/test_transport_*fuzz.c include the targets. They run them for a moment, and once for
 * each input of tests/fuzz/corpus.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <dirent.h>
#include <stdbool.h>
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

/* The input that is being replayed; NULL = the input is from elsewhere. */
static const char *fuzz_file;

/* A target calls this when a promise is broken. */
#define FUZZ_PROMISE(condition) \
 do { \
  if (!(condition)) { \
   fprintf(stderr, "%s:%d: broken%s%s: %s\n", __FILE__, __LINE__, fuzz_file != NULL ? " by " : "", \
	   fuzz_file != NULL ? fuzz_file : "", #condition); \
   abort(); \
  } \
 } while (0)

/* ---- messages ---- */

/* The length of the UTF-8 character at the beginning of text; 0 = there is none, or it is a
 * control character. Deliberately does not call the code of core, because the fuzzers judge core
 * by this function. */
static inline size_t fuzz_char(const unsigned char *text)
{
	static const struct {
		uint32_t lead, mask, least;
	} kinds[] = {{0x00, 0x80, 0}, {0xc0, 0xe0, 0x80}, {0xe0, 0xf0, 0x800}, {0xf0, 0xf8, 0x10000}};
	for (size_t more = 0; more < 4; more++) {
		if ((text[0] & kinds[more].mask) != kinds[more].lead) {
			continue;
		}
		uint32_t code = text[0] & ~kinds[more].mask;
		for (size_t i = 1; i <= more; i++) {
			if ((text[i] & 0xc0) != 0x80) {
				return 0;
			}
			code = code * 64 + (text[i] & 0x3f);
		}
		bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
			code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
			(code >= 0x2066 && code <= 0x2069);
		bool is_none = code < kinds[more].least || code > 0x10ffff || code >> 11 == 0xd800 >> 11;
		return is_control || is_none ? 0 : more + 1;
	}
	return 0;
}

/* True for a message that is not empty, fits, and shows nothing that a terminal would obey. */
static inline bool fuzz_is_fit(const char *message, size_t size)
{
	size_t len = strnlen(message, size);
	if (len == 0 || len == size) {
		return false;
	}
	for (size_t at = 0; at < len;) {
		size_t one = fuzz_char((const unsigned char *) message + at);
		if (one == 0) {
			return false;
		}
		at += one;
	}
	return true;
}

/* ---- mutations ---- */

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

/* ---- files ---- */

/* Runs the target with the bytes of the file, in a block that ends at their end. */
static inline void fuzz_run_file(fuzz_target target, const char *path)
{
	FILE *file = fopen(path, "rb");
	FUZZ_PROMISE(file != NULL);
	char bytes[FUZZ_INPUT_MAX];
	size_t size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	uint8_t *exact = malloc(size > 0 ? size : 1);
	FUZZ_PROMISE(exact != NULL);
	memcpy(exact, bytes, size);
	target(exact, size);
	free(exact);
}

/* The same for each file of the folder. A broken promise is preceded by the name of the file.
 * @return how many files there were */
static inline unsigned fuzz_replay(fuzz_target target, const char *folder)
{
	unsigned count = 0;
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	while (entries != NULL && (entry = readdir(entries)) != NULL) {
		char path[FUZZ_INPUT_MAX];
		if (entry->d_name[0] != '.') {
			snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
			fuzz_file = path;
			fuzz_run_file(target, path);
			fuzz_file = NULL;
			count++;
		}
	}
	if (entries != NULL) {
		closedir(entries);
	}
	return count;
}

/* Defines a unit test of the target fuzz_NAME (tests/unit/check.h): its corpus, and then so many
 * mutations, which are always the same. */
#define FUZZ_TEST(name, rounds) \
 static void name(void) \
 { \
  fuzz_state = 1; \
  CHECK(fuzz_replay(fuzz_##name, "tests/fuzz/corpus/" #name) > 0); \
  fuzz_run(fuzz_##name, name##_seeds, FUZZ_COUNT(name##_seeds), rounds); \
 }

/* ---- programs ---- */

/* Writes the seeds and ends the program, if its arguments are "seeds FOLDER". */
static inline void fuzz_write_seeds(
	int argc, char *const *argv, const fuzz_seed *seeds, size_t seed_count)
{
	if (argc != 3 || strcmp(argv[1], "seeds") != 0) {
		return;
	}
	for (size_t i = 0; i < seed_count; i++) {
		char path[FUZZ_INPUT_MAX];
		snprintf(path, sizeof path, "%s/seed-%02zu", argv[2], i);
		FILE *file = fopen(path, "wb");
		if (file == NULL || fwrite(seeds[i].data, 1, seeds[i].size, file) != seeds[i].size ||
			fclose(file) != 0) {
			perror(path);
			exit(1);
		}
	}
	exit(0);
}

#define FUZZ_COUNT(seeds) (sizeof seeds / sizeof seeds[0])

#if defined FUZZ_STANDALONE
# define FUZZ_MAIN(target, seeds) \
  int main(int argc, char **argv) \
  { \
   fuzz_write_seeds(argc, argv, seeds, FUZZ_COUNT(seeds)); \
   if (argc > 1 && strcmp(argv[1], "replay") == 0) { \
	for (int i = 2; i < argc; i++) { \
	 printf("%u inputs of %s\n", fuzz_replay(target, argv[i]), argv[i]); \
	} \
	return 0; \
   } \
   fuzz_state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2 + 1 : 1; \
   fuzz_run(target, seeds, FUZZ_COUNT(seeds), argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000); \
   return 0; \
  }
#elif defined FUZZ_LIBFUZZER
# define FUZZ_MAIN(target, seeds) \
  int LLVMFuzzerInitialize(int *argc, char ***argv); \
  int LLVMFuzzerInitialize(int *argc, char ***argv) \
  { \
   fuzz_write_seeds(*argc, *argv, seeds, FUZZ_COUNT(seeds)); \
   return 0; \
  }
#else
# define FUZZ_MAIN(target, seeds)
#endif

#endif
