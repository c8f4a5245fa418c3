"""The page of a customer's file: complete, for the client's members only, and never executed."""

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.intake.attachments import PHOTO, keep_attachments
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop


async def test_a_file_is_shown_to_people_of_the_client(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database, brand="Autre")
    kept = {}
    for one in (shop, other):
        event_id = (await write(front.database, one)).event_id
        (file,) = await keep_attachments(front.database, one.tenant, event_id, PHOTO)
        kept[one.client_id] = f"/app/attachments/{file.id}"
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        shown = await viewer.http.get(kept[shop.client_id], params={"inline": "true"})
        assert (shown.status_code, shown.content) == (200, PHOTO.data)
        assert shown.headers["content-disposition"].startswith("inline")
        assert shown.headers["content-security-policy"] == "sandbox; default-src 'none'"
        assert "no-store" in shown.headers["cache-control"]
        assert (await viewer.http.get(kept[other.client_id])).status_code == 404
