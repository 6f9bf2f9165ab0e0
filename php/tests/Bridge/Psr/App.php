<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Psr;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

/** An application of one closure. */
final class App implements RequestHandlerInterface
{
    /** @var list<ServerRequestInterface> */
    public array $asked = [];

    /** @param \Closure(ServerRequestInterface): ResponseInterface $answer */
    public function __construct(private readonly \Closure $answer) {}

    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        $this->asked[] = $request;

        return ($this->answer)($request);
    }
}
