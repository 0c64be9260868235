<?php
/* A way to a server that takes longer: bench/delay_proxy.c as a process. */

final class Proxy
{
    /** Where clients find it. */
    public readonly int $port;
    private array $child;

    /** @param list<string> $command up to the port */
    public function __construct(array $command, int $port)
    {
        $this->child = Processes::start([...$command, (string) $port]);
        $this->port = (int) fgets($this->child['out'])
            ?: throw new RuntimeException('a proxy did not start');
    }

    public function end(): void
    {
        Processes::end($this->child['pid']);
    }
}
