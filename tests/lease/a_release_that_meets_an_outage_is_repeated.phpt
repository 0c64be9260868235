--TEST--
A lease that ends while the server is down for a moment is freed soon after the server is back, not at the end of its TTL.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_on_cluster('a node cannot be made a replica');
?>
--FILE--
<?php
require __DIR__ . '/../inc/outage.inc';

$server = start_server();
const TTL = 20;
foreach (outages() as $name => $outage) {
    $lock = new RedisLock($server->dsn(), timeout: min(room(0.4), 0.6 * OUTAGE));
    foreach (['renewed' => true, 'not renewed' => false] as $kind => $renew) {
        $result = null;
        freed_after_outage("$name, $kind, synchronized()", $server, [fn () => null, $outage[1]],
                function () use ($lock, $server, $outage, $renew, &$result): void {
            $result = $lock->synchronized('k', function () use ($server, $outage): string {
                $outage[0]($server);
                return 'done';
            }, TTL, renew: $renew);
        });
        same("$name, $kind: the result of the section", 'done', $result);
        $lease = $lock->lease('k', TTL, renew: $renew);
        freed_after_outage("$name, $kind, the end of the object", $server, $outage,
                function () use (&$lease): void {
            $lease = null;
        });
        $lease = $lock->lease('k', TTL, renew: $renew);
        freed_after_outage("$name, $kind, release() that throws", $server, $outage,
                function () use ($lease, $outage, $name, $kind): void {
            throws("$name, $kind", $outage[2], '~.~', fn () => $lease->release());
            same("$name, $kind: it is not held", [false, false],
                [$lease->isHeld(), $lease->extend(5)]);
        });
        $lease = null;
    }
}
eventually('each was repeated with success',
    fn () => ($now = postponed())[0] === $now[1] && $now[2] === 0);

done();
?>
--EXPECT--
ok
