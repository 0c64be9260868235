/* SPDX-License-Identifier: MIT
 *
 * The limits for bench/tls.php: the same as cycle_hiredis.c over TLS. hiredis formats and parses.
 * OpenSSL works between two buffers, by a BIO of its own, as in ext/transport/rl_tls.c, or reads
 * and writes the socket itself. Either way a command is one write and one read.
 *
 * usage: cycle_tls PORT CA_FILE [socket]
 */
#include "cycle.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <sys/socket.h>

#define RECORD_BYTES (16 * 1024)

static int fd;
static bool has_socket; /* OpenSSL reads and writes the socket */
static SSL *ssl;
static redisReader *reader;
static char in[2 * RECORD_BYTES];
static size_t in_start, in_end;
static char out[2 * RECORD_BYTES];
static size_t out_end;

/* ---- the two ends of OpenSSL ---- */

static int end_read(BIO *bio, char *data, int size)
{
	size_t length = in_end - in_start < (size_t) size ? in_end - in_start : (size_t) size;
	BIO_clear_retry_flags(bio);
	if (length == 0) {
		BIO_set_retry_read(bio);
		return -1;
	}
	memcpy(data, in + in_start, length);
	in_start += length;
	return (int) length;
}

static int end_write(BIO *bio, const char *data, int size)
{
	BIO_clear_retry_flags(bio);
	if ((size_t) size > sizeof out - out_end) {
		return -1;
	}
	memcpy(out + out_end, data, (size_t) size);
	out_end += (size_t) size;
	return size;
}

static long end_control(BIO *bio, int command, long number, void *pointer)
{
	(void) bio;
	(void) number;
	(void) pointer;
	return command == BIO_CTRL_FLUSH;
}

/* ---- the socket ---- */

static void send_out(void)
{
	for (size_t sent = 0; sent < out_end;) {
		ssize_t taken = send(fd, out + sent, out_end - sent, MSG_NOSIGNAL);
		if (taken < 0) {
			stop("cannot send");
		}
		sent += (size_t) taken;
	}
	out_end = 0;
}

static void receive_in(void)
{
	ssize_t got = recv(fd, in, sizeof in, 0);
	if (got <= 0) {
		stop("the connection broke");
	}
	in_start = 0;
	in_end = (size_t) got;
}

static void connect_to(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t) port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int on = 1;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *) &address, sizeof address) != 0) {
		stop("cannot connect");
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* ---- TLS ---- */

static BIO *new_buffers(void)
{
	BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "bench");
	if (method == NULL) {
		stop("cannot set up TLS");
	}
	BIO_meth_set_read(method, end_read);
	BIO_meth_set_write(method, end_write);
	BIO_meth_set_ctrl(method, end_control);
	BIO *bio = BIO_new(method);
	if (bio == NULL) {
		stop("cannot set up TLS");
	}
	BIO_set_init(bio, 1);
	return bio;
}

static void set_up_tls(const char *ca_file)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	if (context == NULL || SSL_CTX_load_verify_locations(context, ca_file, NULL) != 1) {
		stop("cannot set up TLS");
	}
	SSL_CTX_set_read_ahead(context, has_socket); /* a record is one read() */
	ssl = SSL_new(context);
	if (ssl == NULL || (has_socket && SSL_set_fd(ssl, fd) != 1)) {
		stop("cannot set up TLS");
	}
	if (!has_socket) {
		BIO *bio = new_buffers();
		SSL_set_bio(ssl, bio, bio);
	}
	SSL_set_verify(ssl, SSL_VERIFY_PEER, NULL);
	SSL_set_connect_state(ssl);
}

static void shake_hands(void)
{
	int done;
	while ((done = SSL_do_handshake(ssl)) != 1) {
		if (SSL_get_error(ssl, done) != SSL_ERROR_WANT_READ) {
			stop("the handshake failed");
		}
		send_out();
		receive_in();
	}
}

/* Reads until hiredis has a reply. */
static redisReply *ask(int argc, const char **argv, const size_t *lengths)
{
	char *command;
	void *reply = NULL;
	char plain[RECORD_BYTES];
	int length = (int) redisFormatCommandArgv(&command, argc, argv, lengths);
	if (length < 0 || SSL_write(ssl, command, length) != length) {
		stop("cannot encrypt");
	}
	redisFreeCommand(command);
	send_out();
	while (reply == NULL) {
		if (!has_socket && in_start == in_end) {
			receive_in();
		}
		int got = SSL_read(ssl, plain, sizeof plain);
		if (got > 0) {
			redisReaderFeed(reader, plain, (size_t) got);
			redisReaderGetReply(reader, &reply);
		} else if (SSL_get_error(ssl, got) != SSL_ERROR_WANT_READ) {
			stop("cannot decrypt");
		}
	}
	return reply;
}

int main(int argc, char **argv)
{
	has_socket = argc == 4 && strcmp(argv[3], "socket") == 0;
	if (argc != 3 && !has_socket) {
		return 2;
	}
	reader = redisReaderCreate();
	connect_to(atoi(argv[1]));
	set_up_tls(argv[2]);
	shake_hands();
	serve();
	return 0;
}
