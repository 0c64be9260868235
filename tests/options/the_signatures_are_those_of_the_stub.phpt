--TEST--
The class has the methods, parameters, defaults and exceptions of its stub, and no others.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$class = new ReflectionClass('RedisLock');
$methods = array_map(fn ($method) => $method->name, $class->getMethods());
sort($methods);
same('methods', ['__construct', 'acquire', 'advance', 'close', 'extend', 'findKeys', 'flushMemory',
    'forceRelease', 'inspect', 'inspectAll', 'isLocked', 'lease', 'onContention', 'once',
    'owner', 'release', 'remaining', 'resume', 'stats', 'synchronized', 'token', 'waitWith'],
    $methods);
$signature = fn (string $method) => implode(', ',
    array_map(fn ($p) => "$p->name"
        . ($p->isOptional() ? ' = ' . var_export($p->getDefaultValue(), true) : ''),
    $class->getMethod($method)->getParameters()));
same('__construct',
    'servers = NULL, prefix = NULL, timeout = 1.0, connectTimeout = 1.0, retryDelay = 0.01, '
    . 'retryMaxDelay = 0.2, jitter = 0.2, retries = NULL, outageWait = NULL, wake = true, '
    . "persistent = true, reentrant = false, driftFactor = 0.01, label = NULL, tls = array (\n)",
    $signature('__construct'));
same('acquire', 'key, ttl = 30.0, wait = 0.0, token = NULL, abort = NULL', $signature('acquire'));
same('release', 'key, token', $signature('release'));
same('extend', 'key, token, ttl', $signature('extend'));
same('lease',
    'key, ttl = 30.0, wait = 0.0, renew = true, maxHold = NULL, onLoss = NULL, token = NULL, '
    . 'abort = NULL, slots = 1',
    $signature('lease'));
same('resume', 'key, token, ttl = 30.0, renew = true, maxHold = NULL, onLoss = NULL',
    $signature('resume'));
same('advance', 'seconds', $signature('advance'));
same('flushMemory', '', $signature('flushMemory'));
same('stats', 'all = false', $signature('stats'));
same('waitWith', 'waiter', $signature('waitWith'));
same('synchronized',
    'key, section, ttl = 30.0, wait = 0.0, renew = true, maxHold = NULL, onLoss = NULL, '
    . 'abort = NULL, slots = 1',
    $signature('synchronized'));
same('once',
    'key, section, for, ttl = 30.0, wait = 0.0, renew = true, maxHold = NULL, onLoss = NULL, '
    . 'abort = NULL',
    $signature('once'));

/* stats() has the keys that its documentation has, in its list and in the shape of its array. */
$stub = file_get_contents(__DIR__ . '/../../stubs/redislock.stub.php');
$text = strstr(strstr($stub, 'Returns numbers of this process'), 'function stats', true);
preg_match('~@return array\{(.*?)\}\}\n~s', $text, $shape);
$shape = preg_replace('~array\{[^}]*\}?~', 'array', $shape);
preg_match_all('~(\w+): (int|array)~', $shape[1], $keys);
preg_match_all('~^ +\* - (\w+(?:, \w+)*): ~m', $text, $listed);
$listed = explode(', ', implode(', ', $listed[1]));
$counters = array_keys(RedisLock::stats());
sort($counters);
sort($keys[1]);
sort($listed);
same('counters', $counters, $keys[1]);
same('counters in the list', $counters, $listed);

same('final', false, $class->isFinal());
same('properties', [], $class->getProperties());
foreach (['RedisLockException' => 'RuntimeException',
    'RedisLockConnectionException' => 'RedisLockException',
    'RedisLockServerException' => 'RedisLockException',
    'RedisLockTimeoutException' => 'RedisLockException',
    'RedisLockLostException' => 'RedisLockException'] as $name => $parent) {
    same($name, $parent, get_parent_class($name));
}
same('reasons of an exception made by hand', [], (new RedisLockException('x', 3))->getReasons());
same('code of an error made by hand', '', (new RedisLockServerException('x'))->getErrorCode());

done();
?>
--EXPECT--
ok
