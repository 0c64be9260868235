--TEST--
Fibers of one process hand a lock over in the order of their waits, and none of them holds it beside another; what they leave is connections of the pool.
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
require __DIR__ . '/../inc/loop.inc';
require __DIR__ . '/../inc/waiter.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
RedisLock::waitWith(Loop::wait(...));

/* Two Fibers: what a release costs the other one. */
$delays = [];
$freed = 0;
for ($i = 0; $i < 2; $i++) {
    Loop::spawn(function () use ($lock, &$delays, &$freed): void {
        for ($j = 0; $j < 30; $j++) {
            $lease = $lock->lease('two', 60, 60);
            $delays[] = $freed === 0 ? 0 : hrtime(true) - $freed;
            Loop::sleep(0.001);
            $freed = hrtime(true);
            $lease->release();
        }
    });
}
Loop::run();
sort($delays);
same('hand-overs', 60, count($delays));
between('the median of a hand-over', 0, slack(0.001) * 1e9, $delays[30]);

/* 200 Fibers, one after another. */
$descriptors = count(scandir('/proc/self/fd'));
$entered = [];
$inside = 0;
$overlaps = 0;
$held = $lock->acquire('many', 60);
for ($i = 0; $i < 200; $i++) {
    Loop::spawn(function () use ($lock, $i, &$entered, &$inside, &$overlaps): void {
        $lock->synchronized('many', function () use ($i, &$entered, &$inside, &$overlaps): void {
            $entered[] = $i;
            $overlaps += $inside++;
            Loop::sleep(0.001);
            $inside--;
        }, 60, 60);
    });
}
Loop::run(fn () => count(marked($server, 'many')) === 200);
$during = count(scandir('/proc/self/fd'));
Loop::spawn(fn () => $lock->release('many', $held));
$took = elapsed(fn () => Loop::run());
same('all have entered', 200, count($entered));
same('none beside another', 0, $overlaps);
between('seconds for 200 sections of 1 ms', 0.2, slack(3.0), $took);
between('descriptors of 200 waits', 200, $descriptors + 3 * 200 + 10, $during);
between('descriptors that are kept', 0, $descriptors + 64 + 2 * 16,
    count(scandir('/proc/self/fd')));
eventually('no key is left', fn () => $server->keys() === []);

done();
?>
--EXPECT--
ok
