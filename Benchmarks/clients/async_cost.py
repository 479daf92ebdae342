"""async_cost.py CALLS COMMAND…: does the same as cost.py with the client for asyncio."""
import asyncio
import sys

from mambridge.aio import AsyncClient


async def main(calls: int) -> None:
    async with AsyncClient.spawn(*sys.argv[2:]) as client:
        for part in (1, calls, calls):
            for _ in range(part):
                answer = await client.version_info.sdk_version()
            print(answer, flush=True)


asyncio.run(main(int(sys.argv[1])))
