<?php
/* This extension, with a list of servers. */
return fn (array $ports): Peer => new class($ports) extends Peer {
    private RedisLock $lock;

    public function __construct(array $ports)
    {
        $this->lock = new RedisLock(array_map(fn (int $port) => "redis://127.0.0.1:$port", $ports));
    }

    public function within(string $key, callable $section): bool
    {
        $token = $this->lock->acquire($key, self::TTL, self::WAIT);
        if ($token === null) {
            return false;
        }
        $section();
        $this->lock->release($key, $token);
        return true;
    }
};
