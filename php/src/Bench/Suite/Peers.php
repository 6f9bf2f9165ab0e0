<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** The peers that are known, in the order of the columns. */
final class Peers
{
    /** @return array<string, Peer> by the name that --peers takes */
    public static function all(): array
    {
        return [
            'tusk' => new Peer\Tusk(),
            'native' => new Peer\Native(),
            'swoole' => new Peer\Swoole('swoole', 'Swoole', 'TUSK_PEER_SWOOLE'),
            'openswoole' => new Peer\Swoole('openswoole', 'OpenSwoole', 'TUSK_PEER_OPENSWOOLE'),
            'workerman' => new Peer\Workerman(),
            'amphp' => new Peer\Autoloaded('amphp/websocket-server', 'amphp.php', 'TUSK_PEER_AMPHP', [Role::Echo, Role::Broadcast, Role::Handshake]),
            'ratchet' => new Peer\Autoloaded('cboden/ratchet', 'ratchet.php', 'TUSK_PEER_RATCHET', [Role::Echo, Role::Broadcast, Role::Handshake]),
            'rfc6455' => new Peer\Autoloaded('ratchet/rfc6455', 'rfc6455.php', 'TUSK_PEER_RFC6455', []),
            'bun' => new Peer\Bun(),
            'ws' => new Peer\Ws(),
            'uws' => new Peer\UWebSockets(),
            'nginx' => new Peer\Nginx(),
            'floor' => new Peer\Floor(),
        ];
    }

    /**
     * @param list<string>|null $names null: all
     *
     * @return array<string, Peer>
     *
     * @throws \ValueError naming a peer that is not known
     */
    public static function named(?array $names): array
    {
        $all = self::all();
        if ($names === null) {
            return $all;
        }
        foreach ($names as $name) {
            if (!isset($all[$name])) {
                throw new \ValueError("there is no peer \"$name\"; known are " . implode(', ', array_keys($all)));
            }
        }

        return array_intersect_key($all, array_flip($names));
    }
}
