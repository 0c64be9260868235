/* SPDX-License-Identifier: MIT
 *
 * The digest beside each script is the one that the server will compute: SHA-1, as in RFC 3174.
 */
#include "check.h"
#include "core/wire/rl_script.h"

#include <stdio.h>
#include <string.h>

#define BLOCK 64

static uint32_t rotate(uint32_t value, unsigned bits)
{
	return value << bits | value >> (32 - bits);
}

static void add_block(uint32_t h[5], const unsigned char *block)
{
	uint32_t w[80];
	for (unsigned t = 0; t < 16; t++) {
		w[t] = (uint32_t) block[4 * t] << 24 | (uint32_t) block[4 * t + 1] << 16 |
			(uint32_t) block[4 * t + 2] << 8 | block[4 * t + 3];
	}
	for (unsigned t = 16; t < 80; t++) {
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	}
	uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
	for (unsigned t = 0; t < 80; t++) {
		uint32_t f = t < 20     ? (b & c) | (~b & d)
			: t >= 40 && t < 60 ? (b & c) | (b & d) | (c & d)
								: b ^ c ^ d;
		uint32_t k = t < 20 ? 0x5a827999 : t < 40 ? 0x6ed9eba1 : t < 60 ? 0x8f1bbcdc : 0xca62c1d6;
		uint32_t next = rotate(a, 5) + f + e + w[t] + k;
		e = d, d = c, c = rotate(b, 30), b = a, a = next;
	}
	h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
}

static void sha1(const char *text, size_t len, char out[41])
{
	uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
	unsigned char block[BLOCK];
	size_t at = 0;
	for (; len - at >= BLOCK; at += BLOCK) {
		add_block(h, (const unsigned char *) text + at);
	}
	size_t rest = len - at;
	memset(block, 0, BLOCK);
	memcpy(block, text + at, rest);
	block[rest] = 0x80;
	if (rest >= BLOCK - 8) {
		add_block(h, block);
		memset(block, 0, BLOCK);
	}
	for (unsigned i = 0; i < 8; i++) {
		block[BLOCK - 1 - i] = (unsigned char) ((uint64_t) len * 8 >> 8 * i);
	}
	add_block(h, block);
	snprintf(out, 41, "%08x%08x%08x%08x%08x", h[0], h[1], h[2], h[3], h[4]);
}

static void the_digest_of_this_test_is_right(void)
{
	char digest[41];
	sha1("abc", 3, digest);
	CHECK_TEXT(digest, "a9993e364706816aba3e25717850c26c9cd0d89d");
	sha1("", 0, digest);
	CHECK_TEXT(digest, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, digest);
	CHECK_TEXT(digest, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

static void each_digest_is_that_of_its_text(void)
{
	static const rl_script_id ids[RL_SCRIPTS] = {RL_SCRIPT_TRY, RL_SCRIPT_RELEASE, RL_SCRIPT_EXTEND,
		RL_SCRIPT_RENEW, RL_SCRIPT_PROBE, RL_SCRIPT_INSPECT, RL_SCRIPT_FORCE, RL_SCRIPT_SWAP,
		RL_SCRIPT_FENCE, RL_SCRIPT_FREE_ANY, RL_SCRIPT_SCAN};
	for (unsigned i = 0; i < RL_SCRIPTS; i++) {
		const rl_script *script = rl_script_get(ids[i]);
		char digest[41];
		CHECK_INT(strlen(script->text), (int64_t) script->text_len);
		CHECK_INT(strlen(script->sha1), 40);
		sha1(script->text, script->text_len, digest);
		CHECK_TEXT(script->sha1, digest);
	}
}

static void no_script_pastes_text_in(void)
{
	for (unsigned i = 0; i < RL_SCRIPTS; i++) {
		const char *text = rl_script_get((rl_script_id) i)->text;
		bool has_permits = i == RL_SCRIPT_TRY || i == RL_SCRIPT_PROBE;
		bool has_helpers = i == RL_SCRIPT_RELEASE || i == RL_SCRIPT_INSPECT || i == RL_SCRIPT_FORCE;
		CHECK_HAS(text,
			i == RL_SCRIPT_FREE_ANY   ? "KEYS[i]"
				: i == RL_SCRIPT_SCAN ? "ARGV[2]"
									  : "KEYS[1]");
		CHECK_HAS(text, "ARGV[1]");
		CHECK_INT(strstr(text, "KEYS[s+2]") != NULL, has_permits);
		CHECK_INT(strstr(text, "KEYS[3]") != NULL, has_helpers);
		CHECK_INT(strstr(text, "KEYS[2]") != NULL, has_helpers || i == RL_SCRIPT_FENCE);
		/* Lua's own format of a number. */
		const char *percent = strchr(text, '%');
		CHECK(percent == NULL || (i == RL_SCRIPT_FENCE && strncmp(percent, "%.0f'", 5) == 0));
		CHECK(strchr(text, '\n') == NULL);
	}
}

/* An error inside a script must not keep the lock from being freed, nor lose its code: see
 * rl_script.c. */
static void no_script_calls_what_may_raise(void)
{
	for (unsigned i = 0; i < RL_SCRIPTS; i++) {
		CHECK(strstr(rl_script_get((rl_script_id) i)->text, "redis.call") == NULL);
	}
}

static const check_test tests[] = {
	TEST(the_digest_of_this_test_is_right),
	TEST(each_digest_is_that_of_its_text),
	TEST(no_script_pastes_text_in),
	TEST(no_script_calls_what_may_raise),
};

CHECK_MAIN(tests, NULL)
