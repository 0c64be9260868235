<?php
/* phpredis by hand, as a shop writes it: SET NX PX, another look each 10 ms, compare-and-delete by
 * a script. */
return fn (int $port): Peer => new class($port) extends Peer {
    private Redis $redis;

    public function __construct(int $port)
    {
        $this->redis = new Redis();
        $this->redis->connect('127.0.0.1', $port);
    }

    public function within(string $key, callable $section): bool
    {
        $token = bin2hex(random_bytes(16));
        $deadline = hrtime(true) + self::WAIT * 1_000_000_000;
        while (!$this->redis->set($key, $token, ['nx', 'px' => self::TTL * 1000])) {
            if (hrtime(true) >= $deadline) {
                return false;
            }
            usleep(10_000);
        }
        $section();
        $this->redis->eval(self::RELEASE, [$key, $token], 1);
        return true;
    }
};
