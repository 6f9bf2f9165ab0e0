<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

use Tusk\Http\{Request, Response};
use Tusk\Limits;
use Tusk\Server;
use Tusk\Sse\EventStream;
use Tusk\Tls;
use Tusk\WebSocket\{Connection, MessageType};

/** The chat on a server: which route does what. */
final class Application
{
    /** After how long a stream that was lost comes back: spread, so that a restart does not bring everybody in the same moment. */
    private const RETRY_MS = [300, 1800];

    private readonly Server $server;
    private readonly Chat $chat;
    private readonly Api $api;
    private readonly Gate $gate;
    private readonly Socket $socket;

    public function __construct(private readonly Settings $settings, private readonly string $public)
    {
        $this->server = new Server(
            listen: $settings->address(),
            tls: $settings->isSecure() ? new Tls($settings->certificate, $settings->key) : null,
            limits: new Limits(
                perAddress: $settings->connectionsPerAddress(),
                messageBytes: Input::BODY_MAX,
                bodyBytes: Input::BODY_MAX,
                // One connection of a page needs a few of them; what is over it waits in its sender.
                messagesPerSecond: $settings->rate > 0.0 ? 50 : 0,
                bytesPerSecond: $settings->rate > 0.0 ? 4 * Input::BODY_MAX : 0,
                pingMs: 25_000,
                historyBytes: 1 << 20,
            ),
            trustedProxies: $settings->trusted,
        );
        self::prepare($settings->folder);
        $turn = new ServerTurn();
        $file = "{$settings->folder}/chat.sqlite";
        $database = new Database($file, $turn->now(...));
        $database->onlyRead();
        $this->chat = new Chat($settings, $turn, new ServerHub($this->server), $database, new ProcessWriter($file), Tokens::keyIn($settings->folder));
        $this->api = new Api($this->chat);
        $this->gate = new Gate($this->chat);
        $this->socket = new Socket($this->chat);
        $this->routePage();
        $this->routeCommands();
        $this->routeStreams();
        if ($settings->open) {
            $this->routeClassic(new Classic($this->chat));
        }
    }

    public function run(): int
    {
        $this->server->onStart(function (): void {
            $this->chat->start();
            $this->greet();
        });
        $code = $this->server->run();
        $this->chat->store->close();
        return $code;
    }

    private function routePage(): void
    {
        $this->server->files('/', $this->public, headers: Answer::OF_THE_PAGE);
        $this->server->get('/favicon.ico', static fn (): Response => Response::redirect('/assets/icon.svg', 302));
        $this->server->files('/assets', "{$this->public}/assets");
    }

    private function routeCommands(): void
    {
        foreach (Api::ROUTES as [$method, $path, $command]) {
            $handler = fn (Request $request): Response => $this->api->command($command, $this->input($request))->response();
            $method === 'GET' ? $this->server->get($path, $handler) : $this->server->post($path, $handler);
        }
        $this->server->post('/login', fn (Request $request): Response => $this->api->login($this->input($request))->response());
        $this->server->post('/logout', fn (Request $request): Response => $this->api->logout($this->input($request))->response());
        $this->server->post('/password', fn (Request $request): Response => $this->api->password($this->input($request))->response());
    }

    private function routeStreams(): void
    {
        $this->server->events(
            '/events',
            function (EventStream $stream): void {
                $stream->retry(random_int(...self::RETRY_MS));
                $this->open($stream, new StreamSink($stream), $stream->lastEventId ?? $stream->query('since'));
            },
            $this->closed(...),
            fn (Request $request): Session|Response => $this->authorize($this->input($request), fn (Input $input) => $this->gate->checkStream($input)),
        );
        $this->server->websocket(
            '/ws',
            function (Connection $connection, string $data, MessageType $type): void {
                $seat = $connection->state;
                if ($seat instanceof Seat) {
                    $this->socket->receive($seat->session, $seat->sink, $data);
                }
            },
            fn (Connection $connection) => $this->open($connection, new SocketSink($connection), $connection->query('since')),
            $this->closed(...),
            fn (Request $request): Session|Response => $this->authorize($this->input($request), fn (Input $input) => $this->gate->checkOrigin($input)),
        );
    }

    private function routeClassic(Classic $classic): void
    {
        $this->server->events(
            '/{user}',
            function (EventStream $stream): void {
                $stream->retry(random_int(...self::RETRY_MS));
                $this->open($stream, new ClassicSink($stream), $stream->lastEventId ?? $stream->query('since'));
            },
            $this->closed(...),
            fn (Request $request): Session|Response => $this->authorize(
                $this->input($request),
                fn (Input $input) => $this->gate->checkStream($input),
                $request->params['user'] ?? '',
            ),
        );
        // The shorter ones are told what is missing.
        foreach (['/msg/{from}/{rest*}', '/msg/{rest*}', '/msg'] as $path) {
            $this->server->get($path, fn (Request $request): Response => $this->api->guard($classic->send(...), $this->input($request))->response());
        }
    }

    private function input(Request $request): Input
    {
        return Input::from($request, $this->settings->trusted !== []);
    }

    /**
     * Who opens a stream or a WebSocket.
     *
     * @param \Closure(Input): mixed $check what this transport has to be asked besides
     * @param string|null            $name  in open mode, where it is not in the query
     */
    private function authorize(Input $input, \Closure $check, ?string $name = null): Session|Response
    {
        try {
            $this->gate->checkHost($input);
            $check($input);
            $session = $this->gate->sessionOrName($input, $name ?? $input->query('as'));
            $this->chat->door->come($session, $input->network());
            return $session;
        } catch (Refused $refused) {
            return Answer::refusal($refused)->response();
        }
    }

    private function open(Connection|EventStream $connection, Sink $sink, ?string $cursor): void
    {
        $session = $connection->identity;
        if ($session instanceof Session) {
            $connection->state = new Seat($session, $sink);
            $this->chat->connect($session, $sink, $cursor);
        }
    }

    private function closed(Connection|EventStream $connection): void
    {
        if ($connection->state instanceof Seat) {
            $this->chat->disconnect($connection->state->session, $connection->state->sink);
        }
    }

    private function greet(): void
    {
        $host = str_contains($this->settings->host, ':') ? "[{$this->settings->host}]" : $this->settings->host;
        $scheme = $this->settings->isSecure() ? 'https' : 'http';
        $address = "$scheme://$host:{$this->server->port}/";
        if ($this->settings->open) {
            fwrite(STDERR, <<<TEXT

                ******************************************************************
                *  OPEN MODE: no log-in. Whoever reaches this port can read and  *
                *  write as anybody. Loopback only; never for real conversations. *
                ******************************************************************

                TEXT);
        }
        echo "Tusk chat: $address\n";
    }

    private static function prepare(string $folder): void
    {
        // Messages and keys are nobody else's business, also in a folder that others may look into.
        umask(0077);
        if (!is_dir($folder) && !@mkdir($folder, 0700, true) && !is_dir($folder)) {
            throw new \RuntimeException("The folder $folder cannot be made; name another one by --var (CHAT_VAR).");
        }
        if (!is_writable($folder)) {
            throw new \RuntimeException("The folder $folder cannot be written to; name another one by --var (CHAT_VAR).");
        }
    }
}
