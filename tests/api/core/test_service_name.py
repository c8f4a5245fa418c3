"""The service's name: declared in one place, and used wherever it is shown or sent."""

import re
from typing import Final

import pytest

from adapters.connectors.http import open_client
from domain.core.errors import InvalidInput
from domain.core.service_name import ServiceName
from domain.tenants.client import Role
from settings import load_server
from tests.support.core.engine import live_engine
from tests.support.core.forks import ROOT
from tests.support.core.temporal import TemporalServer
from tests.support.reviews.dashboard import person
from tests.support.tenants.shop import open_shop
from tests.support.webhooks.webhook_dashboard import ask, ready

NAME: Final = "Maison Aide"
OLD_NAMES: Final = re.compile(r"Customer-Support Agent Service|Support agent|Agent de support")


async def test_every_place_shows_the_setting(database_url: str, temporal: TemporalServer) -> None:
    async with live_engine(
        database_url, temporal.address, temporal.take_namespace(), service_name=NAME
    ) as front:
        shop = await open_shop(front.database)
        exported = await front.http.get(
            "/api/client/export-data", headers={"Authorization": f"Bearer {shop.key}"}
        )
        assert "filename=maison-aide-export-" in exported.headers["content-disposition"]
        webhook_id, delivery_id = await ready(front, shop)
        owner = await person(front, shop, Role.OWNER)
        delivery = await ask(front, "delivery", owner, webhook_id, delivery_id)
        assert "User-Agent: Maison-Aide-Webhooks/1.0" in delivery.json()["curl"]
        page = await front.http.get("/app/sign-in")
        assert re.search(rf"<title>.* · {NAME}</title>", page.text, re.DOTALL)
        metadata = await front.http.get("/.well-known/oauth-protected-resource")
        assert metadata.json()["resource_name"] == NAME
        assert (await front.http.get("/openapi.json")).json()["info"]["title"] == NAME


def test_forms_of_a_name() -> None:
    assert (ServiceName().token, ServiceName().slug) == ("Service", "service")
    assert (ServiceName(NAME).token, ServiceName(NAME).slug) == ("Maison-Aide", "maison-aide")


async def test_clients_systems_are_called_in_the_name() -> None:
    async with open_client(ServiceName(NAME)) as client:
        assert client.headers["user-agent"] == "maison-aide"


@pytest.mark.parametrize("name", ["Aide\r\nX: 1", "a/b", "", " Aide", "x" * 41, "Été", 'A"'])
def test_names_that_would_break_a_header_are_refused(name: str) -> None:
    given = {"SERVICE_NAME": name}
    if not name:
        assert load_server(given).service == ServiceName()
        return
    with pytest.raises(InvalidInput, match="SERVICE_NAME"):
        load_server(given)


def test_the_name_is_declared_once() -> None:
    """Other code reads the setting."""
    folders = ("activities", "adapters", "api", "commands", "domain", "services", "workers")
    files = [
        file
        for folder in folders
        for file in (ROOT / folder).rglob("*")
        if file.suffix in {".py", ".html", ".toml", ".js"}
    ]
    assert len(files) > 300
    named = [str(f.relative_to(ROOT)) for f in files if OLD_NAMES.search(f.read_text())]
    assert named == []
