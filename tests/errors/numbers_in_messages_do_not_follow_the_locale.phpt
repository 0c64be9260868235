--TEST--
Messages, DSNs and TTLs have a decimal point, even in a locale with a decimal comma.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
if (trim((string) shell_exec('command -v localedef')) === ''
        || !is_file('/usr/share/i18n/locales/de_DE')) {
    die('skip no locale with a comma can be made');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/fake_server.inc';

$server = start_server();
exec('localedef -i de_DE -f UTF-8 ' . escapeshellarg("$server->folder/de_DE.UTF-8") . ' 2>&1',
    $output, $status);
check('the locale was made', is_file("$server->folder/de_DE.UTF-8/LC_NUMERIC"), $output);
$hung = fake_server([rule('*', ['hang'])]);
$full = full_server();
$slow = fake_server([
    rule('SET', ['forward', wait_for(0.3), 'reply']),
    rule('EVAL', ['forward', wait_for(0.3), 'reply']), // takes a lock over
], $server);
$code = <<<'PHP'
    [, $server, $hung, $full, $slow] = $argv;
    if (setlocale(LC_ALL, 'de_DE.UTF-8') === false || sprintf('%.1f', 0.5) !== '0,5') {
        exit('no locale');
    }
    $told = function (callable $call) {
        try {
            $call();
        } catch (Throwable $thrown) {
            echo $thrown->getMessage(), "\n";
        }
    };
    $lock = new RedisLock($server, retryDelay: 0.05);
    $token = $lock->acquire('k', 600.5);
    $told(fn () => $lock->synchronized('k', fn () => 1, wait: 0.05));
    $told(fn () => (new RedisLock($hung, timeout: 0.05))->isLocked('k'));
    $told(fn () => (new RedisLock($full, timeout: 0.05, connectTimeout: 0.05))->isLocked('k'));
    $told(fn () => (new RedisLock($slow))->acquire('slow', 0.25));
    $told(fn () => (new RedisLock($slow))->resume('over', $lock->acquire('over'), 0.25));
    ob_start();
    phpinfo(INFO_MODULES);
    preg_match('~^wait_time => .*$~m', ob_get_clean(), $m);
    echo $m[0], "\n", $lock->remaining('k') > 480, "\n";
    PHP;
$seen = run_php($code, [$server->dsn('?timeout=1.5'), $hung->dsn(), $full->dsn(),
    $slow->dsn('?timeout=' . slack(1.0))], [],
    ['LOCPATH' => $server->folder, 'LC_ALL' => '']);
matches('synchronized()', '~ within 0\.05 s~', $seen);
matches('an answer', '~no answer within 0\.05 s \(timeout\)~', $seen);
matches('a connect', '~no connection within 0\.05 s \(connectTimeout\)~', $seen);
matches('a slow grant',
    '~granted after \d+\.\d+ s, which leaves nothing of its TTL of 0\.25 s~', $seen);
matches('a slow take-over',
    '~taken over after \d+\.\d+ s, which leaves nothing of its TTL of 0\.25 s~', $seen);
matches('phpinfo()', '~^wait_time => \d+, \d+\.\d{3} s in all$~m', $seen);
check('no comma', !preg_match('~\d,\d~', $seen), $seen);
matches('the TTL', '~^1$~m', $seen);

done();
?>
--EXPECT--
ok
