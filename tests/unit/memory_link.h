/* SPDX-License-Identifier: MIT
 *
 * Links to servers inside the process, and commands to them as texts.
 */
#ifndef MEMORY_LINK_H
#define MEMORY_LINK_H

#include "transport/rl_link.h"

/* Dials memory://NAME.
 * @param err NULL = the dial must not be refused
 * @return NULL = the dial was refused, and err says why */
rl_link *memory_dial(rl_net *net, const char *name, rl_fault fault, rl_error *err);

/* Appends a command whose words stand between blanks. @try stands for the text of a script, #try
 * for its SHA1. */
void memory_append(rl_link *link, const char *command);

/* Appends the command and sends it. */
void memory_say(rl_link *link, const char *command);

/* The next reply as a text, such as "+OK", ":1", "nil", "[:1 a]" or "-ERR what"; "none" = nothing
 * has arrived, "down" = the link is broken. The text stays until the next call. */
const char *memory_hear(rl_link *link);

/* True when bytes have arrived that the link has not read yet. */
bool memory_has_arrived(const rl_link *link);

#endif
