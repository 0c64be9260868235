<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/** Rows for a terminal. */
final class Table
{
    private const GAP = '  ';

    /** @var list<list<string>> */
    private array $rows = [];

    /** @param list<string> $heads */
    public function __construct(array $heads)
    {
        $this->rows[] = $heads;
    }

    /** @param list<string> $cells any text, one for each head */
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

    /** @return list<int> how wide each column is: the widest ones give way until all fit */
    private function columns(?int $width): array
    {
        $columns = [];
        foreach ($this->rows as $cells) {
            foreach ($cells as $i => $cell) {
                $columns[$i] = max($columns[$i] ?? 0, Text::width($cell));
            }
        }
        $room = ($width ?? PHP_INT_MAX) - strlen(self::GAP) * (count($columns) - 1);
        while (array_sum($columns) > $room && max($columns) > 1) {
            $columns[(int) array_search(max($columns), $columns, true)]--;
        }
        return $columns;
    }
}
