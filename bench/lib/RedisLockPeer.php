<?php
/*
 * This extension as a peer, with whichever servers: the files of bench/peers choose the DSNs.
 */

final class RedisLockPeer extends Peer
{
    private RedisLock $lock;

    public function __construct(string|array $servers)
    {
        $this->lock = new RedisLock($servers);
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
}
