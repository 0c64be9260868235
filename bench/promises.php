<?php
/*
 * Tests what RedisLock promises to waiters: no waiter overtakes another, a wait is quiet, and a
 * waiter notices in time what happens to the holder. The results are lines of the report's last
 * table.
 */

final class Promises
{
    private readonly Server $server;
    private readonly Workers $workers;
    /** @var array<string, array{Server, Workers, Wire}> the ten-second waits, which run beside the
     * rest */
    private array $longWaits = [];

    public function __construct(private readonly Bench $bench, private readonly array $command)
    {
        $this->server = new Server($bench->server, $bench->folder);
        $this->workers = $this->workersOf($this->server, 20);
    }

    public function check(): void
    {
        if ($this->longWaits === []) {
            $this->beginLongWaits();
        }
        $this->newcomer();
        $this->deadline();
        $this->plainDelete('a foreign token', fn () => bin2hex(random_bytes(12)), 0.26);
        $this->plainDelete('a token of ours', fn () => RedisLock::token(), 1.1);
        $this->killedHolder();
        $this->finishLongWaits();
        $this->workers->end();
        $this->server->end();
        $this->bench->progressDone();
    }

    private function workersOf(Server $server, int $count): Workers
    {
        return new Workers([...$this->command, (string) $server->port], $this->bench->control,
            $count);
    }

    /**
     * Somebody waits, the holder releases, and right behind it another client sends SET NX. To make
     * it as hard as can be, the server stands still until both have been sent, and then reads one
     * right after the other.
     */
    private function newcomer(): void
    {
        $tries = $this->bench->choose(300, 50);
        $other = new Wire($this->server->port);
        $won = 0;
        for ($i = 0; $i < $tries; $i++) {
            $this->bench->progress('newcomers', sprintf('%d of %d', $i + 1, $tries));
            $key = "newcomer:$i";
            [, , $token] = $this->workers->ask(0, 'acquire', $key, 30, 0);
            $this->workers->tell(1, 'acquire', $key, 30, 10);
            usleep(4_000);
            $this->server->stop();
            usleep(200);
            $this->workers->tell(0, 'release', $key, $token);
            usleep(1_000);
            $other->send('SET', $key, 'newcomer', 'NX', 'PX', '30000');
            usleep(200);
            $this->server->goOn();
            if ($other->read() === 'OK') {
                $won++;
                $other->ask('DEL', $key);
            }
            [, , $isReleased] = $this->workers->answer(0);
            [, , $token] = $this->workers->answer(1);
            if ($isReleased !== '1' || $token === '-') {
                throw new RuntimeException('a waiter did not get the lock that was freed');
            }
            $this->workers->ask(1, 'release', $key, $token);
        }
        $this->bench->report->promise("newcomers that overtake a waiter, of $tries", (string) $won,
            '0', $won === 0);
    }

    /** wait: 0.5 on a lock that is held all the time. */
    private function deadline(): void
    {
        $perWorker = $this->bench->choose(10, 2);
        $this->server->wire->ask('SET', 'held', RedisLock::token(), 'PX', '60000');
        $times = [];
        for ($i = 0; $i < $perWorker; $i++) {
            $this->bench->progress('deadlines', sprintf('%d of %d', $i + 1, $perWorker));
            for ($worker = 0; $worker < 10; $worker++) {
                $this->workers->tell($worker, 'acquire', 'held', 30, 0.5);
                usleep(5_000); // not all deadlines at one moment
            }
            for ($worker = 0; $worker < 10; $worker++) {
                [$before, $after, $token] = $this->workers->answer($worker);
                $token === '-' || throw new RuntimeException('a held lock was granted');
                $times[] = ($after - $before) / 1e9;
            }
        }
        $this->bench->report->promise(sprintf('a wait of 0.5 s, %d times', count($times)),
            sprintf('%.4f to %.4f s', min($times), max($times)), '0.500 to 0.520 s',
            min($times) >= 0.5 && max($times) <= 0.52);
    }

    /** The key is deleted by a client that wakes nobody; how long until a waiter has it. */
    private function plainDelete(string $whose, callable $token, float $target): void
    {
        $times = [];
        foreach (range(1, $this->bench->choose(2, 1)) as $round) {
            $this->bench->progress("plain DEL, $whose");
            for ($worker = 0; $worker < 20; $worker++) {
                $this->server->wire->ask('SET', "deleted:$worker", $token(), 'PX', '60000');
                $this->workers->tell($worker, 'acquire', "deleted:$worker", 30, 10);
            }
            usleep(1_000_000);
            $deleted = [];
            for ($worker = 0; $worker < 20; $worker++) {
                usleep(random_int(0, 100_000)); // wherever the waiter is between two looks
                $deleted[$worker] = hrtime(true);
                $this->server->wire->ask('DEL', "deleted:$worker");
            }
            for ($worker = 0; $worker < 20; $worker++) {
                [, $after, $granted] = $this->workers->answer($worker);
                $granted !== '-' || throw new RuntimeException('a deleted key was never granted');
                $times[] = ($after - $deleted[$worker]) / 1e9;
                $this->workers->ask($worker, 'release', "deleted:$worker", $granted);
            }
        }
        $this->bench->report->promise(sprintf('plain DEL of %s is noticed, %d times', $whose,
            count($times)),
            sprintf('median %.3f, most %.3f s', median($times), max($times)), "<= $target s",
            max($times) <= $target);
    }

    /** The holder is killed; a waiter has the lock when its TTL is over. */
    private function killedHolder(): void
    {
        $this->bench->progress('killed holders');
        $count = 10;
        $holders = $this->workersOf($this->server, $count);
        $ends = $late = [];
        for ($i = 0; $i < $count; $i++) {
            $ttl = 0.5 + $i * 0.1;
            [$before] = $holders->ask($i, 'acquire', "killed:$i", $ttl, 0);
            $ends[$i] = $before + (int) ($ttl * 1e9);
            $this->workers->tell($i, 'acquire', "killed:$i", 30, 10);
        }
        usleep(100_000);
        for ($i = 0; $i < $count; $i++) {
            $holders->kill($i);
        }
        for ($i = 0; $i < $count; $i++) {
            [, $after, $token] = $this->workers->answer($i);
            $token !== '-'
                || throw new RuntimeException('the lock of a killed holder was never granted');
            $late[] = $after - $ends[$i];
            $this->workers->ask($i, 'release', "killed:$i", $token);
        }
        $holders->end();
        $this->bench->report->promise(
            "lock of a killed holder is taken, after its TTL, $count times",
            sprintf('median %s, most %s', duration(median($late)), duration(max($late))),
            '<= 50 ms',
            max($late) <= 50_000_000);
    }

    /**
     * Waits of 10 s, each on a server of its own, whose MONITOR tells what was sent. They
     * only wait, so they may begin long before check().
     */
    public function beginLongWaits(): void
    {
        foreach (['a token of ours' => RedisLock::token(), 'a foreign token' => 'foreign']
                as $whose => $token) {
            $server = new Server($this->bench->server, $this->bench->folder);
            $server->wire->ask('SET', 'long', $token, 'PX', '30000');
            $workers = $this->workersOf($server, 1);
            $monitor = new Wire($server->port);
            $monitor->ask('MONITOR');
            $workers->tell(0, 'acquire', 'long', 30, 10);
            $this->longWaits[$whose] = [$server, $workers, $monitor];
        }
    }

    private function finishLongWaits(): void
    {
        foreach ($this->longWaits as $whose => [$server, $workers, $monitor]) {
            $this->bench->progress('waits of 10 s');
            [, , $token] = $workers->answer(0);
            $token === '-' || throw new RuntimeException('a held lock was granted');
            usleep(20_000); // what the end of the wait has sent may still be on its way
            // One line a command; those of a script say who called them.
            $lines = explode("\r\n", $monitor->readAvailable());
            $commands = count(preg_grep('/^\+\d+\.\d+ \[\d+ (?!lua\])/', $lines));
            $target = $whose === 'a token of ours' ? 18 : 70;
            $this->bench->report->promise("commands of a wait of 10 s, the holder has $whose",
                (string) $commands,
                "<= $target", $commands > 0 && $commands <= $target);
            $workers->end();
            $server->end();
        }
    }
}
