"""The copilot with a language model on a local server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from adapters.brain.llm_models import models_of
from adapters.brain.question_clusters import QuestionReader
from adapters.copilot.document_files import document_index
from adapters.copilot.llm_talker import LlmTalker
from adapters.system import utc_now
from api.dashboard.formats import Formats
from domain.billing.model_money import ModelBudget
from domain.copilot.answer import CopilotAnswer
from domain.copilot.question import CopilotMessage, CopilotQuestion, Speaker
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.analytics.gaps import GapReading
from services.content.search_turns import MessageSearchTurns, search_turns
from services.copilot.copilot import Copilot, CopilotSetup
from services.core.fair_turns import FairTurns
from store.core.database import Database
from tests.support.agent.llm_brain import OPENAI, configured
from tests.support.servers.llm import LlmServer, llm_server
from tests.support.tenants.shop import Shop

DASHBOARD: Final = "https://app.example/app"


@dataclass
class Talking:
    """A conversation with the copilot. `heard` are the deltas of the last answer."""

    server: LlmServer
    copilot: Copilot
    heard: list[str] = field(default_factory=list)

    async def ask(self, shop: Shop, *questions: str, role: Role = Role.OWNER) -> CopilotAnswer:
        self.heard = []

        async def say(piece: str) -> None:
            self.heard.append(piece)

        actor = Actor.person(shop.owner_user_id, role)
        return await self.copilot.answer(shop.tenant, actor, asked(*questions), say)


def asked(*questions: str) -> CopilotQuestion:
    return CopilotQuestion(tuple(CopilotMessage(Speaker.USER, one) for one in questions))


@asynccontextmanager
async def talking(
    database: Database,
    model: str = OPENAI,
    *,
    budget_micros: int = 1_000_000,
    installation_day_micros: int | None = None,
    deadline_s: float = 10.0,
    searches: FairTurns | None = None,
) -> AsyncIterator[Talking]:
    async with llm_server() as server:
        talker = LlmTalker(models_of(configured(server, model).brain), deadline_s=deadline_s)
        turns = searches or search_turns()
        setup = CopilotSetup(
            documents=document_index(),
            gaps=GapReading(QuestionReader(), turns),
            message_searches=MessageSearchTurns(turns),
            formats=Formats,
            dashboard_url=DASHBOARD,
            talker=talker,
            budget=ModelBudget(
                month_micros=budget_micros, installation_day_micros=installation_day_micros
            ),
        )
        yield Talking(server, Copilot(setup, database, utc_now))
