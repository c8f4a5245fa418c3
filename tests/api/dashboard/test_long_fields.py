"""Form fields that are longer than their use case accepts, or that are expensive to read."""

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import httpx
import pytest

from api.dashboard.forms import LONG_FIELDS, MAX_FIELD
from domain.content.content import MAX_BODY
from domain.playbooks.file import MAX_FILE_BYTES
from store.dashboard.tables import page_drafts
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import PageVisitor, at_pages, form_of
from tests.support.learning.corrections import corrected
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

# CPU time of the event loop for one request. A page costs more than a redirect.
SECONDS = 0.5
BRACES = "{" * (MAX_BODY - 10)
LONGER = "{" * (MAX_FIELD + 1)
ARTICLES, ARTICLE = "/app/knowledge", "/app/knowledge/new"
TEMPLATES, TEMPLATE = "/app/templates", "/app/templates/new"
PLAYBOOKS, PLAYBOOK = "/app/playbooks", "/app/playbooks/new"


async def cpu_of(send: Callable[[], Awaitable[httpx.Response]]) -> tuple[httpx.Response, float]:
    started = time.thread_time()
    answer = await send()
    return answer, time.thread_time() - started


async def posted(
    owner: PageVisitor, page: str, form: str, fields: Mapping[str, str]
) -> tuple[httpx.Response, float]:
    """Submit a form. Return its response and this thread's CPU seconds."""
    hidden = form_of(await owner.see(page), form)
    return await cpu_of(lambda: owner.http.post(form, data={**hidden, **fields}))


TEMPLATE_FIELDS = {"name": "1", "category": "other", "language": "", "intent": "", "not_for": ""}


@pytest.mark.parametrize(
    ("page", "form", "fields"),
    [
        (ARTICLE, ARTICLES, {"title": "t", "language": ""}),
        (TEMPLATE, TEMPLATE, TEMPLATE_FIELDS),
        (TEMPLATE, TEMPLATE, {**TEMPLATE_FIELDS, "preview": "1"}),
    ],
)
async def test_a_body_of_braces_costs_little(
    front: LiveEngine, shop: Shop, page: str, form: str, fields: dict[str, str]
) -> None:
    async with at_pages(front, shop) as owner:
        answer, seconds = await posted(owner, page, form, {**fields, "body": BRACES})
        assert (answer.status_code, seconds < SECONDS) == (
            200 if "preview" in fields else 303,
            True,
        ), seconds
        answer, seconds = await posted(owner, page, form, {**fields, "body": LONGER})
        assert (answer.status_code, seconds < SECONDS) == (400, True), seconds


async def test_a_kept_draft_of_braces_costs_little(front: LiveEngine, shop: Shop) -> None:
    """The template's page reads the draft each time it is shown."""
    async with at_pages(front, shop) as owner:
        hidden = form_of(await owner.see(TEMPLATE), TEMPLATE)
        fields = {**hidden, **TEMPLATE_FIELDS, "_form": TEMPLATE}
        draft = {**fields, "body": "{" * MAX_FIELD}
        assert (await owner.http.post("/app/drafts", data=draft)).status_code == 204
        seen, seconds = await cpu_of(lambda: owner.http.get(TEMPLATE))
        assert "{{{{{{" in seen.text
        assert seconds < SECONDS

        draft = {**fields, "body": LONGER}
        assert (await owner.http.post("/app/drafts", data=draft)).status_code == 400
    (kept,) = await rows(front.database, page_drafts, of=shop)
    assert len(kept["fields"]["body"]) == MAX_FIELD


async def test_an_answer_of_braces_is_not_kept_as_an_article(front: LiveEngine, shop: Shop) -> None:
    review_id = await open_review(front.database, shop)
    form = f"/app/reviews/{review_id}/knowledge"
    async with at_pages(front, shop) as owner:
        for body, status in ((BRACES, 303), (LONGER, 400)):
            fields = {"title": "t", "language": "", "body": body}
            answer, seconds = await posted(owner, form, form, fields)
            assert (answer.status_code, seconds < SECONDS) == (status, True), seconds


async def test_a_correction_of_braces_costs_little(front: LiveEngine, shop: Shop) -> None:
    form = f"/app/corrections/{await corrected(front.database, shop)}/accept"
    async with at_pages(front, shop) as owner:
        for body, status in ((LONGER, 400), (BRACES, 303)):
            fields = {
                "classification": "other",
                "intent": "",
                "content": "on",
                "title": "t",
                "body": body,
            }
            page = form.removesuffix("/accept")
            answer, seconds = await posted(owner, page, form, fields)
            assert (answer.status_code, seconds < SECONDS) == (status, True), seconds


@pytest.mark.parametrize("field", ["actions.refund.intents", "actions.refund.tags"])
async def test_a_playbook_of_many_words_costs_little(
    front: LiveEngine, shop: Shop, field: str
) -> None:
    fields = {
        "name": "x",
        "event_type": "email.*",
        "actions.refund.level": "auto",
        "shape": "fields",
    }
    async with at_pages(front, shop) as owner:
        hidden = form_of(await owner.see(PLAYBOOK), PLAYBOOKS)
        for length, status in ((MAX_FIELD, 303), (400_000, 400)):
            words = {**hidden, **fields, field: "a," * (length // 2)}
            answer, seconds = await cpu_of(partial(owner.http.post, PLAYBOOKS, data=words))
            assert (answer.status_code, seconds < SECONDS) == (status, True), seconds
        seen, seconds = await cpu_of(lambda: owner.http.get(PLAYBOOK))
        assert (seen.status_code, seconds < SECONDS) == (200, True), seconds


async def test_long_files_are_still_accepted(front: LiveEngine, shop: Shop) -> None:
    """The length of a field counts a line break once, although browsers send two characters."""
    assert LONG_FIELDS["yaml"] == MAX_FILE_BYTES
    article = {"title": "t", "language": "en", "body": "\r\n".join(["The text is long. "] * 1_000)}
    async with at_pages(front, shop) as owner:
        answer, _ = await posted(owner, ARTICLE, ARTICLES, article)
        assert (await owner.follow(answer)).count("The text is long.") >= 1_000
        at = "/app/knowledge/import"
        text = "title,body\n" + "".join(f"Title {n},{'word ' * 100}\n" for n in range(200))
        seen = await owner.send(at, at, {"form": "csv", "language": "en", "text": text})
        assert "Add 200 and update 0" in seen.text
