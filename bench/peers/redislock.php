<?php
/* This extension. */
return fn (int $port): Peer => new class($port) extends Peer {
    private RedisLock $lock;

    public function __construct(int $port)
    {
        $this->lock = new RedisLock("redis://127.0.0.1:$port");
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
