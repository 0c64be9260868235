<?php
/*
 * Document 003: 1000 - 500 - 300 must be 200. lock() gives an identifier or false; its timeout is
 * both the longest wait and the lock's TTL. The class of the document is called RedisLock and must
 * be renamed, because the extension has a class of that name.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 php -d extension=redislock 003-bank-account.php
 */

class AccountLock
{
    const PREFIX = 'TEST_LOCK';

    private RedisLock $lock;

    public function __construct()
    {
        $this->lock = new RedisLock(getenv('REDIS_URL') ?: null, self::PREFIX);
    }

    public function lock(string $lockName, float $timeout = 5): string|false
    {
        $identifier = $this->lock->acquire($lockName, $timeout);
        if ($identifier === null) {
            $this->repair($lockName, $timeout);
            $identifier = $this->lock->acquire($lockName, $timeout, wait: $timeout);
        }
        return $identifier ?? false;
    }

    /** True = freed; false = the lock had expired, or another holder has it. */
    public function unlock(string $lockName, #[SensitiveParameter] string $identifier): bool
    {
        return $this->lock->release($lockName, $identifier);
    }

    /**
     * Gives a TTL to a lock without one, which some SETNX left behind. This class cannot make such
     * a lock. The owner is read first, so that a lock which gets another holder meanwhile does not
     * change.
     */
    private function repair(string $lockName, float $timeout): void
    {
        $owner = $this->lock->owner($lockName);
        if ($owner !== null && $this->lock->remaining($lockName) === INF) {
            $this->lock->extend($lockName, $owner, $timeout);
        }
    }
}

/* ---- used as in the document: two processes take money from one account ---- */

function withdraw(string $account, int $amount): void
{
    $lock = new AccountLock();
    $identifier = $lock->lock('account') ?: throw new RuntimeException('the account is busy');
    try {
        $balance = (int) file_get_contents($account);
        usleep(20_000);
        file_put_contents($account, (string) ($balance - $amount));
    } finally {
        $lock->unlock('account', $identifier);
    }
}

$account = tempnam(sys_get_temp_dir(), 'account') ?: throw new RuntimeException('no file');
file_put_contents($account, '1000');
$pids = [];
foreach ([500, 300] as $amount) {
    $pids[] = $pid = pcntl_fork();
    if ($pid === 0) {
        withdraw($account, $amount);
        exit(0);
    }
}
foreach ($pids as $pid) {
    pcntl_waitpid($pid, $status);
}
echo '1000 - 500 - 300 = ', file_get_contents($account), "\n";
unlink($account);
