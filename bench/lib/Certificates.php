<?php
/*
 * A CA and the certificate of a server, as files in a folder of their own; the command openssl
 * makes them.
 */

final class Certificates
{
    public readonly string $ca;
    private readonly string $certificate;
    private readonly string $key;

    public function __construct(private readonly string $folder)
    {
        mkdir($folder, 0700);
        $this->ca = "$folder/ca.pem";
        $this->certificate = "$folder/server.pem";
        $this->key = "$folder/server-key.pem";
        $newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
        file_put_contents("$folder/names", "subjectAltName = DNS:localhost, IP:127.0.0.1\n");
        $this->openssl('req', '-x509', ...$newKey, ...['-days', '2', '-subj', '/CN=CA of the bench',
            '-keyout', "$folder/ca-key.pem", '-out', $this->ca]);
        $this->openssl('req', ...$newKey, ...['-subj', '/CN=localhost', '-keyout', $this->key,
            '-out', "$folder/server.csr"]);
        $this->openssl('x509', '-req', '-days', '2', '-in', "$folder/server.csr", '-CA', $this->ca,
            '-CAkey', "$folder/ca-key.pem", '-CAcreateserial', '-extfile', "$folder/names", '-out',
            $this->certificate);
    }

    /** @return list<string> the arguments with which a server speaks TLS, too */
    public function arguments(int $port): array
    {
        return ['--tls-port', (string) $port, '--tls-cert-file', $this->certificate,
            '--tls-key-file', $this->key, '--tls-ca-cert-file', $this->ca, '--tls-auth-clients',
            'no'];
    }

    /** @return list<string> files with the CA, each of its own */
    public function copies(int $count): array
    {
        $files = [];
        for ($i = 0; $i < $count; $i++) {
            $files[] = "$this->folder/ca-$i.pem";
            copy($this->ca, end($files));
        }
        return $files;
    }

    /** The CA beside all certificates of the system, as a file; null where they are unknown. */
    public function bundle(): ?string
    {
        $known = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt'];
        foreach ($known as $file) {
            if (is_readable($file)) {
                file_put_contents("$this->folder/bundle.pem",
                    file_get_contents($this->ca) . file_get_contents($file));
                return "$this->folder/bundle.pem";
            }
        }
        return null;
    }

    private function openssl(string ...$arguments): void
    {
        exec(implode(' ', array_map(escapeshellarg(...), ['openssl', ...$arguments])) . ' 2>&1',
            $lines, $code);
        $code === 0
            || throw new RuntimeException("openssl $arguments[0] failed: " . implode("\n", $lines));
    }
}
