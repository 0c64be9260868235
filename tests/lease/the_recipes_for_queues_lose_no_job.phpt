--TEST--
With the recipes of docs/hand-over.md a push that fails frees the lock, a job that is delivered twice runs once, and a job whose worker died runs again.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());

/* Handing over. */
function hand_over(RedisLock $lock, callable $push): void
{
    $lease = $lock->lease('report', ttl: 600);
    if ($lease === null) {
        throw new LogicException('under way');
    }
    $token = $lease->detach();
    try {
        $push($token);
    } catch (Throwable $e) {
        $lock->release('report', $token);
        throw $e;
    }
}

throws('a push that throws', 'DomainException', '~the queue is full~',
    fn () => hand_over($lock, fn () => throw new DomainException('the queue is full')));
same('its lock is free', [], $server->keys());
hand_over($lock, function (string $pushed) use (&$token): void {
    $token = $pushed;
});
same('the job has it', $token, $server->cmd('GET', 'report'));
throws('another request', 'LogicException', '~under way~',
    fn () => hand_over($lock, fn () => null));

/* The worker of a queue that delivers at least once. */
$worker = '
    $lock = new RedisLock($argv[1]);
    $ttl = (float) $argv[3];
    $lease = $lock->resume("report", $argv[2], $ttl) ?? $lock->lease("report", $ttl);
    if ($lease === null) { die("put back\n"); }
    echo "works\n";
    fgets(STDIN);
    echo $lease->release() ? "done\n" : "lost\n";';
/* A stall may outlast the lock of the first worker before the second one has asked for it. */
$outcome = function (string $token) use ($server, $worker): string {
    $child = start_php($worker, [$server->dsn(), $token, room(0.6)]);
    $child->tell('end of the work');
    return $child->output();
};
undisturbed(0.1, function () use ($lock, $server, $worker, $outcome): void {
    $server->cmd('FLUSHALL');
    hand_over($lock, function (string $pushed) use (&$token): void {
        $token = $pushed;
    });
    $first = start_php($worker, [$server->dsn(), $token, room(0.6)]);
    $first->expect('~works~');
    same('delivered again meanwhile', "put back\n", $outcome($token));

    /* The first one dies: the job that was put back comes again, and runs. */
    $first->signal(SIGKILL);
    $first->output();
    same('right behind its death', "put back\n", $outcome($token));
    eventually('its lock ends', fn () => $server->cmd('EXISTS', 'report') === 0);
    $again = start_php($worker, [$server->dsn(), $token, room(0.6)]);
    $again->expect('~works~');
    $again->tell('end');
    matches('it ends well', '~\ndone\n$~D', $again->output());
});
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
