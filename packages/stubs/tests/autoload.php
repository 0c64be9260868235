<?php

/* The classes of the packages, of the example and of their frameworks, after those of the analyser
   itself. */

declare(strict_types=1);

foreach (['symfony-lock', 'laravel', 'tools', 'testing', 'example'] as $package) {
    $loader = require __DIR__ . "/../../$package/vendor/autoload.php";
    $loader->unregister();
    $loader->register();
}
