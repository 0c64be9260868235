--TEST--
No dump, export, cast or encoding of an object shows a password or a token.
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

$server = start_server(['requirepass' => 'S3CRET-password']);
$lock = new RedisLock($server->dsn('', ':S3CRET-password'));
$token = $lock->acquire('k', token: 'S3CRET-token');
class Shop extends RedisLock
{
    public string $name = 'shop';
}
foreach ([$lock, new Shop($server->dsn('', ':S3CRET-password')),
        new RedisLock(['redis://user:S3CRET-password@127.0.0.1:1'])] as $object) {
    ob_start();
    var_dump($object);
    var_dump((array) $object, get_object_vars($object), get_mangled_object_vars($object));
    print_r($object);
    var_export($object);
    debug_zval_dump($object);
    echo json_encode($object), http_build_query(['x' => $object]), new ReflectionObject($object);
    foreach ($object as $name => $value) {
        echo $name, $value;
    }
    try {
        echo serialize($object);
    } catch (Exception $thrown) {
        echo $thrown;
    }
    $seen = ob_get_clean();
    check('something was shown', strlen($seen) > 100);
    check('no secret', !str_contains($seen, 'S3CRET'), $seen);
}
same('properties', [], get_mangled_object_vars($lock));

done();
?>
--EXPECT--
ok
