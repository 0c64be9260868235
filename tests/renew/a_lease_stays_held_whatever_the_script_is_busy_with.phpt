--TEST--
A lease with a TTL of 1 s stays held through 10 s of a loop, sleep(), fread() and a query, with all cores loaded.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

define('SECONDS', (float) rounds(4, 10));
// renewed at each third, and several times while the work goes on
$ttl = min(SECONDS / 3, room(1.0));
/* A C function that computes all the time: of SQLite, or another one without it. */
$sqlite = ini_of_extension('sqlite3');
$query = $sqlite === null
    ? '$compute = fn (int $n) => hash_pbkdf2("sha256", "x", "y", $n);'
    : '$db = new SQLite3(":memory:");
    $compute = fn (int $n) => $db->querySingle("WITH RECURSIVE
        c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT $n) SELECT count(*) FROM c");';
$works = [
    'loop' => 'while (hrtime(true) < $until) {}',
    'sleep' => 'for ($left = ' . SECONDS
    . '; $left > 0; $left = ($until - hrtime(true)) / 1e9) { sleep((int) ceil($left)); }',
    'fread' => '[$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        stream_set_timeout($ours, ' . (int) SECONDS . ');
        fread($ours, 1);',
    /* The query is made short enough, because its time depends on the machine. */
    'query' => $query . '
        for ($n = 10000, $took = 0; $took < 1e8; $n *= 2) {
            $start = hrtime(true);
            $compute($n);
            $took = hrtime(true) - $start;
        }
        echo "busy\n";
        while (true) {
            $compute((int) ($n / $took * ' . SECONDS . 'e9));
        }',
];
$server = start_server();
$load = load_all_cores();
$children = [];
foreach ($works as $what => $code) {
    $children[$what] = start_php('
        $lease = (new RedisLock($argv[1]))->lease($argv[2], ttl: ' . $ttl . ');
        echo "ready\n";
        $start = hrtime(true);
        $until = $start + ' . SECONDS . 'e9;
        ' . $code . '
        $took = (hrtime(true) - $start) / 1e9;
        echo json_encode([$lease->isHeld(), $took >= ' . SECONDS
        . ' - 0.1, RedisLock::stats()["lost"]]), "\n";
        fgets(STDIN);', [$server->dsn(), $what], $what === 'query' ? (array) $sqlite : []);
}
foreach ($children as $what => $child) {
    $child->expect($what === 'query' ? '~busy~' : '~ready~');
}
/* From outside, as long as the work goes on. */
$until = now() + SECONDS;
$samples = sample_pttl($server, array_keys($works), fn () => now() < $until, 10000);
foreach ($children as $what => $child) {
    check("$what: PTTL is never under 0.45 of the TTL", $samples[$what]['least'] >= 450 * $ttl,
        $samples[$what]);
    check("$what: and never over the TTL", $samples[$what]['most'] <= 1000 * $ttl, $samples[$what]);
    check("$what: it was looked at", $samples[$what]['seen'] >= 50, $samples[$what]);
    if ($what !== 'query') {
        matches("$what: it was held all the time", '~^ready\n\[true,true,0\]\n$~D',
            $child->expect('~\]\n~'));
        $child->tell('end');
        $child->output();
    } else {
        same('the query goes on', "ready\nbusy\n", $child->expect('~busy~'));
        $child->signal(SIGKILL);
        same('it is killed', -SIGKILL, $child->status());
        eventually('its lock ends by the TTL', fn () => $server->cmd('EXISTS', $what) === 0, 1.2);
    }
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
