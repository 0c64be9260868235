--TEST--
Two locks, or two leases, are equal with == when they are the same object.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

class Sub extends RedisLock
{
    public int $n = 1;
}
$server = start_server();
$a = new RedisLock($server->dsn());
$b = new RedisLock($server->dsn());
$pairs = [
    'locks' => [$a, $b],
    'subclasses' => [new Sub($server->dsn()), new Sub($server->dsn())],
    'a lock and its subclass' => [$a, new Sub($server->dsn())],
    'leases' => [$a->lease('k'), $a->lease('l')],
    'a lock and a lease' => [$a, $a->lease('m')],
    'a lock and another object' => [$a, new stdClass()],
];
foreach ($pairs as $what => [$one, $other]) {
    $same = $one;
    same("$what: itself", [true, false], [$one == $same, $one != $same]);
    same("$what: another", [false, true, false, true],
        [$one == $other, $one != $other, $other == $one, $other != $one]);
    same("$what: order", [false, false], [$one < $other, $one > $other]);
    same("$what: in_array()", [true, false],
        [in_array($one, [$other, $same]), in_array($one, [$other])]);
    same("$what: null and bool", [false, true, false, true],
        [$one == null, $one == true, $one == false, (bool) $one]);
}

done();
?>
--EXPECT--
ok
