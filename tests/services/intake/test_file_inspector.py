"""Files of one client are inspected one at a time, outside the shared threads."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from domain.core.attached_file import AttachedFile
from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from domain.intake.attachment_type import Inspected, inspect
from services.intake import file_inspector
from services.intake.file_inspector import FileInspector
from tests.support.intake.attachments import PHOTO

ONE, OTHER = TenantId("one"), TenantId("other")


async def test_one_clients_files_delay_no_other_work(monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()
    names: list[str] = []

    def slow(files: Sequence[AttachedFile]) -> tuple[Inspected, ...]:
        names.append(threading.current_thread().name)
        if files[0].name == "slow":
            free.wait(10)
        return inspect(files)

    monkeypatch.setattr(file_inspector, "inspect", slow)
    files = FileInspector(patience_s=5, most_of_one=4, most=16)
    held = AttachedFile("slow", PHOTO.claimed_type, PHOTO.data)
    waiting = [asyncio.create_task(files.inspect(ONE, (held,))) for _ in range(4)]
    try:
        await asyncio.sleep(0.05)
        async with asyncio.timeout(2):
            assert (await files.inspect(OTHER, (PHOTO,)))[0].refusal is None
        with pytest.raises(CallerBusy):
            await files.inspect(ONE, (PHOTO,))
        assert len(names) == 2, "one of the client's four callers, and the other client"
        assert all(name.startswith("files") for name in names)
    finally:
        free.set()
    assert len(await asyncio.gather(*waiting)) == 4
    files.close()
