"""GET /api/client/export-data: all of the data stored for the caller's own client."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

import structlog
from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.auth import authenticate, authorize, check_scope, limiter_key, note_use, tenant_of
from api.exports import ExportPlace
from api.http.long_response import ExportResponse
from api.openapi import BEARER, LIMIT_HEADERS, RETRY_AFTER
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, Part
from api.schemas.core.error import ErrorBody
from domain.core.error_report import ErrorReport, raised
from domain.core.ids import TenantId
from domain.exports.export import ExportFormat, Section, exported_at, filename, parse_format
from domain.exports.records import ExportDocument
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.scopes import Scope
from services.exports.downloads import record_export
from store.exports.csv_form import CsvRendering
from store.exports.export import Export, Rendering
from store.exports.json_form import JsonRendering
from store.exports.payer import is_payer

router = APIRouter(route_class=DescribedRoute)

_log = structlog.get_logger("api")

EXPORT: Final = "/api/client/export-data"
_FORMS: Final[dict[ExportFormat, tuple[Rendering, str]]] = {
    ExportFormat.JSON: (JsonRendering(), "application/json; charset=utf-8"),
    ExportFormat.CSV: (CsvRendering(), "text/csv; charset=utf-8"),
}


@dataclass(frozen=True, slots=True)
class _Wanted:
    tenant: TenantId
    actor: Actor
    form: ExportFormat
    now: datetime


class _OwnExport(Part):
    """A dependency that returns the caller's own client and the requested format. Raises
    Unauthenticated, TooManyRequests, InsufficientScope, InvalidExportFormat, NoClient,
    RoleRequired."""

    parameters = (
        {
            "name": "format",
            "in": "query",
            "required": False,
            "schema": {"type": "string", "enum": list(ExportFormat), "default": "json"},
        },
    )
    security = BEARER
    refusals = (400, 403)

    async def __call__(self, request: Request) -> _Wanted:
        resources: Resources = request.app.state.resources
        now = resources.now()
        caller = await authenticate(request.headers, resources)
        note_use(request, caller)
        await resources.limiter.check_request(request, LimitScope.EXPORT, limiter_key(caller), now)
        check_scope(caller, Scope.EXPORT_READ)
        form = parse_format(request.query_params.getlist("format"))
        own = await tenant_of(caller, resources)
        tenant, actor = await authorize(caller, own, resources, session_roles=MANAGERS)
        structlog.contextvars.bind_contextvars(client_id=tenant)
        return _Wanted(tenant, actor, form, now)


@router.get(
    EXPORT,
    operation_id="exports.download",
    summary="Export all data of the caller's own client as one file",
    response_class=Response,
    responses={
        200: {
            "headers": {
                **LIMIT_HEADERS,
                "Content-Disposition": {
                    "schema": {"type": "string"},
                    "description": "`attachment`, with the file name.",
                },
            },
            "model": ExportDocument,
            "content": {"text/csv": {"schema": {"type": "string"}}},
        },
        503: {
            "model": ErrorBody,
            "headers": RETRY_AFTER,
            "description": "Too many connections or simultaneous exports.",
        },
    },
)
async def export_data(
    wanted: Annotated[_Wanted, Depends(_OwnExport())], request: Request, resources: ResourcesDep
) -> Response:
    """Each user can send 5 requests in 60 s. With a session token, the route exports the data of
    the user's oldest client. With an API key, it exports the data of the key's client. The request
    cannot specify another client, and parameters other than `format` are ignored. A session token
    needs the owner or admin role, as on the `/app/data` page.

    The request is checked in this order: authentication, rate limit, format, client.
    """
    return export_answer(wanted.tenant, wanted.actor, wanted.form, wanted.now, request, resources)


def export_answer(
    tenant: TenantId,
    actor: Actor,
    form: ExportFormat,
    now: datetime,
    request: Request,
    resources: Resources,
) -> ExportResponse:
    """Return a streamed response with all of a client's data as one file. The export is recorded in
    the audit log, with its actor, before the first byte is sent. If the entry cannot be written,
    nothing is exported."""
    _, media_type = _FORMS[form]
    service = resources.settings.server.service
    place = ExportPlace(tenant)
    return ExportResponse(
        _pieces(actor, form, place, request, resources),
        {
            "content-type": media_type,
            "content-disposition": f"attachment; filename={filename(now, form, service)}",
            "x-content-type-options": "nosniff",
            "cache-control": "no-store",
        },
        resources.gateway_traffic,
        held=place,
    )


async def _pieces(
    actor: Actor, form: ExportFormat, place: ExportPlace, request: Request, resources: Resources
) -> AsyncGenerator[bytes]:
    """Yield the pieces of the file. Raises ExportsBusy, ExportNotAudited, EngineUnavailable,
    NoClient."""
    tenant = place.tenant

    def skipped(section: Section, sqlstate: str, error: Exception) -> None:
        _log.error("export section failed", section=section, sqlstate=sqlstate)
        resources.tracker.report(
            ErrorReport(
                place=f"GET {EXPORT}",
                code="export_section_failed",
                exceptions=raised(error),
                created_at=resources.now(),
                request_id=request.state.request_id,
                client_id=tenant,
            )
        )

    pays = await is_payer(resources.database, tenant, resources.now())
    async with resources.exports.snapshot(place, pays=pays) as snapshot:
        await record_export(resources.work, tenant, actor, form)
        file = Export(snapshot, _FORMS[form][0], skipped=skipped)
        # The file states the time of the snapshot instead of the request time because the request
        # may have waited for a slot.
        async with aclosing(file.pieces(exported_at(resources.now()))) as pieces:
            async for piece in pieces:
                yield piece
