<?php

declare(strict_types=1);

namespace RedisLock\Symfony;

use Closure;
use RedisLock;
use RedisLockException;
use RedisLockLease;
use RedisLockLostException;
use Symfony\Component\Lock\BlockingStoreInterface;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\Exception\LockReleasingException;
use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Store\ExpiringStoreTrait;
use ValueError;
use WeakMap;
use WeakReference;

/**
 * Stores the locks of symfony/lock with the extension redislock.
 *
 * The token of a lock is a state of its Key. So the lock belongs to the Key, not to the process: a
 * Key that was serialized can be refreshed and released by another process. The stores of a
 * CombinedStore share the token.
 *
 * A LeaseFactory makes the locks of this process leases, which the extension renews: such a lock
 * belongs to the process, and its Key cannot be serialized.
 *
 * The store has no shared locks: Lock::acquireRead() takes the lock for this Key alone.
 */
final class RedisLockStore implements BlockingStoreInterface
{
    use ExpiringStoreTrait;

    /** @internal the shortest TTL that the extension accepts, in seconds */
    public const MIN_TTL = 0.005;

    /** @internal the longest one */
    public const MAX_TTL = 366 * 86400.0;

    /** @var WeakMap<Key, string> the tokens of the locks that this store has released */
    private WeakMap $released;

    /** @var WeakMap<Key, string> tokens whose acquire has not succeeded since */
    private WeakMap $unclear;

    /** @var WeakMap<Key, LockTerms> */
    private WeakMap $terms;

    /** @var WeakMap<Key, array{RedisLockLease, float}> this process's leases, and their TTLs */
    private WeakMap $leases;

    /**
     * @param float $initialTtl the TTL in seconds of a lock that was saved, until
     *   putOffExpiration() sets another one
     * @param float $maxWait how long waitAndSave() waits at most, in seconds; INF = without end
     */
    public function __construct(
        private readonly RedisLock $lock,
        private readonly float $initialTtl = 300.0,
        private readonly float $maxWait = INF,
    ) {
        self::checkTtl($initialTtl, __METHOD__);
        if (!($maxWait >= 0)) {
            throw new InvalidArgumentException(sprintf(
                '"%s()" expects a wait of 0 seconds or more. Got %s.', __METHOD__, $maxWait));
        }
        /** @var WeakMap<Key, string> $released */
        $released = new WeakMap();
        $this->released = $released;
        /** @var WeakMap<Key, string> $unclear */
        $unclear = new WeakMap();
        $this->unclear = $unclear;
        /** @var WeakMap<Key, LockTerms> $terms */
        $terms = new WeakMap();
        $this->terms = $terms;
        /** @var WeakMap<Key, array{RedisLockLease, float}> $leases */
        $leases = new WeakMap();
        $this->leases = $leases;
    }

    /**
     * For LeaseFactory: how the store takes the lock of this Key from now on.
     *
     * @internal
     */
    public function setTerms(Key $key, LockTerms $terms): void
    {
        $this->terms[$key] = $terms;
    }

    public function save(Key $key): void
    {
        $this->saveWithin($key, 0.0);
    }

    public function waitAndSave(Key $key): void
    {
        $terms = $this->terms[$key] ?? null;
        $this->saveWithin($key, $terms->maxWait ?? $this->maxWait);
    }

    public function putOffExpiration(Key $key, float $ttl): void
    {
        $held = $this->leases[$key] ?? null;
        if ($held !== null) {
            self::checkTtl($ttl, __METHOD__);
            $this->setLeaseTtl($key, $held, $ttl);
            return;
        }
        $token = $this->reusableToken($key);
        $key->reduceLifetime($ttl);
        if ($token === null || !$this->extend($key, $token, max($ttl, self::MIN_TTL))) {
            throw new LockConflictedException(sprintf('The lock "%s" is no longer held.', $key));
        }
        $this->checkNotExpired($key);
    }

    public function delete(Key $key): void
    {
        $held = $this->leases[$key] ?? null;
        if ($held !== null) {
            unset($this->leases[$key]);
            $this->release(static fn (): bool => $held[0]->release());
            return;
        }
        $token = $this->token($key);
        if ($token === null) {
            return;
        }
        /* The extension repeats a release that has failed. It would also free a later lock with the
           same token. */
        $this->remember($key, $token, false);
        $this->release(fn (): bool => $this->lock->release((string) $key, $token));
        $this->released[$key] = $token;
    }

    public function exists(Key $key): bool
    {
        $held = $this->leases[$key] ?? null;
        if ($held !== null) {
            return $held[0]->isHeld();
        }
        $token = $this->token($key);
        /* Lock::release() asks after the release. While other callers take the lock, several
           servers may not agree on its holder, and cannot answer. */
        return $token !== null && $token !== ($this->released[$key] ?? null)
            && $this->ask(fn (): ?string => $this->lock->owner((string) $key)) === $token;
    }

    private static function checkTtl(float $ttl, string $method): void
    {
        if (!($ttl >= self::MIN_TTL && $ttl <= self::MAX_TTL)) {
            throw new InvalidTtlException(sprintf(
                '"%s()" expects a TTL from 5 ms to 366 days. Got %s s.', $method, $ttl));
        }
    }

    private function saveWithin(Key $key, float $wait): void
    {
        $token = $this->reusableToken($key);
        $terms = $this->terms[$key] ?? null;
        if (isset($this->leases[$key]) || ($token === null && $terms?->leaseTtl !== null)) {
            $this->saveLease($key, $wait, $terms);
            return;
        }
        $before = hrtime(true);
        /* The extension may still undo an earlier grant with this token. Its acquire() knows that,
           and extend() does not. */
        $isUnclear = $token === ($this->unclear[$key] ?? null);
        if ($token !== null && !$isUnclear && $this->extend($key, $token, $this->initialTtl)) {
            $key->reduceLifetime($this->initialTtl - (hrtime(true) - $before) / 1e9);
        } else {
            $this->acquire($key, $wait, $token);
        }
        $this->checkNotExpired($key);
    }

    /** The lease only tells how long the ownership is proven. It ends before this method returns:
     * the lock belongs to the Key then. */
    private function acquire(Key $key, float $wait, ?string $token): void
    {
        if ($token !== null) {
            $this->unclear[$key] = $token;
        }
        $lease = $this->ask(fn () => $this->lock->lease(
            (string) $key, $this->initialTtl, $wait, renew: false, token: $token));
        if ($lease === null) {
            throw $this->conflict($key, $wait);
        }
        unset($this->unclear[$key]);
        $key->reduceLifetime($lease->remaining());
        $this->remember($key, $this->ask(fn (): string => $lease->detach()), true);
    }

    /**
     * Takes the lock as a lease. The Key has no lifetime then, until the lease is lost. The store
     * keeps the lease as long as the Key lives, which lives as long as its Lock.
     */
    private function saveLease(Key $key, float $wait, ?LockTerms $terms): void
    {
        $held = $this->leases[$key] ?? null;
        if ($held !== null && $held[0]->isHeld()) {
            return;
        }
        unset($this->leases[$key]);
        $ttl = $terms->leaseTtl ?? $this->initialTtl;
        $weak = WeakReference::create($key);
        $lease = $this->ask(fn () => $this->lock->lease((string) $key, $ttl, $wait,
            maxHold: $terms?->maxHold, onLoss: static fn () => $weak->get()?->reduceLifetime(0.0)));
        if ($lease === null) {
            throw $this->conflict($key, $wait);
        }
        /* In another process the Key would have no token. */
        $key->markUnserializable();
        $this->leases[$key] = [$lease, $ttl];
    }

    /**
     * Lock sets the TTL after each save(), and refresh() sets it again: it rarely changes.
     *
     * @param array{RedisLockLease, float} $held
     */
    private function setLeaseTtl(Key $key, array $held, float $ttl): void
    {
        [$lease, $before] = $held;
        if (!($ttl === $before ? $lease->isHeld()
            : $this->ask(fn (): bool => $lease->extend($ttl)))) {
            $key->reduceLifetime(0.0);
            throw new LockConflictedException(sprintf('The lock "%s" is no longer held: %s.', $key,
                $lease->loss()->name ?? 'it was released'));
        }
        $this->leases[$key] = [$lease, $ttl];
    }

    /** After a wait the message says who has the lock. */
    private function conflict(Key $key, float $wait): LockConflictedException
    {
        try {
            $state = $wait > 0 ? $this->lock->inspect((string) $key) : null;
        } catch (RedisLockException) {
            $state = null;      // a server may not allow the question
        }
        if ($state === null) {
            return new LockConflictedException(sprintf('The lock "%s" is held already.', $key));
        }
        return new LockConflictedException(sprintf(
            'The lock "%s" could not be acquired within %g s: it is held by %s%s.', $key, $wait,
            $state->label ?? 'another holder', $state->remaining === INF ? ''
                : sprintf(' for up to %.1f s more', $state->remaining)));
    }

    /** @param Closure(): bool $release */
    private function release(Closure $release): void
    {
        try {
            $this->ask($release);
        } catch (LockStorageException $e) {
            throw new LockReleasingException($e->getMessage(), $e->getCode(), $e);
        }
    }

    private function extend(Key $key, string $token, float $ttl): bool
    {
        return $this->ask(fn (): bool => $this->lock->extend((string) $key, $token, $ttl));
    }

    private function remember(Key $key, string $token, bool $isReusable): void
    {
        $key->setState(self::class, [$token, $isReusable]);
    }

    /** The token with which the Key has or had the lock. */
    private function token(Key $key): ?string
    {
        return $this->state($key)[0];
    }

    /** The same, unless the lock was released with it. */
    private function reusableToken(Key $key): ?string
    {
        [$token, $isReusable] = $this->state($key);
        return $isReusable ? $token : null;
    }

    /** @return array{?string, bool} */
    private function state(Key $key): array
    {
        /** @var mixed $state */
        $state = $key->hasState(self::class) ? $key->getState(self::class) : null;
        if (is_array($state) && isset($state[0], $state[1]) && is_string($state[0])
            && is_bool($state[1])) {
            return [$state[0], $state[1]];
        }
        return [null, false];
    }

    /**
     * Translates the exceptions of the extension. A bad key or TTL is an InvalidArgumentException.
     *
     * @template T
     * @param Closure(): T $question
     * @return T
     */
    private function ask(Closure $question): mixed
    {
        try {
            return $question();
        } catch (ValueError $e) {
            throw new InvalidArgumentException($e->getMessage(), 0, $e);
        } catch (RedisLockLostException $e) {
            throw new LockExpiredException($e->getMessage(), 0, $e);
        } catch (RedisLockException $e) {
            throw new LockStorageException($e->getMessage(), $e->getCode(), $e);
        }
    }
}
