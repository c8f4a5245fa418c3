"""/app/knowledge/import: import of knowledge from a file, with a preview."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import Post, Posted
from api.dashboard.typed import SEEN, Typed
from api.documents import read_knowledge
from domain.agent.brain import Language
from domain.content.knowledge_file import (
    MAX_FILE_CHARS,
    MAX_IMPORTED,
    FileForm,
    ImportPlan,
    KnowledgeFile,
)
from domain.tenants.actor import MANAGERS
from services.content.knowledge_import import import_knowledge, planned_import
from services.dashboard.forms import standing_in

_IMPORT: Final = "/app/knowledge/import"
_BLANK: Final = {"text": "", "form": FileForm.CSV.value, "language": "fr"}

router = APIRouter(include_in_schema=False)
FilePost = Annotated[Post, Depends(Posted(MANAGERS, files=True))]


class _FileFields(BaseModel):
    model_config = ConfigDict(frozen=True)

    text: str
    form: FileForm
    language: Language


@router.get(_IMPORT)
async def form(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    typed = await page.typed(_IMPORT, {**_BLANK, "language": page.language})
    return _form(page, replace(typed, fields=_with_file(typed.fields)), None)


@router.post(_IMPORT)
async def send(post: FilePost) -> Response:
    """Show a preview of the import, or import the file if the user has confirmed the preview."""
    page = post.page
    read = await read_knowledge(page.resources, page.tenant, _file(post))
    if not post.ticked(SEEN):
        async with page.resources.database.reading(page.tenant) as connection:
            plan = await planned_import(connection, page.tenant, read)
        return _form(page, Typed(_with_file(post.fields), None), plan)
    async with post.working("/app/knowledge") as work:
        post.check_seen((await planned_import(standing_in(work), page.tenant, read)).version)
        done = await import_knowledge(work, page.actor, read)
    added, changed = str(len(done.new)), str(len(done.changed))
    return post.done("/app/knowledge", "content.imported", added=added, changed=changed)


def _form(page: Page, typed: Typed, plan: ImportPlan | None) -> Response:
    return page.render(
        "content/import.html",
        typed=typed,
        plan=plan,
        form=_IMPORT,
        most=MAX_IMPORTED,
        most_chars=MAX_FILE_CHARS,
    )


def _with_file(fields: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields with the uploaded file's text in the `text` field. The confirmation form
    can then submit the text again without the file."""
    return {**fields, "text": fields.get("file") or fields.get("text", "")}


def _file(post: Post) -> KnowledgeFile:
    text, form, language = post.text("file"), post.text("form"), post.text("language")
    fields = post.body(_FileFields, text=text or post.text("text"), form=form, language=language)
    return KnowledgeFile(fields.text, fields.form, fields.language)
