<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use Psr\Container\ContainerInterface;
use RedisLock;
use RedisLock\Symfony\OnceMiddleware;
use RedisLock\Symfony\OnceStamp;
use RedisLockTimeoutException;
use RuntimeException;
use stdClass;
use Symfony\Component\Clock\MockClock;
use Symfony\Component\DependencyInjection\ServiceLocator;
use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Event\WorkerMessageFailedEvent;
use Symfony\Component\Messenger\Event\WorkerRunningEvent;
use Symfony\Component\Messenger\EventListener\SendFailedMessageForRetryListener;
use Symfony\Component\Messenger\Exception\RecoverableMessageHandlingException;
use Symfony\Component\Messenger\Handler\Acknowledger;
use Symfony\Component\Messenger\Handler\BatchHandlerInterface;
use Symfony\Component\Messenger\Handler\BatchHandlerTrait;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Middleware\MiddlewareInterface;
use Symfony\Component\Messenger\Middleware\SendMessageMiddleware;
use Symfony\Component\Messenger\Middleware\StackInterface;
use Symfony\Component\Messenger\Retry\MultiplierRetryStrategy;
use Symfony\Component\Messenger\Stamp\DelayStamp;
use Symfony\Component\Messenger\Transport\InMemory\InMemoryTransport;
use Symfony\Component\Messenger\Transport\Sender\SendersLocator;
use Symfony\Component\Messenger\Transport\Serialization\PhpSerializer;
use Symfony\Component\Messenger\Transport\Serialization\Serializer;
use Symfony\Component\Messenger\Transport\Serialization\SerializerInterface;
use Symfony\Component\Messenger\Worker;
use Throwable;

/**
 * Messages of a transport, and Messenger's own worker, which delivers failed ones again.
 *
 * @psalm-suppress PropertyNotSetInConstructor setUp() sets them
 */
final class OnceMiddlewareTest extends TestCase
{
    use Servers;

    private const RETRIES = 3;

    private static int $names = 0;

    private string $key = '';
    private MockClock $clock;
    private InMemoryTransport $transport;
    private MessageBus $bus;
    /** @var callable */
    private $handler;
    /** @var list<string> what has happened to the messages */
    private array $seen = [];
    /** @var list<Throwable> */
    private array $failures = [];

    protected function setUp(): void
    {
        $this->key = 'messenger:' . getmypid() . ':' . ++self::$names;
        $this->clock = new MockClock();
        $this->handler = function (): void {
            $this->seen[] = 'handled';
        };
        $this->transportWith(new PhpSerializer());
    }

    private function transportWith(SerializerInterface $serializer): void
    {
        $this->transport = new InMemoryTransport($serializer, $this->clock);
        $senders = new SendersLocator([stdClass::class => ['async']], $this->transports());
        $handlers = new HandlersLocator([
            stdClass::class => [fn (mixed ...$all): mixed => ($this->handler)(...$all)],
        ]);
        /* In the order in which the framework puts them. */
        $this->bus = new MessageBus([
            new OnceMiddleware(new RedisLock(self::dsn())),
            new SendMessageMiddleware($senders),
            new HandleMessageMiddleware($handlers),
        ]);
    }

    private function transports(): ContainerInterface
    {
        return new ServiceLocator(['async' => fn (): InMemoryTransport => $this->transport]);
    }

    private function dispatch(?string $key = null): void
    {
        $this->bus->dispatch(new stdClass(), [new OnceStamp($key ?? $this->key, for: 60)]);
    }

    /** Lets a worker handle what is due, after so many seconds of the clock. */
    private function work(float $after = 0): void
    {
        $this->clock->sleep($after);
        $strategies = new ServiceLocator([
            'async' => fn () => new MultiplierRetryStrategy(self::RETRIES, 1000, 1),
        ]);
        $events = new EventDispatcher();
        $events->addSubscriber(
            new SendFailedMessageForRetryListener($this->transports(), $strategies));
        $events->addListener(WorkerMessageFailedEvent::class,
            function (WorkerMessageFailedEvent $event): void {
                $this->failures[] = $event->getThrowable();
                $this->seen[] = $event->willRetry() ? 'retry' : 'failed';
            });
        $events->addListener(WorkerRunningEvent::class, function (WorkerRunningEvent $event): void {
            if ($event->isWorkerIdle()) {
                $event->getWorker()->stop();
            }
        });
        $worker = new Worker(['async' => $this->transport], $this->bus, $events,
            clock: $this->clock);
        $worker->run();
    }

    /** @return list<Envelope> what is in the transport now, or comes later */
    private function queued(): array
    {
        $done = count($this->transport->getAcknowledged()) + count($this->transport->getRejected());
        return array_values(array_slice($this->transport->getSent(), $done));
    }

    /** @param list<string> $expected */
    private function assertSeen(array $expected, string $message = ''): void
    {
        self::assertSame($expected, $this->seen, $message);
    }

    private function isDone(): bool
    {
        return (new RedisLock(self::dsn()))->inspect($this->key)?->isDone === true;
    }

    public function testAMessageWhoseHandlerHasEndedIsSkipped(): void
    {
        $this->dispatch();
        $this->dispatch();
        self::assertFalse($this->isDone(), 'dispatching is not handling');
        $this->work();
        $this->assertSeen(['handled']);
        self::assertTrue($this->isDone());
        $for = (new RedisLock(self::dsn()))->remaining($this->key);
        self::assertEqualsWithDelta(60, $for, 30);
        self::assertCount(2, $this->transport->getAcknowledged());

        $this->dispatch("$this->key-other");
        $this->work();
        $this->assertSeen(['handled', 'handled']);
    }

    public function testAMessageWhoseHandlerHasThrownIsHandledAtTheRetry(): void
    {
        $this->handler = function (): void {
            $this->seen[] = 'handled';
            if (count($this->seen) === 1) {
                throw new RuntimeException('the first time');
            }
        };
        $this->dispatch();
        $this->work();
        $this->assertSeen(['handled', 'retry']);
        self::assertFalse((new RedisLock(self::dsn()))->isLocked($this->key));

        $this->work(after: 2);
        $this->assertSeen(['handled', 'retry', 'handled']);
        $this->dispatch();
        $this->work();
        $this->assertSeen(['handled', 'retry', 'handled'], 'the second is skipped');
        self::assertSame([], $this->queued());
    }

    /** Before the retry another message with the key takes over, and so the retry is skipped. */
    public function testAnotherMessageTakesOverAfterAFailure(): void
    {
        $this->handler = function (): void {
            $this->handler = function (): void {
                $this->seen[] = 'handled';
            };
            throw new RuntimeException('the first time');
        };
        $this->dispatch();
        $this->dispatch();
        $this->work();
        $this->work(after: 2);
        $this->assertSeen(['retry', 'handled']);
        self::assertSame([], $this->queued());
    }

    public function testAMessageThatAnotherProcessHandlesIsDeliveredAgainLater(): void
    {
        $other = new Holder(self::dsn(), $this->key, 'handle.php');
        $this->dispatch();
        $this->work();
        $this->assertSeen(['retry']);
        self::assertInstanceOf(RecoverableMessageHandlingException::class, $this->failures[0]);
        self::assertInstanceOf(RedisLockTimeoutException::class, $this->failures[0]->getPrevious());
        $delay = $this->queued()[0]->last(DelayStamp::class)?->getDelay();
        self::assertEqualsWithDelta(1000, $delay, 100, 'that of the strategy, with its jitter');

        for ($i = 1; $i <= self::RETRIES; $i++) {
            $this->work(after: 2);
        }
        $this->assertSeen(array_fill(0, self::RETRIES + 1, 'retry'), 'without a limit');
        $this->seen = [];
        $other->releaseAfter(0);
        self::assertSame(0, $other->end());
        $this->work(after: 2);
        $this->assertSeen([], 'skipped: the other process has handled it');
        self::assertSame([], $this->queued());
    }

    public function testAMessageIsHandledAfterTheFailureOfAnotherProcess(): void
    {
        $other = new Holder(self::dsn(), $this->key, 'handle.php');
        $this->dispatch();
        $this->work();
        self::assertSame(1, $other->end());
        $this->work(after: 2);
        $this->assertSeen(['retry', 'handled']);
    }

    /** A handler, or a middleware around it, may wait for locks of its own. */
    public function testATimeoutInTheSectionIsAFailureOfTheMessage(): void
    {
        $inner = new class () implements MiddlewareInterface {
            public function handle(Envelope $envelope, StackInterface $stack): Envelope
            {
                throw new RedisLockTimeoutException('of another lock');
            }
        };
        $this->dispatch();
        $this->bus = new MessageBus([new OnceMiddleware(new RedisLock(self::dsn())), $inner]);
        for ($i = 0; $i <= self::RETRIES; $i++) {
            $this->work(after: 2);
        }
        $this->assertSeen([...array_fill(0, self::RETRIES, 'retry'), 'failed']);
        self::assertSame('of another lock', $this->failures[0]->getMessage());
    }

    public function testWithoutAStampMessagesAreHandledAsEver(): void
    {
        $this->bus->dispatch(new stdClass());
        $this->bus->dispatch(new stdClass());
        $this->work();
        $this->assertSeen(['handled', 'handled']);
    }

    public function testABatchHandlerHandlesTheMessageAtOnce(): void
    {
        $batches = new class () implements BatchHandlerInterface {
            use BatchHandlerTrait;

            /** @var list<int> */
            public array $sizes = [];
            public bool $fails = true;

            public function __invoke(stdClass $message, ?Acknowledger $ack = null): mixed
            {
                return $this->handle($message, $ack);
            }

            /** @param list<array{0: object, 1: Acknowledger}> $jobs */
            private function process(array $jobs): void
            {
                $this->sizes[] = count($jobs);
                foreach ($jobs as [, $ack]) {
                    $this->fails ? $ack->nack(new RuntimeException('failed')) : $ack->ack(null);
                }
            }
        };
        $this->bus = new MessageBus([
            new OnceMiddleware(new RedisLock(self::dsn())),
            new SendMessageMiddleware(
                new SendersLocator([stdClass::class => ['async']], $this->transports())),
            new HandleMessageMiddleware(new HandlersLocator([stdClass::class => [$batches]])),
        ]);
        $this->dispatch();
        $this->work();
        $this->assertSeen(['retry']);
        self::assertFalse($this->isDone());

        $batches->fails = false;
        $this->dispatch();
        $this->work(after: 2);
        self::assertSame([1, 1], $batches->sizes);
        self::assertTrue($this->isDone());
        self::assertSame([], $this->queued());
    }

    public function testTheStampTravelsAsJson(): void
    {
        $this->transportWith(Serializer::create());
        $this->dispatch();
        $this->dispatch();
        $stamp = $this->queued()[0]->last(OnceStamp::class);
        self::assertEquals(new OnceStamp($this->key, 60), $stamp);
        $this->work();
        $this->assertSeen(['handled']);
    }
}
