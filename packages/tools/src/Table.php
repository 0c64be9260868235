<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/** Rows for a terminal. */
final class Table
{
    private const GAP = '  ';

    /** @var non-empty-list<non-empty-list<string>> */
    private array $rows;

    /** @var non-empty-list<int> */
    private readonly array $weights;

    /**
     * @param non-empty-array<string, int> $heads head => weight: in a narrow terminal a column of
     *   weight 2 keeps twice the width of a column of weight 1, and a column of weight 0 all of it
     */
    public function __construct(array $heads)
    {
        $this->rows = [array_keys($heads)];
        $this->weights = array_values($heads);
    }

    /** @param non-empty-list<string> $cells any text, one for each head */
    public function add(array $cells): void
    {
        $this->rows[] = array_map(Text::clean(...), $cells);
    }

    /** @param int|null $width the columns of the terminal; null = as many as the longest row */
    public function text(?int $width): string
    {
        $columns = $this->columns($width);
        $text = '';
        foreach ($this->rows as $cells) {
            $padded = array_map(Text::pad(...), $cells, $columns);
            $text .= Text::cut(rtrim(implode(self::GAP, $padded)), $width) . "\n";
        }
        return $text;
    }

    /** @return list<int> how wide each column is: the widest ones for their weight give way */
    private function columns(?int $width): array
    {
        $columns = array_map(Text::width(...), $this->rows[0]);
        foreach ($this->rows as $cells) {
            $columns = array_map(static fn (int $column, string $cell): int =>
                max($column, Text::width($cell)), $columns, $cells);
        }
        $room = ($width ?? PHP_INT_MAX) - strlen(self::GAP) * (count($columns) - 1);
        for ($most = max(0, ...$columns); $most > 1 && array_sum($columns) > $room; $most--) {
            $columns = array_map(static fn (int $column, int $weight): int =>
                $weight === 0 ? $column : min($column, $weight * ($most - 1)),
                $columns, $this->weights);
        }
        return $columns;
    }
}
