<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Console\Command;
use Illuminate\Contracts\Cache\Factory;
use InvalidArgumentException;
use LogicException;
use RedisLockException;
use RedisLockState;
use Symfony\Component\Console\Formatter\OutputFormatter;
use ValueError;

/**
 * A command about one lock, by the name that the application gives to it.
 *
 * @internal
 * @psalm-suppress PropertyNotSetInConstructor Laravel sets the properties later
 */
abstract class LockCommand extends Command
{
    public function handle(Factory $caches): int
    {
        $name = $this->textOf($this->argument('key'));
        $of = $this->option('store');
        try {
            $store = Stores::find($caches, is_string($of) ? $of : null, 'which this command needs:'
                . ' the option --store can name another store');
            return $this->handleLock($store, $name);
        } catch (RedisLockException|LogicException|InvalidArgumentException|ValueError $e) {
            $this->error(self::shown($e->getMessage()));
            return self::FAILURE;
        }
    }

    abstract protected function handleLock(RedisLockProvider $store, string $name): int;

    protected function showFree(RedisLockProvider $store, string $name): void
    {
        $this->line(self::shown($name) . ' is free');
        $prefix = $store->lockKey('');
        if ($prefix !== '' && str_contains($name, $prefix)) {
            $this->line('The command adds the prefix ' . self::shown($prefix)
                . ' of the store itself: give the key without the prefixes.');
        }
    }

    protected function showHeld(RedisLockState $state, string $name): void
    {
        $this->line(self::shown($name) . ' is ' . self::shown(Holder::text($state)));
        if ($state->isForeign) {
            $this->line('The owner is none of the extension: the application has given it, or'
                . ' another driver has the lock.');
        }
        if ($state->waiters > 0) {
            $this->line($state->waiters === 1 ? '1 client waits for it'
                : "$state->waiters clients wait for it");
        }
    }

    /** A key, or a message of a server, must not control the terminal. */
    protected static function shown(string $text): string
    {
        $isUtf8 = preg_match('//u', $text) === 1;
        $text = $isUtf8 ? (string) preg_replace('/[\x{80}-\x{9f}]/u', '?', $text)
            : addcslashes($text, "\200..\377");
        return OutputFormatter::escape(addcslashes($text, "\0..\37\177"));
    }

    private function textOf(mixed $value): string
    {
        return is_scalar($value) ? (string) $value : '';
    }
}
