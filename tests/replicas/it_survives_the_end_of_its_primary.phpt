--TEST--
The replica has a lock whose primary is killed right after the grant.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/replicas.inc';

$rounds = rounds(10, 300);
$all = start_replicated();
$dsn = $all->dsn(rest: '&timeout=' . room(1.0) . '&replicas_timeout=' . room(0.1));
for ($i = 0; $i < $rounds; $i++) {
    $lock = new RedisLock($dsn, persistent: false);
    $token = $lock->acquire('k', 30);
    $all->primary->kill();
    same("round $i", $token, $all->replicas[0]->cmd('GET', 'k'));
    $all->primary->start();
    $all->attach();
}

done();
?>
--EXPECT--
ok
