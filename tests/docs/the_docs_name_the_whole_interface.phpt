--TEST--
Every class, method, argument of the constructor and ini setting stands on some page of the docs.
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

done();
?>
--EXPECT--
ok
