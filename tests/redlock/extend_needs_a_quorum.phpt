--TEST--
extend() sets the TTL everywhere where the token still is; without a quorum it is false and what is left is undone.
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

foreach ([1, 2, 3, 4, 5] as $n) {
    $members = start_members($n);
    $quorum = $members->quorum();
    $lock = $members->lock();
    for ($lost = 0; $lost <= $n; $lost++) {
        $members->flush();
        $token = (string) $lock->acquire('k', 10);
        $members->hold("N = $n", 'k', $token);
        for ($i = 0; $i < $lost; $i++) {
            $members->servers[$i]->cmd('DEL', 'k');
        }
        $isHeld = $n - $lost >= $quorum;
        same("N = $n, $lost lost", $isHeld, $lock->extend('k', $token, 60));
        if ($isHeld) {
            $rest = $lost === $n ? [] : range($lost, $n - 1);
            eventually("N = $n, $lost lost: TTL", fn () => array_filter($rest,
                fn ($i) => $members->servers[$i]->cmd('PTTL', 'k') < 50000) === []);
            same("N = $n, $lost lost: owner()", $token, $lock->owner('k'));
            same("N = $n, $lost lost: release()", true, $lock->release('k', $token));
        }
        $members->empty("N = $n, $lost lost");
    }
}

done();
?>
--EXPECT--
ok
