--TEST--
Of two servers both are needed, of four three.
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

foreach ([2 => 2, 4 => 3] as $n => $needed) {
    for ($dead = 0; $dead <= $n; $dead++) {
        $members = start_members($n);
        $members->kill(...array_slice(range(0, $n - 1), 0, $dead));
        $lock = $members->lock();
        $rest = $dead === $n ? [] : range($dead, $n - 1);
        if ($n - $dead >= $needed) {
            $token = $lock->acquire('k');
            matches("$dead of $n dead", TOKEN, (string) $token);
            $members->hold("$dead of $n dead", 'k', $token, $rest);
            same("$dead of $n dead: release()", true, $lock->release('k', $token));
        } else {
            fails_by("$dead of $n dead", array_slice($members->servers, 0, $dead),
                fn () => $lock->acquire('k'));
        }
        $members->empty("$dead of $n dead", $rest);
    }
    for ($theirs = 0; $theirs <= $n; $theirs++) {
        $members = start_members($n);
        $members->occupy('k', 'theirs', ...array_slice(range(0, $n - 1), 0, $theirs));
        $token = $members->lock()->acquire('k');
        same("$theirs of $n refuse", $n - $theirs >= $needed, $token !== null);
    }
}

done();
?>
--EXPECT--
ok
