"""/app/conversations: a client's conversations. Members can filter the list, and change several
conversations at once."""

from datetime import datetime, timedelta
from typing import Annotated, Final, Literal

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.people import people_of
from api.dashboard.post import Post, ReviewersPost
from api.dashboard.routers.runs.writing_pages import SNOOZES
from api.schemas.core.client_query import ClientQuery
from api.schemas.runs.conversation import cursor_of_place, place_of
from domain.core.errors import InvalidBody
from domain.core.ids import ULID, parse_ulid
from domain.intake.event import Channel
from domain.runs.triage import MAX_TAG, ConversationStatus, TriageChange
from domain.tenants.actor import REVIEWERS
from domain.tenants.user import MAX_USER_ID
from services.reviews.triage import update_conversations
from store.runs.conversation_lists import ConversationLists, TalkFilter

_LIST: Final = "/app/conversations"
_SHOWN: Final = 40
# Empty filter fields are ignored. No user has this id.
_NO_ASSIGNEE: Final = "-"
_TEXT: Final = r"^[^\x00]*$"

router = APIRouter(include_in_schema=False)


class TalksQuery(ClientQuery):
    mood: Literal["unhappy"] | None = None
    held: Literal["taken"] | None = None
    waiting: Literal["unanswered"] | None = None
    channel: Channel | None = None
    status: ConversationStatus | None = None
    assignee: Annotated[str | None, Field(max_length=MAX_USER_ID, pattern=_TEXT)] = None
    tag: Annotated[str | None, Field(max_length=MAX_TAG, pattern=_TEXT)] = None
    cursor: Annotated[str | None, Field(pattern=rf"^\d{{1,17}}-{ULID.strip('^$')}$")] = None

    @property
    def wanted(self) -> TalkFilter:
        assignee = "" if self.assignee == _NO_ASSIGNEE else self.assignee
        return TalkFilter(
            unhappy=self.mood is not None,
            taken=self.held is not None,
            unanswered=self.waiting is not None,
            channel=self.channel,
            status=self.status,
            assignee=assignee,
            tag=None if self.tag is None else " ".join(self.tag.split()),
        )


@router.get(_LIST)
async def conversations(page: AnyonesPage) -> Response:
    query = page.query(TalksQuery)
    wanted = query.wanted
    async with page.resources.database.reading(page.tenant) as connection:
        found, behind = await ConversationLists(connection, page.tenant).page(
            wanted, after=place_of(query.cursor), limit=_SHOWN, now=page.resources.now()
        )
    return page.render(
        "runs/conversations.html",
        talks=found,
        cursor=cursor_of_place(behind) or "",
        filters=query,
        channels=list(Channel),
        statuses=list(ConversationStatus),
        no_assignee=_NO_ASSIGNEE,
        is_filtered=wanted.is_set,
        me=page.actor.name,
        people=await people_of(page),
        may_decide=page.may(REVIEWERS),
        snoozes=SNOOZES,
    )


@router.post(f"{_LIST}/several")
async def several(post: ReviewersPost) -> Response:
    """Close, open, snooze or assign all selected conversations. If the change fails for one
    conversation, no conversation changes."""
    chosen = [parse_ulid(one) or one for one in post.chosen("talk")]
    async with post.working(post.back) as work:
        change = _change(post, work.now)
        changed = await update_conversations(work, post.page.actor, chosen, change)
    return post.done(post.back, "runs.several_updated", count=str(len(changed)))


def _change(post: Post, now: datetime) -> TriageChange:
    """Return the change selected by the button in the `do` field. Raises InvalidBody for an unknown
    button or an unsupported number of days."""
    match post.text("do"):
        case "close":
            return TriageChange(ConversationStatus.CLOSED)
        case "open":
            return TriageChange(ConversationStatus.OPEN)
        case "assign":
            return TriageChange(assignee=post.text("assignee"))
        case "snooze" if post.text("days") in {str(days) for days in SNOOZES}:
            until = now + timedelta(days=int(post.text("days")))
            return TriageChange(ConversationStatus.SNOOZED, until)
    raise InvalidBody("champ « do »")
