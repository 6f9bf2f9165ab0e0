<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\Engines;
use Tusk\Bench\Fields;
use Tusk\Bench\Interval;
use Tusk\Bench\Mode;
use Tusk\Bench\Observer;
use Tusk\Bench\Plan;
use Tusk\Bench\Report\Html;
use Tusk\Bench\Result;
use Tusk\Bench\Run;
use Tusk\Bench\Snapshot;
use Tusk\Http\Request;
use Tusk\Http\Response;
use Tusk\Limits;
use Tusk\Server;
use Tusk\Sse\EventStream;
use Tusk\WebSocket\Connection;
use Tusk\WebSocket\MessageType;

/** Agents connect to it, people start tests on its page and watch; one plan is spread over all agents. */
final class Master
{
    private const RUNS_KEPT = 100;
    /** Whole results, with the histogram of each second. */
    private const RESULTS_KEPT = 20;
    private const TOPIC = 'runs';

    public readonly Server $server;
    /** @var array<string, ServerLink> agents that said who they are */
    private array $links = [];
    /** @var array<string, array<string, mixed>> what the page shows, by run */
    private array $runs = [];
    /** @var array<string, Result> of the newest runs */
    private array $results = [];
    private bool $busy = false;
    private ?AgentsEngine $engine = null;

    public function __construct(private readonly Engines $engines, private readonly Targets $targets, string $listen, private readonly ?string $token = null)
    {
        $this->server = new Server(listen: $listen, limits: new Limits(connections: 1000, idleMs: 86_400_000, pingMs: 30_000));
        $allowed = fn (Request $request): ?true => Token::allows($this->token, $request) ? true : null;
        $agents = fn (string $path) => $this->server->websocket(
            $path,
            message: $this->message(...),
            close: $this->leave(...),
            authorize: fn (Request $request): Response|true|null => $this->admit($request),
            subprotocols: [Agent::SUBPROTOCOL],
        );
        $agents('/');
        $agents('/agents');
        $this->server->get('/', fn (Request $request): Response => Page::answer());
        $this->server->get('/runs', fn (Request $request): Response => $allowed($request) ? Response::json($this->state()) : self::unauthorized());
        $this->server->get('/runs/{run}/report', fn (Request $request): Response => $allowed($request) ? $this->kept($request, self::page(...)) : self::unauthorized());
        $this->server->get('/runs/{run}/result', fn (Request $request): Response => $allowed($request)
            ? $this->kept($request, static fn (Result $result): Response => Response::json($result->toArray())) : self::unauthorized());
        $this->server->post('/runs', fn (Request $request): Response => $allowed($request) ? $this->post($request) : self::unauthorized());
        $this->server->post('/stop', fn (Request $request): Response => $allowed($request) ? $this->end() : self::unauthorized());
        $this->server->events('/events', static fn (EventStream $stream) => $stream->subscribe(self::TOPIC, since: $stream->lastEventId), authorize: $allowed);
    }

    private function admit(Request $request): Response|true|null
    {
        $offered = array_map(trim(...), explode(',', $request->header('sec-websocket-protocol') ?? ''));
        if (!in_array(Agent::SUBPROTOCOL, $offered, true)) {
            return Response::text("the subprotocol wsperf is required\n", 400);
        }

        return Token::allows($this->token, $request) ? true : null;
    }

    private function message(Connection $agent, string $text, MessageType $type): void
    {
        $message = $type === MessageType::Text ? json_decode($text, true) : null;
        if (!is_array($message)) {
            $agent->close(3000, 'JSON objects are wanted');

            return;
        }
        $link = $this->links[$agent->id] ?? null;
        if (($message['type'] ?? null) !== 'test_welcome') {
            $link?->put($text);

            return;
        }
        if ($link !== null) {
            $agent->close(3000, 'one welcome is enough');

            return;
        }
        $text = static fn (string $key): string => is_string($message[$key] ?? null) ? mb_strcut($message[$key], 0, 200, 'UTF-8') : '';
        $workers = $message['num_workers'] ?? 0;
        $this->links[$agent->id] = new ServerLink($agent, $text('ident'), $text('version'), is_int($workers) ? $workers : 0);
        $this->tell();
    }

    private function leave(Connection $agent): void
    {
        unset($this->links[$agent->id]);
        $this->tell();
    }

    private function post(Request $request): Response
    {
        if ($this->busy) {
            return Response::json(['error' => 'a run is under way; wait for it or stop it'], 409);
        }
        try {
            $plan = $this->plan(Fields::ofJson($request->body));
            $links = array_values($this->links);
            if ($links === []) {
                return Response::json(['error' => 'no agent is connected'], 409);
            }
            $engine = new AgentsEngine($links, $plan->mode, $plan->url, $plan->options, $this->engines->options($plan->mode));
        } catch (\ValueError | \RuntimeException $fault) {
            return Response::json(['error' => $fault->getMessage()], 422);
        }

        return $this->run($plan, $engine);
    }

    /** @throws \RuntimeException|\ValueError for a plan that is none */
    private function plan(Fields $fields): Plan
    {
        $mode = Mode::tryFrom($fields->string('mode')) ?? throw new \ValueError("there is no mode \"{$fields->string('mode')}\"");
        $uri = $fields->string('uri');
        $this->targets->check($uri);
        $options = [];
        $known = $this->engines->options($mode);
        foreach ($fields->has('options') ? $fields->scalars('options') : [] as $name => $value) {
            if (!isset($known[$name]) || $name === 'allow-remote') {
                throw new \ValueError("{$mode->value} has no option \"$name\"");
            }
            if ($value !== null && $value !== '') {
                $options[$name] = $value;
            }
        }
        $this->engines->create($mode, $uri, [...$options, 'allow-remote' => Targets::isRemote($uri)]);     // refuses what makes no sense

        return new Plan($mode, $uri, $options, arguments: ['bench', $mode->value, $uri]);
    }

    /** The answer comes when the run has ended; everybody else watches the stream. */
    private function run(Plan $plan, AgentsEngine $engine): Response
    {
        $id = bin2hex(random_bytes(6));
        $this->busy = true;
        $this->engine = $engine;
        $this->show($id, ['id' => $id, 'mode' => $plan->mode->value, 'uri' => $plan->url, 'agents' => count($this->links), 'state' => 'running']);
        try {
            $result = (new Run($plan, $engine, $this->watch($id)))->measure();
            $this->results[$id] = $result;
            $this->results = array_slice($this->results, -self::RESULTS_KEPT, null, true);
            $this->show($id, [...$this->summary($result), 'state' => 'done']);

            return Response::json(['id' => $id, 'result' => $result->toArray()]);
        } catch (\RuntimeException $fault) {
            $this->show($id, ['state' => 'failed', 'error' => $fault->getMessage()]);

            return Response::json(['id' => $id, 'error' => $fault->getMessage()], 502);
        } finally {
            $this->busy = false;
            $this->engine = null;
        }
    }

    private function end(): Response
    {
        $this->engine?->stop();

        return Response::json(['stopped' => $this->engine !== null]);
    }

    private function watch(string $id): Observer
    {
        return new class (fn (Snapshot $now) => $this->show($id, self::live($now))) implements Observer {
            /** @param \Closure(Snapshot): void $show */
            public function __construct(private readonly \Closure $show) {}

            public function begin(Plan $plan): void {}

            public function update(Snapshot $now): void
            {
                ($this->show)($now);
            }

            public function end(): void {}
        };
    }

    /** @return array<string, mixed> */
    private static function live(Snapshot $now): array
    {
        $last = $now->last();

        return [
            'elapsed' => round($now->elapsed, 1), 'phase' => $now->phase, 'open' => $now->counters['open'] ?? 0, 'in_flight' => $now->counters['in_flight'] ?? 0,
            'p50' => $last?->p50, 'p99' => $last?->p99,
            'rates' => array_map(
                static fn (Interval $interval): int => (int) round($interval->count / $interval->length),
                array_values(array_filter($now->intervals, static fn (Interval $interval): bool => $interval->length > 0.3)),
            ),
        ];
    }

    /** @return array<string, mixed> */
    private function summary(Result $result): array
    {
        $latency = $result->headline()->histogram;

        return [
            'valid' => $result->validity->valid(), 'reasons' => $result->validity->reasons, 'rate' => $result->rate(), 'unit' => $result->mode->operations(),
            'model' => $result->model(), 'count' => $latency->count(), 'errors' => $result->errors(),
            'percentiles' => array_map(static fn (float $p): ?int => $latency->supports($p) ? $latency->percentile($p) : null, \Tusk\Bench\Percentiles::SHOWN),
            'max' => $latency->max(),
        ];
    }

    /** @param array<string, mixed> $news */
    private function show(string $id, array $news): void
    {
        $this->runs[$id] = [...$this->runs[$id] ?? [], ...$news];
        $this->runs = array_slice($this->runs, -self::RUNS_KEPT, null, true);
        $this->server->publish(self::TOPIC, json_encode($this->runs[$id], JSON_THROW_ON_ERROR), event: 'run');
    }

    private function tell(): void
    {
        $this->server->publish(self::TOPIC, json_encode($this->agents(), JSON_THROW_ON_ERROR), event: 'agents');
    }

    /** @return array<string, mixed> */
    private function state(): array
    {
        $modes = [];
        foreach (Mode::cases() as $mode) {
            $modes[$mode->value] = ['summary' => $mode->summary(), 'example' => $mode->example(), 'options' => $this->engines->options($mode)];
        }

        // The page's stream goes on from there: nobody who comes in between is missed.
        return ['position' => (string) $this->server->position(), 'agents' => $this->agents(), 'runs' => array_values($this->runs), 'modes' => $modes];
    }

    /** @return list<array{name: string, version: string, workers: int}> */
    private function agents(): array
    {
        return array_values(array_map(
            static fn (ServerLink $link): array => ['name' => $link->name(), 'version' => $link->version, 'workers' => $link->workers],
            $this->links,
        ));
    }

    /** @param \Closure(Result): Response $as */
    private function kept(Request $request, \Closure $as): Response
    {
        $result = $this->results[$request->params['run']] ?? null;

        return $result === null ? Response::json(['error' => 'this run is not kept'], 404) : $as($result);
    }

    private static function page(Result $result): Response
    {
        return Response::html(Html::write($result))
            ->withHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'");
    }

    private static function unauthorized(): Response
    {
        return Response::json(['error' => 'a token is needed: ?token=…'], 401);
    }
}
