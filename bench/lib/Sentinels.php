<?php
/*
 * A primary with a replica, and three Sentinels: at hand, or behind a proxy each that makes the way
 * to them longer. Then the Sentinels name the proxy of the primary, and there is no replica, which
 * they would try to repair.
 */

final class Sentinels
{
    private const COUNT = 3;
    private const SECONDS = 20;
    private readonly Server $primary;
    private readonly ?Server $replica;
    /** @var list<Server> */
    private array $sentinels = [];
    /** @var list<Proxy> */
    private array $proxies = [];
    /** @var list<int> where clients find the Sentinels */
    private array $ports = [];
    private readonly int $primaryPort;

    /**
     * @param list<string> $prefix comes before the command of a server
     * @param ?list<string> $proxy the command of a proxy, up to the port
     */
    public function __construct(private readonly Bench $bench, private readonly array $prefix = [],
        private readonly ?array $proxy = null)
    {
        $this->primary = new Server($bench->server, $bench->folder, $prefix);
        $this->primaryPort = $this->wayTo($this->primary->port);
        $this->replica = $proxy !== null ? null : new Server($bench->server, $bench->folder,
            $prefix, null, ['--replicaof', "127.0.0.1 {$this->primary->port}"]);
        $this->await('the replica is not attached', fn () => $this->replica === null
            || str_contains($this->replica->wire->ask('INFO', 'replication'),
            'master_link_status:up'));
        for ($i = 0; $i < self::COUNT; $i++) {
            $this->startSentinel($i);
        }
        $this->await('the Sentinels do not agree', $this->agrees(...));
    }

    /** @return list<int> of the Sentinels */
    public function ports(): array
    {
        return $this->ports;
    }

    /** Where clients find the primary. */
    public function primaryPort(): int
    {
        return $this->primaryPort;
    }

    public function end(): void
    {
        $replicas = $this->replica === null ? [] : [$this->replica];
        foreach ([...$this->sentinels, ...$this->proxies, ...$replicas, $this->primary]
                as $process) {
            $process->end();
        }
    }

    private function startSentinel(int $number): void
    {
        $file = "{$this->bench->folder}/sentinel-$this->primaryPort-$number.conf";
        file_put_contents($file, 'sentinel monitor ' . PRIMARY . " 127.0.0.1 $this->primaryPort "
            . (intdiv(self::COUNT, 2) + 1) . "\n");
        $sentinel = new Server([$this->bench->server, $file, '--sentinel'], $this->bench->folder,
            $this->prefix);
        $this->sentinels[] = $sentinel;
        $this->ports[] = $this->wayTo($sentinel->port);
    }

    private function wayTo(int $port): int
    {
        if ($this->proxy === null) {
            return $port;
        }
        $proxy = new Proxy($this->proxy, $port);
        $this->proxies[] = $proxy;
        return $proxy->port;
    }

    /** Each Sentinel sees the primary, its replica and the other Sentinels. */
    private function agrees(): bool
    {
        foreach ($this->sentinels as $sentinel) {
            $words = $sentinel->wire->ask('SENTINEL', 'MASTER', PRIMARY);
            $fields = array_column(array_chunk($words, 2), 1, 0);
            if ($fields['flags'] !== 'master'
                || (int) $fields['num-slaves'] !== ($this->replica === null ? 0 : 1)
                || (int) $fields['num-other-sentinels'] !== self::COUNT - 1) {
                return false;
            }
        }
        return true;
    }

    private function await(string $trouble, callable $holds): void
    {
        for ($until = hrtime(true) + self::SECONDS * SECOND; !$holds(); usleep(20_000)) {
            hrtime(true) < $until || throw new RuntimeException($trouble);
        }
    }
}
