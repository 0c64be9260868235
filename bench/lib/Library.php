<?php
/* One of the libraries that are compared: how its workers are started, its own server, and its
 * workers. */

final class Library
{
    public readonly Server $server;
    public Workers $workers;

    /**
     * @param string $name as in bench/peers, and for the limit in C "c"
     * @param string $label as the tables have it
     * @param list<string> $cycle the command of a child for bench/cycle.php; {PORT} stands for the
     * server's port, {TLS_PORT} for its port with TLS
     * @param list<string> $sections the command of a worker that runs sections
     */
    public function __construct(
        public readonly string $name,
        public readonly string $label,
        private readonly array $cycle,
        private readonly array $sections,
    ) {
    }

    public function startServer(string $program, string $folder,
        ?Certificates $certificates = null): void
    {
        $this->server = new Server($program, $folder, [], $certificates);
    }

    public function cycleCommand(Server $server): array
    {
        return self::withPorts($this->cycle, $server);
    }

    /** @param resource $control */
    public function startWorkers($control, int $count): Workers
    {
        return new Workers(self::withPorts($this->sections, $this->server), $control, $count);
    }

    private static function withPorts(array $command, Server $server): array
    {
        return str_replace(['{PORT}', '{TLS_PORT}'],
            [(string) $server->port, (string) $server->tlsPort], $command);
    }
}
