--TEST--
A cold acquire() puts the handshake and the SET into one write.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

foreach ([true, false] as $unix) {
    $fake = fake_server([rule('*', ['hang'])], unix: $unix);
    $lock = new RedisLock($fake->dsn($unix ? '?db=3' : '/3', 'shop:pw'), timeout: 0.2);
    throws('nothing is answered', 'RedisLockConnectionException', '~.~',
        fn () => $lock->acquire('stock:42', 1.2349));

    $seen = $fake->commands();
    same('first commands', ['AUTH shop pw', 'SELECT 3', 'SET stock:42 TOKEN NX PX 1234',
        'CLIENT SETNAME redislock:LABEL'], array_slice($fake->lines(), 0, 4));
    same('they came in one piece', 1,
        count(array_unique(array_column(array_slice($seen, 0, 4), 'chunk'))));
}

done();
?>
--EXPECT--
ok
