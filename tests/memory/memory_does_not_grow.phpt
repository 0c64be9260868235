--TEST--
Locks on memory:// that have ended leave nothing in memory, whatever their keys were.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/check.inc';
is_file('/proc/self/statm') || print 'skip needs /proc';
under_valgrind() && print 'skip valgrind keeps freed memory';
?>
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

function resident_kb(): int
{
    return 4 * (int) explode(' ', file_get_contents('/proc/self/statm'))[1];
}

function use_locks(int $from, int $count): void
{
    $lock = new RedisLock('memory://', persistent: false);
    for ($i = $from; $i < $from + $count; $i++) {
        $token = $lock->acquire("key $i", 10);
        $i % 2 === 0 && $lock->release("key $i", $token);
        /* As many keys are there at a time however fast this machine is. */
        $i % 1000 === 0 && RedisLock::advance(11);
    }
    RedisLock::advance(11);
}

use_locks(0, 30000);
$before = resident_kb();
use_locks(30000, 30000);
$grown = resident_kb() - $before;
check('KB', $grown < 2048, $grown);

done();
?>
--EXPECT--
ok
