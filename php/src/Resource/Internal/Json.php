<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\BadRequestException;
use Tusk\Resource\ResourceObject;

/** The text of a rendered document. */
final class Json
{
    /**
     * What is no UTF-8 is looked for only when there is no text: parameters may be any bytes as long as nobody has to write them.
     *
     * @throws BadRequestException the resource was asked for with bytes that are no UTF-8
     * @throws \JsonException      the application's own values cannot be written
     */
    public static function of(ResourceObject $resource, mixed $document, int $flags): string
    {
        try {
            return json_encode($document, JSON_THROW_ON_ERROR | $flags);
        } catch (\JsonException $e) {
            $uri = $resource->uri();
            throw $e->getCode() === JSON_ERROR_UTF8 && $uri !== null && !self::isText([$uri->path => $uri->query]) ? BadRequestException::bytes($e) : $e;
        }
    }

    private static function isText(mixed $value): bool
    {
        if (\is_array($value)) {
            foreach ($value as $key => $member) {
                if (!self::isText($key) || !self::isText($member)) {
                    return false;
                }
            }
        }

        return !\is_string($value) || preg_match('//u', $value) === 1;
    }
}
