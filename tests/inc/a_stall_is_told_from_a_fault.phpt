--TEST--
A round of checks that fails beside a stall of the machine is run again; a round that fails without a stall, or too often, counts.
--FILE--
<?php
require __DIR__ . '/check.inc';
require __DIR__ . '/child.inc';

/** The machine lets the processes of this test wait for so long, for all that they know. */
function stall(float $seconds): void
{
    static $all = 0.0;
    $all += $seconds;
    (new ReflectionProperty(Stall::class, 'waited'))->setValue(null, [PHP_INT_MAX => $all]);
}

/** @return array{int, int, string} how often the round was run, what failed, and what was said */
function judged(callable $judge): array
{
    $rounds = 0;
    $before = [Checks::$ran, Checks::$failed];
    ob_start();
    try {
        $judge($rounds);
    } catch (Throwable $thrown) {
        echo $thrown->getMessage();
    }
    $failed = Checks::$failed - $before[1];
    [Checks::$ran, Checks::$failed] = $before;
    return [$rounds, $failed, ob_get_clean()];
}

/* A round that holds is run once, whatever the machine does. */
same('a round that holds', [1, 0, ''], judged(function (int &$rounds): void {
    undisturbed(0.1, function () use (&$rounds): void {
        $rounds++;
        stall(100.0);
        check('it', true);
    });
}));

/* A fault without a stall, or with a stall that explains nothing, counts at once. */
foreach ([0.0, 60.0] as $stall) {
    [$rounds, $failed, $said] = judged(function (int &$rounds) use ($stall): void {
        undisturbed(90.0, function () use (&$rounds, $stall): void {
            $rounds++;
            stall($stall);
            check('it', false);
        });
    });
    same("a fault beside a stall of $stall s", [1, 1], [$rounds, $failed]);
    matches('its message', '~^FAILED: it\nthe machine stalled for \d+\.\d+ s in a round~', $said);
}

/* Beside a stall a failed round is run again, and the first round that holds counts. */
same('the third one holds', [3, 0, ''], judged(function (int &$rounds): void {
    undisturbed(90.0, function () use (&$rounds): void {
        stall(100.0);
        check('it', ++$rounds === 3);
    });
}));
same('the second one does not throw', [2, 0, ''], judged(function (int &$rounds): void {
    undisturbed(90.0, function () use (&$rounds): void {
        stall(100.0);
        check('it', true);
        ++$rounds === 2 || throw new Exception('thrown');
    });
}));

/* A fault that stays is found, and so is an exception. */
foreach ([false, true] as $throws) {
    [$rounds, $failed, $said] = judged(function (int &$rounds) use ($throws): void {
        undisturbed(90.0, function () use (&$rounds, $throws): void {
            $rounds++;
            stall(100.0);
            $throws ? throw new Exception('thrown') : check('it', false);
        });
    });
    same('five rounds', [5, $throws ? 0 : 1], [$rounds, $failed]);
    same('each stall is named', 5, substr_count($said, ' s in a round of '));
    $throws && matches('the exception', '~thrown$~D', $said);
}

/* A stall is taken off from a time that is too long, and from no other. */
foreach ([[0.4, 0.0, 0], [0.6, 0.0, 1], [0.6, 0.05, 1], [0.6, 0.2, 0], [0.2, 0.2, 1]]
        as [$took, $stall, $expected]) {
    [, $failed, $said] = judged(function () use ($took, $stall): void {
        stall(1000.0); // before it
        $watch = new Stopwatch();
        stall($stall);
        $watch->within('it', 0.5, 0.3, $took);
    });
    same("$took s beside a stall of $stall s: $said", $expected, $failed);
}
[, $failed] = judged(function (): void {
    $watch = new Stopwatch();
    for ($until = now() + 0.2; now() < $until;) { // no stall: it uses the processor
    }
    $watch->within('it', 0.1 - 0.1 * slowness());
});
same('its own time', 1, $failed);

/* The waits of this process, and of the processes that it watches. */
$child = start_php('for ($until = hrtime(true) + 3e8; hrtime(true) < $until;) { }');
$before = Stall::total();
$child->output();
check('a stall never shrinks', Stall::total() >= $before);
check('seconds', Stall::total() - $before < 60.0);

/* No wait outlasts the test, however busy the machine is. */
putenv('REDISLOCK_SLACK=1000');
$left = (float) run_php('require $argv[1]; echo patience(30.0) - now();', [__DIR__ . '/check.inc'],
    env: ['TEST_TIMEOUT' => 20, 'TEST_PHP_EXECUTABLE' => PHP_BINARY, 'REDISLOCK_TEST_ENDS' => '']);
check('a wait ends before run-tests.php gives the test up', $left > 0 && $left <= 16.0, $left);

done();
?>
--EXPECT--
ok
