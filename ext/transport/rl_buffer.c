/* SPDX-License-Identifier: MIT */
#include "transport/rl_buffer.h"

/* What stands around a text at most: "$", 20 digits, and two ends of lines. */
#define FRAME_MAX 25

static inline char *put_end_of_line(char *out)
{
	memcpy(out, "\r\n", 2);
	return out + 2;
}

/* Nearly all counts and lengths have one digit or two. */
static inline char *put_count(char *out, char sign, size_t count)
{
	*out++ = sign;
	if (count < 10) {
		*out++ = (char) ('0' + count);
	} else if (count < 100) {
		*out++ = (char) ('0' + count / 10);
		*out++ = (char) ('0' + count % 10);
	} else {
		char digits[20];
		const char *first = rl_put_digits(digits + sizeof digits, count);
		size_t len = (size_t) (digits + sizeof digits - first);
		memcpy(out, first, len);
		out += len;
	}
	return put_end_of_line(out);
}

size_t rl_buffer_append_command(rl_buffer *buffer, unsigned argc, const rl_bytes *argv)
{
	size_t most = FRAME_MAX;
	for (unsigned i = 0; i < argc; i++) {
		most += FRAME_MAX + argv[i].len;
	}
	if (!rl_buffer_reserve(buffer, most)) {
		return 0;
	}
	char *begin = buffer->data + buffer->end;
	char *out = put_count(begin, '*', argc);
	for (unsigned i = 0; i < argc; i++) {
		out = put_count(out, '$', argv[i].len);
		if (argv[i].len > 0) { /* else there may be no data at all */
			memcpy(out, argv[i].data, argv[i].len);
			out += argv[i].len;
		}
		out = put_end_of_line(out);
	}
	buffer->end += (size_t) (out - begin);
	return (size_t) (out - begin);
}
