--TEST--
With open_basedir the client's certificate and key must be inside of it, and no message tells what is outside.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/tls.inc';
extension_has_tls() || die('skip redislock was built without TLS');
skip_without_openssl_command();
ini_get('opcache.enable_cli') && die('skip the code of the other process would be a file outside');
?>
--FILE--
<?php
require __DIR__ . '/../inc/tls.inc';

$folder = removed_folder();
$ca = new_authority();
[$cert, $key] = $ca->issue('DNS:h');
mkdir("$folder/in");
mkdir("$folder/out");
foreach (['in', 'out'] as $place) {
    copy($ca->file, "$folder/$place/ca.pem");
    copy($cert, "$folder/$place/cert.pem");
    copy($key, "$folder/$place/key.pem");
    file_put_contents("$folder/$place/text", 'no certificate');
    mkdir("$folder/$place/certs");
}
touch("$folder/out/unreadable");
chmod("$folder/out/unreadable", 0);
symlink("$folder/out/cert.pem", "$folder/in/link");

/* Makes an object in every way in which options come, and prints what is said of each. */
const PROGRAM = <<<'PHP'
    $said = [];
    foreach (json_decode($argv[1], true) as $name => $options) {
        $query = http_build_query(['ssl' => $options]);
        $ways = [
            fn () => new RedisLock("rediss://h?$query"),
            fn () => new RedisLock(['redis://g', "rediss://h?$query", 'redis://i']),
            fn () => new RedisLock('rediss://h', tls: $options),
            fn () => new RedisLock("rediss-sentinel://h/main?$query"),
            fn () => new RedisLock("rediss-cluster://h?$query"),
            fn () => ini_set('redislock.servers', "rediss://h?$query") !== false && new RedisLock(),
        ];
        foreach ($ways as $way) {
            try {
                $way();
                $said[$name][] = 'ok';
            } catch (ValueError $thrown) {
                $said[$name][] = strstr($thrown->getMessage(), 'the TLS option')
                    ?: $thrown->getMessage();
            }
        }
    }
    echo json_encode($said), "\n";
    PHP;

$in = ['local_cert' => "$folder/in/cert.pem", 'local_pk' => "$folder/in/key.pem"];
$rows = [
    'all inside' => $in + ['cafile' => "$folder/in/ca.pem"],
    'nothing there, inside' => ['local_cert' => "$folder/in/none"] + $in,
    'no certificate, inside' => ['cafile' => "$folder/in/text"],
    'the CA outside' => $in + ['cafile' => "$folder/out/ca.pem"],
    'a folder of CAs outside' => $in + ['capath' => "$folder/out/certs"],
];
foreach (['ca.pem', 'cert.pem', 'key.pem', 'text', 'unreadable', 'certs', 'none', 'none/none']
        as $file) {
    $rows["local_cert: $file"] = ['local_cert' => "$folder/out/$file"];
    $rows["local_pk: $file"] = ['local_pk' => "$folder/out/$file"] + $in;
    $rows["cafile: $file"] = ['cafile' => "$folder/out/$file"];
    $rows["capath: $file"] = ['capath' => "$folder/out/$file"];
}
unset($rows['cafile: ca.pem'], $rows['cafile: cert.pem'], $rows['capath: certs']);
$rows['local_cert: a link'] = ['local_cert' => "$folder/in/link"] + $in;
$rows['local_cert: dots'] = ['local_cert' => "$folder/in/../out/cert.pem"] + $in;

$said = run_php(PROGRAM, [json_encode($rows)], ['open_basedir' => "$folder/in"]);
$said = json_decode($said, true);
$refused = 'the TLS option %s: the file is outside of open_basedir';
$hidden = 'the TLS option %s: no certificate can be read there; it is outside of open_basedir, '
    . 'so no reason is given';
$wanted = ['all inside' => 'ok', 'the CA outside' => 'ok', 'a folder of CAs outside' => 'ok',
    'nothing there, inside' => "the TLS option local_cert: cannot read $folder/in/none: "
        . 'No such file or directory',
    'no certificate, inside' => 'the TLS option cafile: it has no usable certificate: '
        . 'no certificate or crl found'];
foreach (array_keys($rows) as $name) {
    $option = strtok($name, ':');
    $one = $wanted[$name]
        ?? sprintf(str_starts_with($option, 'local') ? $refused : $hidden, $option);
    same($name, array_fill(0, 6, $one), $said[$name] ?? null);
}

/* The certificates of the system are those that the environment names. */
$system = run_php('foreach (["none", "text", "key.pem"] as $file) {
    putenv("SSL_CERT_FILE=$argv[1]/out/$file");
    try {
        new RedisLock("rediss://h");
    } catch (ValueError $thrown) {
        $said[$thrown->getMessage()] = true;
    }
}
echo count($said), " ", key($said), "\n";', [$folder], ['open_basedir' => "$folder/in"]);
matches('the system', '~^1 .*trusted certificates cannot be read~', $system);

done();
?>
--EXPECT--
ok
