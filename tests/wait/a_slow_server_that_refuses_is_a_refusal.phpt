--TEST--
A wait on a server that answers slowly, but answers, ends with null.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$server->cmd('SET', 'k', 'stranger');
/* From then on there is one answer for each try. */
learn_scripts(new RedisLock($server->dsn()), 'k');
$unit = room(0.1);
$slow = [wait_for(3 * $unit), 'pass'];
$fake = fake_server([rule('SET', $slow), rule('EVALSHA', $slow), rule('EVAL', $slow)], $server);
foreach ([4, 5, 6, 7] as $units) {
    undisturbed(0.1, function () use ($fake, $unit, $units): void {
        $wait = $units * $unit;
        $lock = new RedisLock($fake->dsn(), timeout: 5 * $unit);
        $seconds = elapsed(fn () => $lock->acquire('k', wait: $wait), $token);
        same("wait: $wait", null, $token);
        between("seconds of wait: $wait", $wait, $wait + slack(0.5), $seconds);
    });
}

done();
?>
--EXPECT--
ok
