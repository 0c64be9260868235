<?php

/**
 * @generate-class-entries
 * @undocumentable
 */

/**
 * A distributed lock on Redis or Valkey.
 *
 * One object stands for one server, or several servers, and one set of options. The object can lock
 * any number of keys, and any number of Fibers of its thread can use it. The constructor never
 * connects. Each server may be a single one, a primary behind Sentinels, or a cluster;
 * docs/topologies.md says what a failover means for the lock.
 *
 * With several servers, which must be independent of each other, the lock is stored on all of them,
 * and the caller to whom a majority (half of the servers, rounded down, and one more) has granted
 * it holds it: Redlock. The call asks all servers at once, and does not wait for a server whose
 * answer cannot change the outcome. If such a server is still being connected, a thread stores the
 * lock there a moment later. "The server" below then means a majority. docs/redlock.md has
 * the details.
 *
 * All times are seconds, as float or int. The server gets whole milliseconds: a TTL is rounded
 * down, a wait is rounded up. Keys and tokens are byte strings and may contain any bytes. A key has
 * 1 byte to 64 KiB with its prefix, a token 1 to 4096 bytes. A bad argument is a ValueError or
 * TypeError, which is thrown before anything is sent. A bool as a time is a TypeError, also without
 * strict_types.
 *
 * A refusal is a return value, a failure is an exception: if another holder has the lock, the
 * method returns null or false; if Redis or the network fails, the method throws a
 * RedisLockException.
 *
 * The key contains the token as a plain string with a TTL, exactly what `SET key token NX PX ms`
 * stores. Therefore other clients and this class exclude each other.
 *
 * @strict-properties
 * @not-serializable
 */
class RedisLock
{
    /**
     * The options after $prefix read best as named arguments. Their order stays, and a new option
     * comes last.
     *
     * @param string|string[]|null $servers a DSN, or a list of 1 to 15 DSNs. null = the INI setting
     *   redislock.servers, in which spaces separate several DSNs. A DSN is
     *   `redis://[[user]:password@]host[:port][/db]` (also valkey:// and tcp://) or `rediss://...`
     *   for TLS (also valkeys:// and tls://), or `unix://[[user]:password@]/path/to.sock[?db=1]`
     *   (also redis:///path/to.sock). For a cluster it is
     *   `redis-cluster://[[user]:password@]host[:port],host[:port]...[/db]` with 1 to 16 of its
     *   nodes, and for a primary behind Sentinels
     *   `redis-sentinel://[[user]:password@]host[:port],host[:port].../master-name[/db]` with 1 to
     *   7 Sentinels, whose port is 26379 by default (also redis+sentinel://). valkey instead of
     *   redis means the same, and rediss and valkeys add TLS. An IPv6 address stands in brackets,
     *   every part may be percent-encoded, and the query options are db, timeout, connect_timeout,
     *   outage_wait (0 to 3600 seconds; the same in all DSNs that have it), and for TLS `ssl[name]`
     *   with the names of $tls. User, password and database are those of the nodes. Options of
     *   Sentinels are sentinel_user and sentinel_password, sentinel_tls (0 or 1; default: as for
     *   the nodes), sentinel_quorum (how many Sentinels must name the primary;
     *   default: a majority of those in the DSN), sentinel_check (1; 0 = the client does not ask
     *   the Sentinels again whether the primary is still the same, so that a failover may grant a
     *   lock twice for ten seconds), and failover_grace (2 to 3600 seconds; default: none): a new
     *   primary grants locks only once a majority of the Sentinels has known it for this time, so
     *   that no failover grants a lock twice. Each TTL must be about a second shorter than this
     *   time, and all users of a key must have the same time. docs/sentinel.md and docs/cluster.md
     *   have the details. An option in the DSN takes precedence over the argument with the same
     *   meaning. With `replicas=n` (0 to 100, default 0) a lock counts as granted or prolonged on
     *   this server once n of its replicas have confirmed it within `replicas_timeout` seconds
     *   (default 0.1, at most half of the timeout and a twentieth of the TTL); otherwise the call
     *   fails on this server, and the grant is undone. docs/sentinel.md has the details.
     *   `memory://[name]` is a server inside the process, for tests of programs: the same behaviour
     *   without a network; advance() moves its clock, and flushMemory() empties it. With `fail=` it
     *   fails: `refused` (refuses connections), `timeout` (reads no command), `readonly` (answers
     *   as a replica), `lost-reply` (runs each command, and closes the connection in place of a
     *   reply). Outside of the CLI it needs the INI setting redislock.memory. docs/testing.md has
     *   recipes
     * @param string|null $prefix put before each key; null = the INI setting redislock.prefix. A
     *   number is a TypeError, also without strict_types: a port belongs in the DSN
     * @param float $timeout seconds for one answer of the server, 0.001 to 3600. With several
     *   servers, calls that have a TTL wait for a tenth of that TTL at most, but for at least a
     *   millisecond
     * @param float $connectTimeout seconds for connecting, 0.001 to 3600; with several servers the
     *   same limit applies
     * @param float $retryDelay the first back-off delay of a wait in seconds, 0.001 to 60; the
     *   delay doubles each time
     * @param float $retryMaxDelay the longest back-off delay in seconds, 0.001 to 60, and not less
     *   than $retryDelay. While servers fail, delays grow up to one second if this maximum is less
     * @param float $jitter each delay is multiplied by a random number from 1-jitter to 1+jitter; 0
     *   to below 1
     * @param int|null $retries how often a wait looks at the lock again after a delay; the last
     *   look ends the wait, also before its deadline. null = as often as $wait allows; 0 = the
     *   first try decides, however long $wait is
     * @param float|null $outageWait for how many seconds a wait goes on while too few servers
     *   answer for a majority (the one server, if there is one): they cannot be reached, do not
     *   answer in time, or answer with an error that may pass (LOADING, READONLY, ...). The time
     *   counts from the start of the first try or look that failed in this way, and ends with the
     *   first that a majority answers. A failure after that time is thrown, but not before
     *   $timeout has shown that a server does not answer. 0 = at once, which keeps the workers of
     *   a web server free in an outage; null or INF = the wait goes on to its deadline, and
     *   outlasts a failover
     * @param bool $wake true = a release wakes a waiter, and the waits of this object can be woken,
     *   through two helper keys (`<key>::rl-wait`, `<key>::rl-wake`; if a server is a cluster, and
     *   the key has no hash tag, `{<key>}::rl-wait`, `{<key>}::rl-wake`, and if it is nothing but a
     *   hash tag, `<key>:rl-wait`, `<key>:rl-wake`); false = a wait only looks again after each
     *   delay. A key that ends in :rl-wait, :rl-wake or :rl-fence is a ValueError
     * @param bool $persistent true = connections stay open for the life of the process, and all
     *   objects of a thread that connect to the same server as the same user share them; false =
     *   the connections belong to this object
     * @param bool $reentrant true = if this object already holds a key by a lease, lease() or
     *   synchronized() for that key in the same Fiber or coroutine returns another lease on the
     *   same lock. The last of these leases frees the lock. The server gets the TTL of the new
     *   lease if that TTL is longer than the one of the lock, or if less than half of it is left;
     *   otherwise there is no traffic
     * @param float $driftFactor safety margin for clock drift, 0 to 0.5: a lock counts as held for
     *   its TTL minus this fraction of the TTL minus 2 ms
     * @param string|null $label shows other people who holds a lock: 1 to 64 printable ASCII
     *   characters without spaces. Each token that this object draws ends in `@` and the label, so
     *   inspect(), messages of waiters and a plain GET show it. null = the INI setting
     *   redislock.label, or, if that is empty, `host:pid`, which is another label in each forked
     *   child. A connection is named `redislock:` and the label of the object that opened it; on a
     *   cluster and behind Sentinels, of the object that was made last with this DSN.
     *   docs/inspect.md has the details
     * @param mixed[] $tls options for the servers with TLS, with the names of PHP's ssl stream
     *   context: cafile, capath (the trusted certificates; default: those of the system),
     *   local_cert, local_pk, passphrase (the client certificate), peer_name (the name to verify;
     *   default: the host), verify_peer, verify_peer_name (default true; false is for tests),
     *   ciphers, SNI_enabled, and min_version ("1.2", the default, or "1.3"). null stands for the
     *   default. A file that cannot be read is a ValueError. A file that changes later is read
     *   again when the next connection is made. docs/tls.md has the details
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
     * The call sends one SET NX PX. With $wait it then looks at the lock, and enters a queue on the
     * server, on a second connection. A release wakes the waiters in order of arrival. A waiter
     * whose process stands still, or is gone, is passed over two seconds after its last look. The
     * wait looks at the lock again every 0.85 s, or as soon as the TTL of the lock is over. If the
     * holder is not a RedisLock, the wait looks after back-off delays that double, with jitter. The
     * last try comes at the deadline, never before it. If the queue fails, the wait polls for a
     * second and then enters the queue again. After a failure that may pass (no connection,
     * LOADING, READONLY, NOREPLICAS, MISCONF, ...) the wait goes on until the deadline, or for
     * $outageWait seconds of the constructor. Signal handlers and the time limit run during the
     * wait.
     *
     * With several servers the call sends SET to each of them, and undoes the lock where only a
     * minority granted it. If the votes are split among several callers, each tries again after a
     * random time, up to three times, also without $wait. A waiter is in the queue of one server,
     * which is the same for all waiters, and asks the other servers when it is woken.
     *
     * @param string $key the name of the lock
     * @param float $ttl seconds after which the lock ends by itself, 0.005 to 366 days
     * @param float $wait the longest wait in seconds; 0 = one try, INF = without end
     * @param string|null $token the token of the holder; null = a fresh token that cannot be
     *   guessed. A token of your own must be unique for each holder: two holders with the same
     *   token exclude each other, but can free each other's lock. A token of token() counts as
     *   unique. With any other one the call wins the lock with a fresh token, and then replaces
     *   that by yours, which takes one more round trip. If the answer to that is lost, the lock
     *   may stay until its TTL.
     * @param callable|null $abort called without arguments while the call waits; true ends the
     *   wait, false or null lets it go on, and any other value is a TypeError. The call asks $abort
     *   after the first try, after each run of signal handlers, and once a second. The call does
     *   not ask $abort without $wait, or while an answer may still grant the lock (for one
     *   $connectTimeout and one $timeout at most). A lock that is won in the same moment is
     *   returned; otherwise the wait gives up its place in the queue, and a grant that arrives late
     *   is undone. The callable may use this object. It cannot switch Fibers. Its exception, or
     *   exit in it, ends the wait like one of a signal handler
     *
     * @return string|null the token, which release() needs; null = another holder has the lock, or
     *   $abort has ended the wait
     *
     * @throws RedisLockException when $wait is not 0 and the wait could never end, because a lease
     *   of this thread has the lock, as lease() says; or when an earlier release with this $token
     *   has failed and is still being repeated
     * @throws RedisLockConnectionException when the server could not be asked, or did not answer
     * @throws RedisLockServerException when the server answered with an error
     */
    public function acquire(
        string $key,
        float $ttl = 30.0,
        float $wait = 0.0,
        #[\SensitiveParameter] ?string $token = null,
        ?callable $abort = null,
    ): ?string {}

    /**
     * Frees the lock if it is still held with this token. The call sends one EVALSHA. If there are
     * waiters, the lock is reserved for the waiter that has waited longest, for 10 ms at most, with
     * several servers for 250 ms at most. During that time isLocked() returns true, and owner()
     * returns null.
     *
     * After an exception a thread of this process repeats the release for 30 seconds, if this class
     * has drawn the token. Until the server has confirmed the release, extend() returns false for
     * this token. A second release() may return false as well, because the thread may have freed
     * the lock first.
     *
     * @return bool true = the lock was held with this token and is free now; false = it was not (it
     *   expired, or another holder has it). False after the work means that the work took longer
     *   than the TTL: do not ignore it.
     *
     * @throws RedisLockConnectionException when the server could not be asked, or the outcome is
     *   unknown
     * @throws RedisLockServerException when the server answered with an error
     */
    public function release(string $key, #[\SensitiveParameter] string $token): bool {}

    /**
     * Sets a new TTL, which counts from now, if the lock is still held with this token. The new TTL
     * may be shorter than the old one. With several servers a majority has to confirm it; if too
     * many of them refuse it, the lock is freed on the rest.
     *
     * @param float $ttl seconds, 0.005 to 366 days
     *
     * @return bool true = the lock is held until the new TTL; false = it is no longer held with
     *   this token
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function extend(string $key, #[\SensitiveParameter] string $token, float $ttl): bool {}

    /**
     * Takes the lock as a lease: an object that frees the lock, however the script ends. See
     * RedisLockLease.
     *
     * The lock is freed with the object, and at the end of the request: after exit, an uncaught
     * exception, a fatal error, the memory limit or the time limit. Until then a thread of this
     * process renews the lease, whatever the script does, even while the script sleeps or waits.
     *
     * An array of keys makes one lease that holds all of them. The call takes one key after the
     * other, in an order of their bytes that is the same for all callers, so that no two calls wait
     * for each other; while it waits for a key it holds those before it, and renews them. If one of
     * them is lost meanwhile, the call frees all and begins again, while $wait lasts. A call that
     * does not get a key, or throws, has freed the others, or a thread repeats their release.
     * Others can see the first keys locked before the call has the last one.
     *
     * @param string|string[] $key one key, or 1 to 64 keys; a key that is there twice is taken
     *   once
     * @param float $ttl seconds after which the lock ends if it is not renewed, because this
     *   process died or the server cannot be reached, 0.005 to 366 days; the thread renews it when
     *   a third of the TTL has passed
     * @param float $wait the longest wait in seconds, for all keys together; 0 = one try for each,
     *   INF = without end
     * @param bool $renew false = the lock ends at its TTL, unless extend() is called before.
     *   Several keys are renewed until the call has the last one
     * @param float|null $maxHold how long the lease is renewed at most, in seconds: no renewal sets
     *   an end beyond that time, and then the lease is lost. null = as long as the object lives.
     *   For several keys it begins when the call has the last one.
     *   The INI setting redislock.max_hold is an upper limit for it. A longer TTL, and extend(),
     *   are not shortened
     * @param callable|null $onLoss called once with the lease when the lock is lost (see
     *   RedisLockLease::loss()). verify() and extend() call it when they find the loss; otherwise
     *   PHP calls it at the next place where it runs signal handlers, in the Fiber that runs then.
     *   A single call that takes long (a query, sleep()) ends first. The same holds for a signal
     *   handler, a tick function and, before PHP 8.4, a destructor. It is not called for release(),
     *   in a forked child, or after a fatal error. It cannot switch Fibers. It may set a flag, log,
     *   roll back or exit. PHP treats an exception that it throws like one of a signal handler, see
     *   docs/leases.md
     * @param string|null $token the token of the holder, as for acquire(); null = a fresh token
     *   that cannot be guessed. A lock that is entered again (reentrant) keeps its token. An array
     *   of keys has no $token: each key gets a fresh one
     * @param callable|null $abort may end the wait, as for acquire()
     * @param int $slots how many holders may have the lock at once, 1 to 64: the lease is one of
     *   so many slots (see RedisLockLease::slot()). Slot 1 is the lock of the key itself, and the
     *   others are locks of their own, "key#2" and so on, so each can be inspected and forced.
     *   Waiters get the slots in the order of their arrival. All callers of a key must name the
     *   same number; it may grow while they run. Several slots need a single server, Sentinels or a
     *   cluster, one key, and no $token. docs/lock-kinds.md has the details
     *
     * @return RedisLockLease|null null = another holder has the lock, or others have all its slots;
     *   or $abort has ended the wait, or one of several keys was lost again while the call took the
     *   others
     *
     * @throws RedisLockException when $wait is not 0 and the wait could never end, because the
     *   server confirms that a lease of this thread, which renews itself without $maxHold, has the
     *   lock; or when the thread that renews leases could not be started; or when this request has
     *   about 10,000 leases already
     * @throws RedisLockConnectionException when the server could not be asked, or did not answer
     * @throws RedisLockServerException when the server answered with an error
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
     * Takes over a lock whose token is known, as a lease with a fresh token and a new TTL that
     * begins now. The token may come from acquire() or from RedisLockLease::detach(), also in
     * another process. The take-over makes the given token worthless: of two callers with the same
     * token one gets the lease, and the other gets null. The last three arguments are those of
     * lease(), without its token and $abort.
     *
     * With several servers a majority has to hold the token. A take-over that fails is undone: the
     * given token is put back where it was replaced, on the servers that can be reached.
     *
     * @return RedisLockLease|null null = the lock is not held with this token: it expired, was
     *   freed, or another caller has taken it over before
     *
     * @throws RedisLockException when the thread that renews leases could not be started, or when
     *   this request has about 10,000 leases already
     * @throws RedisLockConnectionException when the server could not be asked, or did not answer
     * @throws RedisLockServerException when the server answered with an error
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
     * The other arguments are those of lease(), without its token.
     *
     * @param string|string[] $key one key, or 1 to 64 keys that are held together
     * @param callable $section called with the RedisLockLease. Not a generator function, whose code
     *   would run after the end of the lock
     *
     * @return mixed the return value of the section
     *
     * @throws RedisLockTimeoutException when the lock could not be acquired within $wait seconds,
     *   or $abort has ended the wait; the section was not called then. After a wait that was not
     *   ended by $abort the message names the label of the holder and the time for which it still
     *   has the lock, as the wait has seen them last. For several keys it names the key that
     *   the call waited for, and how many keys the call had
     * @throws RedisLockException as lease() does
     * @throws RedisLockLostException when the section returned, but the lock was lost before the
     *   section ended or released it; getResult() returns the return value of the section
     * @throws RedisLockConnectionException when the server could not be asked for the lock
     * @throws RedisLockServerException when the server answered with an error
     * @throws Throwable every exception of the section, unchanged
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
     * Runs a section of code, unless it has run to its end a short time ago. The section runs under
     * the lock, so no two callers run it at once. At its end a mark takes the place of the lock, in
     * one step; until the $for seconds of this call are over, the mark answers every other call.
     *
     * If the section throws, the lock is freed, and the next call runs the section again. If the
     * process dies, the lock is free after $ttl. So the section runs at least once, and not again
     * after its end: an exception in place of an answer, and a server that loses its data, leave
     * room for another run. docs/lock-kinds.md has the details.
     *
     * The mark holds the key as a lock does: isLocked() is true, owner() is null, remaining() is
     * what is left of $for, inspect() has isDone, every acquire() and lease() of the key is refused
     * or waits, and forceRelease() removes the mark. The other arguments are those of
     * synchronized(). Also where the object is reentrant, the section runs under a lock of its own;
     * if the section enters that lock again and keeps the lease, the mark comes with its release.
     *
     * @param callable $section called with the RedisLockLease; its return value is not used. Not a
     *   generator function either
     * @param float $for seconds, 0.005 to 366 days: how long the mark stays
     *
     * @return bool true = this call has run the section; false = the section has run to its end
     *   before, and was not called
     *
     * @throws RedisLockTimeoutException when another caller ran the section until the end of $wait,
     *   or $abort has ended the wait: that run may still fail, so the caller should come back
     * @throws RedisLockLostException when the section returned, but the lock was lost before: there
     *   is no mark on a majority of the servers
     * @throws RedisLockException as lease() does, or when the section has released or detached its
     *   lease itself
     * @throws RedisLockConnectionException when the server could not be asked for the lock, or when
     *   too few replicas have confirmed the mark. A mark that cannot be written at the end is no
     *   exception: a thread writes it later, as it repeats every release, until the TTL of the lock
     *   is over
     * @throws RedisLockServerException when the server answered with an error, also at the end
     * @throws Throwable every exception of the section, unchanged
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
     * Returns whether the lock is held, by any holder.
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function isLocked(string $key): bool {}

    /**
     * @return string|null the token of the holder; null = the lock is free, or it is a lock of
     *   symfony/lock, which has no token here, or no majority of several servers returns the same
     *   token
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function owner(string $key): ?string {}

    /**
     * Returns who holds the lock, for how long, and how many wait. One script asks all of that in
     * one round trip, and changes nothing.
     *
     * With several servers the holder is the one that a majority names. If a majority is locked,
     * but by different holders, then label is null, and isForeign and isReserved are false.
     *
     * @return RedisLockState|null null = the lock is free
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function inspect(string $key): ?RedisLockState {}

    /**
     * The same for many locks, which are asked for together: 64 commands in one write to each
     * server, and the next ones as the answers arrive.
     *
     * @param string[] $keys the keys, as many as you like
     *
     * @return array<array-key, RedisLockState|null> by key, in the order of $keys; null = the lock
     *   is free, or the key has a type that no lock has. PHP makes an int of a key such as "42"
     *
     * @throws RedisLockConnectionException when the server of a key could not be asked
     * @throws RedisLockServerException when the server answered with an error, except for a key of
     *   another type
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
     * @param int $limit how many keys are returned at most
     *
     * @return list<string> without the prefix of the object, sorted
     *
     * @throws RedisLockConnectionException when a server or a node could not be asked, or when the
     *   names that SCAN finds at a time have more than a mebibyte; of several servers, when fewer
     *   than a majority could be asked
     * @throws RedisLockServerException when it answered with an error
     * @throws ValueError when $limit is below 1, or $prefix is longer than a key may be
     */
    public function findKeys(string $prefix = '', int $limit = 10000): array {}

    /**
     * @return float|null seconds until the lock ends by itself (with several servers: until fewer
     *   than a majority have it); null = the lock is free; INF = it has no TTL
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function remaining(string $key): ?float {}

    /**
     * Frees the lock of any holder. The method is for administrators: the holder gets no notice. It
     * frees only strings: a key of any other type stays, also a sorted set, which is a lock of
     * symfony/lock. The command is sent only once: when the answer is lost, a second command could
     * free the lock of the next holder. With several servers the call waits for the answer of each.
     *
     * @return bool true = the lock was held
     *
     * @throws RedisLockConnectionException when the server could not be asked, or it is unknown
     *   whether this call freed the lock
     * @throws RedisLockServerException when the server answered with an error; WRONGTYPE when the
     *   key is not a string
     */
    public function forceRelease(string $key): bool {}

    /**
     * Returns a fresh token that cannot be guessed: 28 characters (108 random bits, and the time)
     * of letters, digits, `.`, `-` and `_`, then `@` and the label of the INI setting
     * redislock.label or the default label. Waiters treat a holder with such a token as they treat
     * any RedisLock. For a holder with another token of your own they look more often.
     */
    public static function token(): string {}

    /**
     * Returns numbers of this process since it started, or of all processes that share them.
     *
     * With $all the numbers are those of the workers of one FPM master, or of any processes that
     * were forked from one process which had loaded the extension: together, whichever of them is
     * asked. The numbers of a process that has ended or was killed stay in the sums, but not in the
     * gauges. A process shares its numbers as soon as it uses a lock. At most 1,024 processes can
     * do so at a time. See docs/monitoring.md.
     *
     * A forked child begins at zero. All numbers but the gauges only grow.
     *
     * Gauges:
     *
     * - processes: living processes whose numbers these are; without $all 1
     * - held: leases that are held now. A lease that is not renewed counts until the process
     *   notices that its TTL is over. Locks of acquire() do not count, because another process may
     *   release them
     * - waiting: calls that wait for a lock now
     *
     * Counters:
     *
     * - processes_missing: processes so far whose numbers are not among these, because 1,024 others
     *   were alive; without $all 0
     * - acquired: locks that were taken, also by resume()
     * - refused: calls without a wait that found the lock taken, and calls of resume() that
     *   returned null
     * - already_done: calls of once() that found the work done
     * - split_votes: tries on several servers that some servers granted, but no majority, and that
     *   were repeated at once
     * - timed_out: waits that ended without the lock
     * - failed: calls that ended in a connection or server exception, and ends of leases that could
     *   not be freed
     * - tries: attempts to take a lock on the ordinary connection, one or more for each acquire().
     *   The command that takes a lock for a waiter that was woken is not counted
     * - probes: questions of waits about their lock, which take nothing; the first one comes at
     *   once, before the waiter enters the queue
     * - wake_ups: waits woken by a release, or by a probe that found the lock free
     * - spurious_wake_ups: those of them that did not get the lock: another client took it, or the
     *   waiter had stood still and the server passed it over
     * - backoffs: back-off delays
     * - grants_undone: undos written, for grants that a call could not use or whose answer it did
     *   not get
     * - released: releases that freed the lock
     * - not_released: calls of release() that returned false
     * - late_releases: failed releases, and failed undos of resume(), that the thread of leases
     *   repeats
     * - late_releases_done: late releases that were completed
     * - late_releases_dropped: late releases that were given up, because the TTL was over, the
     *   servers refuse them, more than 1,024 were waiting, or there was no memory or thread
     * - extended, not_extended: calls of extend() that returned true, and false
     * - renewed: renewals that were confirmed
     * - lost: leases that ended while they were renewed, had an onLoss, or had several keys
     * - connects: attempts to connect
     * - reconnects: connections that were replaced because they had broken, or led to a replica
     * - cluster_redirects: answers of a cluster's nodes that another node has the key (MOVED, ASK)
     * - tls_handshakes: handshakes of TLS that were completed
     * - tls_resumed: of these, handshakes that resumed an earlier session, which saves CPU time
     * - sentinel_lookups: questions to the Sentinels of a member, all of which are asked at once,
     *   for the address of its primary
     * - primary_switches: lookups that have named another primary than the lookup before; the
     *   lookups of the thread that renews leases do not count
     * - unconfirmed: grants and renewals that too few replicas confirmed in time (the DSN option
     *   replicas), and grants for which no majority of the Sentinels named the server in time; such
     *   a grant was undone
     * - blocked_by_grace: tries, probes and calls of resume() and extend() that were not sent,
     *   because the primary is too new (the DSN option failover_grace)
     * - scripts_loaded: scripts that were sent as text because the server did not know them
     * - wake_failures: objects that do without waking, because the server does not allow a command
     *   for it (counted once for each object); waits that polled for a while, because the server
     *   does not allow wake-ups for this key or the queue failed three times in a row (counted once
     *   for each wait); and releases that found out that they cannot wake a waiter of their key
     *
     * Histograms of times. `count` is the number of times, `sum` their sum in seconds, and
     * `buckets` has for each upper bound in seconds, and at last for "+Inf", how many times were no
     * longer:
     *
     * - wait_time: how long calls with a wait took, from their start to the lock or the end
     * - hold_time: how long leases were held, from before the command that took the lock
     * - round_trip: how long servers took to answer the commands of method calls, with the network
     *   and the confirmations of replicas. Not counted are commands that were repeated on another
     *   connection, the queue of a wait, renewals, and the releases at the end of an object
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
     * @throws RedisLockException with $all, when the system gave PHP no memory for it at its start
     */
    public static function stats(bool $all = false): array {}

    /**
     * Moves the clock of this process forward, for tests with memory://, as if the time had passed:
     * TTLs end, leases are renewed or end, and a wait in whose handler this is called comes nearer
     * to its end. Signal handlers and onLoss run meanwhile. Leases and waits on real servers go by
     * the same clock, but the clocks of those servers stay as they are, and their answers take real
     * time, for which the clock does not wait: such a lease may be lost.
     *
     * @param float $seconds from 0 to 31622400, a year. The clock goes a millisecond further,
     *   because a key lives through the last millisecond of its TTL
     *
     * @throws ValueError for another number
     * @throws Error outside of the CLI, unless the INI setting redislock.memory is on
     */
    public static function advance(float $seconds): void {}

    /**
     * Deletes all keys of all memory:// servers of this process, as FLUSHALL does on a real one, so
     * that a test begins without the locks of the tests before it. The clock goes on.
     *
     * A lease of this thread on memory:// is lost at once, without a call of its onLoss: isHeld()
     * is false, loss() is Deleted, and its end frees nothing. A wait of another Fiber goes on, and
     * may take its lock now.
     *
     * @throws Error outside of the CLI, unless the INI setting redislock.memory is on
     */
    public static function flushMemory(): void {}

    /**
     * From now on the calls of this thread wait by the script's event loop, and other Fibers or
     * coroutines run meanwhile: wherever PHP allows to switch Fibers, in each method that asks a
     * server, for all objects, until the end of the request. docs/event-loops.md has waiters for
     * Revolt (amphp), ReactPHP and Swoole.
     *
     * A call that has to wait calls $waiter, which lets other code run until the stream is
     * readable, and returns. Then the call looks what has happened, and calls $waiter again if it
     * needs more. The stream can only be polled, and is closed with the call. $isWaiting is true
     * while another holder has the lock and no answer is under way that may grant it: the moment
     * for a cancellation. If $waiter throws, the call ends with that exception, and a lock that it
     * may have taken is undone.
     *
     * A call blocks as without a waiter if $waiter returns false ("I cannot wait here"), or has
     * returned 100 times in a row within a millisecond each before the stream was readable: each
     * for the rest of the call. A wait for a lock that another Fiber holds and renews throws then.
     * So does a call inside a signal handler, a tick function, onLoss, $abort or the waiter itself,
     * in PHP 8.2 and 8.3 also inside a destructor, and after a fatal error. The release of a lease
     * that PHP frees, and the end of the request, never wait by the loop; names of servers are
     * resolved before the wait, and block.
     *
     * @param callable|null $waiter called with the arguments resource $stream and bool $isWaiting,
     *   returns bool or null. null = calls block, which is the default
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
     * @param callable|null $observer function (string $key,
     *   float $waited, bool $acquired, ?string $holder): the key without its prefix, the seconds
     *   since the call began, or of several keys since it asked for this one, and the label of the
     *   holder that was seen last, if it is known; null = none
     */
    public static function onContention(?callable $observer): void {}

    /**
     * Closes the idle connections of this thread to the servers of this object. The next call of
     * the object connects again. Locks stay as they are.
     */
    public function close(): void {}
}

/**
 * A lock that this process renews and frees. RedisLock::lease(), resume() and synchronized() make
 * leases.
 *
 * The lease counts as held as long as its ownership is proven: the TTL minus clock drift, counted
 * from before the request that took or renewed the lock was sent. isHeld(), remaining(), heldFor(),
 * waited() and attempts() cost no traffic. A loss is final. A lease of several keys is held as long
 * as all of them are: the earliest end counts, and the first loss is that of the lease; the other
 * keys stay locked until the lease is released. verify() and extend() ask for one key after the
 * other. After a fork the child has no lease: its copy is not held, and frees nothing. var_dump()
 * and print_r() show key (or keys), held and remaining, never the token.
 *
 * When PHP frees the object, the lock is freed, which takes 0.2 seconds at most. A thread of the
 * process repeats a release that fails, until the server has confirmed it or the TTL is over. The
 * end of the process does not wait for that thread.
 *
 * @strict-properties
 * @not-serializable
 */
final class RedisLockLease
{
    private function __construct() {}

    /** The key, without the prefix; of several keys the first one in the order of their bytes. */
    public function key(): string {}

    /**
     * All keys, without the prefix, in the order of their bytes.
     *
     * @return list<string>
     */
    public function keys(): array {}

    /** Which of the lock's slots it is, from 1 on; 1 where each lock of the lease has one. */
    public function slot(): int {}

    /**
     * The token in the key.
     *
     * @throws RedisLockException when the lease has several keys
     */
    public function token(): string {}

    /** For how many seconds ownership is still proven; 0 = not held. */
    public function remaining(): float {}

    /** Whether ownership is proven now. */
    public function isHeld(): bool {}

    /** @throws RedisLockLostException when the lease is not held */
    public function assertHeld(): void {}

    /**
     * Asks the server whether the lock is still held by this lease. If not, the lease is lost, and
     * its onLoss is called before this method returns, or after the handler or callable that has
     * called it.
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function verify(): bool {}

    /**
     * Sets a new TTL, which counts from now, for the lock and its later renewals. The new TTL may
     * be shorter than the old one. If the lock is lost, its onLoss is called before this method
     * returns, or after the handler or callable that has called it.
     *
     * @return bool true = the lock is held until the new TTL; false = it is lost
     *
     * @throws RedisLockConnectionException when the server could not be asked; the command may
     *   still be carried out, so that the shorter of both TTLs counts from now on, also after the
     *   next extend()
     * @throws RedisLockServerException when the server answered with an error
     */
    public function extend(float $ttl): bool {}

    /**
     * Frees the lock. If several leases hold it (reentrant), the last one frees it. A second call
     * returns false, without traffic. isHeld() is false from the call on, also when release()
     * throws. After an exception release() can be called again, and a thread of this process
     * repeats the release anyway, unless the token is your own. A release whose answer is lost is
     * sent again within the call, and if the second one finds nothing, a lock whose ownership was
     * proven counts as freed by the first one.
     *
     * @return bool true = the lock was still held
     *
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error
     */
    public function release(): bool {}

    /**
     * Ends the lease without freeing the lock: it is not renewed any more, lives on until its TTL,
     * and belongs to the holder of the returned token. The onLoss is dropped first: if that runs a
     * destructor that throws, the lease still holds the lock.
     *
     * @throws RedisLockLostException when the lease is not held
     * @throws RedisLockException when several leases hold the lock (reentrant), or the lease has
     *   several keys
     */
    public function detach(): string {}

    /**
     * A number that is greater than the number of each earlier holder of the key. Send it along
     * with each write: a resource that remembers the greatest number, and refuses smaller ones,
     * is safe from a holder that was stopped and wakes up after its lock has ended
     * (docs/fencing.md).
     *
     * The first call asks the server, which keeps the last number for a day in another key
     * (`<key>::rl-fence`; on a cluster `{<key>}::rl-fence` if the key has no hash tag, and
     * `<key>:rl-fence` if it is nothing but a hash tag). Several servers are asked twice. Later
     * calls return the same number, without traffic. A new number is at least the server's time in
     * microseconds, so numbers also grow if the server has lost its data, unless its clock has gone
     * back, too.
     *
     * @param string|null $key which key's number is wanted, if the lease has several keys
     *
     * @throws ValueError when the lease has no such key
     * @throws RedisLockLostException when the lease is not held; its onLoss is called before
     * @throws RedisLockConnectionException when the server could not be asked
     * @throws RedisLockServerException when the server answered with an error, for example because
     *   the key of the number holds something else
     * @throws RedisLockException on a 32-bit PHP, on a cluster for a key that has a `}` and no hash
     *   tag, and without $key when the lease has several keys
     */
    public function fence(?string $key = null): int {}

    /** Seconds from the grant of the lock, or of the last key, until its release, or until now. */
    public function heldFor(): float {}

    /** Seconds that it took to get the lock, or all keys. */
    public function waited(): float {}

    /** How many attempts it took to get the lock; for several keys the sum. */
    public function attempts(): int {}

    /**
     * The reason why the lease is not held: the first one that was found. No traffic. Null = the
     * lease is held.
     */
    public function loss(): ?RedisLockLoss {}
}

/**
 * The state of a lock, as RedisLock::inspect() has found it.
 *
 * @strict-properties
 */
final readonly class RedisLockState
{
    /**
     * The label of the holder; null = there is no holder, or the holder is no RedisLock, or an
     * older one without labels, or uses a token of its own.
     */
    public readonly ?string $label;

    /**
     * Seconds until the lock ends by itself; with several servers, until fewer than a majority have
     * it. INF = it has no TTL.
     */
    public readonly float $remaining;

    /**
     * How many clients wait in the queue; with several servers, in the longest one. Clients that
     * poll are not counted, and a waiter that was killed still counts for two seconds.
     * 0 where the object that has called inspect() has wake: false, or may not use the helper keys.
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

    /** The value of the key is no token that this class has drawn. */
    public readonly bool $isForeign;

    /** A release has reserved the lock for the waiter that was just woken: there is no holder. */
    public readonly bool $isReserved;

    /** The key has the mark of once(): the work is done, and there is no holder. */
    public readonly bool $isDone;

    private function __construct() {}
}

/**
 * The reason why a lease is not held.
 *
 * When a majority of several servers reports the loss, this is the reason of most of these servers;
 * if half of them report TakenOver, it is TakenOver.
 */
enum RedisLockLoss
{
    /** The TTL is over: the lease was not renewed, or could not be renewed. */
    case Expired;

    /**
     * The server does not have the key any more: it was deleted, evicted or flushed, or is reserved
     * for a waiter. Also the reason when the end of a section finds that the lock is not held,
     * because a release does not learn whether another holder has the lock.
     */
    case Deleted;

    /** The key has another value: another holder has the lock. */
    case TakenOver;

    /**
     * The lease was renewed for as long as $maxHold, or the INI setting redislock.max_hold, allows.
     */
    case MaxHold;

    /** release() or detach() was called, or the section of synchronized() has ended. */
    case Released;

    /** This process was forked from the process that holds the lock. */
    case Forked;
}

/** The base class of all failures of a lock. Its code is the errno of the system, or 0. */
class RedisLockException extends RuntimeException
{
    private array $reasons = [];
    private ?string $key = null;

    /** The key of the lock, without the prefix; null = the failure is not about a lock. */
    public function getKey(): ?string {}

    /** @return array<string, string> server => the reason of its failure */
    public function getReasons(): array {}
}

/**
 * No server, or not enough servers, could be asked (refused, timed out, closed, name not found), or
 * did not answer.
 */
class RedisLockConnectionException extends RedisLockException
{
}

/** A server answered with an error, such as NOAUTH, NOPERM, WRONGTYPE, READONLY, OOM or LOADING. */
class RedisLockServerException extends RedisLockException
{
    private string $errorCode = "";

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
    private mixed $result = null;
    private ?RedisLockLoss $loss = null;

    /** The return value of the section of synchronized() or once(); otherwise null. */
    public function getResult(): mixed {}

    /**
     * The reason why the lease is not held. Null only if this extension has not thrown the
     * exception.
     */
    public function getLoss(): ?RedisLockLoss {}
}
