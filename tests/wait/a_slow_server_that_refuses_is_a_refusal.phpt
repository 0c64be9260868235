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
$slow = [wait_for(0.3), 'pass'];
$fake = fake_server([rule('SET', $slow), rule('EVALSHA', $slow), rule('EVAL', $slow)], $server);
foreach ([0.4, 0.5, 0.6, 0.7] as $wait) {
    undisturbed(0.1, function () use ($fake, $wait): void {
        $lock = new RedisLock($fake->dsn(), timeout: 0.5);
        $seconds = elapsed(fn () => $lock->acquire('k', wait: $wait), $token);
        same("wait: $wait", null, $token);
        between("seconds of wait: $wait", $wait, slack($wait + 0.5), $seconds);
    });
}

done();
?>
--EXPECT--
ok
