<?php
/* One of those that bench/redlock.php compares: how its processes are started, for whatever
 * servers. */

final class Party
{
    /**
     * @param string $label as the tables have it
     * @param list<string> $command up to the mode, "warm" or "cold"; the ports come behind it
     * @param list<string>|null $sections the command of a worker that runs sections; {PORTS} stands
     * for the ports
     */
    public function __construct(
        public readonly string $name,
        public readonly string $label,
        private readonly array $command,
        public readonly bool $isLibrary,
        private readonly ?array $sections,
        private readonly bool $isTls = false,
    ) {
    }

    public function start(string $mode, Members $members): array
    {
        return Processes::start([...$this->command, $mode,
            ...array_map(strval(...), $members->ports($this->isTls))]);
    }

    public function hasSections(): bool
    {
        return $this->sections !== null;
    }

    /** @param resource $control */
    public function startWorkers($control, int $count, Members $members): Workers
    {
        $ports = implode(',', $members->ports($this->isTls));
        return new Workers(str_replace('{PORTS}', $ports, $this->sections), $control, $count);
    }
}
