<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/** JSON in one line of ASCII, which no terminal takes for an escape sequence. */
final class Json
{
    /** @param array<string, mixed> $fields */
    public static function line(array $fields): string
    {
        return json_encode($fields, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE
            | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION) . "\n";
    }
}
