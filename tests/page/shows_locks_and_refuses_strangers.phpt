--TEST--
The page of examples/locks.php shows all locks as they are, escapes what strangers wrote, shows an outage, and refuses who has no password.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/page.inc';
skip_without_page();
?>
--FILE--
<?php
require __DIR__ . '/../inc/page.inc';

$server = start_server();
$lock = new RedisLock($server->dsn(), prefix: 'app:');
$page = new Page($server, ini: ['redislock.prefix' => 'app:']);

/* Who may see it. */
$token = $lock->acquire('secret');
foreach (['no password' => null, 'an empty one' => '', 'a wrong one' => 'se cret',
    'a part of it' => 'se cret:'] as $what => $password) {
    $answer = $page->get('', $password);
    same("$what: status", 401, $answer->status);
    matches("$what: the browser asks", '~^WWW-Authenticate: Basic ~mi', $answer->headers);
    check("$what: nothing is shown", !str_contains($answer->body, 'secret'), $answer->body);
}
foreach (['a password that is not set' => null, 'an empty setting' => ''] as $what => $set) {
    $closed = new Page($server, $set);
    foreach (['none' => null, 'an empty one' => '', 'any' => 'x'] as $which => $password) {
        $answer = $closed->get('', $password);
        same("$what, $which is given", 403, $answer->status);
        check("$what, $which: nothing is shown", !str_contains($answer->body, 'secret'),
            $answer->body);
    }
}
$server->cmd('FLUSHALL');

/** @return array<string, list<string>> key => the cells of its row, as HTML */
function rows(string $body): array
{
    preg_match_all('~^<tr class=lock><td class=key>(.*)$~m', $body, $m);
    $rows = [];
    foreach ($m[1] as $row) {
        $cells = explode('<td>', $row);
        $rows[array_shift($cells)] = $cells;
    }
    return $rows;
}

same('no locks', [200, true], [$page->get()->status,
    str_contains($page->get()->body, '<p>no locks')]);

/* Locks of all kinds. */
for ($i = 0; $i < 200; $i++) {
    $token = $lock->acquire(sprintf('item:%03d', $i), ttl: 300);
}
$token = $lock->acquire('订单:42', ttl: 15);
$token = (new RedisLock($server->dsn(), 'app:', label: '<b>&"\'holder'))
    ->acquire('labelled', ttl: 300);
$markup = '"><script>alert(1)</script>&amp;\'';
$token = $lock->acquire($markup, ttl: 300);
$token = $lock->acquire("bytes\0\xff\u{202e}end", ttl: 300);
$token = $lock->acquire('42', ttl: 300);
$server->cmd('SET', 'app:foreign', 'somebody', 'PX', 300000);
$server->cmd('SET', 'app:endless', 'somebody');
$server->cmd('SET', 'other:key', 'somebody');
$server->cmd('LPUSH', 'app:list', '1');
$lock->once('done', fn () => null, for: 300);
$waiter = start_php('
    $lock = new RedisLock($argv[1], "app:", label: "<i>waiter</i>");
    $ignored = $lock->acquire($argv[2], wait: 60);', [$server->dsn(), '订单:42']);
eventually('one waits', fn () => $lock->inspect('订单:42')->waiters === 1);

$answer = $page->get();
same('only locks', 206, count(rows($answer->body)));
matches('what is hidden', '~<a href="\?prefix=&amp;every=1&amp;all=1">also show .*: 2</a>~',
    $answer->body);
$answer = $page->get('all=1');
$rows = rows($answer->body);
same('status', 200, $answer->status);
matches('the form and the pause keep all', '~"\?prefix=&amp;every=0&amp;all=1">pause.*'
    . '<input type=hidden name=all value=1>~s', $answer->body);
same('rows', 208, count($rows));
matches('title', '~<title>208 locks, 1 waiting</title>~', $answer->body);
matches('it refreshes itself each second', '~<meta http-equiv=refresh content=1>~', $answer->body);
for ($i = 0; $i < 200; $i++) {
    check("item $i", isset($rows[sprintf('<bdi>item:%03d</bdi>', $i)]));
}
$row = $rows['<bdi>订单:42</bdi>'] ?? [];
same('the key with a waiter comes first', '<bdi>订单:42</bdi>', array_key_first($rows));
matches('its holder', '~^<bdi>\S+:' . getmypid() . '</bdi>$~', $row[0] ?? '');
matches('its age', '~^\d+ s$~D', $row[1] ?? '');
matches('its bar is half full at most', '~<rect class=left width="([0-4]?\d(\.\d)?|50)%"/></svg>'
    . ' \d+\.\d s$~', $row[2] ?? '');
same('its waiter', '1 <small><bdi>&lt;i&gt;waiter&lt;/i&gt;</bdi></small>', $row[3] ?? '');
same('a label with markup', '<bdi>&lt;b&gt;&amp;&quot;&apos;holder</bdi>',
    $rows['<bdi>labelled</bdi>'][0] ?? '');
$as_text = '<bdi>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&apos;</bdi>';
check('a key with markup', isset($rows[$as_text]), array_keys($rows));
check('no script', !str_contains($answer->body, '<script'));
$as_bytes = "<bdi>bytes<i>\\x00</i>\u{fffd}<i>\\xe2\\x80\\xae</i>end</bdi>";
check('bytes that are no text', isset($rows[$as_bytes]), preg_grep('~bytes~', array_keys($rows)));
check('a number', isset($rows['<bdi>42</bdi>']));
same('another client', '<em>another client</em>', $rows['<bdi>foreign</bdi>'][0] ?? '');
same('no end', '<em>no end</em>', $rows['<bdi>endless</bdi>'][2] ?? '');
same('work that is done', '<em>the work is done</em>', $rows['<bdi>done</bdi>'][0] ?? '');
check('no helper key, no other prefix, no other type',
    !preg_match('~rl-wait|other:key|app:|>list<~', $answer->body));
check('no token', !preg_match('~rl1\.[\w-]{24}~', $answer->body));
check('no warning', !preg_match('~(Warning|Notice|Deprecated|Fatal error): ~', $answer->body));
matches('nothing from elsewhere', "~^Content-Security-Policy: default-src 'none'; ~mi",
    $answer->headers);
check('no address of another server', !preg_match('~(src|href)\s*=\s*"?(https?:|//)~i',
    $answer->body));
matches('it is not stored', '~^Cache-Control: no-store$~mi', $answer->headers);
same('pictures', 3, substr_count($answer->body, '<figure>'));
matches('the round trips of this page', '~<figcaption>Round trips</figcaption>.*<p>\d+, mean ~s',
    $answer->body);

/* What the query says. */
same('a prefix', ['<bdi>item:100</bdi>'], array_keys(rows($page->get('prefix=item:100')->body)));
same('a prefix is no pattern', [], rows($page->get('prefix=item:*')->body));
$body = $page->get('prefix=' . urlencode($markup) . '&every=0')->body;
same('a prefix with markup', [$as_text], array_keys(rows($body)));
check('it stays text in the form', str_contains($body,
    'value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&apos;"'));
check('no refresh', !str_contains($body, 'http-equiv'));
foreach (['prefix[]=x', 'every[]=x', 'every=-5', 'every=x'] as $query) {
    same("$query: status", 200, $page->get($query)->status);
}
$too_long = $page->get('prefix=' . str_repeat('x', 70000));
check('a prefix that is too long', in_array($too_long->status, [400, 413, 414, 431], true)
    || rows($too_long->body) === [], $too_long->status);

/* A cache with the same prefix, more locks than the page shows, and more keys than it looks at. */
$cache = static function (int $from, int $to) use ($server): void {
    $pairs = [];
    for ($i = $from; $i < $to; $i++) {
        array_push($pairs, "app:cache:$i", 'x');
    }
    $server->cmd('MSET', ...$pairs);
};
$cache(0, 3000);
$body = $page->get()->body;
same('beside a cache: all locks', 206, count(rows($body)));
check('beside a cache: nothing is missing', !str_contains($body, 'choose a prefix'));
for ($i = 0; $i < 900; $i++) {
    $token = $lock->acquire("more:$i", ttl: 300);
}
$body = $page->get()->body;
same('many locks', 1000, count(rows($body)));
same('many locks: the key with a waiter comes first', '<bdi>订单:42</bdi>',
    array_key_first(rows($body)));
check('many locks: how many are left out', str_contains($body, '<p>106 more locks are not shown.'));
$cache(3000, 10000);
check('many keys', str_contains($page->get()->body, 'more keys than the 10,000'));

/* An outage, and a server that hangs. */
$server->pause();
$answer = $page->get();
same('a server that hangs: status', 503, $answer->status);
$server->resume();
$server->kill();
$answer = $page->get();
same('an outage: status', 503, $answer->status);
matches('its title', '~<title>Outage</title>~', $answer->body);
matches('it is said', '~<p class=outage role=alert><b>Redis cannot be reached:</b> .+~',
    $answer->body);
same('and no lock, and not that there is none', [[], false],
    [rows($answer->body), str_contains($answer->body, 'no locks')]);
same('the pictures stay', 3, substr_count($answer->body, '<figure>'));
matches('and the page comes again', '~<meta http-equiv=refresh~', $answer->body);
$server->start();
same('after the outage', 200, $page->get()->status);

/* A user without rights. */
$server->cmd('ACL', 'SETUSER', 'default', '-scan');
$answer = $page->get();
same('without rights: status', 503, $answer->status);
matches('without rights', '~<b>Redis refuses:</b> .+~', $answer->body);
$server->cmd('ACL', 'SETUSER', 'default', '+@all');

done();
?>
--EXPECT--
ok
