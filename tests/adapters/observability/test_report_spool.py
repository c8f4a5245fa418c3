"""Error reports on disk: damage by a system crash, and an unwritable disk."""

from pathlib import Path

import pytest

from adapters.observability.report_spool import ReportSpool
from adapters.system import new_ulid, utc_now
from domain.core.error_report import ErrorReport
from domain.core.errors import InvalidInput


def report(place: str) -> ErrorReport:
    return ErrorReport(place=place, code="internal_error", created_at=utc_now())


def test_a_report_that_a_crash_of_the_machine_cut_off(tmp_path: Path) -> None:
    """The damaged report is skipped, and does not use another report's space."""
    ended, damaged, whole = ReportSpool(tmp_path, new_ulid()), new_ulid(), new_ulid()
    for report_id in (damaged, whole):
        ended.add(report_id, report(report_id))
    ended.count(whole, 7)
    file = ended._file(damaged)
    file.write_bytes(file.read_bytes()[:40])
    ended.close()

    spool = ReportSpool(tmp_path, new_ulid())
    ((report_id, found),) = spool.adopt()

    assert (report_id, found.place, found.occurrences) == (whole, whole, 7)
    assert [*spool.adopt()] == []
    spool.close()


def test_a_spool_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match=r"ERROR_SPOOL: .*file cannot be written"):
        ReportSpool(tmp_path / "file", new_ulid())
