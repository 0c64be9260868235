--TEST--
The nodes of a cluster and Sentinels may be listed by name; close() ends the connections to all of them.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';
require __DIR__ . '/../inc/cluster.inc';

/** How many connections the server has besides that of the test. */
function connections(TestServer $server): int
{
    $lines = explode("\n", trim($server->cmd('CLIENT', 'LIST')));
    return count($lines) - 1;
}

function lock_and_close(string $what, string $dsn, TestServer $server): void
{
    $lock = new RedisLock($dsn, timeout: slack(1), connectTimeout: slack(1));
    $token = $lock->acquire('k');
    same("$what: taken", $token, $server->cmd('GET', 'k'));
    same("$what: taken already", null, $lock->acquire('k'));
    same("$what: released", true, $lock->release('k', (string) $token));
    check("$what: a connection is kept", connections($server) > 0);
    $lock->close();
    eventually("$what: closed", fn () => connections($server) === 0);
}

$name = loopback_name();
$node = start_cluster(1)->nodes[0];
lock_and_close('cluster', "redis-cluster://$name:$node->port", $node);

/* A Sentinel that says where the primary is. */
$primary = start_server([], tcp: true);
$port = (string) $primary->port;
$sentinel = fake_server([rule('SENTINEL',
    [send("*2\r\n$9\r\n127.0.0.1\r\n$" . strlen($port) . "\r\n$port\r\n")])]);
preg_match('~:(\d+)$~', $sentinel->dsn(), $matches);
lock_and_close('Sentinel', "redis-sentinel://$name:$matches[1]/main", $primary);
check('the Sentinel was asked', count($sentinel->commands('SENTINEL')) > 0);

done();
?>
--EXPECT--
ok
