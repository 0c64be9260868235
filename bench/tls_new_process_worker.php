<?php
/*
 * For bench/tls.php: prints as JSON what a new process needs for its first object, "made", and for
 * its first acquire, "acquired", in ns.
 *
 * usage: php tls_new_process_worker.php DSN
 */
$start = hrtime(true);
$lock = new RedisLock($argv[1]);
$made = hrtime(true);
$token = $lock->acquire('bench:new process', 30.0);
$acquired = hrtime(true);
$lock->release('bench:new process', $token);
echo json_encode(['made' => $made - $start, 'acquired' => $acquired - $made]), "\n";
