--TEST--
docs/stability.md names every public name, with the arguments of methods in their order, and no name that does not exist.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
if (!is_dir(__DIR__ . '/../../packages/laravel/src') || !is_dir(__DIR__ . '/../../debian')) {
    die('skip only in a checkout: the package of pecl has not all that the page names');
}
?>
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

$root = dirname(__DIR__, 2);
$page = file_get_contents("$root/docs/stability.md");

/** @return list<list<string>> the cells of the tables from a heading to the next one */
function table(string $heading): array
{
    global $page;
    preg_match('~^#+ ' . preg_quote($heading) . '$(.*?)(?=^#|\z)~ms', $page, $section);
    /* Each table but its two first lines, the head and the line of dashes. */
    preg_match_all('~(?:^\|.*\n)(?:^\|[-|]+\n)((?:^\|.*\n)+)~m', $section[1] ?? '', $tables);
    $rows = array_filter(explode("\n", implode('', $tables[1])));
    check("the page has a table below \"$heading\"", $rows !== []);
    return array_map(static fn (string $row): array =>
        array_map(trim(...), explode('|', trim($row, '|'))), array_values($rows));
}

/** @return list<string> the names in a cell */
function names(string $cell): array
{
    preg_match_all('~`([^`]+)`~', $cell, $m);
    return $m[1];
}

/** @return array<string, string> the first name in a row => the names of the next cell */
function listed(string $heading): array
{
    $rows = [];
    foreach (table($heading) as [$name, $more]) {
        $name = names($name)[0] ?? $name;
        check("the page has $name once", !isset($rows[$name]));
        $rows[$name] = implode(', ', names($more));
    }
    return $rows;
}

/** Both lists, whatever their order, and what one of them has alone. */
function equal(string $what, array $real, array $on_page): void
{
    same("$what: twice on the page", [], array_diff_key($on_page, array_unique($on_page)));
    same("$what: not on the page", [], array_values(array_diff($real, $on_page)));
    same("$what: on the page alone", [], array_values(array_diff($on_page, $real)));
}

/** The same with values: signatures by names. */
function equal_maps(string $what, array $real, array $on_page): void
{
    equal($what, array_keys($real), array_keys($on_page));
    foreach (array_intersect_key($real, $on_page) as $name => $value) {
        same("$what: $name", $value, $on_page[$name]);
    }
}

/** A signature as the page writes it. */
function signature(array $required, array $optional): string
{
    return implode(', ', [...$required, ...$optional === [] ? [] : ['['
        . implode(', ', $optional) . ']']]);
}

function source(string $path): string
{
    global $root;
    return file_get_contents("$root/$path");
}

/** @return list<string> what the regex finds in a part of a source file */
function found(string $path, string $part, string $regex): array
{
    preg_match($part, source($path), $m);
    preg_match_all($regex, $m[0] ?? '', $found);
    check("$path has $part", $found[1] !== []);
    return $found[1];
}

/* ---- the extension ---- */

$extension = new ReflectionExtension('redislock');
same('functions', [], $extension->getFunctions());
same('constants', [], $extension->getConstants());

$kinds = [];
$members = [];
foreach ($extension->getClasses() as $class) {
    $parent = $class->getParentClass();
    $kinds[$class->name] = match (true) {
        $class->isEnum() => 'enum '
            . ((new ReflectionEnum($class->name))->isBacked() ? 'with' : 'without') . ' values',
        $parent !== false => ($class->isFinal() ? 'final, ' : '') . "extends `$parent->name`",
        $class->isFinal() => 'final' . ($class->isReadOnly() ? ', readonly' : '')
            . ($class->isInstantiable() ? '' : '; only the extension makes objects'),
        default => 'may be extended',
    };
    $methods = [];
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        if ($method->class === $class->name && !($class->isEnum() && $method->isStatic())) {
            $parameters = $method->getParameters();
            $isOptional = static fn (ReflectionParameter $p): bool => $p->isOptional();
            $name = static fn (ReflectionParameter $p): string => $p->name;
            $optional = array_filter($parameters, $isOptional);
            $methods[($method->isStatic() ? 'static ' : '') . $method->name] = signature(
                array_map($name, array_diff_key($parameters, $optional)),
                array_map($name, $optional));
        }
    }
    $fields = array_map(fn ($p) => $p->name, array_filter(
        $class->getProperties(ReflectionProperty::IS_PUBLIC),
        fn ($p) => $p->class === $class->name && !$class->isEnum()));
    $cases = array_map(fn ($c) => $c->name, $class->getReflectionConstants());
    if (in_array($class->name, ['RedisLock', 'RedisLockLease'], true)) {
        equal_maps($class->name, $methods, listed($class->name));
        $methods = [];
    }
    /* None of these methods has arguments. */
    same("$class->name: arguments", [], array_filter($methods));
    $members[$class->name] = implode(', ', [...$fields, ...$cases, ...array_keys($methods)]);
}
equal_maps('members', array_filter($members), listed('Properties, cases, exceptions'));
$on_page = [];
foreach (table('The extension') as [$name, $kind]) {
    $on_page[names($name)[0]] = $kind;
}
equal_maps('classes', $kinds, $on_page);

/* ---- settings and numbers ---- */

$settings = [];
foreach (table('Settings and numbers') as [$what, $names]) {
    $settings[str_replace('`', '', $what)] = names($names);
}
$ini = ini_get_all('redislock');
equal('ini settings', array_keys($ini), $settings['ini settings'] ?? []);
same('who may change them', [INI_ALL], array_values(array_unique(array_column($ini, 'access'))));
equal('schemes', found('ext/core/wire/rl_dsn.c', '~ schemes\[\] = \{.*?^\};~ms', '~\{"([^"]+)"~'),
    $settings['DSN schemes'] ?? []);
equal('options', found('ext/core/wire/rl_dsn.c', '~#define OPTIONS\(X\).*?[^\\\\]$~ms',
    '~X\(\w+, "([^"]+)"~'), $settings['DSN options'] ?? []);
equal('options of TLS', found('ext/core/wire/rl_tls_options.c', '~ known\[.*?^\};~ms',
    '~= \{"(\w+)"~'), $settings['ssl[name], tls'] ?? []);
equal('faults', found('ext/core/wire/rl_target.c', '~ fault_names\[\] = .*?\};~s',
    '~= "([^"]+)"~'), $settings['values of fail'] ?? []);

$stats = RedisLock::stats();
$histograms = array_filter($stats, is_array(...));
$gauges = ['processes', ...found('ext/core/base/rl_stats.h',
    '~#define RL_GAUGES_EACH\(X\).*?[^\\\\]$~ms', '~X\((\w+)\)~')];
equal('gauges', $gauges, $settings['gauges of stats()'] ?? []);
equal('counters', array_diff(array_keys($stats), $gauges, array_keys($histograms)),
    $settings['counters of stats()'] ?? []);
equal('histograms', [...array_keys($histograms), ...array_keys($stats['wait_time'])],
    $settings['histograms of stats()'] ?? []);

/* Whatever reads the environment: core, the tool, the page. */
$variables = [];
foreach ([...glob("$root/ext/{,*/,*/*/}*.c", GLOB_BRACE), ...glob("$root/packages/*/src/*.php"),
    "$root/packages/tools/bin/redislock", "$root/examples/locks.php"] as $path) {
    preg_match_all('~\b(?:getenv|fromEnvironment)\(([\w\']+(?:\(\))?)\)~',
        file_get_contents($path), $m);
    $variables = [...$variables, ...$m[1]];
}
equal('environment', str_replace(
    ["'", 'X509_get_default_cert_file_env()', 'X509_get_default_cert_dir_env()'],
    ['', 'SSL_CERT_FILE', 'SSL_CERT_DIR'], $variables), array_diff(
    $settings['environment'] ?? [], ['examples/locks.php']));

/* ---- the tool ---- */

spl_autoload_register(static function (string $class) use ($root): void {
    if (str_starts_with($class, 'RedisLock\\Tools\\')) {
        require "$root/packages/tools/src/" . substr($class, 16) . '.php';
    }
});
$tool = array_map(static fn (string $names): array => $names === '' ? [] : explode(', ', $names),
    listed('The command redislock'));
equal('options of all subcommands', [...RedisLock\Tools\Servers::OPTIONS, '--help', '-h'],
    $tool['every subcommand'] ?? []);
equal('options without a subcommand', found('packages/tools/src/Program.php',
    '~function dispatch.*?\$command = ~s', "~=== '(-[\w-]+)'~"), $tool['redislock'] ?? []);
$subcommands = [];
foreach (found('packages/tools/src/Program.php', '~\$command = match.*?\};~s',
        "~'(\w+)' => new~") as $name) {
    $class = 'RedisLock\\Tools\\' . ucfirst($name) . 'Command';
    $command = new $class();
    $subcommands[] = "redislock $name";
    equal("options of $name", [...$command->flags(), ...$command->options()],
        $tool["redislock $name"] ?? []);
}
equal('subcommands', $subcommands, array_values(array_filter(array_keys($tool),
    static fn (string $what): bool => str_starts_with($what, 'redislock '))));
equal('exit codes', ['0', '1', ...array_map(
    static fn (RedisLock\Tools\ExitCode $code): string => (string) $code->value,
    RedisLock\Tools\ExitCode::cases())], $tool['exit codes'] ?? []);

$memory = new RedisLock('memory://stability', '');
$token = $memory->acquire('k');
/* The rows begin with the same word, "JSON". */
$json = [];
foreach (table('The command redislock') as [$what, $names]) {
    $json[str_replace('`', '', $what)] = names($names);
}
$lock = new RedisLock\Tools\Lock('k', $memory->inspect('k'));
equal('JSON of a lock', array_keys($lock->fields()), $json['JSON of a lock'] ?? []);
$survey = new RedisLock\Tools\Survey($memory, '', false, 9, true);
equal('JSON of top', array_keys($survey->fields()), $json['JSON of top'] ?? []);
equal('JSON of show alone', found('packages/tools/src/ShowCommand.php', '~Json::line.*~',
    "~'(\w+)' =>~"), $json['JSON of show alone'] ?? []);

/* ---- the packages ---- */

/** What an interface or a base class of a framework prescribes. */
const PRESCRIBED = ['Laravel' => ['acquire', 'get', 'block', 'release', 'forceRelease', 'register',
    'boot'],
    'Revolt' => ['acquire'], 'Symfony' => ['save', 'waitAndSave', 'putOffExpiration', 'delete',
    'exists', 'handle'], 'Testing' => ['bootstrap']];

/** @return string the arguments after an opening parenthesis */
function arguments(string $code, int $from): string
{
    $depth = 1;
    for ($end = $from; $depth > 0 && $end < strlen($code); $end++) {
        $depth += ['(' => 1, ')' => -1][$code[$end]] ?? 0;
    }
    preg_match_all('~\$(\w+)(\s*=)?~', substr($code, $from, $end - $from), $m, PREG_SET_ORDER);
    $optional = array_filter($m, static fn (array $one): bool => isset($one[2]));
    return signature(array_column(array_diff_key($m, $optional), 1), array_column($optional, 1));
}

/** @return array<string, string> each public name of a file => its arguments, as on the page */
function public_names(string $path): array
{
    $code = file_get_contents($path);
    preg_match('~^namespace (\S+);~m', $code, $m);
    $namespace = $m[1];
    $framework = substr($namespace, strlen('RedisLock\\'));
    $names = [];
    $class = null;
    /* A comment and a declaration, without a semicolon or brace between them. */
    preg_match_all('~(?<doc>/\*\*(?:(?!\*/).)*\*/\s*)?^(?<indent> *)'
        . '(?:(?:final|abstract|readonly) )*(?:(?:class|interface|trait|enum) (?<type>\w+)'
        . '|(?<public>public (?:static )?)?function (?<function>\w+)\()~ms',
        $code, $found, PREG_SET_ORDER | PREG_OFFSET_CAPTURE);
    foreach ($found as $one) {
        $isInternal = str_contains($one['doc'][0], '@internal');
        $from = $one[0][1] + strlen($one[0][0]);
        if ($one['type'][0] !== '') {
            if ($isInternal) {
                return $names;
            }
            $class = $one['type'][0];
            $names["$namespace\\$class"] = '';
        } elseif ($class === null && $one['indent'][0] === '') {
            $names["$namespace\\{$one['function'][0]}"] = arguments($code, $from);
        } elseif ($one['function'][0] === '__construct' && !$isInternal
            && $one['public'][0] !== '') {
            $names["$namespace\\$class"] = arguments($code, $from);
        } elseif ($one['indent'][0] === '    ' && $one['public'][0] !== ''
            && !$isInternal && !in_array($one['function'][0], PRESCRIBED[$framework], true)) {
            $names["$class::{$one['function'][0]}"] = arguments($code, $from);
        }
    }
    return $names;
}

$names = [];
foreach (glob("$root/packages/*/src/*.php") as $path) {
    if (!in_array(basename(dirname($path, 2)), ['stubs', 'tools'], true)) {
        $names = [...$names, ...public_names($path)];
    }
}
check('names of the packages', count($names) > 20, count($names));
equal_maps('packages', $names, listed('The Composer packages'));
$part = strstr($page, '## The Composer packages');
preg_match_all('~`(redislock\.\w+)`~', (string) $part, $m);
$identifiers = [];
foreach (glob("$root/packages/stubs/src/*Rule.php") as $path) {
    preg_match_all("~identifier\('([^']+)'\)~", file_get_contents($path), $found);
    $identifiers = [...$identifiers, ...$found[1]];
}
equal('identifiers', $identifiers, $m[1]);

/* Settings and commands of the package for Laravel. */
preg_match('~Of `redislock/laravel` these stay.*?\n\n~s', $page, $laravel);
$provider = source('packages/laravel/src/RedisLockServiceProvider.php');
preg_match_all('~\$config\[\'(\w+)\'\]~', $provider, $m);
/* The driver has those of Laravel's driver "redis", too. */
$settings = array_diff($m[1], ['prefix', 'connection', 'events', 'store']);
foreach (['ShowCommand', 'ReleaseCommand'] as $command) {
    preg_match('~signature = \'(\S+)~', source("packages/laravel/src/$command.php"), $m);
    $settings[] = $m[1];
    preg_match_all('~\{((?:--)?\w+)~', source("packages/laravel/src/$command.php"), $m);
    $settings = [...$settings, ...$m[1]];
}
preg_match("~return '(once:)'~", source('packages/laravel/src/Once.php'), $m);
$settings[] = "$m[1]CLASS:KEY";
equal('settings and commands of Laravel', $settings,
    array_diff(array_unique(names($laravel[0] ?? '')),
        ['Once', 'redislock', 'redislock/laravel']));

/* ---- build and packages ---- */

$packages = [];
foreach (table('Build and packages') as [$what, $names]) {
    $packages[$what] = names($names);
}
preg_match_all('~PHP_ARG_(?:ENABLE|WITH)\(\[(redislock(?:-tls)?)\]~', source('config.m4'), $m);
equal('options of configure', array_merge(...array_map(static fn (string $name): array =>
    $name === 'redislock' ? ["--enable-$name"] : ["--with-$name", "--without-$name"], $m[1])),
    $packages['options of `configure`'] ?? []);
equal('packages of Composer', array_map(static fn (string $path): string =>
    json_decode(file_get_contents($path))->name,
    [...glob("$root/packages/*/composer.json"), "$root/composer.json"]),
    $packages['Composer and PIE'] ?? []);
preg_match_all('~^Package: (\S+)~m', source('debian/control'), $m);
equal('packages of Debian', preg_replace('~^php\d\.\d-~', 'phpX.Y-', $m[1]),
    $packages['Debian and Ubuntu'] ?? []);
preg_match_all("~\bquery\('(\w+)'~", source('examples/locks.php'), $m);
equal('parameters of the page', array_unique($m[1]),
    $packages['parameters of `examples/locks.php`'] ?? []);

/* ---- on the server ---- */

$data = table('On the server');
$forms = array_merge(...array_map(static fn (array $row): array => names($row[1]), $data));
preg_match_all('~"(\w*:+rl-\w+)"~', source('ext/core/wire/rl_names.h'), $suffixes);
preg_match('~#define RL_PERMITS_MAX (\d+)~', source('ext/core/wire/rl_names.h'), $permits);
preg_match_all('~^#define RL_\w+ "(rl1\.\w+)"~m', source('ext/core/wire/rl_script.h'), $values);
preg_match('~#define PREFIX "(\S+)"~', source('ext/core/base/rl_token.c'), $token_prefix);
preg_match("~->waiter\[(\d)\] = '(\w)'~", source('ext/core/lock/rl_acquire.c'), $letter);
preg_match('~#define CLIENT_NAME "(\S+)"~', source('ext/core/conn/rl_conn.c'), $client);
equal('forms on the server', [
    'KEY', 'KEY#2', "KEY#$permits[1]", '@', ...$values[1], $token_prefix[1], $client[1],
    ...array_map(static fn (string $suffix): string => "KEY$suffix", $suffixes[1]),
    substr_replace($token_prefix[1], $letter[2], (int) $letter[1], 1),
], array_values(array_unique($forms)));
matches('a token', '~^rl1\..{24}@~', $token);
equal('scripts', found('ext/core/wire/rl_script.h', '~typedef enum rl_script_id.*?rl_script_id;~s',
    '~^\tRL_SCRIPT_(\w+),~m'), names(preg_match('~^The scripts .*?internal~ms', $page, $m)
        ? $m[0] : ''));

done();
?>
--EXPECT--
ok
