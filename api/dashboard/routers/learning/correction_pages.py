"""/app/corrections: human reviewers' edits to drafts, from which the agent learns."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import Post, Posted, version_of
from api.route import PathId
from api.schemas.core.client_query import PageQuery, cursor_after
from api.schemas.learning.correction import AcceptCorrectionBody, CorrectionQuery
from domain.content.content import language_of
from domain.content.suggestion import SuggestedEntry
from domain.core.errors import InvalidBody
from domain.learning.correction import (
    ContentLesson,
    Correction,
    CorrectionLesson,
    CorrectionState,
    KnowledgeRevision,
    TemplateRevision,
)
from domain.learning.errors import CorrectionNotFound, ExampleNotFound
from domain.tenants.actor import ANYONE, MANAGERS
from services.dashboard.forms import standing_in
from services.learning.correction_reading import read_correction
from services.learning.corrections import accept_correction, dismiss_correction
from services.learning.labelled_examples import delete_example
from store.learning.corrections import CorrectionRepository, client_of_correction
from store.learning.labelled_examples import LabelledExampleRepository, client_of_example
from store.learning.own_heads import OwnHeadRepository

_LIST: Final = "/app/corrections"
_CORRECTION: Final = f"{_LIST}/{{correction_id}}"
_EXAMPLES: Final = "/app/examples"
_ID: Final = PathId("correction_id", "correction", CorrectionNotFound)
_EXAMPLE_ID: Final = PathId("example_id", "labelled example", ExampleNotFound)

router = APIRouter(include_in_schema=False)
CorrectionPost = Annotated[Post, Depends(Posted(MANAGERS, _ID, client_of_correction))]


@router.get(_LIST)
async def corrections(page: AnyonesPage) -> Response:
    query = page.query(CorrectionQuery)
    state = query.state or CorrectionState.OPEN
    async with page.resources.database.reading(page.tenant) as connection:
        found = await CorrectionRepository(connection, page.tenant).page(
            state=state, after=query.cursor, limit=query.limit + 1
        )
    return page.render(
        "learning/corrections.html",
        corrections=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        state=state.value,
    )


@router.get(_CORRECTION)
async def correction(
    page: Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of_correction))],
) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_correction(connection, page.tenant, page.record_id)
    form = f"{_LIST}/{found.id}/accept"
    return page.render(
        "learning/correction.html",
        correction=found,
        form=form,
        seen=version_of(found),
        typed=await page.typed(form, _defaults(found)),
        may_decide=page.may(MANAGERS) and found.state is CorrectionState.OPEN,
    )


@router.post(f"{_CORRECTION}/accept")
async def accept(post: CorrectionPost) -> Response:
    """Accept a correction: store the example and, if the user has checked their boxes, the case and
    the content."""
    page = post.page
    body = post.body(
        AcceptCorrectionBody,
        classification=post.text("classification"),
        intent=post.text("intent") or None,
    )
    async with post.working(_LIST) as work:
        there = await read_correction(standing_in(work), page.tenant, page.record_id)
        if there.state is CorrectionState.OPEN:
            post.check_seen(version_of(there))
        lesson = CorrectionLesson(
            classification=body.classification,
            intent=body.intent,
            case=there.offers.case if post.ticked("case") else None,
            content=_content(post, there) if post.ticked("content") else None,
        )
        await accept_correction(work, page.actor, page.record_id, lesson)
    return post.done(_LIST, "learning.accepted")


@router.post(f"{_CORRECTION}/dismiss")
async def dismiss(post: CorrectionPost) -> Response:
    async with post.working(_LIST) as work:
        await dismiss_correction(work, post.page.actor, post.page.record_id)
    return post.done(_LIST, "learning.dismissed")


@router.get(_EXAMPLES)
async def examples(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await LabelledExampleRepository(connection, page.tenant).page(
            after=query.cursor, limit=query.limit + 1
        )
        heads = await OwnHeadRepository(connection, page.tenant).versions()
    return page.render(
        "learning/examples.html",
        head=heads[0] if heads else None,
        examples=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_delete=page.may(MANAGERS),
    )


@router.post(f"{_EXAMPLES}/{{example_id}}/delete")
async def delete(
    post: Annotated[Post, Depends(Posted(MANAGERS, _EXAMPLE_ID, client_of_example))],
) -> Response:
    async with post.working(_EXAMPLES) as work:
        await delete_example(work, post.page.actor, post.page.record_id)
    return post.done(_EXAMPLES, "learning.example_deleted")


def _defaults(found: Correction) -> dict[str, str]:
    title, text = "", ""
    match found.offers.content:
        case SuggestedEntry(title=title, body=text):
            pass
        case TemplateRevision(change=change):
            text = change.body or ""
        case KnowledgeRevision(change=change):
            text = change.body or ""
        case _:
            pass
    return {
        "classification": "",
        "intent": "",
        "case": "",
        "content": "",
        "title": title,
        "body": text,
    }


def _content(post: Post, there: Correction) -> ContentLesson:
    """Return the suggested content with the user's edits. Raises InvalidBody if an edit is
    invalid."""
    given: dict[str, object] = {}
    match there.offers.content:
        case SuggestedEntry(language=language):
            title, words = post.text("title"), post.text("body")
            given = {"kind": "knowledge", "title": title, "body": words}
            given["language"] = language_of((title, words), language)
        case TemplateRevision(template_id=template_id):
            given = {"kind": "template_change", "template_id": template_id}
            given["change"] = {"body": post.text("body")}
        case KnowledgeRevision(knowledge_id=knowledge_id):
            given = {"kind": "knowledge_change", "knowledge_id": knowledge_id}
            given["change"] = {"body": post.text("body")}
        case _:
            raise InvalidBody("champ « content »")
    body = post.body(
        AcceptCorrectionBody, classification=post.text("classification"), content=given
    )
    lesson = body.lesson.content
    if lesson is None:
        raise InvalidBody("champ « content »")
    return lesson
