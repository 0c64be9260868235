<?php
/*
 * A private server: on a free port of the loopback interface and a unix socket, without
 * persistence, its files in the bench's own folder; with certificates also on a port for TLS. It
 * ends with the bench.
 */

final class Server
{
    public readonly int $port;
    public readonly ?int $tlsPort;
    public readonly string $socket;
    public readonly Wire $wire;
    private array $child;

    /**
     * @param string|list<string> $program with its first arguments, if there are any
     * @param list<string> $prefix what comes before the command, such as taskset and its arguments
     */
    public function __construct(string|array $program, string $folder, array $prefix = [],
        ?Certificates $certificates = null, array $options = [])
    {
        static $number = 0;
        $name = 'server' . $number++;
        $this->port = self::freePort();
        $this->tlsPort = $certificates !== null ? self::freePort() : null;
        $this->socket = "$folder/$name.sock";
        $this->child = Processes::start([...$prefix, ...(array) $program, '--port',
            (string) $this->port, '--bind', '127.0.0.1', '--unixsocket', $this->socket, '--save',
            '', '--dir', $folder, '--logfile', "$folder/$name.log",
            ...($certificates?->arguments($this->tlsPort) ?? []), ...$options]);
        for ($try = 0; !isset($this->wire); $try++) {
            try {
                $this->wire = new Wire($this->port);
            } catch (RuntimeException $e) {
                $try < 2400 || throw new RuntimeException(
                    implode(' ', (array) $program) . ' did not start', previous: $e);
                usleep(25_000);
            }
        }
    }

    public function pid(): int
    {
        return $this->child['pid'];
    }

    public function end(): void
    {
        Processes::end($this->child['pid']);
    }

    /** Stopped, the system still takes what clients send, and the server reads it when it goes
     * on. */
    public function stop(): void
    {
        proc_terminate($this->child['process'], SIGSTOP);
    }

    public function goOn(): void
    {
        proc_terminate($this->child['process'], SIGCONT);
    }

    /** How often the server has read from a socket, this question included. */
    public function reads(): int
    {
        return (int) $this->info('stats', 'total_reads_processed');
    }

    /** Server and version, as "Redis 7.0.15". */
    public function version(): string
    {
        $valkey = $this->info('server', 'valkey_version');
        return $valkey !== null ? "Valkey $valkey"
            : 'Redis ' . $this->info('server', 'redis_version');
    }

    /** How often the server has sent a client of a cluster to another node. */
    public function redirects(): int
    {
        $count = fn (string $error): int => (int) substr(
            (string) $this->info('errorstats', "errorstat_$error"), strlen('count='));
        return $count('MOVED') + $count('ASK');
    }

    private function info(string $section, string $field): ?string
    {
        return preg_match("/^$field:(.*)\r$/m", $this->wire->ask('INFO', $section), $found)
            ? $found[1] : null;
    }

    public static function freePort(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $name = stream_socket_get_name($socket, false);
        return (int) substr($name, strrpos($name, ':') + 1);
    }
}
