"""The page of a rating link: viewing it records nothing, one click does."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from activities.integrations.rating_question import RatingQuestion
from adapters.system import new_ulid, utc_now
from domain.integrations.mail_allowance import MailGroup
from domain.ratings.rating import MAX_COMMENT
from domain.ratings.rating_link import RATING_PATH, RatedRun, rating_token
from domain.tenants.client_settings import Branding, SettingsChange
from services.tenants.client_settings import change_settings
from store.intake.tables import engine_events
from store.ratings.tables import ratings
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.core.units import units_on
from tests.support.identity.sign_in import new_address
from tests.support.integrations.mailers import MAIL, client_mail, mailer_to
from tests.support.learning.corrections import OPERATOR
from tests.support.runs.conversation import say, write
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop, with_sender


async def _run(front: LiveEngine, shop: Shop, language: str | None = "fr") -> str:
    ref = await write(front.database, shop)
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs).where(engine_runs.c.id == ref.run_id).values(language=language)
        )
    return ref.run_id


def _path(front: LiveEngine, shop: Shop, run_id: str, *, days: int = 60) -> str:
    run = RatedRun(client_id=shop.client_id, run_id=run_id)
    expires_at = utc_now() + timedelta(days=days)
    return f"{RATING_PATH}/{rating_token(front.app.state.resources.sealer, run, expires_at)}"


async def _set(front: LiveEngine, shop: Shop, change: SettingsChange) -> None:
    async with units_on(front.database).of(shop.tenant) as work:
        await change_settings(work, OPERATOR, change)


async def test_a_get_records_nothing_and_a_click_does(front: LiveEngine, shop: Shop) -> None:
    await _set(front, shop, SettingsChange(branding=Branding(display_name="Chez <Nous>")))
    run_id = await _run(front, shop)
    path = _path(front, shop, run_id)
    before = await row_counts(front.database, of=shop)

    page = await front.http.get(path)
    head = await front.http.head(path)

    assert (page.status_code, head.status_code) == (200, 405)
    assert await row_counts(front.database, of=shop) == before
    assert page.headers["content-language"] == "fr"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "private, no-store"
    assert "<script" not in page.text
    assert "Chez &lt;Nous&gt;" in page.text
    assert page.text.count('name="score"') == 5

    first = await front.http.post(path, data={"score": "2", "comment": "Trop <lent>"})
    again = await front.http.post(path, data={"score": "4", "comment": ""})

    assert (first.status_code, again.status_code) == (200, 200)
    assert "4 sur 5" in again.text
    row = await only_row(front.database, ratings, of=shop)
    assert (row["run_id"], row["score"], row["comment"], row["channel"]) == (
        run_id, 4, "Trop <lent>", "mail",
    )  # fmt: skip
    assert row["updated_at"] is not None


@pytest.mark.parametrize(
    "form",
    [
        {"score": ""},
        {"score": "0"},
        {"score": "6"},
        {"score": "٣"},
        {"score": "5.0"},
        {"score": "3", "comment": "x" * (MAX_COMMENT + 1)},
    ],
    ids=["none", "0", "6", "other digits", "fraction", "long comment"],
)
async def test_what_is_no_rating_is_asked_again(
    front: LiveEngine, shop: Shop, form: dict[str, str]
) -> None:
    answer = await front.http.post(_path(front, shop, await _run(front, shop, "en")), data=form)

    assert answer.status_code == 400
    assert "Choose one of the five" in answer.text
    assert await rows(front.database, ratings, of=shop) == []


async def test_links_that_lead_nowhere(front: LiveEngine, shop: Shop) -> None:
    run_id = await _run(front, shop)
    old, gone = _path(front, shop, run_id, days=0), _path(front, shop, new_ulid())
    for path, status in ((old, 410), (gone, 404), (f"{RATING_PATH}/x", 404)):
        for answer in (
            await front.http.get(path),
            await front.http.post(path, data={"score": "5"}),
        ):
            assert answer.status_code == status
            assert "<form" not in answer.text
    good = _path(front, shop, run_id)
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.client_id == shop.client_id)
            .values(erased_at=utc_now())
        )
    assert (await front.http.post(good, data={"score": "5"})).status_code == 404
    assert await rows(front.database, ratings, of=shop) == []


@pytest.mark.parametrize(
    ("thread", "ago", "is_asked"),
    [
        ({}, timedelta(days=2), True),
        ({}, timedelta(hours=23), False),
        ({"asked_number": "return"}, timedelta(days=2), False),
        ({"proposal": {"kind": "return"}}, timedelta(days=2), False),
    ],
    ids=["an answer", "another that day", "asks for a number", "asks for a yes"],
)
async def test_a_question_to_the_customer_is_not_rated_nor_each_answer_of_a_day(
    front: LiveEngine, shop: Shop, thread: dict[str, object], ago: timedelta, is_asked: bool
) -> None:
    await _set(front, shop, SettingsChange(ask_rating=True))
    now = utc_now()
    before = await write(front.database, shop, now=now - ago)
    await say(front.database, shop, before, now - ago)
    latest = await write(front.database, shop, now=now)
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.id == latest.run_id)
            .values(thread_after=thread)
        )
        question = RatingQuestion(front.app.state.resources.sealer, "https://s.example", utc_now)
        mail = await question.added_to(connection, shop.tenant, MAIL, latest.run_id)
    assert ("app/rate" in mail.text) is is_asked


async def test_one_address_opens_sixty_links_a_minute(front: LiveEngine) -> None:
    asked = [(await front.http.get(f"{RATING_PATH}/x")).status_code for _ in range(61)]
    assert asked == [404] * 60 + [429]
    assert (await front.http.post(f"{RATING_PATH}/x", data={"score": "5"})).status_code == 429


async def test_a_mail_asks_where_the_shop_wants_it(
    front: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    sealer = front.app.state.resources.sealer
    question = RatingQuestion(sealer, "https://support.example", utc_now)
    by_client = client_mail(front.database, mailer_to(mail.url), question)
    await with_sender(front.database, shop)
    run_id = await _run(front, shop, "en")
    written = MAIL.model_copy(update={"to": new_address()})

    await by_client.send(shop.tenant, written, MailGroup.ANSWERS, answer_of=run_id)
    await _set(front, shop, SettingsChange(ask_rating=True))
    await by_client.send(shop.tenant, written, MailGroup.ANSWERS, answer_of=run_id)
    await by_client.send(shop.tenant, written, MailGroup.ANSWERS)

    off, asked, other = (plain_text(one) for one in mail.mails if one["To"] == written.to)
    assert "app/rate" not in off + other
    link = asked.split()[-1]
    assert link.startswith(f"https://support.example{RATING_PATH}/")
    page = await front.http.get(link.removeprefix("https://support.example"))
    assert page.headers["content-language"] == "en"
