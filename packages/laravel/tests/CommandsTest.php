<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Illuminate\Console\Application as Artisan;
use Illuminate\Events\Dispatcher;
use Illuminate\Support\Facades\Cache;
use LogicException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock;
use RedisLock\Laravel\ValueStore;
use RedisLockState;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Output\BufferedOutput;

/** php artisan redislock:show and redislock:release. */
final class CommandsTest extends TestCase
{
    private const QUESTION = 'Free it? If its holder is still at work, another process may begin'
        . ' the same work.';

    /**
     * @param array<string, mixed> $arguments
     * @param string|null $answer null = the terminal cannot be asked
     * @return array{int, string} exit code and output
     */
    private function artisan(array $arguments, ?string $answer = null): array
    {
        $artisan = new Artisan(app(), new Dispatcher(), 'test');
        $artisan->setAutoExit(false);
        $input = new ArrayInput($arguments);
        $input->setInteractive($answer !== null);
        $stream = fopen('php://memory', 'r+');
        self::assertIsResource($stream);
        fwrite($stream, "$answer\n");
        rewind($stream);
        $input->setStream($stream);
        $output = new BufferedOutput();
        $code = $artisan->run($input, $output);
        return [$code, trim($output->fetch())];
    }

    private function hold(): RedisLock
    {
        $redis = new RedisLock(self::dsns()[0] . '?db=1', 'app_' . self::prefix(),
            label: 'web-3:8812');
        self::assertNotNull($redis->acquire($this->name, 60));
        return $redis;
    }

    public function testShowNamesTheHolder(): void
    {
        $show = ['command' => 'redislock:show', 'key' => $this->name];
        self::assertSame([0, "$this->name is free"], $this->artisan($show));
        $this->hold();
        [$code, $output] = $this->artisan($show);
        self::assertSame(0, $code);
        self::assertMatchesRegularExpression(
            "~^$this->name is held by web-3:8812 for up to \d\d(\.\d)? s more$~", $output);
        self::redis()->forceRelease($this->name);

        self::assertSame('me', self::redis()->acquire($this->name, 60, token: 'me'));
        self::assertStringContainsString("\nThe owner is none of the extension",
            $this->artisan($show)[1]);
        self::redis()->forceRelease($this->name);
    }

    public function testAKeyWithThePrefixesIsFreeAndSaysSo(): void
    {
        $this->hold();
        [$code, $output] = $this->artisan(['command' => 'redislock:show',
            'key' => 'app_' . self::prefix() . $this->name]);
        self::assertSame(0, $code);
        self::assertStringContainsString('is free', $output);
        self::assertStringContainsString('give the key without the prefixes', $output);
        self::redis()->forceRelease($this->name);
    }

    public function testReleaseAsks(): void
    {
        $release = ['command' => 'redislock:release', 'key' => $this->name];
        $redis = $this->hold();
        foreach (['no', '', null] as $answer) {
            [$code, $output] = $this->artisan($release, $answer);
            self::assertSame(1, $code);
            self::assertStringContainsString('held by web-3:8812', $output);
            self::assertStringContainsString('Nothing was freed.', $output);
            self::assertSame($answer === null, str_contains($output, 'pass --force'));
            self::assertTrue($redis->isLocked($this->name));
        }
        [$code, $output] = $this->artisan($release, 'yes');
        self::assertSame(0, $code);
        self::assertStringContainsString(self::QUESTION, $output);
        self::assertStringEndsWith("$this->name is freed", $output);
        self::assertFalse($redis->isLocked($this->name));
        self::assertSame([0, "$this->name is free"], $this->artisan($release, 'yes'));
    }

    public function testForceDoesNotAsk(): void
    {
        $redis = $this->hold();
        [$code, $output] = $this->artisan(['command' => 'redislock:release', 'key' => $this->name,
            '--force' => true]);
        self::assertSame(0, $code);
        self::assertStringNotContainsString(self::QUESTION, $output);
        self::assertFalse($redis->isLocked($this->name));

        $redis->once($this->name, fn () => null, for: 60);
        [$code, $output] = $this->artisan(['command' => 'redislock:release', 'key' => $this->name,
            '--force' => true]);
        self::assertSame(0, $code);
        self::assertStringContainsString('marked as work that is done', $output);
        self::assertFalse($redis->isLocked($this->name));
    }

    public function testAHolderThatComesAfterTheQuestionKeepsTheLock(): void
    {
        $redis = new class (self::dsns()[0] . '?db=1', 'app_') extends RedisLock {
            public function inspect(string $key): ?RedisLockState
            {
                $state = parent::inspect($key);
                $this->forceRelease($key);
                $this->acquire($key, 60);
                return $state;
            }
        };
        $this->hold();
        self::store()->setRedisLock($redis);
        [$code, $output] = $this->artisan(['command' => 'redislock:release', 'key' => $this->name,
            '--force' => true]);
        self::assertSame(1, $code);
        self::assertStringEndsWith('this holder no longer has the lock.', $output);
        self::assertTrue(self::redis()->isLocked($this->name));
        self::redis()->forceRelease($this->name);
    }

    /** The question is asked when the mark is set, and answered when it has ended. */
    public function testAHolderThatComesAfterAMarkKeepsTheLock(): void
    {
        $redis = new class (self::dsns()[0] . '?db=1', 'app_') extends RedisLock {
            public int $looks = 0;

            public function inspect(string $key): ?RedisLockState
            {
                $state = parent::inspect($key);
                if (++$this->looks === 1) {
                    $this->forceRelease($key);
                    $this->acquire($key, 60);
                }
                return $state;
            }
        };
        self::redis()->once($this->name, fn () => null, for: 60);
        self::store()->setRedisLock($redis);
        [$code, $output] = $this->artisan(['command' => 'redislock:release', 'key' => $this->name],
            'yes');
        self::assertSame(1, $code);
        self::assertStringContainsString('marked as work that is done', $output);
        self::assertStringEndsWith('Nothing was freed: the lock has changed hands or ended'
            . ' meanwhile.', $output);
        self::assertNotNull(self::redis()->owner($this->name));
        self::redis()->forceRelease($this->name);
    }

    /** The first question for the owner finds a free lock, and the one for the state a holder. */
    public function testAHolderThatComesBetweenBothQuestionsIsAskedFor(): void
    {
        $redis = new class (self::dsns()[0] . '?db=1', 'app_', label: 'web-3:8812')
            extends RedisLock {
            /** @var list<string> owners */
            public array $taken = [];

            public function owner(string $key): ?string
            {
                $owner = parent::owner($key);
                if ($this->taken === []) {
                    $this->taken[] = (string) $this->acquire($key, 60);
                }
                return $owner;
            }

            public function forceRelease(string $key): bool
            {
                throw new LogicException('the lock has an owner');
            }
        };
        self::store()->setRedisLock($redis);
        [$code, $output] = $this->artisan(['command' => 'redislock:release', 'key' => $this->name],
            'yes');
        self::assertSame(0, $code, $output);
        self::assertStringContainsString('held by web-3:8812', $output);
        self::assertFalse(self::redis()->isLocked($this->name));
    }

    public function testAnotherStore(): void
    {
        self::application(['cache.default' => 'array',
            'cache.stores.array' => ['driver' => 'array'],
            'cache.stores.locks' => ['driver' => 'redislock', 'connection' => 'cache',
                'prefix' => 'own:', 'value_store' => 'array']]);
        $key = ['command' => 'redislock:show', 'key' => $this->name];
        $store = Cache::store('locks')->getStore();
        self::assertInstanceOf(ValueStore::class, $store);
        self::assertTrue($store->lock($this->name, 60)->get());
        self::assertStringContainsString('is held by ',
            $this->artisan($key + ['--store' => 'locks'])[1]);
        $store->lock($this->name)->forceRelease();
        [$code, $output] = $this->artisan($key);
        self::assertSame(1, $code);
        self::assertSame('the default store of config/cache.php does not have the driver'
            . ' "redislock", which this command needs: the option --store can name another store',
            $output);
        [$code, $output] = $this->artisan($key + ['--store' => 'nothing']);
        self::assertSame(1, $code);
        self::assertSame('Cache store [nothing] is not defined.', $output);
    }

    /** @return list<array{string}> */
    public static function commands(): array
    {
        return [['redislock:show'], ['redislock:release']];
    }

    #[DataProvider('commands')]
    public function testAFailureOfRedisIsAMessage(string $command): void
    {
        self::application(['cache.stores.redislock.servers' => 'memory://?fail=refused']);
        [$code, $output] = $this->artisan(['command' => $command, 'key' => $this->name]);
        self::assertSame(1, $code);
        self::assertStringContainsString('refused', $output);
        self::assertStringNotContainsString('Stack trace', $output);
    }

    public function testAKeyThatNoLockCanHaveIsAMessage(): void
    {
        [$code, $output] = $this->artisan(['command' => 'redislock:show', 'key' => 'job:rl-wait']);
        self::assertSame(1, $code);
        self::assertStringNotContainsString('Stack trace', $output);
    }

    public function testAKeyDoesNotControlTheTerminal(): void
    {
        [$code, $output] = $this->artisan(['command' => 'redislock:show',
            'key' => "<fg=red>订单:42</>\e]0;title\7\u{9b}1m"]);
        self::assertSame([0, '<fg=red>订单:42</>\033]0;title\a?1m is free'], [$code, $output]);
        self::assertSame('\377 is free', $this->artisan(['command' => 'redislock:show',
            'key' => "\xff"])[1]);
    }
}
