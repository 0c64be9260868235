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
     * server's port
     * @param list<string> $sections the command of a worker that runs sections
     */
    public function __construct(
        public readonly string $name,
        public readonly string $label,
        private readonly array $cycle,
        private readonly array $sections,
    ) {
    }

    public function startServer(string $program, string $folder): void
    {
        $this->server = new Server($program, $folder);
    }

    public function cycleCommand(int $port): array
    {
        return str_replace('{PORT}', (string) $port, $this->cycle);
    }

    /** @param resource $control */
    public function startWorkers($control, int $count): Workers
    {
        return new Workers(str_replace('{PORT}', (string) $this->server->port, $this->sections),
            $control, $count);
    }
}
