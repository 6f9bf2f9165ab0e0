<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** Plays cases to clients, a fresh process for each. */
final class ClientRunner
{
    /** @var array<string, array{title: string, result: Outcome, detail: string, seconds: float}> */
    public array $results = [];

    public function __construct(private readonly string $command, private readonly string $log, private readonly bool $verbose) {}

    /** @param array<string, Script> $cases */
    public function run(array $cases, int $jobs): void
    {
        $queue = array_values($cases);
        for ($job = 0; $job < $jobs; $job++) {
            Loop::spawn(function () use (&$queue): void {
                $waiter = new Waiter();
                while (($case = array_shift($queue)) !== null) {
                    $this->one($case, $waiter);
                }
            });
        }
        Loop::run();
    }

    public function one(Script $case, ?Waiter $waiter = null): void
    {
        $waiter ??= new Waiter();
        $started = Loop::now();
        $result = Outcome::Pass;
        $detail = '';
        try {
            $waiter->serve($this->command, 10.0, $this->log, static function (Wire $wire, ClientRequest $request) use ($case, $waiter): void {
                if ($case->answer !== null) {
                    ($case->answer)($wire, $request, $waiter->port);
                } else {
                    $case->play($request->session($wire, $case->accept), new Target([]));
                }
            });
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
}
