--TEST--
While an exception is in flight nothing is thrown: it comes out as it is, and when it has been caught, the loss follows.
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

$server = start_server();
$lock = new RedisLock($server->dsn());
final class LongDestructor
{
    public static array $ended = [];

    public function __construct(private string $name)
    {
    }

    public function __destruct()
    {
        self::$ended[$this->name] = compute(0.2);
    }
}
function numbers(): Generator
{
    try {
        yield 1;
        yield 2;
    } finally {
        LongDestructor::$ended['generator'] = compute(0.2);
    }
}
function nested(): void
{
    try {
        try {
            throw new LogicException('mine');
        } finally {
            try {
                compute(0.1);
            } finally {
                array_map(fn () => compute(0.1), [1, 2]);
            }
        }
    } finally {
        compute(0.1);
    }
}
$flights = [
    'a finally block' => function (): void {
        try {
            throw new LogicException('mine');
        } finally {
            compute(0.2);
        }
    },
    'nested finally blocks' => nested(...),
    'a finally block of a caller' => function (): void {
        try {
            nested();
        } finally {
            compute(0.1);
        }
    },
    'a rethrown exception' => function (): void {
        try {
            try {
                throw new RuntimeException('first');
            } catch (RuntimeException $first) {
                throw new LogicException('mine', 0, $first);
            } finally {
                compute(0.2);
            }
        } finally {
            compute(0.1);
        }
    },
    'an exception from a callback' => function (): void {
        try {
            array_map(fn () => throw new LogicException('mine'), [1]);
        } finally {
            compute(0.2);
        }
    },
    'a destructor on its way' => function (): void {
        $object = new LongDestructor('on its way');
        throw new LogicException('mine');
    },
    'a generator on its way' => function (): void {
        $generator = numbers();
        $generator->current();
        throw new LogicException('mine');
    },
    'a generator of a callee on its way' => function (): void {
        (function (): void {
            $generator = numbers();
            $generator->current();
            throw new LogicException('mine');
        })();
    },
    'a generator of a generator on its way' => function (): void {
        $outer = (function () {
            $generator = numbers();
            yield $generator->current();
            throw new LogicException('mine');
        })();
        foreach ($outer as $n) {
        }
    },
    'a generator of a callback on its way' => fn () => array_map(function (): void {
        $generator = numbers();
        $generator->current();
        throw new LogicException('mine');
    }, [1]),
    'a loop over a generator' => function (): void {
        foreach (numbers() as $n) {
            throw new LogicException('mine');
        }
    },
    'a generator that throws' => function (): void {
        $generator = (function () {
            try {
                yield 1;
                throw new LogicException('mine');
            } finally {
                compute(0.2);
            }
        })();
        foreach ($generator as $n) {
        }
    },
    'Generator::throw()' => function (): void {
        $generator = numbers();
        $generator->current();
        $generator->throw(new LogicException('mine'));
    },
    'a Fiber that is dropped on its way' => function (): void {
        $fiber = new Fiber(function (): void {
            try {
                Fiber::suspend();
            } finally {
                LongDestructor::$ended['Fiber'] = compute(0.2);
            }
        });
        $fiber->start();
        throw new LogicException('mine');
    },
    'an error of PHP' => function (): void {
        try {
            throw new LogicException('mine', 0, (function (): ?Throwable {
                try {
                    strlen([]);
                } catch (TypeError $error) {
                    return $error;
                }
            })());
        } finally {
            compute(0.2);
        }
    },
];
foreach ($flights as $what => $flight) {
    LongDestructor::$ended = [];
    $caught = null;
    $lease = watched_lease($lock);
    $server->cmd('DEL', 'k');
    interrupted($what, function () use ($flight, &$caught): void {
        try {
            $flight();
        } catch (Throwable $caught) { // and from here on the loss may come
        }
        compute(5.0);
    }, 0.8);
    same("$what: the exception in flight", 'LogicException "mine"', show($caught));
    check("$what: nothing came before it", !$caught?->getPrevious() instanceof RedisLockLostException);
    foreach (LongDestructor::$ended as $where => $how) {
        same("$what: $where", 'it was not stopped', $how);
    }
    unset($lease, $caught);
}

/* finally without an exception is code as any other, also behind a return; so is a catch block. */
foreach (['finally without an exception' => function (): int {
    try {
        return 1;
    } finally {
        compute(5.0);
    }
}, 'finally after an exception that was caught' => function (): void {
    try {
        try {
            throw new LogicException('mine');
        } catch (LogicException) {
        } finally {
            compute(5.0);
        }
    } finally {
        LongDestructor::$ended['outer'] = compute(0.01);
    }
}, 'catch' => function (): void {
    try {
        throw new LogicException('mine');
    } catch (LogicException) {
        compute(5.0);
    }
}, 'a generator that goes on' => function (): void {
    foreach (numbers() as $n) {
        compute(5.0);
    }
}] as $what => $body) {
    $lease = watched_lease($lock);
    $server->cmd('DEL', 'k');
    interrupted($what, $body, 0.4);
    unset($lease);
}
same('keys', [], $server->keys());

done();
?>
--EXPECT--
ok
