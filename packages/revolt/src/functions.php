<?php

declare(strict_types=1);

namespace RedisLock\Revolt;

use Amp\Cancellation;
use Closure;

/**
 * From now on, until the end of the request, each call of the extension that waits lets Revolt's
 * event loop run meanwhile, in Fibers and in {main}.
 *
 * @param Cancellation|null $cancellation ends every wait for a lock of another holder, for example
 *   when the program shuts down; null = no such end. A second install() replaces it
 */
function install(?Cancellation $cancellation = null): void
{
    Waiter::install($cancellation);
}

/**
 * Calls the function. While it waits for a lock of another holder, in this Fiber, the cancellation
 * ends the wait: the call of the extension throws a CancelledException and leaves no place in the
 * queue. A call that has the lock, or frees it, is not disturbed. Of cancellable() in cancellable()
 * both cancellations count.
 *
 * @template T
 * @param Closure(): T $function
 * @return T
 */
function cancellable(Cancellation $cancellation, Closure $function): mixed
{
    return Waiter::cancellable($cancellation, $function);
}
