<?php

declare(strict_types=1);

namespace RedisLock\Revolt\Tests;

use Amp\Cancellation;
use Closure;

/** A cancellation that is never requested, and knows its subscribers. */
final class SpyCancellation implements Cancellation
{
    /** @var array<string, Closure> all that there have been */
    public array $all = [];
    /** @var array<string, Closure> those of now */
    public array $subscribed = [];

    public function subscribe(Closure $callback): string
    {
        $id = 'id' . count($this->all);
        $this->all[$id] = $this->subscribed[$id] = $callback;
        return $id;
    }

    public function unsubscribe(string $id): void
    {
        unset($this->subscribed[$id]);
    }

    public function isRequested(): bool
    {
        return false;
    }

    public function throwIfRequested(): void
    {
    }
}
