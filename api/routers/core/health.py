"""GET /healthz reports that the process is running and serving requests. GET /readyz reports
whether the process's dependencies are available too."""

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
    """Returns 200 if the process can serve a request now, otherwise 503. The body states each
    dependency's status. `knowledge_search` is "words" if no sentence encoder is installed. Searches
    then find fewer answers. A draining process also returns 503. It still serves requests, but load
    balancers should not send it new requests."""
    # A 503 response from this route is not reported as an error, because it is expected.
    request.state.expected = True
    instance = request.app.state.instance
    if request.app.state.draining.started:
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
