<?php

/**
 * @generate-class-entries
 * @undocumentable
 */

/**
 * A distributed lock on Redis or Valkey.
 *
 * One object stands for one server, or several, and one set of options. It may be used for any number of keys, and
 * by any number of Fibers of its thread. The constructor never connects.
 *
 * With several servers, which must be independent of each other, the lock lives on all of them, and has whoever a
 * majority (half of them, rounded down, and one more) says has it: Redlock. All are asked at once, and nobody is waited
 * for who cannot change the outcome. "The server" below then means a majority; docs/redlock.md has the whole.
 *
 * All times are seconds, as float or int. They reach the server as whole milliseconds, a TTL rounded
 * down and a wait rounded up. Keys and tokens are byte strings: any bytes, a key of 1 byte to 64 KiB
 * including its prefix, a token of 1 to 4096 bytes. A bad argument is a ValueError or TypeError before
 * anything is sent. A bool is no time: it is a TypeError also without strict_types.
 *
 * A refusal is a value, a failure is an exception: what somebody else holds gives null or false; what
 * Redis or the network did is thrown as a RedisLockException.
 *
 * The key holds the token as a plain string with a TTL, exactly what `SET key token NX PX ms` leaves,
 * so that other clients and this class exclude each other.
 *
 * @strict-properties
 * @not-serializable
 */
class RedisLock
{
    /**
     * Options after $prefix are meant as named arguments; their order may change before 1.0.
     *
     * @param string|array|null $servers a DSN, or an array of 1 to 15 DSNs; null = the INI setting
     *   redislock.servers, where several are separated by spaces. `redis://[[user]:password@]host[:port][/db]` (also valkey:// and tcp://),
     *   `unix://[[user]:password@]/path/to.sock[?db=1]` (also redis:///path/to.sock); IPv6 in brackets,
     *   percent-encoding everywhere; query options db, timeout, connect_timeout. An option in the DSN
     *   beats the argument of the same meaning.
     * @param string|null $prefix put before each key; null = the INI setting redislock.prefix. A number is a TypeError,
     *   also without strict_types: a port belongs into the DSN
     * @param float $timeout seconds for one answer of the server, 0.001 to 3600. With several servers, in calls that
     *   have a TTL, a tenth of that TTL at most, but not less than a millisecond
     * @param float $connectTimeout seconds for connecting, 0.001 to 3600; with several servers limited in the same way
     * @param float $retryDelay seconds, the first back-off delay of a wait, 0.001 to 60; doubled each time
     * @param float $retryMaxDelay up to this, 0.001 to 60; while servers fail up to a second, if this is less
     * @param float $jitter each delay is multiplied by a random number of 1-jitter to 1+jitter; 0 to below 1
     * @param int|null $retries how often a wait looks at the lock again after a delay; the last look decides.
     *   null = as often as $wait allows
     * @param bool $wake waiters are woken by a release, and releases wake them, through two helper keys
     *   (`<key>::rl-wait`, `<key>::rl-wake`); false = they only look again after each delay. A key that ends in one of
     *   these is a ValueError
     * @param bool $persistent keep connections for the life of the process, shared by all objects of a
     *   thread that speak to the same server as the same user; false = they belong to this object
     * @param bool $reentrant a lease() or synchronized() for a key that this object holds by a lease, in the same
     *   Fiber, is another lease on the same lock; it is freed with the last of them. Its TTL is set at the server if it
     *   is longer than that of the lock, or if less than half of it is left; else there is no traffic
     * @param float $driftFactor how far clocks may drift apart, 0 to 0.5 of the TTL
     *
     * @throws ValueError on a bad value, TypeError on a bad type
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
        bool $wake = true,
        bool $persistent = true,
        bool $reentrant = false,
        float $driftFactor = 0.01,
    ) {}

    /**
     * Takes the lock.
     *
     * One SET NX PX. With $wait it goes into a queue at the server, on a second connection, and is woken when
     * the lock is released: the waiter that has waited longest gets it first. A waiter whose process stands still, or is
     * gone, is passed over two seconds after its last look. The wait looks now and then (every second, or as soon as the
     * lock's TTL is over; after a back-off delay that doubles, with jitter, when the holder is not a RedisLock), and
     * tries a last time at the deadline, never before it. Where the queue fails, the wait polls for a second, and queues
     * again. Failures that may pass (no connection, LOADING, READONLY, NOREPLICAS, MISCONF, ...) end it at the deadline. Signal handlers and the time
     * limit run while it waits.
     *
     * With several servers it is a SET on each; what a minority granted is undone. Votes that are split among several
     * who try at once are tried again after a random time, up to three times also without $wait. Who waits stands in
     * the queue of one server, the same for all, and asks the others when it is woken.
     *
     * @param string $key what to lock
     * @param float $ttl seconds after which the lock ends by itself, 0.005 to 366 days
     * @param float $wait seconds to wait for it at most; 0 = one try, INF = for ever
     * @param string|null $token the owner's mark; null = a fresh unguessable one. A token of your own must be
     *   unique for each holder: two that use the same one exclude each other, but can free each other's lock.
     *   While it waits the call uses a fresh token, and puts yours in its place when it has won, which takes one more
     *   round trip. If the server's answer is lost, a lock with your own token may stay until its TTL.
     *
     * @return string|null the token, to be given to release(); null = someone else has the lock
     *
     * @throws RedisLockConnectionException when the server could not be asked, or its answer did not come
     * @throws RedisLockServerException when the server answered with an error
     */
    public function acquire(string $key, float $ttl = 30.0, float $wait = 0.0, #[\SensitiveParameter] ?string $token = null): ?string {}

    /**
     * Frees the lock if it is still held with this token. One EVALSHA. If somebody waits, the lock is reserved
     * for the waiter that has waited longest, for 10 ms at most, with several servers for 250 ms at most: until then
     * isLocked() is true, and owner() null.
     *
     * After an exception a thread of this process repeats the release for 30 seconds, if the token was drawn by this
     * class. Until the server has confirmed it extend() is false for this token. A second release() may be false, too,
     * because the thread came first.
     *
     * @return bool true = it was ours and is free now; false = it was not (it expired, or someone else has it).
     *   False after the work means that the work outlived its TTL: do not ignore it.
     *
     * @throws RedisLockConnectionException when the server could not be asked, or it cannot be known what
     *   became of the lock
     * @throws RedisLockServerException when the server answered with an error
     */
    public function release(string $key, #[\SensitiveParameter] string $token): bool {}

    /**
     * Sets a new TTL, counted from now, if the lock is still held with this token. It may be shorter. Of several
     * servers a majority has to; what is left on a minority is freed.
     *
     * @param float $ttl seconds, 0.005 to 366 days
     *
     * @return bool true = held until the new TTL; false = no longer ours
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function extend(string $key, #[\SensitiveParameter] string $token, float $ttl): bool {}

    /**
     * Takes the lock as a lease: an object that frees it, however the script ends. See RedisLockLease.
     *
     * It is freed with its object, and at the end of the request: after exit, an uncaught exception, a fatal
     * error, the memory limit or the time limit. Until then a thread of this process renews it, whatever the script
     * does, also while it sleeps or waits for something else.
     *
     * @param float $ttl seconds after which the lock ends when nobody renews it (this process died, or the server
     *   cannot be reached), 0.005 to 366 days; it is renewed when a third of that has passed
     * @param float $wait seconds to wait for it at most; 0 = one try, INF = for ever
     * @param bool $renew false = it ends at its TTL, unless extend() is called before
     * @param float|null $maxHold seconds for which it is kept alive at most: no renewal sets an end beyond that; then
     *   it is lost. null = for as long as the object lives. The INI setting redislock.max_hold is a ceiling for it.
     *   A TTL that is longer, and extend(), are not cut
     * @param callable|null $onLoss called once with the lease when the lock is lost (see RedisLockLease::loss()): by
     *   verify() and extend() when they find that out, else at the next place where PHP runs signal handlers, in
     *   whatever Fiber runs. A single call that takes long (a query, sleep()) ends first. Not called for release(),
     *   in a forked child, nor while the request shuts down; a signal handler, a tick function and, before PHP 8.4,
     *   a destructor end first. It cannot switch Fibers. It may set a flag, log, roll back or exit; what it throws
     *   goes the way of an exception that a signal handler throws, see docs/leases.md
     * @param string|null $token the owner's mark, as for acquire(); null = a fresh unguessable one. A lock that is
     *   entered again (reentrant) keeps the token that it has
     *
     * @return RedisLockLease|null null = someone else has the lock
     *
     * @throws RedisLockException when $wait is not 0 and the server says that a lease of this thread that renews itself
     *   without $maxHold has the lock, so that waiting could never end; or when the system gives no thread for renewing;
     *   or when this request keeps about 10,000 leases already
     * @throws RedisLockConnectionException when the server could not be asked, or its answer did not come
     * @throws RedisLockServerException when the server answered with an error
     */
    public function lease(string $key, float $ttl = 30.0, float $wait = 0.0, bool $renew = true, ?float $maxHold = null, ?callable $onLoss = null, #[\SensitiveParameter] ?string $token = null): ?RedisLockLease {}

    /**
     * Takes over a lock whose token is known, as a lease with a fresh token and a new TTL that begins now. The token may
     * come from acquire() or from RedisLockLease::detach(), also of another process. It is worth nothing afterwards: of
     * two that bring the same token one gets the lease, the other null. The last three arguments are those of lease(),
     * without its token.
     *
     * With several servers a majority has to hold the token. A take-over that fails is undone: the token that was given
     * is put back where it was replaced, as far as the server can be reached.
     *
     * @return RedisLockLease|null null = the lock is not held with this token: it expired, was freed, or somebody took it
     *   over before
     *
     * @throws RedisLockConnectionException when the server could not be asked, or its answer did not come
     * @throws RedisLockServerException when the server answered with an error
     */
    public function resume(string $key, #[\SensitiveParameter] string $token, float $ttl = 30.0, bool $renew = true, ?float $maxHold = null, ?callable $onLoss = null): ?RedisLockLease {}

    /**
     * Runs a section of code under the lock, and frees it, however the section ends.
     *
     * The other arguments are those of lease().
     *
     * @param callable $section called with the RedisLockLease
     *
     * @return mixed what the section returned
     *
     * @throws RedisLockTimeoutException when the lock was not to be had in $wait seconds; the section was not called
     * @throws RedisLockLostException when the section returned, but the lock had been lost before it ended, and before the
     *   section released it; its getResult() has what the section returned
     * @throws RedisLockConnectionException when the server could not be asked for the lock
     * @throws RedisLockServerException when the server answered with an error
     * @throws Throwable whatever the section throws, as it is
     */
    public function synchronized(string $key, callable $section, float $ttl = 30.0, float $wait = 0.0, bool $renew = true, ?float $maxHold = null, ?callable $onLoss = null): mixed {}

    /**
     * Tells whether anyone has the lock.
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function isLocked(string $key): bool {}

    /**
     * @return string|null the holder's token; null = nobody has the lock, or it is a lock of symfony/lock, which has no
     *   token here, or of several servers no majority names the same
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function owner(string $key): ?string {}

    /**
     * @return float|null seconds until the lock ends by itself (on several servers: until a majority has it no more);
     *   null = nobody has it; INF = it has no TTL
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function remaining(string $key): ?float {}

    /**
     * Frees the lock whoever holds it. For administrators: the holder is not told. It frees strings only: a key that
     * holds anything else (also a lock of symfony/lock, a sorted set) stays. It is sent once: when the answer is lost,
     * sending it again could free the lock of whoever came next. Of several servers the answer of each is waited for.
     *
     * @return bool true = somebody had it
     *
     * @throws RedisLockConnectionException when the server could not be asked, or it cannot be known whether
     *   this call freed it
     * @throws RedisLockServerException when the server answered with an error; WRONGTYPE when the key is no string
     */
    public function forceRelease(string $key): bool {}

    /**
     * A fresh unguessable token of 28 characters (144 random bits): letters, digits, `.`, `-` and `_`.
     */
    public static function token(): string {}

    /**
     * Counters of this process since it started; a forked child begins at zero.
     *
     * acquired (resume() counts, too), refused (no wait asked for; resume() that gave null), split_votes (tries of
     * several servers that some granted, but no majority, and that were made again at once), timed_out (a wait that
     * ended without the lock), failed (a call that ended in a connection or server exception, and the end of a lease
     * that could not be freed), waited (seconds spent in waits), tries (to get a lock on the ordinary connection, one
     * or more for each acquire()), nudges (looks of a wait that take nothing), wake_ups (by a release, or by a look
     * that found the lock free), wake_ups_taken (of these, when the lock was taken again), delays (back-off delays),
     * undone (undos written, for grants that a call could not use or did not hear of), released, not_released
     * (release() that gave false), postponed (releases, and undos of resume(), that failed and that the thread of
     * leases repeats), postponed_done (of these, completed), postponed_dropped (of these, given up: the TTL was over,
     * more than 1,024 were waiting, or there was no memory or thread), extended, not_extended, renewed (renewals that
     * were confirmed), lost (leases that ended while they were renewed or had an onLoss), connects (connections
     * tried), reconnects (connections replaced because they had broken, or led to a replica), scripts_loaded,
     * fallbacks (waits that polled for a while, because the server does not allow them to be woken or the queue failed
     * three times in a row, once for each wait; and releases that found out that they cannot wake anybody).
     *
     * @return array{acquired: int, refused: int, split_votes: int, timed_out: int, failed: int, waited: float, tries: int,
     *   nudges: int, wake_ups: int, wake_ups_taken: int, delays: int, undone: int, released: int,
     *   not_released: int, postponed: int, postponed_done: int, postponed_dropped: int, extended: int, not_extended: int, renewed: int, lost: int, connects: int,
     *   reconnects: int, scripts_loaded: int, fallbacks: int}
     */
    public static function stats(): array {}

    /**
     * Drops this thread's idle connections to this object's servers. The object can be used again and will
     * connect again. Locks stay as they are.
     */
    public function close(): void {}
}

/**
 * A lock that this process keeps. Made by RedisLock::lease(), resume() and synchronized().
 *
 * It is held as long as that is proven: from before the server was asked, or renewed it, until the TTL less clock
 * drift. What it says of itself (isHeld(), remaining(), heldFor(), waited(), attempts()) costs no traffic. Loss is final. After a
 * fork the child has nothing: its copy says not held, and frees nothing. var_dump() and print_r() show key, held and
 * remaining, never the token.
 *
 * Its end frees the lock and waits 0.2 seconds at most. A thread of the process repeats a release that fails, until the
 * server has confirmed it or the TTL is over. Nothing waits for that thread at the end of the process.
 *
 * @strict-properties
 * @not-serializable
 */
final class RedisLockLease
{
    private function __construct() {}

    /** The key, without the prefix. */
    public function key(): string {}

    /** The token that the key holds. */
    public function token(): string {}

    /** Seconds of proven ownership left; 0 = not held. */
    public function remaining(): float {}

    /** Whether ownership is proven now. */
    public function isHeld(): bool {}

    /** @throws RedisLockLostException when it is not held */
    public function assertHeld(): void {}

    /**
     * Asks the server whether it is still ours. If not, the lease is lost, and its onLoss is called before this returns.
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function verify(): bool {}

    /**
     * Sets a new TTL, counted from now. It may be shorter. Renewals use it, too. If the lock is lost, its onLoss is
     * called before this returns.
     *
     * @return bool true = held until the new TTL; false = lost
     *
     * @throws RedisLockConnectionException when the server could not be asked; until the next extend() the shorter
     *   of both TTLs counts
     * @throws RedisLockServerException when the server answered with an error
     */
    public function extend(float $ttl): bool {}

    /**
     * Frees the lock; if it is held more than once (reentrant), only with the last of its leases. A second call is
     * false, without traffic. From the call on isHeld() is false, also when it throws; then it can be called again, and
     * a thread of this process repeats it anyway, unless the token is your own. When the first answer is lost, a lock
     * whose ownership was proven counts as freed by it.
     *
     * @return bool true = it was still ours
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function release(): bool {}

    /**
     * Stops keeping it: the lock is renewed no more, lives on until its TTL, and belongs to whoever has the token that
     * is returned.
     *
     * @throws RedisLockLostException when it is not held
     * @throws RedisLockException when it is held more than once (reentrant)
     */
    public function detach(): string {}

    /** Seconds since it was won, until it was released. */
    public function heldFor(): float {}

    /** Seconds spent in getting it. */
    public function waited(): float {}

    /** How often the lock was asked for until it was got. */
    public function attempts(): int {}

    /** Why it is not held: the first reason that was found. No traffic. Null = it is held. */
    public function loss(): ?RedisLockLoss {}
}

/**
 * Why a lease is not held.
 *
 * When a majority of several servers says so, it is the reason of most of these servers, and of two halves TakenOver.
 */
enum RedisLockLoss
{
    /** Its time was over: it was not renewed, or could not be. */
    case Expired;

    /**
     * The server has no such key any more: it was deleted, evicted or flushed, or is reserved for a waiter. Also when
     * the end of a section finds that the key is not ours: a release is not told whether another holder has the lock.
     */
    case Deleted;

    /** The key holds something else: another holder has the lock. */
    case TakenOver;

    /** It was renewed for as long as $maxHold, or the INI setting redislock.max_hold, allows. */
    case MaxHold;

    /** release() or detach() was called, or the section of synchronized() has ended. */
    case Released;

    /** This process was forked from the one that holds it. */
    case Forked;
}

/** The base of all failures of a lock. Its code is the system's errno, or 0. */
class RedisLockException extends RuntimeException
{
    private array $reasons = [];

    /** @return array<string, string> what went wrong, by server */
    public function getReasons(): array {}
}

/** No server, or not enough of them, could be asked: refused, timed out, closed, name not found; or its answer did not come. */
class RedisLockConnectionException extends RedisLockException
{
}

/** A server answered with an error, such as NOAUTH, NOPERM, WRONGTYPE, READONLY, OOM or LOADING. */
class RedisLockServerException extends RedisLockException
{
    private string $errorCode = "";

    /** Redis' own word for the error, `NOAUTH` for example. */
    public function getErrorCode(): string {}
}

/** synchronized() could not get the lock in time. */
class RedisLockTimeoutException extends RedisLockException
{
}

/** A lease that had to be held is not held. */
class RedisLockLostException extends RedisLockException
{
    private mixed $result = null;
    private ?RedisLockLoss $loss = null;

    /** What the section of synchronized() returned; else null. */
    public function getResult(): mixed {}

    /** Why it is not held. Null only for an exception that this extension has not thrown. */
    public function getLoss(): ?RedisLockLoss {}
}
