<?php

declare(strict_types=1);

namespace Tusk\Bridge\Psr;

use Psr\Http\Message\ServerRequestInterface;
use Tusk\Certificate;
use Tusk\Http\Request;
use Tusk\Http\UploadedFile;
use Tusk\TlsInfo;

/**
 * Makes PSR-7 requests of Tusk's.
 *
 * @internal
 */
final readonly class Requests
{
    private const FORMS = '~^(?:multipart/form-data|application/x-www-form-urlencoded)\s*(?:;|$)~i';

    public function __construct(private Factories $factories) {}

    /**
     * The body as a stream over what was received; cookies, query, fields and files of a form as PHP has them. Attributes: Request::class is Tusk's own,
     * TlsInfo::class what was agreed upon in TLS, Certificate::class the client's certificate or null.
     *
     * @throws BadRequest
     */
    public function of(Request $from): ServerRequestInterface
    {
        $request = $this->head($from)
            ->withCookieParams(self::cookies($from))
            ->withQueryParams(Fields::query(explode('?', $from->target, 2)[1] ?? ''))
            ->withBody($this->factories->streams->createStream($from->body))
            ->withAttribute(Request::class, $from);
        $tls = $from->tls();
        if ($tls !== null) {
            $request = $request->withAttribute(TlsInfo::class, $tls)->withAttribute(Certificate::class, $tls->clientCertificate);
        }

        return preg_match(self::FORMS, $from->header('content-type') ?? '') === 1 ? $this->withForm($request, $from) : $request;
    }

    private function head(Request $from): ServerRequestInterface
    {
        try {
            $request = $this->factories->requests->createServerRequest($from->method, self::uri($from), self::server($from));
            foreach ($from->headers as $name => $value) {
                $request = $request->withHeader((string) $name, $value);
            }

            return $request->getRequestTarget() === $from->target ? $request : $request->withRequestTarget($from->target);
        } catch (\InvalidArgumentException $fault) {
            throw BadRequest::because($fault);
        }
    }

    private function withForm(ServerRequestInterface $request, Request $from): ServerRequestInterface
    {
        $fields = [];
        foreach ($from->formAll() as $name => $values) {
            foreach ($values as $value) {
                $fields[] = [(string) $name, $value];
            }
        }
        $files = array_map(fn (UploadedFile $file): array => [$file->field, new Upload($file, $this->factories->streams)], $from->files());

        return $request->withParsedBody(Fields::tree($fields))->withUploadedFiles(Fields::tree($files));
    }

    private static function uri(Request $from): string
    {
        // The whole address, as proxies are asked (RFC 9112, 3.2.2): its host is the Host by now, and its scheme is what the client likes.
        $target = (string) preg_replace('~^[a-z][a-z0-9+.\-]*://[^/?]*~i', '', $from->target);

        return ($from->secure ? 'https' : 'http') . '://' . ($from->header('host') ?? 'localhost') . (str_starts_with($target, '/') ? '' : '/') . $target;
    }

    /**
     * In one pass: asking Request::cookie() for each name would read the whole line as often as it has names.
     *
     * @return array<string, string> values as Request::cookie() decodes them; of a name that repeats the first
     */
    private static function cookies(Request $from): array
    {
        $cookies = [];
        foreach (explode(';', $from->header('cookie') ?? '') as $pair) {
            [$name, $value] = explode('=', $pair, 2) + ['', null];
            $name = trim($name, " \t");
            if ($name !== '' && $value !== null) {
                $cookies[$name] ??= self::cookie(trim($value, " \t"));
            }
        }

        return $cookies;
    }

    /** Broken escapes stay as they came, and so does what has a NUL. */
    private static function cookie(string $value): string
    {
        if (strlen($value) >= 2 && $value[0] === '"' && $value[-1] === '"') {
            $value = substr($value, 1, -1);
        }

        return preg_match('~%(?:00|(?![0-9a-f]{2}))~i', $value) === 1 ? $value : rawurldecode($value);
    }

    /** @return array<string, int|float|string> what applications look for in $_SERVER */
    private static function server(Request $from): array
    {
        $now = microtime(true); // a date
        [$host, $port] = preg_match('~^(.*?)(?::(\d+))?$~', $from->header('host') ?? 'localhost', $m) === 1 ? [$m[1], $m[2] ?? ''] : ['', ''];
        $server = [
            'REQUEST_METHOD' => $from->method,
            'REQUEST_URI' => $from->target,
            'QUERY_STRING' => explode('?', $from->target, 2)[1] ?? '',
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'SERVER_NAME' => $host,
            'SERVER_PORT' => $port !== '' ? $port : ($from->secure ? '443' : '80'),
            'REMOTE_ADDR' => $from->remoteAddress,
            'REQUEST_TIME' => (int) $now,
            'REQUEST_TIME_FLOAT' => $now,
        ];
        if ($from->secure) {
            $server['HTTPS'] = 'on';
        }
        foreach ($from->headers as $name => $value) {
            $key = strtoupper(strtr((string) $name, '-', '_'));
            // HTTP_PROXY is a setting of programs (httpoxy); a name with "_" would pass for the one with "-" that a proxy in front sets.
            if ($key !== 'PROXY' && !str_contains((string) $name, '_')) {
                $server[in_array($key, ['CONTENT_TYPE', 'CONTENT_LENGTH'], true) ? $key : "HTTP_$key"] = $value;
            }
        }

        return $server;
    }
}
