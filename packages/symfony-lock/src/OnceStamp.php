<?php

declare(strict_types=1);

namespace RedisLock\Symfony;

use Symfony\Component\Messenger\Stamp\StampInterface;

/** OnceMiddleware handles one message of those whose stamps have the same key. */
final class OnceStamp implements StampInterface
{
    /**
     * @param string $key what names the work, such as "confirmation:42"
     * @param float $for how long the work is not done again after its end, in seconds
     */
    public function __construct(public readonly string $key, public readonly float $for)
    {
    }
}
