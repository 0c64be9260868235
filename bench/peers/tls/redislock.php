<?php
/* This extension, over TLS. */
return fn (int $port, string $ca): Peer => new class($port, $ca) extends Peer {
    private RedisLock $lock;

    public function __construct(int $port, string $ca)
    {
        $this->lock = new RedisLock(tls_dsn($port, $ca));
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
