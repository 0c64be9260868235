--TEST--
The memory limit frees the leases of a request whichever allocation meets it, also inside this extension.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind(); /* the limit is not counted there */
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

/* PHP then counts each allocation by the byte. A fork for each step of the limit does the work as far as it gets. */
const TRACKED = 'env USE_ZEND_ALLOC=0 USE_TRACKED_ALLOC=1 ';
const CODE = <<<'PHP'
    <?php
    $lock = new RedisLock($argv[1]);
    $nested = new RedisLock($argv[1], reentrant: true);
    $probe = new RedisLock($argv[1], persistent: false);
    $filler = str_repeat('x', 3 << 20);
    $works = [
        'leases' => function () use ($lock) {
            $a = $lock->lease('k', onLoss: fn (RedisLockLease $lost) => $lost->key() . $lost->loss()->name);
            $b = $lock->lease('k2');
            $lock->lease('k');
            $a->extend(60);
            $lock->forceRelease('k');
            $a->verify();
            $b->release();
        },
        'sections' => function () use ($lock, $nested) {
            $nested->synchronized('k', fn () => $nested->synchronized('k', fn (RedisLockLease $lease) => $lease->extend(90)));
            try {
                $lock->synchronized('k', fn (RedisLockLease $lease) => [$lock->forceRelease('k'), $lease->token()]);
            } catch (RedisLockLostException $lost) {
                $lost->getResult();
            }
            $lock->synchronized('k', function () use ($lock) {
                try {
                    $lock->synchronized('k', fn () => 1);
                } catch (RedisLockTimeoutException) {
                }
            });
        },
    ];
    foreach ($works as $what => $work) {
        $ended = ['limit' => 0, 'done' => 0];
        for ($free = 0; $free < 60000 && $ended['done'] < 2; $free += 160) {
            $pid = pcntl_fork();
            if ($pid === 0) {
                ini_set('memory_limit', (string) ($limit = memory_get_usage() + 100000));
                $rest = str_repeat('x', $limit - memory_get_usage() - 100 - $free);
                $work();
                exit(3);
            }
            pcntl_waitpid($pid, $status);
            $how = match (true) {
                pcntl_wifsignaled($status) => 'signal ' . pcntl_wtermsig($status),
                pcntl_wexitstatus($status) === 3 => 'done',
                pcntl_wexitstatus($status) === 255 => 'limit',
                default => 'status ' . pcntl_wexitstatus($status),
            };
            $ended[$how] = 1 + ($ended[$how] ?? 0);
            foreach (['k', 'k2'] as $key) {
                if ($probe->forceRelease($key)) {
                    echo "$what: $key is left at $free\n";
                }
            }
        }
        echo "$what: ", json_encode(array_keys($ended)), $ended['limit'] >= 20 && $ended['done'] >= 2 ? " enough\n" : json_encode($ended) . "\n";
    }
    PHP;

$server = start_server();
$file = "$server->folder/sweep.inc";
file_put_contents($file, CODE);
$child = new PhpChild(TRACKED . php_command(['display_errors' => 0, 'log_errors' => 0]) . " -f $file -- " . escapeshellarg($server->dsn()), getenv());
same('output', "leases: [\"limit\",\"done\"] enough\nsections: [\"limit\",\"done\"] enough\n", $child->output(120));
same('status', 0, $child->status());

done();
?>
--EXPECT--
ok
