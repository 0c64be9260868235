/* SPDX-License-Identifier: MIT
 *
 * The names of members for rl_order().
 */
#include "core/wire/rl_order_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rl_order_name_set_service(char **name, const char *service)
{
	size_t size = strlen(service) + sizeof "sentinel:";
	char *made = malloc(size);
	if (made == NULL) {
		return false;
	}
	snprintf(made, size, "sentinel:%s", service);
	free(*name);
	*name = made;
	return true;
}

static void to_lower(char *text)
{
	for (; *text != '\0'; text++) {
		*text = *text >= 'A' && *text <= 'Z' ? (char) (*text - 'A' + 'a') : *text;
	}
}

bool rl_order_name_add_seed(char **name, const rl_address *seed)
{
	size_t size = strlen(seed->host) + sizeof "cluster:[]:65535";
	char *made = malloc(size);
	if (made == NULL) {
		return false;
	}
	bool is_v6 = strchr(seed->host, ':') != NULL;
	snprintf(
		made, size, is_v6 ? "cluster:[%s]:%u" : "cluster:%s:%u", seed->host, (unsigned) seed->port);
	to_lower(made);
	char *other = *name;
	if (other == NULL || strcmp(made, other) < 0) {
		*name = made;
		made = other;
	}
	free(made);
	return true;
}
