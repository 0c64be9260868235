--TEST--
Of several servers some may use TLS: a quorum of both kinds takes, renews, waits for and frees a lock.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_tls();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';
require __DIR__ . '/../inc/members.inc';
require __DIR__ . '/../inc/renew.inc';
require __DIR__ . '/../inc/waiter.inc';

$ca = new_authority();
$members = new Members([start_tls_server($ca), start_server(tcp: true), start_tls_server($ca),
    start_server(), start_tls_server($ca, 'DNS:cache.test')]);
[$first, $second, $third, $fourth, $fifth] = $members->servers;
$dsns = [$first->tlsDsn(), $second->tcpDsn(), $third->tlsDsn(), $fourth->dsn(),
    $fifth->tlsDsn('?ssl[peer_name]=cache.test')];
$options = ['timeout' => slack(0.5), 'connectTimeout' => slack(1.0),
    'tls' => ['cafile' => $ca->file]];
$lock = new RedisLock($dsns, ...$options);

$token = $lock->acquire('k', 30);
/* The call may be over before the last handshake is. */
eventually('acquire(): all hold it', fn () => $members->holding('k', (string) $token) === 5);
same('extend()', true, $lock->extend('k', $token, 40));
same('owner()', $token, $lock->owner('k'));
same('release()', true, $lock->release('k', $token));
$members->empty('release()');

/* A wait, and a lease that is renewed. */
$ttl = room(0.9);
$lease = $lock->lease('k', $ttl);
eventually('the third has it', fn () => $members->holding('k', $lease->token(), [2]) === 1);
stays_held('a lease', $third, $lease, 5 / 3 * $ttl);
$waiter = waiter($dsns, 'k', [], $options, fn ($lock, $token) => $lock->release('k', $token));
eventually('it waits', fn () => array_filter($members->servers,
    fn ($server) => $server->client()->info('clients')['blocked_clients'] > 0) !== []);
$watch = new Stopwatch();
$released = now();
same('release()', true, $lease->release());
$result = $waiter->result();
matches('the waiter', TOKEN, (string) ($result['token'] ?? ''));
$watch->within('seconds after the release', slack(0.3), 0, ($result['at'] ?? 0) - $released);
same('and freed it', true, $result['then'] ?? null);
$members->empty('the waiter');

/* A minority that is dead, hung, or not to be trusted is done without, whichever kind it is. */
$members->kill(0);
$members->pause(3);
$token = $lock->acquire('k', 30);
$members->hold('a dead and a hung one', 'k', $token, [1, 2, 4]);
same('release()', true, $lock->release('k', (string) $token));
$members->resume(3);
$members->start(0);
$members->empty('a dead and a hung one');
$distrustful = new RedisLock($dsns, ...['tls' => ['cafile' => new_authority()->file]] + $options);
$thrown = throws('three of five are not trusted', 'RedisLockConnectionException',
    '~no quorum.*not accepted.*ssl\[cafile\]~', fn () => $distrustful->acquire('k', wait: 5), 1.0);
same('reasons', [$first->tlsDsn(), $third->tlsDsn(), $fifth->tlsDsn()],
    array_keys($thrown?->getReasons() ?? []));
$members->empty('three of five are not trusted');
$dsns[4] = $fifth->tlsDsn();
$dsns[2] = $third->tlsDsn('?ssl[min_version]=1.3&ssl[ciphers]=HIGH');
$lock = new RedisLock($dsns, ...$options);
$token = $lock->acquire('k', 30);
eventually('one is not trusted: a quorum holds it',
    fn () => $members->holding('k', (string) $token) >= $members->quorum());
same('release()', true, $lock->release('k', (string) $token));
$members->empty('one is not trusted');

/* One server by both ports counts as two members, like a server with two names. */
$pair = [start_tls_server($ca, tcp: true)];
$lock = new RedisLock([$pair[0]->tlsDsn(), $pair[0]->tcpDsn()], ...$options);
same('one server twice', null, $lock->acquire('k'));
eventually('one server twice: keys', fn () => $pair[0]->locks() === []);

done();
?>
--EXPECT--
ok
