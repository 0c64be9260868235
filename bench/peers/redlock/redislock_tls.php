<?php
/* This extension, with a list of servers, over TLS. */
return fn (array $ports, string $ca): Peer => new class($ports, $ca) extends Peer {
    private RedisLock $lock;

    public function __construct(array $ports, string $ca)
    {
        $this->lock = new RedisLock(array_map(fn (int $port) => tls_dsn($port, $ca), $ports));
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
