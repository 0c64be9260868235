<?php
/*
 * A flash sale: many workers sell the same few units at once, first without a lock, then with
 * RedisLock.
 *
 *     php -d extension=redislock examples/flash-sale.php [workers [units]]
 *
 * The stock is a number in a Redis server that this script starts and ends itself.
 */

require __DIR__ . '/inc/MiniRedis.php';
require __DIR__ . '/inc/PrivateRedis.php';
require __DIR__ . '/inc/Workers.php';

/** Sells one unit, as if no other worker changed the stock between the two lines about it. */
function sellOne(MiniRedis $redis): bool
{
    $stock = (int) $redis->get('stock');
    if ($stock === 0) {
        return false;
    }
    usleep(1000); // look at the voucher, write the order, ...
    $redis->set('stock', $stock - 1);
    return true;
}

/** Sells one unit under the lock, so that no other worker can do it at the same time. */
function sellOneWithLock(MiniRedis $redis, RedisLock $lock): bool
{
    $token = $lock->acquire('lock:stock', ttl: 5, wait: 10);
    if ($token === null) {
        throw new RuntimeException('could not acquire the lock within 10 seconds');
    }
    try {
        return sellOne($redis);
    } finally {
        $lock->release('lock:stock', $token);
    }
}

/* ---- the sale ---- */

$workers = (int) ($argv[1] ?? 8);
$units = (int) ($argv[2] ?? 500);
if ($workers < 2 || $workers > 50 || $units < 50 || $units > 2000) {
    fail('usage: flash-sale.php [workers, 2 to 50 [units, 50 to 2000]]');
}
class_exists('RedisLock') || fail('load the extension first: php -d extension=redislock ...');

$server = new PrivateRedis();
$lock = new RedisLock("unix://$server->socket");

echo "$workers workers sell $units units.\n\n";
printf("%-16s%8s%8s%10s%14s%14s\n", '', 'units', 'sold', 'oversold', 'sections/s', 'longest wait');

$without = sale($server, $workers, $units, fn (MiniRedis $redis) => sellOne($redis));
show('without a lock', $units, $without);

$with = sale($server, $workers, $units, fn (MiniRedis $redis) => sellOneWithLock($redis, $lock));
show('with RedisLock', $units, $with);

$server->stop();
exit($with['sold'] === $units && $without['sold'] > $units ? 0 : 1);

/* ---- what is not about locks: workers, results, the table ---- */

/**
 * Lets the workers sell until no unit is left; returns how many they sold, in how many seconds, and
 * the longest wait.
 *
 * @param callable(MiniRedis): bool $sellOne
 * @return array{sold: int, seconds: float, longest: float}
 */
function sale(PrivateRedis $server, int $workers, int $units, callable $sellOne): array
{
    (new MiniRedis($server->socket))->set('stock', $units);
    $start = hrtime(true);
    $results = Workers::run($workers, function () use ($server, $sellOne): string {
        $server->leaveToParent();
        $redis = new MiniRedis($server->socket);
        $longest = $sold = 0;
        do {
            $waited = RedisLock::stats()['wait_time']['sum']; // by this process, in all its waits
            $isSold = $sellOne($redis);
            $longest = max($longest, RedisLock::stats()['wait_time']['sum'] - $waited);
            $sold += (int) $isSold;
            usleep(random_int(1000, 9000)); // until the next customer comes
        } while ($isSold);
        return "$sold $longest";
    });
    $sale = ['sold' => 0, 'seconds' => (hrtime(true) - $start) / 1e9, 'longest' => 0.0];
    foreach ($results as $result) {
        [$sold, $longest] = explode(' ', $result);
        $sale['sold'] += (int) $sold;
        $sale['longest'] = max($sale['longest'], (float) $longest);
    }
    return $sale;
}

/** @param array{sold: int, seconds: float, longest: float} $sale */
function show(string $name, int $units, array $sale): void
{
    printf("%-16s%8d%8d%10d%14.0f%14s\n", $name, $units, $sale['sold'], $sale['sold'] - $units,
        $sale['sold'] / $sale['seconds'], $sale['longest'] > 0
        ? sprintf('%.0f ms', $sale['longest'] * 1000) : '-');
}

function fail(string $why): never
{
    fwrite(STDERR, "$why\n");
    exit(2);
}
