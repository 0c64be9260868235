<?php

declare(strict_types=1);

namespace RedisLock\Symfony;

use RedisLock;
use RedisLockTimeoutException;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Exception\RecoverableMessageHandlingException;
use Symfony\Component\Messenger\Middleware\MiddlewareInterface;
use Symfony\Component\Messenger\Middleware\StackInterface;
use Symfony\Component\Messenger\Stamp\AckStamp;
use Symfony\Component\Messenger\Stamp\ReceivedStamp;

/**
 * Runs the handlers of a message with an OnceStamp in RedisLock::once(). The message is skipped if
 * the handlers of another message with the same key have ended, and handled if they have thrown.
 * While another worker runs them, an exception makes Messenger deliver the message again later,
 * without a limit.
 *
 * Messages without the stamp, and messages that are sent to a transport, are left alone.
 */
final class OnceMiddleware implements MiddlewareInterface
{
    /** @param RedisLock $lock its prefix is put before each key */
    public function __construct(private readonly RedisLock $lock)
    {
    }

    public function handle(Envelope $envelope, StackInterface $stack): Envelope
    {
        $stamp = $envelope->last(OnceStamp::class);
        if ($stamp === null || $envelope->last(ReceivedStamp::class) === null) {
            return $stack->next()->handle($envelope, $stack);
        }
        $isEntered = false;
        try {
            $this->lock->once($stamp->key, function () use (&$envelope, &$isEntered, $stack): void {
                $isEntered = true;
                /* Without this stamp a batch handler handles the message now, and not after the end
                   of this section. */
                $envelope = $stack->next()->handle($envelope->withoutAll(AckStamp::class), $stack);
            }, $stamp->for);
        } catch (RedisLockTimeoutException $e) {
            throw $isEntered ? $e
                : new RecoverableMessageHandlingException($e->getMessage(), 0, $e);
        }
        return $envelope;
    }
}
