<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/**
 * The words of a command line. Not by getopt(), which skips what it does not know: a typing error
 * in an option must not run a command without the lock that was meant, or show the wrong locks.
 */
final class Arguments
{
    /**
     * @param list<string> $words neither options nor values of options
     * @param list<string>|null $rest the words after "--"; null = there is no "--"
     * @param array<string, list<string>> $values option => its values
     */
    private function __construct(
        public readonly array $words,
        public readonly ?array $rest,
        private readonly array $values,
    ) {
    }

    /**
     * @param list<string> $words
     * @param list<string> $flags options without a value
     * @param list<string> $options options with a value, as "--name=value" or "--name value"
     */
    public static function parse(array $words, array $flags, array $options): self
    {
        $rest = null;
        $end = array_search('--', $words, true);
        if ($end !== false) {
            $rest = array_slice($words, $end + 1);
            $words = array_slice($words, 0, $end);
        }
        $plain = [];
        $values = [];
        while ($words !== []) {
            $word = array_shift($words);
            if (!str_starts_with($word, '-')) {
                $plain[] = $word;
                continue;
            }
            $parts = explode('=', $word, 2);
            [$name, $value] = [$parts[0], $parts[1] ?? null];
            $values[$name][] = match (true) {
                in_array($name, $options, true) => $value ?? array_shift($words)
                    ?? throw new Failure("$name needs a value", ExitCode::Usage),
                !in_array($name, $flags, true) =>
                    throw new Failure("there is no option $name", ExitCode::Usage),
                $value !== null => throw new Failure("$name has no value", ExitCode::Usage),
                default => '',
            };
        }
        return new self($plain, $rest, $values);
    }

    public function has(string $option): bool
    {
        return isset($this->values[$option]);
    }

    /** @return string|null the last value of the option */
    public function value(string $option): ?string
    {
        $values = $this->all($option);
        return $values === [] ? null : $values[count($values) - 1];
    }

    /** @return list<string> */
    public function all(string $option): array
    {
        return $this->values[$option] ?? [];
    }

    /** @return float|null null = the option is not there */
    public function seconds(string $option): ?float
    {
        $value = $this->value($option);
        return match (true) {
            $value === null => null,
            preg_match('~^\d{1,15}(\.\d{1,9})?$~D', $value) === 1 => (float) $value,
            strtolower($value) === 'inf' => INF,
            default => throw new Failure("$option needs a number of seconds, not \"$value\"",
                ExitCode::Usage),
        };
    }

    /** @return int<1, max> */
    public function count(string $option, int $default): int
    {
        $value = $this->value($option) ?? (string) $default;
        if (preg_match('~^[1-9]\d{0,8}$~D', $value) !== 1) {
            throw new Failure("$option needs a number from 1 on, not \"$value\"", ExitCode::Usage);
        }
        return max(1, (int) $value);
    }

    /** The key, which is the only word before "--". */
    public function key(): string
    {
        return self::only($this->words);
    }

    /** The same for a command that runs no other one: after "--" the key may begin with "-". */
    public function keyAnywhere(): string
    {
        return self::only([...$this->words, ...($this->rest ?? [])]);
    }

    /** @param list<string> $words */
    private static function only(array $words): string
    {
        return match (count($words)) {
            0 => throw new Failure('the KEY is missing', ExitCode::Usage),
            1 => $words[0],
            default => throw new Failure("\"$words[1]\" is one word too many", ExitCode::Usage),
        };
    }
}
