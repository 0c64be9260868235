<?php

declare(strict_types=1);

namespace RedisLock\Tools;

use RedisLockException;

final class TopCommand implements Command
{
    private const LIMIT = 10000;

    /** Puts the cursor into the upper left corner, and clears the screen. */
    private const CLEAR = "\e[H\e[J";

    public function help(): string
    {
        return <<<'TEXT'
            usage: redislock top [OPTION...]

            Shows the locks under the prefix, refreshed each second: those with most waiters first,
            then those that are held longest. On a cluster it looks on all nodes, and of a Redlock
            set it shows what a majority has.

              --once           show the locks once, and end
              --json           write a line of JSON in place of the table
              --interval=S     refresh after so many seconds (default 1)
              --limit=N        look at so many keys at most (default 10000)
              --all            also show strings that this extension has not written: locks of
                               other clients, and other data
              --strip          show keys without the prefix

            TEXT;
    }

    public function flags(): array
    {
        return ['--once', '--json', '--all', '--strip'];
    }

    public function options(): array
    {
        return ['--interval', '--limit'];
    }

    public function run(Arguments $arguments): int
    {
        if ($arguments->words !== [] || $arguments->rest !== null) {
            throw new Failure('"top" has only options: --prefix=TEXT shows the keys that begin so',
                ExitCode::Usage);
        }
        $pause = (int) (1e6 * min(86400.0, $arguments->seconds('--interval') ?? 1.0));
        $pause = max(100_000, $pause);
        $survey = new Survey(
            Servers::connect($arguments),
            Servers::prefix($arguments),
            $arguments->has('--strip'),
            $arguments->count('--limit', self::LIMIT),
            $arguments->has('--all'),
        );
        $survey->look();
        if ($arguments->has('--once')) {
            echo $arguments->has('--json') ? Json::line($survey->fields())
                : $survey->table(Terminal::columns(), PHP_INT_MAX);
            return 0;
        }
        if ($arguments->has('--json')) {
            while (self::write(Json::line($survey->fields()))) {
                usleep($pause);
                $survey->look();
            }
            return 0;
        }
        while (self::write(self::CLEAR . self::screen($survey))) {
            usleep($pause);
        }
        return 0;
    }

    /** A look that fails is shown, and the next one comes: a failover shall not end the view. */
    private static function screen(Survey $survey): string
    {
        try {
            $survey->look();
            return $survey->table(Terminal::columns(), max(1, Terminal::rows() - 5));
        } catch (RedisLockException $e) {
            return date('H:i:s') . ' ' . Text::clean($e->getMessage()) . "\n";
        }
    }

    /** @return bool false = the reader of the pipe has closed it */
    private static function write(string $text): bool
    {
        return @fwrite(STDOUT, $text) !== false;
    }
}
