<?php

/* Handles a message whose OnceStamp has this key. The handler ends with a line of the input, and
   throws if the input ends without one.

   usage: php handle.php DSN KEY */

declare(strict_types=1);

use RedisLock\Symfony\OnceMiddleware;
use RedisLock\Symfony\OnceStamp;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Stamp\ReceivedStamp;

require __DIR__ . '/bootstrap.php';

$handle = function (): void {
    echo "held\n";
    if (fgets(STDIN) === false) {
        throw new RuntimeException('the handler has failed');
    }
};
$bus = new MessageBus([
    new OnceMiddleware(new RedisLock($argv[1])),
    new HandleMessageMiddleware(new HandlersLocator([stdClass::class => [$handle]])),
]);
try {
    $bus->dispatch(new stdClass(), [new OnceStamp($argv[2], 60), new ReceivedStamp('async')]);
} catch (RuntimeException) {
    exit(1);
}
