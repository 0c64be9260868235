<?php
/*
 * A Redis or Valkey server of this script's own: on a unix socket in a temporary folder, without a
 * port and without persistence. A small shell ends the server, by its pid, and removes the folder
 * as soon as the input of the shell ends, which happens however this script ends.
 */

final class PrivateRedis
{
    public readonly string $socket;
    /** @var resource */
    private $guard;
    /** @var list<resource> */
    private array $pipes;

    /* $0 is the folder, "$@" the server's command. */
    private const GUARD = <<<'SH'
        trap '' HUP INT TERM
        "$@" >"$0/log" 2>&1 </dev/null & pid=$!
        read -r _
        kill "$pid" 2>/dev/null
        wait "$pid"
        rm -rf "$0"
        SH;

    public function __construct()
    {
        $program = exec('command -v redis-server || command -v valkey-server')
            ?: throw new RuntimeException('there is no redis-server and no valkey-server on PATH');
        $folder = sys_get_temp_dir() . '/redislock-' . bin2hex(random_bytes(6));
        mkdir($folder, 0700);
        $this->socket = "$folder/redis.sock";
        $server = [$program, '--port', '0', '--unixsocket', $this->socket, '--dir', $folder,
            '--save', ''];
        $this->guard = proc_open(['/bin/sh', '-c', self::GUARD, $folder, ...$server],
            [['pipe', 'r']], $pipes) ?: throw new RuntimeException('cannot start /bin/sh');
        $this->pipes = array_values($pipes);
        for ($try = 0; !$this->answers(); $try++) {
            if ($try === 500) {
                throw new RuntimeException("$program did not start: "
                    . @file_get_contents("$folder/log"));
            }
            usleep(10_000);
        }
    }

    /** Ends the server; returns when it is gone. */
    public function stop(): void
    {
        array_map(fclose(...), $this->pipes);
        proc_close($this->guard);
    }

    /** For a forked worker: the worker does not keep the server alive. */
    public function leaveToParent(): void
    {
        array_map(fclose(...), $this->pipes);
    }

    private function answers(): bool
    {
        try {
            return (new MiniRedis($this->socket))->get('nothing') === null;
        } catch (RuntimeException) {
            return false;
        }
    }
}
