<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\Engine;
use Tusk\Bench\Engines;
use Tusk\Bench\Mode;

/** Engines that are agents in the server role: each plan is cut into shares for all of them. */
final readonly class AgentsEngines implements Engines
{
    private const PORT = 9050;

    /**
     * @param Engines                $here   knows the options
     * @param non-empty-list<string> $agents `ws://host:9050/`, or `host` and `host:port` for short
     */
    public function __construct(private Engines $here, private array $agents, private ?string $token = null) {}

    public function options(Mode $mode): array
    {
        return $this->here->options($mode);
    }

    /** @throws \RuntimeException naming the agent that cannot be reached */
    public function create(Mode $mode, string $url, array $options): Engine
    {
        // What is wrong with an option is said before any agent is asked; where the target may be is each agent's own business.
        $this->here->create($mode, $url, [...$options, 'allow-remote' => true]);

        return new AgentsEngine(array_map($this->link(...), $this->agents), $mode, $url, $options, $this->here->options($mode));
    }

    private function link(string $agent): ClientLink
    {
        $uri = self::uri($agent);
        try {
            return new ClientLink($uri, $this->token);
        } catch (\Tusk\Exception $fault) {
            throw new \RuntimeException(Token::refusal($fault, "the agent $uri", $this->token, '--agents-token'), 0, $fault);
        }
    }

    private static function uri(string $agent): string
    {
        if (str_contains($agent, '://')) {
            return $agent;
        }

        return 'ws://' . $agent . (preg_match('~:\d+$~', $agent) === 1 ? '' : ':' . self::PORT) . '/';
    }
}
