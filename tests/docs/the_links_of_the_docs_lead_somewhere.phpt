--TEST--
Every relative link of a page leads to a file and a heading that exist, each page of docs can be reached from the README and is in the index, and pages for users stay short.
--FILE--
<?php
require __DIR__ . '/../inc/check.inc';

$root = dirname(__DIR__, 2);

/** The anchors of a page, as GitHub makes them of headings. */
function anchors(string $path): array
{
    $text = preg_replace('~^```.*?^```$~ms', '', file_get_contents($path));
    preg_match_all('~^#+ (.+)$~m', $text, $m);
    return array_map(fn (string $heading) => str_replace(' ', '-',
        preg_replace('~[^\p{L}\p{N} _-]~u', '', strtolower($heading))), $m[1]);
}


/** @return array<string, string> link => the file that it leads to */
function links(string $path): array
{
    global $root;
    $links = [];
    $text = preg_replace('~^```.*?^```$~ms', '', file_get_contents($path));
    preg_match_all('~\]\(([^()\s]+)\)~', $text, $m);
    foreach (array_unique($m[1]) as $link) {
        if (preg_match('~^[a-z]+:~', $link)) {
            continue;
        }
        [$file, $anchor] = explode('#', "$link#");
        $target = $file === '' ? $path : realpath(dirname($path) . "/$file");
        $name = substr($path, strlen($root) + 1);
        if (check("$name: $link exists", $target !== false) && $anchor !== '') {
            check("$name: $link has a heading", in_array($anchor, anchors($target), true));
        }
        $links[$link] = (string) $target;
    }
    return $links;
}

$pages = [...glob("$root/*.md"), ...glob("$root/docs/{,*/}*.md", GLOB_BRACE),
    ...glob("$root/examples/*/*.md"), ...glob("$root/packages/{*,*/tests}/*.md", GLOB_BRACE)];
foreach ($pages as $path) {
    links($path);
}

/* From the README of a language all pages, through any others. */
$reached = ["$root/README.md"];
for ($i = 0; $i < count($reached); $i++) {
    $more = array_filter(links($reached[$i]), fn (string $to) => str_ends_with($to, '.md'));
    $reached = array_values(array_unique([...$reached, ...$more]));
}
same('pages that no link leads to', [], array_values(array_diff($pages, $reached)));

/* The pages for a new user are one link away. */
foreach (['README.md', 'README.zh-CN.md'] as $page) {
    $links = links("$root/$page");
    foreach (['packages/laravel/README.md', 'packages/symfony-lock/README.md',
        'packages/stubs/README.md', 'docs/fencing.md', 'docs/inspect.md', 'docs/monitoring.md',
        'docs/install.md', 'docs/testing.md'] as $wanted) {
        check("$page has a link to $wanted", in_array("$root/$wanted", $links, true));
    }
}

/* The index of a language has its pages. */
foreach (['docs' => '{,internals/}', 'docs/zh-CN' => ''] as $folder => $folders) {
    $listed = links("$root/$folder/README.md");
    foreach (array_diff(glob("$root/$folder/$folders*.md", GLOB_BRACE),
            ["$root/$folder/README.md"]) as $path) {
        check("$folder/README.md lists $path", in_array($path, $listed, true));
    }
}

/* Pages for users are short enough to be read. */
foreach (["$root/README.md", ...glob("$root/{docs,packages/*}/*.md", GLOB_BRACE)] as $path) {
    $words = count(preg_split('~\s+~', trim(file_get_contents($path))));
    $limit = $path === "$root/README.md" ? 1100 : 2500;
    check("$path has $limit words at most", $words <= $limit, $words);
}

done();
?>
--EXPECT--
ok
