--TEST--
A locked session under FPM is written under its lock only; a request that cannot have it fails, and the methods of PHP keep their meaning.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/sessions.inc';
skip_without_sessions();
?>
--FILE--
<?php
require __DIR__ . '/../inc/sessions.inc';

$server = start_server();
$fpm = start_fpm($server, [], ['pm.max_children' => 2]);
$run = fn (string $code, string $id, array $changes = []): string => trim($fpm->run(
    session_script($code, 'UnlockedFiles', $changes), ['id' => $id])->body);
$visit = fn (string $id): string =>
    trim($fpm->run(session_script(null, 'UnlockedFiles'), ['id' => $id])->body);
$key = fn (string $id): string => 'session:' . hash('sha256', $id);
$id = new_session();
same('the first visit', 'visit 1', $visit($id));

/* Another request has the session for too long. */
$server->cmd('SET', $key($id), 'other', 'PX', 60000);
$seen = $run('
    try {
        session_start();
        echo "started";
    } catch (RuntimeException $e) {
        echo session_status(), " ", get_class($e), ": ", $e->getMessage();
    }', $id, ['wait: 5' => 'wait: 0.1']);
same('a session that is taken', PHP_SESSION_NONE
    . ' RuntimeException: other requests of this session have kept it for 5 s', $seen);
same('its lock stays', 'other', $server->cmd('GET', $key($id)));
$server->cmd('DEL', $key($id));
same('later', 'visit 2', $visit($id));

/* The lock is lost while the request runs, and another request has it. */
$seen = $fpm->start(session_script('
    session_start();
    $_SESSION["visits"] = 100;
    echo "started\n";
    flush();
    while (RedisLock::stats()["lost"] === 0) {
        usleep(2000);
    }', 'UnlockedFiles', ['ttl: 10' => 'ttl: 0.3']), ['id' => $id]);
$seen->expect('~started~');
$server->cmd('SET', $key($id), 'other', 'PX', 60000);
matches('a lost lock: the write', '~Failed to write session data~', $seen->finish()->errors);
same('the lock of the other request', 'other', $server->cmd('GET', $key($id)));
$server->cmd('DEL', $key($id));
same('the values of the request without a lock', 'visit 3', $visit($id));

/* What is unchanged is not written without a lock either. */
$seen = $fpm->run(session_script('
    session_start();
    $before = RedisLock::stats()["lost"];
    (new RedisLock(prefix: "session:"))->forceRelease(hash("sha256", session_id()));
    while (RedisLock::stats()["lost"] === $before) {
        usleep(2000);
    }', 'UnlockedFiles', ['ttl: 10' => 'ttl: 0.3']), ['id' => $id]);
matches('a lost lock, and no change', '~Failed to write session data~', $seen->errors);

/* Redis is away. */
$server->kill();
$seen = $run('
    try {
        session_start();
        echo "started";
    } catch (RedisLockConnectionException $e) {
        echo get_class($e);
    }', $id, ['outageWait: 1' => 'outageWait: 0']);
same('without Redis', 'RedisLockConnectionException', $seen);
$server->start();
same('with Redis again', 'visit 4', $visit($id));

/* The methods of PHP. A lock of its own tells in each state which sessions are locked. */
$state = '
    $locked = function (string ...$ids): string {
        $lock = new RedisLock(prefix: "session:");
        return implode(",", array_map(fn (string $id): int =>
            (int) $lock->isLocked(hash("sha256", $id)), $ids));
    };';
$methods = $state . '
    session_start();
    $old = session_id();
    $seen = ["started" => $locked($old)];
    session_write_close();
    $seen["closed"] = $locked($old);
    session_start(["read_and_close" => true]);
    $seen["read and closed"] = [$_SESSION["visits"], $locked($old)];
    session_start();
    $_SESSION["visits"] = 50;
    session_abort();
    $seen["aborted"] = $locked($old);
    session_start();
    $_SESSION["visits"] = 60;
    session_reset();
    $seen["reset"] = [$_SESSION["visits"], $locked($old)];
    session_create_id();
    $seen["an id for later"] = $locked($old);
    session_regenerate_id();
    $seen["a new id"] = [$_SESSION["visits"], session_id() !== $old, $locked($old, session_id())];
    session_destroy();
    $seen["destroyed"] = $locked($old, session_id());
    echo json_encode($seen);';
same('what PHP does with sessions', ['started' => '1', 'closed' => '0',
    'read and closed' => [4, '0'], 'aborted' => '0', 'reset' => [4, '1'], 'an id for later' => '1',
    'a new id' => [4, true, '0,1'], 'destroyed' => '0,0'], json_decode($run($methods, $id), true));
same('after all of that', 'visit 5', $visit($id));

/* An id that no session has. */
$strict = 'ini_set("session.use_strict_mode", "1");' . $state . '
    session_start();
    $_SESSION["visits"] ??= "new";
    echo json_encode([session_id() === $_GET["id"], $_SESSION["visits"],
        $locked($_GET["id"], session_id())]);';
same('strict mode, an id that is known', [true, 5, '1,1'], json_decode($run($strict, $id), true));
same('strict mode, an unknown id', [false, 'new', '0,1'],
    json_decode($run($strict, new_session()), true));

/* The id is a secret. */
$holding = $fpm->start(session_script('
    session_start();
    echo "started\n";
    flush();
    for (; !is_file($_GET["end"]); clearstatcache(), usleep(2000));', 'UnlockedFiles'),
    ['id' => $id, 'end' => "$server->folder/end"]);
$holding->expect('~started~');
same('a key', ["0:{$key($id)}"], $server->locks());
touch("$server->folder/end");
$holding->finish();
same('keys', [], $server->locks());

done();
?>
--EXPECT--
ok
