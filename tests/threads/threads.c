/* SPDX-License-Identifier: MIT
 *
 * Several PHP threads in one process, as in a web server that has threads: each runs the script
 * again and again, a request each time. There are two waves of threads, for what a thread leaves
 * behind would meet the next one.
 *
 * usage: threads SCRIPT THREADS REQUESTS DSN
 *
 * The script gets the number of its thread, that of its request, and the DSN. The extension is
 * loaded by php.ini.
 */
#include <sapi/embed/php_embed.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WAVES 2
#define THREADS_MAX 64

ZEND_TSRMLS_CACHE_DEFINE()

static char *script;
static char *dsn;
static int requests;

static void request(int thread, int number)
{
	char thread_text[16];
	char number_text[16];
	snprintf(thread_text, sizeof thread_text, "%d", thread);
	snprintf(number_text, sizeof number_text, "%d", number);
	char *argv[] = {script, thread_text, number_text, dsn, NULL};
	SG(request_info).argc = 4;
	SG(request_info).argv = argv;
	if (php_request_startup() == FAILURE) {
		abort();
	}
	SG(headers_sent) = 1;
	SG(request_info).no_headers = 1;
	zend_file_handle file;
	zend_stream_init_filename(&file, script);
	php_execute_script(&file);
	zend_destroy_file_handle(&file);
	php_request_shutdown(NULL);
}

static void *run(void *thread)
{
	ts_resource(0);
	ZEND_TSRMLS_CACHE_UPDATE();
	for (int i = 0; i < requests; i++) {
		request((int) (intptr_t) thread, i);
	}
	ts_free_thread();
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc == 5 ? atoi(argv[2]) : 0;
	if (count < 1 || count > THREADS_MAX) {
		fprintf(stderr, "usage: threads SCRIPT THREADS REQUESTS DSN\n");
		return 2;
	}
	script = argv[1];
	requests = atoi(argv[3]);
	dsn = argv[4];
	if (php_embed_init(1, argv) == FAILURE) {
		return 1;
	}
	for (int wave = 0; wave < WAVES; wave++) {
		pthread_t threads[THREADS_MAX];
		for (int i = 0; i < count; i++) {
			if (pthread_create(&threads[i], NULL, run, (void *) (intptr_t) (wave * count + i)) !=
				0) {
				abort();
			}
		}
		for (int i = 0; i < count; i++) {
			pthread_join(threads[i], NULL);
		}
	}
	php_embed_shutdown();
	return 0;
}
