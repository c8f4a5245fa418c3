"""/api/dashboard/corrections: human reviewers' edits to the agent's drafts, and suggestions derived
from these edits."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import Asked, InClientOf, MemberAt, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.routers.content.saves import saving_in
from api.schemas.core.client_query import cursor_after
from api.schemas.learning.correction import (
    AcceptCorrectionBody,
    AcceptedCorrectionAnswer,
    CorrectionPage,
    CorrectionQuery,
    DismissCorrectionBody,
)
from domain.learning.correction import Correction, CorrectionState
from domain.learning.errors import CorrectionNotFound
from domain.tenants.actor import ANYONE, MANAGERS
from services.learning.correction_reading import read_correction
from services.learning.corrections import accept_correction, dismiss_correction
from store.learning.corrections import CorrectionRepository, client_of_correction

router = APIRouter(route_class=DescribedRoute)

_CORRECTIONS: Final = "/api/dashboard/corrections"
_CORRECTION: Final = f"{_CORRECTIONS}/{{correction_id}}"
_ID: Final = PathId("correction_id", "correction", CorrectionNotFound)
Reader = Annotated[MemberAt, Depends(InClientOf(ANYONE, _ID, client_of_correction))]
Decider = Annotated[MemberAt, Depends(InClientOf(MANAGERS, _ID, client_of_correction))]


@router.get(
    _CORRECTIONS,
    operation_id="corrections.list",
    summary="List corrections from edited and rejected reviews",
)
async def corrections(
    asked: Annotated[Asked[CorrectionQuery], Depends(QueryInClient(CorrectionQuery))],
    resources: ResourcesDep,
) -> CorrectionPage:
    """Lists corrections, oldest first, optionally filtered by state. The list is paginated."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        found = await CorrectionRepository(connection, asked.tenant).page(
            state=query.state, after=query.cursor, limit=query.limit + 1
        )
    return CorrectionPage(
        corrections=found[: query.limit],
        next_cursor=cursor_after(found, query.limit, lambda last: last.id),
    )


@router.get(
    _CORRECTION,
    operation_id="corrections.get",
    summary="Get a correction and the changes that it suggests",
)
async def correction(reader: Reader, resources: ResourcesDep) -> Correction:
    """Returns a word diff between the draft and the reviewer's text. `offers` contains a prefilled
    case and a prefilled content change. Neither is stored before the correction is accepted."""
    async with resources.database.reading(reader.tenant) as connection:
        return await read_correction(connection, reader.tenant, reader.record_id)


@router.post(
    f"{_CORRECTION}/accept",
    operation_id="corrections.accept",
    summary="Accept a correction",
    responses=errors(409),
)
async def accept(
    request: Request,
    decider: Decider,
    body: Annotated[AcceptCorrectionBody, Depends(JsonBody(AcceptCorrectionBody))],
    resources: ResourcesDep,
) -> AcceptedCorrectionAnswer:
    """Stores the message as a labelled example. A case or a content change in the request is stored
    too. Either all of these records are stored or none. A correction can be accepted only once. The
    `X-Cases-Lost` header states how many passed cases must run again."""
    lesson = body.lesson
    async with saving_in(request, decider.tenant, resources) as work:
        made = await accept_correction(work, decider.actor, decider.record_id, lesson)
    return AcceptedCorrectionAnswer(
        correction_id=decider.record_id,
        state=CorrectionState.ACCEPTED,
        example_id=made.example_id,
        case_id=made.case_id,
        content_kind=made.content_kind,
        content_id=made.content_id,
    )


@router.post(
    f"{_CORRECTION}/dismiss",
    operation_id="corrections.dismiss",
    summary="Dismiss a correction",
    status_code=204,
    responses=errors(409),
)
async def dismiss(
    decider: Decider,
    _: Annotated[DismissCorrectionBody, Depends(JsonBody(DismissCorrectionBody, optional=True))],
    resources: ResourcesDep,
) -> Response:
    """This operation requires the owner or admin role. Nothing is created from the correction."""
    async with resources.work.of(decider.tenant) as work:
        await dismiss_correction(work, decider.actor, decider.record_id)
    return Response(status_code=204)
