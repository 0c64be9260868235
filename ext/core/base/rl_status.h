/* SPDX-License-Identifier: MIT
 *
 * Outcomes and errors of core. A status answers "what happened"; an rl_error says it to a person.
 * Errors are values: core never prints, logs, throws or aborts.
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
	RL_BUSY,         /* refused: it is someone else's. An answer, not an error */
	RL_ERR_MEMORY,   /* malloc gave nothing */
	RL_ERR_RANDOM,   /* the system gave no random bytes */
	RL_ERR_ARGUMENT, /* a bad value; nothing was sent */
	RL_ERR_NAME,     /* a host name could not be resolved */
	RL_ERR_CONNECT,  /* no connection: refused, unreachable, timed out */
	RL_ERR_TIMEOUT,  /* connected, but the answer did not come in time */
	RL_ERR_CLOSED,   /* the connection broke */
	RL_ERR_TLS,      /* what answers there speaks TLS: no command was understood, let alone run */
	RL_ERR_PROTOCOL, /* what came back is not a Redis reply, or not one for this command */
	RL_ERR_SERVER,   /* the server answered with an error; its word is in code */
	RL_ERR_UNKNOWN,  /* a command may or may not have taken effect */
	RL_ERR_SLOW,     /* granted, but too late to be of use; given back */
	RL_ERR_FORKED,   /* the process was forked under the operation */
} rl_status;

/* Bytes that somebody else owns; any value, also NUL. */
typedef struct rl_bytes {
	const char *data;
	size_t len;
} rl_bytes;

typedef struct rl_error {
	rl_status status;
	int sys_errno;     /* the system's errno, or 0 */
	char code[32];     /* RL_ERR_SERVER: the server's word, such as NOAUTH; else empty */
	char message[640]; /* for a person; no secret, printable ASCII or UTF-8 */
} rl_error;

/* Fills err (which may be NULL) and returns status, so that a failure is one line. */
rl_status rl_error_set(rl_error *err, rl_status status, int sys_errno, const char *format, ...)
	RL_PRINTF(4, 5);

/* Appends to err's message; what does not fit is cut. */
void rl_error_append(rl_error *err, const char *format, ...) RL_PRINTF(2, 3);

/* Makes err from an error reply "CODE text". Secrets that the server echoes are blotted out:
 * whatever follows "with args beginning with", and each of the given secrets of three bytes or
 * more. */
void rl_error_from_server(
	rl_error *err, rl_bytes text, const rl_bytes *secrets, unsigned secret_count);

/* True for server errors that pass by themselves, so that a wait goes on: LOADING, READONLY,
 * MASTERDOWN, NOREPLICAS, MISCONF, TRYAGAIN, CLUSTERDOWN, BUSY, UNBLOCKED, and a server that is
 * full. */
bool rl_error_passes(const rl_error *err);

/* True for errors that do not pass without somebody's doing: a command or a key that is not
 * allowed. */
bool rl_error_is_final(const rl_error *err);

/* True when the server is a replica: READONLY, MASTERDOWN. It was the primary when it was dialled,
 * or the name or address leads elsewhere by now. It did not run the command. */
bool rl_error_is_wrong_server(const rl_error *err);

/* True when the helper keys are the reason: the user may not use them (or a command on them), or
 * this is a node of a cluster and they are on another. */
bool rl_error_is_about_helpers(const rl_error *err);

/* True when a right for a command is missing, so that it is missing for every key: NOPERM that
 * names the command, and what stands for it inside a script. A right for a key is missing for that
 * key only. */
bool rl_error_names_command(const rl_error *err);

/* True when the server has no room for another client: it says so unasked, and closes. */
bool rl_error_is_full(const rl_error *err);

static inline rl_bytes rl_bytes_of(const char *data, size_t len)
{
	return (rl_bytes){data, len};
}

bool rl_bytes_equal(rl_bytes a, rl_bytes b);

/* Seconds as messages show them: "1", "0.05", to a microsecond. printf's own numbers follow the
 * locale.
 * @return room */
#define RL_SECONDS_TEXT 32
const char *rl_seconds_text(int64_t ns, char room[RL_SECONDS_TEXT]);

/* Bytes as messages show them: printable ASCII and UTF-8 as they are, any other byte as \xHH; "..."
 * behind what is cut.
 * @return room */
#define RL_BYTES_TEXT 132
const char *rl_bytes_text(rl_bytes bytes, char room[RL_BYTES_TEXT]);

#endif
