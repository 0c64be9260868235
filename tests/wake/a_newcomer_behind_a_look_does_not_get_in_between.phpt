--TEST--
A look that finds the lock free reserves it for the waiter that it wakes: a SET right after the look does not win.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$server->cmd('SCRIPT', 'FLUSH');
$monitor = $server->monitor();
$lock = new RedisLock($server->dsn());
$lock->isLocked('k');
hold($server, 'k', (int) (1000 * room(0.2)));
matches('a wait with a look', TOKEN, (string) $lock->acquire('k', 30, slack(5.0)));
$looks = array_filter($monitor->named('EVAL'), fn ($command) => count($command['args']) === 9);
same('the text of a look', 1, count($looks));
$look = reset($looks)['args'];
for ($round = 0; $round < 10; $round++) {
    hold($server, 'k');
    $waiter = waiter($server->dsn(), 'k');
    queued($server, 1);
    $newcomer = $server->newClient();
    $newcomer->pipeline(['DEL', 'k'], $look, ['SET', 'k', 'newcomer', 'NX', 'PX', 1000]);
    same('DEL', 1, $newcomer->read());
    same('the look finds nobody', 0, $newcomer->read()[2]);
    same('the newcomer', null, $newcomer->read());
    woken('by the look of another', $waiter->result());
}

done();
?>
--EXPECT--
ok
