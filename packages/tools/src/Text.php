<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/** Text for a terminal. */
final class Text
{
    /** Characters of two columns: CJK, Hangul, full-width forms, emoji. */
    private const WIDE = '~[\x{1100}-\x{115f}\x{231a}\x{231b}\x{2329}\x{232a}\x{23e9}-\x{23ec}'
        . '\x{2e80}-\x{303e}\x{3041}-\x{a4cf}\x{a960}-\x{a97c}\x{ac00}-\x{d7a3}\x{f900}-\x{faff}'
        . '\x{fe10}-\x{fe19}\x{fe30}-\x{fe6f}\x{ff01}-\x{ff60}\x{ffe0}-\x{ffe6}\x{16fe0}-\x{18cff}'
        . '\x{1b000}-\x{1b2ff}\x{1f004}\x{1f0cf}\x{1f18e}\x{1f191}-\x{1f19a}\x{1f200}-\x{1f320}'
        . '\x{1f32d}-\x{1f64f}\x{1f680}-\x{1f6ff}\x{1f7e0}-\x{1f7eb}\x{1f900}-\x{1faff}'
        . '\x{20000}-\x{3fffd}]~u';

    /**
     * Replaces what a terminal would obey in place of showing it: control characters, which begin
     * escape sequences, and marks that turn the direction of the text or have no width.
     */
    public static function clean(string $text): string
    {
        /* JSON replaces bytes that are no UTF-8, for which other functions need ext/mbstring. */
        /** @var string $utf8 */
        $utf8 = json_decode(json_encode($text, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR));
        return (string) preg_replace('~[\p{C}\p{Zl}\p{Zp}]~u', '?', $utf8);
    }

    /** The columns of a clean text. */
    public static function width(string $text): int
    {
        return (int) preg_match_all('~\P{M}~u', $text) + (int) preg_match_all(self::WIDE, $text);
    }

    /**
     * A clean text in at most so many columns; what is too long loses its middle.
     *
     * @param int|null $width null = as many as the text has
     */
    public static function cut(string $text, ?int $width): string
    {
        if ($width === null || self::width($text) <= $width) {
            return $text;
        }
        preg_match_all('~\X~u', $text, $found);
        if ($width <= 3) {
            return implode('', self::first($found[0], $width));
        }
        $end = self::first(array_reverse($found[0]), intdiv($width - 3, 2));
        $begin = self::first($found[0], $width - 3 - self::width(implode('', $end)));
        return implode('', $begin) . '...' . implode('', array_reverse($end));
    }

    /** A clean text in exactly so many columns. */
    public static function pad(string $text, int $width): string
    {
        $text = self::cut($text, $width);
        return $text . str_repeat(' ', $width - self::width($text));
    }

    /**
     * @param list<string> $characters
     * @return list<string> the first of them, as many as the columns hold
     */
    private static function first(array $characters, int $width): array
    {
        foreach ($characters as $i => $character) {
            $width -= self::width($character);
            if ($width < 0) {
                return array_slice($characters, 0, $i);
            }
        }
        return $characters;
    }
}
