--TEST--
The example of fencing loses a withdrawal without a number, and none with it.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../inc/renew.inc';
skip_without_server();
skip_without_fences();
if (ini_of_extension('pdo') === null || ini_of_extension('pdo_sqlite') === null) {
    die('skip no pdo_sqlite');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

$folder = test_folder();
$php = php_command(ini_of_extension('pdo'));
foreach (ini_of_extension('pdo_sqlite') as $name => $path) {
    $php .= " -d $name=" . escapeshellarg($path);
}
$program = escapeshellarg(__DIR__ . '/../../examples/fencing.php');
$output = (string) shell_exec("TMPDIR=$folder $php $program 2>&1; echo \"status \$?\"");
matches('without a number', '~^without a fencing number +60 +90  was accepted$~m', $output);
matches('with a number', '~^with fence\(\) +60 +60  was refused, ~m', $output);
matches('its status', '~^status 0$~m', $output);
check('nothing is left of its server', rmdir($folder));

done();
?>
--EXPECT--
ok
