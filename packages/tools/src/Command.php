<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/** A subcommand. */
interface Command
{
    /** What its --help prints, without the options that all subcommands have. */
    public function help(): string;

    /** @return list<string> its options without a value */
    public function flags(): array;

    /** @return list<string> its options with a value */
    public function options(): array;

    /** @return int the exit code */
    public function run(Arguments $arguments): int;
}
