<?php
/*
 * A cluster of three nodes without replicas: at hand, or behind a proxy each that makes the way to
 * them longer. Then the nodes name the proxies, so that a client stays behind them.
 */

final class Cluster
{
    private const COUNT = 3;
    private const SLOTS = 16384;
    private const SECONDS = 20;
    /** @var list<Server> */
    private array $nodes = [];
    /** @var list<int> their ports for each other */
    private array $busPorts = [];
    /** @var list<Proxy> */
    private array $proxies = [];
    /** @var list<int> where clients find the nodes */
    private array $ports = [];

    /**
     * @param list<string> $prefix comes before the command of a node
     * @param ?list<string> $proxy the command of a proxy, up to the port
     */
    public function __construct(private readonly Bench $bench, array $prefix = [],
        ?array $proxy = null)
    {
        for ($i = 0; $i < self::COUNT; $i++) {
            $this->startNode($prefix, $proxy);
        }
        $this->shareSlots();
        $this->meet();
        $until = hrtime(true) + self::SECONDS * SECOND;
        while (!$this->agrees()) {
            hrtime(true) < $until || throw new RuntimeException('the nodes form no cluster');
            usleep(20_000);
        }
    }

    /** @return list<int> */
    public function ports(): array
    {
        return $this->ports;
    }

    /** A key of the first node. It has a hash tag, so that its helper keys are in its slot for a
     * client by redis:// as well. */
    public function key(): string
    {
        for ($i = 0; $this->owner("{bench:$i}") !== 0; $i++);
        return "{bench:$i}";
    }

    /** Where clients find a node that has not this key. */
    public function portWithout(string $key): int
    {
        return $this->ports[$this->owner($key) === 0 ? 1 : 0];
    }

    /** How often the nodes have sent clients to each other. */
    public function redirects(): int
    {
        return array_sum(array_map(fn (Server $node) => $node->redirects(), $this->nodes));
    }

    public function end(): void
    {
        foreach ([...$this->proxies, ...$this->nodes] as $process) {
            $process->end();
        }
    }

    private function startNode(array $prefix, ?array $proxy): void
    {
        $bus = Server::freePort();
        $node = new Server($this->bench->server, $this->bench->folder, $prefix, null,
            ['--cluster-enabled', 'yes', '--cluster-config-file', "nodes-$bus.conf",
            '--cluster-port', (string) $bus]);
        $port = $node->port;
        if ($proxy !== null) {
            $way = new Proxy($proxy, $port);
            $port = $way->port;
            $this->proxies[] = $way;
            $node->wire->ask('CONFIG', 'SET', 'cluster-announce-port', $port,
                'cluster-announce-bus-port', $bus);
        }
        $this->nodes[] = $node;
        $this->busPorts[] = $bus;
        $this->ports[] = $port;
    }

    private function shareSlots(): void
    {
        foreach ($this->nodes as $i => $node) {
            $node->wire->ask('CLUSTER', 'ADDSLOTSRANGE', $i === 0 ? 0 : $this->last($i - 1) + 1,
                $this->last($i));
            $node->wire->ask('CLUSTER', 'SET-CONFIG-EPOCH', $i + 1);
        }
    }

    private function meet(): void
    {
        foreach ($this->nodes as $i => $node) {
            $this->nodes[0]->wire->ask('CLUSTER', 'MEET', '127.0.0.1', $this->ports[$i],
                $this->busPorts[$i]);
        }
    }

    private function owner(string $key): int
    {
        $slot = $this->nodes[0]->wire->ask('CLUSTER', 'KEYSLOT', $key);
        for ($node = 0; $slot > $this->last($node); $node++);
        return $node;
    }

    /** The last slot of a node. */
    private function last(int $node): int
    {
        return intdiv(self::SLOTS * ($node + 1), self::COUNT) - 1;
    }

    /** Each node accepts commands, and names all nodes as clients find them. */
    private function agrees(): bool
    {
        $wanted = $this->ports;
        sort($wanted);
        foreach ($this->nodes as $node) {
            $named = array_map(fn (array $range) => $range[2][1],
                $node->wire->ask('CLUSTER', 'SLOTS'));
            sort($named);
            if ($named !== $wanted || !str_contains($node->wire->ask('CLUSTER', 'INFO'),
                'cluster_state:ok')) {
                return false;
            }
        }
        return true;
    }
}
