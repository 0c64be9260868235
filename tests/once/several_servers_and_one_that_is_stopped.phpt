--TEST--
On several servers the mark is on a majority; with one server stopped, work is done once as well.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/server.inc';
skip_without_server();
?>
--FILE--
<?php
require __DIR__ . '/../inc/renew.inc';

require __DIR__ . '/../inc/members.inc';

$members = start_members(3);
$lock = $members->lock();
$runs = 0;
$section = function () use (&$runs): void {
    $runs++;
};
/* A member whose connection is slow to come may have neither token nor mark. */
$marked = fn (): array => array_keys($members->values('mail'), 'rl1.done', true);
same('the first call', true, $lock->once('mail', $section, for: 60, ttl: room(2.0)));
eventually('a majority has the mark', fn () => count($marked()) >= 2, 10.0);
same('the second call', false, $lock->once('mail', $section, for: 60, ttl: room(2.0)));
same('isDone', true, $lock->inspect('mail')->isDone);

/* A majority has lost it. */
while (count($marked()) > 2) {
    $members->servers[$marked()[0]]->cmd('DEL', 'mail');
}
same('two have it', false, $lock->once('mail', $section, for: 60, ttl: room(2.0)));
$members->servers[$marked()[0]]->cmd('DEL', 'mail');
same('one has it', true,
    $lock->once('mail', $section, for: 60, ttl: room(2.0), wait: slack(5.0)));
same('runs', 2, $runs);

$members->pause(1);
same('one is stopped', true,
    $lock->once('stopped', $section, for: 60, ttl: room(2.0), wait: slack(5.0)));
same('one is stopped: again', false, $lock->once('stopped', $section, for: 60, ttl: room(2.0)));
throws('one is stopped: an exception', 'DomainException', '~~',
    fn () => $lock->once('failed', fn () => throw new DomainException, for: 60, ttl: room(2.0)));
same('one is stopped: after it', true, $lock->once('failed', $section, for: 60, ttl: room(2.0)));
same('runs', 4, $runs);
$members->resume(1);
same('all are back', false, $lock->once('stopped', $section, for: 60, ttl: room(2.0)));

done();
?>
--EXPECT--
ok
