<?php

declare(strict_types=1);

namespace RedisLock\Revolt;

use Amp\Cancellation;
use Amp\CancelledException;
use Closure;
use RedisLock;
use Revolt\EventLoop;
use Revolt\EventLoop\FiberLocal;

/**
 * The waiter of install().
 *
 * @internal
 */
final class Waiter
{
    private static ?self $installed = null;

    /** @var FiberLocal<list<Cancellation>>|null those of cancellable(), for all waiters */
    private static ?FiberLocal $cancellations = null;

    private function __construct(private readonly ?Cancellation $cancellationOfAll)
    {
    }

    public static function install(?Cancellation $cancellation): self
    {
        $waiter = new self($cancellation);
        RedisLock::waitWith($waiter->wait(...));
        return self::$installed = $waiter;
    }

    /** The waiter of this request, which is installed if there is none. */
    public static function get(): self
    {
        return self::$installed ?? self::install(null);
    }

    /**
     * @template T
     * @param Closure(): T $function
     * @return T
     */
    public static function cancellable(Cancellation $cancellation, Closure $function): mixed
    {
        self::get();
        $local = self::local();
        $outer = $local->get();
        $local->set([...$outer, $cancellation]);
        try {
            return $function();
        } finally {
            $local->set($outer);
        }
    }

    /**
     * Suspends the Fiber, or {main}, until the stream is readable.
     *
     * @param resource $stream
     * @throws CancelledException
     */
    private function wait(mixed $stream, bool $isWaiting): void
    {
        $cancellations = $isWaiting ? $this->cancellations() : [];
        $suspension = EventLoop::getSuspension();
        /* A stream and a cancellation may both be ready in one turn of the loop. */
        $pending = $suspension;
        $callback = EventLoop::onReadable($stream, static function () use (&$pending): void {
            $pending?->resume();
            $pending = null;
        });
        $cancel = static function (CancelledException $e) use (&$pending): void {
            $pending?->throw($e);
            $pending = null;
        };
        $subscriptions = array_map(
            static fn (Cancellation $cancellation): string => $cancellation->subscribe($cancel),
            $cancellations);
        try {
            $suspension->suspend();
        } finally {
            $pending = null;
            EventLoop::cancel($callback);
            foreach ($subscriptions as $i => $subscription) {
                $cancellations[$i]->unsubscribe($subscription);
            }
        }
    }

    /** @return FiberLocal<list<Cancellation>> */
    private static function local(): FiberLocal
    {
        return self::$cancellations ??= new FiberLocal(static fn (): array => []);
    }

    /** @return list<Cancellation> */
    private function cancellations(): array
    {
        $all = self::local()->get();
        return $this->cancellationOfAll === null ? $all : [$this->cancellationOfAll, ...$all];
    }
}
