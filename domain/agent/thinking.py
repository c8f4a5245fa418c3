"""Thinking: call a brain for a message, and turn the brain's answer into a decision.

Runs, dry runs and the agent's tests all use `think_through`.
"""

import dataclasses
from datetime import datetime
from typing import Final

from domain.agent import wording
from domain.agent.address_request import address_request, instead_of_people
from domain.agent.brain import (
    SETTLED_BY,
    Brain,
    BrainAnswer,
    BrainRequest,
    Category,
    Passage,
)
from domain.agent.brain_context import BrainContext
from domain.agent.escalation_reason import EscalationReason
from domain.agent.frame import AnswerFrame
from domain.agent.guarding import draft_check, guarded
from domain.agent.identity_question import identity_answer
from domain.agent.intent import Intent
from domain.agent.model_brain import Lookups, ModelBrain
from domain.agent.policy import available_actions, judge
from domain.agent.policy_context import PolicyContext
from domain.agent.policy_decision import Judgement
from domain.agent.ports import SafetyNet
from domain.agent.resolved_reply import SURE, ResolvedReply, resolve_reply
from domain.agent.safety.examined import commands, is_unsafe
from domain.agent.safety.net import SafetyGrammar
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.size_limits import READ_CHARS, SKIMMED_CHARS, others_turn
from domain.agent.speech.language import spoken_language
from domain.agent.thinking_result import Finding, ThinkingResult
from domain.agent.thread_after import language_of, thread_after
from domain.integrations.order import Order

# Intents for which a question about an action is a complete answer, including the usual reasons for
# a refund.
_ASKED_ABOUT: Final = frozenset(
    {
        *(Intent.REFUND, Intent.CANCEL_ORDER, Intent.RETURN, Intent.REFUND_STATUS),
        *(Intent.EXCHANGE, Intent.CHARGED_WRONGLY, Intent.PARCEL_LATE, Intent.PARCEL_LOST),
        *(Intent.DAMAGED_ON_ARRIVAL, Intent.DEFECT, Intent.MISSING_ITEM, Intent.WRONG_ITEM),
        *(Intent.CHANGE_ORDER, Intent.SIZE, Intent.SERVICE_COMPLAINT, Intent.THANKS),
    }
)
_GRAMMAR: Final = SafetyGrammar()
# Reasons that require a human, so that a question to the customer is not enough.
_NO_QUESTION: Final = frozenset({EscalationReason.CUSTOMER_REQUEST, EscalationReason.UNSAFE_INPUT})


async def think_through(
    brain: Brain, context: BrainContext, now: datetime, net: SafetyNet = _GRAMMAR
) -> ThinkingResult:
    """Call the brain for a message and return its evaluated answer. Raises only the brain's errors.

    Sensitive messages, messages without text, answers to the agent's own question and messages that
    allow no reply do not reach a brain. `net` detects sensitive topics, by default with the grammar
    alone.
    """
    is_whole = context.is_read_whole
    context = _beginning(context, READ_CHARS)
    policy_context = await _situation(context, now)
    if matter := _sensitive(context, net):
        return _for_people(context, policy_context, EscalationReason.POLICY_RESTRICTION, matter)
    if reason := _without_text(context):
        return _for_people(context, policy_context, reason)
    if not context.event.reply_allowed:
        return _unanswered(context, policy_context)
    await others_turn(context.event.text)
    settled = (
        resolve_reply(policy_context, context.brand_name, context.playbook) if is_whole else None
    )
    settled = settled or identity_answer(context, policy_context)
    settled = settled or address_request(context, policy_context)
    if settled is not None:
        return _result(context, settled, (), None, now)
    if not is_whole:
        context = _beginning(context, SKIMMED_CHARS)
    findings = tuple([await _finding(passage) for passage in context.passages])
    request = await _request(context, policy_context, findings, now)
    if isinstance(brain, ModelBrain) and is_whole:
        lookups = Lookups(context.tools, request)
        check = draft_check(context, policy_context, lookups)
        answer = await brain.think_checked(request, check, lookups)
        request = lookups.request
        known = {one.id for one in findings}
        findings += tuple([await _finding(one) for one in lookups.found if one.id not in known])
    else:
        answer = await brain.think(request)
    await others_turn(context.event.text)
    judgement = judge(policy_context, answer.classification, answer.proposals, answer.intents)
    if answer.closes and not answer.proposals and not policy_context.unsafe:
        judgement = Judgement(plan=(), verdicts=())
    if requested := instead_of_people(context, policy_context, answer, judgement):
        return _result(context, requested, findings, None, now)
    draft = guarded(context, policy_context, request, answer, judgement)
    answer, doubt = draft.answer, draft.doubt
    if not is_whole:  # A truncated message must not lead to an action or a question.
        judgement = judgement.model_copy(update={"question": None})
        doubt = doubt or EscalationReason.LOW_CONFIDENCE
    thought = _result(context, ResolvedReply(answer, judgement), findings, doubt, now)
    # A question to the customer, or an empty text, replaces the draft with the rejected words.
    is_shown = thought.text == answer.response
    return dataclasses.replace(thought, guard_findings=draft.findings if is_shown else ())


def _beginning(context: BrainContext, chars: int) -> BrainContext:
    event = context.event
    if len(event.text) <= chars:
        return context
    part = event.model_copy(update={"text": event.text[:chars]})
    return dataclasses.replace(context, event=part)


async def _request(
    context: BrainContext,
    policy_context: PolicyContext,
    findings: tuple[Finding, ...],
    now: datetime,
) -> BrainRequest:
    shown = {finding.id for finding in findings if not finding.left_out}
    return BrainRequest.about(
        context.event,
        brand_name=context.brand_name,
        has_shop=context.has_shop,
        templates=context.templates,
        passages=tuple(passage for passage in context.passages if passage.id in shown),
        # Omit earlier messages that contain a prompt injection. A human has already seen them.
        turns=tuple([turn for turn in context.turns if not await is_unsafe(turn.body)]),
        summary=context.summary,
        instructions=context.instructions,
        guidance=context.guidance,
        procedure=context.rulebook.procedure,
        order=await _readable(context.order),
        offers=available_actions(policy_context),
        today=now.date(),
        attachments=context.attachments,
        frame=context.frame or AnswerFrame.of({}, brand_name=context.brand_name),
        languages=context.languages,
        own_head=context.own_head,
        answer_decision=context.answer_decision,
        knowledge=tuple([one for one in context.knowledge if not (await _finding(one)).left_out]),
        examples=tuple(
            [
                one
                for one in context.examples
                if not await is_unsafe(f"{one.question}\n{one.answer}")
            ]
        ),
    )


def _result(
    context: BrainContext,
    settled: ResolvedReply,
    findings: tuple[Finding, ...],
    doubt: EscalationReason | None,
    now: datetime,
) -> ThinkingResult:
    answer, judgement = settled.answer, settled.judgement
    text = "" if judgement.refused else answer.response
    question = judgement.question
    if question is not None and answer.doubt in _NO_QUESTION:
        judgement = judgement.model_copy(update={"question": None})
        doubt, question = answer.doubt, None
    language = language_of(answer, context.thread)
    if question is not None:
        doubt = None if set(answer.intents) <= _ASKED_ABOUT else EscalationReason.LOW_CONFIDENCE
        text = (
            wording.which_order(language, context.brand_name)
            if question.action is None
            else wording.confirm_question(question.action, language, context.brand_name)
        )
        answer = answer.model_copy(update={"confidence": SURE, "doubt": None, "citations": ()})
    hold = judgement.doubt or doubt or _knowledge_hold(context, answer, judgement)
    if hold is None and judgement.plan and context.turns_left < 1:
        hold = EscalationReason.POLICY_RESTRICTION
    return ThinkingResult(
        answer=answer,
        judgement=judgement,
        findings=findings,
        hold=hold,
        text=text,
        doubt=_doubt(context, answer, judgement),
        thread=thread_after(context, judgement, answer, text, now).model_copy(
            update={"language": language}
        ),
    )


def _knowledge_hold(
    context: BrainContext, answer: BrainAnswer, judgement: Judgement
) -> EscalationReason | None:
    """Return the reason to hold an answer from knowledge, or None. The client may require a human
    review of such answers.

    Answers composed by a language model have a prompt version, and are not held here.
    """
    if context.answers_from_knowledge or answer.prompt_version is not None:
        return None
    if not judgement.plan or not any(one.kind == "knowledge" for one in answer.citations):
        return None
    return EscalationReason.POLICY_RESTRICTION


def _doubt(
    context: BrainContext, answer: BrainAnswer, judgement: Judgement
) -> EscalationReason | None:
    """Return the brain's reason to escalate, or None. If the brain gives no reason, an empty plan
    counts as low confidence, unless the message needs no reply or allows none."""
    if judgement.plan:
        return answer.doubt
    if answer.closes or not context.event.reply_allowed:
        return None
    return answer.doubt or EscalationReason.LOW_CONFIDENCE


def _sensitive(context: BrainContext, net: SafetyNet) -> SensitiveMatter | None:
    """Return the sensitive topic that requires a human to answer the message. Return None if the
    message has no sensitive topic or allows no reply."""
    if not context.event.reply_allowed:
        return None
    return net.matter(context.event.words, context.sensitive_words)


def _without_text(context: BrainContext) -> EscalationReason | None:
    """Return the reason to hold a message that has no text, or None."""
    if context.is_wordless:
        return EscalationReason.MISSING_KNOWLEDGE
    return EscalationReason.UNSUPPORTED_REQUEST if context.is_blank else None


def _for_people(
    context: BrainContext,
    policy_context: PolicyContext,
    reason: EscalationReason,
    matter: SensitiveMatter | None = None,
) -> ThinkingResult:
    """Return the result for a message that a human must answer, and that no brain reads. `matter`
    is its sensitive topic, or None for a message without text."""
    answer = BrainAnswer(
        classification=Category.OTHER,
        confidence=0,
        language=spoken_language(context.event.words),
        model=SETTLED_BY,
        doubt=reason,
    )
    judgement = judge(policy_context, Category.OTHER, ())
    return ThinkingResult(
        answer=answer,
        judgement=judgement,
        findings=(),
        hold=judgement.doubt or reason,
        text="",
        doubt=answer.doubt,
        thread=context.thread.without_question,
        sensitive=matter,
    )


def _unanswered(context: BrainContext, policy_context: PolicyContext) -> ThinkingResult:
    """Return the result for a message that must not be answered, such as an auto-reply or the
    staff's own message. The plan is empty, and no brain is called."""
    answer = BrainAnswer(
        classification=Category.OTHER,
        confidence=SURE,
        language=spoken_language(context.event.words),
        model=SETTLED_BY,
    )
    judgement = judge(policy_context, Category.OTHER, ())
    return _result(context, ResolvedReply(answer, judgement), (), None, policy_context.now)


async def _situation(context: BrainContext, now: datetime) -> PolicyContext:
    return PolicyContext(
        event=context.event,
        rulebook=context.rulebook,
        connections=context.connections,
        order=context.order,
        spent=context.spent,
        thread=context.thread,
        unsafe=await commands(context.event),
        now=now,
    )


async def _finding(passage: Passage) -> Finding:
    left_out = await is_unsafe(f"{passage.title}\n{passage.body}")
    return Finding(id=passage.id, title=passage.title, rank=passage.rank, left_out=left_out)


async def _readable(order: Order | None) -> Order | None:
    """Return the order, without its note if the note contains a prompt injection."""
    if order is None or not await is_unsafe(order.note):
        return order
    return order.model_copy(update={"note": ""})
