--TEST--
Document 001: the lock has the properties that a lock must have, as far as they are implemented.
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

$server = start_server();
putenv('REDIS_URL=' . $server->dsn());
require __DIR__ . '/../../examples/from-the-articles/001-properties.php';

same('keys after the example', [], $server->keys());

// Mutual exclusion, between processes: what each of them does to a counter is never lost.
$counter = "$server->folder/counter";
file_put_contents($counter, '0');
$pids = [];
for ($i = 0; $i < 4; $i++) {
    $pids[] = in_fork(function () use ($server, $counter): void {
        $lock = new RedisLock($server->dsn());
        for ($n = 0; $n < 25; $n++) {
            $token = $lock->acquire('counter', ttl: 30, wait: slack(30));
            $seen = (int) file_get_contents($counter);
            usleep(500);
            file_put_contents($counter, $seen + 1);
            same('release()', true, $lock->release('counter', $token));
        }
    });
}
array_map(reap(...), $pids);
same('the counter', '100', file_get_contents($counter));

// Way 4 and way 5 of the document on the wire: one command, milliseconds, a value of one's own.
$lock = new RedisLock($server->dsn());
$monitor = $server->monitor();
same('way 4', '1234', $lock->acquire('lock', ttl: 10, token: '1234'));
same('its command', 'SET lock TOKEN NX PX 10000', ($monitor->lines())[0]);
same('a client of way 1 is refused', 0, $server->cmd('SETNX', 'lock', '1'));
$way5 = "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";
same('a client of way 5 frees it', 1, $server->cmd('EVAL', $way5, 1, 'lock', '1234'));
same('way 5: a key that is gone', false, $lock->release('lock', '1234'));

done();
?>
--EXPECT--
mutual exclusion:           yes
only the holder releases:   yes
released on timeout:        yes
the late holder is told:    yes
error differs from refusal: yes
on a connection kept:       yes
ok
