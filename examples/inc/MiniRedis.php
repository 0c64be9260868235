<?php
/*
 * GET and SET in a few lines, so that the examples need no other extension. A program of your own uses
 * its usual client (phpredis, Predis, Relay) beside RedisLock. Both work independently of each other.
 */

final class MiniRedis
{
    /** @var resource */
    private $stream;

    public function __construct(string $socket)
    {
        $this->stream = @stream_socket_client("unix://$socket", $code, $reason, 1.0)
            ?: throw new RuntimeException("cannot connect to $socket: $reason");
    }

    public function get(string $key): ?string
    {
        return $this->command('GET', $key);
    }

    public function set(string $key, string|int $value): void
    {
        $this->command('SET', $key, (string) $value);
    }

    private function command(string ...$words): ?string
    {
        $request = '*' . count($words) . "\r\n";
        foreach ($words as $word) {
            $request .= '$' . strlen($word) . "\r\n$word\r\n";
        }
        @fwrite($this->stream, $request);
        $reply = (string) fgets($this->stream);
        if ($reply === '' || $reply[0] === '-') {
            throw new RuntimeException("$words[0]: " . (trim($reply) ?: 'the server is gone'));
        }
        $length = $reply[0] === '$' ? (int) substr($reply, 1) : -1;
        return $length < 0 ? null : substr(stream_get_contents($this->stream, $length + 2), 0, -2);
    }
}
