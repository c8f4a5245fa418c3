"""The form for a variant to test: a playbook, draft, threshold or brain."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from api.dashboard.page import Page
from api.dashboard.post import Post
from api.documents import read_yaml_document
from domain.core.document import DocumentKind
from domain.core.errors import InvalidBody
from domain.playbooks.playbook import PlaybookEntry
from store.playbooks.playbooks import PlaybookRepository

NO_VARIANT: Final[Mapping[str, str]] = {
    "playbook_id": "",
    "version": "",
    "threshold": "",
    "draft": "",
    "embedded_brain": "",
}


async def playbooks_of(page: Page) -> tuple[PlaybookEntry, ...]:
    """Return the client's playbooks, as options for the form's playbook field."""
    async with page.resources.database.reading(page.tenant) as connection:
        return await PlaybookRepository(connection, page.tenant).all()


async def variant_in(post: Post) -> dict[str, JsonValue]:
    """Return the entered variant in the format of the API's request body. Raises InvalidBody,
    InvalidPlaybook."""
    variant: dict[str, JsonValue] = {}
    if playbook_id := post.text("playbook_id"):
        variant["playbook_id"] = playbook_id
    if draft := post.text("draft").strip():
        variant["playbook"] = await read_yaml_document(
            post.page.resources, post.page.tenant, DocumentKind.PLAYBOOK, draft.encode()
        )
    if version := post.text("version").strip():
        variant["version"] = whole_number("version", version)
    if threshold := post.text("threshold").strip():
        try:
            variant["threshold"] = float(threshold.replace(",", "."))
        except ValueError:
            raise InvalidBody("champ « threshold »") from None
    if post.ticked("embedded_brain"):
        variant["embedded_brain"] = True
    return variant


def whole_number(name: str, text: str) -> int:
    """Return the integer in the text. Raises InvalidBody for the field `name` if the text is not an
    integer."""
    try:
        return int(text)
    except ValueError:
        raise InvalidBody(f"champ « {name} »") from None
