"""Large documents are parsed in processes that can be killed."""

from collections.abc import AsyncIterator

import pytest

from adapters.documents.document_pool import DocumentPool
from adapters.documents.document_reading import read_inline
from domain.core.document import LARGE_DOCUMENT, Document, DocumentKind
from domain.core.errors import DocumentRefused, DocumentTooCostly
from tests.support.core.hostile_yaml import SHAPES

CASES = "version: 1\ncases:\n" + "".join(
    f"  - {{name: Case {n}, scenario: {{messages: [{{text: Order {n}?}}]}}, expected: {{}}}}\n"
    for n in range(100)
)
KNOWLEDGE = "title,body\n" + "".join(f"Title {n},Text {n}\n" for n in range(300))


@pytest.fixture
async def pool() -> AsyncIterator[DocumentPool]:
    pool = DocumentPool()
    yield pool
    await pool.close()


def pids(pool: DocumentPool) -> list[int]:
    """Return the ids of its idle processes."""
    return [process.pid for process in pool._processes._idle]


@pytest.mark.parametrize(
    "document",
    [
        Document(DocumentKind.CASE_FILE, CASES),
        Document(DocumentKind.KNOWLEDGE, KNOWLEDGE, options={"form": "csv", "language": "en"}),
        Document(DocumentKind.PLACES, CASES, options={"cases[3].name": "", "absent": ""}),
    ],
)
async def test_it_is_the_same_in_a_process(pool: DocumentPool, document: Document) -> None:
    assert document.is_large

    assert await pool.read(document) == read_inline(document)
    assert len(pids(pool)) == 1


async def test_no_process_for_a_small_one(pool: DocumentPool) -> None:
    text = "version: 1\nplaybooks: []\n# " + "x" * LARGE_DOCUMENT
    small = Document(DocumentKind.PLAYBOOK_FILE, text[:LARGE_DOCUMENT])

    assert await pool.read(small) == {"version": 1, "playbooks": []}
    assert not pids(pool)


async def test_problems_come_from_the_process(pool: DocumentPool) -> None:
    wrong = CASES.replace("Case 7,", "'',")

    with pytest.raises(DocumentRefused) as refused:
        await pool.read(Document(DocumentKind.CASE_FILE, wrong))

    assert [one.partition(":")[0] for one in refused.value.problems] == ["cases[7].name"]


async def test_one_that_takes_too_long_ends_its_process_and_no_other(pool: DocumentPool) -> None:
    """The process is killed even inside a library; the next document gets a new process."""
    hasty = DocumentPool(cpu_s=0.0001)
    with pytest.raises(DocumentTooCostly):
        await hasty.read(Document(DocumentKind.CASE_FILE, "[" + "1," * 40_000 + "]"))

    assert pids(hasty) == []
    await hasty.close()
    assert await pool.read(Document(DocumentKind.CASE_FILE, CASES))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [DocumentKind.CASE_FILE, DocumentKind.PLAYBOOK])
async def test_hostile_documents_of_full_size(pool: DocumentPool, kind: DocumentKind) -> None:
    """No document exceeds the time limit that kills its process."""
    await pool.read(Document(DocumentKind.CASE_FILE, CASES))
    before = pids(pool)

    for shape, text in SHAPES.items():
        with pytest.raises(DocumentRefused):
            await pool.read(Document(kind, text(1_000_000)))
        assert pids(pool) == before, shape
