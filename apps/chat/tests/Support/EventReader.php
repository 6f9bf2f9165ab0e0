<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Tests\Support;

/** Reads an event stream as a script would: blocks of lines, with a deadline. */
final class EventReader
{
    public readonly int $status;

    public readonly string $head;

    public string $lastId = '';

    private string $bytes = '';

    private string $seen = '';

    /** @param resource $socket */
    public function __construct(private $socket)
    {
        stream_set_timeout($socket, 20);
        $this->head = $this->take("\r\n\r\n");
        $this->status = (int) substr($this->head, 9, 3);
    }

    /**
     * The next event that carries data.
     *
     * @return array{event: string, id: string|null, data: string}
     */
    public function next(): array
    {
        while (true) {
            $fields = ['event' => 'message', 'id' => null, 'data' => null];
            // Chunk sizes are lines of their own between events; no field looks like one.
            foreach (explode("\n", str_replace("\r", '', $this->take("\n\n"))) as $line) {
                if (preg_match('/^(event|id|data): ?(.*)$/sD', $line, $m) === 1) {
                    $fields[$m[1]] = $m[1] === 'data' && $fields['data'] !== null ? "{$fields['data']}\n{$m[2]}" : $m[2];
                }
            }
            $this->lastId = $fields['id'] ?? $this->lastId;
            if ($fields['data'] !== null) {
                return $fields;
            }
        }
    }

    /**
     * The next event of a type.
     *
     * @return array<string, mixed>
     */
    public function nextOf(string $type): array
    {
        while (($event = $this->next())['event'] !== $type) {
            continue;
        }
        /** @var array<string, mixed> */
        return json_decode($event['data'], true, 16, JSON_THROW_ON_ERROR);
    }

    /** The next text that somebody said. */
    public function nextText(): string
    {
        while (($message = $this->nextOf('message'))['kind'] !== 'text') {
            continue;
        }
        return is_string($message['text']) ? $message['text'] : '';
    }

    /** Everything that has come so far, as it came. */
    public function raw(): string
    {
        return $this->seen;
    }

    public function close(): void
    {
        fclose($this->socket);
    }

    private function take(string $end): string
    {
        while (($at = strpos($this->bytes, $end)) === false) {
            $read = fread($this->socket, 65536);
            if ($read === false || $read === '') {
                throw new \RuntimeException("The stream ended or was silent; left: {$this->bytes}");
            }
            $this->bytes .= $read;
        }
        $taken = substr($this->bytes, 0, $at);
        $this->seen .= $taken . $end;
        $this->bytes = substr($this->bytes, $at + strlen($end));
        return $taken;
    }
}
