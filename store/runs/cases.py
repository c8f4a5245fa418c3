"""The case: the data of a run that the run's steps need, read by one query."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa
from pydantic import TypeAdapter

from domain.agent.brain import Category, Turn
from domain.agent.escalation_reason import EscalationReason
from domain.agent.frame import AnswerFrame
from domain.agent.greeting import greeted_name
from domain.agent.plan import PlannedAction
from domain.agent.rulebook import Rulebook
from domain.agent.template import clean_value
from domain.agent.thread import Thread
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Lookup
from domain.integrations.protected_names import mailable_name
from domain.runs.conversation import CORRESPONDENCE_LASTS, MAX_ANSWERS_WITHOUT_PERSON, memory_key
from domain.runs.errors import RunNotFound
from domain.runs.run import RunDraft
from domain.tenants.answer_decision import LATEST_DECISION
from domain.tenants.disclosure import disclosed, disclosure_line
from domain.tenants.guidance import Guidance
from store.core.repository import TenantRepository
from store.intake.tables import attachments, engine_events
from store.integrations.tables import mail_senders
from store.playbooks.tables import playbook_versions
from store.reviews.tables import escalation_tickets
from store.runs.runs import EVENT_OF_RUN, HUMAN_TEXT, VERSION_OF_RUN
from store.runs.tables import ai_conversations, customer_memories, engine_messages, engine_runs
from store.tenants.tables import client_settings, clients

_PLAN: TypeAdapter[tuple[PlannedAction, ...]] = TypeAdapter(tuple[PlannedAction, ...])
_TURNS: TypeAdapter[tuple[Turn, ...]] = TypeAdapter(tuple[Turn, ...])


@dataclass(frozen=True, slots=True)
class Case:
    """A run with its event, its conversation and its client's settings.

    - `draft`: None before the brain has answered.
    - `human_text`: a human's reply that replaces the draft, or None.
    - `turns`: the thread's messages before this event.
    - `thread`: the thread's settled facts.
    - `summary`: the outcomes of the customer's earlier tickets in all threads.
    - `conversation_id`: None before the event is normalized.
    - `automatic_turns`: the agent's answers in the thread in the hour before this message.
    - `unattended_turns`: the agent's answers to this sender, by email or ticket, since a human last
      answered.
    - `is_held`: human agents handle the thread because of an open review or a handoff.
    - `is_taken`: a member has taken over the thread, or has written an unsent reply.
    - `approvals`: the number of approvers.
    - `joined_review`: the review that the message joined.
    - `sender_name`: the sender's name in emails to the customer.
    - `frame`: the client's greeting and signature for this customer.
    - `disclosure`: the AI disclosure in the language of the answer, or "".
    """

    event: UnifiedEvent
    conversation_id: str | None
    playbook_id: str
    playbook_version: int
    brand_name: str
    sender_name: str
    system_prompt: str
    guidance: Guidance
    sensitive_words: tuple[str, ...]
    frame: AnswerFrame
    answers_from_knowledge: bool
    answer_decision: int
    rulebook: Rulebook
    turns: tuple[Turn, ...]
    thread: Thread
    automatic_turns: int
    unattended_turns: int
    is_held: bool
    summary: str
    lookup: Lookup | None
    draft: RunDraft | None
    approvals: int
    human_text: str | None
    has_files: bool = False
    is_taken: bool = False
    joined_review: str | None = None
    disclosure: str = ""

    @property
    def delivered(self) -> str:
        """Return the reply as sent by email or ticket. The AI disclosure is included if the agent
        wrote the reply, but not if a human agent did."""
        if self.human_text is not None:
            return self.human_text
        return disclosed(self.words, self.disclosure)

    @property
    def words(self) -> str:
        """Return the reply to send: a human agent's text if there is one, otherwise the draft."""
        if self.human_text is not None:
            return self.human_text
        return "" if self.draft is None else self.draft.text


class CaseRepository(TenantRepository):
    async def is_taken(self, run_id: str) -> bool:
        """Return True if a member has now taken over the run's thread, as in `Case.is_taken`."""
        this = {"client_id": self._tenant, "run_id": run_id}
        return bool(await self._connection.scalar(_IS_TAKEN_NOW, this))

    async def read(self, run_id: str) -> Case:
        """Return the case of a run whose event is normalized. Raises RunNotFound if there is no
        such run or its customer is being erased."""
        row = await self._one(
            _CASE, {"client_id": self._tenant, "run_id": run_id}, RunNotFound(run_id)
        )
        event = UnifiedEvent.model_validate(
            {**row.unified, "subject": row.subject, "text": row.text}
        )
        brand_name = mailable_name(row.brand_name, row.mail_address)
        return Case(
            event=event,
            conversation_id=row.conversation_id,
            playbook_id=row.playbook_id,
            playbook_version=row.playbook_version,
            brand_name=brand_name,
            sender_name=clean_value(row.display_name or "") or row.brand_name,
            system_prompt=row.system_prompt or "",
            guidance=Guidance.model_validate(row.guidance or {}),
            sensitive_words=tuple(row.sensitive_words or ()),
            frame=AnswerFrame.of(
                row.frame or {}, brand_name=brand_name, customer_name=greeted_name(event)
            ),
            answers_from_knowledge=row.answers_from_knowledge is not False,
            answer_decision=row.answer_decision or LATEST_DECISION,
            rulebook=Rulebook.model_validate(row.rulebook),
            turns=_TURNS.validate_python(row.turns or []),
            thread=_thread(row).seen_by(event),
            automatic_turns=row.automatic_turns,
            unattended_turns=row.unattended_turns,
            is_held=bool(row.is_held),
            # If the author of a ticket is not the ticket's customer, the memory is omitted, because
            # the author must not see the customer's memory.
            summary=(row.summary or "") if memory_key(event) == row.memory_key else "",
            lookup=Lookup.model_validate(row.lookup) if row.lookup else None,
            approvals=row.approvals or 0,
            draft=_draft(row),
            human_text=row.human_text,
            has_files=bool(row.has_files),
            is_taken=bool(row.is_taken),
            joined_review=row.joined_review,
            disclosure=disclosure_line(row.disclosure_status, row.disclosure, row.language or "en"),
        )


# The approvers in the latest decided round: the reviewer who decided, and the other approver, if
# any.
_APPROVALS: Final = (
    sa.select(
        1
        + sa.func.coalesce(
            escalation_tickets.c.first_approved_by != escalation_tickets.c.decided_by, sa.false()
        ).cast(sa.Integer)
    )
    .where(
        escalation_tickets.c.client_id == engine_runs.c.client_id,
        escalation_tickets.c.run_id == engine_runs.c.id,
        escalation_tickets.c.status.in_(("approved", "edited")),
    )
    .order_by(escalation_tickets.c.round.desc())
    .limit(1)
    .scalar_subquery()
)

# Exclude the run's own review because it must not block the execution of the approved plan. The
# conditions start from open reviews, because a conversation may have very many messages (decision
# 0133). Older reviews have no `conversation_id`.
_IS_HELD: Final[sa.ColumnElement[bool]] = sa.literal_column("""
    (ai_conversations.handed_over_at IS NOT NULL OR EXISTS (
        SELECT FROM escalation_tickets AS review
        WHERE review.client_id = ai_conversations.client_id
          AND review.conversation_id = ai_conversations.id
          AND review.run_id <> engine_runs.id AND review.status IN ('pending', 'claimed'))
     OR ai_conversations.id IN (
        SELECT coalesce((
            SELECT message.conversation_id FROM engine_messages AS message
            WHERE message.client_id = review.client_id AND message.direction = 'inbound'
              AND message.event_id = (
                SELECT other.event_id FROM engine_runs AS other
                WHERE other.client_id = review.client_id AND other.id = review.run_id)), '')
        FROM escalation_tickets AS review
        WHERE review.client_id = ai_conversations.client_id
          AND review.conversation_id IS NULL
          AND review.run_id <> engine_runs.id AND review.status IN ('pending', 'claimed')))
""")
# The agent must not answer while a member's reply is scheduled, because the customer would get two
# answers.
_TAKEN: Final = """
    (ai_conversations.taken_at IS NOT NULL OR EXISTS (
        SELECT FROM conversation_replies AS reply
        WHERE reply.client_id = ai_conversations.client_id
          AND reply.conversation_id = ai_conversations.id
          AND reply.state IN ('scheduled', 'sending')))
"""
_IS_TAKEN: Final[sa.ColumnElement[bool]] = sa.literal_column(_TAKEN)
_IS_TAKEN_NOW: Final = sa.text(f"""
    SELECT {_TAKEN} FROM engine_runs
    JOIN engine_messages
      ON engine_messages.client_id = engine_runs.client_id
     AND engine_messages.event_id = engine_runs.event_id AND engine_messages.direction = 'inbound'
    JOIN ai_conversations
      ON ai_conversations.client_id = engine_messages.client_id
     AND ai_conversations.id = engine_messages.conversation_id
    WHERE engine_runs.client_id = :client_id AND engine_runs.id = :run_id
""")  # noqa: S608 - our own SQL
_EARLIER: Final = engine_messages.alias("earlier")
_AUTOMATIC_TURNS: Final = (
    sa.select(sa.func.count())
    .where(
        _EARLIER.c.client_id == engine_messages.c.client_id,
        _EARLIER.c.conversation_id == engine_messages.c.conversation_id,
        _EARLIER.c.created_at > engine_messages.c.created_at - timedelta(hours=1),
        _EARLIER.c.direction == "outbound",
        _EARLIER.c.author == "agent",
    )
    .scalar_subquery()
)
# If a mail relay changes every Message-ID, each email starts a new thread. The sender's other
# threads are therefore counted too.
_UNATTENDED_TURNS: Final[sa.ColumnElement[int]] = sa.literal_column(f"""
    (SELECT count(*) FROM (
        SELECT answer.created_at, max(answer.created_at) FILTER (
            WHERE answer.author = 'human' OR EXISTS (
                SELECT FROM engine_runs AS answered
                JOIN escalation_tickets AS review
                  ON review.client_id = answered.client_id AND review.run_id = answered.id
                WHERE answered.client_id = answer.client_id
                  AND answered.event_id = answer.event_id
                  AND review.status IN ('approved', 'edited'))) OVER () AS by_person
        FROM unnest(ARRAY(
            SELECT ai_conversations.id UNION
            SELECT talk.id FROM ai_conversations AS talk
            WHERE talk.client_id = ai_conversations.client_id
              AND talk.memory_key = ai_conversations.memory_key
              AND talk.channel IN ('{Channel.EMAIL}', '{Channel.HELPDESK}')
              AND talk.last_message_at > engine_messages.created_at
                  - interval '{CORRESPONDENCE_LASTS.days} days')) AS talks (id)
        CROSS JOIN LATERAL (
            SELECT * FROM engine_messages AS said
            WHERE said.client_id = ai_conversations.client_id
              AND said.conversation_id = talks.id AND said.direction = 'outbound'
            ORDER BY said.created_at DESC LIMIT {MAX_ANSWERS_WITHOUT_PERSON}) AS answer
        WHERE ai_conversations.channel IN ('{Channel.EMAIL}', '{Channel.HELPDESK}')
     ) AS answers WHERE by_person IS NULL OR created_at > by_person)
""")  # noqa: S608 - of constants

_FILES: Final = attachments.c
_HAS_FILES: Final = sa.exists().where(
    _FILES.client_id == engine_runs.c.client_id,
    _FILES.event_id == engine_runs.c.event_id,
    _FILES.uploaded_by.is_(None),
)

_CASE: Final = (
    sa.select(
        engine_runs.c.playbook_id,
        engine_runs.c.playbook_version,
        engine_events.c.unified,
        engine_events.c.subject,
        engine_events.c.text,
        clients.c.brand_name,
        client_settings.c.branding["display_name"].astext.label("display_name"),
        client_settings.c.system_prompt,
        client_settings.c.guidance,
        client_settings.c.sensitive_words,
        client_settings.c.frame,
        client_settings.c.disclosure,
        client_settings.c.disclosure_status,
        client_settings.c.answers_from_knowledge,
        client_settings.c.answer_decision,
        mail_senders.c.address.label("mail_address"),
        playbook_versions.c.rulebook,
        ai_conversations.c.id.label("conversation_id"),
        ai_conversations.c.turns,
        ai_conversations.c.thread,
        engine_runs.c.proposal,
        ai_conversations.c.memory_key,
        sa.func.coalesce(customer_memories.c.summary, ai_conversations.c.summary).label("summary"),
        _AUTOMATIC_TURNS.label("automatic_turns"),
        _UNATTENDED_TURNS.label("unattended_turns"),
        _IS_HELD.label("is_held"),
        _IS_TAKEN.label("is_taken"),
        engine_runs.c.lookup,
        engine_runs.c.classification,
        engine_runs.c.confidence,
        engine_runs.c.draft,
        engine_runs.c.language,
        engine_runs.c.doubt,
        engine_runs.c.hold,
        engine_runs.c.plan,
        engine_runs.c.aside_of,
        engine_runs.c.joined_review,
        HUMAN_TEXT.label("human_text"),
        _APPROVALS.label("approvals"),
        _HAS_FILES.label("has_files"),
    )
    .select_from(engine_runs)
    .join(playbook_versions, VERSION_OF_RUN)
    .join(clients, clients.c.id == engine_runs.c.client_id)
    .outerjoin(client_settings, client_settings.c.client_id == engine_runs.c.client_id)
    .outerjoin(
        mail_senders,
        sa.and_(
            mail_senders.c.client_id == engine_runs.c.client_id,
            mail_senders.c.verified_at.is_not(None),
        ),
    )
    .join(engine_events, EVENT_OF_RUN & engine_events.c.erased_at.is_(None))
    .outerjoin(
        engine_messages,
        sa.and_(
            engine_messages.c.client_id == engine_runs.c.client_id,
            engine_messages.c.event_id == engine_runs.c.event_id,
            engine_messages.c.direction == "inbound",
        ),
    )
    .outerjoin(
        ai_conversations,
        sa.and_(
            ai_conversations.c.client_id == engine_messages.c.client_id,
            ai_conversations.c.id == engine_messages.c.conversation_id,
        ),
    )
    .outerjoin(
        customer_memories,
        sa.and_(
            customer_memories.c.client_id == ai_conversations.c.client_id,
            customer_memories.c.key == ai_conversations.c.memory_key,
        ),
    )
    .where(
        engine_runs.c.client_id == sa.bindparam("client_id"),
        engine_runs.c.id == sa.bindparam("run_id"),
    )
)


def _thread(row: sa.Row[*tuple[Any, ...]]) -> Thread:
    settled, waits = row.thread or {}, row.proposal
    return Thread.model_validate(settled if waits is None else {**settled, "proposal": waits})


def _draft(row: sa.Row[*tuple[Any, ...]]) -> RunDraft | None:
    if row.classification is None:
        return None
    return RunDraft(
        classification=Category(row.classification),
        confidence=row.confidence,
        text=row.draft,
        doubt=EscalationReason(row.doubt) if row.doubt else None,
        hold=EscalationReason(row.hold) if row.hold else None,
        plan=_PLAN.validate_python(row.plan),
        aside_of=row.aside_of,
    )
