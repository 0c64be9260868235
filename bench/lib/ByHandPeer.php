<?php
/*
 * A lock by hand on a client of Redis: SET NX PX, another look each 10 ms, compare-and-delete by a
 * script.
 */

abstract class ByHandPeer extends Peer
{
    private const LOOK_US = 10_000;

    public function within(string $key, callable $section): bool
    {
        $token = bin2hex(random_bytes(16));
        $deadline = hrtime(true) + self::WAIT * 1_000_000_000;
        while (!$this->set($key, $token)) {
            if (hrtime(true) >= $deadline) {
                return false;
            }
            usleep(self::LOOK_US);
        }
        $section();
        $this->compareAndDelete($key, $token);
        return true;
    }

    abstract protected function set(string $key, string $token): bool;

    abstract protected function compareAndDelete(string $key, string $token): void;
}

/** On a class of phpredis. */
class PhpredisByHand extends ByHandPeer
{
    public function __construct(private readonly Redis|RedisCluster $redis)
    {
    }

    protected function set(string $key, string $token): bool
    {
        return $this->redis->set($key, $token, ['nx', 'px' => self::TTL * 1000]);
    }

    protected function compareAndDelete(string $key, string $token): void
    {
        $this->redis->eval(self::RELEASE, [$key, $token], 1);
    }
}

/** On Predis. */
class PredisByHand extends ByHandPeer
{
    private readonly Predis\Client $redis;

    /** @param list<string> $addresses host:port */
    public function __construct(string $packages, array $addresses, array $options)
    {
        require_once "$packages/vendor/autoload.php";
        $this->redis = new Predis\Client(
            array_map(fn (string $address) => "tcp://$address", $addresses), $options);
    }

    protected function set(string $key, string $token): bool
    {
        return $this->redis->set($key, $token, 'PX', self::TTL * 1000, 'NX') !== null;
    }

    protected function compareAndDelete(string $key, string $token): void
    {
        $this->redis->eval(self::RELEASE, 1, $key, $token);
    }
}
