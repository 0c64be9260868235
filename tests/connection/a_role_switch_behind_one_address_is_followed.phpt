--TEST--
After a role switch behind one address every call continues on the new primary, without an exception, and a lease stays held.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/gateway.inc';
require __DIR__ . '/../inc/waiter.inc';
require __DIR__ . '/../inc/renew.inc';

[$a, $b, $gateway] = start_pair();
$lock = new RedisLock($gateway->dsn(), timeout: slack(1.0), connectTimeout: slack(1.0));

/* Locks that are held during the switch: a token, a renewed lease, and a lease without renewal. */
$token = $lock->acquire('token', 60);
$renewed = $lock->lease('renewed', room(0.9));
$still = $lock->lease('still', 60, renew: false);
renewals_go_on('before the switch');
$waiter = waiter($gateway->dsn(), 'token', ['wait' => 20]);
queued($a, 1);
switch_roles($a, $b, $gateway);

same('acquire() refused', null, $lock->acquire('token'));
same('extend()', true, $lock->extend('token', $token, 50));
between('its TTL is at the new primary', 40000, 50000, $b->cmd('PTTL', 'token'));
same('release()', true, $lock->release('token', $token));
$result = $waiter->result();
check('the waiter gets it', $result['token'] !== null, $result);
$token = $lock->acquire('free', 60);
same('acquire()', $token, $b->cmd('GET', 'free'));
same('a wait for a free lock', true, $lock->acquire('other', 60, 5) !== null);
renewals_go_on('after the switch', 2);
same('the renewed lease is held', [true, true], [$renewed->isHeld(), $renewed->verify()]);
same('it can be released', true, $renewed->release());
same('the other can be extended', true, $still->extend(30));
same('and released', true, $still->release());
same('nothing was lost', 0, lost());

/* Back again: now only pooled connections stand in the way, of each kind of call. */
$calls = [
    'release' => fn ($token) => $lock->release('free', $token),
    'extend' => fn ($token) => $lock->extend('free', $token, 30),
    'acquire' => fn () => $lock->acquire('new', 30) !== null,
    'lease' => fn () => $lock->lease('leased', 30)->release(),
    'synchronized' => fn () => $lock->synchronized('section', fn () => true),
    'forceRelease' => fn () => $lock->forceRelease('free'),
    'a wait' => fn () => $lock->acquire('waited', 30, 5) !== null,
];
foreach ($calls as $name => $call) {
    $b->cmd('FLUSHALL');
    $token = $lock->acquire('free', 60);
    same("$name: it is at the primary", $token, $b->cmd('GET', 'free'));
    switch_roles($b, $a, $gateway);
    same("$name after the switch", true, $call($token));
    [$a, $b] = [$b, $a];
}

/* A destructor, and the end of a section, release at the new primary, too. */
$lease = $lock->lease('dropped', 60);
switch_roles($b, $a, $gateway);
unset($lease);
same('a dropped lease is freed', 0, $a->cmd('EXISTS', 'dropped'));

done();
?>
--EXPECT--
ok
