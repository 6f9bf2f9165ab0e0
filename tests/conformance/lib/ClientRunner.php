<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** Plays cases to clients: a fresh process for each of a WebSocket client, one for many of the others. */
final class ClientRunner
{
    /** @var array<string, array{title: string, result: Outcome, detail: string, seconds: float}> */
    public array $results = [];
    /** @var array<string, list<Subject>> by kind: whose last case went well */
    private array $idle = [];

    /**
     * @param array<string, string> $commands by kind: ws, http-client, sse-client; "+tls" comes over TLS
     * @param string                $bridge   options of the bridge that opens it
     */
    public function __construct(
        private readonly array $commands,
        private readonly string $log,
        private readonly bool $verbose,
        private readonly string $bridge = '',
    ) {}

    /** @param array<string, Script> $cases */
    public function run(array $cases, int $jobs): void
    {
        $queue = array_values($cases);
        for ($job = 0; $job < $jobs; $job++) {
            Loop::spawn(function () use (&$queue): void {
                $waiters = [];
                while (($case = array_shift($queue)) !== null) {
                    $bridge = self::isSealed($case) ? $this->bridge : null;
                    $this->one($case, $case->exchange === null ? $waiters[$bridge] ??= new Waiter($bridge, $this->log) : null);
                }
                array_map(static fn (Waiter $waiter) => $waiter->stop(), $waiters);
            });
        }
        Loop::run();
        $this->stop();
    }

    public function one(Script $case, ?Waiter $waiter = null): void
    {
        $started = Loop::now();
        $result = Outcome::Pass;
        $detail = '';
        try {
            $case->exchange === null ? $this->serve($case, $waiter ?? new Waiter()) : $this->exchange($case, $case->exchange);
        } catch (Failed $fault) {
            [$result, $detail] = [Outcome::Fail, $fault->getMessage()];
        } catch (Absent $reason) {
            [$result, $detail] = [Outcome::Absent, $reason->getMessage()];
        }
        $seconds = round(Loop::now() - $started, 3);
        $this->results[$case->id] = ['title' => $case->title, 'result' => $result, 'detail' => $detail, 'seconds' => $seconds];
        if ($this->verbose) {
            printf("%-6s %6.2f %s%s\n", $result->value, $seconds, $case->id, $detail === '' ? '' : ": $detail");
        }
    }

    private function command(string $kind): string
    {
        return $this->commands[$kind] ?? throw new Absent("no $kind was given");
    }

    private static function isSealed(Script $case): bool
    {
        return $case->variant === 'tls';
    }

    private function serve(Script $case, Waiter $waiter): void
    {
        $waiter->serve($this->command(self::isSealed($case) ? 'ws+tls' : 'ws'), 10.0, $this->log, static function (Wire $wire, ClientRequest $request) use ($case, $waiter): void {
            if ($case->answer !== null) {
                ($case->answer)($wire, $request, $waiter->port);
            } else {
                $case->play($request->session($wire, $case->accept), new Target([]));
            }
        });
    }

    /** @param \Closure(Exchange): void $body */
    private function exchange(Script $case, \Closure $body): void
    {
        $this->idle[$case->kind] ??= [];
        $subject = array_pop($this->idle[$case->kind]) ?? new Subject($this->command($case->kind), $this->log);
        $exchange = new Exchange($subject, self::isSealed($case) ? $this->bridge : null, $this->log);
        $isWell = false;
        try {
            $body($exchange);
            $exchange->end();
            $this->idle[$case->kind][] = $subject;
            $isWell = true;
        } finally {
            $exchange->close();
            if (!$isWell) {
                $subject->stop();
            }
        }
    }

    /** Ends the processes that wait for more. */
    public function stop(): void
    {
        foreach (array_merge(...array_values($this->idle)) as $subject) {
            $subject->stop();
        }
        $this->idle = [];
    }
}
