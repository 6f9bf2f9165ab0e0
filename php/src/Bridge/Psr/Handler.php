<?php

declare(strict_types=1);

namespace Tusk\Bridge\Psr;

use Psr\Http\Server\RequestHandlerInterface;
use Tusk\Http\Request;
use Tusk\Http\Response;
use Tusk\Server;

/**
 * An application of PSR-15 (Slim, Mezzio, any RequestHandlerInterface) as a handler of a Tusk server. It may wait in a fiber as any handler may; an exception
 * that it lets out goes to the server's onError.
 */
final readonly class Handler
{
    private Requests $requests;
    private Answers $answers;

    /**
     * @param Factories|null $factories null: those of the first library that is installed
     * @param int            $wholeBytes at least 1, up to which a body is sent with its length; a longer one, or one of unknown size, leaves in pieces, as fast as its client reads
     *
     * @throws \LogicException when no PSR-17 factories are installed
     */
    public function __construct(private RequestHandlerInterface $application, ?Factories $factories = null, int $wholeBytes = 262_144)
    {
        if ($wholeBytes < 1) {
            throw new \ValueError("\$wholeBytes must be at least 1, $wholeBytes given");
        }
        $this->requests = new Requests($factories ?? Factories::found());
        $this->answers = new Answers($wholeBytes);
    }

    /**
     * All that no route and no folder of the server answers, whatever the method, also a path of theirs with a method that they have not: it takes
     * the server's fallback(). OPTIONS of such a path stays the server's, unless options() gives it to the application.
     *
     * @throws \LogicException while running, or when there is a fallback already
     */
    public function on(Server $server): void
    {
        $server->fallback($this->handle(...), methods: true);
    }

    /** Of a request whose address or headers the PSR-7 library refuses: 400, the application is not asked. */
    public function handle(Request $request): Response
    {
        try {
            $given = $this->requests->of($request);
        } catch (BadRequest $fault) {
            return Response::text("Bad Request: {$fault->getMessage()}\n", 400);
        }

        return $this->answers->of($this->application->handle($given), $request->method);
    }
}
