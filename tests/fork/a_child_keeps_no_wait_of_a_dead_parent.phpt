--TEST--
When a process dies in a wait, the server cancels the wait, although a forked child lives that never uses the extension.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';
require __DIR__ . '/../inc/loop.inc';
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$held = hold($server, 'k');
[$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$parent = in_fork(function () use ($server, $theirs): void {
    $lock = new RedisLock($server->dsn());
    RedisLock::waitWith(Loop::wait(...));
    Loop::spawn(fn () => $lock->acquire('k', 60, 60));
    Loop::run(fn () => (int) $server->client()->info('clients')['blocked_clients'] === 1);
    fwrite($theirs, in_fork(function () use ($theirs): void {
        sleep(60);
    }) . "\n");
    sleep(60);
});
$child = (int) fgets($ours);
queued($server, 1);
send_signal($parent, SIGKILL);
pcntl_waitpid($parent, $status);
OwnProcesses::remove($parent);
queued($server, 0);
$lock->release('k', $held);
$token = $lock->acquire('k', 60, 10);
matches('another client gets it', TOKEN, (string) $token);
check('the child still lives', is_dir("/proc/$child"));
send_signal($child, SIGKILL);
$lock->release('k', $token);

done();
?>
--EXPECT--
ok
