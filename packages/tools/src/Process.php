<?php

declare(strict_types=1);

namespace RedisLock\Tools;

/**
 * The command of "run", and the signals that go on to it. The command stays in the process group of
 * the tool: so it may read the terminal, and the terminal sends it Ctrl-C.
 */
final class Process
{
    private const FORWARDED = [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM];

    /** The terminal sends these to the whole process group, so the command gets them anyway. */
    private const OF_KEYS = [SIGINT, SIGQUIT];

    /** The code of a signal that no process has sent, on Linux. */
    private const SI_KERNEL = 0x80;

    private readonly string $path;

    /** Null before the start and after the end. */
    private ?int $pid = null;

    /** @var list<int> signals that arrived before the start */
    private array $early = [];

    /** @param non-empty-list<string> $command the name or path of a program, and its arguments */
    public function __construct(private readonly array $command)
    {
        $this->path = self::find($command[0]);
    }

    /** From now on, signals go to the command, and do not end the tool. */
    public function handleSignals(): void
    {
        pcntl_async_signals(true);
        foreach (self::FORWARDED as $signal) {
            pcntl_signal($signal, $this->forward(...));
        }
        /* So that the end of the command ends the sleep of endsWithin(). */
        pcntl_signal(SIGCHLD, static function (): void {
        });
    }

    /** The first signal that arrived before the start. */
    public function earlySignal(): ?int
    {
        return $this->early[0] ?? null;
    }

    public function start(): void
    {
        /* The handlers are blocked until the child has none: they would swallow its signals. */
        pcntl_sigprocmask(SIG_BLOCK, self::FORWARDED, $mask);
        /** @var array<int> $mask */
        $pid = pcntl_fork();
        if ($pid === 0) {
            $this->become($mask);
        }
        $this->pid = $pid > 0 ? $pid : null;
        pcntl_sigprocmask(SIG_SETMASK, $mask);
        if ($pid < 0) {
            throw new Failure('cannot start a process: ' . pcntl_strerror(pcntl_get_last_error()),
                ExitCode::System);
        }
        array_map($this->signal(...), $this->early);
    }

    /**
     * @param int<0, max> $microseconds
     * @return int|null the exit code, as a shell has it; null = the command still runs
     */
    public function endsWithin(int $microseconds): ?int
    {
        $code = $this->reap();
        if ($code === null) {
            usleep($microseconds);
            $code = $this->reap();
        }
        return $code;
    }

    public function signal(int $signal): void
    {
        if ($this->pid === null) {
            return;
        }
        if (function_exists('posix_kill')) {
            posix_kill($this->pid, $signal);
        } else {
            exec("kill -$signal $this->pid 2>/dev/null");
        }
    }

    private function reap(): ?int
    {
        if ($this->pid === null || pcntl_waitpid($this->pid, $status, WNOHANG) === 0) {
            return null;
        }
        /** @var int $status */
        $this->pid = null;
        return pcntl_wifsignaled($status) ? 128 + (pcntl_wtermsig($status) ?: 0)
            : (pcntl_wexitstatus($status) ?: 0);
    }

    private function forward(int $signal, mixed $info): void
    {
        $isOfKeys = in_array($signal, self::OF_KEYS, true)
            && is_array($info) && ($info['code'] ?? null) === self::SI_KERNEL;
        if ($this->pid === null) {
            $this->early[] = $signal;
        } elseif (!$isOfKeys) {
            $this->signal($signal);
        }
    }

    /**
     * In the child: becomes the command.
     *
     * @param array<int> $mask the blocked signals of the command
     */
    private function become(array $mask): never
    {
        /* PHP ignores SIGPIPE, and a command would inherit that. */
        foreach ([...self::FORWARDED, SIGCHLD, SIGPIPE] as $signal) {
            pcntl_signal($signal, SIG_DFL);
        }
        pcntl_sigprocmask(SIG_SETMASK, $mask);
        $arguments = array_slice($this->command, 1);
        @pcntl_exec($this->path, $arguments);
        $error = pcntl_get_last_error();
        if ($error === PCNTL_ENOEXEC) { // a script without #!, which a shell runs itself
            @pcntl_exec('/bin/sh', [$this->path, ...$arguments]);
        }
        Program::say("cannot run {$this->command[0]}: " . pcntl_strerror($error));
        exit(ExitCode::NotExecutable->value);
    }

    private static function find(string $program): string
    {
        $paths = [$program];
        if (!str_contains($program, '/')) {
            $folders = explode(':', getenv('PATH') ?: '/usr/local/bin:/usr/bin:/bin');
            $paths = array_map(static fn (string $folder): string =>
                ($folder === '' ? '.' : $folder) . "/$program", $folders);
        }
        $files = array_filter($paths, is_file(...));
        foreach ($files as $file) {
            if (is_executable($file)) {
                return $file;
            }
        }
        throw $files === [] ? new Failure("$program: command not found", ExitCode::NotFound)
            : new Failure("$program: permission denied", ExitCode::NotExecutable);
    }
}
