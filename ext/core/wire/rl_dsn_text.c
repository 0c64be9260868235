/* SPDX-License-Identifier: MIT
 *
 * The texts that a DSN consists of.
 */
#include "core/wire/rl_dsn_text.h"

#include <stdlib.h>
#include <string.h>

#define DATABASE_MAX 2147483647

/* ---- cutting ---- */

bool rl_dsn_text_find(rl_bytes text, char c, size_t *at)
{
	const char *hit = text.len > 0 ? memchr(text.data, c, text.len) : NULL;
	if (hit == NULL) {
		return false;
	}
	*at = (size_t) (hit - text.data);
	return true;
}

bool rl_dsn_text_find_last(rl_bytes text, char c, size_t *at)
{
	for (size_t i = text.len; i > 0; i--) {
		if (text.data[i - 1] == c) {
			*at = i - 1;
			return true;
		}
	}
	return false;
}

rl_bytes rl_dsn_text_head(rl_bytes text, size_t len)
{
	return rl_bytes_of(text.data, len);
}

rl_bytes rl_dsn_text_tail(rl_bytes text, size_t from)
{
	return text.len == 0 ? text : rl_bytes_of(text.data + from, text.len - from);
}

rl_bytes rl_dsn_text_cut(rl_bytes *text, char c)
{
	size_t end = text->len;
	bool is_found = rl_dsn_text_find(*text, c, &end);
	rl_bytes piece = rl_dsn_text_head(*text, end);
	*text = rl_dsn_text_tail(*text, is_found ? end + 1 : end);
	return piece;
}

bool rl_dsn_text_is(rl_bytes text, const char *word)
{
	return text.len == strlen(word) && rl_dsn_text_begins(text, word);
}

bool rl_dsn_text_begins(rl_bytes text, const char *prefix)
{
	size_t len = strlen(prefix);
	return text.len >= len && memcmp(text.data, prefix, len) == 0;
}

bool rl_dsn_text_is_ignoring_case(rl_bytes text, const char *word)
{
	if (text.len != strlen(word)) {
		return false;
	}
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != word[i]) {
			return false;
		}
	}
	return true;
}

bool rl_dsn_text_is_plain(rl_bytes text)
{
	bool is_plain = text.len > 0 && text.len <= 32;
	for (size_t i = 0; is_plain && i < text.len; i++) {
		char c = text.data[i];
		is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			c == '_' || c == '-' || c == '+' || c == '.';
	}
	return is_plain;
}

/* ---- decoding ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	c = (char) (c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

rl_status rl_dsn_text_decode(rl_bytes text, rl_secret *out, rl_error *err)
{
	char *data = malloc(text.len + 1);
	if (data == NULL) {
		return rl_dsn_text_no_memory(err);
	}
	size_t used = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] != '%') {
			data[used++] = text.data[i];
			continue;
		}
		int high = i + 2 < text.len ? hex_digit(text.data[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(text.data[i + 2]) : -1;
		if (low < 0) {
			rl_secret unfinished = {data, used};
			rl_secret_wipe(&unfinished);
			return rl_dsn_text_refuse(
				err, "a '%' must be followed by two hex digits; write '%' itself as %25");
		}
		data[used++] = (char) (high * 16 + low);
		i += 2;
	}
	data[used] = '\0';
	*out = (rl_secret){data, used};
	return RL_OK;
}

rl_status rl_dsn_text_check_name(rl_bytes name, rl_error *err)
{
	size_t at;
	if (rl_dsn_text_find(name, '\0', &at)) {
		return rl_dsn_text_refuse(err, "%00, a NUL byte, is allowed in the password only");
	}
	for (size_t i = 0; i < name.len; i++) {
		if ((unsigned char) name.data[i] < 0x20 || name.data[i] == 0x7f) {
			return rl_dsn_text_refuse(err, "control characters are allowed in the password only");
		}
	}
	return RL_OK;
}

rl_status rl_dsn_text_decode_name(rl_bytes text, char **out, rl_error *err)
{
	rl_secret decoded;
	rl_status status = rl_dsn_text_decode(text, &decoded, err);
	if (status != RL_OK) {
		return status;
	}
	status = rl_dsn_text_check_name(rl_bytes_of(decoded.data, decoded.len), err);
	if (status != RL_OK) {
		rl_secret_wipe(&decoded);
		return status;
	}
	*out = decoded.data;
	return RL_OK;
}

/* ---- numbers ---- */

/* strtod() would follow the locale. */
bool rl_dsn_text_read_seconds(rl_bytes text, int64_t *out)
{
	int64_t value = 0;
	int64_t unit = RL_NS_PER_SECOND;
	size_t digits = 0;
	bool is_fraction = false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];
		if (c == '.' && !is_fraction) {
			is_fraction = true;
			continue;
		}
		if (c < '0' || c > '9') {
			return false;
		}
		digits++;
		if (is_fraction) {
			unit /= 10;
			value += (c - '0') * unit;
		} else {
			value = value * 10 + (c - '0') * RL_NS_PER_SECOND;
		}
		if (value > RL_TIMEOUT_MAX_NS) {
			return false;
		}
	}
	*out = value;
	return digits > 0;
}

rl_status rl_dsn_text_read_database(rl_bytes text, unsigned *out, rl_error *err)
{
	return rl_bytes_read_number(text, DATABASE_MAX, out)
		? RL_OK
		: rl_dsn_text_refuse(err, "the database must be a number from 0 to 2147483647");
}

/* ---- errors ---- */

rl_status rl_dsn_text_refuse(rl_error *err, const char *what)
{
	return rl_error_set(err, RL_ERR_ARGUMENT, 0, "%s", what);
}

rl_status rl_dsn_text_no_memory(rl_error *err)
{
	return rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
}
