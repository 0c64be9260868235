<?php

declare(strict_types=1);

namespace RedisLock\Revolt\Tests;

use RuntimeException;

/** Asks a server on a unix socket without any library. */
final class RawServer
{
    /** @return list<string> the keys that match the pattern */
    public static function keys(string $dsn, string $pattern): array
    {
        $stream = stream_socket_client($dsn) ?: throw new RuntimeException($dsn);
        fwrite($stream, "*2\r\n\$4\r\nKEYS\r\n\$" . strlen($pattern) . "\r\n$pattern\r\n");
        $keys = [];
        for ($left = (int) substr(self::line($stream), 1); $left > 0; $left--) {
            self::line($stream);
            $keys[] = self::line($stream);
        }
        fclose($stream);
        return $keys;
    }

    /** @param resource $stream */
    private static function line($stream): string
    {
        $line = fgets($stream);
        return is_string($line) ? rtrim($line) : throw new RuntimeException('no answer');
    }
}
