<?php

declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Support\ConfigurationUrlParser;
use InvalidArgumentException;

/**
 * Translates a connection of config/database.php, so that it need not be configured twice.
 *
 * @internal
 */
final class ConnectionDsn
{
    /**
     * @param array<string, mixed> $redis the array "redis" of config/database.php
     * @return string the DSN of the connection's server
     */
    public static function of(array $redis, string $name): string
    {
        $connection = self::connection($redis, $name);
        $text = static fn (string $option): string => is_scalar($connection[$option] ?? null)
            ? (string) $connection[$option] : '';

        $host = $text('host') === '' ? '127.0.0.1' : $text('host');
        if (preg_match('~^(tls|ssl|rediss|tcp|unix)://(.*)$~', $host, $match) === 1) {
            [, $scheme, $host] = $match;
        } else {
            /* Without a scheme, phpredis uses TLS if its context has options of a stream. */
            $scheme = strtolower($text('driver') ?: $text('scheme'))
                ?: (is_array(data_get($connection, 'context.stream')) ? 'tls' : 'tcp');
        }
        [$user, $password] = self::login($connection);
        $credentials = $password === '' ? ''
            : rawurlencode($user) . ':' . rawurlencode($password) . '@';
        $database = (int) $text('database');
        if ($scheme === 'unix' || str_starts_with($host, '/')) {
            $path = $text('path') ?: $host;
            $path = implode('/', array_map(rawurlencode(...), explode('/', $path)));
            return "unix://$credentials$path?db=$database";
        }
        $scheme = in_array($scheme, ['tls', 'ssl', 'rediss'], true) ? 'rediss' : 'redis';
        $host = str_contains($host, ':') && $host[0] !== '[' ? "[$host]" : $host;
        $port = $text('port') ?: '6379';
        return "$scheme://$credentials$host:$port/$database";
    }

    /**
     * phpredis also takes "auth" of the context, and a list of user and password as the password.
     *
     * @param array<mixed> $connection
     * @return array{string, string} user and password; '' = there is none
     */
    private static function login(array $connection): array
    {
        /** @var mixed $password */
        $password = ($connection['password'] ?? null) ?: data_get($connection, 'context.auth');
        $words = is_array($password) ? array_values($password)
            : [$connection['username'] ?? null, $password];
        $words = array_map(fn (mixed $word): string => is_scalar($word) ? (string) $word : '',
            array_slice(['', ...$words], -2));
        return [$words[0], $words[1]];
    }

    /**
     * The options of TLS: "context" of phpredis or "ssl" of Predis. Both have the names of PHP's
     * stream contexts, as the extension has.
     *
     * @param array<string, mixed> $redis the array "redis" of config/database.php
     * @return array<string, mixed>
     */
    public static function tlsOf(array $redis, string $name): array
    {
        /** @var array<string, mixed>|null $tls */
        $tls = data_get($redis, [$name, 'context', 'stream'])
            ?? data_get($redis, [$name, 'context', 'ssl']) ?? data_get($redis, [$name, 'ssl']);
        return str_starts_with(self::of($redis, $name), 'rediss:') ? $tls ?? [] : [];
    }

    /**
     * @param array<string, mixed> $redis
     * @return array<mixed>
     */
    private static function connection(array $redis, string $name): array
    {
        $connection = $redis[$name] ?? null;
        if (!is_array($connection) && !is_array(data_get($redis, ['clusters', $name]))) {
            throw new InvalidArgumentException(
                "config/database.php has no connection [$name] below \"redis\". Correct"
                . ' "lock_connection" (or "connection") of the cache store in config/cache.php.');
        }
        if (!is_array($connection) || self::hasServers($connection)) {
            throw new InvalidArgumentException(
                "The connection [$name] of config/database.php is no single server. Set"
                . ' "servers" of the cache store in config/cache.php to the DSNs of the extension'
                . ' redislock.');
        }
        return (new ConfigurationUrlParser())->parseConfiguration($connection);
    }

    /**
     * Predis accepts a list of servers or Sentinels where others have the options of one server.
     *
     * @param array<mixed> $connection
     */
    private static function hasServers(array $connection): bool
    {
        return isset($connection[0]) || is_array($connection['host'] ?? null);
    }

    /**
     * @param array<string, mixed> $redis the array "redis" of config/database.php
     * @return string what Laravel's client puts before each key
     */
    public static function prefixOf(array $redis, string $name): string
    {
        /** @var mixed $connection */
        $connection = $redis[$name] ?? null;
        $connection = is_array($connection)
            ? (new ConfigurationUrlParser())->parseConfiguration($connection) : null;
        /* As in Laravel, a later place replaces an earlier one also by null. */
        $options = array_merge((array) data_get($redis, 'options'), ...$connection === null
            ? [(array) data_get($redis, 'clusters.options'),
                (array) data_get($redis, ['clusters', $name, 'options'])]
            : [(array) data_get($connection, 'options')]);
        /** @var mixed $prefix a number if it is one in the query of "url" */
        $prefix = $connection['prefix'] ?? $options['prefix'] ?? null;
        return is_scalar($prefix) ? (string) $prefix : '';
    }
}
