/* SPDX-License-Identifier: MIT
 *
 * Any bytes as the texts that core reads beside DSNs and replies: options of TLS, tokens, labels,
 * redirects, keys, names of seeds, secrets, and the error text of a server. The first byte of an
 * input chooses which of these the rest is.
 */
#include "core/base/rl_token.h"
#include "core/wire/rl_names.h"
#include "core/wire/rl_order_name.h"
#include "core/wire/rl_redirect.h"
#include "core/wire/rl_slot.h"
#include "core/wire/rl_tls_options.h"

#include "fuzz.h"

#ifndef FUZZ_TEXT
# define FUZZ_TEXT LLVMFuzzerTestOneInput
#endif

int FUZZ_TEXT(const uint8_t *data, size_t size);

static const fuzz_seed text_seeds[] = {
	FUZZ_SEED("\0cafile=/a&capath=/b&local_cert=/c&local_pk=/d&passphrase=x&peer_name=y&ciphers=z"),
	FUZZ_SEED("\0verify_peer=0&verify_peer_name=off&min_version=1.3&SNI_enabled=yes"),
	FUZZ_SEED("\1rl1.AQ8dKzlHVWNxf42bqbfF0-Hv@web-3:8812"),
	FUZZ_SEED("\2MOVED 3999 127.0.0.1:6381"),
	FUZZ_SEED("\2ASK 0 ::1:7000"),
	FUZZ_SEED("\3{user}:42{x}"),
	FUZZ_SEED("\4WRONGPASS invalid hunter2"),
	FUZZ_SEED("\4@user_script: 1: -READONLY You can't write"),
	FUZZ_SEED("\4ERR unknown command 'X', with args beginning with: 'hunter2' "),
	FUZZ_SEED("\5\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\x92\xc2\x9b\xe2\x80\xae\x1b[31m"),
	FUZZ_SEED("\6Node-3.Example:7000"),
	FUZZ_SEED("\7hunter2 the secret is hunter2, and a part of it is hunter"),
};

#define SECRET "hunter2"

/* ---- readers ---- */

/* Pairs as in a query, "name=value&name". */
static void set_all(rl_tls_options *options, rl_bytes text)
{
	rl_error err;
	while (text.len > 0) {
		const char *end = memchr(text.data, '&', text.len);
		size_t len = end != NULL ? (size_t) (end - text.data) : text.len;
		const char *mark = memchr(text.data, '=', len);
		size_t name_len = mark != NULL ? (size_t) (mark - text.data) : len;
		rl_bytes value =
			mark != NULL ? rl_bytes_of(mark + 1, len - name_len - 1) : rl_bytes_of(NULL, 0);
		rl_status status =
			rl_tls_options_set(options, rl_bytes_of(text.data, name_len), value, &err);
		FUZZ_PROMISE(status == RL_OK || fuzz_is_fit(err.message, sizeof err.message));
		len += end != NULL;
		text = rl_bytes_of(text.data + len, text.len - len);
	}
}

static void read_tls_options(rl_bytes text)
{
	rl_error err;
	rl_tls_options *options = rl_tls_options_new();
	FUZZ_PROMISE(options != NULL);
	set_all(options, text);
	rl_status status = rl_tls_options_check(options, &err);
	FUZZ_PROMISE(status == RL_OK || fuzz_is_fit(err.message, sizeof err.message));
	rl_tls_options *copy = rl_tls_options_copy(options);
	FUZZ_PROMISE(copy != NULL && rl_tls_options_equal(options, copy));
	FUZZ_PROMISE(rl_tls_options_add(copy, options) && rl_tls_options_equal(copy, options));
	rl_tls_options_free(copy);
	rl_tls_options_free(options);
}

static bool draw(void *ctx, void *out, size_t len)
{
	memcpy(out, ctx, len);
	return true;
}

static int64_t some_date(void *ctx)
{
	(void) ctx;
	return INT64_C(1700000000);
}

/* Other processes see in a token with this label that it was drawn. */
static void read_drawn(const rl_label *label)
{
	char random[64] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char token[RL_TOKEN_LABELLED_MAX];
	rl_env env = {.ctx = random, .random = draw, .date = some_date};
	FUZZ_PROMISE(rl_token_draw(&env, token) == RL_OK);
	rl_token_put_label(token, label);
	rl_bytes text = rl_bytes_of(token, rl_token_len(label));
	FUZZ_PROMISE(rl_token_is_drawn(text) && rl_token_date(text) == some_date(NULL));
	FUZZ_PROMISE(rl_bytes_equal(rl_token_label(text), rl_bytes_of(label->text, label->len)));
}

static void read_token(rl_bytes text)
{
	rl_bytes label = rl_token_label(text);
	FUZZ_PROMISE(!rl_token_is_drawn(text) || text.len == RL_TOKEN_LEN || label.len > 0);
	int64_t date = rl_token_date(text);
	FUZZ_PROMISE(date >= 0 && date < INT64_C(1) << 36);
	FUZZ_PROMISE(date == 0 || rl_token_is_drawn(text));
	if (label.len > 0) {
		FUZZ_PROMISE(rl_label_is_valid(label));
		FUZZ_PROMISE(label.data >= text.data && label.data + label.len <= text.data + text.len);
	}
	rl_label made;
	if (rl_label_is_valid(text)) {
		rl_label_set(&made, text);
		FUZZ_PROMISE(rl_bytes_equal(rl_bytes_of(made.text, made.len), text));
		read_drawn(&made);
	}
	rl_label_set_default(&made, text, UINT64_MAX);
	FUZZ_PROMISE(rl_label_is_valid(rl_bytes_of(made.text, made.len)));
}

static void read_redirect(rl_bytes text)
{
	rl_redirect redirect = rl_redirect_read(text);
	if (redirect.kind != RL_REDIRECT_NONE) {
		FUZZ_PROMISE(redirect.slot < RL_SLOTS && redirect.port > 0);
		FUZZ_PROMISE(redirect.host.len == 0 || rl_is_host(redirect.host));
	}
}

/* Where names are in one slot, that is the slot of the key. An empty key is refused before. */
static void read_key(rl_bytes key)
{
	if (key.len == 0) {
		return;
	}
	char *room = malloc(rl_names_size(key.len));
	FUZZ_PROMISE(room != NULL);
	rl_names names = rl_names_put(room, key, RL_NAMES_PLAIN);
	FUZZ_PROMISE(rl_bytes_equal(names.key, key));
	names = rl_names_put(room, key, RL_NAMES_IN_SLOT);
	FUZZ_PROMISE(rl_bytes_equal(names.key, key) && names.slot == rl_slot_of(key));
	if (names.mark.data != NULL) {
		FUZZ_PROMISE(rl_slot_of(names.mark) == names.slot);
		FUZZ_PROMISE(rl_slot_of(names.tickets) == names.slot);
	}
	free(room);
}

static bool is_same(rl_bytes a, rl_bytes b)
{
	return rl_bytes_equal(a, b);
}

/* The names of the permits differ, and are in one slot where all names must be. */
static void read_permits(rl_bytes key)
{
	static const rl_naming namings[] = {RL_NAMES_PLAIN, RL_NAMES_IN_SLOT};
	for (unsigned i = 0; i < 2 && key.len > 0; i++) {
		if (!rl_names_have_helpers(key, namings[i])) {
			continue;
		}
		char *room = malloc(rl_names_size(key.len));
		char *permits = malloc(rl_names_permits_size(key.len, RL_PERMITS_MAX));
		char *fence_room = malloc(rl_names_fence_size(key.len));
		FUZZ_PROMISE(room != NULL && permits != NULL && fence_room != NULL);
		rl_names names = rl_names_put(room, key, namings[i]);
		const rl_bytes *keys = rl_names_put_permits(permits, &names, RL_PERMITS_MAX);
		rl_bytes fence = rl_names_put_fence(fence_room, key, namings[i]);
		FUZZ_PROMISE(is_same(keys[0], key) && !is_same(fence, key));
		for (unsigned k = 1; k < RL_PERMITS_MAX; k++) {
			FUZZ_PROMISE(!is_same(keys[k], keys[k - 1]) && !is_same(keys[k], fence));
			FUZZ_PROMISE(keys[k].len <= RL_PERMIT_NAME_MAX(key.len));
			FUZZ_PROMISE(namings[i] == RL_NAMES_PLAIN || rl_slot_of(keys[k]) == names.slot);
		}
		FUZZ_PROMISE(namings[i] == RL_NAMES_PLAIN || rl_slot_of(fence) == names.slot);
		FUZZ_PROMISE(rl_names_may_be_helper(fence) && rl_names_may_be_helper(names.mark));
		free(fence_room);
		free(permits);
		free(room);
	}
}

/* Of two seeds the order does not matter. */
static void read_seed_name(rl_bytes text)
{
	char *host = strndup(text.data, text.len);
	char *name = NULL;
	char *other = NULL;
	char fixed[] = "Node-3.example";
	FUZZ_PROMISE(host != NULL);
	rl_address first = {.kind = RL_NET_TCP, .host = host, .port = 7000};
	rl_address second = {.kind = RL_NET_TCP, .host = fixed, .port = 7000};
	FUZZ_PROMISE(rl_order_name_add_seed(&name, &first) && rl_order_name_add_seed(&name, &second));
	FUZZ_PROMISE(rl_order_name_add_seed(&other, &second) && rl_order_name_add_seed(&other, &first));
	FUZZ_PROMISE(strcmp(name, other) == 0);
	FUZZ_PROMISE(rl_order_name_set_service(&name, host));
	free(host);
	free(name);
	free(other);
}

/* The first word of the text is a secret of ours, which the server repeats. */
static void read_secret(rl_bytes text)
{
	const char *end = text.len > 0 ? memchr(text.data, ' ', text.len) : NULL;
	size_t len = end != NULL ? (size_t) (end - text.data) : 0;
	rl_bytes secret = rl_bytes_of(text.data, len);
	char *copy = strndup(text.data, len);
	rl_error err;
	FUZZ_PROMISE(copy != NULL);
	rl_error_from_server(&err, rl_bytes_of(text.data + len, text.len - len), &secret, 1);
	FUZZ_PROMISE(fuzz_is_fit(err.message, sizeof err.message));
	/* A short one may be a part of our own words, and what the message has in place of a secret or
	 * of a byte may complete one. */
	bool may_arise = strlen(copy) < 8 || strpbrk(copy, "*?") != NULL;
	FUZZ_PROMISE(may_arise || strlen(copy) != len || strstr(err.message, copy) == NULL);
	free(copy);
}

static void read_error(rl_bytes text)
{
	rl_bytes secret = rl_bytes_of(SECRET, sizeof SECRET - 1);
	rl_error err;
	rl_error_from_server(&err, text, &secret, 1);
	FUZZ_PROMISE(err.status == RL_ERR_SERVER);
	FUZZ_PROMISE(fuzz_is_fit(err.message, sizeof err.message));
	FUZZ_PROMISE(fuzz_is_fit(err.code, sizeof err.code));
	FUZZ_PROMISE(strstr(err.message, SECRET) == NULL && strstr(err.code, SECRET) == NULL);
}

static void read_quoted(rl_bytes text)
{
	char room[RL_BYTES_TEXT];
	FUZZ_PROMISE(text.len == 0 || fuzz_is_fit(rl_bytes_text(text, room), sizeof room));
	char *whole = strndup(text.data, text.len);
	FUZZ_PROMISE(whole != NULL);
	rl_error err;
	rl_error_set(&err, RL_ERR_ARGUMENT, 0, "not %s", whole);
	rl_error_append(&err, "; %s", whole);
	FUZZ_PROMISE(fuzz_is_fit(err.message, sizeof err.message));
	free(whole);
}

/* ---- the target ---- */

int FUZZ_TEXT(const uint8_t *data, size_t size)
{
	static void (*const readers[])(rl_bytes text) = {read_tls_options, read_token, read_redirect,
		read_key, read_error, read_quoted, read_seed_name, read_secret, read_permits};
	if (size > 0) {
		readers[data[0] % (sizeof readers / sizeof readers[0])](
			rl_bytes_of((const char *) data + 1, size - 1));
	}
	return 0;
}

FUZZ_MAIN(FUZZ_TEXT, text_seeds)
