"""Echo client on python3-websockets: the URL is the first argument."""
import asyncio
import sys

import websockets


async def main():
    try:
        async with websockets.connect(sys.argv[1], max_size=32 << 20, compression="deflate") as socket:
            async for message in socket:
                await socket.send(message)
    except (websockets.WebSocketException, OSError):
        pass


asyncio.run(main())
