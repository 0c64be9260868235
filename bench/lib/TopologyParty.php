<?php
/* One of those that bench/topologies.php compares: how its processes are started, on whatever
 * cluster, Sentinels or server. */

final class TopologyParty
{
    /**
     * @param string $name as in bench/peers/topologies
     * @param string $label as the tables have it
     * @param list<string> $php the command of PHP, with the extensions that the library needs
     * @param string $packages the folder that Composer filled for it
     */
    public function __construct(
        public readonly string $name,
        public readonly string $label,
        private readonly array $php,
        private readonly string $packages,
    ) {
    }

    /** The command of a process. @param list<int> ...$places ports, in the order of their use */
    public function command(string $key, array ...$places): array
    {
        return [...$this->php, dirname(__DIR__) . '/topologies_worker.php', $this->name,
            $this->packages, $key, ...array_map(fn (array $ports) => implode(',', $ports),
                $places)];
    }

    /** @param resource $control @param list<int> $ports */
    public function startWorkers($control, int $count, array $ports): Workers
    {
        return new Workers([...$this->php, dirname(__DIR__) . '/section_worker.php',
            "topologies/$this->name", implode(',', $ports), $this->packages], $control, $count);
    }
}
