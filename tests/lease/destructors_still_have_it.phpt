--TEST--
Destructors at the end of the script still work under the lock, in any order; a destructor that keeps the lease does not keep the lock.
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

$server = start_server();
$lock = new RedisLock($server->dsn());
freed_by_the_end($server, 'lease first',
    '$lease = $lock->lease("k"); class D { public function __construct(public $lease) {} function __destruct() { held(); echo $this->lease->isHeld() ? "yes\n" : "no\n"; } } $d = new D($lease);',
    '~^held\nyes\n$~D');
freed_by_the_end($server, 'a lease that is gone already',
    'class D { function __destruct() { held(); } } $lease = $lock->lease("k"); $d = new D();',
    '~^held\n$~D');
freed_by_the_end($server, 'a static object',
    'class D { static $self; public $lease; function __destruct() { held(); echo $this->lease->isHeld() ? "yes\n" : "no\n"; } } D::$self = new D(); D::$self->lease = $lock->lease("k");',
    '~^held\nyes\n$~D');
freed_by_the_end($server, 'kept in a static',
    'class K { static $all = []; } class D { public function __construct(public $lease) {} function __destruct() { K::$all[] = $this->lease; held(); } } $d = new D($lock->lease("k"));',
    '~^held\n$~D');
freed_by_the_end($server, 'revived',
    'class K { static $all = []; } class D { public $lease; function __destruct() { K::$all[] = $this; held(); } } $d = new D(); $d->lease = $lock->lease("k");',
    '~^held\n$~D');
freed_by_the_end($server, 'taken in one',
    'class K { static $all = []; } class D { function __destruct() { K::$all[] = (new RedisLock($GLOBALS["argv"][1] ?? $this->dsn))->lease("k"); held(); } public $dsn; } $d = new D(); $d->dsn = $argv[1];',
    '~held\n$~D');
freed_by_the_end($server, 'released in one',
    'class D { public $lease; function __destruct() { var_dump($this->lease->release()); held(); } } $d = new D(); $d->lease = $lock->lease("k");',
    '~^bool\(true\)\nfree\n$~D');
freed_by_the_end($server, 'exit in one',
    'class D { public $lease; function __destruct() { held(); exit(5); } } $d = new D(); $d->lease = $lock->lease("k");',
    '~^held\n$~D', 5);
freed_by_the_end($server, 'an exception in one',
    'class D { public $lease; function __destruct() { held(); throw new LogicException("x"); } } $d = new D(); $d->lease = $lock->lease("k");',
    '~^held\n.*LogicException~s', 255);
freed_by_the_end($server, 'a section in one',
    'class D { public $lock; function __destruct() { $this->lock->synchronized("k", function () { echo "in\n"; }); } } $d = new D(); $d->lock = $lock;',
    '~^in\n$~D');

done();
?>
--EXPECT--
ok
