--TEST--
Every class, method, argument of the constructor and ini setting stands on some page of the docs, and the names that are taken and the gauges on theirs.
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

$text = implode('', array_map(file_get_contents(...), glob(__DIR__ . '/../../docs/*.md')));
/* In code, which is between backquotes on one line, or in a block. */
preg_match_all('~^```\w.*?^```$|`[^`\n]+`~ms', $text, $m);
$code = implode("\n", $m[0]);
$extension = new ReflectionExtension('redislock');
$names = array_keys($extension->getINIEntries());
foreach ($extension->getClasses() as $class) {
    $names[] = "$class->name\\b";
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        if ($method->getDeclaringClass() == $class && !in_array($method->name, ['__construct',
            'cases', 'from', 'tryFrom'], true)) {
            $names[] = "$method->name\\(";
        }
    }
    foreach ($class->getReflectionConstants() as $constant) {
        $names[] = "$constant->name\\b";
    }
}
foreach ((new ReflectionMethod('RedisLock', '__construct'))->getParameters() as $parameter) {
    $names[] = "$parameter->name\\b";
}
check('names', count($names) > 50, count($names));
foreach ($names as $name) {
    check("the docs have $name", preg_match("~\b$name~", $code) === 1);
}

/* The classes that a class of the reader may collide with. */
$root = __DIR__ . '/../..';
foreach (['from-the-articles.md', 'zh-CN/from-the-articles.md'] as $page) {
    $text = file_get_contents("$root/docs/$page");
    foreach (array_keys($extension->getClasses()) as $class) {
        check("$page has $class",
            is_subclass_of($class, 'RedisLockException') || str_contains($text, "`$class`"));
    }
}

/* The page says what each method means on several servers. */
$text = file_get_contents("$root/docs/redlock.md");
foreach ([...get_class_methods('RedisLock'), 'verify', 'fence'] as $method) {
    if (!in_array($method, ['__construct', 'token', 'stats', 'advance', 'flushMemory', 'waitWith',
            'onContention', 'close'], true)) {
        check("redlock.md has $method", preg_match("~^\\|.*`$method`.* \\|~m", $text) === 1);
    }
}

/* The stub and the page agree on what a gauge is. */
preg_match('~\* Gauges:\n(.*?)\* Counters:~s',
    file_get_contents("$root/stubs/redislock.stub.php"), $stub);
preg_match('~^Gauges .*?^Counters ~ms', file_get_contents("$root/docs/monitoring.md"), $page);
preg_match_all('~\* - (\w+):~', $stub[1], $in_stub);
preg_match_all('~^\| `(\w+)` \|~m', $page[0], $on_page);
same('gauges', $in_stub[1], $on_page[1]);

done();
?>
--EXPECT--
ok
