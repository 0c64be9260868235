<?php
/*
 * Document 002: one lock on several independent servers, by a class RedLock with servers as [host,
 * port, timeout in seconds], three tries, and the lock as an array. The extension asks all servers
 * at once, and a true majority is enough: 2 of 3, 3 of 5. The code of the document requires 3 of 3,
 * and 4 of 5.
 *
 *     REDIS_SERVERS='127.0.0.1:6379 127.0.0.1:6389 127.0.0.1:6399' \
 *         php -d extension=redislock 002-redlock.php
 */

class RedLock
{
    private const CLOCK_DRIFT_FACTOR = 0.01;

    private RedisLock $lock;

    /**
     * @param list<array{string, int, float}> $servers host, port, and the seconds for connecting
     * and for an answer
     * @param int $retryDelay milliseconds: the pause before another try is a random part of it,
     * half of it at least
     * @param int $retryCount tries in all
     */
    public function __construct(array $servers, int $retryDelay = 200, int $retryCount = 3)
    {
        $least = intdiv($retryDelay, 2);
        $middle = ($least + $retryDelay) / 2;
        $this->lock = new RedisLock(
            array_map(self::dsn(...), $servers),
            retryDelay: $middle / 1000,
            retryMaxDelay: $middle / 1000,
            jitter: ($retryDelay - $middle) / $middle,
            retries: max(0, $retryCount - 1),
            wake: false, // polls, as in the document; with true a release would wake the waiter
            driftFactor: self::CLOCK_DRIFT_FACTOR,
        );
    }

    /**
     * @param int $ttl milliseconds
     * @return array{validity: float, resource: string, token: string}|false validity: the
     *   milliseconds for which the lock is certainly held, the TTL minus the time that it took and
     *   minus the drift of the clocks (1 % and 2 ms); false = another holder has the lock
     * @throws RedisLockException when so many servers failed that there is no majority, which is no
     *   refusal
     */
    public function lock(string $resource, int $ttl): array|false
    {
        $lease = $this->lock->lease($resource, $ttl / 1000, wait: INF, renew: false);
        if ($lease === null) {
            return false;
        }
        return [
            'validity' => $lease->remaining() * 1000,
            'resource' => $resource,
            // From here on the token is plain data, and the TTL ends the lock.
            'token' => $lease->detach(),
        ];
    }

    /**
     * Frees the lock on all servers, also on those that refused or did not answer.
     *
     * @param array{resource: string, token: string, ...} $lock
     */
    public function unlock(array $lock): void
    {
        $this->lock->release($lock['resource'], $lock['token']);
    }

    /** @param array{string, int, float} $server */
    private static function dsn(array $server): string
    {
        [$host, $port, $timeout] = $server;
        return "redis://$host:$port?timeout=$timeout&connect_timeout=$timeout";
    }
}

/* ---- used as in the document ---- */

$servers = [];
foreach (explode(' ', getenv('REDIS_SERVERS') ?: '127.0.0.1:6379 127.0.0.1:6389 127.0.0.1:6399')
        as $address) {
    [$host, $port] = explode(':', $address);
    $servers[] = [$host, (int) $port, 0.2];
}
$redLock = new RedLock($servers);
$lock = $redLock->lock('test', 10000);
if ($lock === false) {
    exit("another process is at work\n");
}
try {
    echo 'working, for ', $lock['validity'] > 9000 ? 'nearly ten' : 'less than nine',
        " seconds at most\n";
} finally {
    $redLock->unlock($lock);
    echo "freed\n";
}
