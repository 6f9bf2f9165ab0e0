<?php

// Resources that embed and lead to each other, served as HAL: php examples/resource.php PORT

declare(strict_types=1);

namespace {
    require __DIR__ . '/load.php';
}

namespace Shop\Resource\App {
    use Tusk\Resource\{Embed, Link, ResourceObject};

    final class Product extends ResourceObject
    {
        #[Embed('reviews', '/reviews{?id}')]
        #[Embed('stock', '/stock{?id}')]
        #[Link('maker', '/maker?name={maker}')]
        public function onGet(int $id): static
        {
            $this['name'] = "Kettle $id";
            $this['maker'] = 'acme';

            return $this;
        }
    }

    final class Reviews extends ResourceObject
    {
        public function onGet(int $id, int $limit = 2): static
        {
            $this->body = array_slice([['stars' => 5], ['stars' => 4], ['stars' => $id]], 0, $limit);

            return $this;
        }
    }

    final class Stock extends ResourceObject
    {
        /** @return array<string, int> what is returned becomes the body */
        public function onGet(int $id): array
        {
            return ['pieces' => 10 * $id];
        }
    }

    final class Maker extends ResourceObject
    {
        public function onGet(string $name): static
        {
            $this->body = ['name' => $name, 'town' => 'Solingen'];

            return $this;
        }
    }
}

namespace {
    use Tusk\Http\{Request, Response};
    use Tusk\Resource\{Application, HalRenderer};
    use Tusk\Resource\Exception\ResourceException;
    use Tusk\Server;

    $shop = new Application('Shop', renderer: new HalRenderer());
    $server = new Server(listen: '127.0.0.1:' . ($argv[1] ?? 8080));
    $server->get('/{path*}', function (Request $r) use ($shop): Response {
        try {
            $resource = $shop->client()->get("app://self/{$r->params['path']}", $r->queryAll());
            $view = $resource->toString(); // here the embedded ones run

            return new Response($resource->code, $view, $resource->headers);
        } catch (ResourceException $e) {
            return Response::text($e->getMessage() . "\n", $e->getCode());
        }
    });
    $server->onListen(fn (Server $s) => print("A page of three resources: curl 'http://127.0.0.1:$s->port/product?id=3'\n"));
    exit($server->run());
}
