/* SPDX-License-Identifier: MIT
 *
 * Builds error values. Each text of a message passes through append_shown(), so a message never has
 * a character that a terminal or a log would obey, wherever the text comes from. The error text of
 * a server is cleaned of secrets, too.
 */
#include "core/base/rl_status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A shorter secret may occur in any text by chance, and replacing it would destroy the message. */
#define SECRET_MIN 3

/* ---- texts that are fit to be shown ---- */

/* The length of the UTF-8 character (RFC 3629) at the beginning of text; 0 = there is none. */
static size_t utf8_len(const unsigned char *text, size_t len)
{
	unsigned char first = text[0];
	if (first < 0xc2 || first > 0xf4) {
		return 0;
	}
	size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	if (len < whole) {
		return 0;
	}
	/* The range of the second byte excludes overlong forms, surrogates, and characters above
	 * U+10FFFF. */
	unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	for (size_t i = 1; i < whole; i++) {
		if (text[i] < (i == 1 ? least : 0x80) || text[i] > (i == 1 ? most : 0xbf)) {
			return 0;
		}
	}
	return whole;
}

/* Of a character of several bytes. */
static uint32_t code_point_of(const unsigned char *text, size_t len)
{
	uint32_t code = text[0] & (0xffU >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		code = code << 6 | (text[i] & 0x3f);
	}
	return code;
}

/* Controls above ASCII: C1, of which U+009B begins a command to a terminal; what changes the
 * direction of the text after it; and the two separators that end a line. */
static bool is_control(uint32_t code)
{
	static const struct {
		uint16_t first, last;
	} ranges[] = {
		{0x80, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
		if (code >= ranges[i].first && code <= ranges[i].last) {
			return true;
		}
	}
	return false;
}

size_t rl_bytes_shown(rl_bytes bytes)
{
	const unsigned char *text = (const unsigned char *) bytes.data;
	if (text[0] < 0x80) {
		return text[0] >= 0x20 && text[0] != 0x7f;
	}
	size_t len = utf8_len(text, bytes.len);
	return len > 0 && !is_control(code_point_of(text, len)) ? len : 0;
}

/* Writes the text to out, which holds it with its NUL as far as it fits: what may be shown
 * unchanged, and each other byte as \xHH.
 * @return how many bytes of the text were written */
static size_t append_shown(char *out, size_t size, rl_bytes text)
{
	size_t used = 0;
	size_t at = 0;
	while (at < text.len) {
		size_t len = rl_bytes_shown(rl_bytes_of(text.data + at, text.len - at));
		if (used + (len > 0 ? len : sizeof "\\xHH" - 1) >= size) {
			break;
		}
		if (len > 0) {
			memcpy(out + used, text.data + at, len);
			used += len;
			at += len;
		} else {
			used += (size_t) snprintf(
				out + used, size - used, "\\x%02x", (unsigned char) text.data[at++]);
		}
	}
	out[used] = '\0';
	return at;
}

const char *rl_bytes_text(rl_bytes bytes, char room[RL_BYTES_TEXT])
{
	static const char dots[] = "...";
	size_t size = RL_BYTES_TEXT - (sizeof dots - 1);
	if (append_shown(room, size, bytes) < bytes.len) {
		memcpy(room + strlen(room), dots, sizeof dots);
	}
	return room;
}

/* ---- errors ---- */

static void append_format(rl_error *err, size_t used, const char *format, va_list args)
{
	char text[sizeof err->message];
	vsnprintf(text, sizeof text, format, args);
	append_shown(err->message + used, sizeof err->message - used, rl_bytes_of(text, strlen(text)));
}

rl_status rl_error_set(rl_error *err, rl_status status, int sys_errno, const char *format, ...)
{
	if (err == NULL) {
		return status;
	}
	err->status = status;
	err->sys_errno = sys_errno;
	err->code[0] = '\0';
	va_list args;
	va_start(args, format);
	append_format(err, 0, format, args);
	va_end(args);
	return status;
}

void rl_error_append(rl_error *err, const char *format, ...)
{
	if (err == NULL) {
		return;
	}
	va_list args;
	va_start(args, format);
	append_format(err, strlen(err->message), format, args);
	va_end(args);
}

/* ---- bytes and numbers ---- */

bool rl_bytes_equal(rl_bytes a, rl_bytes b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

bool rl_bytes_is(rl_bytes text, const char *word)
{
	return rl_bytes_equal(text, rl_bytes_of(word, strlen(word)));
}

bool rl_bytes_read_number(rl_bytes text, int64_t max, int64_t *out)
{
	int64_t value = 0;
	for (size_t i = 0; i < text.len; i++) {
		int digit = text.data[i] - '0';
		if (digit < 0 || digit > 9 || digit > max || value > (max - digit) / 10) {
			return false;
		}
		value = value * 10 + digit;
	}
	*out = value;
	return text.len > 0;
}

/* strtod() would follow the locale. */
bool rl_bytes_read_seconds(rl_bytes text, int64_t max_ns, int64_t *out)
{
	const char *dot = text.len > 0 ? memchr(text.data, '.', text.len) : NULL;
	size_t whole = dot != NULL ? (size_t) (dot - text.data) : text.len;
	int64_t value = 0;
	if (whole > 0 &&
		!rl_bytes_read_number(rl_bytes_of(text.data, whole), max_ns / RL_NS_PER_SECOND, &value)) {
		return false;
	}
	value *= RL_NS_PER_SECOND;
	int64_t unit = RL_NS_PER_SECOND;
	for (size_t i = whole + 1; i < text.len; i++) {
		int digit = text.data[i] - '0';
		if (digit < 0 || digit > 9) {
			return false;
		}
		unit /= 10;
		value += digit * unit;
	}
	*out = value;
	return value <= max_ns && text.len > (dot != NULL);
}

bool rl_text_equal(const char *a, const char *b)
{
	return (a == NULL || b == NULL) ? a == b : strcmp(a, b) == 0;
}

/* The compiler may optimise away a memset() before free(), but not writes through volatile. */
void rl_wipe(char *data, size_t len)
{
	volatile char *byte = data;
	for (size_t i = 0; i < len; i++) {
		byte[i] = 0;
	}
}

const char *rl_seconds_text(int64_t ns, char room[RL_SECONDS_TEXT])
{
	int64_t us = (ns + 500) / 1000;
	int len =
		snprintf(room, RL_SECONDS_TEXT, "%" PRId64 ".%06d", us / 1000000, (int) (us % 1000000));
	while (room[len - 1] == '0') {
		len--;
	}
	room[room[len - 1] == '.' ? len - 1 : len] = '\0';
	return room;
}

/* ---- error replies ---- */

static const char *find_bytes(const char *text, size_t len, const char *what, size_t what_len)
{
	for (size_t at = 0; at + what_len <= len; at++) {
		if (memcmp(text + at, what, what_len) == 0) {
			return text + at;
		}
	}
	return NULL;
}

/* Copies text to out, with "***" for each occurrence of a secret and "?" for each byte that is not
 * printable ASCII.
 * @return the length written */
static size_t copy_without_secrets(
	char *out, size_t size, rl_bytes text, const rl_bytes *secrets, unsigned secret_count)
{
	size_t used = 0;
	size_t at = 0;
	while (at < text.len && used + 4 < size) {
		size_t skip = 0;
		for (unsigned i = 0; i < secret_count; i++) {
			size_t len = secrets[i].len;
			if (len >= SECRET_MIN && len <= text.len - at &&
				memcmp(text.data + at, secrets[i].data, len) == 0 && len > skip) {
				skip = len;
			}
		}
		if (skip > 0) {
			memcpy(out + used, "***", 3);
			used += 3;
			at += skip;
			continue;
		}
		unsigned char c = (unsigned char) text.data[at++];
		out[used++] = (char) (c < 0x20 || c >= 0x7f ? '?' : c);
	}
	out[used] = '\0';
	return used;
}

static void take_code(rl_error *err, rl_bytes text, const rl_bytes *secrets, unsigned secret_count)
{
	size_t len = 0;
	while (len < text.len && len + 1 < sizeof err->code) {
		char c = text.data[len];
		if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) {
			break;
		}
		len++;
	}
	bool is_word = len > 0 && (len == text.len || text.data[len] == ' ');
	for (unsigned i = 0; i < secret_count; i++) {
		is_word = is_word && !rl_bytes_equal(secrets[i], rl_bytes_of(text.data, len));
	}
	memcpy(err->code, is_word ? text.data : "ERR", is_word ? len : 3);
	err->code[is_word ? len : 3] = '\0';
}

static const char *advice_for(const char *code)
{
	static const struct {
		const char *code, *advice;
	} table[] = {
		{"NOAUTH", "put the password into the DSN: redis://:password@host"},
		{"WRONGPASS", "check user and password in the DSN"},
		{"NOPERM", "see docs/rights.md for the ACL rules that locks need"},
		{"WRONGTYPE", "the key is used for something other than a lock; a prefix keeps them apart"},
		{"zset", "the key may be a lock of symfony/lock, which only its owner can free"},
		{"READONLY", "this server is a replica; locks need the primary"},
		{"OOM", "the server has reached its memory limit, maxmemory"},
		{"NOREPLICAS",
			"too few replicas are connected to the server; see its min-replicas-to-write"},
		{"MISCONF", "the server cannot save its data to disk, and refuses writes until it can"},
		{"no password", "this server has no password: remove the password from the DSN"},
		{"DENIED", "the server is in protected mode: it needs a password to accept remote clients"},
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		if (strcmp(code, table[i].code) == 0) {
			return table[i].advice;
		}
	}
	return NULL;
}

/* A right is missing inside a script, which servers report as plain ERR: the first text is from
 * Redis up to 7.0, the second from Redis 7.2 and Valkey. */
static bool is_right_missing(const char *text, size_t len)
{
	static const char redis_7_0[] = "The user executing the script can't";
	static const char later[] = "ACL failure in script";
	return find_bytes(text, len, redis_7_0, sizeof redis_7_0 - 1) != NULL ||
		find_bytes(text, len, later, sizeof later - 1) != NULL;
}

/* The key into the table of advice: usually the error code. Two errors have the code ERR: a right
 * that is missing inside a script, and a password that the server does not expect. WRONGTYPE has
 * another advice for a sorted set. */
static const char *word_for_advice(const rl_error *err, rl_bytes text)
{
	static const char password[] = "without any password configured";
	static const char sorted_set[] = "WRONGTYPE the key holds a zset";
	if (is_right_missing(text.data, text.len)) {
		return "NOPERM";
	}
	if (find_bytes(text.data, text.len, password, sizeof password - 1) != NULL) {
		return "no password";
	}
	if (find_bytes(text.data, text.len, sorted_set, sizeof sorted_set - 1) != NULL) {
		return "zset";
	}
	return err->code;
}

/* Removes the position in the script. Up to Redis 6.2 an error that the server itself raises inside
 * a script, such as READONLY or NOREPLICAS, arrives as "@user_script: 1: -READONLY ...". */
static rl_bytes without_place(rl_bytes text)
{
	static const char place[] = "@user_script: ";
	static const char before_word[] = ": -";
	if (text.len < sizeof place || memcmp(text.data, place, sizeof place - 1) != 0) {
		return text;
	}
	const char *word = find_bytes(text.data, text.len, before_word, sizeof before_word - 1);
	if (word == NULL) {
		return text;
	}
	word += sizeof before_word - 1;
	return rl_bytes_of(word, text.len - (size_t) (word - text.data));
}

void rl_error_from_server(
	rl_error *err, rl_bytes text, const rl_bytes *secrets, unsigned secret_count)
{
	static const char echo[] = "with args beginning with";
	rl_error_set(err, RL_ERR_SERVER, 0, "the server answered: ");
	text = without_place(text);
	take_code(err, text, secrets, secret_count);
	const char *args = find_bytes(text.data, text.len, echo, sizeof echo - 1);
	if (args != NULL) {
		text.len = (size_t) (args - text.data);
		while (text.len > 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == ',')) {
			text.len--;
		}
	}
	if (text.len == 0) {
		rl_error_append(err, "an error without text");
	}
	size_t used = strlen(err->message);
	/* The limit leaves room for the advice. */
	copy_without_secrets(err->message + used, 240 - used, text, secrets, secret_count);
	const char *advice = advice_for(word_for_advice(err, text));
	if (advice != NULL) {
		rl_error_append(err, " (%s)", advice);
	}
}

bool rl_error_passes(const rl_error *err)
{
	static const char *const codes[] = {"LOADING", "READONLY", "MASTERDOWN", "NOREPLICAS",
		"MISCONF", "TRYAGAIN", "CLUSTERDOWN", "BUSY", "UNBLOCKED"};
	if (err->status == RL_ERR_UNCONFIRMED) { /* unless WAIT is forbidden */
		return strcmp(err->code, "NOPERM") != 0 && strstr(err->message, "unknown command") == NULL;
	}
	if (err->status != RL_ERR_SERVER) {
		return false;
	}
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
		if (strcmp(err->code, codes[i]) == 0) {
			return true;
		}
	}
	return rl_error_is_full(err);
}

bool rl_error_is_final(const rl_error *err)
{
	/* The last two errors have no code of their own, so their text is compared. */
	return err->status == RL_ERR_SERVER &&
		(strcmp(err->code, "NOPERM") == 0 || strcmp(err->code, "NOAUTH") == 0 ||
			strstr(err->message, "unknown command") != NULL ||
			is_right_missing(err->message, strlen(err->message)));
}

bool rl_error_is_wrong_server(const rl_error *err)
{
	return err->status == RL_ERR_SERVER &&
		(strcmp(err->code, "READONLY") == 0 || strcmp(err->code, "MASTERDOWN") == 0);
}

bool rl_error_is_about_helpers(const rl_error *err)
{
	return err->status == RL_ERR_SERVER &&
		(strcmp(err->code, "NOPERM") == 0 || strcmp(err->code, "CROSSSLOT") == 0 ||
			strcmp(err->code, "TRYAGAIN") == 0);
}

bool rl_error_names_command(const rl_error *err)
{
	/* The first text is from Redis 6.2 and later, and from Valkey: "NOPERM [this user|User x] has
	 * no permissions to run the 'blpop' command [or its subcommand]". Inside a script the same text
	 * follows "ACL failure in script: "; up to Redis 7.0 a script gets the second text instead. */
	return err->status == RL_ERR_SERVER &&
		(strstr(err->message, "no permissions to run the '") != NULL ||
			strstr(err->message, "can't run this command or subcommand") != NULL);
}

bool rl_error_is_full(const rl_error *err)
{
	/* This error has no code of its own. */
	return err->status == RL_ERR_SERVER && strstr(err->message, "max number of clients") != NULL;
}
