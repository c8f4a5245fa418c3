"""GET /healthz: the process is up and serves. GET /readyz: so is what it needs."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from adapters.observability.questions import OK
from api.http.json_body import json_response
from api.resources import ResourcesDep

router = APIRouter()


@router.get("/healthz", include_in_schema=False)
async def healthz(request: Request) -> dict[str, str]:
    return {"status": "ok", "instance": request.app.state.instance}


@router.get("/readyz", include_in_schema=False)
async def readyz(request: Request, resources: ResourcesDep) -> Response:
    """200 if a request would be served now, else 503; one word for each part.

    `knowledge_search` is "words" where no sentence encoder is installed: fewer answers are found
    then. 503 as well while the process drains: it still serves, but nothing new should be sent to
    it.
    """
    # The answer of 503 is what was asked for, no error of ours to report.
    request.state.expected = True
    instance = request.app.state.instance
    if request.app.state.draining.begun:
        draining = {"status": "draining", "checks": {}, "instance": instance}
        return json_response(draining, status=503)
    checks = await resources.readiness.answers()
    ready = all(word == OK for word in checks.values())
    return json_response(
        {
            "status": "ready" if ready else "not_ready",
            "checks": checks,
            "knowledge_search": resources.knowledge_search,
            "instance": instance,
        },
        status=200 if ready else 503,
    )
