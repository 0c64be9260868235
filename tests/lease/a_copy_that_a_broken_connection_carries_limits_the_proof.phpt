--TEST--
If extend() was sent again on a new connection, the server may still run the first copy, and no more is proven than that copy leaves. A copy of resume() shortens nothing.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
$fake = fake_server([], $server, true);
$lock = new RedisLock($fake->dsn(), timeout: slack(1.0));
foreach ([false, true] as $renews) {
    $what = $renews ? 'renewed' : 'not renewed';

    /* Without trouble the last one counts. */
    $lease = $lock->lease('k', 60, renew: $renews);
    same("$what: without trouble", [true, true], [$lease->extend(8), $lease->extend(60)]);
    check("$what: without trouble", $lease->remaining() > 20, $lease->remaining());

    $fake->rules([rule('EVALSHA', ['close'], times: 1), rule('EVAL', ['close'], times: 1)]);
    same("$what: extend()", true, $lease->extend(8));
    $fake->rules([]);
    same("$what: a longer one", true, $lease->extend(60));
    between("$what: remaining()", 0.001, 8, $lease->remaining());
    $server->cmd('PEXPIRE', 'k', 8000); // the first copy arrives
    same("$what: it stays so", true, $lease->extend(60));
    between("$what: remaining() then", 0.001, 8, $lease->remaining());
    same("$what: release()", true, $lease->release());

    $token = $lock->acquire('k', 60);
    $fake->rules([rule('EVALSHA', ['close'], times: 1), rule('EVAL', ['close'], times: 1)]);
    $lease = $lock->resume('k', $token, 8, renew: $renews);
    $fake->rules([]);
    check("$what: resumed", $lease?->isHeld() === true);
    same("$what: extend() of a resumed one", true, $lease->extend(60));
    check("$what: remaining() of a resumed one", $lease->remaining() > 20, $lease->remaining());
    same("$what: release() of a resumed one", true, $lease->release());

    /* A command that was sent only once limits nothing. */
    $token = $lock->acquire('k', 60);
    $lease = $lock->resume('k', $token, 8, renew: $renews);
    same("$what: extend() of one resumed without trouble", true, $lease->extend(60));
    check("$what: remaining() of one resumed without trouble", $lease->remaining() > 20,
        $lease->remaining());
    same("$what: its release()", true, $lease->release());
}

done();
?>
--EXPECT--
ok
