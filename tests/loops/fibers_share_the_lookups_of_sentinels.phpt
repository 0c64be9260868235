--TEST--
Fibers that begin at once behind Sentinels share one lookup, and each goes on as soon as one of them has the answer.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sentinel.inc';
skip_without_sentinel();
skip_by_topology('it has Sentinels of its own');
?>
--FILE--
<?php
require __DIR__ . '/../inc/sentinel.inc';

/* In a new process nothing is known, so that all Fibers wait for the Sentinels. One that is granted
 * its lock without a wait of its own may read what the others wait for. */
$sentinels = start_sentinels();
$processes = rounds(12, 40);
$code = 'require $argv[2];
    RedisLock::waitWith(Loop::wait(...));
    $lock = new RedisLock($argv[1]);
    $last = 0.0;
    for ($i = 0; $i < 50; $i++) {
        Loop::spawn(function () use ($lock, $i, &$last): void {
            $token = $lock->acquire("k$i", 60);
            $lock->release("k$i", $token);
            $last = since_the_beginning();
        });
    }
    Loop::run();
    printf("%.3f", $last);';
for ($i = 0; $i < $processes; $i++) {
    $last = run_php("require '" . __DIR__ . "/../inc/time.inc'; $code",
        [$sentinels->dsn(), __DIR__ . '/../inc/loop.inc']);
    between("process $i: the last one, after seconds", 0.001, slack(0.9), (float) $last)
        || print "$last\n";
}

done();
?>
--EXPECT--
ok
