<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Resource\Link;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Timer;

/** A node of a graph that a number decides: which requests stand where in its body, what is done to them, what fails. */
final class Graph extends ResourceObject
{
    private int $seed = 0;
    private int $node = 0;
    private int $nodes = 0;
    private int $drawn = 0;

    /** @param array<array-key, mixed> $tags */
    #[Embed('a', '/graph?seed={seed}&node={node}0&nodes={nodes}')]
    #[Embed('b', 'app://self/graph{?seed,node,nodes}')]
    #[Embed('c', 'app://self/graph{?seed,node,nodes}')]
    #[Link('next', '/graph?seed={seed}&node={next}&nodes={nodes}', crawl: 'tree')]
    #[Link('other', 'app://self/graph{?seed}&node={other}&nodes={nodes}', method: 'get', crawl: 'tree')]
    #[Link('aside', '/graph{?seed,nodes}&node={next}', crawl: 'bush')]
    public function onGet(int $seed, int $node, int $nodes, array $tags = []): mixed
    {

        [$this->seed, $this->node, $this->nodes] = [$seed, $node, $nodes];
        if ($node >= $nodes) {
            return ['leaf' => $node, 'tags' => $tags];
        }
        foreach (['a', 'b', 'c'] as $rel) {
            $this->turn($rel);
        }
        if ($this->draw(3) === 0) {
            Timer::sleep($this->draw(4) / 2000); // another order of ends
        }
        $fails = $this->draw(14);
        if ($fails === 0 || ($fails === 1 && $node > 0)) {
            throw $fails === 0 ? new \DomainException("node $node", $node, new \LengthException('before')) : new \RuntimeException("nöde $node");
        }
        $this->code = [200, 200, 200, 201, 404, 500][$this->draw(6)];
        if ($this->draw(4) === 0) {
            $this->headers['X-Node'] = (string) $node;
        }
        if ($this->draw(12) === 0) {
            $this->view = "<node>$node</node>";
        }

        return $this->shaped($tags);
    }

    /** @param array<array-key, mixed> $tags */
    private function shaped(array $tags): mixed
    {
        $body = \is_array($this->body) ? $this->body : [];
        $rest = ['seed' => $this->seed, 'node' => $this->node, 'nodes' => $this->nodes, 'next' => $this->target(), 'other' => $this->target()];
        switch ($this->draw(14)) {
            case 0:
                return array_values($body);
            case 1:
                return $rest; // without what was embedded
            case 2:
                return [null, 7, 1.5, 'täxt/"', true, []][$this->draw(6)];
            case 3:
                return [$rest, ['next' => $this->target()] + $rest, 'no row'];
            case 4:
                return ['rows' => [['x' => $body], $body]] + $rest;
            case 5:
                return $rest + $body;
            case 6:
                $this->body = $body + $rest;

                return $this;
            case 7:
                return $body + ['by hand' => $this->byHand(), 'deep' => [[$this->byHand()]]] + $rest;
            case 8:
                return $body + ['_links' => ['next' => ['href' => '/own'], 'x' => ['href' => "/n{$this->node}"]], 0 => 'zero'] + $rest;
            default:
                return $body + $rest + ['tags' => $tags, 'float' => $this->node / 3, 'text' => "/ü\u{2028}<&>", 'none' => null, 'empty' => [], 5 => ['k' => ['l' => false]]];
        }
    }

    private function turn(string $rel): void
    {
        $request = $this->embedded($rel);
        $request->withQuery(['seed' => $this->seed, 'node' => $this->target(), 'nodes' => $this->nodes] + $this->further());
        switch ($this->draw(16)) {
            case 0:
            case 1:
            case 2:
            case 3:
                unset($this[$rel]);
                break;
            case 4:
                $this["$rel again"] = $request;
                break;
            case 5:
                $this["$rel read"] = $this->read($request);
                break;
            case 6:
                $request->linkCrawl(['tree', 'bush'][$this->draw(2)]);
                break;
            case 7:
                $request->linkSelf(['next', 'other', 'nowhere'][$this->draw(3)]);
                break;
            case 8:
                $request->linkNew(['next', 'other'][$this->draw(2)])->linkNew('aside');
                break;
            case 9:
                $this[$rel] = $this->read($request);
                break;
            case 10:
                $this["$rel read"] = $this->read($request);
                $request->addQuery(['node' => $this->target()]);
                break;
            case 11:
                $this[$rel] = $request();
                break;
            case 12:
                $this[$rel] = json_encode($request);
                break;
        }
    }

    private function read(Request $request): mixed
    {
        return [$request->code, \count($request), array_keys($request->headers)];
    }

    private function byHand(): Request
    {
        return $this->client()->get->uri(['app://self/graph', 'app://self/graph-self'][$this->draw(2)], ['seed' => $this->seed, 'node' => $this->target(), 'nodes' => $this->nodes] + $this->further());
    }

    /** @return array<string, mixed> */
    private function further(): array
    {
        return match ($this->draw(6)) {
            0 => ['tags' => [1, 2.5, true, 'x' => ['y' => null, 'z' => false]]],
            1 => ['tags' => ['b' => 1, 'a' => '2']],
            default => [],
        };
    }

    /** Mostly further on, so that most graphs end. */
    private function target(): int
    {
        if ($this->seed % 4 === 0 && $this->draw(12) === 0) {
            return $this->draw($this->nodes);
        }

        return min($this->node + 1 + $this->draw(3), $this->nodes);
    }

    private function draw(int $below): int
    {
        $this->drawn++;

        return crc32("$this->seed/$this->node/$this->drawn") % $below;
    }
}
