--TEST--
redislock run ends its command by SIGTERM, and after --grace by SIGKILL, when the lock is lost, and exits with 79.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
skip_by_topology('the key is looked at on one server');
?>
--FILE--
<?php
require __DIR__ . '/../inc/tool.inc';

$server = start_server();
$start = function (string $script, string ...$options) use ($server): PhpChild {
    $tool = start_tool($server->dsn('?timeout=0.2'), 'run', 'k', ...$options,
        ...['--', 'sh', '-c', "echo ready; $script"]);
    $tool->expect('~ready~');
    return $tool;
};
$waits = 'while :; do sleep 0.05; done';
$ttl = '--ttl=' . room(1.5);

$tool = $start("trap 'echo stopped; exit 0' TERM; $waits", $ttl);
$server->cmd('DEL', 'k');
matches('deleted', '~^ready\nredislock: the lock "k" was lost \(Deleted\);'
    . ' the command gets SIGTERM, and SIGKILL in 10 s\nstopped\n$~', $tool->output());
same('exit code', 79, $tool->status());

$tool = $start("trap 'echo no' TERM; $waits", $ttl, '--grace=0.5');
$server->cmd('SET', 'k', 'another', 'PX', 60000);
$at = now();
matches('SIGKILL', '~was lost \(TakenOver\).*in 0.5 s\nno\n$~', $tool->output());
check('after the grace', now() - $at >= 0.5, now() - $at);
same('exit code', 79, $tool->status());
same('the lock of another', 'another', $server->cmd('GET', 'k'));
$server->cmd('DEL', 'k');

$tool = $start('exec sleep 100', '--ttl=600', '--max-hold=' . room(0.5));
$at = now();
matches('--max-hold', '~was lost \((MaxHold|Expired)\)~', $tool->output());
check('after --max-hold', now() - $at < slack(60), now() - $at);
same('exit code', 79, $tool->status());

/* The command ends before the loss is noticed. */
$tool = $start('read line; exit 3');
$server->cmd('DEL', 'k');
$tool->tell('');
matches('at the end', '~^ready\nredislock: the lock "k" was lost before the command ended'
    . ' with exit code 3\n$~', $tool->output());
same('exit code', 79, $tool->status());

$tool = $start('exec sleep 100', '--ttl=' . room(1.0));
$server->pause();
matches('the server hangs', '~was lost \(Expired\)~', $tool->output());
same('exit code', 79, $tool->status());
$server->resume();
eventually('the server has no lock', fn () => $server->locks() === []);

/* The release fails: the work was done under the lock. */
$tool = $start('read line; exit 6');
$server->kill();
$tool->tell('');
matches('no server at the end', '~^ready\nredislock: the command has ended, but its'
    . ' lock "k" could not be freed, and ends at its TTL: .+\n$~', $tool->output());
same('exit code', 6, $tool->status());

done();
?>
--EXPECT--
ok
