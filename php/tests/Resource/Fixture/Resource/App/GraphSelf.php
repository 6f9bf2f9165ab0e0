<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Resource\Link;
use Tusk\Resource\ResourceObject;
use Tusk\Tests\Resource\Fixture\Loader;

/** A node that begins as another one is. */
final class GraphSelf extends ResourceObject
{
    #[Embed('before', '/graph?seed={seed}&node={nodes}&nodes={nodes}')]
    #[Embed('_self', '/graph{?seed,node,nodes}')]
    #[Embed('after', '/graph?seed={seed}&node={nodes}&nodes={nodes}')]
    #[Link('next', '/graph?seed={seed}&node={next}&nodes={nodes}', crawl: 'tree')]
    #[Link('loaded', '/nowhere', crawl: 'tree', dataLoader: Loader::class)]
    public function onGet(int $seed, int $node, int $nodes): static
    {
        $this['keys'] = \is_array($this->body) ? array_keys($this->body) : null;
        $this['head'] = $this->client()->head->uri('app://self/graph', ['seed' => $seed, 'node' => $node + 1, 'nodes' => $nodes]);
        $this['post'] = $this->client()->post->uri('app://self/graph-self', ['seed' => $seed]);

        return $this;
    }

    /** @return array<array-key, mixed> */
    public function onPost(int $seed): array
    {
        return ['zero' => -0.0, 'most' => PHP_INT_MAX, 'least' => PHP_INT_MIN, 'large' => 1e308, 'small' => 5e-324, 'nul' => "\0", '' => 'empty', '0' => 0, '-1' => [1 => 'x'], 'seed' => $seed];
    }
}
