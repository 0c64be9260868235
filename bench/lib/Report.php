<?php
/* What the bench has found: tables in Markdown, shown as they come, and the promises that were put
 * to the test. */

final class Report
{
    private string $text = '';
    /** @var list<array> */
    private array $promises = [];

    public function section(string $title, string $explanation = ''): void
    {
        $this->add("\n## $title\n" . ($explanation === '' ? '' : "\n$explanation\n"));
    }

    /** @param list<string> $head */
    public function table(array $head, array $rows): void
    {
        $widths = array_map(fn ($column) => max(array_map('strlen', $column)),
            array_map(null, $head, ...$rows));
        $lines = array_map(fn ($row) => self::line($row, $widths), [$head, ...$rows]);
        $rule = '|' . implode('|',
            array_map(fn ($i) => $i === 0 ? '---' : '---:', array_keys($head))) . "|\n";
        array_splice($lines, 1, 0, $rule);
        $this->add("\n" . implode('', $lines));
    }

    public function promise(string $what, string $measured, string $target, bool $isKept): void
    {
        $this->promises[] = [$what, $measured, $target, $isKept ? 'ok' : 'MISSED'];
    }

    public function promises(): void
    {
        if ($this->promises === []) {
            return;
        }
        $this->section('Targets');
        $this->table(['', 'measured', 'target', ''], $this->promises);
    }

    public function text(): string
    {
        return ltrim($this->text);
    }

    private function add(string $text): void
    {
        $this->text .= $text;
        echo $text;
    }

    private static function line(array $row, array $widths): string
    {
        $cells = [];
        foreach ($row as $i => $cell) {
            $cells[] = str_pad($cell, $widths[$i], ' ', $i === 0 ? STR_PAD_RIGHT : STR_PAD_LEFT);
        }
        return '| ' . implode(' | ', $cells) . " |\n";
    }
}
