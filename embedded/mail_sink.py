"""A mail server that stores each received email as a file, and sends nothing to other machines."""

import argparse
import asyncio
import signal
import socket
from pathlib import Path
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session
from ulid import ULID

from adapters.system import utc_now
from embedded.kept_mails import prune

_PRUNE_EVERY: Final = 50


class FolderHandler:
    """A handler that stores each received email in `folder` as `<ulid>.eml`. Each file is written
    atomically."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept = 0
        prune(folder, utc_now())

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        content = envelope.content
        name = str(ULID())
        partial = self._folder / f".{name}"
        partial.write_bytes(content.encode() if isinstance(content, str) else content or b"")
        partial.rename(self._folder / f"{name}.eml")
        self._kept += 1
        if self._kept % _PRUNE_EVERY == 0:
            prune(self._folder, utc_now())
        return "250 kept"


async def serve(folder: Path, listener: socket.socket) -> None:
    """Run the mail server until SIGTERM or SIGINT."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    handler = FolderHandler(folder)
    server = await loop.create_server(lambda: SMTP(handler), sock=listener)
    async with server:
        await stop.wait()


def main() -> None:
    """Store the emails that arrive at an inherited socket in a folder, until the process is
    killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument(
        "--fd", type=int, required=True, help=("File descriptor of an inherited listening socket.")
    )
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(serve(arguments.folder, socket.socket(fileno=arguments.fd)))


if __name__ == "__main__":
    main()
