/* SPDX-License-Identifier: MIT
 *
 * Error values: building them, and making a server's error text fit to be shown.
 */
#include "core/rl_status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A secret shorter than this is in every text by chance; blotting it out would destroy the message. */
#define SECRET_MIN 3

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
	vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	return status;
}

void rl_error_append(rl_error *err, const char *format, ...)
{
	size_t used = strlen(err->message);
	va_list args;
	va_start(args, format);
	vsnprintf(err->message + used, sizeof err->message - used, format, args);
	va_end(args);
}

bool rl_bytes_equal(rl_bytes a, rl_bytes b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static const char *find_bytes(const char *text, size_t len, const char *what, size_t what_len)
{
	for (size_t at = 0; at + what_len <= len; at++) {
		if (memcmp(text + at, what, what_len) == 0) {
			return text + at;
		}
	}
	return NULL;
}

/* Copies text to out with each occurrence of a secret as "***"; returns the length written. */
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
		{"NOPERM", "the ACL rule that a lock needs is in the README"},
		{"WRONGTYPE",
			"the key is in use for something that is not a lock; a prefix keeps them apart"},
		{"READONLY", "this server is a replica; a lock needs the primary"},
		{"OOM", "the server is out of memory"},
		{"MOVED", "this server is a node of a cluster, which is not supported yet"},
		{"no password", "this server wants no password: leave it out of the DSN"},
		{"DENIED", "the server is in protected mode"},
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		if (strcmp(code, table[i].code) == 0) {
			return table[i].advice;
		}
	}
	return NULL;
}

/* The word that an error should have. Redis 7 tells of a right that is missing inside a script, and of a
 * password that is not wanted, as ERR. */
static const char *word_for_advice(const rl_error *err, rl_bytes text)
{
	static const char right[] = "The user executing the script can't";
	static const char password[] = "without any password configured";
	if (find_bytes(text.data, text.len, right, sizeof right - 1) != NULL) {
		return "NOPERM";
	}
	if (find_bytes(text.data, text.len, password, sizeof password - 1) != NULL) {
		return "no password";
	}
	return err->code;
}

void rl_error_from_server(
	rl_error *err, rl_bytes text, const rl_bytes *secrets, unsigned secret_count)
{
	static const char echo[] = "with args beginning with";
	rl_error_set(err, RL_ERR_SERVER, 0, "the server answered: ");
	take_code(err, text, secrets, secret_count);
	const char *args = find_bytes(text.data, text.len, echo, sizeof echo - 1);
	if (args != NULL) {
		text.len = (size_t) (args - text.data);
		while (text.len > 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == ',')) {
			text.len--;
		}
	}
	if (text.len == 0) {
		rl_error_append(err, "an error without a text");
	}
	size_t used = strlen(err->message);
	/* Room is left for the advice. */
	copy_without_secrets(err->message + used, 240 - used, text, secrets, secret_count);
	const char *advice = advice_for(word_for_advice(err, text));
	if (advice != NULL) {
		rl_error_append(err, " (%s)", advice);
	}
}

bool rl_error_passes(const rl_error *err)
{
	static const char *const codes[] = {
		"LOADING", "READONLY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "BUSY", "UNBLOCKED"};
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

bool rl_error_is_full(const rl_error *err)
{
	/* It has no word of its own. */
	return err->status == RL_ERR_SERVER && strstr(err->message, "max number of clients") != NULL;
}
