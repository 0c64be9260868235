--TEST--
A new connection uses the certificates that are in the files now, and no session of before.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
skip_without_tls();
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';

/** Puts the contents into a file, as a program does that takes care: by renaming another file. */
function replace_file(string $file, string ...$from): void
{
    file_put_contents("$file.new", implode('', array_map('file_get_contents', $from)));
    rename("$file.new", $file);
}

$patience = ['timeout' => slack(1.0), 'connectTimeout' => slack(1.0)];
$folder = removed_folder();
[$ca, $next] = [new_authority('CA of this year'), new_authority('CA of the next year')];
$server = start_tls_server($ca);
$moved = start_tls_server($next);
$gateway = new Gateway("tcp://127.0.0.1:$server->tlsPort");

/* The CA changes: first both are trusted, then the new one alone. */
replace_file("$folder/ca.pem", $ca->file);
$lock = new RedisLock("rediss://127.0.0.1:$gateway->port", ...$patience,
    tls: ['cafile' => "$folder/ca.pem"]);
$call = function () use ($lock): bool {
    $lock->close();
    return $lock->isLocked('k');
};
$refused = fn (string $what) =>
    throws($what, 'RedisLockConnectionException', '~not accepted.*ssl\[cafile\]~', $call);
same('before', false, $call());
same('resumed', false, $call());
$gateway->leadToAddress("tcp://127.0.0.1:$moved->tlsPort");
$refused('the new CA is unknown');
replace_file("$folder/ca.pem", $ca->file, $next->file);
same('the new CA is known', false, $call());
$gateway->leadToAddress("tcp://127.0.0.1:$server->tlsPort");
same('and so is the old one', false, $call());
same('resumed again', false, $call());
replace_file("$folder/ca.pem", $next->file);
$refused('the old CA is trusted no more');
$before = RedisLock::stats()['tls_resumed'];
$gateway->leadToAddress("tcp://127.0.0.1:$moved->tlsPort");
same('the new one is', false, $call());
same('without a session of before', $before, RedisLock::stats()['tls_resumed']);

/* Files that cannot be read any more: this process goes on with the files of before, and another
 * process does not begin. */
unlink("$folder/ca.pem");
same('no file', false, $call());
file_put_contents("$folder/ca.pem", 'half a');
same('half a file', false, $call());
matches('another process', '~ValueError: .*cafile: it has no usable certificate~',
    run_php('new RedisLock($argv[1]);', [$moved->tlsDsn("?ssl[cafile]=$folder/ca.pem")]));
replace_file("$folder/ca.pem", $ca->file);
$refused('a whole file of another CA');

/* A client certificate is renewed, with its key. */
$strict = start_tls_server($ca, config: ['tls-auth-clients' => 'yes']);
$make = function (int $to) use ($ca, $folder): void {
    [$certificate, $key] = $ca->issue(name: 'web-3', from: -9, to: $to);
    replace_file("$folder/key.pem", $key);
    replace_file("$folder/cert.pem", $certificate);
};
$make(to: -1);
$lock = new RedisLock($strict->tlsDsn(), ...$patience, tls: ['cafile' => $ca->file,
    'local_cert' => "$folder/cert.pem", 'local_pk' => "$folder/key.pem"]);
throws('an expired certificate', 'RedisLockConnectionException', '~certificate expired~', $call =
    fn () => $lock->isLocked('k'));
$make(to: 1);
same('a new one', false, $call());
for ($day = 0; $day < 3; $day++) {
    /* In between the key does not fit. */
    [$certificate, $key] = $ca->issue(name: 'web-3');
    replace_file("$folder/cert.pem", $certificate);
    $lock->close();
    same("day $day: half of it", false, $call());
    replace_file("$folder/key.pem", $key);
    $lock->close();
    same("day $day: all of it", false, $call());
}

/* A lease is renewed meanwhile, on connections of its own. */
$lease = $lock->lease('k', room(0.6));
$make(to: 1);
$strict->client();
foreach ($strict->client()->clients() as $client) {
    $strict->cmd('CLIENT', 'KILL', 'ID', $client['id']);
}
usleep((int) (1e6 * room(1.0)));
same('the lease is held', true, $lease->verify());
same('and freed', true, $lease->release());

done();
?>
--EXPECT--
ok
