<?php
/*
 * signe/redlock-php on phpredis. Asks one server after the other, and tries again after 100 to 200
 * ms. It is given connections, for with host and port alone it sets no limit to the wait for an
 * answer.
 */
use RedLock\RedLock;

return fn (array $ports, string $packages): Peer => new class($ports, $packages) extends Peer {
    private RedLock $lock;

    public function __construct(array $ports, string $packages)
    {
        require_once "$packages/vendor/autoload.php";
        // So many tries that the pauses between them take as long as the others wait.
        $this->lock = new RedLock(array_map(phpredis_at(...), $ports),
            retryCount: intdiv(self::WAIT * 1000, 150));
    }

    public function within(string $key, callable $section): bool
    {
        $lock = $this->lock->lock($key, self::TTL * 1000);
        if ($lock === false) {
            return false;
        }
        $section();
        $this->lock->unlock($lock);
        return true;
    }
};
