<?php

/* The classes of packages/revolt, the rule of this package, and the analyser's strict rules. */

declare(strict_types=1);

require __DIR__ . '/../../revolt/vendor/autoload.php';
require __DIR__ . '/../src/UnkeptLeaseVisitor.php';
require __DIR__ . '/../src/UnkeptLeaseRule.php';
spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/../vendor/phpstan/phpstan-strict-rules/src/'
        . strtr(substr($class, strlen('PHPStan\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'PHPStan\\') && is_file($file)) {
        require $file;
    }
});
