<?php
/* Processes that work at the same time. */

final class Workers
{
    /**
     * Runs $work in that many forked processes, and returns the result of each.
     *
     * @param callable(): string $work
     * @return list<string>
     */
    public static function run(int $workers, callable $work): array
    {
        $pids = $pipes = [];
        try {
            for ($i = 0; $i < $workers; $i++) {
                [$parent, $child] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0)
                    ?: throw new RuntimeException('there is no pipe');
                $pid = pcntl_fork();
                if ($pid === 0) {
                    pcntl_alarm(60); // no worker lives longer, in any case
                    fwrite($child, $work());
                    exit(0);
                }
                $pids[] = $pid;
                $pipes[] = $parent;
                fclose($child);
            }
            $results = array_map(fn ($pipe): string => (string) stream_get_contents($pipe), $pipes);
            foreach ($pids as $i => $pid) {
                pcntl_waitpid($pid, $status);
                unset($pids[$i]);
            }
            return in_array('', $results, true) ? throw new RuntimeException('a worker failed')
                : $results;
        } finally {
            if ($pids !== []) {
                exec('kill ' . implode(' ', $pids));
            }
        }
    }
}
