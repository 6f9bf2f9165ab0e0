<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The engine's counters: their names, and what they add up to. */
final class Counters
{
    /** Every name, with what it counts; a mode leaves at 0 what it does not have. */
    public const NAMES = [
        'planned' => 'operations that the schedule asked for',
        'started' => 'connections begun',
        'connected' => 'TCP connections established',
        'opened' => 'connections ready for data: TLS and upgrade done',
        'closed' => 'connections that ended as they should',
        'failed_resolve' => 'names without an address',
        'failed_refused' => 'connections refused',
        'failed_timeout' => 'connections that were not there in time',
        'failed_reset' => 'connections reset',
        'failed_tls' => 'TLS handshakes that failed',
        'failed_status' => 'answers with another HTTP status',
        'failed_protocol' => 'violations of the protocol',
        'failed_closed' => 'connections that the server closed early',
        'failed_other' => 'connections that failed otherwise',
        'sent' => 'operations sent',
        'received' => 'messages received',
        'bytes_sent' => 'bytes sent, with heads and frames; of TLS what is inside',
        'bytes_received' => 'bytes received, the same',
        'completed' => 'operations that ended well',
        'dropped' => 'planned operations that were never sent',
        'blocked' => 'operations sent late because no connection was free',
        'unfinished' => 'operations without an answer when the run ended',
        'timed_out' => 'operations without an answer in time',
        'wrong' => 'answers with other bytes',
        'lost' => 'messages that never came',
        'duplicated' => 'messages that came twice',
        'reordered' => 'messages out of order',
        'expected' => 'deliveries that were due',
        'resets' => 'gaps that the server admitted',
        'reconnects' => 'connections made again',
        'throttled' => 'times the high mark stopped new connections',
        'resumed_tls' => 'TLS handshakes that resumed a session',
        'open' => 'connections open now',
        'in_flight' => 'operations under way now',
        'in_flight_sum_ns' => 'operations under way, summed over time',
    ];
    /** What makes a result doubtful; `unfinished` is judged apart, as a run that is ended leaves some. */
    public const ERRORS = [
        'failed_resolve', 'failed_refused', 'failed_timeout', 'failed_reset', 'failed_tls', 'failed_status', 'failed_protocol',
        'failed_closed', 'failed_other', 'timed_out', 'wrong', 'lost', 'duplicated', 'reordered',
    ];

    /** @param array<string, int> $counters */
    public static function errors(array $counters): int
    {
        return array_sum(array_intersect_key($counters, array_flip(self::ERRORS)));
    }

    /**
     * The errors that happened, the most frequent first.
     *
     * @param array<string, int> $counters
     *
     * @return array<string, int> by what they are, in words
     */
    public static function named(array $counters): array
    {
        $found = array_filter(array_intersect_key($counters, array_flip(self::ERRORS)), static fn (int $n): bool => $n > 0);
        arsort($found);
        $named = [];
        foreach ($found as $name => $n) {
            $named[self::NAMES[$name]] = $n;
        }

        return $named;
    }
}
