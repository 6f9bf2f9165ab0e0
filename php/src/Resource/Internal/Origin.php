<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Application;
use Tusk\Resource\Client;
use Tusk\Resource\Method;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;

/** Which request a resource object answers: what a renderer and a link need to know of it, also where the object itself was made elsewhere. */
final class Origin
{
    public readonly Uri $uri;
    public readonly Client $client;
    /** It is what this worker was asked for: the other side has its parts. */
    public readonly bool $asked;
    private ?string $identity = null;

    /**
     * @param class-string<ResourceObject>              $class     whose attributes count
     * @param Uri|array{Head, array<array-key, mixed>}  $uri       in a worker head and query of the request, as most resources do not ask for more
     * @param Client|Application                        $client    in a worker the application, for the same reason
     * @param string                                    $links     what the links of the request add to its identity
     * @param list<string>                              $ancestors identities of the requests around it, outermost first
     */
    public function __construct(
        public readonly string $class,
        public readonly Method $method,
        Uri|array $uri,
        Client|Application $client,
        public readonly string $links,
        public readonly array $ancestors,
    ) {
        $this->asked = \is_array($uri);
        $this->uri = \is_array($uri) ? $uri[0]->uri($uri[1]) : $uri;
        $this->client = $client instanceof Client ? $client : new Client($client);
    }

    /** @return list<string> the way down to what this resource embeds */
    public function path(): array
    {
        return [...$this->ancestors, $this->identity ??= self::identity($this->method, $this->uri, $this->links)];
    }

    /** The URI of an identity, for people. */
    public static function readable(string $identity): string
    {
        [$uri, $query] = explode('?', substr((string) strstr($identity, ' '), 1), 2) + [1 => ''];
        $query = @unserialize($query, ['allowed_classes' => false]); // what links add stands behind it, which PHP 8.3 warns of
        $text = \is_array($query) ? http_build_query($query, '', '&', PHP_QUERY_RFC3986) : '';

        return $text === '' ? $uri : "$uri?$text";
    }

    /** Of a request: those of equal identity have equal results. */
    public static function identity(Method $method, Uri $uri, string $links): string
    {
        return "$method->value {$uri->canonical()}$links";
    }
}
