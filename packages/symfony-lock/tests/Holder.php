<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use RuntimeException;

/** Another process that holds a lock. With the script handle.php it handles a message under it. */
final class Holder
{
    /** @var resource */
    private $process;

    /** @var list<resource> */
    private array $pipes;

    public function __construct(
        #[\SensitiveParameter] string $dsn,
        string $resource,
        string $script = 'hold.php',
    ) {
        $process = proc_open([PHP_BINARY, __DIR__ . "/$script", $dsn, $resource],
            [['pipe', 'r'], ['pipe', 'w']], $pipes);
        if ($process === false) {
            throw new RuntimeException('cannot start PHP');
        }
        $this->process = $process;
        $this->pipes = array_values($pipes);
        if (fgets($this->pipes[1]) !== "held\n") {
            throw new RuntimeException('the other process could not acquire the lock');
        }
    }

    public function releaseAfter(float $seconds): void
    {
        fwrite($this->pipes[0], "$seconds\n");
    }

    /** Returns the exit code. */
    public function end(): int
    {
        array_map(fclose(...), $this->pipes);
        return proc_close($this->process);
    }
}
