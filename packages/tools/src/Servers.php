<?php

declare(strict_types=1);

namespace RedisLock\Tools;

use RedisLock;

/** The servers and the prefix of a command line, of the environment, or of the ini file. */
final class Servers
{
    public const OPTIONS = ['--dsn', '--prefix'];

    public const HELP = <<<'TEXT'
          --dsn=DSN        the server; repeat it for a Redlock set (default: the environment
                           variable REDISLOCK_DSN, in which spaces separate several DSNs, or else
                           the ini setting redislock.servers)
          --prefix=TEXT    the application's prefix, which stands before each key (default: the ini
                           setting redislock.prefix)

        All users of the machine can read a command line, so a DSN with a password belongs into
        REDISLOCK_DSN, or into an ini file as redislock.servers.

        TEXT;

    /** In a DSN: of a user, of a Sentinel, or of a private key. */
    private const PASSWORD = '~^[^/]*://[^/?]*:[^/?]*@|[?&][^=&]*pass[^=&]*=~i';

    public static function connect(Arguments $arguments): RedisLock
    {
        $dsns = self::dsns($arguments);
        foreach ($dsns as $dsn) {
            if (str_starts_with(strtolower($dsn), 'memory:')) {
                throw new Failure('memory:// is inside the process that uses it, so its locks'
                    . ' cannot be reached from here', ExitCode::Usage);
            }
        }
        return new RedisLock($dsns, self::prefix($arguments));
    }

    public static function prefix(Arguments $arguments): string
    {
        return $arguments->value('--prefix') ?? (string) ini_get('redislock.prefix');
    }

    /** For a key that is free: it may have been copied from a list, with its prefix. */
    public static function warnOfTwoPrefixes(Arguments $arguments, string $key): void
    {
        $prefix = self::prefix($arguments);
        if ($prefix !== '' && str_starts_with($key, $prefix)) {
            Program::say("the prefix \"$prefix\" stands before KEY, so this was the key"
                . " \"$prefix$key\": leave the prefix out of KEY, or give --prefix=");
        }
    }

    /** Where the servers come from, if the user has named none. */
    public static function origin(Arguments $arguments): string
    {
        return $arguments->all('--dsn') !== [] || trim((string) getenv('REDISLOCK_DSN')) !== '' ? ''
            : '; there is neither --dsn nor REDISLOCK_DSN, so this is the server of'
                . ' redislock.servers';
    }

    /** @return list<string> */
    private static function dsns(Arguments $arguments): array
    {
        $dsns = $arguments->all('--dsn');
        foreach ($dsns as $dsn) {
            if (preg_match(self::PASSWORD, $dsn) === 1) {
                throw new Failure('the DSN has a password, which all users of this machine can'
                    . ' read on a command line: set the environment variable REDISLOCK_DSN, or'
                    . ' redislock.servers in an ini file', ExitCode::Usage);
            }
        }
        return $dsns ?: self::split((string) getenv('REDISLOCK_DSN'))
            ?: self::split((string) ini_get('redislock.servers'));
    }

    /** @return list<string> */
    private static function split(string $dsns): array
    {
        return preg_split('~\s+~', $dsns, -1, PREG_SPLIT_NO_EMPTY) ?: [];
    }
}
