<?php
/*
 * The locks of a server on a page: who has which lock, since when, for how long and who waits, and
 * how long waits, holds and round trips take. The page refreshes itself each second.
 *
 *     REDISLOCK_PAGE_PASSWORD=... php -d redislock.servers=redis://127.0.0.1:6379 \
 *         -S 127.0.0.1:8080 examples/locks.php
 *
 * Under FPM it needs `env[REDISLOCK_PAGE_PASSWORD] = ...` in the pool. The servers and the prefix
 * are those of the ini settings redislock.servers and redislock.prefix. Without a password in its
 * environment the page refuses everybody. docs/monitoring.md says more.
 *
 *     ?prefix=order:   only the keys that begin so
 *     ?every=5         refresh each 5 seconds; 0 = never
 *     ?all=1           also strings that this extension has not written
 */

declare(strict_types=1);

/** So many keys it looks at: they may be a cache's, too. */
const MOST_KEYS = 10_000;
/** So many locks on a page. */
const MOST_LOCKS = 1000;
/** A bar is full at so many seconds: the default TTL. */
const FULL_BAR = 30.0;
/** The gauges and counters above the table. */
const NUMBERS = ['held', 'waiting', 'acquired', 'refused', 'timed_out', 'lost', 'failed'];

/* ---- Text ---- */

/** For the value of an attribute. */
function quoted(string $any): string
{
    return htmlspecialchars($any, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
}

/** For the page. Bytes are shown in place of controls, which a reader could not see, or which turn
 * the direction of writing. */
function text(string $any): string
{
    return (string) preg_replace_callback('~\p{C}~u', static fn (array $m): string =>
        '<i>' . preg_replace('~..~', '\\x$0', bin2hex($m[0])) . '</i>', quoted($any));
}

function seconds(float $time): string
{
    return match (true) {
        $time < 0.001 => sprintf('%.0f µs', $time * 1e6),
        $time < 1 => sprintf('%.3g ms', $time * 1e3),
        $time < 120 => sprintf('%.1f s', $time),
        $time < 7200 => sprintf('%.0f min', $time / 60),
        $time < 172800 => sprintf('%.1f h', $time / 3600),
        default => sprintf('%.1f days', $time / 86400),
    };
}

/* ---- Who may see it ---- */

/** @return ?string why the request is refused; null = it is not */
function refusal(): ?string
{
    $password = (string) getenv('REDISLOCK_PAGE_PASSWORD');
    if ($password === '') {
        http_response_code(403);
        return 'This page shows nothing until REDISLOCK_PAGE_PASSWORD is set in its environment.';
    }
    /** @var string $given */
    $given = $_SERVER['PHP_AUTH_PW'] ?? '';
    /* Hashes are equally long, so that not even the length shows in the time. */
    if (!hash_equals(hash('sha256', $password), hash('sha256', $given))) {
        http_response_code(401);
        header('WWW-Authenticate: Basic realm="locks", charset="UTF-8"');
        return 'This page needs its password, with any user name.';
    }
    return null;
}

/* ---- The locks ---- */

/**
 * @return array{list<array{string, RedisLockState}>, int, bool} the locks, those with waiters
 *   first and then those that are held longest; how many keys $all would add; and whether there
 *   are more keys than MOST_KEYS
 */
function locks(RedisLock $lock, string $prefix, bool $all): array
{
    $keys = $lock->findKeys($prefix, MOST_KEYS + 1);
    $more = count($keys) > MOST_KEYS;
    $locks = [];
    $hidden = 0;
    foreach ($lock->inspectAll(array_slice($keys, 0, MOST_KEYS)) as $key => $state) {
        if ($state === null) {
            continue;                   // it was freed meanwhile, or is no lock
        }
        if ($state->isForeign && !$all) {
            $hidden++;
        } else {
            $locks[] = ["$key", $state];
        }
    }
    usort($locks, byUrgency(...));
    return [$locks, $hidden, $more];
}

/**
 * @param array{string, RedisLockState} $a
 * @param array{string, RedisLockState} $b
 */
function byUrgency(array $a, array $b): int
{
    return [$b[1]->waiters, $a[1]->since ?? PHP_INT_MAX, $a[0]]
        <=> [$a[1]->waiters, $b[1]->since ?? PHP_INT_MAX, $b[0]];
}

function holder(RedisLockState $state): string
{
    return match (true) {
        $state->label !== null => '<bdi>' . text($state->label) . '</bdi>',
        $state->isDone => '<em>the work is done</em>',
        $state->isReserved => '<em>goes to a waiter</em>',
        $state->isForeign => '<em>another client</em>',
        default => '<em>unknown</em>',
    };
}

function waiters(RedisLockState $state): string
{
    if ($state->waiters === 0) {
        return '';
    }
    $labels = $state->waiting;
    sort($labels, SORT_NATURAL);        // in one order on each page
    $shown = array_slice($labels, 0, 3);
    $more = $state->waiters - count($shown);
    $names = implode(', ', array_map(text(...), $shown));
    return "$state->waiters" . ($names === '' ? '' : " <small><bdi>$names</bdi>"
        . ($more > 0 ? " and $more more" : '') . '</small>');
}

function bar(float $left): string
{
    if ($left === INF) {
        return '<em>no end</em>';
    }
    $width = round(100 * min(1.0, $left / FULL_BAR), 1);
    $class = $left < FULL_BAR / 10 ? 'low' : 'left';
    return "<svg class=bar role=img aria-label=\"time left\"><rect class=all width=\"100%\"/>"
        . "<rect class=$class width=\"$width%\"/></svg> " . seconds($left);
}

function row(string $key, RedisLockState $state, int $now): string
{
    $age = $state->since === null ? null : max(0, $now - $state->since);
    $age = $age === null ? '' : ($age < 120 ? "$age s" : seconds((float) $age));
    return '<tr class=lock><td class=key><bdi>' . text($key) . '</bdi><td>' . holder($state)
        . "<td>$age<td>" . bar($state->remaining) . '<td>' . waiters($state) . "\n";
}

/* ---- The pictures ---- */

/**
 * How many times are in each bucket, and not in a smaller one.
 *
 * @param array<string, int> $buckets
 * @return array<string, int>
 */
function counts(array $buckets): array
{
    $counts = [];
    $before = 0;
    foreach ($buckets as $bound => $count) {
        $counts["$bound"] = max(0, $count - $before);
        $before = $count;
    }
    return $counts;
}

/**
 * The upper bound of the bucket in which this part of all times ends.
 *
 * @param array<string, int> $buckets
 */
function quantile(array $buckets, float $part, int $count): string
{
    foreach ($buckets as $bound => $below) {
        if ($below >= $part * $count) {
            return "$bound" === '+Inf' ? 'more than hours' : seconds((float) $bound);
        }
    }
    return '';
}

/** @param array{count: int, sum: float, buckets: array<string, int>} $histogram */
function picture(string $title, array $histogram): string
{
    $counts = array_values(counts($histogram['buckets']));
    $bounds = array_map(strval(...), array_keys($histogram['buckets']));
    $highest = max(1, ...$counts);
    $bars = '';
    foreach ($counts as $i => $count) {
        /* Also a single one can be seen. */
        $height = $count === 0 ? 0 : max(1.0, round(40 * $count / $highest, 1));
        $label = $bounds[$i] === '+Inf' ? 'longer' : 'up to ' . seconds((float) $bounds[$i]);
        $bars .= sprintf('<rect class=left x="%d" y="%s" width="5" height="%s">'
            . '<title>%s: %d</title></rect>', 6 * $i, 40 - $height, $height, $label, $count);
    }
    $width = 6 * count($counts);
    $line = "<path d=\"M0 40.5H$width\"/>";
    if ($histogram['count'] === 0) {
        $text = 'none so far';
    } else {
        $at = static fn (float $part): string =>
            quantile($histogram['buckets'], $part, $histogram['count']);
        $text = "$histogram[count], mean " . seconds($histogram['sum'] / $histogram['count'])
            . ", half within {$at(0.5)}, 99&nbsp;% within {$at(0.99)}";
    }
    return "<figure><figcaption>$title</figcaption><svg viewBox=\"0 0 $width 41\" role=img"
        . " aria-label=\"$title: a bar for each bucket\">$bars$line</svg><p>$text</figure>\n";
}

function numbers(): string
{
    try {
        $stats = RedisLock::stats(all: true);
        $of = "of $stats[processes] processes of this PHP";
    } catch (RedisLockException) {      // no memory to share
        $stats = RedisLock::stats();
        $of = 'of this process alone';
    }
    $html = '<ul>';
    foreach (NUMBERS as $name) {
        $html .= '<li>' . strtr($name, '_', ' ') . " <b>$stats[$name]</b>";
    }
    $html .= "</ul>\n<div>";
    $html .= picture('Waits', $stats['wait_time']) . picture('Holds', $stats['hold_time'])
        . picture('Round trips', $stats['round_trip']);
    return "<h2>Numbers $of</h2>$html</div>\n";
}

/* ---- The page ---- */

function query(string $name, string $default): string
{
    $value = $_GET[$name] ?? null;
    return is_string($value) ? $value : $default;
}

/** @param array<string, string|int> $query */
function url(array $query): string
{
    return quoted('?' . http_build_query($query));
}

/** @return array{string, string} title and HTML */
function content(string $prefix, int $every, bool $all): array
{
    try {
        [$locks, $hidden, $more] = locks(
            new RedisLock(timeout: 0.5, connectTimeout: 0.5), $prefix, $all);
    } catch (RedisLockException $e) {
        http_response_code(503);
        $what = $e instanceof RedisLockConnectionException ? 'Redis cannot be reached'
            : 'Redis refuses';
        return ['Outage', "<p class=outage role=alert><b>$what:</b> " . text($e->getMessage())
            . '<br>Which locks are held is unknown.'];
    } catch (ValueError $e) {
        http_response_code(400);
        return ['Error', '<p class=outage role=alert>' . text($e->getMessage())];
    }
    $waiting = array_sum(array_map(static fn (array $lock): int => $lock[1]->waiters, $locks));
    $title = count($locks) . ($more ? '+' : '') . " locks, $waiting waiting";
    $left = count($locks) - MOST_LOCKS;
    $html = $more ? '<p class=outage>There are more keys than the ' . number_format(MOST_KEYS)
        . ' that this page looks at: choose a prefix.' : '';
    $html .= $left > 0 ? '<p>' . number_format($left) . ' more locks are not shown.' : '';
    $html .= '<table><tr><th>key<th>holder<th title="since the holder asked for the lock">age'
        . '<th title="a full bar is 30 seconds, or more">time left<th>waiters' . "\n";
    foreach (array_slice($locks, 0, MOST_LOCKS) as [$key, $state]) {
        $html .= row($key, $state, time());
    }
    $html .= '</table>' . ($locks === [] ? '<p>no locks' : '');
    if ($hidden > 0) {
        $html .= '<p><a href="' . url(['prefix' => $prefix, 'every' => $every, 'all' => 1])
            . "\">also show keys that this extension has not written: $hidden</a>";
    }
    return [$title, $html];
}

function page(): void
{
    $nonce = base64_encode(random_bytes(16));
    header('Content-Type: text/html; charset=utf-8');
    header("Content-Security-Policy: default-src 'none'; style-src 'nonce-$nonce'; "
        . "form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    header('X-Content-Type-Options: nosniff');
    header('Referrer-Policy: no-referrer');
    header('Cache-Control: no-store');
    $why = refusal();
    if ($why !== null) {
        header('Content-Type: text/plain; charset=utf-8');
        echo $why, "\n";
        return;
    }
    $prefix = query('prefix', '');
    $every = max(0, min(3600, (int) query('every', '1')));
    $all = query('all', '') === '1';
    [$title, $html] = content($prefix, $every, $all);
    $numbers = numbers();
    $refresh = $every === 0 ? '' : "<meta http-equiv=refresh content=$every>";
    $pause = '<a href="' . url(['prefix' => $prefix, 'every' => $every === 0 ? 1 : 0,
        'all' => (int) $all]) . '">' . ($every === 0 ? 'go on' : 'pause') . '</a>';
    $value = quoted($prefix);
    $hidden = $all ? '<input type=hidden name=all value=1>' : '';
    $clock = date('H:i:s');
    echo <<<HTML
        <!DOCTYPE html>
        <html lang=en>
        <meta charset=utf-8>
        <meta name=viewport content="width=device-width">
        <link rel=icon href="data:,">
        $refresh
        <title>$title</title>
        <style nonce="$nonce">
        :root { color-scheme: light dark; --line: #8884; --bar: #3a7; --low: #d63; }
        body { font: 14px/1.4 system-ui, sans-serif; margin: 1em auto; max-width: 75em;
            padding: 0 1em; }
        h1, h2 { font-size: 1.1em; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; padding: .2em .8em .2em 0; border-bottom: 1px solid var(--line);
            vertical-align: top; }
        td { font-variant-numeric: tabular-nums; }
        .key { overflow-wrap: anywhere; }
        .bar { width: 8em; height: .8em; }
        .bar rect { height: 100%; }
        .all { fill: var(--line); }
        .left { fill: var(--bar); }
        .low { fill: var(--low); }
        .outage { border-left: .4em solid var(--low); padding: .5em 1em; }
        i { color: var(--low); }
        ul { display: flex; flex-wrap: wrap; gap: 1.5em; list-style: none; padding: 0; }
        div { display: flex; flex-wrap: wrap; gap: 2em; }
        figure { margin: 0; width: 19em; }
        figure svg { width: 100%; }
        path { stroke: var(--line); }
        figure p { margin: 0; font-size: .85em; }
        </style>
        <h1>$title <small>at $clock, $pause</small></h1>
        <form><label>keys that begin with <input name=prefix value="$value"></label>
        $hidden</form>
        $html
        $numbers
        </html>

        HTML;
}

page();
