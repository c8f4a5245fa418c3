"""The reply form: its initial text, and the templates that a member can insert."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from api.dashboard.macros import macro_of
from api.dashboard.page import Page
from api.dashboard.typed import Typed
from domain.agent.macro import gaps_in
from domain.dashboard.draft import Draft
from domain.intake.attachment import Attachment
from store.content.content_changes import ContentChanges
from store.reviews.replies import LatestMessage, ReplyRepository
from store.reviews.reply_files import ReplyFileRepository

_TEMPLATES: Final = 200


@dataclass(frozen=True, slots=True)
class Composer:
    """The reply form. `is_prefilled` means that the text is the agent's draft. `templates` are ids
    and names by language, with the customer's language first. `gaps` are placeholders for the
    member to replace. `files` are the uploads to attach."""

    reply: Typed
    is_prefilled: bool = False
    templates: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()
    files: tuple[Attachment, ...] = ()


async def composer_of(
    page: Page,
    answered: LatestMessage | None,
    draft: Draft | None,
    template_id: str | None,
    language: str | None,
) -> Composer:
    """Return a conversation's reply form.

    Its text is the member's unsent draft, else the draft of an open review. `template_id` is
    appended, unless None. `language`: the customer's, or None if unknown. Raises ContentNotFound.
    """
    typed = Typed.of({"text": ""}, draft)
    if answered is None:
        return Composer(typed)
    async with page.resources.database.reading(page.tenant) as connection:
        unsent = ReplyFileRepository(connection, page.tenant)
        files = await unsent.unsent(page.record_id, page.actor.name)
        names = await ContentChanges(connection, page.tenant).template_names(_TEMPLATES)
        if draft is None:
            written = await ReplyRepository(connection, page.tenant).open_draft(page.record_id)
            typed = Typed({"text": written}, None)
    templates = _by_language(names, language or page.language)
    is_prefilled = draft is None and bool(typed["text"])
    if template_id is None:
        return Composer(typed, is_prefilled, templates, gaps_in(typed["text"]), files)
    filled = await macro_of(page, answered.event_id, template_id)
    text = "\n\n".join(filter(None, (typed["text"].rstrip(), filled.text)))
    return Composer(Typed({"text": text}, draft), is_prefilled, templates, filled.missing, files)


def _by_language(
    names: Sequence[tuple[str, str, str]], first: str
) -> dict[str, list[tuple[str, str]]]:
    """Return the ids and names by language. The language `first` precedes the others."""
    found: dict[str, list[tuple[str, str]]] = {}
    for template_id, name, language in sorted(names, key=lambda one: (one[2] != first, one[2])):
        found.setdefault(language, []).append((template_id, name))
    return found
