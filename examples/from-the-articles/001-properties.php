<?php
/*
 * Document 001: the properties that a lock must have, one after the other. 001-re-entrant.php shows
 * re-entrance, and 002-redlock.php a lock on more than one server.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 php -d extension=redislock 001-properties.php
 */

$lock = new RedisLock(getenv('REDIS_URL') ?: null, prefix: 'properties:');

// Mutual exclusion: the second caller gets null.
$token = $lock->acquire('a', ttl: 10) ?? exit("another process has a\n");
echo 'mutual exclusion:           ', $lock->acquire('a') === null ? "yes\n" : "NO\n";

// Only the holder can release it: with another token release() does nothing and returns false.
$isFreedByOther = $lock->release('a', RedisLock::token());
echo 'only the holder releases:   ', !$isFreedByOther && $lock->release('a', $token) ? "yes\n"
    : "NO\n";

// Released on timeout: one command sets the lock and its TTL, and the server ends it.
$old = $lock->acquire('b', ttl: 0.1) ?? exit("another process has b\n");
$new = $lock->acquire('b', ttl: 10, wait: 1);
echo 'released on timeout:        ', $new !== null ? "yes\n" : "NO\n";

// The holder that was too slow learns it, and does not free the lock of its successor.
echo 'the late holder is told:    ', !$lock->release('b', $old) && $new !== null
    && $lock->release('b', $new) ? "yes\n" : "NO\n";

// A transport error is not a refusal: null means "another holder has it", an exception "no server
// could be asked".
try {
    $answer = (new RedisLock('unix:///nonexistent/redis.sock'))->acquire('c');
} catch (RedisLockConnectionException $error) {
    $answer = $error;
}
echo 'error differs from refusal: ', $answer instanceof RedisLockConnectionException ? "yes\n"
    : "NO\n";

// Cheap: one command takes the lock, and one frees it, on a connection that stays open.
$before = RedisLock::stats();
$token = $lock->acquire('d') ?? exit("another process has d\n");
$lock->release('d', $token);
$after = RedisLock::stats();
echo 'on a connection kept:       ', $after['connects'] === $before['connects'] ? "yes\n" : "NO\n";
