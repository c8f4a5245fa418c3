"""Measure the dashboard's pages for one client with 1,000,000 runs: the server's time for each
list, the page sizes, and the largest contentful paint."""

import gzip
import secrets
import shutil
import time
from pathlib import Path
from statistics import median
from typing import Final

import httpx
import psycopg
import sqlalchemy as sa
from playwright.async_api import async_playwright
from pydantic import BaseModel

from adapters.system import new_ulid, utc_now
from api.dashboard.static import StaticFiles
from bench.aim import quantile
from bench.contenders import GatewayContender
from bench.full_database import fill
from commands.core.nearby_engine import NearbyEngine
from domain.identity.session import SECRET_BYTES, SessionKind
from services.core.unit_of_work import UnitsOfWork
from services.identity.sessions import Visitor, open_session
from store.core.database import Database
from store.customers.tables import customers
from store.runs.tables import engine_runs
from store.tenants.tables import clients

RUNS: Final = 1_000_000
PAGES: Final = "pages"
MOST_BYTES: Final = 60_000
MOST_P50_MS: Final = 50.0
MOST_P95_MS: Final = 150.0
MOST_PAINT_MS: Final = 500.0

# This number of requests stays within the 240 pages that a user may request per minute.
_ROUNDS: Final = 20
_PAINTS: Final = 5
_THOUSANDTH: Final = 1_000 * 50
# Customers without messages, which fill the list of customers. The client's messages come from a
# few other customers.
_READERS: Final = (
    """INSERT INTO customers
        (client_id, id, key, name, is_verified, first_contact_at, last_contact_at)
    SELECT %(client_id)s, '0' || upper(left(md5(n::text), 25)), 'reader' || n || '@x.example',
           'Camille Martin', true, at, at
    FROM generate_series(1, 300000) AS n,
         LATERAL (SELECT now() - n * interval '5 min') AS contact (at)""",
    """INSERT INTO customer_words (client_id, word, customer_id)
    SELECT client_id, word, id
    FROM customers, LATERAL (VALUES ('camille'), ('martin'), (key)) AS words (word)
    WHERE key LIKE 'reader%%'""",
)
# Open and closed conversations without messages, which fill the inbox. Some wait for an answer that
# the agent deliberately did not give, and some are assigned, taken over or tagged.
_TALKS: Final = (
    """INSERT INTO ai_conversations
        (client_id, id, key, channel, summary, customer_email, created_at, last_message_at,
         waiting_since, answer_skipped, closed_at, assignee, taken_by, taken_at, tags, is_critical)
    SELECT %(client_id)s, '1' || upper(left(md5(n::text), 25)), 'reader' || n, 'email', '',
           'reader' || n || '@x.example', at, at,
           CASE WHEN n %% 50 = 0 THEN at END, n %% 50 = 0,
           CASE WHEN n %% 5 = 1 THEN at END,
           CASE WHEN n %% 5 = 1 THEN owner_user_id WHEN n %% 100 = 2 THEN 'someone' END,
           CASE WHEN n %% 100 = 3 THEN 'someone' END, CASE WHEN n %% 100 = 3 THEN at END,
           CASE WHEN n %% 50 = 4 THEN '["export"]'::jsonb ELSE '[]' END, n %% 50 = 5
    FROM generate_series(1, 300000) AS n,
         LATERAL (SELECT now() - n * interval '5 min') AS contact (at), clients
    WHERE clients.id = %(client_id)s""",
)
_PAINTED: Final = """() => new Promise((done) => new PerformanceObserver((list) => {
  const last = list.getEntries().at(-1);
  if (last) done(last.startTime);
}).observe({ type: "largest-contentful-paint", buffered: true }))"""


class PageTimes(BaseModel):
    """The metrics for one page: the time until the complete response has arrived, and its size."""

    name: str
    p50_ms: float
    p95_ms: float
    html_bytes: int


class PageFigures(BaseModel):
    """The metrics for all pages. `static_gzip` is the total of scripts and styles in bytes.
    `paint_ms` is the median by page, empty without Chromium."""

    times: list[PageTimes]
    static_gzip: int
    paint_ms: dict[str, float]
    filled_in_s: float


class PagesContender(GatewayContender):
    def __init__(self, folder: Path) -> None:
        super().__init__(PAGES, folder)
        self._filled_in_s = 0.0

    async def _fill(self) -> None:
        began = time.monotonic()
        fill(self.owner_url, self.shops[:1], now=utc_now(), clients=1, messages=RUNS)
        with psycopg.connect(self.owner_url, cursor_factory=psycopg.ClientCursor) as owner:
            owner.execute("SET session_replication_role = replica")
            for statement in (*_READERS, *_TALKS):
                owner.execute(statement, {"client_id": self.shops[0].client_id})
            owner.execute("ANALYZE customers, customer_words, ai_conversations")
        self._filled_in_s = round(time.monotonic() - began, 1)

    async def figures(self) -> PageFigures:
        """Request every page equally often, sequentially, and return the metrics. Raises
        httpx.HTTPStatusError for a page that fails."""
        secret, thousandth, customer_id = await self._signed_in()
        url = f"http://127.0.0.1:{self.port}"
        pages = {
            "overview": "/app",
            "runs": "/app/runs",
            "runs, page 1,000": f"/app/runs?cursor={thousandth}",
            "runs, none fits": "/app/runs?status=failed",
            "runs, two filters": "/app/runs?status=needs_review&classification=complaint",
            "inbox": "/app/inbox",
            "inbox, mine": "/app/inbox?view=mine",
            "inbox, second approval": "/app/inbox?view=second",
            "inbox, unanswered": "/app/inbox?view=unanswered",
            "inbox, agent": "/app/inbox?view=agent",
            "inbox, all": "/app/inbox?view=all",
            "inbox, decided": "/app/inbox?view=decided",
            "inbox, open": "/app/inbox?view=all&status=open&assignee=-",
            "inbox, none fits": "/app/inbox?view=all&status=closed&tag=vip",
            "inbox, a topic none has": "/app/inbox?view=all&classification=complaint",
            "inbox, a review none has": "/app/inbox?claim=claimed",
            "inbox, unanswered and tagged": "/app/inbox?view=unanswered&tag=vip",
            "customers": "/app/customers",
            "customers, a rare name": "/app/customers?q=reader77",
            "customers, a common name": "/app/customers?q=camille",
            "customers, two names": "/app/customers?q=martin+camille",
            "a customer": f"/app/customers/{customer_id}",
            "insights": "/app/metrics",
            "policy": "/app/policy",
            "audit log": "/app/audit",
            "usage": "/app/usage",
            "palette, latest": "/app/palette",
            "palette, words": "/app/palette?q=zzzz",
            "palette, an order": "/app/palette?q=1042",
        }
        files = StaticFiles().files.values()
        return PageFigures(
            times=await _times(url, secret, pages),
            static_gzip=sum(len(gzip.compress(one.content)) for one in files),
            paint_ms=await _paints(url, secret, {"overview": "/app", "runs": "/app/runs"}),
            filled_in_s=self._filled_in_s,
        )

    async def _signed_in(self) -> tuple[str, str, str]:
        """Return an owner's session secret, the run id that is the cursor for page 1,000, and the
        latest customer's id."""
        client_id = self.shops[0].client_id
        database = Database(self.database_url, pool_size=1)
        try:
            units = UnitsOfWork(database, NearbyEngine({}), utc_now, new_ulid)
            async with units.everywhere() as work:
                owner = await work.connection.scalar(
                    sa.select(clients.c.owner_user_id).where(clients.c.id == client_id)
                )
                run_id = await work.connection.scalar(
                    sa.select(engine_runs.c.id)
                    .where(engine_runs.c.client_id == client_id)
                    .order_by(engine_runs.c.id.desc())
                    .offset(_THOUSANDTH)
                    .limit(1)
                )
                customer_id = await work.connection.scalar(
                    sa.select(customers.c.id)
                    .where(customers.c.client_id == client_id)
                    .order_by(customers.c.last_contact_at.desc())
                    .limit(1)
                )
                opened = await open_session(
                    work,
                    str(owner),
                    SessionKind.BROWSER,
                    Visitor("127.0.0.0/24", "bench"),
                    secrets.token_bytes(SECRET_BYTES),
                )
        finally:
            await database.close()
        return opened.secret, str(run_id), str(customer_id)


async def _times(url: str, secret: str, pages: dict[str, str]) -> list[PageTimes]:
    taken: dict[str, list[float]] = {name: [] for name in pages}
    sizes: dict[str, int] = {}
    cookies = {"session": secret}
    async with httpx.AsyncClient(base_url=url, cookies=cookies, trust_env=False) as http:
        for _ in range(_ROUNDS):
            for name, path in pages.items():
                began = time.perf_counter()
                answer = await http.get(path)
                taken[name].append((time.perf_counter() - began) * 1000)
                answer.raise_for_status()
                sizes[name] = len(answer.content)
    return [
        PageTimes(
            name=name,
            p50_ms=round(quantile(times, 0.5), 1),
            p95_ms=round(quantile(times, 0.95), 1),
            html_bytes=sizes[name],
        )
        for name, times in taken.items()
    ]


async def _paints(url: str, secret: str, pages: dict[str, str]) -> dict[str, float]:
    program = shutil.which("chromium")
    if program is None:
        return {}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = await browser.new_context(viewport={"width": 1280, "height": 900})
        await context.add_cookies([{"name": "session", "value": secret, "url": url}])
        page = await context.new_page()
        painted: dict[str, list[float]] = {name: [] for name in pages}
        for _ in range(_PAINTS):
            for name, path in pages.items():
                await page.goto(f"{url}{path}")
                painted[name].append(await page.evaluate(_PAINTED))
        await browser.close()
    return {name: round(median(times)) for name, times in painted.items()}
