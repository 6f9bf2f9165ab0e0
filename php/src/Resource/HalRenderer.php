<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Internal\Binding;
use Tusk\Resource\Internal\ContentType;
use Tusk\Resource\Internal\Json;
use Tusk\Resource\Internal\Origin;
use Tusk\Resource\Internal\Tree;

/** HAL (application/hal+json): embedded resources under _embedded, links under _links. */
final readonly class HalRenderer implements Renderer
{
    public function render(ResourceObject $resource): string
    {
        $origin = Binding::origin($resource) ?? throw new \LogicException($resource::class . ' was not made by a request');
        $origin->client->collectOf($resource);
        $origin->client->enter();
        try {
            $document = $this->document($resource, $origin, $origin->uri, $origin->path());
        } finally {
            $origin->client->leave();
        }
        $json = Json::of($resource, $document, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES);
        ContentType::unlessSet($resource, 'application/hal+json');

        return "$json\n";
    }

    /**
     * @param Uri          $self as it was asked for
     * @param list<string> $path identities of the requests down to this resource
     *
     * @return array<array-key, mixed>
     */
    private function document(ResourceObject $resource, Origin $origin, Uri $self, array $path): array
    {
        $body = Tree::shown($resource->body ?? []);
        $embedded = [];
        foreach ($body as $key => $member) {
            if ($member instanceof Request) {
                unset($body[$key]);
                $embedded[$key] = $this->embedded($member, $origin, $path);
            } elseif (\is_array($member) || \is_object($member)) {
                $body[$key] = Tree::plain($member, $path);
            }
        }
        $links = $this->links($origin, $self, $body);
        if ($embedded !== []) {
            $byHand = $body['_embedded'] ?? null;
            unset($body['_embedded']);
            $body['_embedded'] = $embedded + (\is_array($byHand) ? $byHand : []);
        }
        unset($body['_links']);

        return $body + ['_links' => $links];
    }

    /** @param list<string> $path */
    private function embedded(Request $request, Origin $around, array $path): mixed
    {
        $result = $request->enter($path);
        $path[] = $request->identity();
        $origin = Binding::origin($result);
        if ($origin === null || $request->uri()->authority() !== $around->uri->authority()) {
            return Tree::plain($result->body, $path);
        }

        // One result may be that of several requests, which differ in the order of their query: each has its own self link.
        $isAsked = $request->uri()->canonical() === $origin->uri->canonical();

        return $this->document($result, $origin, $isAsked ? $request->uri() : $origin->uri, $path);
    }

    /**
     * @param array<array-key, mixed> $body without what is embedded
     *
     * @return array<array-key, mixed> self, then the attributes in source order, then what stands in the body; that wins
     */
    private function links(Origin $origin, Uri $self, array $body): array
    {
        $byHand = \is_array($body['_links'] ?? null) ? $body['_links'] : [];
        $links = ['self' => ['href' => $self->pathAndQuery()]];
        foreach ($origin->client->application->handlers->of($origin->class, $origin->method)->links as $link) {
            if (!isset($byHand[$link->rel])) {
                $links[$link->rel] = ['href' => UriTemplate::expand($link->href, $body)];
            }
        }

        return array_replace($links, $byHand);
    }
}
