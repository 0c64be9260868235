--TEST--
Under FPM the page of examples/locks.php has its password from the pool, and its pictures have the times of all workers.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/page.inc';
require __DIR__ . '/../inc/fpm.inc';
skip_without_page();
skip_without_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../inc/page.inc';
require __DIR__ . '/../inc/fpm.inc';

$server = start_server();
$fpm = start_fpm($server, [],
    ['pm.max_children' => 4, 'env[REDISLOCK_PAGE_PASSWORD]' => 'secret']);
/* The name and password of HTTP Basic, as PHP has taken them from the header. */
$code = '$_SERVER["PHP_AUTH_PW"] = $_GET["password"];
    require ' . var_export(realpath(__DIR__ . '/../../examples/locks.php'), true) . ';';

$holders = [];
for ($i = 0; $i < 3; $i++) {
    $holders[] = $fpm->start('
        $lease = (new RedisLock(label: "worker"))->lease("of worker $_GET[n]", wait: 5);
        echo "held\n";
        flush();
        for (; !is_file($_GET["end"]); clearstatcache(), usleep(2000));',
        ['n' => $i, 'end' => "$server->folder/end"])->expect('~held~');
}
$page = $fpm->run($code, ['password' => 'secret'])->body;
same('locks', 3, preg_match_all('~<bdi>of worker \d</bdi><td><bdi>worker</bdi>~', $page));
matches('numbers', '~<h2>Numbers of 4 processes of this PHP</h2><ul><li>held <b>3</b>'
    . '<li>waiting <b>0</b><li>acquired <b>3</b>~', $page);
matches('the waits of three workers', '~<figcaption>Waits</figcaption>.*?<p>3, mean ~s', $page);
touch("$server->folder/end");
foreach ($holders as $holder) {
    $holder->finish();
}
$page = $fpm->run($code, ['password' => 'secret'])->body;
matches('their holds', '~<figcaption>Holds</figcaption>.*?<p>3, mean ~s', $page);
matches('another password', '~^Status: 401~mi', $fpm->run($code, ['password' => 'other'])->headers);

done();
?>
--EXPECT--
ok
