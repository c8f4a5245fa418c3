"""The widget key is in the URL of every request: no log, metric, trace or report contains it, a
session token, a signature or the signing secret."""

import json
from pathlib import Path

import psycopg
import pytest

from embedded.ports import free_port
from store.audit.tables import audit_entries
from store.core.tables import error_reports
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.postgres import as_owner
from tests.support.core.rows import rows
from tests.support.core.serving import serving
from tests.support.servers.otlp import otlp_collector
from tests.support.tenants.shop import open_shop
from tests.support.widget.page import CHAT, CONFIG, ORIGIN, page_of, signed, with_secret

pytestmark = pytest.mark.own_database

EMAIL = "camille.durand@ibis.example"
UNKNOWN = "wk_" + "0badc0de" * 4

# A database that fails for a session, with an error that quotes the client's key.
HOSTILE_DATABASE = """
CREATE FUNCTION quote_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE given text;
BEGIN
    SELECT widget_key INTO given FROM public.client_settings WHERE client_id = NEW.client_id;
    IF NEW.language = 'en' THEN RAISE EXCEPTION 'cannot digest %', given; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER hostile BEFORE INSERT ON widget_sessions FOR EACH ROW EXECUTE FUNCTION quote_key();
"""


async def test_no_secret_of_the_widget_is_seen(idle_engine: LiveEngine, tmp_path: Path) -> None:
    shop = await open_shop(idle_engine.database, event_type="shopify.*")
    page = await page_of(idle_engine, shop)
    secret = await with_secret(page)
    told = signed(secret, EMAIL)
    with psycopg.connect(as_owner(idle_engine.settings.database.url), autocommit=True) as owner:
        owner.execute(HOSTILE_DATABASE)
    metrics = free_port()
    with otlp_collector() as collector:
        served = serving(
            idle_engine, tmp_path, METRICS_PORT=str(metrics),
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_BSP_SCHEDULE_DELAY="200",
        )  # fmt: skip
        async with served as (api, http):
            known = {"api_key": page.key}
            config = await http.get(CONFIG, params=known, headers=page.headers)
            token = config.json()["session_id"]
            body = {"message": "Bonjour", "session_id": token, **told}
            headers = {**page.headers, "referer": f"{http.base_url}{CHAT}?api_key={page.key}"}
            answers = [
                config,
                await http.post(CHAT, params=known, headers=headers, json=body),
                await http.post(
                    CHAT, params=known, headers=headers, json={"message": "x", "language": "en"}
                ),
                await http.post(CHAT, params=known, headers=headers, json={**body, "x": secret}),
                await http.get(CONFIG, params=known, headers={"origin": "https://e.example"}),
                await http.get(CONFIG, params={"api_key": UNKNOWN}, headers=headers),
                await http.get(f"/api/widget/{page.key}/{token}", headers=headers),
                await http.get(f"/{secret}", headers=headers),
                await http.post(
                    GATEWAY, headers={"authorization": f"Bearer {page.key}"}, json=body
                ),
                await http.post(
                    CHAT, headers={"x-widget-session": token, "origin": ORIGIN}, json=body
                ),
            ]
            numbers = (await http.get(f"http://127.0.0.1:{metrics}/metrics")).text
        log = api.log.read_text()
        spans = b"".join(collector.raw)

    assert [answer.status_code for answer in answers] == [
        200, 200, 500, 400, 403, 401, 404, 404, 401, 401,
    ]  # fmt: skip
    reports = await rows(idle_engine.database, error_reports)
    assert len(reports) == 1
    audit = await rows(idle_engine.database, audit_entries)
    places = {
        "log": log,
        "numbers": numbers,
        "spans": spans.decode("latin-1"),
        "reports": json.dumps(reports, default=str),
        "audit": json.dumps(audit, default=str),
        "answers": "".join(f"{answer.headers}{answer.text}" for answer in answers[3:]),
    }
    assert CHAT in log
    assert CHAT in places["spans"]
    for place, content in places.items():
        for canary in (page.key, UNKNOWN, token, secret, told["user_signature"], EMAIL):
            assert canary not in content, f"{canary} in {place}"
