"""/api/dashboard/reviews: what waits for a human, and the human's decision."""

from collections.abc import Callable
from typing import Any, Final

import structlog
from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from api.dashboard_access import (
    MANAGERS,
    REVIEWERS,
    SignedInMember,
    member_of,
    readable_tenant,
    signed_in,
)
from api.http.json_body import json_response, parse_body, read_body, read_optional_body
from api.http.query import parse_query
from api.openapi import (
    SESSION,
    dashboard_answers,
    path_parameters,
    query_parameters,
    request_body,
)
from api.resources import Resources, ResourcesDep
from api.schemas.reviews.review import (
    ApproveBody,
    ClaimAnswer,
    ClaimBody,
    DecisionAnswer,
    EditBody,
    RejectBody,
    ReleaseBody,
    ReviewPage,
    ReviewQuery,
)
from domain.core.contracts import RunRef
from domain.core.errors import EngineUnavailable
from domain.core.ids import parse_ulid
from domain.reviews.errors import EscalationNotFound
from domain.reviews.escalation import Choice, Decision, EscalationStatus
from domain.reviews.review import Review
from store.reviews.escalations import EscalationRepository, client_of
from store.reviews.reviews import list_reviews, read_review

router = APIRouter()

_REVIEWS: Final = "/api/dashboard/reviews"
_REVIEW: Final = f"{_REVIEWS}/{{review_id}}"
_REVIEW_ID: Final = path_parameters(review_id="review")

_log = structlog.get_logger(__name__)


def _post(
    what: str, summary: str, body: type[BaseModel], answer: type[BaseModel]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A route that changes one review."""
    return router.post(
        f"{_REVIEW}/{what}",
        summary=summary,
        responses=dashboard_answers(answer, 408, 409, 413, 415),
        openapi_extra={
            "parameters": _REVIEW_ID,
            "requestBody": request_body(body),
            "security": SESSION,
        },
    )


@router.get(
    _REVIEWS,
    summary="The reviews of one client",
    responses=dashboard_answers(ReviewPage),
    openapi_extra={"parameters": query_parameters(ReviewQuery), "security": SESSION},
)
async def reviews(request: Request, resources: ResourcesDep) -> Response:
    """Page by page, oldest first unless `order` says otherwise. What comes in while somebody pages
    neither hides a review nor shows one twice."""
    user = await signed_in(request, resources)
    query = parse_query(ReviewQuery, request.query_params)
    tenant = await readable_tenant(user, query.client_id, resources)
    async with resources.database.tenant(tenant) as connection:
        found = await list_reviews(
            connection,
            tenant,
            query.wanted,
            limit=query.limit + 1,
            newest_first=query.order == "newest",
            after=query.after,
        )
    return json_response(ReviewPage.of(found, query.limit).model_dump(mode="json"))


@router.get(
    _REVIEW,
    summary="One review, with all that it is about",
    responses=dashboard_answers(Review),
    openapi_extra={"parameters": _REVIEW_ID, "security": SESSION},
)
async def review(request: Request, resources: ResourcesDep) -> Response:
    member, review_id = await _member(request, resources)
    async with resources.database.tenant(member.tenant) as connection:
        found = await read_review(connection, member.tenant, review_id)
    return json_response(found.model_dump(mode="json"))


@_post("claim", "Ask the others to leave it alone for half an hour", ClaimBody, ClaimAnswer)
async def claim(request: Request, resources: ResourcesDep) -> Response:
    """Claiming one's own again renews it. `force` needs the role owner or admin."""
    member, review_id = await _reviewer(request, resources)
    body = parse_body(ClaimBody, await read_optional_body(request))
    if body.force:
        member.require(MANAGERS)
    async with resources.database.tenant(member.tenant) as connection:
        claimed = await EscalationRepository(connection, member.tenant).claim(
            review_id, member.user_id, resources.now(), force=body.force
        )
    return _told(ClaimAnswer(review_id=review_id, status=EscalationStatus.CLAIMED, claim=claimed))


@_post("release", "Give a claim back", ReleaseBody, ClaimAnswer)
async def release(request: Request, resources: ResourcesDep) -> Response:
    member, review_id = await _reviewer(request, resources)
    parse_body(ReleaseBody, await read_optional_body(request))
    async with resources.database.tenant(member.tenant) as connection:
        await EscalationRepository(connection, member.tenant).release(
            review_id, member.user_id, resources.now()
        )
    return _told(ClaimAnswer(review_id=review_id, status=EscalationStatus.PENDING, claim=None))


@_post("approve", "Let the plan be carried out, with the draft", ApproveBody, DecisionAnswer)
async def approve(request: Request, resources: ResourcesDep) -> Response:
    """Where two people must agree, the first approval leaves the review open."""
    member, review_id = await _reviewer(request, resources)
    body = parse_body(ApproveBody, await read_optional_body(request))
    choice = Choice(Decision.APPROVE, member.user_id, seen=body.draft)
    return await _decide(member, review_id, choice, resources)


@_post("edit", "Let the plan be carried out, with other words", EditBody, DecisionAnswer)
async def edit(request: Request, resources: ResourcesDep) -> Response:
    """Where two people must agree, the second one approves these words or writes others."""
    member, review_id = await _reviewer(request, resources)
    body = parse_body(EditBody, await read_body(request))
    choice = Choice(Decision.EDIT, member.user_id, text=body.text)
    return await _decide(member, review_id, choice, resources)


@_post("reject", "Hand the ticket over to people", RejectBody, DecisionAnswer)
async def reject(request: Request, resources: ResourcesDep) -> Response:
    """The agent does nothing more. One person is enough for it."""
    member, review_id = await _reviewer(request, resources)
    body = parse_body(RejectBody, await read_optional_body(request))
    choice = Choice(Decision.REJECT, member.user_id, note=body.note)
    return await _decide(member, review_id, choice, resources)


async def _decide(
    member: SignedInMember, review_id: str, choice: Choice, resources: Resources
) -> Response:
    """Committed first, then the signal: should that be lost, the sweeper sends it again."""
    async with resources.database.tenant(member.tenant) as connection:
        outcome = await EscalationRepository(connection, member.tenant).decide(
            review_id, choice, resources.now()
        )
    return _told(
        DecisionAnswer(
            review_id=review_id,
            status=outcome.status,
            awaiting_second=outcome.awaits_second,
            signalled=outcome.ref is not None and await _wake(outcome.ref, review_id, resources),
        )
    )


async def _wake(ref: RunRef, review_id: str, resources: Resources) -> bool:
    try:
        return await resources.engine.wake(ref, review_id)
    except EngineUnavailable as error:
        _log.warning("decision not signalled", review_id=review_id, code=error.code)
        return False


async def _member(request: Request, resources: Resources) -> tuple[SignedInMember, str]:
    """Who asks, and the review that it is about.

    Raises Unauthenticated, TooManyRequests, and EscalationNotFound for another client's as well.
    """
    user = await signed_in(request, resources)
    review_id = parse_ulid(request.path_params["review_id"])
    if review_id is None:
        raise EscalationNotFound
    async with resources.database.service() as connection:
        client_id = await client_of(connection, review_id)
    member = await member_of(user, client_id, resources)
    if member is None:
        raise EscalationNotFound
    return member, review_id


async def _reviewer(request: Request, resources: Resources) -> tuple[SignedInMember, str]:
    """The same for whoever may decide. Raises RoleRequired too."""
    member, review_id = await _member(request, resources)
    member.require(REVIEWERS)
    return member, review_id


def _told(answer: BaseModel) -> Response:
    return json_response(answer.model_dump(mode="json"))
