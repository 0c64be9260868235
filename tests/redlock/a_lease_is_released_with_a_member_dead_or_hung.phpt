--TEST--
The release of a lease, by a call, by its end, or by the end of the script, does not wait for a minority that is dead or hung.
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
require_once __DIR__ . '/../inc/lease.inc';

foreach (['dead' => 'kill', 'hung' => 'pause'] as $how => $call) {
    /* The end of a script has 250 ms. */
    undisturbed(0.1, function () use ($how, $call): void {
        $members = start_members(3);
        $lock = $members->lock(timeout: 5.0);
        $lease = $lock->lease('k', 60);
        $freed = $lock->lease('freed', 60);
        $members->hold($how, 'k', $lease->token());
        $members->hold($how, 'freed', $freed->token());
        $child = start_and_stop_at('$lock = new RedisLock(array_slice($argv, 1), timeout: 5.0); $lease = $lock->lease("end", 60);',
            'echo "over\n";', $members->dsns());
        $members->hold("$how: the child's", 'end', max($members->values('end')));
        $members->$call(1);
        $took = elapsed(fn () => $lease->release(), $released);
        same("$how: release()", true, $released);
        check("$how: release() is quick", $took < slack(1.0), $took);
        $took = elapsed(function () use (&$freed): void {
            $freed = null;
        });
        check("$how: its end is quick", $took < slack(0.5), $took);
        $child->tell('');
        $took = elapsed(fn () => $child->output());
        check("$how: the script's end is quick", $took < slack(1.5), $took);
        same("$how: status of the script", 0, $child->status());
        $members->empty($how, [0, 2], 2.0);
        if ($call === 'pause') {
            $members->resume(1);
            $members->empty("$how: it goes on", null, 2.0);
        }
    });
}

done();
?>
--EXPECT--
ok
