--TEST--
A handler that closes the connections and throws, when the grant has just arrived, leaves no key.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';
require_once __DIR__ . '/../inc/child.inc';

/* If a handler throws right after a call, PHP forgets the result of the call, whatever the function
 * is. A debug build would report that. PHP 8.5 says that it will lose this setting. */
@ini_set('report_memleaks', '0');
$server = start_server();
$lock = new RedisLock($server->dsn());
pcntl_async_signals(true);
$isArmed = false;
pcntl_signal(SIGUSR1, function () use (&$isArmed, $lock): void {
    if ($isArmed) {
        $isArmed = false;
        $lock->close();
        throw new DomainException('stop');
    }
});
$storm = sprintf('while kill -%d %d; do n=0; while [ $n -lt 30 ]; do n=$((n+1)); done; done',
    SIGUSR1, getmypid());
$null = ['file', '/dev/null', 'r+'];
$sender = proc_open(['/bin/sh', '-c', $storm], [$null, $null, $null], $pipes);
OwnProcesses::add(proc_get_status($sender)['pid']);
$thrown = $left = 0;
for ($until = now() + 2; now() < $until || ($thrown <= 20 && time_left() > 5);) {
    $token = null;
    try {
        $isArmed = true;
        $token = $lock->acquire('k', 60);
        $isArmed = false;
        $lock->release('k', $token);
    } catch (DomainException) {
        $thrown++;
        usleep(1000);
        $left += $token === null ? $server->cmd('DEL', 'k') : 0;
        $server->cmd('DEL', 'k');
    }
}
proc_terminate($sender, SIGKILL);
proc_close($sender);
check('exceptions', $thrown > 20, $thrown);
check('keys left', $left <= 2 + $thrown / 8, "$left of $thrown");

done();
?>
--EXPECT--
ok
