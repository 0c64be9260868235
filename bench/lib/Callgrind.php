<?php
/*
 * What a dump of callgrind (--dump-instr=yes --dump-line=no --compress-pos=no) has counted: how
 * many instructions ran, and how many lines of code each round has passed; a line is the 64 bytes
 * that a processor loads at a time. A line that few rounds have passed does not count: what a clock
 * brings, and what happens by chance.
 */

final class Callgrind
{
    private const LINE_BITS = 6;
    public readonly int $instructions;
    public readonly int $codeLines;

    /** @param int $rounds that ran while it counted
     * @param string $without a function that is left out with all that it has called, because a
     * clock calls it */
    public function __construct(string $path, int $rounds, string $without = '')
    {
        $names = []; // callgrind gives each name a number: "ob=(7) name", later only "ob=(7)"
        $object = $called = '';
        $isOfCall = false;
        $sum = 0;
        $lines = [];
        foreach (file($path, FILE_IGNORE_NEW_LINES) as $line) {
            if (preg_match('/^(ob|cfn)=(\(\d+\))(?: (.*))?$/', $line, $match)) {
                $kind = $match[1] === 'ob' ? 'ob' : 'fn';
                $names[$kind][$match[2]] = $match[3] ?? $names[$kind][$match[2]];
                [$object, $called] = $kind === 'ob' ? [$names['ob'][$match[2]], $called]
                    : [$object, $names['fn'][$match[2]]];
            } elseif (preg_match('/^c?(ob|fn)=(\(\d+\)) (.*)$/', $line, $match)) {
                $names[$match[1]][$match[2]] = $match[3];
            } elseif (str_starts_with($line, 'calls=')) {
                $isOfCall = true; // the next line has what the call has cost
            } elseif (preg_match('/^0x([0-9a-f]+) (\d+)$/', $line, $match)) {
                if (!$isOfCall) {
                    $sum += (int) $match[2];
                    $code = "$object " . (hexdec($match[1]) >> self::LINE_BITS);
                    $lines[$code] = max($lines[$code] ?? 0, (int) $match[2]);
                } elseif ($called === $without) {
                    $sum -= (int) $match[2];
                }
                $isOfCall = false;
            }
        }
        $this->instructions = $sum;
        $this->codeLines =
            count(array_filter($lines, fn (int $times): bool => 2 * $times > $rounds));
    }
}
