<?php

/* What PHPStan and Psalm know of the results of the extension. Never run. */

declare(strict_types=1);

use function PHPStan\Testing\assertType;

function types_of_a_section(RedisLock $lock): int
{
    $left = $lock->synchronized('stock:42', static fn (RedisLockLease $lease): int
        => strlen($lease->key()), wait: 2);
    assertType('int<0, max>', $left);

    $list = $lock->synchronized('stock:43', static function (): array {
        return ['a' => new DateTimeImmutable()];
    });
    assertType("array{a: DateTimeImmutable}", $list);
    return $left;
}

function types_of_a_lease(RedisLock $lock): void
{
    $onLoss = static function (RedisLockLease $lease): void {
        error_log($lease->key() . ': ' . ($lease->loss()->name ?? 'held'));
    };
    $lease = $lock->lease('k', ttl: 10, maxHold: 600, onLoss: $onLoss);
    /** @psalm-check-type-exact $lease = RedisLockLease|null */
    assertType('RedisLockLease|null', $lease);
    if ($lease === null) {
        return;
    }
    if (!$lease->isHeld()) {
        return;
    }
    /* The answer may be another one each time. */
    assertType('bool', $lease->isHeld());
    $loss = $lease->loss();
    assertType('RedisLockLoss|null', $loss);
    $token = $lease->detach();
    /** @psalm-check-type-exact $token = non-falsy-string */
    assertType('non-falsy-string', $token);
    $lock->release('k', $token);
}

function types_of_a_token(RedisLock $lock): bool
{
    $token = $lock->acquire('k', 5);
    /** @psalm-check-type-exact $token = non-falsy-string|null */
    assertType('non-falsy-string|null', $token);
    if (!$token) {
        return false;
    }
    return $lock->extend('k', $token, 10) && $lock->release('k', $token);
}

function types_of_a_state(RedisLock $lock): void
{
    $state = $lock->inspect('k');
    assertType('RedisLockState|null', $state);
    if ($state !== null) {
        assertType('string|null', $state->label);
        assertType('float', $state->remaining);
        $waiters = $state->waiters;
        /** @psalm-check-type-exact $waiters = int<0, max> */
        assertType('int<0, max>', $waiters);
        assertType('bool', $state->isForeign);
    }
}

function types_of_an_abort(RedisLock $lock): void
{
    $seen = 0;
    /* One without a return never ends the wait. */
    foreach ([static fn (): bool => true, static fn (): null => null,
        static function () use (&$seen): void {
            $seen++;
        }] as $abort) {
        $lease = $lock->lease('k', wait: 5, abort: $abort);
        assertType('RedisLockLease|null', $lease);
    }
}

function types_of_failures(RedisLock $lock): string
{
    try {
        $lock->synchronized('k', static fn (): null => null);
        return '';
    } catch (RedisLockServerException $e) {
        return $e->getErrorCode();
    } catch (RedisLockLostException $e) {
        return match ($e->getLoss()) {
            null => 'unknown',
            RedisLockLoss::Expired, RedisLockLoss::Deleted, RedisLockLoss::MaxHold => 'late',
            RedisLockLoss::TakenOver => 'taken over',
            RedisLockLoss::Released, RedisLockLoss::Forked => 'ended',
        };
    } catch (RedisLockException $e) {
        assertType('array<string, string>', $e->getReasons());
        return implode("\n", $e->getReasons());
    }
}

function types_of_a_constructor(): RedisLock
{
    return new RedisLock(['redis://a', 'rediss://b'], 'app:', timeout: 0.5, retries: 3,
        tls: ['cafile' => '/etc/redis/ca.pem', 'verify_peer_name' => false]);
}
