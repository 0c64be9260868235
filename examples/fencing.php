<?php
/*
 * A worker stands still for longer than its lock lasts, and writes when it wakes up: first without
 * a fencing number, then with one.
 *
 *     php -d extension=redislock examples/fencing.php
 *
 * Two workers withdraw money from one account. The account is a row of an SQLite table. The script
 * starts and ends a Redis server of its own.
 */

require __DIR__ . '/inc/MiniRedis.php';
require __DIR__ . '/inc/PrivateRedis.php';

/**
 * Withdraws under the lock. False = the table has refused the write, because another worker has had
 * the lock since.
 *
 * @param callable(): mixed $work
 */
function withdraw(PDO $db, RedisLock $lock, int $amount, bool $isFenced, callable $work): bool
{
    $lease = $lock->lease('account:1', ttl: 0.3, wait: 10)
        ?? throw new RuntimeException('could not acquire the lock within 10 seconds');
    $fence = $isFenced ? $lease->fence() : 0;
    // From here on the table refuses the holders before this one. So what is read stays true.
    if (!claim($db, $fence)) {
        return false;
    }
    $balance = balance($db);
    $lease->assertHeld(); // this is not enough: the process may stand still right after it
    $work();
    return write($db, $balance - $amount, $fence);
}

function claim(PDO $db, int $fence): bool
{
    return execute($db, 'UPDATE account SET fence = :fence WHERE id = 1 AND fence <= :fence',
        ['fence' => $fence])->rowCount() === 1;
}

function balance(PDO $db): int
{
    return (int) execute($db, 'SELECT balance FROM account WHERE id = 1')->fetchColumn();
}

function write(PDO $db, int $balance, int $fence): bool
{
    return execute($db, <<<'SQL'
        UPDATE account SET balance = :balance, fence = :fence WHERE id = 1 AND fence <= :fence
        SQL, ['balance' => $balance, 'fence' => $fence])->rowCount() === 1;
}

/** @param array<string, int> $values */
function execute(PDO $db, string $sql, array $values = []): PDOStatement
{
    $statement = $db->prepare($sql);
    $statement->execute($values);
    return $statement;
}

/* ---- the two workers ---- */

class_exists('RedisLock') || fail('load the extension first: php -d extension=redislock ...');
extension_loaded('pdo_sqlite') || fail('this example needs the extension pdo_sqlite');
extension_loaded('pcntl') || fail('this example needs the extension pcntl');

$server = new PrivateRedis();
$lock = new RedisLock("unix://$server->socket");
$file = dirname($server->socket) . '/account.sqlite'; // the folder is removed with the server

echo "An account has 100. One worker withdraws 10 and stands still; another one withdraws 30.\n\n";
printf("%-24s%10s%10s  %s\n", '', 'expected', 'balance', 'the late write');
$without = compete($server, $file, $lock, false);
show('without a fencing number', $without);
$with = compete($server, $file, $lock, true);
show('with fence()', $with);

$server->stop();
exit($without['balance'] === 90 && $with['balance'] === 60 ? 0 : 1);

/**
 * Lets the first worker stand still between its reading and its writing, until the second one is
 * done. Returns the balance in the end, and whether the table has refused the late write.
 *
 * @return array{balance: int, wasRefused: bool}
 */
function compete(PrivateRedis $server, string $file, RedisLock $lock, bool $isFenced): array
{
    $db = open($file);
    $db->exec('DROP TABLE IF EXISTS account');
    $db->exec('CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, fence INTEGER)');
    $db->exec('INSERT INTO account VALUES (1, 100, 0)');
    $pid = pcntl_fork();
    if ($pid === 0) {
        $server->leaveToParent();
        pcntl_alarm(30); // it lives no longer, in any case
        $db = open($file);
        $stop = function (): void {
            exec('kill -STOP ' . getmypid()); // a swapped-out host, a frozen container
        };
        $isWritten = withdraw($db, $lock, 10, $isFenced, $stop);
        $isWritten || withdraw($db, $lock, 10, $isFenced, fn () => null); // begin again
        exit($isWritten ? 0 : 1);
    }
    pcntl_waitpid($pid, $status, WUNTRACED); // it stands still, with its thread that renews
    withdraw($db, $lock, 30, $isFenced, fn () => null); // waits until the lock has ended
    exec("kill -CONT $pid");
    pcntl_waitpid($pid, $status);
    /** @var int $status */
    return ['balance' => balance($db), 'wasRefused' => pcntl_wexitstatus($status) === 1];
}

function open(string $file): PDO
{
    return new PDO("sqlite:$file", options: [PDO::ATTR_TIMEOUT => 10]);
}

/** @param array{balance: int, wasRefused: bool} $result */
function show(string $name, array $result): void
{
    printf("%-24s%10d%10d  %s\n", $name, 60, $result['balance'],
        $result['wasRefused'] ? 'was refused, and the worker began again' : 'was accepted');
}

function fail(string $why): never
{
    fwrite(STDERR, "$why\n");
    exit(2);
}
