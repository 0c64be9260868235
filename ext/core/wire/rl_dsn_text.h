/* SPDX-License-Identifier: MIT
 *
 * The texts that a DSN consists of: how they are cut, decoded, and read as numbers. Each function
 * works on a view (rl_bytes) of the DSN.
 */
#ifndef RL_DSN_TEXT_H
#define RL_DSN_TEXT_H

#include "core/wire/rl_target.h"

/* The limits of a timeout, both in a DSN and as an argument. */
#define RL_TIMEOUT_MIN_NS RL_NS_PER_MS
#define RL_TIMEOUT_MAX_NS (3600 * RL_NS_PER_SECOND)

/* ---- cutting ---- */

/* @param[out] at where the first c is; unchanged when there is none */
bool rl_dsn_text_find(rl_bytes text, char c, size_t *at);

/* The same for the last c. */
bool rl_dsn_text_find_last(rl_bytes text, char c, size_t *at);

/* The first len bytes. */
rl_bytes rl_dsn_text_head(rl_bytes text, size_t len);

/* The bytes from this position on. */
rl_bytes rl_dsn_text_tail(rl_bytes text, size_t from);

/* Cuts off the text before the first c. The c itself is dropped. */
rl_bytes rl_dsn_text_cut(rl_bytes *text, char c);

bool rl_dsn_text_is(rl_bytes text, const char *word);
bool rl_dsn_text_begins(rl_bytes text, const char *prefix);

/* @param word in lower case */
bool rl_dsn_text_is_ignoring_case(rl_bytes text, const char *word);

/* True when the text is short and has only harmless characters, so that an error may quote it. */
bool rl_dsn_text_is_plain(rl_bytes text);

/* ---- decoding ---- */

/* Percent-decodes text into a new string that ends with a NUL. */
rl_status rl_dsn_text_decode(rl_bytes text, rl_secret *out, rl_error *err) RL_MUST_USE;

/* The same for a name, which becomes a C string and may be shown. */
rl_status rl_dsn_text_decode_name(rl_bytes text, char **out, rl_error *err) RL_MUST_USE;

/* Refuses a decoded name that has control characters. */
rl_status rl_dsn_text_check_name(rl_bytes name, rl_error *err) RL_MUST_USE;

/* ---- numbers ---- */

/* Reads seconds such as "0.25" as nanoseconds. False = no number, or more than an hour. */
bool rl_dsn_text_read_seconds(rl_bytes text, int64_t *out);

/* The number of a database. */
rl_status rl_dsn_text_read_database(rl_bytes text, unsigned *out, rl_error *err) RL_MUST_USE;

/* ---- errors ---- */

/* An RL_ERR_ARGUMENT with this message. */
rl_status rl_dsn_text_refuse(rl_error *err, const char *what);

rl_status rl_dsn_text_no_memory(rl_error *err);

#endif
