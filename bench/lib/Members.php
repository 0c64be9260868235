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
    /** @var array<int, list<Proxy>> by server; none for servers at hand */
    private array $proxies = [];
    /** @var list<int> where clients find them */
    private array $ports;
    /** @var list<int> where clients find them with TLS */
    private array $tlsPorts = [];

    /** @param ?array $proxy the command of a proxy, up to the port */
    public function __construct(private readonly Bench $bench,
        private readonly ?array $proxy = null, private readonly ?Certificates $certificates = null)
    {
        for ($i = 0; $i < self::COUNT; $i++) {
            $this->start($i);
        }
    }

    /** @return list<int> */
    public function ports(bool $isTls = false): array
    {
        return $isTls ? $this->tlsPorts : $this->ports;
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
            $this->endProxies($number);
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
        array_map($this->endProxies(...), array_keys($this->proxies));
        foreach ($this->servers as $server) {
            $server->end();
        }
    }

    private function start(int $number): void
    {
        $server = new Server($this->bench->server, $this->bench->folder, [], $this->certificates);
        $this->servers[$number] = $server;
        $this->ports[$number] = $this->wayTo($number, $server->port);
        if ($server->tlsPort !== null) {
            $this->tlsPorts[$number] = $this->wayTo($number, $server->tlsPort);
        }
    }

    /** The port that clients use: that of a proxy, if there is one. */
    private function wayTo(int $number, int $port): int
    {
        if ($this->proxy === null) {
            return $port;
        }
        $proxy = new Proxy($this->proxy, $port);
        $this->proxies[$number][] = $proxy;
        return $proxy->port;
    }

    private function endProxies(int $number): void
    {
        foreach ($this->proxies[$number] ?? [] as $proxy) {
            $proxy->end();
        }
        unset($this->proxies[$number]);
    }
}
