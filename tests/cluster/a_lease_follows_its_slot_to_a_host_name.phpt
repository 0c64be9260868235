--TEST--
On a cluster whose nodes have host names a lease follows its slot to a node that the process knows already, and to a new one as soon as the process asks the cluster anything.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/cluster.inc';
skip_without_cluster();
if (loopback_name() !== 'localhost') {
    die('skip this machine has no name for 127.0.0.1');
}
if (str_contains((string) shell_exec(server_program() . ' --version'), ' v=6.')) {
    die('skip Redis 6 names nodes by their addresses');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/cluster.inc';

$cluster = start_cluster(config: ['cluster-announce-hostname' => 'localhost',
    'cluster-preferred-endpoint-type' => 'hostname']);
$keys = array_map(fn (int $node): string => $cluster->keyOf($node), range(0, 2));
/* One program that has asked all nodes before, and does nothing while its slot moves; one that has
 * asked the first node alone, and then asks the second, while its slot moves to the third. */
foreach (['known' => [$keys, false], 'new' => [[], true]] as $what => [$asked, $calls]) {
    $ttl = room(0.9);
    $child = start_php('
        [, $dsn, $other, $key, $asked, $calls, $ttl] = $argv;
        $lock = new RedisLock($dsn, timeout: 5, connectTimeout: 5);
        foreach (json_decode($asked) as $name) {
            $lock->isLocked($name);
        }
        $lease = $lock->lease($key, (float) $ttl);
        echo "begins\n";
        fgets(STDIN);
        for ($end = microtime(true) + 3 * $ttl; microtime(true) < $end; usleep(20_000)) {
            $calls === "1" && $lock->isLocked($other);
        }
        echo $lease->isHeld() && $lease->verify() ? "held\n" : "lost\n";',
        [$cluster->dsn(), $keys[1], $keys[0], json_encode($asked), $calls ? '1' : '0',
            (string) $ttl]);
    $child->expect('~begins~');
    $cluster->move($keys[0], $what === 'known' ? 1 : 2);
    $child->tell('go');
    matches("$what: the lease", '~held$~', trim($child->output(30 + 6 * $ttl)));
    $cluster->move($keys[0], 0);
}

done();
?>
--EXPECT--
ok
