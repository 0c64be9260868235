--TEST--
Sections that are lost or time out, and failed calls of resume(), leak no memory.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_under_valgrind();
?>
--FILE--
<?php
require __DIR__ . '/../inc/lease.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
$server->cmd('SET', 'taken', 'somebody');
final class Many
{
    public function __call(string $name, array $args): string
    {
        return str_repeat('x', 1000);
    }
}
$many = new Many();
$work = function (int $times) use ($lock, $server, $many): void {
    for ($i = 0; $i < $times; $i++) {
        try {
            $lock->synchronized('taken', [$many, 'magic']);
        } catch (RedisLockTimeoutException) {
        }
        try {
            $lock->synchronized('k', function () use ($server): string {
                $server->cmd('DEL', 'k');
                return str_repeat('x', 1000);
            });
        } catch (RedisLockLostException $thrown) {
            $thrown->getResult();
        }
        unset($thrown);
        $lock->synchronized('k', [$many, 'magic']);
        $ignored = $lock->resume('taken', 'not mine');
        $ignored = $lock->lease('k')->detach();
        $server->cmd('DEL', 'k');
    }
};
$work(200);
$memory = memory_get_usage();
$work(2000);
between('PHP', 0, 4096, abs(memory_get_usage() - $memory));

done();
?>
--EXPECT--
ok
