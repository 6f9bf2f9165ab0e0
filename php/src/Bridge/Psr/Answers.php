<?php

declare(strict_types=1);

namespace Tusk\Bridge\Psr;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamInterface;
use Tusk\Http\Response;
use Tusk\Timer;

/**
 * Makes answers of Tusk's of PSR-7 responses.
 *
 * @internal
 */
final readonly class Answers
{
    /** The connection's and the framing's, which are the server's to say (RFC 9110, 7.6.1), and Date. */
    private const SERVERS = ['connection', 'content-length', 'date', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];
    private const WITHOUT_BODY = [204, 205, 304];
    private const CHUNK = 65536;
    /** Seconds until a stream that has nothing yet is asked again. */
    private const PAUSE = 0.005;

    /** @param int $whole bytes up to which a body is sent with its length; a longer one, or one of unknown size, leaves in pieces */
    public function __construct(private int $whole) {}

    /** @throws \ValueError for a status or a header that HTTP does not know */
    public function of(ResponseInterface $answer, string $method): Response
    {
        $status = $answer->getStatusCode();
        $body = $answer->getBody();
        if (in_array($status, self::WITHOUT_BODY, true) || !$body->isReadable()) {
            $body->close();

            return $this->with(new Response($status), $answer);
        }
        if ($body->isSeekable()) {
            $body->rewind();
        }
        $size = $body->getSize();
        // Of HEAD the length is that of GET's body (RFC 9110, 8.6), which Slim and others leave out: then it is what the application says.
        $leftOut = $method === 'HEAD' && $size === 0;
        if ($size !== null && $size <= $this->whole && !$leftOut) {
            $text = $size === 0 ? '' : $body->getContents();
            $body->close();

            return $this->with(new Response($status, $text), $answer);
        }

        $length = $leftOut || $size === null || !$body->isSeekable() ? self::said($answer) : $size;
        // A type that the application did not tell is unknown, so none is sent (RFC 9110, 8.3): browsers then look at the content.
        return $this->with(Response::stream($leftOut ? [] : self::chunks($body, $length), null, $status, $length), $answer);
    }

    /** The application's Content-Length; null: none, or none that is a length. */
    private static function said(ResponseInterface $answer): ?int
    {
        $line = $answer->getHeaderLine('Content-Length');

        return preg_match('~^\d{1,18}$~D', $line) === 1 ? (int) $line : null;
    }

    private function with(Response $response, ResponseInterface $answer): Response
    {
        $named = preg_split('~[\s,]+~', strtolower($answer->getHeaderLine('Connection')), -1, PREG_SPLIT_NO_EMPTY) ?: [];
        $not = array_flip([...self::SERVERS, ...$named]);
        if ($response->status === 426) {
            unset($not['upgrade']); // it has to say what to upgrade to (RFC 9110, 15.5.22); the server adds the option
        }
        foreach ($answer->getHeaders() as $name => $values) {
            $name = (string) $name;
            if (isset($not[strtolower($name)])) {
                continue;
            }
            foreach (array_values($values) as $i => $value) {
                $response = $i === 0 ? $response->withHeader($name, $value) : $response->withAddedHeader($name, $value);
            }
        }

        return $response;
    }

    /**
     * @param int|null $length bytes after which nothing more is read: a file may have grown since its length was said
     *
     * @return \Generator<int, string> asked for the next piece when the client has taken enough of the ones before
     */
    private static function chunks(StreamInterface $body, ?int $length): \Generator
    {
        $local = $body->isSeekable();
        $left = $length ?? PHP_INT_MAX;
        try {
            do {
                $most = min(self::CHUNK, $left);
                $chunk = $body->read($most);
                while ($local && strlen($chunk) < $most && !$body->eof()) { // PHP's memory streams give 8 KiB at once
                    $chunk .= $body->read($most - strlen($chunk));
                }
                $left -= strlen($chunk);
                $ended = $left <= 0 || $body->eof();
                if ($chunk !== '') {
                    yield $chunk;
                } elseif (!$ended) {
                    Timer::sleep(self::PAUSE);
                }
            } while (!$ended);
        } finally {
            $body->close();
        }
    }
}
