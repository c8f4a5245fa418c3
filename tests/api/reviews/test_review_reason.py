"""The reason for a review: the same words in the inbox, on the review's page, in the analysis of
the run, and in the copilot."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import api.dashboard
from domain.agent.escalation_reason import EscalationReason
from domain.copilot.phrases import term
from domain.copilot.words import Tongue
from store.runs.tables import engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

WORDS = Path(api.dashboard.__file__).parent / "words"
NAMES: dict[str, dict[str, str]] = {
    language: tomllib.loads((WORDS / language / "terms.toml").read_text())["reasons"]
    for language in ("en", "fr")
}
ANOTHERS_ORDER = {"state": "not_theirs", "number": "1042"}


def parts(inbox: str, review: str, run: str) -> dict[str, str]:
    """Return the parts of the three pages that name the reason."""
    found = {
        "list": re.search(r'<td class="reason">.*?</td>', inbox, re.DOTALL),
        "lead": re.search(r'<p class="lead">.*?</p>', review, re.DOTALL),
        "card": re.search(r'<section class="card" id="reason">.*?</section>', review, re.DOTALL),
        "analysis": re.search(r'<li id="reason">.*?</li>', run, re.DOTALL),
    }
    assert all(found.values()), found
    return {name: one[0] for name, one in found.items() if one}


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize(
    ("reason", "run"),
    [
        # The run's own reasons differ after a second round.
        (EscalationReason.TOOL_FAILURE, {"hold": "missing_knowledge", "doubt": "low_confidence"}),
        (EscalationReason.POLICY_RESTRICTION, {"lookup": ANOTHERS_ORDER, "doubt": "unsafe_input"}),
    ],
)
async def test_a_review_has_one_reason_everywhere(
    front: LiveEngine, shop: Shop, language: str, reason: EscalationReason, run: dict[str, Any]
) -> None:
    review_id = await open_review(
        front.database, shop, reason=reason, handoff_reason="customer_request", **run
    )
    run_id = (await only_row(front.database, engine_runs, of=shop))["id"]
    async with at_pages(front, shop, language=language) as owner:
        review = await owner.see(f"/app/reviews/{review_id}")
        said = parts(await owner.see("/app/inbox"), review, await owner.see(f"/app/runs/{run_id}"))

    others = [text for code, text in NAMES[language].items() if code != reason]
    for name, part in said.items():
        assert NAMES[language][reason] in part, name
        assert not [text for text in others if text in part], name
    explained = said["lead"].partition("</strong>")[2].removesuffix("</p>").strip()
    assert explained
    assert explained in said["analysis"]


async def test_a_sensitive_topic_is_explained_as_one(front: LiveEngine, shop: Shop) -> None:
    """The team always answers such a message: no rule of the merchant asks for approval."""
    review_id = await open_review(
        front.database, shop, reason=EscalationReason.POLICY_RESTRICTION, sensitive="health"
    )
    async with at_pages(front, shop) as owner:
        page = await owner.see(f"/app/reviews/{review_id}")
    lead = re.search(r'<p class="lead">.*?</p>', page, re.DOTALL)
    assert lead
    assert "Your team always answers this sensitive topic: health." in lead[0]
    assert "One of your rules" not in lead[0]


@pytest.mark.parametrize("tongue", ["en", "fr"])
def test_the_copilot_names_reasons_as_the_pages_do(tongue: Tongue) -> None:
    for reason in EscalationReason:
        name = NAMES[tongue][reason].replace("’", "'")
        assert term(tongue, reason) == name[0].lower() + name[1:], reason
