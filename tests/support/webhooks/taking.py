"""A webhook worker that acquires slots, says so, and holds them until it is killed."""

import asyncio
import sys

from store.webhooks.places import SharedPlaces


async def _main(url: str, client_id: str, webhook_id: str) -> None:
    places = SharedPlaces(url)
    taken = 0
    while await places.take(client_id, webhook_id) is not None:
        taken += 1
    sys.stdout.write(f"{taken}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
