"""GET /healthz: the process is up and serves."""

from fastapi import APIRouter
from starlette.responses import Response

from api.json_body import json_response

router = APIRouter()


@router.get("/healthz", include_in_schema=False)
async def healthz() -> Response:
    return json_response({"status": "ok"})
