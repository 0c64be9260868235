<?php
/*
 * One connection to a server that says exactly what it is told to: for the bench's own questions,
 * and for the client that knows nothing of RedisLock.
 */

final class Wire
{
    /** @var resource */
    private $stream;

    public function __construct(int $port)
    {
        $this->stream = @stream_socket_client("tcp://127.0.0.1:$port", $code, $reason, 1.0)
            ?: throw new RuntimeException("cannot connect to port $port: $reason");
        stream_set_timeout($this->stream, 30);
    }

    /** The reply: a string, an int, null or an array of them. An error is an exception. */
    public function ask(string|int ...$words): mixed
    {
        $this->send(...$words);
        return $this->read();
    }

    public function send(string|int ...$words): void
    {
        $request = '*' . count($words) . "\r\n";
        foreach ($words as $word) {
            $request .= '$' . strlen($word) . "\r\n$word\r\n";
        }
        fwrite($this->stream, $request);
    }

    public function read(): mixed
    {
        $line = substr($this->line(), 0, -2);
        $rest = substr($line, 1);
        return match ($line[0]) {
            '+' => $rest,
            ':' => (int) $rest,
            '$' => $rest === '-1' ? null
            : substr(stream_get_contents($this->stream, (int) $rest + 2), 0, -2),
            '*' => $rest === '-1' ? null
            : array_map(fn () => $this->read(), array_fill(0, (int) $rest, 0)),
            default => throw new RuntimeException("the server says: $line"),
        };
    }

    /** What has come by now, without waiting for more. */
    public function readAvailable(): string
    {
        stream_set_blocking($this->stream, false);
        $text = '';
        while (($more = fread($this->stream, 65536)) !== '' && $more !== false) {
            $text .= $more;
        }
        stream_set_blocking($this->stream, true);
        return $text;
    }

    private function line(): string
    {
        $line = fgets($this->stream);
        return is_string($line) && str_ends_with($line, "\r\n") ? $line
            : throw new RuntimeException('a server does not answer');
    }
}
