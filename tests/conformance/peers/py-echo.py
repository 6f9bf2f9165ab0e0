"""Echo server on python3-websockets: the port is the first argument."""
import asyncio
import sys

import websockets


async def echo(socket, path=None):
    try:
        async for message in socket:
            await socket.send(message)
    except websockets.ConnectionClosed:
        pass


async def main():
    async with websockets.serve(echo, "127.0.0.1", int(sys.argv[1]), max_size=32 << 20, compression="deflate"):
        await asyncio.Future()


asyncio.run(main())
