<?php

declare(strict_types=1);

namespace RedisLock\Tools;

use RedisLockConnectionException;
use RedisLockException;
use ValueError;

/** The command line's entry: finds the subcommand, and makes an exit code of every failure. */
final class Program
{
    private const HELP = <<<'TEXT'
        usage: redislock run KEY [OPTION...] -- COMMAND [ARGUMENT...]
               redislock top [OPTION...]
               redislock show KEY [OPTION...]
               redislock release KEY [OPTION...]

        Locks of the PHP extension redislock, on Redis or Valkey.

          run        runs a command while it holds the lock, on one of many machines at a time
          top        shows all locks under a prefix
          show       shows who holds a lock, since when, and who waits for it
          release    frees a lock whose holder is gone

          --help     also of each subcommand: redislock run --help
          --version  the version of the extension

        TEXT;

    /** Arguments of the extension => what the user calls them. */
    private const NAMES = ['servers' => 'the server', 'prefix' => '--prefix', 'key' => 'the key',
        'ttl' => '--ttl', 'wait' => '--wait', 'maxHold' => '--max-hold', 'limit' => '--limit'];

    /** @param list<string> $words */
    public static function main(array $words): int
    {
        try {
            return self::dispatch($words);
        } catch (Failure $e) {
            self::say($e->getMessage());
            return $e->exitCode->value;
        } catch (RedisLockException $e) {
            self::say($e->getMessage());
            return ExitCode::Unavailable->value;
        } catch (ValueError $e) {
            self::say(self::withoutCall($e->getMessage()));
            return ExitCode::Usage->value;
        }
    }

    /** Writes a line to standard error. */
    public static function say(string $message): void
    {
        fwrite(STDERR, 'redislock: ' . Text::clean($message) . "\n");
    }

    /** @param list<string> $words */
    private static function dispatch(array $words): int
    {
        $name = array_shift($words);
        if ($name === '--help' || $name === '-h') {
            echo self::HELP;
            return 0;
        }
        if ($name === '--version') {
            self::needExtension();
            echo 'redislock ', phpversion('redislock'), "\n";
            return 0;
        }
        $command = match ($name) {
            'run' => new RunCommand(),
            'top' => new TopCommand(),
            'show' => new ShowCommand(),
            'release' => new ReleaseCommand(),
            default => throw new Failure(
                ($name === null ? 'a subcommand is missing' : "there is no subcommand $name")
                . ': redislock --help', ExitCode::Usage),
        };
        $arguments = self::parse($words, $command, $name);
        if ($arguments->has('--help') || $arguments->has('-h')) {
            echo $command->help(), Servers::HELP;
            return 0;
        }
        self::needExtension();
        try {
            return $command->run($arguments);
        } catch (RedisLockConnectionException $e) {
            throw new Failure($e->getMessage() . Servers::origin($arguments),
                ExitCode::Unavailable);
        }
    }

    /** @param list<string> $words */
    private static function parse(array $words, Command $command, string $name): Arguments
    {
        try {
            return Arguments::parse($words, [...$command->flags(), '--help', '-h'],
                [...$command->options(), ...Servers::OPTIONS]);
        } catch (Failure $e) {
            throw new Failure("{$e->getMessage()}: redislock $name --help", ExitCode::Usage);
        }
    }

    private static function needExtension(): void
    {
        if (!extension_loaded('redislock')) {
            throw new Failure('this PHP (' . PHP_BINARY . ') does not load the extension redislock',
                ExitCode::Setup);
        }
    }

    /** A message of the extension about an argument, without the name of the method. */
    private static function withoutCall(string $message): string
    {
        return (string) preg_replace_callback(
            '~^\w+::\w+\(\): Argument #\d+ \(\$(\w+)\)(.*?)(?:, or null)?$~Ds',
            static fn (array $m): string => (self::NAMES[$m[1]] ?? $m[1]) . $m[2], $message);
    }
}
