"""A real LibreOffice opens the CSV of an export: the same rows, and no evaluated formula."""

from datetime import UTC, datetime

import pytest
from openpyxl.cell.cell import Cell

from domain.exports.export import Section
from store.core.database import Database
from store.exports.section_source import CellKind
from store.exports.sections import SOURCES
from tests.support.core.postgres import as_owner
from tests.support.exports.spreadsheet import (
    AWKWARD,
    opened,
    owner_connection,
    parts,
    plant,
    shown,
    soffice,
    written,
)
from tests.support.tenants.full_tenant import fill_every_table
from tests.support.tenants.shop import Shop

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        soffice() is None, reason="soffice is not installed: sh scripts/system_packages.sh"
    ),
]

# Without the protection, LibreOffice evaluates it, which shows that the test works.
BARE_FORMULA = b'"=1+1"\r\n'


@pytest.fixture
async def file(database: Database, shop: Shop, database_url: str) -> bytes:
    await fill_every_table(database, shop)
    with owner_connection(as_owner(database_url)) as connection:
        plant(connection, shop.client_id, AWKWARD, {"=1+1": AWKWARD}, -1.5e-07, datetime.now(UTC))
        return written(connection, shop.client_id)


def test_its_rows_are_ours(file: bytes) -> None:
    cells = opened(file, text_quoted=True)

    at = iter(cells)
    for part, section in zip(parts(file), Section, strict=True):
        kinds = [column.kind for column in SOURCES[section].columns]
        assert shown(next(at)[0]) == f"## {part.name} ({part.count})"
        assert tuple(shown(cell) for cell in next(at)[: len(kinds)]) == part.header
        for row in part.rows:
            for kind, ours, theirs in zip(kinds, row, next(at), strict=False):
                assert_same(kind, ours, theirs)
    assert next(at, None) is None


def assert_same(kind: CellKind, ours: str | None, theirs: Cell) -> None:
    assert theirs.data_type not in {"f", "e"}
    match kind:
        case _ if not ours:
            assert theirs.value is None
        case CellKind.NUMBER:
            assert theirs.data_type == "n"
            assert float(theirs.value) == pytest.approx(float(ours), rel=1e-14)
        case CellKind.BOOLEAN:
            assert theirs.value is (ours == "true")
        case _:
            # A spreadsheet has one kind of line break.
            assert shown(theirs) == ours.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("separator", [",", ";"])
def test_nothing_is_a_formula_even_if_quotes_mean_nothing_to_it(
    file: bytes, separator: str
) -> None:
    """A French spreadsheet uses the semicolon as its separator."""
    shown_rows = opened(file + BARE_FORMULA, text_quoted=False, separator=separator)
    cells = [cell for row in shown_rows for cell in row]

    reckoned = [cell for cell in cells if cell.data_type in {"f", "e"}]
    assert [cell.value for cell in reckoned] == ["=1+1"]
    assert reckoned[0].row == max(cell.row for cell in cells)
