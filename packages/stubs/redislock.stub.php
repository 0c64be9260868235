<?php

/*
 * The signatures of the extension redislock, with the types that PHP itself cannot express. For
 * IDEs, PHPStan and Psalm; never loaded by PHP. The reference of all arguments is
 * stubs/redislock.stub.php of the extension; scripts/packages compares the signatures with it.
 */

/**
 * A distributed lock on Redis or Valkey.
 *
 * A refusal is a return value, a failure is an exception: if another holder has the lock, a method
 * returns null or false; if Redis or the network fails, it throws a RedisLockException. All times
 * are seconds.
 */
class RedisLock
{
    /**
     * Connects to nothing yet. Pass the options after $prefix as named arguments.
     *
     * @param string|list<string>|null $servers a DSN, or a list of DSNs, of which a majority has to
     *   grant a lock; null = the INI setting redislock.servers
     * @param string|null $prefix put before each key; null = the INI setting redislock.prefix
     * @param float $timeout seconds for one answer of the server
     * @param float $connectTimeout seconds for connecting
     * @param float $retryDelay the first back-off delay of a wait
     * @param float $retryMaxDelay the longest back-off delay of a wait
     * @param float $jitter each delay is multiplied by a random number from 1-jitter to 1+jitter
     * @param int<0, max>|null $retries how often a wait looks again; null = as often as $wait
     *   allows; 0 = the first try decides
     * @param float|null $outageWait for how many seconds a wait goes on while too few servers
     *   answer; 0 = the first failure is thrown; null = until the deadline of the wait
     * @param bool $wake true = a release wakes a waiter
     * @param bool $persistent true = connections stay open for the life of the process
     * @param bool $reentrant true = leases of one key may be nested in a Fiber or coroutine
     * @param float $driftFactor safety margin for clock drift
     * @param string|null $label who this process is, as others see it: 1 to 64 printable ASCII
     *   characters without spaces; null = the INI setting redislock.label, or `host:pid`
     * @param array{cafile?: string|null, capath?: string|null, local_cert?: string|null,
     *   local_pk?: string|null, passphrase?: string|null, peer_name?: string|null,
     *   verify_peer?: bool|null, verify_peer_name?: bool|null, ciphers?: string|null,
     *   SNI_enabled?: bool|null, min_version?: string|null} $tls
     *
     * @throws ValueError
     */
    public function __construct(
        #[\SensitiveParameter] string|array|null $servers = null,
        ?string $prefix = null,
        float $timeout = 1.0,
        float $connectTimeout = 1.0,
        float $retryDelay = 0.01,
        float $retryMaxDelay = 0.2,
        float $jitter = 0.2,
        ?int $retries = null,
        ?float $outageWait = null,
        bool $wake = true,
        bool $persistent = true,
        bool $reentrant = false,
        float $driftFactor = 0.01,
        ?string $label = null,
        #[\SensitiveParameter] array $tls = [],
    ) {}

    /**
     * Takes the lock.
     *
     * @param float $ttl seconds after which the lock ends by itself
     * @param float $wait the longest wait in seconds; 0 = one try, INF = without end
     * @param string|null $token null = a fresh token that cannot be guessed
     * @param (callable(): (bool|null|void))|null $abort asked while the call waits; true ends the
     *   wait
     *
     * @return non-falsy-string|null the token, which release() needs; null = another holder has the
     *   lock, or $abort has ended the wait
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function acquire(
        string $key,
        float $ttl = 30.0,
        float $wait = 0.0,
        #[\SensitiveParameter] ?string $token = null,
        ?callable $abort = null,
    ): ?string {}

    /**
     * Frees the lock if it is still held with this token.
     *
     * @return bool false = it was no longer held with this token: the work took longer than the TTL
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function release(string $key, #[\SensitiveParameter] string $token): bool {}

    /**
     * Sets a new TTL, which counts from now, if the lock is still held with this token.
     *
     * @return bool false = it is no longer held with this token
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function extend(string $key, #[\SensitiveParameter] string $token, float $ttl): bool {}

    /**
     * Takes the lock as a lease, which renews the lock, and frees it however the script ends. Keep
     * the lease in a variable: the lock is freed with it. An array of keys makes one lease that
     * holds all of them.
     *
     * @param string|array<int, string> $key
     * @param float $ttl seconds after which the lock ends if it is not renewed
     * @param float $wait the longest wait in seconds; 0 = one try, INF = without end
     * @param bool $renew false = the lock ends at its TTL, unless extend() is called before
     * @param float|null $maxHold for how many seconds the lease is renewed at most
     * @param (callable(RedisLockLease): mixed)|null $onLoss called once when the lock is lost
     * @param string|null $token null = a fresh token that cannot be guessed
     * @param (callable(): (bool|null|void))|null $abort as for acquire()
     *
     * @return RedisLockLease|null null = another holder has the lock, or $abort has ended the wait
     *
     * @throws RedisLockException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function lease(
        string|array $key,
        float $ttl = 30.0,
        float $wait = 0.0,
        bool $renew = true,
        ?float $maxHold = null,
        ?callable $onLoss = null,
        #[\SensitiveParameter] ?string $token = null,
        ?callable $abort = null,
        int $slots = 1,
    ): ?RedisLockLease {}

    /**
     * Takes over a lock whose token is known, as a lease with a fresh token. It works once: of two
     * callers with the same token one gets the lease, and the other gets null.
     *
     * @param (callable(RedisLockLease): mixed)|null $onLoss
     *
     * @return RedisLockLease|null null = the lock is not held with this token
     *
     * @throws RedisLockException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function resume(
        string $key,
        #[\SensitiveParameter] string $token,
        float $ttl = 30.0,
        bool $renew = true,
        ?float $maxHold = null,
        ?callable $onLoss = null,
    ): ?RedisLockLease {}

    /**
     * Runs a section of code under the lock, and frees the lock, however the section ends.
     *
     * @template T
     *
     * @param string|array<int, string> $key
     * @param callable(RedisLockLease): T $section
     * @param (callable(RedisLockLease): mixed)|null $onLoss
     * @param (callable(): (bool|null|void))|null $abort as for acquire()
     *
     * @return T the return value of the section
     *
     * @throws RedisLockTimeoutException when the lock could not be acquired within $wait seconds
     * @throws RedisLockLostException when the lock was lost before the section ended
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function synchronized(
        string|array $key,
        callable $section,
        float $ttl = 30.0,
        float $wait = 0.0,
        bool $renew = true,
        ?float $maxHold = null,
        ?callable $onLoss = null,
        ?callable $abort = null,
        int $slots = 1,
    ): mixed {}

    /**
     * Runs a section of code under the lock, unless it has run to its end within the last $for
     * seconds.
     *
     * @param callable(RedisLockLease): mixed $section
     * @param (callable(RedisLockLease): mixed)|null $onLoss
     * @param (callable(): (bool|null|void))|null $abort as for acquire()
     *
     * @return bool true = this call has run the section; false = it has run to its end before
     *
     * @throws RedisLockTimeoutException when another caller ran the section until the end of $wait
     * @throws RedisLockLostException when the lock was lost before the section ended
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function once(
        string $key,
        callable $section,
        float $for,
        float $ttl = 30.0,
        float $wait = 0.0,
        bool $renew = true,
        ?float $maxHold = null,
        ?callable $onLoss = null,
        ?callable $abort = null,
    ): bool {}

    /**
     * Whether the lock is held, by any holder.
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function isLocked(string $key): bool {}

    /**
     * @return non-empty-string|null the token of the holder; null = the lock is free
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function owner(string $key): ?string {}

    /**
     * The holder of the lock, for how long the lock is held, and how many clients wait.
     *
     * @return RedisLockState|null null = the lock is free
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function inspect(string $key): ?RedisLockState {}

    /**
     * The same for many locks, which are asked for together.
     *
     * @param array<int, string> $keys
     *
     * @return array<array-key, RedisLockState|null> by key, in the order of $keys
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function inspectAll(array $keys): array {}

    /**
     * The keys that begin with a prefix and may be locks: all strings but the keys of waiters, and
     * so also the values of a cache. inspectAll() says which of them are locks, and of whom.
     *
     * SCAN finds the keys, 500 at a time, on each server, on each node of a cluster, or on the
     * primary that the Sentinels name. A key that comes, goes, or moves to another node meanwhile
     * may be missing. Of a lock with several slots each slot is a key; on a cluster the names of
     * the further slots begin with a brace. For people and tools: with millions of keys a call
     * takes seconds.
     *
     * @param string $prefix a beginning, no pattern; the prefix of the object stands before it
     * @param positive-int $limit how many keys are returned at most
     *
     * @return list<string> without the prefix of the object, sorted
     *
     * @throws RedisLockConnectionException when a server or a node could not be asked; of several
     *   servers, when fewer than a majority could be asked
     * @throws RedisLockServerException when it answered with an error
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function findKeys(string $prefix = '', int $limit = 10000): array {}

    /**
     * @return float|null seconds until the lock ends by itself; null = the lock is free; INF = it
     *   has no TTL
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function remaining(string $key): ?float {}

    /**
     * Frees the lock of any holder, who gets no notice.
     *
     * @return bool true = the lock was held
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function forceRelease(string $key): bool {}

    /**
     * A fresh token that cannot be guessed.
     *
     * @return non-falsy-string
     *
     * @phpstan-impure
     */
    public static function token(): string {}

    /**
     * The numbers of this process since it started, or of all processes that share them.
     *
     * @return array{processes: int, processes_missing: int, held: int, waiting: int,
     *   acquired: int, refused: int, already_done: int, split_votes: int, timed_out: int,
     *   failed: int, tries: int, probes: int, wake_ups: int, spurious_wake_ups: int, backoffs: int,
     *   grants_undone: int, released: int, not_released: int, late_releases: int,
     *   late_releases_done: int, late_releases_dropped: int, extended: int, not_extended: int,
     *   renewed: int, lost: int, connects: int, reconnects: int, cluster_redirects: int,
     *   tls_handshakes: int, tls_resumed: int, sentinel_lookups: int, primary_switches: int,
     *   unconfirmed: int, blocked_by_grace: int, scripts_loaded: int, wake_failures: int,
     *   wait_time: array{count: int, sum: float, buckets: array<string, int>},
     *   hold_time: array{count: int, sum: float, buckets: array<string, int>},
     *   round_trip: array{count: int, sum: float, buckets: array<string, int>}}
     *
     * @throws RedisLockException
     *
     * @phpstan-impure
     */
    public static function stats(bool $all = false): array {}

    /**
     * Moves the clock of this process forward, for tests with memory://, as if the time had passed.
     *
     * @throws ValueError for a time that is negative or longer than 31622400 seconds
     * @throws Error outside of the CLI, unless the INI setting redislock.memory is on
     */
    public static function advance(float $seconds): void {}

    /**
     * Deletes all keys of all memory:// servers of this process, for tests. Leases of this thread
     * on memory:// are lost at once, without a call of onLoss.
     *
     * @throws Error outside of the CLI, unless the INI setting redislock.memory is on
     */
    public static function flushMemory(): void {}

    /**
     * From now on the calls of this thread wait by the event loop of the script, until the end of
     * the request. docs/event-loops.md has waiters for Revolt (amphp), ReactPHP and Swoole.
     *
     * @param (callable(resource, bool): (bool|null|void))|null $waiter lets other code run until
     *   the stream is readable; true as the second argument = another holder has the lock; returns
     *   false if it cannot wait here. null = calls block
     *
     * @throws Error where the system has neither epoll nor kqueue
     */
    public static function waitWith(?callable $waiter): void {}

    /**
     * Sets a function that hears of contention: it is called after each acquire(), lease(),
     * synchronized() or once() of this request that has found its lock taken, whether the call has
     * waited and got it, or not. A call that gets its lock at once costs no call of the function;
     * neither does a call that ends by an exception of a server or of a handler.
     *
     * The function runs before the call returns. If it throws, the call ends by that exception, and
     * a lock that it has won is released. Acquires that the function makes are not observed, and
     * it cannot suspend its Fiber. At the end of the request it is forgotten.
     *
     * @param null|callable(string, float, bool, ?string): mixed $observer function (string $key,
     *   float $waited, bool $acquired, ?string $holder): the key without its prefix, the seconds
     *   since the call began, and the label of the holder that was seen last, if it is known; null
     *   = none
     */
    public static function onContention(?callable $observer): void {}

    /** Closes the idle connections of this thread to the servers of this object. */
    public function close(): void {}
}

/**
 * A lock that this process renews and frees. RedisLock::lease(), resume() and synchronized() make
 * leases.
 */
final class RedisLockLease
{
    private function __construct() {}

    /** The key, without the prefix; of several keys the first one in the order of their bytes. */
    public function key(): string {}

    /**
     * All keys, without the prefix, in the order of their bytes.
     *
     * @return non-empty-list<string>
     */
    public function keys(): array {}

    /** Which of the lock's slots it is, from 1 on; 1 where each lock of the lease has one. */
    public function slot(): int {}

    /**
     * The token in the key.
     *
     * @return non-falsy-string
     *
     * @throws RedisLockException when the lease has several keys
     */
    public function token(): string {}

    /**
     * For how many seconds ownership is still proven; 0 = not held. No traffic.
     *
     * @phpstan-impure
     */
    public function remaining(): float {}

    /**
     * Whether ownership is proven now. No traffic.
     *
     * @phpstan-impure
     */
    public function isHeld(): bool {}

    /**
     * @throws RedisLockLostException when the lease is not held
     *
     * @phpstan-impure
     */
    public function assertHeld(): void {}

    /**
     * Asks the server whether the lock is still held by this lease.
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     *
     * @phpstan-impure
     */
    public function verify(): bool {}

    /**
     * Sets a new TTL, which counts from now, for the lock and its later renewals.
     *
     * @return bool false = the lock is lost
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     * @throws ValueError
     *
     * @phpstan-impure
     */
    public function extend(float $ttl): bool {}

    /**
     * Frees the lock. A second call returns false, without traffic.
     *
     * @return bool true = the lock was still held
     *
     * @throws RedisLockConnectionException
     * @throws RedisLockServerException
     *
     * @phpstan-impure
     */
    public function release(): bool {}

    /**
     * Ends the lease without freeing the lock: it lives on until its TTL, and belongs to the holder
     * of the returned token.
     *
     * @return non-falsy-string
     *
     * @throws RedisLockException
     *
     * @phpstan-impure
     */
    public function detach(): string {}

    /**
     * Seconds from the grant of the lock until its release, or until now.
     *
     * @phpstan-impure
     */
    public function heldFor(): float {}

    /**
     * A number that is greater than that of each earlier holder of the key.
     *
     * @param string|null $key which key's number is wanted, if the lease has several keys
     *
     * @throws RedisLockException
     * @throws ValueError
     */
    public function fence(?string $key = null): int {}

    /** Seconds that it took to get the lock. */
    public function waited(): float {}

    /**
     * How many attempts it took to get the lock.
     *
     * @return int<1, max>
     */
    public function attempts(): int {}

    /**
     * The reason why the lease is not held; null = it is held. No traffic.
     *
     * @phpstan-impure
     */
    public function loss(): ?RedisLockLoss {}
}

/** The state of a lock, as RedisLock::inspect() has found it. */
final readonly class RedisLockState
{
    /** The label of the holder; null = unknown. */
    public readonly ?string $label;

    /** Seconds until the lock ends by itself; INF = it has no TTL. */
    public readonly float $remaining;

    /**
     * How many clients wait in the queue.
     *
     * @var int<0, max>
     */
    public readonly int $waiters;

    /**
     * The labels of up to 64 of these waiters, in no order. A waiter of an older version has none.
     *
     * @var list<string>
     */
    public readonly array $waiting;

    /**
     * When the holder's token was drawn, in seconds since 1970 by the clock of the holder: that is
     * when its acquire() or lease() began, so before its wait. null = as for $label, except that
     * also a token without a label has it.
     */
    public readonly ?int $since;

    /** The value of the key is no token that the extension has drawn. */
    public readonly bool $isForeign;

    /** A release has reserved the lock for a waiter: there is no holder. */
    public readonly bool $isReserved;

    /** The key has the mark of once(): the work is done, and there is no holder. */
    public readonly bool $isDone;

    private function __construct() {}
}

/** The reason why a lease is not held. */
enum RedisLockLoss
{
    /** The TTL is over: the lease was not renewed, or could not be renewed. */
    case Expired;

    /** The server does not have the key any more. */
    case Deleted;

    /** Another holder has the lock. */
    case TakenOver;

    /** The lease was renewed for as long as $maxHold, or redislock.max_hold, allows. */
    case MaxHold;

    /** release() or detach() was called, or the section of synchronized() has ended. */
    case Released;

    /** This process was forked from the process that holds the lock. */
    case Forked;
}

/** The base class of all failures of a lock. Its code is the errno of the system, or 0. */
class RedisLockException extends RuntimeException
{
    /** The key of the lock, without the prefix; null = the failure is not about a lock. */
    public function getKey(): ?string {}

    /** @return array<string, string> server => the reason of its failure */
    public function getReasons(): array {}
}

/** No server, or not enough servers, could be asked, or did not answer. */
class RedisLockConnectionException extends RedisLockException
{
}

/** A server answered with an error, such as NOAUTH, NOPERM, WRONGTYPE, READONLY, OOM or LOADING. */
class RedisLockServerException extends RedisLockException
{
    /** The error code that Redis sends, for example `NOAUTH`. */
    public function getErrorCode(): string {}
}

/** synchronized() could not acquire the lock in time. */
class RedisLockTimeoutException extends RedisLockException
{
}

/** A lease that had to be held is not held. */
class RedisLockLostException extends RedisLockException
{
    /** The return value of the section of synchronized(); otherwise null. */
    public function getResult(): mixed {}

    /** Null only if the extension has not thrown the exception. */
    public function getLoss(): ?RedisLockLoss {}
}
