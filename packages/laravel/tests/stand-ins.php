<?php

/* What Laravel 12 and Carbon use of symfony/polyfill-php85 and symfony/clock, for a vendor folder
   without these packages: see scripts/packages. */

declare(strict_types=1);

if (!function_exists('array_first')) {
    /** @param array<mixed> $array */
    function array_first(array $array): mixed
    {
        return $array === [] ? null : $array[array_key_first($array)];
    }
}

if (!function_exists('array_last')) {
    /** @param array<mixed> $array */
    function array_last(array $array): mixed
    {
        return $array === [] ? null : $array[array_key_last($array)];
    }
}

if (!interface_exists(Symfony\Component\Clock\ClockInterface::class)
    && interface_exists(Psr\Clock\ClockInterface::class)) {
    require __DIR__ . '/stand-in-clock.php';
}
