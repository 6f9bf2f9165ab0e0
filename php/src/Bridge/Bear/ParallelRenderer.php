<?php

declare(strict_types=1);

namespace Tusk\Bridge\Bear;

use BEAR\Resource\RenderInterface;
use BEAR\Resource\ResourceInterface;
use BEAR\Resource\ResourceObject;
use Ray\Di\Di\Named;
use Tusk\Resource\Application;

/**
 * Runs the requests of a body, and what they embed, before BEAR's own renderer walks over it.
 *
 * @internal
 */
final readonly class ParallelRenderer implements RenderInterface
{
    public function __construct(
        #[Named(ParallelModule::ORIGINAL)]
        private RenderInterface $renderer,
        private ResourceInterface $resource,
        #[Named(ParallelModule::APPLICATION)]
        private Application $application,
    ) {}

    /** @return string */
    public function render(ResourceObject $ro)
    {
        $client = $this->application->client();
        $moved = [];
        $ro->body = (new Bodies($client, $this->resource))->prepared($ro->body, $moved);
        $client->collect($moved); // the first that the walk uses starts all of them

        return $this->renderer->render($ro);
    }
}
