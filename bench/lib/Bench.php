<?php
/* What all sections of the bench need: the libraries, the report, progress, and one burst or loop
 * of workers. */

final class Bench
{
    /** Until all workers have read what they are to do, and sleep. */
    private const HEAD_START_NS = 30_000_000;

    /** @var resource */
    public readonly mixed $control;
    private readonly int $started;
    private int $round = 0;

    /**
     * @param array<string, Library> $libraries by name; "redislock" and "c" are always there
     * @param string $server the program
     */
    public function __construct(
        public readonly array $libraries,
        public readonly Report $report,
        public readonly string $server,
        public readonly string $folder,
        public readonly bool $isQuick,
    ) {
        $this->started = hrtime(true);
        $context = stream_context_create(['socket' => ['backlog' => 511]]);
        $this->control = stream_socket_server("unix://$folder/control.sock", $code, $reason,
            STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
            $context) ?: throw new RuntimeException($reason);
    }

    /** The first when it is a full run, the second when it is a quick one. */
    public function choose(int|float $full, int|float $quick): int|float
    {
        return $this->isQuick ? $quick : $full;
    }

    /** One line that is written over on a terminal, and a line for each $step elsewhere. */
    public function progress(string $step, string $detail = ''): void
    {
        static $last = '';
        $seconds = intdiv(hrtime(true) - $this->started, 1_000_000_000);
        if (stream_isatty(STDERR)) {
            fprintf(STDERR, "\r\033[K%3d s  %s%s", $seconds, $step,
                $detail === '' ? '' : ": $detail");
        } elseif ($step !== $last) {
            fprintf(STDERR, "%3d s  %s\n", $seconds, $step);
        }
        $last = $step;
    }

    public function progressDone(): void
    {
        fwrite(STDERR, stream_isatty(STDERR) ? "\r\033[K" : '');
    }

    /**
     * The libraries take turns, round by round, in a changing order. A library that has used up its
     * time sits out.
     *
     * @param callable(Library): void $work one round of one library
     */
    public function takeTurns(string $step, array $libraries, int $rounds, float $secondsEach,
        callable $work): void
    {
        $used = array_fill_keys(array_keys($libraries), 0.0);
        for ($round = 0; $round < $rounds; $round++) {
            $names = array_keys($libraries);
            $first = $round % count($names);
            $names = [...array_slice($names, $first), ...array_slice($names, 0, $first)];
            foreach ($names as $name) {
                if ($used[$name] >= $secondsEach) {
                    continue;
                }
                $this->progress($step, sprintf('round %d of %d, %s', $round + 1, $rounds,
                    $libraries[$name]->label));
                $start = hrtime(true);
                $work($libraries[$name]);
                $used[$name] += (hrtime(true) - $start) / 1e9;
            }
        }
        $this->progressDone();
    }

    /**
     * Lets $count workers of a library go through sections at once, from the same moment on.
     *
     * @param int $most sections of each worker
     * @return array{start: int, gaveUp: int, sections: array, reads: int}
     */
    public function run(Library $library, Workers $workers, int $count, int $length, int $most,
        int $duration): array
    {
        $reads = $library->server->reads();
        $start = $this->begin($workers, range(0, $count - 1), $length, $most, $duration);
        $result = $this->finish($workers, range(0, $count - 1));
        return ['start' => $start, 'reads' => $library->server->reads() - $reads - 1] + $result;
    }

    /** Starts what run() starts, on a fresh key, and does not wait for it. Gives the moment at
     * which it begins. */
    public function begin(Workers $workers, array $numbers, int $length, int $most,
        int $duration): int
    {
        $key = 'bench:' . ++$this->round;
        $start = hrtime(true) + self::HEAD_START_NS;
        foreach ($numbers as $number) {
            $workers->tell($number, 'run', $key, $start, $start + $duration, $most, $length);
        }
        return $start;
    }

    /** @return array{gaveUp: int, sections: array} */
    public function finish(Workers $workers, array $numbers): array
    {
        $answers = [];
        foreach ($numbers as $number) {
            $answers[$number] = $workers->answer($number);
        }
        $result = sections_of($answers);
        if ($result['sections'] === []) {
            throw new RuntimeException('no worker had a section');
        }
        return $result;
    }
}
