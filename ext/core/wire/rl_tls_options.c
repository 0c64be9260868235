/* SPDX-License-Identifier: MIT */
#include "core/wire/rl_tls_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum value_kind {
	TEXT,
	SWITCH,
	VERSION,
} value_kind;

static const struct {
	const char *name;
	value_kind kind;
} known[RL_TLS_OPTION_COUNT] = {
	[RL_TLS_CAFILE] = {"cafile", TEXT},
	[RL_TLS_CAPATH] = {"capath", TEXT},
	[RL_TLS_LOCAL_CERT] = {"local_cert", TEXT},
	[RL_TLS_LOCAL_PK] = {"local_pk", TEXT},
	[RL_TLS_PASSPHRASE] = {"passphrase", TEXT},
	[RL_TLS_PEER_NAME] = {"peer_name", TEXT},
	[RL_TLS_VERIFY_PEER] = {"verify_peer", SWITCH},
	[RL_TLS_VERIFY_PEER_NAME] = {"verify_peer_name", SWITCH},
	[RL_TLS_MIN_VERSION] = {"min_version", VERSION},
	[RL_TLS_CIPHERS] = {"ciphers", TEXT},
	[RL_TLS_SNI_ENABLED] = {"SNI_enabled", SWITCH},
};

const char *rl_tls_option_name(rl_tls_option option)
{
	return known[option].name;
}

/* ---- life ---- */

rl_tls_options *rl_tls_options_new(void)
{
	return calloc(1, sizeof(rl_tls_options));
}

void rl_tls_options_free(rl_tls_options *options)
{
	if (options == NULL) {
		return;
	}
	for (unsigned i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		char *value = options->values[i];
		rl_wipe(value, value != NULL ? strlen(value) : 0);
		free(value);
	}
	free(options);
}

bool rl_tls_options_add(rl_tls_options *options, const rl_tls_options *defaults)
{
	for (unsigned i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		if (options->values[i] == NULL && defaults->values[i] != NULL) {
			options->values[i] = strdup(defaults->values[i]);
			if (options->values[i] == NULL) {
				return false;
			}
		}
	}
	return true;
}

rl_tls_options *rl_tls_options_copy(const rl_tls_options *options)
{
	rl_tls_options *copy = rl_tls_options_new();
	if (copy != NULL && !rl_tls_options_add(copy, options)) {
		rl_tls_options_free(copy);
		return NULL;
	}
	return copy;
}

bool rl_tls_options_is_any_set(const rl_tls_options *options)
{
	bool is_any = false;
	for (unsigned i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		is_any = is_any || options->values[i] != NULL;
	}
	return is_any;
}

/* ---- values ---- */

/* The value as it is stored; NULL data = it is wrong. */
static rl_bytes read_switch(rl_bytes value)
{
	static const char *const words[][2] = {
		{"1", "0"}, {"true", "false"}, {"on", "off"}, {"yes", "no"}};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		for (size_t is_off = 0; is_off < 2; is_off++) {
			if (rl_bytes_is(value, words[i][is_off])) {
				return rl_bytes_of(words[0][is_off], 1);
			}
		}
	}
	return (rl_bytes){NULL, 0};
}

static rl_status fail(rl_error *err, rl_tls_option option, const char *what)
{
	return rl_error_set(err, RL_ERR_ARGUMENT, 0, "the TLS option %s %s", known[option].name, what);
}

static rl_status check_value(rl_tls_option option, rl_bytes *value, rl_error *err)
{
	switch (known[option].kind) {
		case TEXT:
			if (value->len == 0) {
				return fail(err, option, "must not be empty");
			}
			if (memchr(value->data, '\0', value->len) != NULL) {
				return fail(err, option, "must not contain a NUL byte");
			}
			if (option == RL_TLS_PEER_NAME && value->data[0] == '.') {
				/* OpenSSL would accept every name below this one. */
				return fail(err, option, "must not begin with a dot");
			}
			return RL_OK;
		case SWITCH:
			*value = read_switch(*value);
			return value->data != NULL ? RL_OK : fail(err, option, "must be true or false");
		case VERSION:
			return rl_bytes_is(*value, "1.2") || rl_bytes_is(*value, "1.3")
				? RL_OK
				: fail(err, option, "must be 1.2 or 1.3");
	}
	return RL_OK;
}

/* Lists the names in the message. */
static rl_status fail_unknown(rl_error *err, rl_bytes name)
{
	char shown[RL_BYTES_TEXT];
	rl_error_set(err, RL_ERR_ARGUMENT, 0, "the TLS option %s is unknown; the options are",
		rl_bytes_text(name, shown));
	for (unsigned i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		rl_error_append(err, "%s %s", i == 0 ? "" : ",", known[i].name);
	}
	return RL_ERR_ARGUMENT;
}

rl_status rl_tls_options_set(rl_tls_options *options, rl_bytes name, rl_bytes value, rl_error *err)
{
	rl_tls_option option = 0;
	while (option < RL_TLS_OPTION_COUNT && !rl_bytes_is(name, known[option].name)) {
		option++;
	}
	if (option == RL_TLS_OPTION_COUNT) {
		return fail_unknown(err, name);
	}
	if (value.data == NULL) {
		return RL_OK;
	}
	if (options->values[option] != NULL) {
		return fail(err, option, "is given twice");
	}
	rl_status status = check_value(option, &value, err);
	if (status != RL_OK) {
		return status;
	}
	options->values[option] = strndup(value.data, value.len);
	return options->values[option] != NULL ? RL_OK
										   : rl_error_set(err, RL_ERR_MEMORY, 0, "out of memory");
}

/* ---- questions ---- */

rl_status rl_tls_options_check(const rl_tls_options *options, rl_error *err)
{
	static const rl_tls_option of_certificate[] = {RL_TLS_LOCAL_PK, RL_TLS_PASSPHRASE};
	for (unsigned i = 0; i < 2; i++) {
		if (options->values[of_certificate[i]] != NULL &&
			options->values[RL_TLS_LOCAL_CERT] == NULL) {
			return fail(err, of_certificate[i], "needs local_cert, the client certificate");
		}
	}
	return RL_OK;
}

bool rl_tls_options_equal(const rl_tls_options *a, const rl_tls_options *b)
{
	if (a == NULL || b == NULL) {
		return a == b;
	}
	for (unsigned i = 0; i < RL_TLS_OPTION_COUNT; i++) {
		if (!rl_text_equal(a->values[i], b->values[i])) {
			return false;
		}
	}
	return true;
}

bool rl_tls_is_on(const rl_tls_options *options, rl_tls_option option)
{
	const char *value = options->values[option];
	return value == NULL || value[0] == '1';
}
