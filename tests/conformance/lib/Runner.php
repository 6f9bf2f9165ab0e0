<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** Plays cases side by side and collects what became of them. */
final class Runner
{
    /** Small cases that went well, after which what they left in cycles is given back: to look at everything each time was a sixth of the processor's work. */
    private const COLLECTS = 64;

    /** @var array<string, array{title: string, result: Outcome, detail: string, seconds: float}> */
    public array $results = [];
    private int $running = 0;

    /**
     * @param Target $lab servers of their own for cases that are run alone, so that what they measure is theirs
     */
    public function __construct(
        private readonly Target $target,
        private readonly Target $lab,
        private readonly int $jobs,
        private readonly bool $verbose,
    ) {}

    /** @param array<string, Script> $cases */
    public function run(array $cases): void
    {
        $this->spawn($cases);
        Loop::run();
    }

    /** @param array<string, Script> $cases */
    private function spawn(array $cases): void
    {
        $slow = array_filter($cases, static fn (Script $c): bool => $c->isSlow && !$c->isAlone);
        $alone = array_filter($cases, static fn (Script $c): bool => $c->isAlone);
        foreach ($slow as $case) {
            Loop::spawn(fn () => $this->one($case, $this->target));
        }
        $queue = array_values(array_diff_key($cases, $slow, $alone));
        for ($job = 0; $job < $this->jobs; $job++) {
            $this->running++;
            Loop::spawn(function () use (&$queue, $alone): void {
                while (($case = array_shift($queue)) !== null) {
                    $this->one($case, $this->target);
                }
                if (--$this->running === 0) {
                    $this->runAlone($alone);
                }
            });
        }
    }

    /** @param array<string, Script> $cases */
    private function runAlone(array $cases): void
    {
        foreach ($cases as $case) {
            $server = $this->lab->for($case)->servers[$case->kind] ?? null;
            if ($server !== null && $server->canRestart()) {
                $server->stop();
                $server->start();
            }
            $this->one($case, $this->lab);
        }
        foreach ($this->lab->servers as $server) {
            $server->stop();
        }
    }

    public function one(Script $case, Target $target): void
    {
        $target = $target->for($case);
        $started = Loop::now();
        $result = Outcome::Pass;
        $detail = '';
        try {
            $this->play($case, $target);
        } catch (Failed $fault) {
            [$result, $detail] = [Outcome::Fail, $fault->getMessage()];
        } catch (Absent $reason) {
            [$result, $detail] = [Outcome::Absent, $reason->getMessage()];
        }
        if ($case->isHeavy || $case->isAlone || $result !== Outcome::Pass || count($this->results) % self::COLLECTS === 0) {
            gc_collect_cycles();
        }
        $server = $target->servers[$case->kind] ?? null;
        if ($server !== null && !$server->isRunning()) {
            [$result, $detail] = [Outcome::Fail, 'the server ended during this case (or one beside it)'];
            if ($server->canRestart()) {
                $server->stop();
                $server->start();
            }
        }
        $seconds = round(Loop::now() - $started, 3);
        $this->results[$case->id] = ['title' => $case->title, 'result' => $result, 'detail' => $detail, 'seconds' => $seconds];
        if ($this->verbose) {
            printf("%-6s %6.2f %s%s\n", $result->value, $seconds, $case->id, $detail === '' ? '' : ": $detail");
        }
    }

    private function play(Script $case, Target $target): void
    {
        $target->server($case->kind);
        if ($case->body !== null) {
            ($case->body)($target);

            return;
        }
        $session = $target->open($case->offer);
        try {
            $case->play($session, $target);
        } finally {
            $session->wire->close();
        }
    }
}
