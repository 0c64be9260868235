<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\PersistingStoreInterface;

/** The cases of Symfony's AbstractStoreTestCase, for versions of symfony/lock that lack it. */
abstract class StoreCases extends TestCase
{
    abstract protected function getStore(): PersistingStoreInterface;

    public function testSave(): void
    {
        $store = $this->getStore();
        $key = new Key(static::class . __METHOD__);
        self::assertFalse($store->exists($key));
        $store->save($key);
        self::assertTrue($store->exists($key));
        $store->delete($key);
        self::assertFalse($store->exists($key));
    }

    public function testSaveWithDifferentResources(): void
    {
        $store = $this->getStore();
        $first = new Key(static::class . __METHOD__ . '1');
        $second = new Key(static::class . __METHOD__ . '2');
        $store->save($first);
        self::assertSame([true, false], [$store->exists($first), $store->exists($second)]);
        $store->save($second);
        self::assertSame([true, true], [$store->exists($first), $store->exists($second)]);
        $store->delete($first);
        self::assertSame([false, true], [$store->exists($first), $store->exists($second)]);
        $store->delete($second);
        self::assertSame([false, false], [$store->exists($first), $store->exists($second)]);
    }

    public function testSaveWithDifferentKeysOnSameResources(): void
    {
        $store = $this->getStore();
        $first = new Key(static::class . __METHOD__);
        $second = new Key((string) $first);
        $store->save($first);
        self::assertSame([true, false], [$store->exists($first), $store->exists($second)]);
        try {
            $store->save($second);
            self::fail('the first key has the lock');
        } catch (LockConflictedException) {
            self::assertSame([true, false], [$store->exists($first), $store->exists($second)]);
        }
        $store->delete($first);
        self::assertSame([false, false], [$store->exists($first), $store->exists($second)]);
        $store->save($second);
        self::assertSame([false, true], [$store->exists($first), $store->exists($second)]);
        $store->delete($second);
        self::assertSame([false, false], [$store->exists($first), $store->exists($second)]);
    }

    public function testSaveTwice(): void
    {
        $store = $this->getStore();
        $key = new Key(static::class . __METHOD__);
        $store->save($key);
        $store->save($key);
        self::assertTrue($store->exists($key));
        $store->delete($key);
    }

    public function testDeleteIsolated(): void
    {
        $store = $this->getStore();
        $saved = new Key(static::class . __METHOD__ . '1');
        $other = new Key(static::class . __METHOD__ . '2');
        $store->save($saved);
        $store->delete($other);
        self::assertSame([true, false], [$store->exists($saved), $store->exists($other)]);
        $store->delete($saved);
    }
}
