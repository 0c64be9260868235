<?php
/*
 * Orders of two articles each: many workers take orders at once, first without a lock, then with
 * one RedisLockLease that holds both articles.
 *
 *     php -d extension=redislock examples/orders.php [workers [units]]
 *
 * An order needs one unit of each of its two articles, or takes none. Workers name the articles in
 * any order; the lease takes their keys in an order that is the same for all workers, so no two
 * workers wait for each other. The stock is in a Redis server that this script starts and ends
 * itself.
 */

require __DIR__ . '/inc/MiniRedis.php';
require __DIR__ . '/inc/PrivateRedis.php';
require __DIR__ . '/inc/Workers.php';

const ARTICLES = ['cup', 'pot', 'tea', 'tin'];

/**
 * Takes one unit of each article, as if no other worker changed the stock meanwhile.
 *
 * @param list<string> $articles
 */
function order(MiniRedis $redis, array $articles): bool
{
    $stock = [];
    foreach ($articles as $article) {
        $stock[$article] = (int) $redis->get("stock:$article");
    }
    if (in_array(0, $stock, true)) {
        return false;
    }
    usleep(1000); // write the order, ...
    foreach ($stock as $article => $units) {
        $redis->set("stock:$article", $units - 1);
    }
    return true;
}

/**
 * The same under a lease of both articles.
 *
 * @param list<string> $articles
 */
function orderWithLease(MiniRedis $redis, RedisLock $lock, array $articles): bool
{
    return $lock->synchronized($articles, fn (): bool => order($redis, $articles), wait: 10);
}

/* ---- the orders ---- */

$workers = (int) ($argv[1] ?? 8);
$units = (int) ($argv[2] ?? 150);
if ($workers < 2 || $workers > 50 || $units < 20 || $units > 1000) {
    fail('usage: orders.php [workers, 2 to 50 [units of each article, 20 to 1000]]');
}
class_exists('RedisLock') || fail('load the extension first: php -d extension=redislock ...');

$server = new PrivateRedis();
$lock = new RedisLock("unix://$server->socket", prefix: 'lock:');

echo "$workers workers take orders of two of four articles, with $units units of each.\n\n";
printf("%-16s%8s%8s%8s%10s\n", '', 'units', 'sold', 'left', 'oversold');

$without = sale($server, $workers, $units, order(...));
show('without a lock', $units, $without);

$with = sale($server, $workers, $units,
    fn (MiniRedis $redis, array $articles): bool => orderWithLease($redis, $lock, $articles));
show('with RedisLock', $units, $with);

$server->stop();
exit(oversold($with, $units) === 0 && oversold($without, $units) > 0 ? 0 : 1);

/* ---- what is not about locks: workers, results, the table ---- */

/**
 * Lets the workers take orders until one of them has been refused often.
 *
 * @param callable(MiniRedis, list<string>): bool $order
 * @return array{sold: int, left: int} units
 */
function sale(PrivateRedis $server, int $workers, int $units, callable $order): array
{
    $redis = new MiniRedis($server->socket);
    foreach (ARTICLES as $article) {
        $redis->set("stock:$article", $units);
    }
    $orders = Workers::run($workers, function () use ($server, $order): string {
        $server->leaveToParent();
        $redis = new MiniRedis($server->socket);
        $orders = 0;
        for ($refused = 0; $refused < 20;) {
            $articles = ARTICLES;
            shuffle($articles);
            $isTaken = $order($redis, array_slice($articles, 0, 2));
            $orders += (int) $isTaken;
            $refused += (int) !$isTaken;
            usleep(random_int(500, 2000)); // until the next order comes
        }
        return "$orders";
    });
    $left = array_map(fn (string $article): int => (int) $redis->get("stock:$article"), ARTICLES);
    return ['sold' => 2 * array_sum(array_map(intval(...), $orders)), 'left' => array_sum($left)];
}

/** @param array{sold: int, left: int} $sale */
function oversold(array $sale, int $units): int
{
    return $sale['sold'] + $sale['left'] - count(ARTICLES) * $units;
}

/** @param array{sold: int, left: int} $sale */
function show(string $name, int $units, array $sale): void
{
    printf("%-16s%8d%8d%8d%10d\n", $name, count(ARTICLES) * $units, $sale['sold'], $sale['left'],
        oversold($sale, $units));
}

function fail(string $why): never
{
    fwrite(STDERR, "$why\n");
    exit(2);
}
