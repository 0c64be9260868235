<?php
/*
 * The worker's side of bench/lib/Workers.php: forks, connects, and answers lines.
 */

/** Forks $count times. Each fork calls $connect, whose result turns the words of a line into those
 * of an answer. */
function serve(string $control, int $count, callable $connect): void
{
    for ($i = 0; $i < $count; $i++) {
        $pid = pcntl_fork();
        if ($pid === 0) {
            pcntl_alarm(1800); // whatever happens, no worker lives longer
            answer_lines($control, $connect());
            exit(0);
        }
        $pid > 0 || throw new RuntimeException('cannot fork');
    }
    while (pcntl_wait($status) > 0) {
        // one has ended; go on until all have
    }
}

function answer_lines(string $control, callable $answer): void
{
    $stream = stream_socket_client("unix://$control", $code, $reason, 10)
        ?: throw new RuntimeException("no control socket: $reason");
    stream_set_timeout($stream, 1800);
    fwrite($stream, getmypid() . "\n");
    while (($line = fgets($stream)) !== false) {
        fwrite($stream, implode(' ', $answer(explode(' ', rtrim($line, "\n")))) . "\n");
    }
}

function sleep_ns(int $nanoseconds): void
{
    if ($nanoseconds > 0) {
        time_nanosleep(intdiv($nanoseconds, 1_000_000_000), $nanoseconds % 1_000_000_000);
    }
}
