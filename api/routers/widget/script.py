"""GET /widget.js: the script that merchants' pages load."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.resources import ResourcesDep

# Any page may load the script, including a page that requires CORP
# (`Cross-Origin-Embedder-Policy`).
_HEADERS: Final = {
    "Cache-Control": "public, max-age=300",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
    "Vary": "Accept-Encoding",
}
_TYPE: Final = "text/javascript; charset=utf-8"

router = APIRouter(include_in_schema=False)


@router.get("/widget.js")
async def widget_script(request: Request, resources: ResourcesDep) -> Response:
    """Return the widget script. The script is the same for every merchant. The script tag on the
    page contains the widget key."""
    script = resources.widget_script
    zipped = "gzip" in _accepted(request)
    tag = f'"{script.tag}{"-gzip" if zipped else ""}"'
    headers = {**_HEADERS, "ETag": tag}
    if tag in _known(request):
        return Response(status_code=304, headers=headers)
    if zipped:
        headers["Content-Encoding"] = "gzip"
    return Response(script.zipped if zipped else script.plain, media_type=_TYPE, headers=headers)


def _accepted(request: Request) -> set[str]:
    """Return the content encodings that the caller accepts, ignoring encodings with a weight of
    zero."""
    taken = set()
    for one in request.headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = one.partition(";")
        if weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}:
            taken.add(name.strip())
    return taken


def _known(request: Request) -> set[str]:
    """Return the ETags that the caller already has. Weak ETags are treated as strong ETags, because
    a proxy may have weakened our ETag."""
    given = request.headers.get("if-none-match", "").split(",")
    return {one.strip().removeprefix("W/") for one in given}
