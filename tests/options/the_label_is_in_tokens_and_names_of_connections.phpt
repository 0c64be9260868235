--TEST--
Drawn tokens end in the label, and connections are named by it: the argument, the INI setting, or host:pid.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/server.inc';

$server = start_server();
$names = function () use ($server): array {
    preg_match_all('~ name=(redislock\S*)~', $server->cmd('CLIENT', 'LIST'), $found);
    return array_values(array_unique($found[1]));
};
$label = fn (?string $token): string => substr(strstr((string) $token, '@'), 1);
$default = gethostname() . ':' . getmypid();
same('token() by default', $default, $label(RedisLock::token()));
$lock = new RedisLock($server->dsn(), persistent: false);
$token = $lock->acquire('k');
matches('acquire()', TOKEN, (string) $token);
same('acquire() by default', $default, $label($token));
same('the name by default', ["redislock:$default"], $names());
same('its length', 29 + strlen($default), strlen($token));
same('the key has the same', $token, $server->cmd('GET', 'k'));
same('release()', true, $lock->release('k', $token));
unset($lock);

ini_set('redislock.label', 'web-3');
same('token() by the INI setting', 'web-3', $label(RedisLock::token()));
$lock = new RedisLock($server->dsn(), persistent: false);
ini_set('redislock.label', 'other');
$lease = $lock->lease('k', room(0.3));
same('an object keeps its label', 'web-3', $label($lease->token()));
$renewals = RedisLock::stats()['renewed'];
eventually('it is renewed', fn () => RedisLock::stats()['renewed'] > $renewals);
same('all connections, also the one for renewals', ['redislock:web-3'], $names());
same('detach() and resume()', 'web-3', $label($lock->resume('k', $lease->detach())->token()));
unset($lock, $lease);
RedisLock::stats();

$long = str_repeat('~', 64);
$lock = new RedisLock($server->dsn(), label: $long, persistent: false);
same('the argument wins', $long, $label($token = $lock->acquire('k')));
same('a long label: release()', true, $lock->release('k', $token));
check('a long label: the name', in_array("redislock:$long", $names(), true), $names());
same('a caller\'s own token stays as it is', 'own', $lock->acquire('k', token: 'own'));
same('with a wait, too', null, $lock->acquire('k', wait: 0.05, token: 'mine'));
same('keys', ['0:k'], $server->keys());

done();
?>
--EXPECT--
ok
