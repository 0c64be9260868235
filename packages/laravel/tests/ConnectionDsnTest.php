<?php

declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock;
use RedisLock\Laravel\ConnectionDsn;

final class ConnectionDsnTest extends TestCase
{
    /** @return list<array{array<string, mixed>, string}> */
    public static function connections(): array
    {
        return [
            [[], 'redis://127.0.0.1:6379/0'],
            [['url' => null, 'host' => 'cache', 'username' => null, 'password' => null,
                'port' => '6380', 'database' => '1'], 'redis://cache:6380/1'],
            [['host' => 'cache', 'password' => 's/e:c'], 'redis://:s%2Fe%3Ac@cache:6379/0'],
            [['host' => 'cache', 'username' => 'me', 'password' => 'x'],
                'redis://me:x@cache:6379/0'],
            [['scheme' => 'tls', 'host' => 'cache'], 'rediss://cache:6379/0'],
            [['host' => 'tls://cache', 'port' => 7000], 'rediss://cache:7000/0'],
            [['host' => 'ssl://cache'], 'rediss://cache:6379/0'],
            [['host' => 'cache', 'context' => ['stream' => ['verify_peer' => true]]],
                'rediss://cache:6379/0'],
            [['host' => 'tcp://cache', 'context' => ['stream' => []]], 'redis://cache:6379/0'],
            [['host' => 'cache', 'context' => []], 'redis://cache:6379/0'],
            [['host' => 'cache', 'context' => ['auth' => ['me', 'x']]],
                'redis://me:x@cache:6379/0'],
            [['host' => 'cache', 'context' => ['auth' => 'x']], 'redis://:x@cache:6379/0'],
            [['host' => 'cache', 'password' => ['me', 'x']], 'redis://me:x@cache:6379/0'],
            [['host' => '::1'], 'redis://[::1]:6379/0'],
            [['url' => 'redis://me:x%40y@cache:6380/3', 'host' => 'unused', 'database' => '0'],
                'redis://me:x%40y@cache:6380/3'],
            [['url' => 'rediss://cache', 'port' => '6379'], 'rediss://cache:6379/0'],
            [['host' => '/run/redis/a b', 'port' => 0, 'database' => 2],
                'unix:///run/redis/a%20b?db=2'],
            [['scheme' => 'unix', 'path' => '/run/redis', 'password' => 'x'],
                'unix://:x@/run/redis?db=0'],
        ];
    }

    /** @param array<string, mixed> $connection */
    #[DataProvider('connections')]
    public function testAConnectionIsADsnThatTheExtensionTakes(array $connection, string $dsn): void
    {
        self::assertSame($dsn, ConnectionDsn::of(['cache' => $connection], 'cache'));
        self::assertInstanceOf(RedisLock::class, new RedisLock($dsn));
    }

    public function testAConnectionThatDoesNotExistIsNamed(): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage('no connection [locks]');
        ConnectionDsn::of(['cache' => []], 'locks');
    }

    public function testAClusterNeedsServersOfItsOwn(): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage('"servers"');
        ConnectionDsn::of(['clusters' => ['cache' => [['host' => 'a']]]], 'cache');
    }

    /** Predis takes a list of servers, of which it finds the primary, for one connection. */
    public function testSeveralServersOfOneConnectionNeedServersOfTheirOwn(): void
    {
        $sentinels = ['tcp://a:26379', 'tcp://b:26379',
            'options' => ['replication' => 'sentinel', 'service' => 'main']];
        foreach ([$sentinels, ['host' => ['a', 'b']]] as $connection) {
            try {
                $dsn = ConnectionDsn::of(['cache' => $connection], 'cache');
                self::fail("$dsn is another server");
            } catch (InvalidArgumentException $e) {
                self::assertStringContainsString('servers', $e->getMessage());
            }
        }
    }

    public function testTheOptionsOfTlsAreThoseOfPhpredisOrPredis(): void
    {
        $tls = ['cafile' => '/etc/redis/ca.pem'];
        foreach ([['context' => ['stream' => $tls]], ['context' => ['ssl' => $tls]],
            ['ssl' => $tls]] as $client) {
            $connection = ['scheme' => 'tls', 'host' => 'cache'] + $client;
            self::assertSame($tls, ConnectionDsn::tlsOf(['cache' => $connection], 'cache'));
            $connection['scheme'] = 'tcp';
            self::assertSame([], ConnectionDsn::tlsOf(['cache' => $connection], 'cache'));
        }
    }

    public function testThePrefixIsThatOfTheClient(): void
    {
        self::assertSame('', ConnectionDsn::prefixOf(['cache' => []], 'cache'));
        $redis = ['options' => ['prefix' => 'a_'], 'cache' => []];
        self::assertSame('a_', ConnectionDsn::prefixOf($redis, 'cache'));
        $redis['cache'] = ['options' => ['prefix' => 'b_']];
        self::assertSame('b_', ConnectionDsn::prefixOf($redis, 'cache'));
        $redis['cache']['prefix'] = 'c_';
        self::assertSame('c_', ConnectionDsn::prefixOf($redis, 'cache'));
        $redis['cache']['prefix'] = null;
        self::assertSame('b_', ConnectionDsn::prefixOf($redis, 'cache'));
        $redis['cache']['options']['prefix'] = null;
        self::assertSame('', ConnectionDsn::prefixOf($redis, 'cache'), 'as with phpredis');
    }

    public function testThePrefixMayBeInTheUrlOrANumber(): void
    {
        $redis = ['options' => ['prefix' => 'a_'], 'cache' => ['prefix' => 'b_',
            'url' => 'redis://cache:6379?prefix=c_']];
        self::assertSame('c_', ConnectionDsn::prefixOf($redis, 'cache'));
        $redis['cache']['url'] = 'redis://cache:6379?prefix=7';
        self::assertSame('7', ConnectionDsn::prefixOf($redis, 'cache'));
        $redis['cache'] = ['prefix' => 8];
        self::assertSame('8', ConnectionDsn::prefixOf($redis, 'cache'));
    }

    public function testANameMayHaveADot(): void
    {
        $redis = ['options' => ['prefix' => 'a_'], 'tenant.7' => ['prefix' => 'b_',
            'scheme' => 'tls', 'ssl' => ['verify_peer' => false]]];
        self::assertSame('b_', ConnectionDsn::prefixOf($redis, 'tenant.7'));
        self::assertSame(['verify_peer' => false], ConnectionDsn::tlsOf($redis, 'tenant.7'));
    }

    public function testThePrefixOfACluster(): void
    {
        $redis = ['options' => ['prefix' => 'a_'], 'clusters' => ['cache' => [['host' => 'a']]]];
        self::assertSame('a_', ConnectionDsn::prefixOf($redis, 'cache'));
        $redis['clusters']['options'] = ['prefix' => 'b_'];
        self::assertSame('b_', ConnectionDsn::prefixOf($redis, 'cache'));
        $redis['clusters']['cache']['options'] = ['prefix' => 'c_'];
        self::assertSame('c_', ConnectionDsn::prefixOf($redis, 'cache'));
        $redis['cache'] = [];
        self::assertSame('a_', ConnectionDsn::prefixOf($redis, 'cache'));
    }
}
