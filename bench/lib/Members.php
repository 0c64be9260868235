<?php
/*
 * Five servers that one lock lives on: at hand, or behind a proxy each that makes the way to them
 * longer. One of them can be made to hang (it is stopped, and the system still takes what clients
 * send) or to be dead (nothing listens on its port any more).
 */

final class Members
{
    public const COUNT = 5;
    /** @var list<Server> */
    private array $servers;
    /** @var list<array> the proxies' processes; none for servers at hand */
    private array $proxies = [];
    /** @var list<int> where clients find them */
    private array $ports;

    /** @param ?array $proxy the command of a proxy, up to the port */
    public function __construct(private readonly Bench $bench,
        private readonly ?array $proxy = null)
    {
        for ($i = 0; $i < self::COUNT; $i++) {
            $this->start($i);
        }
    }

    /** @return list<int> */
    public function ports(): array
    {
        return $this->ports;
    }

    public function hang(int $number): void
    {
        $this->servers[$number]->stop();
    }

    public function kill(int $number): void
    {
        if ($this->proxy === null) {
            $this->servers[$number]->end();
        } else {
            $this->endProxy($number);
        }
    }

    /** The opposite of hang(). */
    public function goOn(int $number): void
    {
        $this->servers[$number]->goOn();
    }

    /** The opposite of kill(), on another port. */
    public function revive(int $number): void
    {
        if ($this->proxy !== null) {
            $this->servers[$number]->end();
        }
        $this->start($number);
    }

    /** How often all of them together have read from a socket; each question counts as one. */
    public function reads(): int
    {
        return array_sum(array_map(fn (Server $server) => $server->reads(), $this->servers));
    }

    public function end(): void
    {
        array_map($this->endProxy(...), array_keys($this->proxies));
        foreach ($this->servers as $server) {
            $server->end();
        }
    }

    private function start(int $number): void
    {
        $this->servers[$number] = new Server($this->bench->server, $this->bench->folder);
        $this->ports[$number] = $this->servers[$number]->port;
        if ($this->proxy !== null) {
            $this->proxies[$number] =
                Processes::start([...$this->proxy, (string) $this->ports[$number]]);
            $this->ports[$number] = (int) fgets($this->proxies[$number]['out'])
                ?: throw new RuntimeException('a proxy did not start');
        }
    }

    private function endProxy(int $number): void
    {
        Processes::end($this->proxies[$number]['pid']);
        unset($this->proxies[$number]);
    }
}
