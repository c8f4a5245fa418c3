"""The API for a customer's file: for the client's members only, and never executed."""

import httpx

from domain.core.attached_file import AttachedFile
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.intake.attachments import INVOICE, PHOTO, PROGRAM, keep_attachments, png
from tests.support.reviews.dashboard import code, person
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop

ATTACHMENTS = "/api/dashboard/attachments"
LARGE = AttachedFile("Léa « page ».html", "image/png", png(padding=600_000))


async def _ask(front: LiveEngine, shop: Shop, file: AttachedFile, **query: str) -> httpx.Response:
    event_id = (await write(front.database, shop)).event_id
    (kept,) = await keep_attachments(front.database, shop.tenant, event_id, file)
    headers = await person(front, shop, Role.VIEWER)
    return await front.http.get(f"{ATTACHMENTS}/{kept.id}", headers=headers, params=query)


async def test_an_image_comes_whole_and_runs_nothing(front: LiveEngine, shop: Shop) -> None:
    answer = await _ask(front, shop, LARGE)

    assert answer.content == LARGE.data
    told = {
        "content-type": "image/png",
        "content-length": str(len(LARGE.data)),
        "content-disposition": 'attachment; filename="L_a _ page _.html.png"; '
        "filename*=UTF-8''L%C3%A9a%20%C2%AB%20page%20%C2%BB.html.png",
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
        "cache-control": "no-store",
    }
    assert {name: answer.headers[name] for name in told} == told


async def test_only_images_are_shown_inline(front: LiveEngine, shop: Shop) -> None:
    for file, kind in ((PHOTO, "inline"), (INVOICE, "attachment")):
        answer = await _ask(front, shop, file, inline="1")

        assert answer.headers["content-disposition"].startswith(f"{kind};"), file.name


async def test_a_refused_file_has_no_bytes(front: LiveEngine, shop: Shop) -> None:
    assert code(await _ask(front, shop, PROGRAM)) == (404, "attachment_not_found")


async def test_the_query_is_strict(front: LiveEngine, shop: Shop) -> None:
    assert code(await _ask(front, shop, PHOTO, inlin="1")) == (400, "invalid_query")
