<?php
/* Predis by hand, over TLS. */
return fn (int $port, string $ca, string $packages): Peer =>
    new class($port, $ca, $packages) extends Peer {
        private Predis\Client $redis;

        public function __construct(int $port, string $ca, string $packages)
        {
            require_once "$packages/vendor/autoload.php";
            $this->redis = new Predis\Client(['scheme' => 'tls', 'host' => '127.0.0.1',
                'port' => $port, 'ssl' => ['cafile' => $ca]]);
        }

        public function within(string $key, callable $section): bool
        {
            $token = bin2hex(random_bytes(16));
            if ($this->redis->set($key, $token, 'PX', self::TTL * 1000, 'NX') === null) {
                return false;
            }
            $section();
            $this->redis->eval(self::RELEASE, 1, $key, $token);
            return true;
        }
    };
