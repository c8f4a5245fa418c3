"""Choose between a language model and the embedded copilot for each question. The language model
answers until the budget is used up."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog

from domain.billing.model_money import NO_MODEL_BUDGET, BudgetRefusal, ModelBudget
from domain.copilot.answer import CopilotAnswer
from domain.copilot.documents import DocumentIndex
from domain.copilot.errors import TalkFailed
from domain.copilot.formats import FormatsOf
from domain.copilot.phrases import phrase
from domain.copilot.ports import Say, TalkCost, Talked, Talker
from domain.copilot.question import CopilotQuestion
from domain.copilot.rules import rules_for
from domain.copilot.safe_text import SafeText
from domain.copilot.words import Tongue, tongue_of
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.tenants.actor import ANYONE, Actor
from services.analytics.gaps import GapReading
from services.content.search_turns import MessageSearchTurns
from services.copilot.copilot_service import CopilotService, Trail
from services.copilot.embedded_copilot import EMBEDDED, compose
from services.copilot.tools.every_tool import COPILOT_TOOLS
from services.core.model_money import ModelMoney
from store.core.database import Database

_log = structlog.get_logger(__name__)

_NO_MONEY: Final = {BudgetRefusal.MONTH: "no_money", BudgetRefusal.DAY: "no_money_today"}


@dataclass(frozen=True, slots=True)
class CopilotSetup:
    """The copilot's configuration. `formats` format dates and numbers as on dashboard pages.
    `talker` is None without a language model."""

    documents: DocumentIndex
    gaps: GapReading
    message_searches: MessageSearchTurns
    formats: FormatsOf
    dashboard_url: str
    talker: Talker | None = None
    budget: ModelBudget = NO_MODEL_BUDGET


class Copilot:
    """The copilot that answers members' questions. Each process has one instance."""

    def __init__(self, setup: CopilotSetup, database: Database, now: Clock) -> None:
        self._setup = setup
        self._database = database
        self._money = ModelMoney(database, setup.budget, now)
        self._now = now

    async def answer(
        self, tenant: TenantId, actor: Actor, question: CopilotQuestion, say: Say
    ) -> CopilotAnswer:
        """Answer a member's question, passing the text to `say` piece by piece.

        Reads only what the member's role may read, and writes only the cost of the language model.
        Raises RoleRequired, CallerBusy, EngineUnavailable.
        """
        actor.require(ANYONE)
        now, asker = self._now(), question.asker
        tongue = tongue_of(question.text, asker.language)
        trail = Trail(
            CopilotService(
                database=self._database,
                tenant=tenant,
                actor=actor,
                now=now,
                zone=asker.zone,
                formats=self._setup.formats(tongue, asker.zone, now),
                dashboard_url=self._setup.dashboard_url,
                documents=self._setup.documents,
                gaps=self._setup.gaps,
                searches=self._setup.gaps.searches,
                message_searches=self._setup.message_searches,
            )
        )
        notice: str | None = None
        if self._setup.talker is not None:
            found = await self._by_model(self._setup.talker, trail, question, say, tongue)
            if isinstance(found, CopilotAnswer):
                return found
            notice = found
        return await _embedded(trail, question, say, notice)

    async def _by_model(
        self,
        talker: Talker,
        trail: Trail,
        question: CopilotQuestion,
        say: Say,
        tongue: Tongue,
    ) -> CopilotAnswer | str:
        """Return the language model's answer, or the reason why the model gave none."""
        reserved = await self._money.reserve(trail.copilot.tenant, talker.reserve_micros)
        if isinstance(reserved, BudgetRefusal):
            return phrase(tongue, _NO_MONEY[reserved])
        voice = _Voice(SafeText(trail.links, rules_for(trail.copilot.now.date())), say)
        # If the call to the language model is interrupted, its cost is unknown. The full
        # reservation is then charged.
        cost = TalkCost(cost_micros=talker.reserve_micros)
        try:
            talked = await talker.talk(
                question,
                trail.offered(COPILOT_TOOLS),
                rules_for(trail.copilot.now.date()),
                voice.add,
            )
            cost = talked.cost
        except TalkFailed as failure:
            cost = failure.cost
            _log.warning("copilot answered without the language model", code=failure.code)
            return phrase(tongue, "no_model")
        finally:
            await self._money.book(
                trail.copilot.tenant,
                reserved,
                tokens_in=cost.tokens_in,
                tokens_out=cost.tokens_out,
                cost_micros=cost.cost_micros,
                reserved_micros=talker.reserve_micros,
            )
        return await _answer(talked, voice, trail, tongue)


class _Voice:
    """The filter that forwards the parts of an answer that are safe to show, and keeps a copy of
    these parts."""

    def __init__(self, safe: SafeText, say: Callable[[str], Awaitable[None]]) -> None:
        self._safe = safe
        self._say = say
        self._said: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._said)

    async def add(self, piece: str) -> None:
        await self._pass_on(self._safe.add(piece))

    async def end(self, last: str = "") -> None:
        await self._pass_on(self._safe.end() + last)

    async def _pass_on(self, piece: str) -> None:
        if piece:
            self._said.append(piece)
            await self._say(piece)


async def _answer(talked: Talked, voice: _Voice, trail: Trail, tongue: Tongue) -> CopilotAnswer:
    await voice.end("" if talked.is_whole else f"\n{phrase(tongue, 'cut')}")
    return CopilotAnswer(
        text=voice.text.strip(),
        citations=tuple(trail.citations.values()),
        drafts=tuple(trail.drafts),
        model=talked.model,
    )


async def _embedded(
    trail: Trail, question: CopilotQuestion, say: Say, notice: str | None
) -> CopilotAnswer:
    composed = await compose(trail, question)
    voice = _Voice(SafeText(trail.links), say)
    await voice.add(composed.text)
    await voice.end()
    return CopilotAnswer(
        text=voice.text,
        citations=tuple(trail.citations.values()),
        drafts=tuple(trail.drafts),
        can_not=composed.can_not,
        model=EMBEDDED,
        notice=notice,
    )
