<?php

declare(strict_types=1);

namespace Tusk\Bridge\Psr;

use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Message\StreamInterface;
use Psr\Http\Message\UploadedFileInterface;
use Tusk\Http\UploadedFile;

/**
 * A file of a form for PSR-7. Its bytes are in memory and have no path, which uploaded files of some libraries cannot do without.
 *
 * @internal
 */
final class Upload implements UploadedFileInterface
{
    private ?StreamInterface $stream = null;
    private bool $moved = false;

    public function __construct(private readonly UploadedFile $file, private readonly StreamFactoryInterface $streams) {}

    public function getStream(): StreamInterface
    {
        return $this->moved
            ? throw new \RuntimeException('The uploaded file was moved')
            : $this->stream ??= $this->streams->createStreamFromResource($this->file->stream());
    }

    public function moveTo($targetPath): void
    {
        if ($this->moved) {
            throw new \RuntimeException('The uploaded file was moved already');
        }
        if ($targetPath === '') {
            throw new \InvalidArgumentException('A path to move to must be a string that is not empty');
        }
        $to = @fopen($targetPath, 'wb');
        if ($to === false) {
            throw new \RuntimeException("The uploaded file cannot be moved to $targetPath: " . (error_get_last()['message'] ?? ''));
        }
        $copied = @stream_copy_to_stream($this->file->stream(), $to);
        if (!fclose($to) || $copied !== $this->file->size) {
            throw new \RuntimeException("The uploaded file cannot be written to $targetPath whole");
        }
        $this->stream?->close();
        $this->moved = true;
    }

    public function getSize(): int
    {
        return $this->file->size;
    }

    public function getError(): int
    {
        return UPLOAD_ERR_OK;
    }

    public function getClientFilename(): string
    {
        return $this->file->name;
    }

    public function getClientMediaType(): string
    {
        return $this->file->type;
    }
}
