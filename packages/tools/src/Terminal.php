<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/** The size of the terminal, which may change at any time. */
final class Terminal
{
    /** @return int|null null = the output goes to a file or a pipe, and no line need be cut */
    public static function columns(): ?int
    {
        return self::fromEnvironment('COLUMNS') ?? self::fromDevice(1);
    }

    public static function rows(): int
    {
        return self::fromEnvironment('LINES') ?? self::fromDevice(0) ?? 24;
    }

    private static function fromEnvironment(string $name): ?int
    {
        $size = (int) getenv($name);
        return $size > 0 ? $size : null;
    }

    /** @param 0|1 $which rows or columns; some terminals call both 0 */
    private static function fromDevice(int $which): ?int
    {
        if (!stream_isatty(STDOUT)) {
            return null;
        }
        /* Not tput, which asks its standard error, or else the terminal's description. */
        $words = explode(' ', (string) exec('stty size 2>/dev/null </dev/tty'));
        return (int) ($words[$which] ?? 0) ?: [24, 80][$which];
    }
}
