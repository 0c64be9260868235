/* SPDX-License-Identifier: MIT
 *
 * Outcomes and errors of core. An rl_status is an outcome for the program, an rl_error explains it
 * to a person. Errors are values: core never prints, logs, throws or aborts.
 */
#ifndef RL_STATUS_H
#define RL_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RL_NS_PER_MS INT64_C(1000000)
#define RL_NS_PER_SECOND INT64_C(1000000000)
#define RL_NEVER INT64_MAX /* a point in time that does not come */

#define RL_MUST_USE __attribute__((warn_unused_result))
#define RL_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))

typedef enum rl_status {
	RL_OK = 0,
	/* The answer is "no", such as: another holder has the lock. This is not an error. */
	RL_BUSY,
	RL_ERR_MEMORY, /* out of memory */
	/* The system returned no random bytes. */
	RL_ERR_RANDOM,
	/* A value is invalid, and nothing was sent. */
	RL_ERR_ARGUMENT,
	/* A host name could not be resolved. */
	RL_ERR_NAME,
	/* There is no connection: refused, unreachable, timed out. */
	RL_ERR_CONNECT,
	/* The connection is up, but the answer did not arrive in time. */
	RL_ERR_TIMEOUT,
	RL_ERR_CLOSED, /* the connection broke */
	/* One side speaks TLS and the other does not, or they could not agree: certificates, names,
	 * versions. The server has run no command, and another attempt would fail, too. */
	RL_ERR_TLS,
	/* The answer is not a Redis reply, or does not fit the command. */
	RL_ERR_PROTOCOL,
	/* The server answered with an error, whose code is in rl_error.code. */
	RL_ERR_SERVER,
	/* The server has carried out the command, but too few of its replicas have confirmed it. */
	RL_ERR_UNCONFIRMED,
	/* A command may or may not have taken effect. */
	RL_ERR_UNKNOWN,
	/* The lock was granted too late to be of use, and is undone. */
	RL_ERR_SLOW,
	/* The process was forked during the operation. */
	RL_ERR_FORKED,
} rl_status;

/* Borrowed bytes of any value, NUL included. */
typedef struct rl_bytes {
	const char *data;
	size_t len;
} rl_bytes;

typedef struct rl_error {
	rl_status status;
	int sys_errno; /* the system's errno, or 0 */
	/* RL_ERR_SERVER: the error code of the server, such as NOAUTH. RL_ERR_UNCONFIRMED: the error
	 * code of a server that has refused WAIT. Otherwise empty. */
	char code[32];
	/* Fit to be shown (rl_bytes_shown), without secrets. */
	char message[640];
} rl_error;

/* Fills err, which may be NULL, and returns status, so that a caller can set and return it in one
 * statement. A byte that is not fit to be shown becomes \xHH, here and in rl_error_append(). */
rl_status rl_error_set(rl_error *err, rl_status status, int sys_errno, const char *format, ...)
	RL_PRINTF(4, 5);

/* Appends to the message of err, which may be NULL, and cuts off text that does not fit. */
void rl_error_append(rl_error *err, const char *format, ...) RL_PRINTF(2, 3);

/* Makes err from an error reply "CODE text". Secrets that the server repeats in it are removed: the
 * text is cut off at "with args beginning with", and each given secret of three bytes or more is
 * replaced by "***". */
void rl_error_from_server(
	rl_error *err, rl_bytes text, const rl_bytes *secrets, unsigned secret_count);

/* True for errors of a server, and of its replicas, that may pass by themselves, so that a wait
 * goes on: LOADING, READONLY, MASTERDOWN, NOREPLICAS, MISCONF, TRYAGAIN, CLUSTERDOWN, BUSY,
 * UNBLOCKED, and a server that has reached its limit of clients. */
bool rl_error_passes(const rl_error *err);

/* True for errors that last until an administrator mends them: a command or key that is not
 * allowed, an unknown command, a login that is missing. */
bool rl_error_is_final(const rl_error *err);

/* True when the server is a replica: READONLY, MASTERDOWN. Either it was the primary when the
 * connection was made, or the name or address now leads to another server. The server did not run
 * the command. */
bool rl_error_is_wrong_server(const rl_error *err);

/* True when the helper keys may be the reason: the user may not use them, or may not run a command
 * that they need, or the server is a node of a cluster and another node stores them. */
bool rl_error_is_about_helpers(const rl_error *err);

/* True when the user may not run a command, which then fails for every key: NOPERM that names the
 * command, and the errors inside a script that correspond to it. A right to a key, in contrast, is
 * missing for that key only. */
bool rl_error_names_command(const rl_error *err);

/* True when the server has reached its limit of clients. It sends this error without being asked,
 * and closes the connection. */
bool rl_error_is_full(const rl_error *err);

static inline rl_bytes rl_bytes_of(const char *data, size_t len)
{
	return (rl_bytes){data, len};
}

bool rl_bytes_equal(rl_bytes a, rl_bytes b);

/* FNV-1a. The first state is RL_HASH_BEGIN. */
#define RL_HASH_BEGIN UINT64_C(0xcbf29ce484222325)
static inline uint64_t rl_bytes_hash(uint64_t state, rl_bytes bytes)
{
	for (size_t i = 0; i < bytes.len; i++) {
		state = (state ^ (unsigned char) bytes.data[i]) * UINT64_C(0x100000001b3);
	}
	return state;
}

bool rl_bytes_is(rl_bytes text, const char *word);

/* Writes the decimal digits of the number before end, at most 20 bytes. snprintf() would take
 * longer than all the rest of a command, and is not for a child just forked.
 * @return the first digit */
static inline char *rl_put_digits(char *end, uint64_t number)
{
	do {
		*--end = (char) ('0' + number % 10);
		number /= 10;
	} while (number > 0);
	return end;
}

/* Reads a text of decimal digits. False = the text is no number, or the number exceeds max. */
bool rl_bytes_read_number(rl_bytes text, int64_t max, int64_t *out);

/* Reads seconds such as "0.25" as nanoseconds, rounded down. False = the text is no such number, or
 * the number exceeds max_ns, which is below RL_NEVER by more than a second. */
bool rl_bytes_read_seconds(rl_bytes text, int64_t max_ns, int64_t *out);

/* True for equal texts, and if both are NULL. */
bool rl_text_equal(const char *a, const char *b);

/* Overwrites a secret before its memory is freed. data may be NULL when len is 0. */
void rl_wipe(char *data, size_t len);

/* Seconds as messages show them, rounded to a microsecond: "1", "0.05". The decimal point of
 * printf() would follow the locale.
 * @return room */
#define RL_SECONDS_TEXT 32
const char *rl_seconds_text(int64_t ns, char room[RL_SECONDS_TEXT]);

/* The length of the character at the beginning of the bytes, of which there is at least one, if it
 * is fit to be shown: printable ASCII or UTF-8, but no control character, also not above ASCII, and
 * nothing that changes the direction of the text. 0 = it is not. */
size_t rl_bytes_shown(rl_bytes bytes);

/* Bytes as messages show them: printable bytes unchanged (rl_bytes_shown()), any other byte as
 * \xHH, and "..." after a text that was cut.
 * @return room */
#define RL_BYTES_TEXT 132
const char *rl_bytes_text(rl_bytes bytes, char room[RL_BYTES_TEXT]);

#endif
