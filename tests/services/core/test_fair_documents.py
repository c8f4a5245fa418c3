"""Documents of one client take turns; another client's documents do not wait for them."""

import asyncio

import pytest
from pydantic import JsonValue

from domain.core.document import LARGE_DOCUMENT, Document, DocumentKind
from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from services.core.fair_documents import FairDocuments

FLOOD, OTHER = TenantId("01AAAAAAAAAAAAAAAAAAAAAAAA"), TenantId("01BBBBBBBBBBBBBBBBBBBBBBBB")
LARGE = Document(DocumentKind.PLAYBOOK, "x" * (LARGE_DOCUMENT + 1))
SMALL = Document(DocumentKind.PLAYBOOK, "x")


class Held:
    """A parser that blocks until it is released."""

    def __init__(self) -> None:
        self.started = 0
        self.go_on = asyncio.Event()

    async def read(self, document: Document) -> JsonValue:
        self.started += 1
        if document.is_large:
            await self.go_on.wait()
        return document.text


async def test_one_of_a_client_at_a_time() -> None:
    reader = Held()
    documents = FairDocuments(reader)
    flood = [asyncio.create_task(documents.read(FLOOD, LARGE)) for _ in range(6)]
    for _ in range(10):
        await asyncio.sleep(0)
    assert reader.started == 1

    assert await documents.read(OTHER, SMALL) == SMALL.text
    assert await documents.read(FLOOD, SMALL) == SMALL.text
    other = asyncio.create_task(documents.read(OTHER, LARGE))
    for _ in range(10):
        await asyncio.sleep(0)
    assert reader.started == 4  # the flood's first, two small ones, the other client's

    reader.go_on.set()
    assert await asyncio.gather(*flood, other) == [LARGE.text] * 7


async def test_too_many_of_one_client_are_refused_and_no_other() -> None:
    reader = Held()
    documents = FairDocuments(reader, most_of_one=2)
    flood = [asyncio.create_task(documents.read(FLOOD, LARGE)) for _ in range(2)]
    await asyncio.sleep(0)

    with pytest.raises(CallerBusy):
        await documents.read(FLOOD, LARGE)
    other = asyncio.create_task(documents.read(OTHER, LARGE))
    reader.go_on.set()

    assert await asyncio.gather(*flood, other) == [LARGE.text] * 3


async def test_an_import_of_another_kind_takes_the_same_turn() -> None:
    reader = Held()
    documents = FairDocuments(reader)
    async with documents.admitted(FLOOD):
        reading = asyncio.create_task(documents.read(FLOOD, LARGE))
        for _ in range(10):
            await asyncio.sleep(0)
        assert reader.started == 0
    reader.go_on.set()
    assert await reading == LARGE.text
