"""GET /api/dashboard/insight and /api/dashboard/insight/gaps, each available as JSON and CSV."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import Asked, QueryInClient
from api.http.disposition import content_disposition
from api.openapi import LIMIT_HEADERS, Described
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute
from api.schemas.analytics.insight_query import GapsQuery, InsightQuery
from domain.analytics.gaps import KnowledgeGaps
from domain.analytics.insight import Insight
from domain.analytics.insight_csv import csv_name, gaps_csv, insight_csv
from services.analytics.gaps import knowledge_gaps
from services.analytics.insight import read_insight

router = APIRouter(route_class=DescribedRoute)

InsightAsked = Annotated[Asked[InsightQuery], Depends(QueryInClient(InsightQuery))]
GapsAsked = Annotated[Asked[GapsQuery], Depends(QueryInClient(GapsQuery))]

_FILE: Final[dict[int | str, Described]] = {
    200: {
        "headers": {
            **LIMIT_HEADERS,
            "Content-Disposition": {
                "schema": {"type": "string"},
                "description": "`attachment`, with the file name.",
            },
        },
        "content": {"text/csv": {"schema": {"type": "string"}}},
    }
}


@router.get(
    "/api/dashboard/insight",
    operation_id="insight.get",
    summary="Get the insight report for a range of days",
)
async def insight(asked: InsightAsked, resources: ResourcesDep) -> Insight:
    """Any member of the client may call this operation with a session token."""
    return await _insight(asked, resources)


@router.get(
    "/api/dashboard/insight.csv",
    operation_id="insight.download",
    summary="Download the insight report as CSV",
    response_class=Response,
    responses=_FILE,
)
async def insight_file(asked: InsightAsked, resources: ResourcesDep) -> Response:
    """Any member of the client may call this operation with a session token."""
    found = await _insight(asked, resources)
    name = csv_name("insight", found.period.first, found.period.last)
    return _file(name, insight_csv(found))


@router.get(
    "/api/dashboard/insight/gaps",
    operation_id="knowledge_gaps.list",
    summary="List questions that the agent could not answer",
)
async def gaps(asked: GapsAsked, resources: ResourcesDep) -> KnowledgeGaps:
    """Any member of the client may call this operation with a session token."""
    return await _gaps(asked, resources)


@router.get(
    "/api/dashboard/insight/gaps.csv",
    operation_id="knowledge_gaps.download",
    summary="Download the unanswered questions as CSV",
    response_class=Response,
    responses=_FILE,
)
async def gaps_file(asked: GapsAsked, resources: ResourcesDep) -> Response:
    """Any member of the client may call this operation with a session token."""
    found = await _gaps(asked, resources)
    return _file(csv_name("gaps", found.since, resources.now()), gaps_csv(found))


async def _insight(asked: Asked[InsightQuery], resources: Resources) -> Insight:
    async with resources.database.reading(asked.tenant) as connection:
        return await read_insight(
            connection,
            asked.tenant,
            asked.actor,
            asked.query.days(resources.now()),
            compare=asked.query.compare is not None,
        )


async def _gaps(asked: Asked[GapsQuery], resources: Resources) -> KnowledgeGaps:
    return await knowledge_gaps(
        resources.database,
        asked.tenant,
        asked.actor,
        resources.gaps,
        span=asked.query.days,
        now=resources.now(),
        limit=asked.query.limit,
    )


def _file(name: str, content: bytes) -> Response:
    return Response(
        content,
        media_type="text/csv; charset=utf-8",
        headers={
            "content-disposition": content_disposition("attachment", name),
            "x-content-type-options": "nosniff",
        },
    )
