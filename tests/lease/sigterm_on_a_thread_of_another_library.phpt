--TEST--
SIGTERM on a thread of another library also frees the leases, but in a forked child no lease of the parent.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/renew.inc';
skip_without_server();
skip_under_valgrind(); /* a process that is killed frees nothing */
skip_without_sigterm();
if (ini_of_extension('ffi') === null) {
    die('skip no ffi');
}
if (!is_file('/lib/x86_64-linux-gnu/libc.so.6')) {
    die('skip written for glibc on amd64');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';
require __DIR__ . '/../inc/sigterm.inc';

/* A thread that sleeps in pause(), and a way to send it a signal. */
const THREAD = '
    $libc = FFI::cdef("void *dlsym(void *, const char *); typedef unsigned long pthread_t;
        int pthread_create(pthread_t *, void *, void *, void *); int pthread_kill(pthread_t, int);
        typedef struct { unsigned long bits[16]; } sigset_t;
        int pthread_sigmask(int, sigset_t *, sigset_t *);", "libc.so.6");
    $thread = $libc->new("pthread_t[1]");
    function begin_thread(): void {
        global $libc, $thread;
        $libc->pthread_create($thread, null, $libc->dlsym(null, "pause"), null);
    }
    function signal_thread(int $signal): void {
        global $libc, $thread;
        $libc->pthread_kill($thread[0], $signal);
    }';
$ini = ini_of_extension('ffi') + ['ffi.enable' => '1'];

$server = start_server();
$rounds = rounds(10, 1000);
foreach (['it sleeps' => 'sleep(60);', 'it is busy' => 'while (true) { }'] as $what => $then) {
    for ($round = 0; $round < $rounds / 2; $round++) {
        $worker = start_php(CHILD_BEGINS . THREAD
            . "\$lease = \$lock->lease('k', 60); begin_thread(); signal_thread(15); $then",
            [$server->dsn()], $ini);
        $start = now();
        $output = $worker->output();
        same("$what: output", '', $output);
        same("$what: status", -SIGTERM, $worker->status());
        between("$what: its end", 0, 2.0 + slack(2.0), now() - $start);
        same("$what: keys", [], $server->locks());
    }
}

$worker = start_php(CHILD_BEGINS . THREAD . '$lease = $lock->lease("k", 60);
    $child = pcntl_fork();
    if ($child === 0) { begin_thread(); signal_thread(15); sleep(60); }
    pcntl_waitpid($child, $status);
    echo pcntl_wifsignaled($status) ? pcntl_wtermsig($status) : "exit", "\n";
    echo $lease->isHeld() && $lease->verify() ? "held\n" : "lost\n";', [$server->dsn()], $ini);
same('in a forked child', "15\nheld\n", $worker->output());
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
