<?php

// Generated from ext/tusk.stub.php by `make docs`; for IDEs and PHPStan, never loaded.

namespace Tusk {

    /** Peer or system trouble (never a programming error); the code is the core's error number. */
    class Exception extends \RuntimeException
    {
    }

    /** What happens to a subscriber whose queue is full. */
    enum Overflow
    {
        /** The connection is closed (WebSocket 1013, SSE: end of the stream); the default. */
        case Close;
        /** Oldest waiting messages of the subscription give way. */
        case DropOldest;
        /** The new message is not queued for this subscriber. */
        case DropNewest;
        /** Only the newest message of the topic waits. */
        case Conflate;
    }

    /**
     * A place in the server's one sequence of published messages: "epoch:offset". Opaque; give it back as `since:`.
     */
    final class Position implements \Stringable, \JsonSerializable
    {
        /** @throws \ValueError when $text is not a position */
        public function __construct(string $text) {}

        public function __toString(): string {}

        /** Its text: an answer's JSON may hold a Position as it is. */
        public function jsonSerialize(): string {}
    }

    /**
     * A certificate and what goes with it.
     */
    final class Tls
    {
        /**
         * @param string      $certificate PEM file with the certificate and the chain above it
         * @param string      $key         PEM file of the private key
         * @param string|null $passphrase  of the keys, where they have one
         * @param array<string, array{string, string}> $sni further certificates: name => [certificate, key]; "*.example.org" stands for one label
         * @param string|null $clientCa    PEM file; when given, clients must show a certificate that is signed by one of it
         * @param string      $minVersion  "1.2" or "1.3"
         * @param string|null $ciphers     for TLS 1.2, as `openssl ciphers` takes them ("ECDHE+AESGCM"); null: OpenSSL's own list. TLS 1.3 has its own
         * @param bool        $clientOptional with $clientCa: who shows no certificate is served as well; one that is not signed so is refused all the same
         * @param string|null $clientCrl   with $clientCa: PEM file with lists of revoked certificates, of each authority one: who is on one, or has none in force for it, is refused
         * @throws \ValueError when a file cannot be read or does not fit; the message names file and reason
         */
        public function __construct(
            string $certificate,
            string $key,
            ?string $passphrase = null,
            array $sni = [],
            ?string $clientCa = null,
            string $minVersion = "1.2",
            ?string $ciphers = null,
            bool $clientOptional = false,
            ?string $clientCrl = null,
        ) {}
    }

    /**
     * What a client and a server of ours agreed upon in their TLS handshake, and who the client says it is.
     */
    final class TlsInfo
    {
        /**
         * "1.2" or "1.3".
         */
        public readonly string $version;
        /**
         * As OpenSSL names it: "TLS_AES_256_GCM_SHA384".
         */
        public readonly string $cipher;
        /**
         * The name asked for (SNI), lower case; null: none was, or an address, which is none.
         */
        public readonly ?string $serverName;
        /**
         * Agreed upon by ALPN (RFC 7301), "http/1.1"; null: the client offered nothing.
         */
        public readonly ?string $alpn;
        /**
         * Whether an earlier session went on (RFC 8446, 2.2); never where certificates are asked for.
         */
        public readonly bool $resumed;
        /**
         * Checked against Tls's $clientCa; null: none was shown, or asked for.
         */
        public readonly ?Certificate $clientCertificate;

        private function __construct() {}
    }

    /**
     * A certificate (RFC 5280) that the handshake has checked.
     */
    final class Certificate
    {
        /**
         * RFC 4514, UTF-8: "CN=robot,O=Example".
         */
        public readonly string $subject;
        /**
         * The same of who signed it.
         */
        public readonly string $issuer;
        /**
         * Of the subject, where it stands several times the last; null: none.
         */
        public readonly ?string $commonName;
        /**
         * Hexadecimal, upper case, as `openssl x509 -serial` prints it.
         */
        public readonly string $serial;
        /**
         * Names of hosts among subjectAltName, as they stand there.
         * @var list<string>
         */
        public readonly array $dnsNames;
        /**
         * @var list<string>
         */
        public readonly array $emailAddresses;
        /**
         * @var list<string>
         */
        public readonly array $uris;
        /**
         * "10.1.2.3", "2001:db8::1".
         * @var list<string>
         */
        public readonly array $ipAddresses;
        /**
         * Unix time from which it is good.
         */
        public readonly int $notBefore;
        /**
         * Unix time of its last second. It was checked in the handshake, and may have passed since.
         */
        public readonly int $notAfter;
        /**
         * SHA-256 of its DER form: 64 hexadecimal digits, lower case, as openssl_x509_fingerprint() gives them.
         */
        public readonly string $fingerprint;
        /**
         * The certificate itself, for openssl_x509_read() and others.
         */
        public readonly string $pem;

        private function __construct() {}
    }

    /**
     * Every limit of a server. Integers: bytes, milliseconds (…Ms), counts or rates as the name says. What happens at each
     * limit is said beside it; each has a counter in Server::stats().
     */
    final class Limits
    {
        /**
         * Open at once, of every kind; past it accepting pauses.
         */
        public readonly int $connections;
        /**
         * Connections of one IPv4 address or IPv6 /64, 0: no limit; one more gets 429 (with TLS a close).
         */
        public readonly int $perAddress;
        /**
         * TLS handshakes and first request heads under way, 0: as many as connections; past it accepting pauses.
         */
        public readonly int $handshakes;
        /**
         * Of a WebSocket message, after inflation; 1009 from the frame's header.
         */
        public readonly int $messageBytes;
        /**
         * Frames of one message; 1008.
         */
        public readonly int $messageFrames;
        /**
         * Memory of messages and bodies that are not whole, over all connections; past it reading pauses.
         */
        public readonly int $unfinishedBytes;
        /**
         * For the one that may go on then, or whose queue holds the others up, to get on; a fifth of it for who holds a part and sends nothing while others wait; closed.
         */
        public readonly int $unfinishedMs;
        /**
         * Bytes waiting to leave one connection; past it sends are refused and the overflow policy acts.
         */
        public readonly int $queuedBytes;
        /**
         * The same over all connections; past it whoever has the longest queue is cut.
         */
        public readonly int $queuedBytesTotal;
        /**
         * Of one WebSocket connection, with a second's burst, 0: no limit; past it reading pauses.
         */
        public readonly int $messagesPerSecond;
        /**
         * Payload bytes likewise.
         */
        public readonly int $bytesPerSecond;
        /**
         * Topics of one connection; one more throws.
         */
        public readonly int $subscriptions;
        /**
         * Of a request's head, 256 at least; 431.
         */
        public readonly int $headBytes;
        /**
         * Of a request's head, 128 at most; 431.
         */
        public readonly int $headFields;
        /**
         * Of a request's body; 413.
         */
        public readonly int $bodyBytes;
        /**
         * TLS handshake and whole request head, one deadline; 408.
         */
        public readonly int $handshakeMs;
        /**
         * The whole body; 408.
         */
        public readonly int $bodyMs;
        /**
         * Nothing received on a WebSocket, 0: no limit; Close 1001.
         */
        public readonly int $idleMs;
        /**
         * Between two requests, and without progress of an answer; closed.
         */
        public readonly int $keepAliveMs;
        /**
         * From one automatic ping to the next, 0: none are sent.
         */
        public readonly int $pingMs;
        /**
         * From an automatic ping to its pong, or to anything else that comes; Close 1011.
         */
        public readonly int $pongMs;
        /**
         * From our Close to the peer's; cut.
         */
        public readonly int $closeMs;
        /**
         * From stop() or SIGTERM until what is left is cut; closes are spread over its first half.
         */
        public readonly int $drainMs;
        /**
         * Nothing written to an event stream: a comment is, 0: none are sent.
         */
        public readonly int $heartbeatMs;
        /**
         * The ring of published messages that since: reads, 65,536 at least.
         */
        public readonly int $historyBytes;
        /**
         * Handlers that wait at once, 30,000 at most; one more throws at its wait.
         */
        public readonly int $parkedHandlers;
        /**
         * A handler that held the loop longer is named in the log, 0: none is.
         */
        public readonly int $slowHandlerMs;
        /**
         * Fields and files of one form; 413.
         */
        public readonly int $formParts;
        /**
         * Of the header section of one of them; 413.
         */
        public readonly int $partHeadBytes;
        /**
         * Of one uploaded file, 0: as $bodyBytes; 413.
         */
        public readonly int $fileBytes;
        /**
         * Of one of several workers: resident, its own; past it the worker drains and is replaced, 0: no bound.
         */
        public readonly int $workerBytes;
        /**
         * Memory of all subscriptions and their topics; one more throws.
         */
        public readonly int $subscriptionBytes;

        /** @throws \ValueError when a value is out of range */
        public function __construct(
            int $connections = 10000,
            int $perAddress = 0,
            int $handshakes = 0,
            int $messageBytes = 16777216,
            int $messageFrames = 1000000,
            int $unfinishedBytes = 268435456,
            int $unfinishedMs = 5000,
            int $queuedBytes = 16777216,
            int $queuedBytesTotal = 268435456,
            int $messagesPerSecond = 0,
            int $bytesPerSecond = 0,
            int $subscriptions = 1000,
            int $headBytes = 16384,
            int $headFields = 100,
            int $bodyBytes = 8388608,
            int $handshakeMs = 10000,
            int $bodyMs = 60000,
            int $idleMs = 120000,
            int $keepAliveMs = 60000,
            int $pingMs = 30000,
            int $pongMs = 10000,
            int $closeMs = 5000,
            int $drainMs = 5000,
            int $heartbeatMs = 15000,
            int $historyBytes = 16777216,
            int $parkedHandlers = 10000,
            int $slowHandlerMs = 100,
            int $formParts = 1000,
            int $partHeadBytes = 4096,
            int $fileBytes = 0,
            int $workerBytes = 0,
            int $subscriptionBytes = 134217728,
        ) {}
    }

    /**
     * WebSocket, Server-Sent Events and HTTP on one port.
     */
    final class Server
    {
        /**
         * The first listener's port; with port 0 the one that the kernel chose, known from onStart on.
         */
        public readonly int $port;

        /**
         * @param string|list<string> $listen  "127.0.0.1:8080", "[::1]:8080", "*:8080" (both families), "unix:/run/app.sock"; bound in run()
         * @param Tls|null     $tls            for all of them; listen() takes one for each
         * @param Limits|null  $limits         null: the defaults
         * @param int|string   $workers        processes that share the addresses and the topics, 1 to 64; above 1 run() forks them and is their master. "auto": one for each
         *                                     processor that the mask and the quota of this process (a container's, too) leave it
         * @param list<string> $trustedProxies addresses or ranges ("10.0.0.1", "fd00::/8") whose X-Forwarded-For or PROXY header is believed
         * @param bool         $proxyProtocol  demand a PROXY header (v1 or v2) from trusted proxies
         * @param string|null  $user           name or number: workers run as this user and its groups, the master, which binds and reads keys, as who starts it (root)
         * @param string|null  $group          the same; null: the user's
         * @param \Closure|null $bootstrap     function (Server): mixed, called in each worker before it serves: it loads the application and adds its routes, so
         *                                     that SIGHUP loads changed files. With it run() is a master also of one worker; a Loopback calls it, too
         * @throws \ValueError for an address, a range, a user or a group that is none, or so many workers
         */
        public function __construct(
            string|array $listen = [],
            ?Tls $tls = null,
            ?Limits $limits = null,
            int|string $workers = 1,
            array $trustedProxies = [],
            bool $proxyProtocol = false,
            ?string $user = null,
            ?string $group = null,
            ?\Closure $bootstrap = null,
        ) {}

        /** @throws \ValueError for a bad address, \LogicException while running */
        public function listen(string $address, ?Tls $tls = null): void {}

        /**
         * A route for WebSocket (RFC 6455). The closures are called one at a time; a connection's next message waits for its handler.
         * @param string                $path         "/rooms/{room}": {name} is one segment, {name*} at the end the rest
         * @param \Closure|null         $message      function (Connection, string, MessageType): mixed; Text (valid UTF-8) or Binary
         * @param \Closure|null         $open         function (Connection): mixed; false closes with 1000
         * @param \Closure|null         $close        function (Connection, int $code, string $reason): mixed; once for each open
         * @param \Closure|null         $authorize    function (Http\Request): mixed, before the 101; null or false = 401, a Response = that, else $connection->identity
         * @param list<string>          $subprotocols tokens; the client's first offer among them wins
         * @param list<string>|null     $origins      allowed Origin values, others get 403; null: any. A request without Origin passes: only browsers send it
         * @param WebSocket\Deflate|null $deflate     permessage-deflate (RFC 7692); null: off
         * @throws \ValueError for a path, token or origin that is none
         * @throws \LogicException while running, or when there is such a route already
         */
        public function websocket(
            string $path,
            ?\Closure $message = null,
            ?\Closure $open = null,
            ?\Closure $close = null,
            ?\Closure $authorize = null,
            array $subprotocols = [],
            ?array $origins = null,
            ?WebSocket\Deflate $deflate = null,
        ): void {}

        /**
         * A route for event streams (text/event-stream).
         * @param \Closure      $open      function (Sse\EventStream): mixed; returns when topics are named, the stream goes on; false ends it
         * @param \Closure|null $close     function (Sse\EventStream): mixed; once for each open
         * @param \Closure|null $authorize function (Http\Request): mixed, as for websocket()
         * @param list<string>|null $origins pages of these origins may read it and send their cookies (Access-Control-Allow-Origin, -Credentials), others
         *                                   get 403; null: Origin is not looked at, and browsers let only pages of the server's own origin read it
         * @throws \ValueError for a path or origin that is none
         * @throws \LogicException while running, or when there is such a route already
         */
        public function events(
            string $path,
            \Closure $open,
            ?\Closure $close = null,
            ?\Closure $authorize = null,
            ?array $origins = null,
        ): void {}

        /**
         * Handlers are function (Http\Request): Http\Response, called when the body is whole. A GET route answers HEAD as well.
         * @throws \ValueError for a path that is none
         * @throws \LogicException while running, or when there is such a route already; so do post(), put() and the others
         */
        public function get(string $path, \Closure $handler): void {}

        public function post(string $path, \Closure $handler): void {}

        public function put(string $path, \Closure $handler): void {}

        public function patch(string $path, \Closure $handler): void {}

        public function delete(string $path, \Closure $handler): void {}

        /**
         * In place of the server's own answer to OPTIONS (204 with Allow): what a browser asks before a request to another origin (a CORS preflight). A path
         * that has no other route stays unknown to other methods, so that options("/{path*}") is for all.
         */
        public function options(string $path, \Closure $handler): void {}

        /**
         * For a path that no route knows, whatever the method, and a file that no folder has; in place of the plain 404. One for each server.
         * @param \Closure $handler function (Http\Request): Http\Response, with the status that it is to have
         * @param bool     $methods also for a path that a route knows, with a method that it has not, in place of the plain 405: allowed() tells which it has
         * @throws \LogicException while running, or when there is one already
         */
        public function fallback(\Closure $handler, bool $methods = false): void {}

        /**
         * The methods of the request's path, for the field Allow of a 405 (RFC 9110, 15.5.6); empty: no route and no folder knows it.
         * @return list<string> such as ["GET", "HEAD", "OPTIONS"]
         */
        public function allowed(Http\Request $request): array {}

        /**
         * Serves a folder: ETag, conditions, one range, media types, neighbours .br and .gz. Dot files are not served, and a symbolic link that leads out of the folder
         * is 404; the folder itself may be one.
         * @param string $index          stands for a folder; "": none
         * @param string $cacheControl   value of that field; "": no such field
         * @param bool   $followSymlinks also those that lead out of the folder
         * @param array<string, string|int|list<string|int>> $headers of each answer with a file (200, 206, 304, 412, 416) and of redirects to a folder: "Content-Security-Policy", …
         * @throws \ValueError for a prefix that is none, a folder that is not there or "/", CR, LF or NUL in $cacheControl or $headers, and a header that the server writes itself
         * @throws \LogicException while running, or when there is such a route already
         */
        public function files(string $prefix, string $directory, string $index = "index.html", string $cacheControl = "no-cache", bool $followSymlinks = false, array $headers = []): void {}

        /**
         * A listener for operators: GET /metrics (OpenMetrics) and GET /health (200, while it drains 503). It runs no PHP; with workers it is the master's.
         * @throws \ValueError for a bad address, \LogicException while running
         */
        public function admin(string $address): void {}

        /**
         * function (\Throwable, ?Http\Request): mixed; without one, errors are logged by error_log(). The request is there when its handler, or an
         * authorize, threw; an Http\Response that is returned then is its answer, in place of a plain 500.
         */
        public function onError(\Closure $handler): void {}

        /** function (Server): mixed; once, when the ports are bound, in the process that binds: with workers the master. It cannot wait for others there. */
        public function onListen(\Closure $handler): void {}

        /** function (Server): mixed; once the ports are bound; in every worker. */
        public function onStart(\Closure $handler): void {}

        /**
         * function (Server): mixed; once, before a drain begins (stop(), SIGTERM, a worker that is replaced); in every worker. What it publishes or sends
         * leaves before connections are closed. The drain does not wait where it waits. A fatal error ends a process without it.
         */
        public function onStop(\Closure $handler): void {}

        /**
         * To every subscriber of the topic, on either transport and in every worker, in one order; kept in the history ring. With workers from onStart on.
         * @param string      $topic 1 to 1024 bytes
         * @param string      $data  UTF-8 for Text; Binary reaches event streams as base64
         * @param string|null $event event type of event streams; null: "message"
         * @param string|null $id    id of event streams in place of the position (the application then owns its cursor)
         * @throws \ValueError for a topic, text or type that is none, or an $event or $id that is not UTF-8 without CR, LF and NUL
         */
        public function publish(
            string $topic,
            string $data,
            WebSocket\MessageType $type = WebSocket\MessageType::Text,
            ?string $event = null,
            ?string $id = null,
        ): Position {}

        /** Connections that subscribe to it, of both transports; with workers those of this one. */
        public function subscribers(string $topic): int {}

        /** The last position of the server's sequence, which is one for all workers. */
        public function position(): Position {}

        /**
         * Binds, and serves until stop(), SIGTERM or SIGINT; SIGHUP reads certificates again; with workers new ones take over, and the old ones drain.
         * With workers this process supervises only: handlers run in the workers, what follows run() here alone.
         * @return int exit code: 0 after a clean stop
         * @throws \Tusk\Exception when an address cannot be bound; the message names it. With workers also when connections are open already, and when the bootstrap
         *         fails before any of them has served; later a worker whose bootstrap fails takes nobody's place
         * @throws \LogicException without an address, a second time, or where it was not made (a pool's worker, a fork); with workers after publish() or a Loopback
         */
        public function run(): int {}

        /**
         * Drains: no new connection, running requests are answered, Close 1001 and ends of streams spread over half of drainMs, queued bytes leave. A second call cuts.
         * In a worker: all of them.
         */
        public function stop(): void {}

        /** Which of several workers this process is, from 0; null in the master, and where there is one process only. */
        public function worker(): ?int {}

        /**
         * All or none of a listener's are replaced; the log says which. New files are also noticed within five seconds.
         * With workers this one's; SIGHUP to the master is for all.
         */
        public function reloadCertificates(): void {}

        /**
         * Every counter; docs/reference/counters.md says what they mean. With workers sums over all of them.
         * @return array<string, int>
         */
        public function stats(): array {}

        /** "epoll", "kqueue", "poll" or "select". */
        public function getDriver(): string {}
    }

    /**
     * Times in seconds, 0 to 1e9; others are a \ValueError. Inside a handler they belong to the running server; sleep() parks the handler only.
     */
    final class Timer
    {
        private function __construct() {}

        /**
         * Once, after that time; what a callback throws goes to onError.
         * @param \Closure $callback function (string $id): mixed
         * @return string for cancel()
         */
        public static function delay(float $seconds, \Closure $callback): string {}

        /**
         * Again and again, the first time after one interval.
         * @param \Closure $callback function (string $id): mixed; it may cancel itself
         * @return string for cancel()
         */
        public static function repeat(float $seconds, \Closure $callback): string {}

        /** In this turn, after events; what is queued runs once. */
        public static function defer(\Closure $callback): string {}

        /** Harmless for one that is gone. */
        public static function cancel(string $id): void {}

        /**
         * The handler that calls waits, the server goes on. Outside a server it blocks.
         * @throws \Tusk\Exception when the server stops meanwhile, or too many handlers wait
         */
        public static function sleep(float $seconds): void {}
    }

    /**
     * Waits for what others read and write: PHP's streams, sockets, a library's descriptor. In a handler of a Tusk server or a task of
     * Parallel\Async only that one waits; elsewhere the process does. For times there is Timer::sleep().
     */
    final class Wait
    {
        private function __construct() {}

        /**
         * Until reading would not block: bytes, an end or an error are there. What PHP has buffered already counts; files are always ready.
         * @param resource|\Socket|int $stream a stream, a socket, or the number of an open descriptor
         * @param float|null $timeout seconds; 0: looks and does not wait, so nobody else goes on
         * @return bool false when the time is over
         * @throws \Tusk\Exception when somebody closes it meanwhile (seen within 0.1 s)
         * @throws \ValueError for a stream without a descriptor, or a number of none that is open
         * @throws \TypeError for a stream that was closed before
         */
        public static function readable($stream, ?float $timeout = null): bool {}

        /**
         * Until writing would not block; otherwise as readable().
         * @param resource|\Socket|int $stream
         */
        public static function writable($stream, ?float $timeout = null): bool {}

        /**
         * Performs all transfers of a CurlMultiHandle to their end, by the descriptors and times that libcurl names; then curl_multi_info_read()
         * tells how they ended. Functions that were given to curl_setopt() may wait themselves. For one transfer: Tusk\Async\Curl::exec().
         * @param object $multi a CurlMultiHandle; handles may be added and removed meanwhile
         * @return bool false when the time is over: another call goes on (descriptors from 1024 on may be late then), or remove its handles
         * @throws \LogicException when another task waits for the same one
         * @throws \Tusk\Exception when the libcurl of PHP's extension is not to be found (statically linked, or PHP before 8.2)
         */
        public static function curl(object $multi, ?float $timeout = null): bool {}

        /**
         * Whether a wait here sets aside only who calls, and others go on: in a handler, a timer, a task. False where it blocks the process:
         * outside of a server and of a task, in destructors before PHP 8.4, in a forked child.
         */
        public static function parks(): bool {}
    }

    /**
     * Calls back when a stream can be read or written, or a signal came: what Wait is for who does not want to wait. Callbacks run on the
     * process's one loop, while a server runs or somebody waits in it; names as in Revolt.
     */
    final class Watch
    {
        private function __construct() {}

        /**
         * In each turn in which reading would not block (bytes, an end or an error are there), also while an earlier call waits; what PHP has buffered
         * already counts, files are always ready. A stream that somebody closes ends its watch (seen within a second). What a callback throws goes to onError.
         * @param resource|\Socket|int $stream a stream, a socket, or the number of an open descriptor; it is kept open
         * @param \Closure $callback function (string $id): mixed; it may disable or cancel itself
         * @return string for enable(), disable() and cancel()
         * @throws \ValueError for a stream without a descriptor, or a number of none that is open
         * @throws \TypeError for a stream that was closed before
         */
        public static function onReadable($stream, \Closure $callback): string {}

        /**
         * In each turn in which writing would not block; otherwise as onReadable().
         * @param resource|\Socket|int $stream
         * @param \Closure $callback function (string $id): mixed
         */
        public static function onWritable($stream, \Closure $callback): string {}

        /**
         * When the process got it; several that came at once may be one call. Beside what the server does with SIGTERM, SIGINT and SIGHUP itself, and in
         * place of what the system would do and of pcntl_signal().
         * @param \Closure $callback function (string $id): mixed
         * @throws \Tusk\Exception where the system lets nobody handle it
         */
        public static function onSignal(int $signal, \Closure $callback): string {}

        /**
         * Harmless for one that is enabled.
         * @throws \ValueError for one that is gone
         */
        public static function enable(string $id): void {}

        /** No call comes until enable(). Harmless for one that is gone. */
        public static function disable(string $id): void {}

        /** Harmless for one that is gone. */
        public static function cancel(string $id): void {}
    }

    /**
     * Tasks and handlers that wait until another one says so, in the order they came.
     */
    final class Condition
    {
        /**
         * True: somebody notified; false: $timeout seconds are over. Outside of a server and of a task the loop is turned meanwhile, so that
         * tasks go on.
         * @throws \LogicException when nothing is left that could ever notify
         */
        public function wait(?float $timeout = null): bool {}

        /**
         * Lets the first $count of those that wait go on; gives how many that were. Nothing is kept for those that come later.
         * @throws \ValueError for less than 1
         */
        public function notify(int $count = 1): int {}
    }

    /**
     * Lives as long as the code that asks for it: as a key of a WeakMap it lets go of what belongs to a task, when that ends.
     */
    final class Scope
    {
        private function __construct() {}

        /**
         * Of the task of a pool, of Sync or Async, the handler, else the script; in a Fiber of one's own that Fiber, but in a task that runs within it
         * the task's. Whoever keeps it, keeps it alive.
         */
        public static function current(): object {}
    }
}

namespace Tusk\Http {

    final class Request
    {
        public readonly string $method;
        /**
         * As sent.
         */
        public readonly string $target;
        /**
         * Decoded, without the query.
         */
        public readonly string $path;
        /**
         * Of the route's placeholders, decoded.
         * @var array<string, string>
         */
        public readonly array $params;
        /**
         * Lower-case names; several fields of one name are joined by ", " (cookie: "; ").
         * @var array<string, string>
         */
        public readonly array $headers;
        public readonly string $body;
        /** The client's, also behind a trusted proxy that names it (X-Forwarded-For); "unix" of a Unix socket. */
        public readonly string $remoteAddress;
        /** Whether the client speaks TLS: with this server, or with a trusted proxy that says so (X-Forwarded-Proto: https). */
        public readonly bool $secure;

        private function __construct() {}

        /** In any case; null when it was not sent. */
        public function header(string $name): ?string {}

        /** A parameter of the query, decoded; the first of that name. */
        public function query(string $name): ?string {}

        /** @return array<string, string> decoded; of a name that repeats the first, as query() has it: queryValues() has the others */
        public function queryAll(): array {}

        /** @return list<string> all values of that name, decoded, as they came ("?tag=a&tag=b"); none: an empty list */
        public function queryValues(string $name): array {}

        /** The first of that name, percent-decoded. */
        public function cookie(string $name): ?string {}

        /** A field of a form (application/x-www-form-urlencoded or multipart/form-data); the first of that name. */
        public function form(string $name): ?string {}

        /** @return array<string, list<string>> every field of the form by its name ("tags[]" is one), with its values as they came */
        public function formAll(): array {}

        /** A file of a multipart/form-data; the first of that name. One that was not chosen (no name, no bytes) is none. */
        public function file(string $name): ?UploadedFile {}

        /** @return list<UploadedFile> of all names, or of that one, as they came */
        public function files(?string $name = null): array {}

        /**
         * The body; objects become arrays.
         * @throws InvalidJson a \JsonException; where the handler lets it through, the answer is 400
         */
        public function json(): mixed {}

        /** Of the connection: null without TLS, and once it is gone, unless it was asked for before. */
        public function tls(): ?\Tusk\TlsInfo {}
    }

    /**
     * A request's body is not JSON, or has too many keys that were chosen for their hashes; the code is one of JSON_ERROR_*. A handler or authorize
     * that throws it answers 400 (RFC 9110, 15.5.1), and nothing is logged: it is the client's fault. onError is told before, and may answer otherwise.
     */
    final class InvalidJson extends \JsonException
    {
    }

    /**
     * A file of a form. Everything but its size and contents is only what the client says.
     */
    final class UploadedFile
    {
        /**
         * Of the form's field.
         */
        public readonly string $field;
        /**
         * As the client calls it, without folders; never a path to write to.
         */
        public readonly string $name;
        /**
         * "text/plain" where the client did not tell (RFC 7578, 4.4).
         */
        public readonly string $type;
        /**
         * In bytes.
         */
        public readonly int $size;

        private function __construct() {}

        /** A copy of the bytes. */
        public function contents(): string {}

        /** @return resource the bytes as a stream that can be read and sought */
        public function stream() {}
    }

    final class Response
    {
        public readonly int $status;
        public readonly array $headers;
        public readonly string $body;

        /**
         * @param array<string, string|list<string>> $headers
         * @throws \ValueError for a status outside 200–599 or a header with CR, LF or NUL
         */
        public function __construct(int $status = 200, string $body = "", array $headers = []) {}

        /** @throws \ValueError for a status outside 200–599 */
        public static function text(string $body, int $status = 200): Response {}

        /** @throws \ValueError for a status outside 200–599 */
        public static function html(string $body, int $status = 200): Response {}

        /**
         * @throws \JsonException for what JSON has no form of
         * @throws \ValueError for a status outside 200–599
         */
        public static function json(mixed $value, int $status = 200): Response {}

        /** @throws \ValueError when the file cannot be read, or for a type with CR, LF or NUL */
        public static function file(string $path, ?string $type = null): Response {}

        /**
         * 303 makes a GET of a POST, 307 and 308 do not; 301 and 302 are what they are.
         * @throws \ValueError for a status outside 300–399, or CR, LF or NUL in $location
         */
        public static function redirect(string $location, int $status = 303): Response {}

        /**
         * The chunks leave as the iterable gives them; it may wait between them, and is not asked for more while the client reads slowly.
         * @param iterable<string> $chunks
         * @param string|null      $type   null: no Content-Type is sent, because nobody knows it (RFC 9110, 8.3)
         * @param int|null         $length of all chunks, in bytes, which is sent as Content-Length (browsers then show how far a download is); null: nobody knows it.
         *                                 Chunks that are more, or fewer, cut the connection, and onError is told. Of HEAD it is sent and no chunk is missed.
         * @throws \ValueError for a status outside 200–599, a type with CR, LF or NUL, or a length below 0
         */
        public static function stream(iterable $chunks, ?string $type = "application/octet-stream", int $status = 200, ?int $length = null): Response {}

        /**
         * A copy with that field in place of others of its name.
         * @throws \ValueError for a name that is none, or CR, LF or NUL
         */
        public function withHeader(string $name, string $value): Response {}

        /**
         * A copy with one field more of that name (Set-Cookie).
         * @throws \ValueError for a name that is none, or CR, LF or NUL
         */
        public function withAddedHeader(string $name, string $value): Response {}

        /**
         * A copy without the fields of that name.
         * @throws \ValueError for a name that is none
         */
        public function withoutHeader(string $name): Response {}

        /**
         * A copy with that status; headers and body stay.
         * @throws \ValueError for a status outside 200–599
         */
        public function withStatus(int $status): Response {}

        /** A copy with that body, in place of a file or chunks, too; the headers stay, Content-Type as well (of a file: the type that file() was given). */
        public function withBody(string $body): Response {}

        /**
         * A copy that sets a cookie (RFC 6265, 4.1); one with an empty value and $maxAge 0 takes it away.
         * @param string      $value    any bytes but NUL: what may not stand in a cookie is percent-encoded, and Request::cookie() gives it back; 4096 at most with the name, encoded
         * @param int|null    $maxAge   seconds; null: until the browser ends
         * @param string|null $domain   this name and all below it; null: this host alone
         * @param bool        $secure   over TLS only
         * @param bool        $httpOnly not for the page's scripts
         * @param string      $sameSite "Lax": not with posts and frames of other sites; "Strict": not from links either; "None": always, needs $secure
         * @throws \ValueError for what a browser would drop or read otherwise
         */
        public function withCookie(string $name, string $value, ?int $maxAge = null, string $path = "/", ?string $domain = null, bool $secure = false, bool $httpOnly = true, string $sameSite = "Lax"): Response {}
    }

    /**
     * Keeps connections per origin. Suspends the handler inside a server, blocks outside.
     */
    final class Client
    {
        /**
         * @param float       $timeout seconds for a whole request, from the look-up of the name to the answer's last byte
         * @param int         $maxBody bytes of an answer's body
         * @param bool        $verify  check the server's certificate and name
         * @param string|null $ca      PEM file to trust; null: the system's
         * @throws \ValueError for a time outside 0.001 to 1e6 seconds, no bytes, or a file that cannot be read
         */
        public function __construct(float $timeout = 30.0, int $maxBody = 16777216, bool $verify = true, ?string $ca = null) {}

        /**
         * Any status is an answer, a redirect too: it is not followed.
         * @param array<string, string|list<string>> $headers
         * @throws \Tusk\Exception when no answer could be had; the message says at which step
         * @throws \ValueError for what cannot be sent
         */
        public function request(string $method, string $url, array $headers = [], string $body = ""): ClientResponse {}

        public function get(string $url, array $headers = []): ClientResponse {}

        public function post(string $url, string $body = "", array $headers = []): ClientResponse {}
    }

    final class ClientResponse
    {
        public readonly int $status;
        /**
         * Lower-case names; several fields of one name are joined by ", ".
         * @var array<string, string>
         */
        public readonly array $headers;
        public readonly string $body;
        /**
         * Of names that came more than once, each field.
         * @var array<string, list<string>>
         */
        private readonly array $repeated;

        private function __construct() {}

        /** In any case; null when it was not sent. */
        public function header(string $name): ?string {}

        /** @return list<string> each field of that name by itself, as they came: Set-Cookie, which commas do not part; none: an empty list */
        public function headerValues(string $name): array {}

        /** @throws \JsonException */
        public function json(): mixed {}
    }
}

namespace Tusk\Sse {

    /**
     * One open event stream of a client.
     */
    final class EventStream
    {
        public readonly string $id;
        public readonly string $remoteAddress;
        /**
         * Of the route's placeholders, decoded.
         * @var array<string, string>
         */
        public readonly array $params;
        /**
         * What authorize returned.
         */
        public readonly mixed $identity;
        /**
         * Header Last-Event-ID, else query parameter "lastEventId", else null.
         */
        public readonly ?string $lastEventId;
        /** The user's own value, freed on close. */
        public mixed $state = null;

        private function __construct() {}

        public function header(string $name): ?string {}

        /** A parameter of the query, decoded; the first of that name. */
        public function query(string $name): ?string {}

        /** @return list<string> all values of that name, decoded, as they came ("?topic=a&topic=b"); none: an empty list */
        public function queryValues(string $name): array {}

        public function cookie(string $name): ?string {}

        /**
         * To this stream alone; nothing happens on one that is closed. Over Limits::$queuedBytes the stream ends.
         * @param string $data UTF-8; its line ends arrive as LF
         * @throws \ValueError for text, an event or an id that is not UTF-8, CR, LF or NUL in event or id
         */
        public function send(string $data, ?string $event = null, ?string $id = null): void {}

        /**
         * A line that browsers ignore; heartbeats are sent without asking.
         * @throws \ValueError for text that is not UTF-8, or CR, LF or NUL in it
         */
        public function comment(string $text = ""): void {}

        /**
         * Milliseconds that the client waits before it comes back.
         * @throws \ValueError outside 0 to 2,000,000,000
         */
        public function retry(int $milliseconds): void {}

        /**
         * Live messages of a topic; a second call changes the policy.
         * @param string                      $topic    1 to 1024 bytes
         * @param string|\Tusk\Position|null $since    continue behind that position; one that cannot be served is answered by a reset; null: from now on
         * @param \Tusk\Overflow             $overflow when the client does not keep up
         * @throws \Tusk\Exception over Limits::$subscriptions or Limits::$subscriptionBytes
         * @throws \ValueError for a topic that is none
         */
        public function subscribe(string $topic, string|\Tusk\Position|null $since = null, \Tusk\Overflow $overflow = \Tusk\Overflow::Close): void {}

        /** Of what `since:` replays comes first what has room at once (64 KiB), nothing of the topic after it. */
        public function unsubscribe(string $topic): void {}

        /** Behind what is queued, and what has room at once (64 KiB) of what `since:` replays. */
        public function close(): void {}

        public function isOpen(): bool {}

        /** Bytes that wait to leave. */
        public function bufferedBytes(): int {}

        /** What was agreed upon in the handshake, read anew each time; null without TLS, and once the connection is gone. */
        public function tls(): ?\Tusk\TlsInfo {}
    }

    final class Event
    {
        public readonly string $type;
        public readonly string $data;
        public readonly string $lastEventId;

        private function __construct() {}
    }

    /**
     * Reconnects by itself with Last-Event-ID.
     */
    final class Client implements \IteratorAggregate
    {
        public const CONNECTING = 0;
        public const OPEN = 1;
        public const CLOSED = 2;

        /**
         * @param string      $url                http:// or https://; redirects are followed
         * @param bool        $retryOnErrorStatus come back after 429, 502, 503 and 504, too
         * @param bool        $verify             check the server's certificate and name
         * @param string|null $ca                 PEM file to trust; null: the system's
         * @param float       $retryMin           seconds that a server's `retry` is at least taken for
         */
        public function __construct(
            string $url,
            array $headers = [],
            ?string $lastEventId = null,
            bool $retryOnErrorStatus = false,
            bool $verify = true,
            ?string $ca = null,
            float $retryMin = 0.5,
        ) {}

        /** The next event; null when $timeout seconds passed or the stream failed for good. */
        public function receive(?float $timeout = null): ?Event {}

        public function getIterator(): \Iterator {}

        public function state(): int {}

        public function lastEventId(): string {}

        /**
         * Why it is not open: how far the last attempt came, and what was wrong ("connect: connection refused",
         * "answer: the server refused, status 404"). null while it is open, before the first attempt has ended, and after close().
         */
        public function lastError(): ?string {}

        public function close(): void {}
    }
}

namespace Tusk\WebSocket {

    enum MessageType
    {
        case Continuation;
        case Text;
        case Binary;
        case Ping;
        case Pong;
        case Close;
    }

    final class ServerOptions
    {
        public readonly int $maxMessageSize;
        public readonly int $maxQueuedBytes;
        public readonly int $maxConnections;
        public readonly int $handshakeTimeoutMs;
        public readonly int $idleTimeoutMs;
        public readonly int $pingIntervalMs;
        public readonly int $pongTimeoutMs;

        /**
         * @param int $maxMessageSize     bytes of a message, after inflation; 1009
         * @param int $maxQueuedBytes     bytes that may wait for one connection; send() throws beyond it
         * @param int $maxConnections     open at once; past it accepting pauses
         * @param int $handshakeTimeoutMs TLS and opening handshake together
         * @param int $idleTimeoutMs      without any frame; Close 1001
         * @param int $pingIntervalMs     automatic pings with an empty payload; 0: none
         * @param int $pongTimeoutMs      a missing pong closes, where nothing else comes either
         * @throws \ValueError for a value out of range
         */
        public function __construct(
            int $maxMessageSize = 16777216,
            int $maxQueuedBytes = 16777216,
            int $maxConnections = 10000,
            int $handshakeTimeoutMs = 10000,
            int $idleTimeoutMs = 120000,
            int $pingIntervalMs = 0,
            int $pongTimeoutMs = 10000,
        ) {}
    }

    /**
     * permessage-deflate (RFC 7692). Messages over 1 MiB leave uncompressed: compressing them would hold up everybody else.
     */
    final class Deflate
    {
        public readonly int $threshold;
        public readonly int $level;
        public readonly int $serverMaxWindowBits;
        public readonly int $clientMaxWindowBits;
        public readonly bool $serverContextTakeover;
        public readonly bool $clientContextTakeover;

        /**
         * @param int  $threshold             bytes; smaller messages leave uncompressed
         * @param int  $level                 1 (fast) to 9
         * @param int  $serverMaxWindowBits   9 to 15
         * @param int  $clientMaxWindowBits   9 to 15
         * @param bool $serverContextTakeover keep our compressor between messages: 262 KiB per connection
         * @param bool $clientContextTakeover let clients keep theirs: 39 KiB per connection
         */
        public function __construct(
            int $threshold = 1024,
            int $level = 1,
            int $serverMaxWindowBits = 15,
            int $clientMaxWindowBits = 15,
            bool $serverContextTakeover = false,
            bool $clientContextTakeover = false,
        ) {}
    }

    /**
     * A WebSocket server with the method names that users of native extensions know.
     */
    final class Server
    {
        /**
         * The first listener's port; with port 0 the kernel's choice, known from onStart on.
         */
        public readonly int $port;

        /**
         * @param ServerOptions|array<string, int> $options by the names of ServerOptions' parameters
         * @throws \ValueError for an unknown name or a value out of range
         */
        public function __construct(ServerOptions|array $options = []) {}

        /**
         * Bound in run(); up to 16 times.
         * @param int $port 0: a free one, see $port
         * @throws \ValueError for NUL in the host, a port outside 0–65535
         */
        public function listen(string $host, int $port): void {}

        /**
         * The client's first offer among them wins.
         * @throws \ValueError for what is no token, or twice
         * @throws \Error while running
         */
        public function subprotocols(string ...$protocols): void {}

        public function deflate(Deflate $options): void {}

        /** On every listener of this server. */
        public function tls(\Tusk\Tls $tls): void {}

        /** function (Request): mixed; after a valid upgrade request, before the 101. Throw HandshakeException to refuse. */
        public function onHandshake(\Closure $callback): void {}

        /** function (Connection): mixed; false closes. */
        public function onOpen(\Closure $callback): void {}

        /** function (Connection, string, MessageType): mixed */
        public function onMessage(\Closure $callback): void {}

        /** function (Connection): mixed; once for each onOpen. */
        public function onClose(\Closure $callback): void {}

        /** function (\Throwable): mixed; an exception of any callback, whose connection is closed with 1011. Without one, they are logged. */
        public function onError(\Closure $callback): void {}

        /** function (Server): mixed; once the ports are bound. */
        public function onStart(\Closure $callback): void {}

        public function publish(string $topic, string $data, MessageType $type = MessageType::Text): \Tusk\Position {}

        /**
         * Serves until stop(), SIGTERM or SIGINT.
         * @throws \Error without listen(), or a second time
         * @throws \Tusk\Exception when an address cannot be bound
         */
        public function run(): void {}

        /** Close 1001 to everybody, queued bytes leave; at most five seconds. */
        public function stop(): void {}

        public function getDriver(): string {}

        /** @return array<string, int> */
        public function stats(): array {}
    }

    /**
     * The upgrade request as onHandshake sees it.
     */
    final class Request
    {
        public readonly string $method;
        public readonly string $target;
        public readonly array $headers;

        private function __construct() {}

        public function header(string $name): ?string {}

        /** Of the connection: null without TLS, and once it is gone, unless it was asked for before. */
        public function tls(): ?\Tusk\TlsInfo {}
    }

    final class HandshakeResponse
    {
        public readonly int $status;
        public readonly array $headers;
        public readonly string $body;

        /**
         * @param int $status 300 to 599
         * @param array<string, string|list<string>> $headers
         * @throws \ValueError for another status, or CR, LF or NUL in a header
         */
        public function __construct(int $status = 403, array $headers = [], string $body = "") {}
    }

    final class HandshakeException extends \Exception
    {
        public readonly HandshakeResponse $response;

        public function __construct(?HandshakeResponse $response = null) {}
    }

    /**
     * A handle to a connection: slot and generation; its methods are commands to the core.
     */
    final class Connection implements \IteratorAggregate
    {
        public readonly string $id;
        public readonly string $remoteAddress;
        public readonly ?string $subprotocol;
        /**
         * Of the route's placeholders (general server).
         * @var array<string, string>
         */
        public readonly array $params;
        /**
         * What authorize returned (general server).
         */
        public readonly mixed $identity;
        /** The user's own value, freed on close. */
        public mixed $state = null;

        private function __construct() {}

        /**
         * Queues one message (or a Ping, Pong, Close); what a turn queues leaves together.
         * On Tusk\Server a closed connection is no error, and over Limits::$queuedBytes this connection is closed with 1013.
         * @throws \ValueError for text that is not UTF-8, a control payload over 125 bytes, Continuation
         * @throws \Error on Tusk\WebSocket\Server: closed, or beyond maxQueuedBytes (nothing of it is queued)
         */
        public function send(string $data, MessageType $type = MessageType::Text): void {}

        /**
         * Close frame behind what is queued (RFC 6455, 5.5.1), and what has room at once (64 KiB) of what `since:` replays; the peer has closeMs to answer. Nothing happens on one that is closed.
         * @param int    $code   1000–1003, 1007–1014 or 3000–4999
         * @param string $reason UTF-8, at most 123 bytes
         * @throws \ValueError for others
         */
        public function close(int $code = 1000, string $reason = ""): void {}

        /** False once a Close was sent or received. */
        public function isOpen(): bool {}

        /** At once, without a Close frame. */
        public function terminate(): void {}

        /**
         * At most 125 bytes.
         * @throws \ValueError for more
         */
        public function ping(string $payload = ""): void {}

        /**
         * Live messages of a topic; a second call changes the policy.
         * @param string                      $topic    1 to 1024 bytes
         * @param string|\Tusk\Position|null $since    continue behind that position; one that cannot be served is answered by a reset; null: from now on
         * @param \Tusk\Overflow             $overflow when the client does not keep up
         * @throws \Tusk\Exception over Limits::$subscriptions or Limits::$subscriptionBytes
         * @throws \ValueError for a topic that is none
         */
        public function subscribe(string $topic, string|\Tusk\Position|null $since = null, \Tusk\Overflow $overflow = \Tusk\Overflow::Close): void {}

        /** Of what `since:` replays comes first what has room at once (64 KiB), nothing of the topic after it. */
        public function unsubscribe(string $topic): void {}

        /** To every subscriber but this connection. */
        public function publish(string $topic, string $data, MessageType $type = MessageType::Text): \Tusk\Position {}

        /** Bytes that wait to leave. */
        public function bufferedBytes(): int {}

        /** What was agreed upon in the handshake, read anew each time; null without TLS, and once the connection is gone. */
        public function tls(): ?\Tusk\TlsInfo {}

        /** A parameter of the request's query, decoded; the first of that name (general server). */
        public function query(string $name): ?string {}

        /** @return list<string> all values of that name, decoded, as they came; none: an empty list (general server) */
        public function queryValues(string $name): array {}

        /** Messages as they come: the fiber waits between them; MessageType => string. */
        public function getIterator(): \Iterator {}
    }

    final class Messages implements \Iterator
    {
        private function __construct() {}

        public function current(): mixed {}

        public function key(): mixed {}

        public function next(): void {}

        public function rewind(): void {}

        public function valid(): bool {}
    }

    final class Frame
    {
        public readonly MessageType $type;
        public readonly int $opcode;
        public readonly int $flags;
        public readonly string $payload;
        public readonly bool $final;
        public readonly int $bytesConsumed;

        public function __construct(MessageType $type, string $payload, bool $final = true) {}
    }

    final class CloseFrame
    {
        public readonly int $code;
        public readonly string $reason;
        public readonly int $flags;
        public readonly int $bytesConsumed;

        public function __construct(int $code = 1000, string $reason = "") {}
    }

    /**
     * The frame codec alone (RFC 6455, 5).
     */
    final class Protocol
    {
        public const OPCODE_CONTINUATION = 0;
        public const OPCODE_TEXT = 1;
        public const OPCODE_BINARY = 2;
        public const OPCODE_CLOSE = 8;
        public const OPCODE_PING = 9;
        public const OPCODE_PONG = 10;
        public const FLAG_FIN = 1;
        public const FLAG_COMPRESS = 2;
        public const FLAG_RSV1 = 4;
        public const FLAG_RSV2 = 8;
        public const FLAG_RSV3 = 16;
        public const FLAG_MASK = 32;
        public const CLOSE_NORMAL = 1000;
        public const CLOSE_GOING_AWAY = 1001;
        public const CLOSE_PROTOCOL_ERROR = 1002;
        public const CLOSE_UNSUPPORTED_DATA = 1003;
        public const CLOSE_NO_STATUS = 1005;
        public const CLOSE_ABNORMAL = 1006;
        public const CLOSE_INVALID_PAYLOAD = 1007;
        public const CLOSE_POLICY_VIOLATION = 1008;
        public const CLOSE_MESSAGE_TOO_BIG = 1009;
        public const CLOSE_EXTENSION_MISSING = 1010;
        public const CLOSE_SERVER_ERROR = 1011;
        public const CLOSE_TLS = 1015;

        private function __construct() {}

        /** Sec-WebSocket-Accept for a Sec-WebSocket-Key (RFC 6455, 4.2.2). */
        public static function acceptKey(string $key): string {}

        /**
         * One whole frame; $masked as a client must, with a key from the system's random source.
         * @throws \ValueError for text that is not UTF-8, a control payload over 125 bytes, a Close payload that is none
         */
        public static function encode(string $payload, MessageType $type = MessageType::Text, bool $masked = false): string {}

        /**
         * The frame at the front; null when bytes are missing.
         * @throws \Error for a structural fault, which the message names
         */
        public static function decode(string $bytes): Frame|CloseFrame|null {}

        /**
         * Like encode(), with raw opcode and flags; a Frame or CloseFrame has its own, and is masked where it came masked.
         * @throws \ValueError for an unknown opcode, a control frame without FLAG_FIN, an opcode or flags that are not the frame's own
         */
        public static function pack(string|Frame|CloseFrame $payload, int $opcode = Protocol::OPCODE_TEXT, int $flags = Protocol::FLAG_FIN): string {}

        /**
         * Like decode(), reserved bits allowed; compressed payloads stay as they are.
         * @throws \Error for a structural fault
         */
        public static function unpack(string $bytes): Frame|CloseFrame|null {}
    }

    /**
     * An incremental decoder for a stream of frames.
     */
    final class Frames
    {
        public function __construct(int $maxFrameSize = 16777216) {}

        public function push(string $bytes): void {}

        /** The next whole frame, or null when bytes are missing; \Error names a structural fault. */
        public function next(): Frame|CloseFrame|null {}

        /** Bytes that wait for the rest of their frame. */
        public function bufferedBytes(): int {}
    }

    /**
     * Suspends the handler inside a server, blocks outside.
     */
    final class Client implements \IteratorAggregate
    {
        public readonly ?string $subprotocol;
        /**
         * The peer's close code once it closed, else null.
         */
        public readonly ?int $closeCode;
        public readonly ?string $closeReason;

        /**
         * @param string $url ws:// or wss://; http:// and https:// mean the same, as in browsers
         * @throws \Tusk\Exception when the connection or the handshake fails; the message says where
         */
        public function __construct(
            string $url,
            array $subprotocols = [],
            array $headers = [],
            float $timeout = 10.0,
            int $maxMessageSize = 16777216,
            ?Deflate $deflate = null,
            bool $verify = true,
            ?string $ca = null,
        ) {}

        /**
         * Returns when the message is queued: at once, but while 256 MiB are.
         * @throws \Tusk\Exception on a closed connection, or when the queue was still full $timeout seconds later: nothing of the message is sent then
         */
        public function send(string $data, MessageType $type = MessageType::Text, ?float $timeout = null): void {}

        /** The next message; null when the connection is closed or $timeout seconds passed (isOpen() tells). */
        public function receive(?float $timeout = null): ?string {}

        /** Of the message that receive() gave last. */
        public function lastType(): MessageType {}

        public function ping(string $payload = ""): void {}

        public function close(int $code = 1000, string $reason = ""): void {}

        public function isOpen(): bool {}

        /**
         * What ended it, where the server did not close it in order (closeCode 1006): "stream: text is not UTF-8", "stream: message too big",
         * "stream: connection reset by peer". null while it is open, and after a Close of the server's.
         */
        public function lastError(): ?string {}

        public function getIterator(): \Iterator {}
    }
}

namespace Tusk\Proxy {

    /** How bytes go from one side to the other once a route is known. */
    enum Engine
    {
        /** recv and send through one buffer. */
        case Copy;
        /** Copy; a direction that is full twice in a row goes through a pipe in the kernel. */
        case Splice;
        /** io_uring where the kernel has it; else Copy, and the log says why. */
        case Uring;
    }

    /** The kernel's own relay (BPF): for plain TCP, after routing. */
    enum Sockmap
    {
        case Off;
        /** Where the kernel and our privileges allow it; else Engine decides, and the log says why. */
        case On;
    }

    /** Who speaks first behind a listener. */
    enum First
    {
        /** The backend: the route is asked for at accept, nothing of the client's is waited for. */
        case Server;
        /** The client: the route is asked for when its first bytes tell enough. */
        case Client;
        /** The client, but after Limits::$waitMs (or the listener's own) without a byte the route is asked for as it is. */
        case Wait;
    }

    /** What a client's first bytes are read as. */
    enum Protocol
    {
        /** TLS, Postgres or neither, as the bytes say. */
        case Auto;
        /** Bytes: Lookup::$first alone tells about them. */
        case Raw;
        /** A ClientHello is demanded. It is passed on; where the listener has a certificate, TLS ends here. */
        case Tls;
        /** Users and databases are read, TLS is answered, refusals are ErrorResponse. */
        case Postgres;
        /** Clients are greeted here, users and databases are read, TLS is answered, refusals are ERR packets. With First::Server the backend greets. */
        case Mysql;
    }

    /** What backends are told of the client. A stranger's X-Forwarded-* and Forwarded never reach them. */
    enum Forward
    {
        /** Nothing of ours; what a trusted proxy said stays. */
        case Off;
        /** What a trusted proxy said stays, and ours is added behind it. */
        case Append;
        /** Ours alone, whatever was said before. */
        case Set;
    }

    /** TLS on a listener that has a certificate. */
    enum TlsMode
    {
        /** Never. */
        case Disable;
        /** As the client wants it. */
        case Allow;
        /** Clients without it are refused. */
        case Require;
    }

    /**
     * Where a client may be sent.
     */
    final class Target
    {
        public readonly string $address;
        public readonly int $weight;

        /**
         * @param string $address "10.0.0.7:5432", "[fd00::7]:5432", "db7.internal:5432", "unix:/run/db.sock"
         * @param int    $weight  share of new connections among a route's targets; 0: only when no other is healthy
         * @throws \ValueError for an address that is none; IPv6 stands in brackets
         */
        public function __construct(string $address, int $weight = 1) {}
    }

    /**
     * TLS towards backends.
     */
    final class UpstreamTls
    {
        /**
         * Without it a Postgres, MySQL or SMTP backend that has no TLS is spoken to plainly; to an HTTP backend TLS is spoken in any case.
         */
        public readonly bool $require;
        public readonly ?string $name;

        /**
         * @param bool        $verify      check the backend's certificate and name
         * @param string|null $ca          PEM file; null: the system's
         * @param string|null $name        asked for by SNI and checked; null: the target's host
         * @param string|null $certificate PEM file of a client certificate
         * @param string|null $key         PEM file of its key
         * @throws \ValueError when a file cannot be read or does not fit
         */
        public function __construct(
            bool $require = true,
            bool $verify = true,
            ?string $ca = null,
            ?string $name = null,
            ?string $certificate = null,
            ?string $key = null,
        ) {}
    }

    /**
     * A resolver's answer.
     */
    final class Route
    {
        /**
         * @var list<Target>
         */
        public readonly array $targets;
        /**
         * @var array<string, mixed>
         */
        public readonly array $metadata;
        public readonly float $ttl;
        public readonly ?float $connectTimeout;
        public readonly ?float $idleTimeout;
        public readonly int $proxyProtocol;
        public readonly ?UpstreamTls $tls;
        public readonly ?string $first;
        public readonly ?string $user;
        public readonly ?string $database;
        public readonly ?string $host;
        public readonly ?\Tusk\Http\Response $response;
        public readonly ?string $name;

        private function __construct() {}

        /**
         * @param Target|string|list<Target|string> $targets 64 at most; one is picked by weight among the healthy; while it cannot be connected to, or serves nobody (MySQL, SMTP: no greeting), another is tried
         * @param array<string, mixed> $metadata  for the access log; must be JSON
         * @param float       $ttl            seconds for which every lookup with the same values of the fields that were read gets this answer; 0: this one only
         * @param float|null  $connectTimeout seconds for one target; null: Limits::$connectMs
         * @param float|null  $idleTimeout    seconds without a byte either way, 0: for ever; null: Limits::$idleMs
         * @param int         $proxyProtocol  1 or 2: a PROXY header of that version is sent first; 0: none
         * @param UpstreamTls|null $tls       TLS towards the target; null: the proxy's `upstream`
         * @param string|null $first          sent in place of the client's first bytes; not for MySQL clients that are greeted here
         * @param string|null $user           Postgres, MySQL: sent in place of the client's
         * @param string|null $database       Postgres, MySQL: sent in place of the client's
         * @param string|null $host           HTTP: sent as Host in place of the client's, which X-Forwarded-Host tells
         * @param string|null $name           under which its sessions are counted at /metrics, 1 to 263 bytes of UTF-8; several routes may have one name. Null: they are counted at their target only
         * @throws \ValueError for values that are none
         */
        public static function to(
            Target|string|array $targets,
            array $metadata = [],
            float $ttl = 60.0,
            ?float $connectTimeout = null,
            ?float $idleTimeout = null,
            int $proxyProtocol = 0,
            ?UpstreamTls $tls = null,
            ?string $first = null,
            ?string $user = null,
            ?string $database = null,
            ?string $host = null,
            ?string $name = null,
        ): Route {}

        /**
         * HTTP: the proxy answers itself; no backend is asked. Its length and Date are added, and what RFC 9110 has with a 401, 405, 407 or 426 where it is not said.
         * @param \Tusk\Http\Response $response with a body of its own: no file, no stream
         * @param array<string, mixed> $metadata for the access log; must be JSON
         * @param float $ttl seconds, as for to()
         * @param string|null $name as for to()
         * @throws \ValueError for a header of one hop (Connection, Transfer-Encoding, Upgrade, …; but Upgrade with a 426 and Proxy-Authenticate with a 407) or with CR, LF or NUL
         */
        public static function respond(\Tusk\Http\Response $response, array $metadata = [], float $ttl = 60.0, ?string $name = null): Route {}
    }

    /**
     * Thrown by a resolver: there is no route. Each protocol says it in its own words (HTTP status, Postgres ErrorResponse, MySQL ERR, SMTP reply).
     */
    final class Refused extends \Tusk\Exception
    {
        public readonly float $ttl;

        /**
         * @param int    $status 400 to 599, as HTTP means them; getCode() gives it
         * @param string $reason told to the client; no CR, LF or NUL, 512 bytes at most
         * @param float  $ttl    seconds for which the same fields are refused without asking; 0: this one only
         * @throws \ValueError for values that are none
         */
        public function __construct(int $status = 403, string $reason = "", float $ttl = 5.0) {}
    }

    /**
     * What is known of a client. The fields that a resolver reads are the key under which its answer is kept, so a route that depends
     * on the user is never given to another one. What looks at all (var_dump, foreach, a cast to array) reads all. null: not known.
     */
    final class Lookup
    {
        /**
         * As it was given to listen().
         */
        public readonly ?string $listener;
        /**
         * The client's address, that behind a trusted proxy; without its port.
         */
        public readonly ?string $peer;
        public readonly ?int $peerPort;
        /**
         * Address and port that the client connected to.
         */
        public readonly ?string $destination;
        /**
         * TLS: the name asked for (SNI), lower case.
         */
        public readonly ?string $serverName;
        /**
         * TLS: the client's protocols (ALPN), joined by commas, where it sent any; an HTTP proxy speaks 1.1 whatever else is offered.
         */
        public readonly ?string $alpn;
        /**
         * HTTP: lower case, without a port.
         */
        public readonly ?string $host;
        public readonly ?string $method;
        /**
         * HTTP: without the query.
         */
        public readonly ?string $path;
        /**
         * Postgres, MySQL.
         */
        public readonly ?string $user;
        /**
         * Postgres, MySQL.
         */
        public readonly ?string $database;
        /**
         * Postgres: application_name. MySQL: program_name.
         */
        public readonly ?string $application;
        /**
         * SMTP: of EHLO or HELO, lower case.
         */
        public readonly ?string $domain;
        /**
         * Of a PROXY v2 header.
         */
        public readonly ?string $authority;
        /**
         * The first bytes as they came.
         */
        public readonly ?string $first;
        /**
         * TLS: what the client showed and its handshake proved, where clientCa asks for certificates. The key is its fingerprint.
         */
        public readonly ?\Tusk\Certificate $certificate;
        /**
         * Whether TLS ends here. Always part of the key.
         */
        public readonly bool $secure;

        private function __construct() {}

        /**
         * One for tests of resolvers: `Lookup::of(user: 'anna', database: 'shop')`; `certificate:` is one as text (PEM).
         * @throws \ValueError for a field that is none
         */
        public static function of(mixed ...$fields): Lookup {}

        /**
         * Names of the fields that were read so far.
         * @return list<string>
         */
        public function fieldsRead(): array {}
    }

    interface Resolver
    {
        /**
         * Called when no answer is remembered, once for lookups that are alike. It may wait (Timer::sleep(), Http\Client): others go on
         * meanwhile. After Limits::$resolveMs its client gets 504. What else it throws is logged, and the client gets 500.
         * @throws Refused when there is no route
         */
        public function resolve(Lookup $lookup): Route;
    }

    /** A resolver whose routes can change while it runs. */
    interface Reloadable extends Resolver
    {
        /**
         * Called once a second and, with $asked, at SIGHUP and reload(). Returns whether routes changed: remembered answers are then forgotten.
         */
        public function reload(bool $asked): bool;
    }

    /**
     * Something that has a file open. When a method of it is what onAccess() was given, it is asked at SIGHUP and reload() to open its file
     * again: with workers the master asks, whose rights those workers inherit that follow.
     */
    interface Reopenable
    {
        public function reopen(): void;
    }

    /**
     * Which addresses may be connected to. It judges the address itself, after names were looked up.
     */
    final class Validation
    {
        public readonly bool $anyAddress;
        /**
         * @var list<string>
         */
        public readonly array $allowed;

        private function __construct() {}

        /** Public addresses: none that is private, loopback, link-local, multicast, reserved or a spelling of one of these. Unix sockets are refused. */
        public static function publicOnly(): Validation {}

        /** Every address. */
        public static function none(): Validation {}

        /**
         * A copy that lets these through as well: "10.0.0.0/8", "fd00::/8", "127.0.0.1", "unix:/run/" (paths that begin so, without "..").
         * @throws \ValueError for a range that is none
         */
        public function allow(string ...$ranges): Validation {}
    }

    /**
     * Every limit of a proxy; each has a counter in stats(). Integers: bytes, milliseconds (…Ms), seconds (…S) or counts; 0 switches one off unless said.
     */
    final class Limits
    {
        /**
         * Clients at once; past it accepting pauses. Not 0.
         */
        public readonly int $connections;
        public readonly int $perListener;
        /**
         * Of one IPv4 address or IPv6 /64.
         */
        public readonly int $perSource;
        /**
         * Connections to one target; past it the next one is taken.
         */
        public readonly int $perTarget;
        /**
         * New connections a second of one source, with a second's burst.
         */
        public readonly int $ratePerSource;
        /**
         * Resolvers that are asked at once; past it 503. Not 0.
         */
        public readonly int $lookups;
        /**
         * Answers remembered; past it the least lately used goes. Not 0.
         */
        public readonly int $routes;
        /**
         * Of a client before it has a route; HTTP has HttpLimits::$headBytes instead. Not 0.
         */
        public readonly int $firstBytes;
        /**
         * Held per direction while the other side does not take; past it reading stops. Not 0.
         */
        public readonly int $pendingBytes;
        /**
         * First::Wait.
         */
        public readonly int $waitMs;
        /**
         * For the first bytes that tell enough, TLS included; HTTP has HttpLimits::$headMs instead. Not 0.
         */
        public readonly int $firstMs;
        /**
         * For the resolver's answer; 504. Not 0.
         */
        public readonly int $resolveMs;
        /**
         * For one address; for the look-up of a name, too, where another target is left to try. Not 0.
         */
        public readonly int $connectMs;
        /**
         * For all targets that are tried, without the time in which one that was connected was waited for. Not 0.
         */
        public readonly int $connectTotalMs;
        /**
         * For the backend's first byte; a greeting of MySQL or SMTP, and PostgreSQL's answer about TLS, have firstMs (SMTP: 5 minutes) where it is 0.
         */
        public readonly int $backendFirstMs;
        /**
         * Nothing either way.
         */
        public readonly int $idleMs;
        /**
         * One side has ended and the other says nothing.
         */
        public readonly int $halfClosedMs;
        /**
         * Of a session, however busy.
         */
        public readonly int $ageMs;
        /**
         * From stop() or SIGTERM until what is left is cut.
         */
        public readonly int $drainMs;
        /**
         * TCP keep-alive on both sides.
         */
        public readonly int $keepIdleS;
        public readonly int $keepIntervalS;
        public readonly int $keepCount;
        /**
         * TCP_USER_TIMEOUT; 0: the system's.
         */
        public readonly int $userTimeoutMs;
        /**
         * Targets tried while nothing of the client's went to one: it cannot be connected to, or serves nobody (no greeting, a greeting that refuses, no TLS). Not 0.
         */
        public readonly int $attempts;
        /**
         * So many failures in a row eject a target for $ejectMs.
         */
        public readonly int $ejectFailures;
        public readonly int $ejectMs;
        /**
         * Between two probes (a connect) of each known target.
         */
        public readonly int $checkMs;
        /**
         * Probes in a row until a target is up again.
         */
        public readonly int $checkRise;
        /**
         * Probes in a row until it is down.
         */
        public readonly int $checkFall;
        /**
         * For so long a target's addresses stay what its name gave. Not 0.
         */
        public readonly int $dnsTtlMs;
        /**
         * So long after $dnsTtlMs a name's last known addresses are used while no name server answers (RFC 8767); not when one says that there are none. Validation judges them as ever. 0: never.
         */
        public readonly int $dnsStaleMs;

        /**
         * Where all targets of a route have $perTarget connections, new clients (HTTP: requests) wait so long for a place; 0: 503 at once.
         */
        public readonly int $queueMs;
        /**
         * TCP_NOTSENT_LOWAT on both sides: nothing more is handed to the kernel while it has so much that was not sent; 0: the system's.
         */
        public readonly int $notSentBytes;
        /**
         * Connections that wait in each listener to be accepted; the kernel's net.core.somaxconn is above it.
         */
        public readonly int $backlog;
        /**
         * Targets, and names of routes, that /metrics tells apart; the others are counted together as "other". Each is some fifty lines there; 5000 at most.
         */
        public readonly int $metrics;

        /** @throws \ValueError when a value is out of range */
        public function __construct(
            int $connections = 100000,
            int $perListener = 0,
            int $perSource = 0,
            int $perTarget = 0,
            int $ratePerSource = 0,
            int $lookups = 1024,
            int $routes = 65536,
            int $firstBytes = 16384,
            int $pendingBytes = 65536,
            int $waitMs = 200,
            int $firstMs = 10000,
            int $resolveMs = 5000,
            int $connectMs = 5000,
            int $connectTotalMs = 15000,
            int $backendFirstMs = 0,
            int $idleMs = 0,
            int $halfClosedMs = 60000,
            int $ageMs = 0,
            int $drainMs = 30000,
            int $keepIdleS = 30,
            int $keepIntervalS = 10,
            int $keepCount = 3,
            int $userTimeoutMs = 0,
            int $attempts = 3,
            int $ejectFailures = 3,
            int $ejectMs = 10000,
            int $checkMs = 0,
            int $checkRise = 2,
            int $checkFall = 3,
            int $dnsTtlMs = 30000,
            int $dnsStaleMs = 86400000,
            int $queueMs = 0,
            int $notSentBytes = 0,
            int $backlog = 4096,
            int $metrics = 256,
        ) {}
    }

    /**
     * The limits of an HTTP proxy beyond Limits; each has a counter in stats(). Bytes, milliseconds (…Ms) or counts; 0 switches one off unless said.
     */
    final class HttpLimits
    {
        /**
         * Of a request line, 414; of a status line, 502. 256 at least.
         */
        public readonly int $lineBytes;
        /**
         * Of a whole head: 431; of a backend's: 502. 256 at least.
         */
        public readonly int $headBytes;
        /**
         * Of a head, 128 at most: the same.
         */
        public readonly int $headFields;
        /**
         * Of a request's body: 413; 0: any, since it only passes through.
         */
        public readonly int $bodyBytes;
        /**
         * Of one client connection, whose last answer closes it.
         */
        public readonly int $requests;
        /**
         * 1xx answers before the final one: 502. Not 0.
         */
        public readonly int $interim;
        /**
         * A request's head, from its first byte: 408. Not 0.
         */
        public readonly int $headMs;
        /**
         * A request's body without a byte of progress: 408. Not 0.
         */
        public readonly int $bodyMs;
        /**
         * The backend's head, once it has the whole request: 504. Not 0.
         */
        public readonly int $answerMs;
        /**
         * An answer's body without a byte of progress: cut.
         */
        public readonly int $idleMs;
        /**
         * Nothing either way after an upgrade.
         */
        public readonly int $tunnelMs;
        /**
         * A client between two requests: closed. Not 0.
         */
        public readonly int $keepAliveMs;
        /**
         * Connections to one target at once; past it requests wait.
         */
        public readonly int $poolSize;
        /**
         * Of them kept without a request; 0: none is.
         */
        public readonly int $poolIdle;
        /**
         * Kept so long. Not 0.
         */
        public readonly int $poolIdleMs;
        /**
         * Requests that wait for one target; past it 503.
         */
        public readonly int $poolWaiting;
        /**
         * They wait so long: 503. Not 0.
         */
        public readonly int $poolWaitMs;
        /**
         * A backend that says nothing, for a client that has ended its side: 504, or cut; 0: Limits::$halfClosedMs alone.
         */
        public readonly int $clientFinMs;

        /** @throws \ValueError when a value is out of range */
        public function __construct(
            int $lineBytes = 8192,
            int $headBytes = 16384,
            int $headFields = 100,
            int $bodyBytes = 0,
            int $requests = 10000,
            int $interim = 16,
            int $headMs = 10000,
            int $bodyMs = 60000,
            int $answerMs = 60000,
            int $idleMs = 60000,
            int $tunnelMs = 3600000,
            int $keepAliveMs = 75000,
            int $poolSize = 0,
            int $poolIdle = 64,
            int $poolIdleMs = 15000,
            int $poolWaiting = 1024,
            int $poolWaitMs = 5000,
            int $clientFinMs = 10000,
        ) {}
    }

    /**
     * What an HTTP proxy tells backends of its clients. Who is believed to tell of others is in `trustedProxies`.
     */
    final class Forwarding
    {
        /**
         * X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host.
         */
        public readonly Forward $xForwarded;
        /**
         * Forwarded (RFC 7239).
         */
        public readonly Forward $forwarded;
        /**
         * Via, in requests and answers; whoever sent one before.
         */
        public readonly Forward $via;
        /**
         * Ours in Via.
         */
        public readonly string $viaName;

        /**
         * @param string $viaName a token: letters, digits and !#$%&'*+-.^_`|~
         * @throws \ValueError for one that is none
         */
        public function __construct(
            Forward $xForwarded = Forward::Append,
            Forward $forwarded = Forward::Append,
            Forward $via = Forward::Append,
            string $viaName = "tusk",
        ) {}
    }

    /**
     * How one session ended, told once.
     */
    final class Access
    {
        /**
         * "tcp", "http" or "smtp".
         */
        public readonly string $kind;
        /**
         * When it began, seconds since 1970.
         */
        public readonly float $time;
        public readonly string $listener;
        public readonly string $peer;
        /**
         * The target that the session had, or the last one that failed it; null: none was tried.
         */
        public readonly ?string $target;
        /**
         * "copy", "splice", "uring" or "sockmap".
         */
        public readonly string $engine;
        /**
         * A refusal's, or an HTTP answer's; 0: relayed to its end.
         */
        public readonly int $status;
        /**
         * "done", "client reset", "backend reset", "idle", …
         */
        public readonly string $end;
        /**
         * Of a refusal, as its client was told: Refused's, or why a request is none; null where $end says it, or nothing was said.
         */
        public readonly ?string $reason;
        /**
         * Whether the answer was remembered.
         */
        public readonly bool $cached;
        /**
         * Seconds until the route, the connection and the backend's first byte were there, each from the step before; and of all. A resolver
         * that computes is in $resolve. What was not reached is 0.
         */
        public readonly float $resolve;
        public readonly float $connect;
        public readonly float $firstByte;
        public readonly float $duration;
        public readonly int $bytesUp;
        public readonly int $bytesDown;
        /**
         * Of the route.
         * @var array<string, mixed>
         */
        public readonly array $metadata;
        /**
         * The route's name, or null.
         */
        public readonly ?string $route;
        /**
         * HTTP: of a request that was passed on, else null; the path without its query.
         */
        public readonly ?string $method;
        public readonly ?string $host;
        public readonly ?string $path;

        private function __construct() {}
    }

    /**
     * A TCP proxy: plain, TLS (passed on or ended here), Postgres, MySQL.
     */
    final class Tcp
    {
        /**
         * The first listener's port; with port 0 the one that the kernel chose, known from onStart on.
         */
        public readonly int $port;

        /**
         * @param string|list<string> $listen "0.0.0.0:5432", "[::]:5432", "unix:/run/proxy.sock"; bound in run()
         * @param Validation|null  $validation     addresses that may be connected to; null: public ones
         * @param First            $first          of all of `listen`, as are the next five; listen() takes its own
         * @param \Tusk\Tls|null   $tls            a certificate: TLS ends here; null: it passes through
         * @param UpstreamTls|null $upstream       TLS towards backends where the route has none of its own
         * @param list<string>     $trustedProxies addresses or ranges whose PROXY header is believed; a Unix path's peers are, as soon as any is named
         * @param bool             $proxyProtocol  they must send one first; needs $trustedProxies
         * @param Limits|null      $limits         null: the defaults
         * @param int|string       $workers        processes that share the addresses, 1 to 64; run() forks them and is their master. "auto": one for each processor that
         *                                         the mask and the quota of this process (a container's, too) leave it
         * @param string|null      $bpfObject      with Sockmap::On: a BPF object file that is loaded instead of the built-in program
         * @param string|null      $mysqlVersion   what Protocol::Mysql greets with, 1 to 63 bytes; clients take it for the server's version; null: "8.0.11-tusk"
         * @param string|null      $user           name or number: workers run as this user and its groups, the master, which binds and reads keys, as who starts it (root)
         * @param string|null      $group          the same; null: the user's
         * @throws \ValueError for an address or a version that is none
         */
        public function __construct(
            Resolver $resolver,
            string|array $listen = [],
            Sockmap $sockmap = Sockmap::Off,
            ?Validation $validation = null,
            Engine $engine = Engine::Splice,
            First $first = First::Wait,
            Protocol $protocol = Protocol::Auto,
            ?\Tusk\Tls $tls = null,
            TlsMode $downstream = TlsMode::Allow,
            ?UpstreamTls $upstream = null,
            array $trustedProxies = [],
            bool $proxyProtocol = false,
            ?Limits $limits = null,
            int|string $workers = 1,
            ?string $bpfObject = null,
            ?string $mysqlVersion = null,
            ?string $user = null,
            ?string $group = null,
        ) {}

        /**
         * What is null is the constructor's; $waitMs and $connections are those of its Limits.
         * @param int|null $waitMs      of First::Wait: so long for a client's first byte
         * @param int|null $connections clients of this listener at once, past them accepting pauses; null: Limits::$perListener
         * @throws \ValueError for a bad address, version or number, \LogicException while running
         */
        public function listen(
            string $address,
            ?First $first = null,
            ?Protocol $protocol = null,
            ?\Tusk\Tls $tls = null,
            ?TlsMode $downstream = null,
            ?bool $proxyProtocol = null,
            ?string $mysqlVersion = null,
            ?int $waitMs = null,
            ?int $connections = null,
        ): void {}

        /** A listener for operators: GET /metrics (OpenMetrics) and GET /health (200, while it drains 503). */
        public function admin(string $address): void {}

        /** function (Tcp): mixed; once, when the ports are bound, in the process that binds: with workers the master. It cannot wait for others there. */
        public function onListen(\Closure $handler): void {}

        /** function (Tcp): mixed; once the ports are bound; in every worker. */
        public function onStart(\Closure $handler): void {}

        /**
         * function (Tcp): mixed; once, before a drain begins (stop(), SIGTERM, a worker that is replaced); in every worker: what runs beside the proxy
         * is to end there. The drain does not wait where it waits.
         */
        public function onStop(\Closure $handler): void {}

        /** function (\Throwable): mixed, for what resolvers and handlers throw; without one it is logged by error_log(). */
        public function onError(\Closure $handler): void {}

        /** function (Access): mixed; once per session (HTTP: per request), at its end. A method of a Reopenable: that one reopens at SIGHUP. */
        public function onAccess(\Closure $handler): void {}

        /**
         * Binds, and serves until stop(), SIGTERM or SIGINT. SIGHUP does what reload() does; with workers new ones take over, and the old ones drain.
         * With workers this process supervises only: handlers run in the workers, what follows run() here alone.
         * @return int exit code: 0 after a clean stop
         * @throws \Tusk\Exception when an address cannot be bound; the message names it
         * @throws \LogicException without an address, a second time, or where it was not made (a pool's worker, a fork)
         */
        public function run(): int {}

        /** Drains: no new connection; sessions may end by themselves within Limits::$drainMs. A second call cuts. */
        public function stop(): void {}

        /** Another resolver from now on; remembered answers are forgotten, sessions go on. */
        public function resolver(Resolver $resolver): void {}

        /** Remembered answers are forgotten, certificates are read again, a Reloadable resolver reloads. Sessions go on. */
        public function reload(): void {}

        /** Remembered answers are forgotten. */
        public function forget(): void {}

        /**
         * Every counter; docs/reference/counters.md says what they mean.
         * @return array<string, int>
         */
        public function stats(): array {}

        /** Whether a target takes connections; null: nothing is known about it. */
        public function health(string $address): ?bool {}

        /** What relays bytes: "copy", "splice", "sockmap enabled (…)", "sockmap unavailable (…)". */
        public function engine(): string {}

        /** Which of several workers this process is, from 0; null in the master, and where there is one process only. */
        public function worker(): ?int {}
    }

    /**
     * An HTTP/1.1 proxy: every request is routed; connections to backends are kept.
     */
    final class Http
    {
        /**
         * The first listener's port; with port 0 the one that the kernel chose, known from onStart on.
         */
        public readonly int $port;

        /**
         * @param string|list<string> $listen as for Tcp
         * @param Validation|null  $validation     addresses that may be connected to; null: public ones
         * @param \Tusk\Tls|null   $tls            a certificate: https
         * @param UpstreamTls|null $upstream       TLS towards backends where the route has none of its own
         * @param list<string>     $trustedProxies addresses or ranges whose PROXY header is believed; a Unix path's peers are, as soon as any is named
         * @param bool             $proxyProtocol  they must send one first; needs $trustedProxies
         * @param Limits|null      $limits         null: the defaults
         * @param HttpLimits|null  $http           the same of HTTP
         * @param int|string       $workers        processes that share the addresses, 1 to 64; run() forks them and is their master. "auto": one for each processor that
         *                                         the mask and the quota of this process (a container's, too) leave it
         * @param Forwarding|null  $forwarding     null: all of it is appended
         * @param string|null      $user           name or number: workers run as this user and its groups, the master, which binds and reads keys, as who starts it (root)
         * @param string|null      $group          the same; null: the user's
         * @param Engine           $engine         what relays after an upgrade (a WebSocket), where TLS is on neither side; requests and answers are HTTP's own
         * @param Sockmap          $sockmap        the same
         * @param string|null      $bpfObject      as for Tcp
         * @throws \ValueError for an address that is none
         */
        public function __construct(
            Resolver $resolver,
            string|array $listen = [],
            ?Validation $validation = null,
            ?\Tusk\Tls $tls = null,
            ?UpstreamTls $upstream = null,
            array $trustedProxies = [],
            bool $proxyProtocol = false,
            ?Limits $limits = null,
            ?HttpLimits $http = null,
            int|string $workers = 1,
            ?Forwarding $forwarding = null,
            ?string $user = null,
            ?string $group = null,
            Engine $engine = Engine::Splice,
            Sockmap $sockmap = Sockmap::Off,
            ?string $bpfObject = null,
        ) {}

        /**
         * @throws \ValueError for a bad address, \LogicException while running
         * @implementation-alias Tusk\Proxy\Smtp::listen
         */
        public function listen(string $address, ?\Tusk\Tls $tls = null, ?int $connections = null): void {}

        /**
         * A listener for operators: GET /metrics (OpenMetrics) and GET /health (200, while it drains 503).
         * @implementation-alias Tusk\Proxy\Tcp::admin
         */
        public function admin(string $address): void {}

        /**
         * function (Http): mixed; once, when the ports are bound, in the process that binds: with workers the master. It cannot wait for others there.
         * @implementation-alias Tusk\Proxy\Tcp::onListen
         */
        public function onListen(\Closure $handler): void {}

        /**
         * function (Http): mixed; once the ports are bound.
         * @implementation-alias Tusk\Proxy\Tcp::onStart
         */
        public function onStart(\Closure $handler): void {}

        /**
         * function (Http): mixed; before a drain begins.
         * @implementation-alias Tusk\Proxy\Tcp::onStop
         */
        public function onStop(\Closure $handler): void {}

        /**
         * function (\Throwable): mixed, for what resolvers and handlers throw; without one it is logged by error_log().
         * @implementation-alias Tusk\Proxy\Tcp::onError
         */
        public function onError(\Closure $handler): void {}

        /**
         * function (Access): mixed; once per session (HTTP: per request), at its end. A method of a Reopenable: that one reopens at SIGHUP.
         * @implementation-alias Tusk\Proxy\Tcp::onAccess
         */
        public function onAccess(\Closure $handler): void {}

        /**
         * Binds, and serves until stop(), SIGTERM or SIGINT. SIGHUP does what reload() does; with workers new ones take over, and the old ones drain.
         * With workers this process supervises only: handlers run in the workers, what follows run() here alone.
         * @return int exit code: 0 after a clean stop
         * @throws \Tusk\Exception when an address cannot be bound; the message names it
         * @throws \LogicException without an address, a second time, or where it was not made (a pool's worker, a fork)
         * @implementation-alias Tusk\Proxy\Tcp::run
         */
        public function run(): int {}

        /**
         * Drains: no new connection; sessions may end by themselves within Limits::$drainMs. A second call cuts.
         * @implementation-alias Tusk\Proxy\Tcp::stop
         */
        public function stop(): void {}

        /**
         * Another resolver from now on; remembered answers are forgotten, sessions go on.
         * @implementation-alias Tusk\Proxy\Tcp::resolver
         */
        public function resolver(Resolver $resolver): void {}

        /**
         * Remembered answers are forgotten, certificates are read again, a Reloadable resolver reloads. Sessions go on.
         * @implementation-alias Tusk\Proxy\Tcp::reload
         */
        public function reload(): void {}

        /**
         * Remembered answers are forgotten.
         * @implementation-alias Tusk\Proxy\Tcp::forget
         */
        public function forget(): void {}

        /**
         * Every counter; docs/reference/counters.md says what they mean.
         * @return array<string, int>
         * @implementation-alias Tusk\Proxy\Tcp::stats
         */
        public function stats(): array {}

        /**
         * Whether a target takes connections; null: nothing is known about it.
         * @implementation-alias Tusk\Proxy\Tcp::health
         */
        public function health(string $address): ?bool {}

        /**
         * What relays bytes: "copy", "splice", "sockmap enabled (…)", "sockmap unavailable (…)".
         * @implementation-alias Tusk\Proxy\Tcp::engine
         */
        public function engine(): string {}

        /**
         * Which of several workers this process is, from 0; null in the master, and where there is one process only.
         * @implementation-alias Tusk\Proxy\Tcp::worker
         */
        public function worker(): ?int {}
    }

    /**
     * An SMTP proxy: routed by what EHLO names; STARTTLS ends here where there is a certificate.
     */
    final class Smtp
    {
        /**
         * The first listener's port; with port 0 the one that the kernel chose, known from onStart on.
         */
        public readonly int $port;

        /**
         * @param string|list<string> $listen as for Tcp
         * @param Validation|null  $validation     addresses that may be connected to; null: public ones
         * @param \Tusk\Tls|null   $tls            a certificate for STARTTLS
         * @param TlsMode          $downstream     Require: before STARTTLS mail is refused with 530
         * @param UpstreamTls|null $upstream       STARTTLS towards backends where the route has none of its own
         * @param list<string>     $trustedProxies addresses or ranges whose PROXY header is believed; a Unix path's peers are, as soon as any is named
         * @param bool             $proxyProtocol  they must send one first; needs $trustedProxies
         * @param Limits|null      $limits         null: the defaults
         * @param int|string       $workers        processes that share the addresses, 1 to 64; run() forks them and is their master. "auto": one for each processor that
         *                                         the mask and the quota of this process (a container's, too) leave it
         * @param string|null      $user           name or number: workers run as this user and its groups, the master, which binds and reads keys, as who starts it (root)
         * @param string|null      $group          the same; null: the user's
         * @throws \ValueError for an address that is none
         */
        public function __construct(
            Resolver $resolver,
            string|array $listen = [],
            ?Validation $validation = null,
            ?\Tusk\Tls $tls = null,
            TlsMode $downstream = TlsMode::Allow,
            ?UpstreamTls $upstream = null,
            array $trustedProxies = [],
            bool $proxyProtocol = false,
            ?Limits $limits = null,
            int|string $workers = 1,
            ?string $user = null,
            ?string $group = null,
        ) {}

        /**
         * What is null is the constructor's.
         * @throws \ValueError for a bad address, \LogicException while running
         */
        public function listen(string $address, ?\Tusk\Tls $tls = null, ?int $connections = null): void {}

        /**
         * A listener for operators: GET /metrics (OpenMetrics) and GET /health (200, while it drains 503).
         * @implementation-alias Tusk\Proxy\Tcp::admin
         */
        public function admin(string $address): void {}

        /**
         * function (Smtp): mixed; once, when the ports are bound, in the process that binds: with workers the master. It cannot wait for others there.
         * @implementation-alias Tusk\Proxy\Tcp::onListen
         */
        public function onListen(\Closure $handler): void {}

        /**
         * function (Smtp): mixed; once the ports are bound.
         * @implementation-alias Tusk\Proxy\Tcp::onStart
         */
        public function onStart(\Closure $handler): void {}

        /**
         * function (Smtp): mixed; before a drain begins.
         * @implementation-alias Tusk\Proxy\Tcp::onStop
         */
        public function onStop(\Closure $handler): void {}

        /**
         * function (\Throwable): mixed, for what resolvers and handlers throw; without one it is logged by error_log().
         * @implementation-alias Tusk\Proxy\Tcp::onError
         */
        public function onError(\Closure $handler): void {}

        /**
         * function (Access): mixed; once per session (HTTP: per request), at its end. A method of a Reopenable: that one reopens at SIGHUP.
         * @implementation-alias Tusk\Proxy\Tcp::onAccess
         */
        public function onAccess(\Closure $handler): void {}

        /**
         * Binds, and serves until stop(), SIGTERM or SIGINT. SIGHUP does what reload() does; with workers new ones take over, and the old ones drain.
         * With workers this process supervises only: handlers run in the workers, what follows run() here alone.
         * @return int exit code: 0 after a clean stop
         * @throws \Tusk\Exception when an address cannot be bound; the message names it
         * @throws \LogicException without an address, a second time, or where it was not made (a pool's worker, a fork)
         * @implementation-alias Tusk\Proxy\Tcp::run
         */
        public function run(): int {}

        /**
         * Drains: no new connection; sessions may end by themselves within Limits::$drainMs. A second call cuts.
         * @implementation-alias Tusk\Proxy\Tcp::stop
         */
        public function stop(): void {}

        /**
         * Another resolver from now on; remembered answers are forgotten, sessions go on.
         * @implementation-alias Tusk\Proxy\Tcp::resolver
         */
        public function resolver(Resolver $resolver): void {}

        /**
         * Remembered answers are forgotten, certificates are read again, a Reloadable resolver reloads. Sessions go on.
         * @implementation-alias Tusk\Proxy\Tcp::reload
         */
        public function reload(): void {}

        /**
         * Remembered answers are forgotten.
         * @implementation-alias Tusk\Proxy\Tcp::forget
         */
        public function forget(): void {}

        /**
         * Every counter; docs/reference/counters.md says what they mean.
         * @return array<string, int>
         * @implementation-alias Tusk\Proxy\Tcp::stats
         */
        public function stats(): array {}

        /**
         * Whether a target takes connections; null: nothing is known about it.
         * @implementation-alias Tusk\Proxy\Tcp::health
         */
        public function health(string $address): ?bool {}

        /**
         * What relays bytes: "copy", "splice", "sockmap enabled (…)", "sockmap unavailable (…)".
         * @implementation-alias Tusk\Proxy\Tcp::engine
         */
        public function engine(): string {}

        /**
         * Which of several workers this process is, from 0; null in the master, and where there is one process only.
         * @implementation-alias Tusk\Proxy\Tcp::worker
         */
        public function worker(): ?int {}
    }
}

namespace Tusk\Testing {

    /**
     * Runs a server's handlers against connections in memory, without ports: in the process in which the server was made, outside of a running server.
     */
    final class Loopback
    {
        public function __construct(\Tusk\Server|\Tusk\WebSocket\Server $server) {}

        /** Opens a WebSocket. */
        public function connect(string $path = "/", array $headers = [], array $subprotocols = []): LoopbackClient {}

        /** Opens an event stream, as one that comes back where $lastEventId is given. */
        public function events(string $path = "/", array $headers = [], ?string $lastEventId = null): LoopbackStream {}

        /** Any request whose answer comes to an end. */
        public function request(string $method, string $target, array $headers = [], string $body = ""): \Tusk\Http\ClientResponse {}

        /** Raw bytes in, raw bytes out: for whoever tests protocols. */
        public function raw(string $bytes): string {}

        /** Runs the server's loop until nothing is left to do, at most $seconds. */
        public function settle(float $seconds = 1.0): void {}
    }

    final class LoopbackClient
    {
        /**
         * 101, or the status of the refusal.
         */
        public readonly int $status;
        public readonly ?string $subprotocol;

        private function __construct() {}

        public function send(string $data, \Tusk\WebSocket\MessageType $type = \Tusk\WebSocket\MessageType::Text): void {}

        /** The next message that arrived, or null. */
        public function receive(): ?string {}

        /** Of the message that receive() gave last. */
        public function lastType(): \Tusk\WebSocket\MessageType {}

        public function close(int $code = 1000, string $reason = ""): void {}

        /** The server's close code, or null while open. */
        public function closeCode(): ?int {}
    }

    final class LoopbackStream
    {
        /**
         * 200, or the status of the refusal.
         */
        public readonly int $status;

        private function __construct() {}

        /** The next event that arrived, or null; comments are none. */
        public function receive(): ?\Tusk\Sse\Event {}

        /** False when the server refused or ended it, or after close(). */
        public function isOpen(): bool {}

        /** As a browser that goes away. */
        public function close(): void {}
    }
}

namespace Tusk\Parallel {

    /** What submitting does when every place of the queue is taken. */
    enum OnFull
    {
        /** It waits until one is free; the default. */
        case Wait;
        /** It throws QueueFull. */
        case Refuse;
        /** The caller runs the task itself, at once. */
        case Run;
    }

    /** What workers are forks of. */
    enum Template
    {
        /** A fork of this process, made with the pool: it knows all code and settings, and carries all memory (copy on write). */
        case Fork;
        /**
         * PHP begun anew, with php.ini and the -d settings of this process and nothing else: small however grown the application is, and reload() finds new
         * code in the files. It knows only what the bootstrap loads. The command-line PHP only.
         */
        case Fresh;
    }

    /** Where a task stands. */
    enum State
    {
        case Queued;
        case Running;
        case Done;
        case Failed;
        case Cancelled;
    }

    /** A value, a closure or a name that cannot go to another process; the message begins with the path of the offender. */
    class CannotTravel extends \Tusk\Exception
    {
    }

    /** The task did not end in time: it was not begun, was interrupted, or was killed. */
    class DeadlineExceeded extends \Tusk\Exception
    {
    }

    /** The task was cancelled. */
    class Cancelled extends \Tusk\Exception
    {
    }

    /** The process that ran the task ended: a signal, a fatal error, the memory limit. */
    class WorkerCrashed extends \Tusk\Exception
    {
    }

    /** The task called exit(). The code is its status. */
    class TaskExited extends \Tusk\Exception
    {
    }

    /** What the task threw is of a class that does not exist here; the message names it. */
    class TaskFailed extends \Tusk\Exception
    {
    }

    /** Every place of the queue is taken, and OnFull::Refuse. */
    class QueueFull extends \Tusk\Exception
    {
    }

    /** The bootstrap closure threw or ended; nothing runs in this pool. */
    class BootstrapFailed extends \Tusk\Exception
    {
    }

    /**
     * Runs jobs. A job is a closure, a callable string, or an array: class (or object) and method, or a closure or callable
     * string, then the arguments. A method that is not static is called on a new instance, made without arguments.
     */
    interface Engine
    {
        /**
         * Begins the jobs, all of them by one wake-up, and gives tasks under the same keys in the same order.
         * @param array<array-key, \Closure|string|array<mixed>> $jobs
         * @param float|null $deadline seconds from now for each of them; 0: too late already
         * @param int    $retry    how often a task is begun again when the process that ran it ended
         * @return array<array-key, Task>
         * @throws CannotTravel when a job cannot; those before it are cancelled, of which a full queue may have let some run
         * @throws QueueFull when no place is free for a job, and OnFull::Refuse; the same holds for those before it
         */
        public function submit(array $jobs, ?float $deadline = null, int $retry = 0): array;

        /**
         * Waits until one of the tasks has ended and gives its key: the first such in the array's order; null after $timeout seconds.
         * In a handler of a Tusk server only that handler waits.
         * @param non-empty-array<array-key, Task> $tasks
         */
        public function wait(array $tasks, ?float $timeout = null): int|string|null;

        /**
         * Of tasks: submitted, each of which is open or has ended in one way: done, failed, cancelled, late, crashed; retried and run_here (in this
         * process) beside. Of processes, where there are some: workers and idle now, forked, retired, died, of which killed, guests (forks of this
         * process), templates; corrupt: words in shared memory that could not be.
         * @return array<string, int>
         */
        public function stats(): array;

        /** Ends it: tasks that have not ended are cancelled. */
        public function close(): void;
    }

    /**
     * Warm worker processes, forked from a template that was made with the pool: make it early, or let it be Template::Fresh.
     */
    final class Pool implements Engine
    {
        /**
         * @param int|string $workers       processes that are kept; "auto": one for each processor that the mask and the quota of this process (a container's, too) leave it
         * @param int        $max           processes at most, 1 to 56: more are forked while tasks wait, and end when idle
         * @param \Closure|null $bootstrap     runs once in the template; live connections do not belong there
         * @param int        $tasksPerWorker after so many a worker is replaced; 0: never
         * @param string     $memory        memory_limit of a worker
         * @param float      $maxAge        seconds after which a worker is replaced, also an idle one; one that runs a task, when that has ended; 0: never
         * @param int        $queue         tasks that may wait or run, 1 to 65536
         * @param list<class-string> $classes of objects that may come back from a task, beside dates, stdClass and enum cases
         */
        public function __construct(
            int|string $workers = 'auto',
            int $max = 32,
            ?\Closure $bootstrap = null,
            int $tasksPerWorker = 10000,
            string $memory = '128M',
            float $maxAge = 3600.0,
            int $queue = 1024,
            OnFull $onFull = OnFull::Wait,
            array $classes = [],
            Template $template = Template::Fork,
        ) {}

        /** One task. */
        public function task(\Closure|array|string $job, mixed ...$args): Task {}

        /** One task, waited for. */
        public function run(\Closure|array|string $job, mixed ...$args): mixed {}

        public function submit(array $jobs, ?float $deadline = null, int $retry = 0): array {}

        public function wait(array $tasks, ?float $timeout = null): int|string|null {}

        /**
         * So many tasks will be submitted soon: wakes sleeping workers for them, no more than there are cores free, so that they wake up while the tasks are
         * still being made. A hint of a few microseconds: those that nothing comes for sleep again 0.3 ms later.
         * @param int $tasks 1 or more
         */
        public function expect(int $tasks): void {}

        /** A new template, a fork of this process as it is now or begun anew; tasks that run end first, and what other handlers submit meanwhile waits for it. */
        public function reload(): void {}

        public function stats(): array {}

        public function close(): void {}

        /** In a task: the pool that runs it. Null elsewhere, and in a child that a task forks. */
        public static function current(): ?Pool {}

        /**
         * What PHP is begun with as a fresh template; it does not come back. Of no use to anybody else.
         * @internal
         */
        public static function template(string $where): never {}
    }

    /**
     * The same tasks one after another in this process, each when it is first waited for; values go through the same codec.
     * A deadline is looked at when the task has ended.
     */
    final class Sync implements Engine
    {
        /** @param list<class-string> $classes as of Pool */
        public function __construct(array $classes = []) {}

        public function submit(array $jobs, ?float $deadline = null, int $retry = 0): array {}

        public function wait(array $tasks, ?float $timeout = null): int|string|null {}

        public function stats(): array {}

        public function close(): void {}
    }

    /**
     * The same tasks as fibers of this process: they run side by side as far as they wait through Tusk (Timer::sleep, the clients,
     * a Pool's tasks and what else docs/guide/fibers.md names), and compute one after another. Nothing travels: jobs, arguments and
     * results are this process's own values. Tasks begin, in order, when somebody waits.
     *
     * A task that is late or cancelled gets DeadlineExceeded or Cancelled at its wait, and at every later one. What a task echoes
     * goes where it always goes; Task::output() is empty. `retry` of submit() means nothing here: the process is this one.
     */
    final class Async implements Engine
    {
        /** @param int $concurrency tasks under way at once, 1 to 30000; the others wait in order */
        public function __construct(int $concurrency = 1000) {}

        public function submit(array $jobs, ?float $deadline = null, int $retry = 0): array {}

        /** Outside of a server and of a task the loop is turned meanwhile, and all tasks go on. */
        public function wait(array $tasks, ?float $timeout = null): int|string|null {}

        public function stats(): array {}

        public function close(): void {}
    }

    /**
     * A piece of work on its way.
     */
    final class Task
    {
        private function __construct() {}

        /**
         * Its result, or what it threw: of its own class, with its own message, code and trace.
         * @throws DeadlineExceeded when it has not ended after $timeout seconds; it goes on
         */
        public function await(?float $timeout = null): mixed {}

        /** Waits; what it threw, or null. */
        public function error(): ?\Throwable {}

        /** Asks it to end: at once while it waits, else at its next loop or call, a moment later by force. Whether it had not ended yet. */
        public function cancel(): bool {}

        public function state(): State {}

        /** What it echoed, when it has ended. */
        public function output(): string {}

        /**
         * worker (number), pid, attempts, wait_us (until it was asked for the last time), run_us, memory (peak bytes)
         * @return array<string, int>
         */
        public function stats(): array {}

        /** In a task: whether it should end, because it was cancelled or is late. */
        public static function stopping(): bool {}
    }
}

namespace Tusk\Bench {

    /**
     * A load run: worker processes that run no PHP put load on one target and count in memory that this process reads.
     * `tusk bench` is made of it.
     */
    final class Load
    {
        /**
         * The options of a mode, from the core's own table.
         * @return array<string, array{type: string, default: string, unit: string, help: string}>
         * @throws \ValueError when there is no such mode
         */
        public static function options(string $mode): array {}

        /**
         * Modes: ws-handshake, ws-echo, fanout, sse, http, tcp-rr, tcp-rate, tcp-bulk, tcp-hold.
         * @param array<string, string|int|float|bool> $options see Load::options()
         * @throws \ValueError naming option, value and remedy
         */
        public function __construct(string $mode, string $url, array $options = []) {}

        /**
         * Looks whether this machine can do it, then forks the workers.
         * @throws \RuntimeException one sentence: what is impossible and what to change
         */
        public function start(): void {}

        /** Waits up to $seconds for a change; false once all workers have ended. */
        public function poll(float $seconds = 0.25): bool {}

        /** Ends early; what was measured stays, and partial() is true. May be called twice, and from a signal handler. */
        public function stop(): void {}

        public function partial(): bool {}

        /** connect, ramp, warmup, measure, drain, close or done: that of the worker that is least far. */
        public function phase(): string {}

        /**
         * Sums over all workers. With $measured only what belongs to operations whose intended start lies in the measuring window.
         * @return array<string, int>
         */
        public function counters(bool $measured = false): array {}

        /**
         * Nanoseconds, of all workers, measuring window only: response, service, blocked, late, tcp, tls, upgrade, first,
         * close_frame, close_end, delivery, spread, hiccup or reconnect.
         * @throws \ValueError when there is no such histogram
         */
        public function histogram(string $name): Histogram {}

        /**
         * The seconds that ended since the last call.
         * @return list<array{start: float, length: float, phase: string, counters: array<string, int>, response: Histogram}>
         */
        public function intervals(): array {}

        /**
         * Of ws-handshake with the option `samples`: single connections worker after worker in order of ending, in nanoseconds; 0 where
         * a phase did not happen, `start` since the start of the run. Of the option `exchanges`: pairs of when a message was sent and
         * when its answer came (0: it did not), since the start of the run.
         * @return list<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, exchanges: list<array{int, int}>}>
         */
        public function samples(int $offset = 0, int $limit = 10000): array {}

        /** @return list<array{pid: int, phase: string, user: float, system: float, switches: int, error: ?string}> */
        public function workers(): array {}

        /**
         * What the run found: length of the measuring window, wall clock at its start, TLS version.
         * @return array<string, int|float|string>
         */
        public function facts(): array {}
    }

    /**
     * Counts of values with a fixed relative error (HDR); the engine's are nanoseconds from 1 ns to 1 h, three digits.
     */
    final class Histogram
    {
        /**
         * @param int $digits 1 to 5
         * @throws \ValueError when $highest is less than twice $lowest
         */
        public function __construct(int $lowest = 1, int $highest = 3600000000000, int $digits = 3) {}

        /** A value over the highest is recorded as the highest and counted as saturated. */
        public function record(int $value, int $count = 1): void {}

        /** @throws \ValueError when the other's range or digits differ */
        public function merge(Histogram $other): void {}

        public function count(): int {}

        public function saturated(): int {}

        /** 0 when empty. */
        public function min(): int {}

        public function max(): int {}

        public function mean(): float {}

        public function stddev(): float {}

        /** The highest value of the slot in which the sample of rank ceil(percentile / 100 * count) lies; 0 when empty. */
        public function percentile(float $percentile): int {}

        /** Whether there are samples enough (10 / (1 - q)) for this percentile to be worth printing. */
        public function supports(float $percentile): bool {}

        /** Version 2 of the field's binary form, uncompressed. */
        public function encode(): string {}

        /** @throws \ValueError when $bytes is no such form */
        public static function decode(string $bytes): Histogram {}

        /**
         * The slots in use, in order: their highest value and their count.
         * @return list<array{int, int}>
         */
        public function slots(): array {}
    }

    /**
     * A small server in processes of its own, made of Tusk's core, to find out what generator and machine can do at most.
     */
    final class EchoServer
    {
        /**
         * Kinds: ws (echo), http (13 bytes), sse (a stream of events on /), fanout (WebSocket messages and POST bodies reach every
         * WebSocket and event stream of the same path), tcp (bytes back).
         * @param int $processes of sse and fanout: 1
         * @param int $port      0: a free one
         * @param array<string, string|int|float> $options tls-certificate and tls-key (files); size of a body (http) or event (sse),
         *                                rate of events (sse, 10 a second); serve: echo, sink or source (tcp), after the
         *                                greeting of a server: none, postgres, mysql or smtp (tcp)
         * @throws \ValueError naming what is wrong
         * @throws \RuntimeException when the address cannot be had
         */
        public function __construct(string $kind, int $processes = 1, string $host = "127.0.0.1", int $port = 0, array $options = []) {}

        public function port(): int {}

        /** @return list<int> */
        public function pids(): array {}

        /** Ends the processes; nothing happens the second time. */
        public function stop(): void {}
    }
}
