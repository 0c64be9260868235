<?php
/* phpredis by hand, over TLS. */
return fn (int $port, string $ca): Peer => new class($port, $ca) extends Peer {
    private Redis $redis;

    public function __construct(int $port, string $ca)
    {
        $this->redis = new Redis();
        $this->redis->connect('tls://127.0.0.1', $port, 1.0, null, 0, 1.0,
            ['stream' => ['cafile' => $ca]]);
    }

    public function within(string $key, callable $section): bool
    {
        $token = bin2hex(random_bytes(16));
        if (!$this->redis->set($key, $token, ['nx', 'px' => self::TTL * 1000])) {
            return false;
        }
        $section();
        $this->redis->eval(self::RELEASE, [$key, $token], 1);
        return true;
    }
};
