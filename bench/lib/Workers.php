<?php
/*
 * A number of worker processes of one kind, for a library. One program is started and forks itself;
 * each fork connects to the bench's control socket, says its pid, and from then on answers each
 * line with a line, until the connection closes. bench/lib/serve.php and bench/queue_hiredis.c are
 * the other side.
 */

final class Workers
{
    /** @var array<int, resource> */
    private array $streams = [];
    /** @var array<int, int> */
    public readonly array $pids;
    private array $parent;

    /** @param resource $control the listening socket; its path and the number of forks end the
     * command */
    public function __construct(array $command, $control, public readonly int $count)
    {
        $path = stream_socket_get_name($control, false);
        $this->parent = Processes::start([...$command, $path, (string) $count]);
        $pids = [];
        for ($i = 0; $i < $count; $i++) {
            $stream = @stream_socket_accept($control, 20)
                ?: throw new RuntimeException('a worker did not come: ' . implode(' ', $command));
            stream_set_timeout($stream, 120);
            $this->streams[] = $stream;
            $pids[] = (int) fgets($stream);
            Processes::addWorker(end($pids));
        }
        $this->pids = $pids;
    }

    public function tell(int $worker, string|int|float ...$words): void
    {
        fwrite($this->streams[$worker], implode(' ', $words) . "\n");
    }

    /** The words of its answer. */
    public function answer(int $worker): array
    {
        $line = fgets($this->streams[$worker]);
        if (!is_string($line) || !str_ends_with($line, "\n")) {
            throw new RuntimeException("worker {$this->pids[$worker]} has ended or is stuck");
        }
        return explode(' ', rtrim($line, "\n"));
    }

    public function ask(int $worker, string|int|float ...$words): array
    {
        $this->tell($worker, ...$words);
        return $this->answer($worker);
    }

    public function kill(int $worker): void
    {
        Processes::killWorker($this->pids[$worker]);
    }

    public function end(): void
    {
        foreach ($this->streams as $stream) {
            // To close it is not enough: processes that were started later have inherited it.
            stream_socket_shutdown($stream, STREAM_SHUT_RDWR);
            fclose($stream);
        }
        Processes::end($this->parent['pid'], 0);
        Processes::forgetWorkers($this->pids);
    }
}
