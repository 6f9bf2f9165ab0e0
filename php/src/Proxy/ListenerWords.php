<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/**
 * A listener as words: `0.0.0.0:3306?first=server&connections=100`. What stands behind the question mark are parameters of listen(), by their names: what
 * this listener has of its own, where the others have what the proxy was given.
 *
 * @phpstan-type Options array{first?: First, protocol?: Protocol, downstream?: TlsMode, proxyProtocol?: bool, mysqlVersion?: string, waitMs?: int, connections?: int}
 */
final readonly class ListenerWords
{
    /** Words of the command line, of environment variables and of listeners, and what they stand for. */
    public const FIRST = ['server' => First::Server, 'client' => First::Client, 'wait' => First::Wait];
    public const PROTOCOL = ['auto' => Protocol::Auto, 'raw' => Protocol::Raw, 'tls' => Protocol::Tls, 'postgres' => Protocol::Postgres, 'mysql' => Protocol::Mysql];
    public const DOWNSTREAM = ['disable' => TlsMode::Disable, 'allow' => TlsMode::Allow, 'require' => TlsMode::Require];
    public const SWITCH = ['on' => true, 'yes' => true, 'true' => true, '1' => true, 'off' => false, 'no' => false, 'false' => false, '0' => false];
    private const TCP = ['first', 'protocol', 'downstream', 'proxyProtocol', 'mysqlVersion', 'waitMs', 'connections'];
    private const OTHERS = ['connections'];

    /** @param Options $options by the names of listen()'s parameters */
    private function __construct(public string $address, public array $options) {}

    /**
     * @param string $option what it was given by, for messages
     *
     * @throws BadSetting for a word that is none; whether a number is in range is listen()'s to say
     */
    public static function of(string $text, string $option, Kind $kind): self
    {
        [$address, $words] = [...explode('?', $text, 2), ''];
        $options = [];
        foreach ($words === '' ? [] : explode('&', $words) as $word) {
            [$name, $value] = [...explode('=', $word, 2), ''];
            $known = $kind === Kind::Tcp ? self::TCP : self::OTHERS;
            if (!in_array($name, $known, true)) {
                throw BadSetting::noneOf($option, $name, $known);
            }
            $options[$name] = self::value($name, $value, $option);
        }

        /** @var Options $options as value() makes each by its name */
        return new self($address, $options);
    }

    private static function value(string $name, string $value, string $option): First|Protocol|TlsMode|bool|string|int
    {
        $known = match ($name) {
            'first' => self::FIRST,
            'protocol' => self::PROTOCOL,
            'downstream' => self::DOWNSTREAM,
            'proxyProtocol' => self::SWITCH,
            default => null,
        };
        if ($known !== null) {
            return $known[strtolower($value)] ?? throw BadSetting::noneOf($option, "$name=$value", array_map(strval(...), array_keys($known)));
        }
        if ($name === 'mysqlVersion') {
            return $value;
        }

        return LimitWords::number($name, $value) ?? throw BadSetting::of($option, "$name=$value", LimitWords::example($name));
    }
}
