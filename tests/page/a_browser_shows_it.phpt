--TEST--
A browser shows the page of examples/locks.php: 200 locks, a Chinese key, markup as text, a lock that comes later, and an outage.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../inc/page.inc';
skip_without_page();
skip_without_browser();
?>
--FILE--
<?php
require __DIR__ . '/../inc/page.inc';

$server = start_server();
$lock = new RedisLock($server->dsn());
for ($i = 0; $i < 198; $i++) {
    $token = $lock->acquire(sprintf('item:%03d', $i), ttl: 300);
}
$token = $lock->acquire('订单:42', ttl: 300);
$token = (new RedisLock($server->dsn(), label: '<img/src=x/onerror=document.title=1>'))
    ->acquire('<script>document.title = 2</script>', ttl: 300);
$page = new Page($server);
$browser = new Browser($server->folder);
$browser->open($page->urlWithPassword());

$keys = 'Array.from(document.querySelectorAll("tr.lock td.key"), cell => cell.innerText)';
$seen = $browser->value($keys);
same('locks', 200, count($seen));
check('a Chinese key', in_array('订单:42', $seen, true), array_slice($seen, -3));
check('a key with markup', in_array('<script>document.title = 2</script>', $seen, true),
    array_slice($seen, 0, 3));
same('a label with markup', '<img/src=x/onerror=document.title=1>', $browser->value(
    'document.querySelector("tr.lock td:nth-child(2)").innerText'));
same('no element of these texts, no script', [0, '200 locks, 0 waiting'], $browser->value(
    '[document.querySelectorAll("img, script").length, document.title]'));
$width = 'document.querySelector("tr.lock .bar .left").getBoundingClientRect().width';
check('a bar can be seen', $browser->value($width) > 20, $browser->value($width));
same('colour of the bar, so the style holds', 'rgb(51, 170, 119)',
    $browser->value('getComputedStyle(document.querySelector(".left")).fill'));
same('pictures', 3, $browser->value('document.querySelectorAll("figure svg").length'));
check('bars of round trips', $browser->value(
    'document.querySelectorAll("figure:last-of-type rect.left[height]:not([height=\"0\"])").length')
    >= 1);
check('it is a PNG', str_starts_with($browser->picture(), "\x89PNG"));

/* The page comes anew by itself. A question may come between two pages. */
$await = fn (string $what, string $expression) => eventually($what,
    function () use ($browser, $expression): bool {
        try {
            return $browser->value($expression) === true;
        } catch (RuntimeException) {
            return false;
        }
    }, 20.0);
$token = $lock->acquire('later', ttl: 300);
$await('a later lock', "$keys.includes('later')");
$server->kill();
$await('an outage', 'document.title === "Outage"'
    . ' && document.querySelector("[role=alert]").innerText.includes("cannot be reached")'
    . ' && document.querySelectorAll("tr.lock").length === 0');
$server->start();
$await('after the outage', 'document.title === "0 locks, 0 waiting"');
$browser->end();

done();
?>
--EXPECT--
ok
