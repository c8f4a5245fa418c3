"""The test box in an article's editor. It shows the agent's answer with the unsaved text."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, Self

from pydantic import BaseModel, Field

from api.dashboard.page import Page
from api.dashboard.post import Post
from api.dashboard.scenario_form import BLANK
from api.simulating import simulated
from domain.core.errors import DomainError
from domain.intake.rate_limit import LimitScope
from domain.simulation.asked import SimulationAsked
from domain.simulation.outcome import SimulatedOutcome
from domain.simulation.scenario import Scenario, ScenarioMessage
from domain.simulation.variant import ContentVariant, Variant
from store.content.content_overlay import TRIED_ID

MAX_QUESTION: Final = 2_000


class _Question(BaseModel):
    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION)]


@dataclass(frozen=True, slots=True)
class ArticleTrial:
    """The result of a test question: an `outcome`, or an `error` code. `is_used` means that the
    answer uses the edited article."""

    outcome: SimulatedOutcome | None = None
    error: str | None = None
    is_used: bool = False

    @classmethod
    def of(cls, outcome: SimulatedOutcome, article_id: str) -> Self:
        return cls(outcome, is_used=any(one.id == article_id for one in outcome.sources))


async def try_article(post: Post, read_change: Callable[[], ContentVariant]) -> ArticleTrial:
    """Simulate the form's question with the unsaved article. Nothing is saved or sent.

    `read_change` returns the article. Its errors become part of the result, so that the page keeps
    the form's input.
    """
    page = post.page
    try:
        change = read_change()
        asked = post.body(_Question, question=post.text("question").strip())
        outcome = await _ask(page, asked.question, change)
    except DomainError as error:
        return ArticleTrial(error=error.code)
    return ArticleTrial.of(outcome, change.id or TRIED_ID)


async def _ask(page: Page, question: str, change: ContentVariant) -> SimulatedOutcome:
    resources = page.resources
    await resources.limiter.check_request(
        page.request, LimitScope.SIMULATOR, page.request.state.caller, page.now
    )
    scenario = Scenario(messages=(ScenarioMessage(text=question),), event_type=BLANK["event_type"])
    asked = SimulationAsked(scenario=scenario, variant=Variant(content=change))
    return (await simulated(resources, page.actor, page.tenant, asked)).last
