<?php

// Renders one page of a small application by BEAR.Resource alone and with the bridge: php run.php AUTOLOAD json|hal|override|around PAGE

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package;

use BEAR\Resource\Module\HalModule;
use BEAR\Resource\Module\ResourceModule;
use BEAR\Resource\ResourceInterface;
use Ray\Di\AbstractModule;
use Ray\Di\Injector;
use Tusk\Bridge\Bear\Bear;
use Tusk\Bridge\Bear\ParallelModule;
use Tusk\Resource\Application;

[, $autoload, $how, $page] = $argv;
error_reporting(E_ALL & ~E_DEPRECATED); // of the packages' own
require $autoload;
// Not the whole autoloader of php/: its development tools bring another version of a parser that Ray.Aop uses.
spl_autoload_register(static function (string $class): void {
    $resources = __NAMESPACE__ . '\\Resource\\App\\';
    $file = str_starts_with($class, $resources)
        ? __DIR__ . '/src/' . substr($class, strlen($resources)) . '.php'
        : dirname(__DIR__, 4) . '/src/' . strtr(substr($class, strlen('Tusk\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'Tusk\\') && is_file($file)) {
        require_once $file;
    }
});
$directory = sys_get_temp_dir() . '/tusk-bear-' . getmypid();
mkdir($directory);
define(__NAMESPACE__ . '\DIRECTORY', $directory);
register_shutdown_function(static function (int $owner): void {
    if (getmypid() === $owner) {
        array_map('unlink', glob(DIRECTORY . '/*') ?: []);
        rmdir(DIRECTORY);
    }
}, getmypid());

/** The application as its author made it, without the bridge. */
function module(bool $hal = false): AbstractModule
{
    $module = new ResourceModule(__NAMESPACE__);
    if ($hal) {
        $module->override(new HalModule());
    }

    return $module;
}

function client(AbstractModule $module): ResourceInterface
{
    return (new Injector($module, DIRECTORY))->getInstance(ResourceInterface::class);
}

/** What each worker calls. */
function application(): Application
{
    return Bear::application(client(module()), 'Package');
}

/** @return array<string, mixed> */
function rendered(ResourceInterface $client, string $page): array
{
    try {
        $resource = $client->get("app://self/$page");

        return ['view' => $resource->toString(), 'code' => $resource->code, 'headers' => $resource->headers];
    } catch (\Throwable $e) {
        $previous = $e->getPrevious();

        return ['class' => $e::class, 'message' => $e->getMessage(), 'code' => $e->getCode(), 'previous' => $previous === null ? null : [$previous::class, $previous->getMessage()]];
    }
}

$factory = __NAMESPACE__ . '\application';
if ($how === 'override' || $how === 'around') {
    $module = $how === 'around' ? new ParallelModule($factory, module(), 2) : module();
    if ($how === 'override') {
        $module->override(new ParallelModule($factory, new HalModule(), 2));
    }
    $view = rendered(client($module), $page)['view'] ?? '';
    $said = ['elsewhere' => preg_match('/"pid": (\d+)/', is_string($view) ? $view : '', $m) === 1 && (int) $m[1] !== getmypid()];
} else {
    $said = [
        'alone' => rendered(client(module($how === 'hal')), $page),
        'parallel' => rendered(client(new ParallelModule($factory, module($how === 'hal'), 4)), $page),
    ];
}
echo json_encode($said, JSON_THROW_ON_ERROR);
