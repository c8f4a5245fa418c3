"""The metrics pages: comparison with the previous range, gaps in data, and permissions."""

import re
from datetime import datetime, time, timedelta
from html import escape, unescape

from adapters.system import new_ulid, utc_now
from domain.analytics.churn import ChurnLevel, Prediction, week_of
from domain.analytics.metrics import day_before
from domain.tenants.client import Role
from store.analytics.churn import ChurnRepository
from store.analytics.day_counts import count_day
from store.analytics.metrics import keep_day
from tests.support.analytics.days import Said, conversation, past_event
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

YESTERDAY = day_before(utc_now())


async def test_metrics_with_and_without_data(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        empty = await viewer.see("/app/metrics")
        assert "Your first figures arrive the morning after" in empty
        assert "Send a test ticket" not in empty, "a viewer sends none"
        at = datetime.combine(YESTERDAY, time(12), utc_now().tzinfo)
        await past_event(front.database, shop, at, cost_micros=20_000)
        async with front.database.service() as connection:
            found = await count_day(connection, [shop.client_id], YESTERDAY, utc_now())
            await keep_day(connection, found, YESTERDAY, utc_now())

        page = await viewer.see("/app/metrics")
        assert "No data for 29 of 30 days" in page
        assert "Automated 1" in page
        assert "1 of 1 messages automated" in page
        assert page.count("<style") == page.count("style=") == 0
        week = f"from={YESTERDAY - timedelta(days=6)}&amp;to={YESTERDAY}"
        assert week in page
        assert "No data for 6 of 7 days" in await viewer.see(f"/app/metrics?{unescape(week)}")
        since = (YESTERDAY - timedelta(days=1)).isoformat()
        file = await viewer.http.get(f"/app/metrics.csv?from={since}&to={YESTERDAY.isoformat()}")
        assert file.headers["content-type"].startswith("text/csv")
        assert (await viewer.http.get("/app/metrics?from=2026-02-30")).status_code == 400
        assert (await viewer.http.get("/app/metrics?by=colour")).status_code == 400
    async with at_pages(front, shop, language="fr") as owner:
        assert "Automatisées" in await owner.see("/app/metrics")


async def test_a_figure_opens_the_tickets_behind_it(front: LiveEngine, shop: Shop) -> None:
    at = datetime.combine(YESTERDAY, time(12), utc_now().tzinfo)
    await past_event(front.database, shop, at)
    await past_event(
        front.database,
        shop,
        at,
        status="needs_review",
        classification="complaint",
        handoff_reason="low_confidence",
        reviews=["pending"],
    )
    async with front.database.service() as connection:
        found = await count_day(connection, [shop.client_id], YESTERDAY, utc_now())
        await keep_day(connection, found, YESTERDAY, utc_now())
    day = YESTERDAY.isoformat()
    since = (YESTERDAY - timedelta(days=29)).isoformat()
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        breakdowns = ("channel", "topic", "playbook")
        page = "".join([await viewer.see(f"/app/metrics?by={by}") for by in breakdowns])
        for behind, tickets in (
            (f"from={since}&to={day}&outcome=asked", 2),
            (f"from={since}&to={day}&outcome=automated", 1),
            (f"from={since}&to={day}&outcome=timed&classification=order_status", 1),
            (f"from={since}&to={day}&outcome=asked&channel=none", 2),
            (f"from={since}&to={day}&outcome=escalated&playbook_id={shop.playbook_id}", 1),
            (f"from={since}&to={day}&reason=low_confidence", 1),
            (f"from={day}&to={day}&outcome=asked", 2),
        ):
            listed = f"/app/runs?{behind}"
            assert f'href="{escape(listed)}"' in page, behind
            shown = await viewer.see(listed)
            assert shown.count("data-row") == tickets, behind
            assert f"{tickets} ticket" in shown, behind
        assert "outcome=refunded" not in page, "no ticket was refunded"
        assert "at 6 min a ticket" in page
        assert "mood=unhappy" not in page
        assert (await viewer.http.get("/app/runs?from=2026-02-02&to=2026-02-01")).status_code == 400
        nothing = await viewer.see("/app/runs?outcome=refunded")
        assert "Nothing matches these filters." in nothing


async def test_figures_in_french_and_without_tickets(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, language="fr") as owner:
        page = await owner.see("/app/metrics")
        assert "Vos premiers chiffres arrivent" in page
        assert "Heures gagnées" not in page
        assert "Par canal" not in page
        assert "outcome=" not in page
        assert "Compté comme" in await owner.see("/app/runs")


async def test_who_may_leave(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "No customer at risk" in await owner.see("/app/metrics/churn")
        async with front.database.tenant(shop.tenant) as connection:
            await ChurnRepository(connection, shop.tenant).keep(
                {"emma@example.com": Prediction(score=0.7, level=ChurnLevel.HIGH, factors=())},
                week_of(utc_now()),
                now=utc_now(),
                new_id=new_ulid,
            )
        assert "emma@example.com" in await owner.see("/app/metrics/churn", level="high")
        assert "emma@example.com" not in await owner.see("/app/metrics/churn", level="low")


async def test_first_answers_are_shown_and_open_their_tickets(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    talk = await conversation(front.database, shop, utc_now())
    said = Said(conversation_id=talk, channel="email")
    at = datetime.combine(YESTERDAY, time(12), utc_now().tzinfo)
    for minutes in (30, 90):
        await past_event(
            front.database,
            shop,
            at + timedelta(minutes=minutes),
            said=said,
            response="Hello.",
            replied_after=timedelta(minutes=minutes),
        )

    async def compute() -> None:
        async with front.database.service() as connection:
            found = await count_day(connection, [shop.client_id], YESTERDAY, utc_now())
            await keep_day(connection, found, YESTERDAY, utc_now())

    await compute()
    async with at_pages(front, shop) as member:
        page = await member.see("/app/metrics")
        assert "Median first answer" in page
        assert "Answered on time" not in page
        await front.http.put(
            "/api/dashboard/business-hours", json={"target_minutes": 60}, headers=owner
        )
        await compute()
        page = await member.see("/app/metrics")
        for outcome, count in (("answered", 2), ("in_target", 1), ("late", 1)):
            (path,) = {
                unescape(one)
                for one in re.findall(r'href="(/app/runs[?][^"]+)"', page)
                if f"outcome={outcome}" in one and "channel" not in one
            }
            assert f"{count} ticket" in await member.see(path)
    insight = (await front.http.get("/api/dashboard/insight", headers=owner)).json()
    figures = insight["period"]["figures"]
    assert (figures["answered"], figures["targeted"], figures["in_target"]) == (2, 2, 1)
    assert (figures["in_target_share"], insight["by_channel"][0]["in_target_share"]) == (0.5, 0.5)
