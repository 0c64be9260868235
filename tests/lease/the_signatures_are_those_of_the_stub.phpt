--TEST--
The methods of leases have the signatures of the stub.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$shown = function (string $class): array {
    $methods = [];
    foreach ((new ReflectionClass($class))->getMethods() as $method) {
        $parameters = array_map(function (ReflectionParameter $p): string {
            $default = $p->isDefaultValueAvailable()
                ? ' = ' . json_encode($p->getDefaultValue(), JSON_PRESERVE_ZERO_FRACTION) : '';
            $secret = $p->getAttributes('SensitiveParameter') === [] ? ''
                : '#[\SensitiveParameter] ';
            return "$secret{$p->getType()} \${$p->getName()}$default";
        }, $method->getParameters());
        $type = $method->hasReturnType() ? ': ' . $method->getReturnType() : '';
        $methods[$method->getName()] = '(' . implode(', ', $parameters) . ")$type";
    }
    return $methods;
};
same('RedisLockLease', [
    '__construct' => '()',
    'key' => '(): string',
    'keys' => '(): array',
    'slot' => '(): int',
    'token' => '(): string',
    'remaining' => '(): float',
    'isHeld' => '(): bool',
    'assertHeld' => '(): void',
    'verify' => '(): bool',
    'extend' => '(float $ttl): bool',
    'release' => '(): bool',
    'detach' => '(): string',
    'fence' => '(?string $key = null): int',
    'heldFor' => '(): float',
    'waited' => '(): float',
    'attempts' => '(): int',
    'loss' => '(): ?RedisLockLoss',
], $shown('RedisLockLease'));
same('RedisLock', [
    'lease' =>
        '(array|string $key, float $ttl = 30.0, float $wait = 0.0, bool $renew = true, ?float $maxHold = null, ?callable $onLoss = null, #[\SensitiveParameter] ?string $token = null, ?callable $abort = null, int $slots = 1): ?RedisLockLease',
    'resume' =>
        '(string $key, #[\SensitiveParameter] string $token, float $ttl = 30.0, bool $renew = true, ?float $maxHold = null, ?callable $onLoss = null): ?RedisLockLease',
    'synchronized' =>
        '(array|string $key, callable $section, float $ttl = 30.0, float $wait = 0.0, bool $renew = true, ?float $maxHold = null, ?callable $onLoss = null, ?callable $abort = null, int $slots = 1): mixed',
], array_intersect_key($shown('RedisLock'), ['lease' => 0, 'resume' => 0, 'synchronized' => 0]));
same('getResult()', '(): mixed', $shown('RedisLockLostException')['getResult']);

done();
?>
--EXPECT--
ok
