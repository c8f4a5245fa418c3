"""Downloads of all data, and of a customer's file, are in the audit log."""

from typing import Any

import pytest

from adapters.system import utc_now
from domain.tenants.client import Role
from store.audit.tables import audit_entries
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import at_pages
from tests.support.inbound.data_requests import data_requested
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop

EXPORT = "/api/client/export-data"
ANN = "ann@x.example"


async def _entries(front: LiveEngine, shop: Shop, what: str) -> list[dict[str, Any]]:
    found = await rows(front.database, audit_entries, of=shop)
    return [one for one in found if one["what"] == what]


async def test_an_export_over_http_names_its_caller(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    for headers, form in ((shop.headers, "json"), (owner, "csv")):
        answer = await front.http.get(EXPORT, params={"format": form}, headers=headers)
        assert answer.status_code == 200, answer.text
    by_key, by_owner = await _entries(front, shop, "data exported")
    assert (by_key["actor_kind"], by_owner["actor_kind"]) == ("key", "person")
    assert [one["ids"]["format"] for one in (by_key, by_owner)] == ["json", "csv"]


async def test_a_refused_export_is_no_entry(front: LiveEngine, shop: Shop) -> None:
    answer = await front.http.get(EXPORT, headers={"authorization": "Bearer ak_wrong"})
    assert answer.status_code == 401
    assert await _entries(front, shop, "data exported") == []


async def test_an_export_by_the_page_names_the_member(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, Role.ADMIN) as admin:
        answer = await admin.http.get("/app/data/export")
        assert answer.status_code == 200
    (entry,) = await _entries(front, shop, "data exported")
    assert entry["actor_kind"] == "person"


@pytest.mark.parametrize("by", ["route", "page"])
async def test_a_customers_file_names_who_downloads_it(
    front: LiveEngine, shop: Shop, owner: dict[str, str], by: str
) -> None:
    await write(front.database, shop, "Where is my lamp?", customer=ANN, now=utc_now())
    request_id = await data_requested(front.database, shop, ANN)
    if by == "route":
        await front.http.get(f"/api/dashboard/data-requests/{request_id}", headers=owner)
    else:
        async with at_pages(front, shop, Role.ADMIN) as admin:
            path = f"/app/data-requests/{request_id}"
            await admin.see(path)
            assert await _entries(front, shop, "customer file downloaded") == []
            assert (await admin.http.get(f"{path}/file.json")).status_code == 200
    (entry,) = await _entries(front, shop, "customer file downloaded")
    assert (entry["actor_kind"], entry["ids"]["request_id"]) == ("person", request_id)
