<?php

declare(strict_types=1);

namespace RedisLock\Symfony;

use Closure;
use RedisLock;
use RedisLockException;
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

/**
 * Stores the locks of symfony/lock with the extension redislock.
 *
 * The token of a lock is a state of its Key. So the lock belongs to the Key, not to the process: a
 * Key that was serialized can be refreshed and released by another process. The stores of a
 * CombinedStore share the token.
 *
 * The store has no shared locks: Lock::acquireRead() takes the lock for this Key alone.
 */
final class RedisLockStore implements BlockingStoreInterface
{
    use ExpiringStoreTrait;

    /** The shortest and the longest TTL that the extension accepts, in seconds. */
    private const MIN_TTL = 0.005;
    private const MAX_TTL = 366 * 86400.0;

    /** @var WeakMap<Key, string> the tokens of the locks that this store has released */
    private WeakMap $released;

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
        if (!($initialTtl >= self::MIN_TTL && $initialTtl <= self::MAX_TTL)) {
            throw new InvalidTtlException(sprintf(
                '"%s()" expects a TTL from 5 ms to 366 days. Got %s s.', __METHOD__, $initialTtl));
        }
        if (!($maxWait >= 0)) {
            throw new InvalidArgumentException(sprintf(
                '"%s()" expects a wait of 0 seconds or more. Got %s.', __METHOD__, $maxWait));
        }
        /** @var WeakMap<Key, string> $released */
        $released = new WeakMap();
        $this->released = $released;
    }

    public function save(Key $key): void
    {
        $this->saveWithin($key, 0.0);
    }

    public function waitAndSave(Key $key): void
    {
        $this->saveWithin($key, $this->maxWait);
    }

    public function putOffExpiration(Key $key, float $ttl): void
    {
        $token = $this->reusableToken($key);
        $key->reduceLifetime($ttl);
        if ($token === null || !$this->extend($key, $token, max($ttl, self::MIN_TTL))) {
            throw new LockConflictedException(sprintf('The lock "%s" is no longer held.', $key));
        }
        $this->checkNotExpired($key);
    }

    public function delete(Key $key): void
    {
        $token = $this->token($key);
        if ($token === null) {
            return;
        }
        /* The extension repeats a release that has failed. It would also free a later lock with the
           same token. */
        $this->remember($key, $token, false);
        try {
            $this->ask(fn (): bool => $this->lock->release((string) $key, $token));
        } catch (LockStorageException $e) {
            throw new LockReleasingException($e->getMessage(), $e->getCode(), $e);
        }
        $this->released[$key] = $token;
    }

    public function exists(Key $key): bool
    {
        $token = $this->token($key);
        /* Lock::release() asks after the release. While other callers take the lock, several
           servers may not agree on its holder, and cannot answer. */
        return $token !== null && $token !== ($this->released[$key] ?? null)
            && $this->ask(fn (): ?string => $this->lock->owner((string) $key)) === $token;
    }

    private function saveWithin(Key $key, float $wait): void
    {
        $token = $this->reusableToken($key);
        $before = hrtime(true);
        if ($token !== null && $this->extend($key, $token, $this->initialTtl)) {
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
        $lease = $this->ask(fn () => $this->lock->lease(
            (string) $key, $this->initialTtl, $wait, renew: false, token: $token));
        if ($lease === null) {
            throw new LockConflictedException(sprintf('The lock "%s" is held already.', $key));
        }
        $key->reduceLifetime($lease->remaining());
        $this->remember($key, $this->ask(fn (): string => $lease->detach()), true);
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
