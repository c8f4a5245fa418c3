"""The export records for a planned conversation."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Final

from demo.history.message_records import Draws, MessageRecords, ShopFacts
from demo.history.plan import SampleTalk
from demo.history.topics import SampleOutcome
from domain.agent.thread import Thread
from domain.exports.conversation_records import (
    ConversationRecord,
    EscalationRecord,
    MessageRecord,
    SentimentRecord,
)
from domain.exports.export import Section
from domain.exports.learning_records import CorrectionExportRecord
from domain.exports.reply_records import NoteRecord
from domain.exports.sample_history import SampleHistory
from domain.learning.correction import CorrectionKind, CorrectionState
from domain.reviews.escalation import EscalationStatus
from domain.runs.conversation import (
    PastRun,
    conversation_key,
    key_when_ended,
    memory_key,
    summary,
)
from domain.runs.sentiment import Scored, Zone, zones

_TAKEN_FOR: Final = timedelta(hours=36)


class HistoryRecorder:
    """A converter of planned conversations into records, oldest conversation first."""

    def __init__(self, shop: ShopFacts, draws: Draws, now: datetime) -> None:
        self._shop = shop
        self._draws = draws
        self._now = now
        self._past: dict[str, list[PastRun]] = defaultdict(list)
        self.made = SampleHistory()

    def add(self, talk: SampleTalk, number: int) -> None:
        """Add a conversation's records. `number`: its number in the plan, which also determines the
        name of its helpdesk ticket."""
        talk_id = self._draws.id(talk.begins_at)
        messages: list[MessageRecord] = []
        scored: list[Scored] = []
        key = ""
        remembered: str | None = None
        for exchange in talk.exchanges:
            event_id = self._draws.id(exchange.at)
            written = MessageRecords(self._shop, self._draws, talk, exchange, event_id, number)
            if not key:
                key = conversation_key(written.unified, event_id)
                remembered = memory_key(written.unified)
            messages += written.messages()
            scored.append(Scored(event_id, exchange.mood))
            self._keep(written, talk_id)
            self._past[remembered or talk_id].append(written.past())
        self.made.sections[Section.AI_CONVERSATIONS].append(
            self._conversation(talk, talk_id, (key, remembered), messages, scored)
        )
        if talk.note and talk.last.decided_at is not None:
            self._note(talk, talk_id, scored[-1].event_id, talk.last.decided_at)

    def _keep(self, written: MessageRecords, talk_id: str) -> None:
        sections, draws = self.made.sections, self._draws
        run, at = written.run(), written.exchange.at
        sections[Section.ENGINE_RUNS].append(run)
        self.made.tickets[run.event_id] = at
        sections[Section.SENTIMENT_LOGS].append(
            SentimentRecord(
                id=draws.id(at),
                conversation_id=talk_id,
                event_id=run.event_id,
                score=written.exchange.mood,
                is_critical=zones([Scored(run.event_id, written.exchange.mood)])[0]
                is Zone.CRITICAL,
                created_at=at,
            )
        )
        if rating := written.rating():
            sections[Section.RATINGS].append(rating)
        if reply := written.member_reply(talk_id):
            sections[Section.CONVERSATION_REPLIES].append(reply)
        if written.exchange.outcome is SampleOutcome.WAITING:
            self.made.open_reviews.append(written.open_review())
        elif review := written.review():
            sections[Section.ESCALATION_TICKETS].append(review)
            if correction := _correction(review, draws, self._now):
                sections[Section.CORRECTIONS].append(correction)

    def _conversation(
        self,
        talk: SampleTalk,
        talk_id: str,
        keys: tuple[str, str | None],
        messages: list[MessageRecord],
        scored: list[Scored],
    ) -> ConversationRecord:
        key, remembered = keys
        last, by_people = talk.last, not talk.last.outcome.is_alone
        last_at = max(message.created_at for message in messages)
        member = self._shop.members[last.member][0] if by_people else None
        is_handed = last.outcome in (SampleOutcome.REPLIED, SampleOutcome.UNANSWERED)
        is_taken = last.outcome is SampleOutcome.REPLIED and last_at > self._now - _TAKEN_FOR
        order = next((it.order for it in talk.exchanges if it.order), None)
        return ConversationRecord(
            id=talk_id,
            key=key_when_ended(key, talk_id) if talk.ended_at else key,
            memory_key=remembered,
            channel=talk.channel,
            customer_email=talk.customer.email if talk.customer else None,
            summary=summary(self._past[remembered or talk_id]),
            thread=Thread(
                order_number=order.number if order else None,
                named_by_customer=order is not None,
                language=talk.language,
            ),
            sentiment=scored[-1].score,
            is_critical=zones(scored)[-1] is Zone.CRITICAL,
            handed_over_at=last.decided_at if is_handed else None,
            taken_by=member if is_taken else None,
            taken_at=last.decided_at if is_taken else None,
            closed_at=None if is_taken else self._closed_at(talk, last_at),
            snoozed_until=None,
            assignee=member if last.outcome is not SampleOutcome.WAITING else None,
            tags=(last.topic.tag,) if by_people and last.topic.tag else (),
            ended_at=talk.ended_at,
            created_at=talk.begins_at,
            last_message_at=last_at,
            messages=tuple(messages),
        )

    def _closed_at(self, talk: SampleTalk, last_at: datetime) -> datetime | None:
        """Return the time when members closed the conversation, or None if they did not close it.
        Members close most conversations that they answered, and those that end with thanks."""
        if talk.last.outcome in (SampleOutcome.WAITING, SampleOutcome.UNANSWERED):
            return None
        closes = self._draws.chance(0.3 if talk.last.outcome.is_alone else 0.85)
        at = last_at + timedelta(hours=self._draws.between(1, 9))
        closes = closes or talk.last.outcome is SampleOutcome.CLOSED
        return at if closes and at < self._now else None

    def _note(self, talk: SampleTalk, talk_id: str, event_id: str, decided: datetime) -> None:
        at = talk.last.at + (decided - talk.last.at) * 0.8
        self.made.sections[Section.CONVERSATION_NOTES].append(
            NoteRecord(
                id=self._draws.id(at),
                conversation_id=talk_id,
                event_id=event_id,
                author=self._shop.members[talk.last.member][0],
                body=talk.note,
                created_at=at,
            )
        )


def _correction(
    review: EscalationRecord, draws: Draws, now: datetime
) -> CorrectionExportRecord | None:
    """Return the correction for an edited or rejected draft, or None for any other draft. Members
    have dismissed the older corrections."""
    kind, decided = _CORRECTED.get(review.status), review.decided_at
    if kind is None or decided is None or not review.draft:
        return None
    is_open = decided > now - _CORRECTIONS_OPEN
    return CorrectionExportRecord(
        id=draws.id(decided),
        review_id=review.id,
        run_id=review.run_id,
        kind=kind,
        state=CorrectionState.OPEN if is_open else CorrectionState.DISMISSED,
        decided_by=None if is_open else review.decided_by,
        decided_at=None if is_open else decided + timedelta(hours=20),
        case_id=None,
        content_kind=None,
        content_id=None,
        created_at=decided,
    )


_CORRECTIONS_OPEN: Final = timedelta(days=7)
_CORRECTED: Final = {
    EscalationStatus.EDITED: CorrectionKind.EDITED,
    EscalationStatus.REJECTED: CorrectionKind.REJECTED,
}
