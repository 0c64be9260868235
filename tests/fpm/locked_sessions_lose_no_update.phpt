--TEST--
Locked sessions under FPM: 32 clients of one session lose no update, on a server and on a cluster, and waiters are woken.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sessions.inc';
require __DIR__ . '/../inc/cluster.inc';
skip_without_sessions();
skip_without_cluster();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sessions.inc';
require __DIR__ . '/../inc/cluster.inc';

const CLIENTS = 32;
const VISITS = 4;

/** The session handlers of phpredis, if they are installed here: settings for FPM. */
function phpredis(): array
{
    $files = array_map(fn (string $name) => ini_get('extension_dir') . "/$name.so",
        ['igbinary', 'redis']);
    return array_filter($files, is_file(...)) === $files ? $files : [];
}

/** @return list<string> the bodies of all visits */
function visit(TestFpm $fpm, string $code, string $id): array
{
    $bodies = $left = $running = [];
    for ($client = 0; $client < CLIENTS; $client++) {
        $left[$client] = VISITS;
        $running[$client] = $fpm->start($code, ['id' => $id]);
    }
    while ($running !== []) {
        foreach ($running as $client => $request) {
            $bodies[] = $request->finish()->body . $request->errors;
            unset($running[$client]);
            if (--$left[$client] > 0) {
                $running[$client] = $fpm->start($code, ['id' => $id]);
            }
        }
    }
    return $bodies;
}

$server = start_server();
$cluster = start_cluster();
$stores = ['a store without a lock' => ['UnlockedFiles', ''], 'files' => ['SessionHandler', '']];
$settings = ['session.use_strict_mode' => 0];
if (phpredis() !== []) {
    $settings['extension'] = phpredis();
    $stores['phpredis'] = ['SessionHandler', "ini_set('session.save_handler', 'redis');
        ini_set('session.save_path', 'unix://$server->socket');"];
    $seeds = implode('&', array_map(fn (string $seed) => "seed[]=$seed", $cluster->seeds()));
    $stores['phpredis on a cluster'] = ['SessionHandler',
        "ini_set('session.save_handler', 'rediscluster');
        ini_set('session.save_path', '$seeds');"];
}
foreach (['a server' => $server->dsn(), 'a cluster' => $cluster->dsn()] as $where => $dsn) {
    $fpm = start_fpm($server, [], ['pm.max_children' => CLIENTS],
        $settings + ['redislock.servers' => $dsn]);
    foreach ($stores as $store => [$parent, $before]) {
        $what = "locks on $where, values in $store";
        $id = new_session();
        $stats = 'echo json_encode(RedisLock::stats(all: true));';
        $old = json_decode($fpm->run($stats)->body, true);
        /* While 31 requests stand before it, the last one may wait for longer than 5 s here. */
        $code = $before . session_script(null, $parent, ['wait: 5' => 'wait: 40']);
        $bodies = visit($fpm, $code, $id);
        $expected = array_map(fn (int $n) => "visit $n\n", range(1, CLIENTS * VISITS));
        sort($expected);
        sort($bodies);
        check("$what: each visit counts once", $bodies === $expected,
            array_values(array_diff($bodies, $expected)) ?: array_count_values($bodies));
        $new = json_decode($fpm->run($stats)->body, true);
        $more = fn (string $name): int => $new[$name] - $old[$name];
        check("$what: waiters are woken", $more('wake_ups') >= CLIENTS, $more('wake_ups'));
        /* A waiter may look a few times before it has its place in the queue. */
        check("$what: they do not poll", $more('backoffs') < CLIENTS, $more('backoffs'));
        same("$what: held, waiting, timed out", [0, 0, 0],
            [$new['held'], $new['waiting'], $more('timed_out')]);
    }
    $fpm->stop();
}
same('locks', [], preg_grep('~:session:~', [...$server->locks(), ...$cluster->locks()]));

done();
?>
--EXPECT--
ok
