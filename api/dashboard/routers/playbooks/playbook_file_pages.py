"""/app/playbooks/file and /app/playbooks/import: export and import of all playbooks as one YAML
file."""

import asyncio
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.playbook_form import PLAYBOOKS, PlacedProblem, placed
from api.dashboard.post import ManagersPost
from api.dashboard.typed import kept_fields
from api.documents import read_yaml_document
from api.http.json_body import YAML
from domain.core.comparable import DiffBudget
from domain.core.document import DocumentKind
from domain.core.errors import DomainError
from domain.playbooks.errors import InvalidPlaybook
from domain.playbooks.file import diff, playbooks_in, write_playbooks
from domain.playbooks.merge import PlaybookChange, compare
from domain.playbooks.playbook import PlaybookEntry, PlaybookSpec
from domain.tenants.actor import MANAGERS, OWNERS
from services.dashboard.forms import keep_draft, standing_in
from services.playbooks.playbooks import import_playbooks
from services.playbooks.publish_gate import Publication
from store.playbooks.playbooks import PlaybookRepository

router = APIRouter(include_in_schema=False)

_IMPORT: Final = f"{PLAYBOOKS}/import"
_HEAD_LINES: Final = 2


@dataclass(frozen=True, slots=True)
class Previewed:
    """The effect of a playbook file on one playbook, with the lines that change. `lines`: None if
    the page does not show the lines, because comparing all playbooks would take too long."""

    change: PlaybookChange
    lines: tuple[str, ...] | None


@router.get(f"{PLAYBOOKS}/file")
async def export(page: AnyonesPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await PlaybookRepository(connection, page.tenant).all()
    headers = {
        "content-disposition": "attachment; filename=playbooks.yaml",
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff",
    }
    text = await asyncio.to_thread(write_playbooks, [one.spec for one in found])
    return Response(text, media_type=YAML, headers=headers)


@router.get(_IMPORT)
async def preview(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    """Show a preview of the changes that the file in the draft would make."""
    typed = await page.typed(_IMPORT, {"file": ""})
    async with page.resources.database.reading(page.tenant) as connection:
        entries = await PlaybookRepository(connection, page.tenant).all()
    changes: tuple[Previewed, ...] = ()
    problems: tuple[PlacedProblem, ...] = ()
    text = typed["file"].replace("\r\n", "\n")
    if text:
        try:
            specs = await _specs(page, text)
            # In a thread because comparing all playbooks of a file may take tenths of a second.
            changes = await asyncio.to_thread(_previewed, page, entries, specs)
        except InvalidPlaybook as error:
            problems = await placed(page, error, text)
        except DomainError as error:
            problems = (PlacedProblem("", str(error)),)
    return page.render(
        "playbooks/import.html",
        typed=typed,
        form=_IMPORT,
        changes=changes,
        problems=problems,
        seen=_seen(entries),
        may_override=page.may(OWNERS),
    )


@router.post(_IMPORT)
async def bring_in(post: ManagersPost) -> Response:
    page = post.page
    if post.text("do") != "import":
        async with post.working(_IMPORT) as work:
            await keep_draft(work, page.visit.user.id, post.form, kept_fields(post.fields))
        return post.done(_IMPORT)
    specs = await _specs(page, post.text("file"))
    publication = Publication.of(page.resources.model, post.text("override").strip() or None)
    async with post.working(PLAYBOOKS) as work:
        there = await PlaybookRepository(standing_in(work), page.tenant).all()
        post.check_seen(_seen(there))
        done = await import_playbooks(work, page.actor, specs, publication)
    return post.done(PLAYBOOKS, "playbooks.imported", count=str(len(done)))


async def _specs(page: Page, text: str) -> tuple[PlaybookSpec, ...]:
    """Return the playbooks in a file. Raises InvalidPlaybook, DocumentTooCostly, CallerBusy."""
    kind = DocumentKind.PLAYBOOK_FILE
    return playbooks_in(await read_yaml_document(page.resources, page.tenant, kind, text.encode()))


def _previewed(
    page: Page, entries: tuple[PlaybookEntry, ...], specs: tuple[PlaybookSpec, ...]
) -> tuple[Previewed, ...]:
    """Return the effect of the file on each playbook. Raises PlaybookNameTaken."""
    by_id = {one.playbook.id: one for one in entries}
    budget = DiffBudget()
    return tuple(
        Previewed(one, _changed_lines(by_id.get(one.entry.playbook.id), one.entry, budget))
        for one in compare(entries, specs, page.resources.new_id)
    )


def _changed_lines(
    before: PlaybookEntry | None, after: PlaybookEntry, budget: DiffBudget
) -> tuple[str, ...] | None:
    """Return the lines of the diff. Return None if the budget is used up."""
    if before is None or before.spec == after.spec:
        return ()
    if budget.is_used_up:
        return None
    return tuple(diff(before.spec, after.spec, budget).splitlines()[_HEAD_LINES:])


def _seen(entries: Iterable[PlaybookEntry]) -> str:
    """Return a digest of each playbook's version and active state. The import is rejected if the
    digest has changed since the preview."""
    there = [(one.playbook.id, one.playbook.version, one.is_active) for one in entries]
    return hashlib.sha256(repr(there).encode()).hexdigest()[:16]
