<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/**
 * What the tool itself exits with. Most are those of sysexits.h, which few commands use, so that
 * `redislock run`, which otherwise exits as its command does, can be told from it.
 */
enum ExitCode: int
{
    /** The command line is wrong. */
    case Usage = 64;

    /** Redis failed, or cannot be reached. */
    case Unavailable = 69;

    /** The system has no process for the command. */
    case System = 71;

    /** Another holder has the lock: a later try may get it. */
    case Taken = 75;

    /** This PHP lacks an extension. */
    case Setup = 78;

    /** The lock was lost while the command ran. sysexits.h ends at 78. */
    case Lost = 79;

    /** The command is no program, as a shell says it. */
    case NotExecutable = 126;

    /** There is no such command, as a shell says it. */
    case NotFound = 127;
}
