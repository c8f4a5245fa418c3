"""The reply form: its initial text, and the templates that a member can insert."""

from dataclasses import dataclass

from api.dashboard.macros import MacroList, MacroQuery, macro_of, macros_of
from api.dashboard.page import Page
from api.dashboard.typed import Typed
from domain.agent.macro import gaps_in
from domain.dashboard.draft import Draft
from domain.intake.attachment import Attachment
from store.reviews.replies import LatestMessage, ReplyRepository
from store.reviews.reply_files import ReplyFileRepository


@dataclass(frozen=True, slots=True)
class Composer:
    """The reply form. `is_prefilled` means that the text is the agent's draft. `macros` are the
    templates to insert. `gaps` are placeholders for the member to replace. `files` are the uploads
    to attach."""

    reply: Typed
    is_prefilled: bool = False
    macros: MacroList | None = None
    gaps: tuple[str, ...] = ()
    files: tuple[Attachment, ...] = ()


async def composer_of(
    page: Page,
    answered: LatestMessage | None,
    draft: Draft | None,
    query: MacroQuery,
    language: str | None,
) -> Composer:
    """Return a conversation's reply form.

    Its text is the member's unsent draft, else the draft of an open review. The query's template
    is appended. `language`: the customer's, or None if unknown. Raises ContentNotFound.
    """
    typed = Typed.of({"text": ""}, draft)
    if answered is None:
        return Composer(typed)
    async with page.resources.database.reading(page.tenant) as connection:
        unsent = ReplyFileRepository(connection, page.tenant)
        files = await unsent.unsent(page.record_id, page.actor.name)
        if draft is None:
            written = await ReplyRepository(connection, page.tenant).open_draft(page.record_id)
            typed = Typed({"text": written}, None)
    macros = await macros_of(page, answered.event_id, language, query.macro)
    is_prefilled = draft is None and bool(typed["text"])
    if query.template is None:
        return Composer(typed, is_prefilled, macros, gaps_in(typed["text"]), files)
    filled = await macro_of(page, answered.event_id, query.template)
    text = "\n\n".join(filter(None, (typed["text"].rstrip(), filled.text)))
    return Composer(Typed({"text": text}, draft), is_prefilled, macros, filled.missing, files)
