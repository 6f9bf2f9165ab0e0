<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Internal\Binding;
use Tusk\Resource\Internal\Bound;
use Tusk\Resource\Internal\Tree;

/**
 * A resource class has methods onGet, onPost, onPut, onPatch, onDelete; each fills code, headers and body and returns
 * $this. What else it returns becomes the body.
 *
 * As an array it is its body; as a string it is rendered.
 *
 * @implements \ArrayAccess<array-key, mixed>
 * @implements \IteratorAggregate<array-key, mixed>
 */
abstract class ResourceObject extends Bound implements \ArrayAccess, \Countable, \IteratorAggregate, \JsonSerializable, \Stringable
{
    /** An HTTP status. */
    public int $code = 200;
    /** @var array<string, string> */
    public array $headers = [];
    /** Null, a scalar or an array; in an array lazy requests may stand anywhere. */
    public mixed $body = null;
    /** The rendered text; a method that sets it has rendered by itself. */
    public ?string $view = null;

    /** Null for an object that no request made. */
    final public function uri(): ?Uri
    {
        return Binding::origin($this)?->uri;
    }

    /** For further requests from within a method. Like what it embeds they are below this resource: one that comes back to it is an EmbedException. */
    final protected function client(): Client
    {
        $origin = Binding::origin($this) ?? throw new \LogicException(static::class . ' was not made by a request');

        return $origin->client->below($origin->path());
    }

    /** A request in the body, to change it before it runs: $this->embedded('posts')->addQuery(['limit' => 5]). */
    final protected function embedded(string $rel): Request
    {
        $request = \is_array($this->body) ? $this->body[$rel] ?? null : null;

        return $request instanceof Request ? $request : throw new \OutOfBoundsException(static::class . " embeds no $rel");
    }

    /** Renders it, once. What fails inside an embed is thrown as it was. */
    public function toString(): string
    {
        if ($this->view !== null) {
            return $this->view;
        }
        $origin = Binding::origin($this) ?? throw new \LogicException(static::class . ' was not made by a request');

        return $this->view = $origin->client->application->renderer->render($this);
    }

    /** Throws only what an error handler makes of its E_USER_WARNING: a failure is that and an empty string. Use toString() where that matters. */
    public function __toString(): string
    {
        try {
            return $this->toString();
        } catch (\Throwable $e) {
            trigger_error(sprintf("%s: %s\n%s", $e::class, $e->getMessage(), $e->getTraceAsString()), E_USER_WARNING);

            return '';
        }
    }

    /** @return array<array-key, mixed> */
    public function jsonSerialize(): array
    {
        $origin = Binding::origin($this);
        $origin?->client->collectOf($this);
        $body = $origin === null ? Tree::plain($this->body, []) : Tree::of($origin->client, $this->body, $origin->path());

        return Tree::shown($body);
    }

    public function offsetExists(mixed $offset): bool
    {
        return isset($this->members()[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        $body = $this->members();

        return \array_key_exists($offset, $body) ? $body[$offset] : throw new \OutOfBoundsException("$offset");
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        $body = $this->members();
        if ($offset === null) {
            $body[] = $value;
        } else {
            $body[$offset] = $value;
        }
        $this->body = $body;
    }

    public function offsetUnset(mixed $offset): void
    {
        $body = $this->members();
        unset($body[$offset]);
        $this->body = $body;
    }

    public function count(): int
    {
        return \count($this->members());
    }

    public function getIterator(): \Iterator
    {
        return new \ArrayIterator($this->members());
    }

    /** @return array<array-key, mixed> */
    private function members(): array
    {
        return \is_array($this->body) ? $this->body : [];
    }
}
