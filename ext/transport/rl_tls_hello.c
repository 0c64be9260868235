/* SPDX-License-Identifier: MIT
 *
 * The ClientHello, and how to recognise the answer.
 */
#include "transport/rl_tls_hello.h"

/* RFC 5246, 6.2.1 and 7.4.1.2. The "random" field needs no random bytes, because no key is made
 * from it. */
static const unsigned char hello[] = {
	0x16, 0x03, 0x01, 0x00, 0x37, /* record: handshake, TLS 1.0 as all hellos say, 55 bytes */
	0x01, 0x00, 0x00, 0x33,       /* ClientHello of 51 bytes */
	0x03, 0x03,                   /* TLS 1.2 */
	'd', 'o', 'e', 's', ' ', 't', 'h', 'i', 's', ' ', 'p', 'o', 'r', 't', ' ', 'w', /* random */
	'a', 'n', 't', ' ', 'T', 'L', 'S', '?', ' ', 'r', 'e', 'd', 'i', 's', 'l', 'k', /* 32 bytes */
	0x00,                                                                           /* no session */
	0x00, 0x0c, 0xc0, 0x2f, 0xc0, 0x30, 0xc0, 0x2b, 0xc0, 0x2c, 0x00, 0x9c, 0x00,
	0x2f,       /* ciphers */
	0x01, 0x00, /* no compression */
};

rl_bytes rl_tls_hello(void)
{
	return rl_bytes_of((const char *) hello, sizeof hello);
}

bool rl_tls_is_record(const char *data, size_t len)
{
	enum { ALERT = 0x15, HANDSHAKE = 0x16, MAJOR = 0x03 };
	return len >= 2 && (data[0] == ALERT || data[0] == HANDSHAKE) && data[1] == MAJOR;
}
