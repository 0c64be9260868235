<?php
/*
 * Document 001: what a lock must do, one property after the other. Re-entrance has an example of
 * its own, 001-re-entrant.php, and so has a lock on more than one server, 002-redlock.php.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 php -d extension=redislock 001-properties.php
 */

$lock = new RedisLock(getenv('REDIS_URL') ?: null, prefix: 'properties:');

// Mutual exclusion: whoever comes second gets null.
$token = $lock->acquire('a', ttl: 10);
echo 'mutual exclusion:           ', $lock->acquire('a') === null ? "yes\n" : "NO\n";

// Only the holder can release it: another token does nothing and says so.
$isFreedByOther = $lock->release('a', RedisLock::token());
echo 'only the holder releases:   ', !$isFreedByOther && $lock->release('a', $token) ? "yes\n"
    : "NO\n";

// Released on timeout: the TTL is set with the lock, in one command, and the server keeps it.
$old = $lock->acquire('b', ttl: 0.1);
$new = $lock->acquire('b', ttl: 10, wait: 1);
echo 'released on timeout:        ', $new !== null ? "yes\n" : "NO\n";

// The holder that was too slow is told, and does not free the lock of its successor.
echo 'the late holder is told:    ', !$lock->release('b', $old) && $lock->release('b', $new)
    ? "yes\n" : "NO\n";

// A transport error is not a refusal: null means "someone else has it", an exception that nobody
// could be asked.
try {
    $answer = (new RedisLock('unix:///nonexistent/redis.sock'))->acquire('c');
} catch (RedisLockConnectionException $error) {
    $answer = $error;
}
echo 'error differs from refusal: ', $answer instanceof RedisLockConnectionException ? "yes\n"
    : "NO\n";

// Cheap: one command to take it, one to free it, on a connection that is kept.
$before = RedisLock::stats();
$lock->release('d', $lock->acquire('d'));
$after = RedisLock::stats();
echo 'on a connection kept:       ', $after['connects'] === $before['connects'] ? "yes\n" : "NO\n";
