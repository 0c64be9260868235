/* SPDX-License-Identifier: MIT
 *
 * Makes, copies and compares targets.
 */
#include "core/wire/rl_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rl_target *rl_target_new(void)
{
	rl_target *target = calloc(1, sizeof *target);
	if (target != NULL) {
		target->refs = 1;
	}
	return target;
}

static const char *const fault_names[] = {[RL_FAULT_NONE] = "",
	[RL_FAULT_REFUSED] = "refused",
	[RL_FAULT_TIMEOUT] = "timeout",
	[RL_FAULT_READONLY] = "readonly",
	[RL_FAULT_LOST_REPLY] = "lost-reply"};

bool rl_fault_read(rl_bytes text, rl_fault *fault)
{
	for (unsigned i = RL_FAULT_REFUSED; i <= RL_FAULT_LOST_REPLY; i++) {
		if (rl_bytes_is(text, fault_names[i])) {
			*fault = (rl_fault) i;
			return true;
		}
	}
	return false;
}

/* ---- names ---- */

/* How many bytes at the beginning of the text a name has unchanged. The parser of DSNs takes a
 * service of letters, digits and these marks only. */
static size_t kept_len(rl_bytes text, rl_encoding encoding)
{
	char c = *text.data;
	bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		strchr("._-+", c) != NULL;
	if (is_plain || encoding == RL_ENCODE_SERVICE) {
		return is_plain;
	}
	return strchr(" %#?,", c) == NULL ? rl_bytes_shown(text) : 0;
}

size_t rl_target_encode(const char *text, rl_encoding encoding, char *out)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t used = 0;
	while (*text != '\0') {
		size_t len = kept_len(rl_bytes_of(text, strlen(text)), encoding);
		memcpy(out + used, text, len);
		used += len;
		text += len;
		if (len == 0) {
			unsigned char byte = (unsigned char) *text++;
			out[used++] = '%';
			out[used++] = digits[byte / 16];
			out[used++] = digits[byte % 16];
		}
	}
	out[used] = '\0';
	return used;
}

/* @param name has room for the encoded host and 64 bytes more */
static void put_address(char *name, size_t size, const rl_address *address)
{
	bool is_v6 = strchr(address->host, ':') != NULL;
	switch (address->kind) {
		case RL_NET_TCP:
			snprintf(name, size, is_v6 ? "%s://[%s]:%u" : "%s://%s:%u",
				address->tls != NULL ? "rediss" : "redis", address->host, (unsigned) address->port);
			break;
		case RL_NET_UNIX:
			rl_target_encode(address->host, RL_ENCODE_PATH, name + snprintf(name, size, "unix://"));
			break;
		case RL_NET_MEMORY:
			snprintf(name, size, "memory://%s%s%s", address->host,
				address->fault != RL_FAULT_NONE ? "?fail=" : "", fault_names[address->fault]);
			break;
	}
}

bool rl_target_set_name(rl_target *target)
{
	const rl_address *address = &target->address;
	size_t size = RL_ENCODED_MAX * strlen(address->host) + 64;
	char *name = malloc(size);
	if (name == NULL) {
		return false;
	}
	put_address(name, size, address);
	if (target->database != 0) {
		const char *format = address->kind == RL_NET_UNIX ? "?db=%u" : "/%u";
		size_t used = strlen(name);
		snprintf(name + used, size - used, format, target->database);
	}
	free(target->name);
	target->name = name;
	return true;
}

rl_target *rl_target_ref(rl_target *target)
{
	target->refs++;
	return target;
}

void rl_secret_wipe(rl_secret *secret)
{
	rl_wipe(secret->data, secret->len);
	free(secret->data);
	*secret = (rl_secret){0};
}

void rl_target_unref(rl_target *target)
{
	if (target == NULL || --target->refs > 0) {
		return;
	}
	rl_secret_wipe(&target->password);
	free(target->user);
	free(target->address.host);
	rl_tls_options_free(target->address.tls);
	free(target->name);
	free(target);
}

static bool copy_text(char **to, const char *from)
{
	*to = from != NULL ? strdup(from) : NULL;
	return *to != NULL || from == NULL;
}

static bool copy_tls(rl_tls_options **to, const rl_tls_options *from)
{
	*to = from != NULL ? rl_tls_options_copy(from) : NULL;
	return *to != NULL || from == NULL;
}

static bool copy_secret(rl_secret *to, const rl_secret *from)
{
	if (from->data == NULL) {
		return true;
	}
	to->data = malloc(from->len + 1);
	if (to->data == NULL) {
		return false;
	}
	memcpy(to->data, from->data, from->len);
	to->data[from->len] = '\0';
	to->len = from->len;
	return true;
}

rl_target *rl_target_copy(const rl_target *target)
{
	rl_target *copy = rl_target_new();
	if (copy == NULL) {
		return NULL;
	}
	copy->address.kind = target->address.kind;
	copy->address.port = target->address.port;
	copy->address.fault = target->address.fault;
	copy->database = target->database;
	copy->replicas = target->replicas;
	copy->replicas_ms = target->replicas_ms;
	copy->must_be_primary = target->must_be_primary;
	copy->label = target->label;
	if (!copy_text(&copy->address.host, target->address.host) ||
		!copy_tls(&copy->address.tls, target->address.tls) ||
		!copy_text(&copy->user, target->user) || !copy_text(&copy->name, target->name) ||
		!copy_secret(&copy->password, &target->password)) {
		rl_target_unref(copy);
		return NULL;
	}
	return copy;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

/* Host names are compared without regard to case. */
static bool same_name(const char *a, const char *b)
{
	while (*a != '\0' && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return lower(*a) == lower(*b);
}

bool rl_address_equal(const rl_address *a, const rl_address *b)
{
	if (a->kind != b->kind || a->port != b->port || a->fault != b->fault) {
		return false;
	}
	return a->kind == RL_NET_TCP ? same_name(a->host, b->host) : strcmp(a->host, b->host) == 0;
}

bool rl_target_equal(const rl_target *a, const rl_target *b)
{
	return a == b ||
		(a->database == b->database && a->replicas == b->replicas &&
			a->replicas_ms == b->replicas_ms && a->must_be_primary == b->must_be_primary &&
			rl_address_equal(&a->address, &b->address) &&
			rl_tls_options_equal(a->address.tls, b->address.tls) &&
			rl_text_equal(a->user, b->user) &&
			(a->password.data == NULL) == (b->password.data == NULL) &&
			rl_bytes_equal(rl_bytes_of(a->password.data, a->password.len),
				rl_bytes_of(b->password.data, b->password.len)));
}
