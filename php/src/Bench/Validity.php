<?php

declare(strict_types=1);

namespace Tusk\Bench;

use Tusk\Terminal\Units;

/** Whether a result may be believed, and why not. It stands first in every report. */
final readonly class Validity
{
    /** Share of a core above which a worker is the limit, not the server. */
    public const SATURATED = 0.8;
    /** Share of the window that a worker may wait for a processor before it is said. */
    public const HINDERED = 0.1;
    /** Send lag p99 over this share of the median spoils it. */
    public const LATE = 0.1;
    public const SECONDS_MIN = 1.0;
    /** Without that many samples there is no p99. */
    public const SAMPLES_MIN = 1000;
    /** First and last third of the window: a difference is said from here on, and spoils the result from there on. */
    public const STEADY_SAID = 0.05;
    public const STEADY = 0.25;
    /** Seconds that an interval must have to tell a rate. */
    private const WHOLE = 0.5;
    public const LITTLE = 0.1;
    /** Over this share of the calibrated ceiling it is the generator that was measured. */
    public const CEILING = 0.7;

    /**
     * @param list<string> $reasons why the result is not valid, the gravest first
     * @param list<string> $notes   what a reader should know all the same
     */
    public function __construct(public array $reasons, public array $notes = []) {}

    public function valid(): bool
    {
        return $this->reasons === [];
    }

    public static function judge(Result $result): self
    {
        [$steady, $steadyNotes] = self::steadiness($result);
        $reasons = [
            ...($result->partial ? ['partial: the run was ended early'] : []),
            ...self::nothing($result),
            ...self::errors($result),
            ...self::generator($result),
            ...self::length($result),
            ...$steady,
            ...self::little($result),
        ];

        return new self($reasons, [...$steadyNotes, ...self::hindered($result, $reasons), ...self::calibration($result), ...(self::foreign($result)
            ? ['events of others carry no planned instant: give --publish-url to have deliveries timed'] : [])]);
    }

    /** @return list<string> with what to do next */
    private static function nothing(Result $result): array
    {
        if (!$result->nothing() || $result->storm() !== null || $result->partial) {
            return [];
        }
        $next = match (true) {
            $result->errors() > 0 => 'the errors say why',
            $result->unfinished() > 0 && $result->mode->done($result->totals) > 0 => 'a window of ' . Units::duration($result->seconds * 1e9) . ' is shorter than an answer takes, or the server stopped answering: give a longer --duration or --drain',
            $result->unfinished() > 0 => 'look whether the server answers one client, and give --timeout, shorter than the window: what is silent is counted then',
            $result->mode->publishes() => 'nobody published: give --publish-url or --publishers, or publish to it yourself',
            default => 'give a longer --duration or --drain',
        };

        return ["nothing measured: the window has no {$result->mode->operations()}; $next"];
    }

    /** @return list<string> */
    private static function errors(Result $result): array
    {
        $reasons = [];
        foreach (Counters::named($result->totals) as $what => $n) {
            $reasons[] = sprintf('errors: %s %s', number_format($n), $what);
        }
        $dropped = $result->totals['dropped'] ?? 0;
        if ($dropped > 0) {
            $reasons[] = sprintf('dropped: %s planned operations were never sent', number_format($dropped));
        }
        $unfinished = $result->counters['unfinished'] ?? 0;
        if ($unfinished > 0) {
            $reasons[] = sprintf('unfinished: %s operations had no answer when the drain limit came', number_format($unfinished));
        }
        $before = $result->unfinishedBefore();
        if ($before > 0 && !$result->partial) {
            $reasons[] = sprintf('unfinished: %s operations that began before the window had no answer by the end of the run', number_format($before));
        }
        $said = $result->generator->said();
        if ($said !== null && $reasons === []) {
            $reasons[] = "a worker reports: $said";
        }

        return $reasons;
    }

    /** @return list<string> */
    private static function generator(Result $result): array
    {
        $reasons = [];
        $busiest = $result->generator->busiest();
        if ($busiest > self::SATURATED) {
            $reasons[] = sprintf('generator saturated: a worker used %s of a core, so the rate is a lower bound', Units::percent($busiest));
        }
        $waited = $result->generator->waited;
        if ($reasons === [] && $waited > self::HINDERED && $busiest + $waited > self::SATURATED) {
            $reasons[] = sprintf(
                'generator starved: a worker ran %s and waited for a processor %s of the time, so the rate is a lower bound',
                Units::percent($busiest),
                Units::percent($waited),
            );
        }
        $late = $result->latency['late'] ?? null;
        $headline = $result->headline();
        if ($late !== null && $late->count() > 0 && $headline->count() > 0 && $result->model() === 'open') {
            $lag = $late->histogram->percentile(99);
            $median = $headline->histogram->percentile(50);
            if ($lag > self::LATE * $median) {
                $reasons[] = sprintf(
                    'late: the generator itself sent up to %s late (p99), over 10 %% of the median of %s',
                    Units::duration($lag),
                    Units::duration($median),
                );
            }
        }

        return $reasons;
    }

    /**
     * @param list<string> $reasons
     *
     * @return list<string>
     */
    private static function hindered(Result $result, array $reasons): array
    {
        $waited = $result->generator->waited;

        return $waited <= self::HINDERED || preg_grep('~^generator starved~', $reasons) !== [] ? []
            : [sprintf('others use this machine: a worker waited for a processor %s of the time', Units::percent($waited))];
    }

    /** @return list<string> */
    private static function length(Result $result): array
    {
        $storm = $result->storm();
        if ($storm !== null) {      // it is over when all are back, and each connection is one of all there are
            [$back, $all] = $storm;

            return $back < $all ? [sprintf('not all are back: %s of %s connections', number_format($back), number_format($all))] : [];
        }
        if ($result->nothing() && $result->errors() + $result->unfinished() > 0) {
            return []; // nothing came of anything: a longer run would not help, and why is said
        }
        if ($result->seconds < self::SECONDS_MIN) {
            return [sprintf('too short: a window of %s; give at least 1 s', Units::duration($result->seconds * 1e9))];
        }
        $count = $result->headline()->count();
        if ($result->mode->timed() && !self::foreign($result) && $count < self::SAMPLES_MIN) {
            return [sprintf('too short: %s samples; p99 needs %s', number_format($count), number_format(self::SAMPLES_MIN))];
        }

        return [];
    }

    /** Whether what is received was not published by this run, so that nothing tells how long it took. */
    private static function foreign(Result $result): bool
    {
        return $result->mode === Mode::Sse && ($result->totals['sent'] ?? 0) === 0 && ($result->totals['received'] ?? 0) > 0;
    }

    /** @return array{list<string>, list<string>} reasons and notes */
    private static function steadiness(Result $result): array
    {
        $window = array_values(array_filter($result->measured(), static fn (Interval $interval): bool => $interval->length >= self::WHOLE));
        $third = intdiv(count($window), 3);
        if ($third < 1 || $result->mode === Mode::TcpHold) {
            return [[], []];
        }
        $reasons = [];
        $notes = [];
        $parts = [array_slice($window, 0, $third), array_slice($window, -$third)];
        foreach (['rate' => self::meanRate(...), 'p50' => self::median(...)] as $name => $figure) {
            [$first, $last] = [$figure($parts[0], $result->mode), $figure($parts[1], $result->mode)];
            $change = $first > 0 ? $last / $first - 1 : 0.0;
            $text = sprintf('not steady: %s of the last third differs from the first by %+.0f %%', $name, $change * 100);
            if (abs($change) > self::STEADY) {
                $reasons[] = $text;
            } elseif (abs($change) > self::STEADY_SAID) {
                $notes[] = $text;
            }
        }

        return [$reasons, $notes];
    }

    /** @param list<Interval> $intervals */
    private static function meanRate(array $intervals, Mode $mode): float
    {
        $length = array_sum(array_map(static fn (Interval $interval): float => $interval->length, $intervals));
        $count = array_sum(array_map(static fn (Interval $interval): int => $mode->done($interval->counters), $intervals));

        return $length > 0 ? $count / $length : 0.0;
    }

    /** @param list<Interval> $intervals */
    private static function median(array $intervals, Mode $mode): float
    {
        $all = null;
        foreach ($intervals as $interval) {
            $histogram = $interval->histogram();
            if ($all === null) {
                $all = $histogram;
            } else {
                $all->merge($histogram);
            }
        }

        return (float) ($all?->percentile(50) ?? 0);
    }

    /** @return list<string> */
    private static function little(Result $result): array
    {
        $little = $result->little();
        $ratio = $little->ratio();
        if ($ratio === null || $result->headline()->count() < self::SAMPLES_MIN || abs($ratio - 1) <= self::LITTLE) {
            return [];
        }

        return [sprintf(
            "Little's law is off: %.1f operations were in flight, but rate times mean time gives %.1f",
            $little->inFlight,
            $little->product,
        )];
    }

    /** @return list<string> */
    private static function calibration(Result $result): array
    {
        $ceiling = $result->generator->calibration['rate'] ?? 0;
        if ($ceiling > 0 && $result->targetRate() === null && $result->rate() > self::CEILING * $ceiling) {
            return [sprintf(
                'near the ceiling: %s of what this generator reaches against its own server; the target may be faster',
                Units::percent($result->rate() / $ceiling),
            )];
        }

        return [];
    }

    /** @return array{valid: bool, reasons: list<string>, notes: list<string>} */
    public function toArray(): array
    {
        return ['valid' => $this->valid(), 'reasons' => $this->reasons, 'notes' => $this->notes];
    }

    /** @throws BadFile */
    public static function fromFields(Fields $fields): self
    {
        return new self($fields->strings('reasons'), $fields->strings('notes'));
    }
}
