--TEST--
synchronized() always throws when a majority of the servers has lost the lock, whichever server answers first.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require_once __DIR__ . '/../inc/members.inc';

define('ROUNDS', rounds(30, 100));

/**
 * Rounds in which these servers lose the key during the section: how many threw, and the counters.
 */
function losses(Members $members, RedisLock $lock, callable $losers): array
{
    $before = RedisLock::stats();
    $thrown = 0;
    for ($i = 0; $i < ROUNDS; $i++) {
        try {
            $lock->synchronized("k$i", function () use ($members, $losers, $i): void {
                foreach ($losers($i) as $which) {
                    /* The quorum may have been there before this server has run its SET. */
                    for ($until = now() + 5; now() < $until; usleep(100)) {
                        if ($members->servers[$which]->cmd('DEL', "k$i") === 1) {
                            break;
                        }
                    }
                }
            });
        } catch (RedisLockLostException) {
            $thrown++;
        }
    }
    $after = RedisLock::stats();
    return ['thrown' => $thrown, 'released' => $after['released'] - $before['released'],
        'not_released' => $after['not_released'] - $before['not_released'],
        'failed' => $after['failed'] - $before['failed']];
}

foreach ([3, 4, 5] as $count) {
    $members = start_members($count);
    $lock = $members->lock();
    $lock->release('warm', $lock->acquire('warm') ?? '');
    $quorum = $members->quorum();
    /* Another minority each time keeps the key. */
    $some = fn (int $size) => fn (int $round) => array_map(fn (int $i) => ($i + $round) % $count,
        range(1, $size));
    same("$count servers, $quorum lose it",
        ['thrown' => ROUNDS, 'released' => 0, 'not_released' => ROUNDS, 'failed' => 0],
        losses($members, $lock, $some($quorum)));
    $least = $count - $quorum + 1;
    same("$count servers, $least lose it",
        ['thrown' => ROUNDS, 'released' => 0, 'not_released' => ROUNDS, 'failed' => 0],
        losses($members, $lock, $some($least)));
    $minority = $count - $quorum;
    same("$count servers, $minority lose it",
        ['thrown' => 0, 'released' => ROUNDS, 'not_released' => 0, 'failed' => 0],
        losses($members, $lock, $some($minority)));
    $members->empty("$count servers");
}

done();
?>
--EXPECT--
ok
