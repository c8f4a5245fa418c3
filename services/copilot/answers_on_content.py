"""The embedded copilot's answers about documents, knowledge and playbooks, and its replies to
requests that it cannot fulfil."""

from collections.abc import Sequence
from typing import Final

from domain.agent.plan import ACTIONS, REPLIES, ActionKind
from domain.agent.rulebook import ActionRule
from domain.copilot.answer import CitedKind
from domain.copilot.how_to import how_to
from domain.copilot.phrases import phrase, term
from domain.copilot.question_kind import AskedKind, AskedOfCopilot
from domain.copilot.words import Tongue, content_words, plain_words, stem, tongue_of
from domain.core.money import Money
from domain.core.plain_text import shortened
from services.copilot.answers_on_work import on_order
from services.copilot.copilot_service import Trail
from services.copilot.tools.content_tool import (
    SEARCH_CONTENT,
    ContentFound,
    ContentWanted,
    PassageFacts,
)
from services.copilot.tools.content_uses_tool import READ_CONTENT_USES, USED_DAYS, UsesWanted
from services.copilot.tools.documents_tool import SEARCH_DOCUMENTS, DocumentsWanted
from services.copilot.tools.playbooks_tool import READ_PLAYBOOKS, PlaybookFacts, PlaybooksAsked
from services.copilot.tools.policy_changes_tool import (
    READ_POLICY_CHANGES,
    ChangesWanted,
    PolicyChange,
)

_BODY_CHARS: Final = 400
_ASKED_CHARS: Final = 500
_SHOWN: Final = 3
# Minimum score of a matching section of the documents. A section with a lower score has only a
# frequent word in common with the question.
NEAR_ENOUGH: Final = 3.0
# The same for each content word of a question without a kind.
_NEAR_PER_WORD: Final = 2.0
# The dashboard page that lists the records for each kind of question. Every role may open these
# pages.
_PAGES: Final = {
    AskedKind.USAGE: CitedKind.USAGE,
    AskedKind.WAITING: CitedKind.REVIEWS,
    AskedKind.ATTENTION: CitedKind.REVIEWS,
    AskedKind.CUSTOMER: CitedKind.UNHAPPY,
    AskedKind.UNHAPPY: CitedKind.UNHAPPY,
    AskedKind.CHURN: CitedKind.CHURN,
    AskedKind.GAPS: CitedKind.GAP,
    AskedKind.KNOWLEDGE: CitedKind.ARTICLES,
    AskedKind.ARTICLES: CitedKind.ARTICLES,
}


async def on_help(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer with the instructions for the task that the question names, else from the section of
    the documents that best matches it. If none matches, answer from the knowledge base."""
    return (
        _instructions(trail, asked)
        or await _documents(trail, asked)
        or await on_knowledge(trail, asked)
    )


async def on_knowledge(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about a topic with the matching knowledge entries and templates."""
    topic = asked.topic or asked.text
    found = await trail.use(SEARCH_CONTENT, ContentWanted(words=topic[:_ASKED_CHARS]))
    text = _content(found, trail, asked.tongue)
    if text:
        return text
    return phrase(asked.tongue, "no_knowledge", topic=topic[:_ASKED_CHARS])


async def on_anything(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer any other question from the knowledge base, else from the documents. Without an
    answer, say so and link to the most likely page."""
    wanted = ContentWanted(words=asked.text[:_ASKED_CHARS])
    found = await trail.use(SEARCH_CONTENT, wanted)
    near = [one for one in found.knowledge if _is_about(one, asked.text)]
    for one in found.knowledge:
        if one not in near:
            trail.forget(CitedKind.KNOWLEDGE, one.knowledge_id)
    least = _NEAR_PER_WORD * len(content_words(asked.text))
    content = _content(found.model_copy(update={"knowledge": tuple(near)}), trail, asked.tongue)
    said = content or _instructions(trail, asked) or await _documents(trail, asked, least)
    if said:
        return said
    trail.can_not = phrase(asked.tongue, "can_not_find")
    page = _PAGES.get(asked.nearest, CitedKind.RUNS) if asked.nearest else CitedKind.RUNS
    trail.point_to(page)
    return f"{phrase(asked.tongue, 'nothing_found')}\n{phrase(asked.tongue, 'can_ask')}"


async def on_playbooks(trail: Trail, asked: AskedOfCopilot) -> str:
    """Describe the playbooks whose name or rule the question mentions. If it mentions none,
    describe all playbooks."""
    found, tongue = (await trail.use(READ_PLAYBOOKS, PlaybooksAsked())).playbooks, asked.tongue
    if not found:
        return phrase(tongue, "no_playbooks")
    words = plain_words(asked.text)
    actions = [
        kind for kind, spec in ACTIONS.items() if any(one.startswith(spec.stems) for one in words)
    ]
    if any(kind in one.actions for one in found for kind in actions):
        return "\n".join(_by_rule(found, actions, trail, tongue))
    said = set(map(stem, words)) - {"playbook"}
    named = [one for one in found if said & _subjects(one)]
    return "\n".join(_playbook(one, trail, tongue) for one in named or found)


def _by_rule(
    found: Sequence[PlaybookFacts], actions: Sequence[ActionKind], trail: Trail, tongue: Tongue
) -> list[str]:
    """Return a line for each distinct rule for these actions, with the active playbooks that have
    the rule. If no playbook is active, describe all playbooks."""
    shown = [one for one in found if one.is_active] or list(found)
    lines: dict[str, list[str]] = {}
    for one in shown:
        rules = "; ".join(_rule(kind, one.actions.get(kind), trail, tongue) for kind in actions)
        name = trail.link(CitedKind.PLAYBOOK, one.playbook_id, one.name)
        lines.setdefault(rules, []).append(name)
    return [
        phrase(tongue, "rule_line", rules=rules, names=", ".join(names))
        for rules, names in lines.items()
    ]


def _rule(kind: ActionKind, rule: ActionRule | None, trail: Trail, tongue: Tongue) -> str:
    """Return a rule as text. Without a rule, the agent only replies."""
    level = rule.level.value if rule else "autonomous" if kind in REPLIES else "never"
    return phrase(
        tongue,
        "playbook_rule",
        action=term(tongue, kind),
        level=term(tongue, level),
        limits=_limits(rule, trail, tongue) if rule else "",
    )


async def on_policy_changes(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about policy changes: the latest playbook versions, each with its
    differences from the previous version."""
    found, tongue = await trail.use(READ_POLICY_CHANGES, ChangesWanted()), asked.tongue
    if not found.changes:
        return phrase(tongue, "no_playbooks")
    lines = [
        phrase(
            tongue,
            "change_line",
            name=trail.link(CitedKind.VERSIONS, one.playbook_id, one.name),
            version=one.version,
            when=trail.formats.when(one.at),
            what=_what_changed(one, trail, tongue),
        )
        for one in found.changes
    ]
    return "\n".join([phrase(tongue, "changes_head"), *lines])


def _what_changed(one: PolicyChange, trail: Trail, tongue: Tongue) -> str:
    if one.is_new:
        return term(tongue, "created")
    parts = [
        phrase(
            tongue,
            "rule_change",
            before=_rule(each.action, each.before, trail, tongue),
            after=_rule(each.action, each.after, trail, tongue),
        )
        for each in one.rules
    ]
    if one.thresholds is not None:
        before, after = (trail.formats.number(each, 2) for each in one.thresholds)
        parts.append(phrase(tongue, "threshold_change", before=before, after=after))
    parts += [term(tongue, f"field_{each}") for each in one.others]
    return "; ".join(parts) or term(tongue, "unchanged")


async def on_articles(trail: Trail, asked: AskedOfCopilot) -> str:
    """List the knowledge entries that the agent cites most often."""
    found, tongue = await trail.use(READ_CONTENT_USES, UsesWanted()), asked.tongue
    days = trail.formats.number(USED_DAYS)
    if not found.entries:
        return phrase(tongue, "no_articles", days=days)
    lines = [
        phrase(
            tongue,
            "article_line",
            title=trail.link(CitedKind.KNOWLEDGE, one.knowledge_id, one.title),
            uses=trail.formats.number(one.uses),
        )
        for one in found.entries
    ]
    return "\n".join([phrase(tongue, "articles_head", days=days), *lines])


def _subjects(one: PlaybookFacts) -> set[str]:
    """Return the words that may refer to a playbook in a question: its name, and the actions that
    have rules."""
    actions = (f"{kind} {term('fr', kind)} {term('en', kind)}" for kind in one.actions)
    return set(map(stem, content_words(" ".join([one.name, *actions]))))


async def on_act(trail: Trail, asked: AskedOfCopilot) -> str:
    """Use the documents to explain how the user can make the requested change. For a change to an
    order, list the past actions on the order."""
    if asked.order is not None:
        return f"{phrase(asked.tongue, 'acts_on_order')}\n\n{await on_order(trail, asked)}"
    documents = _instructions(trail, asked) or await _documents(trail, asked)
    said = phrase(asked.tongue, "acts")
    return f"{said}\n\n{documents}" if documents else said


async def on_abilities(_: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about the copilot's abilities."""
    return phrase(asked.tongue, "abilities")


async def on_private(_: Trail, asked: AskedOfCopilot) -> str:
    """Return the refusal to a question about confidential data."""
    return phrase(asked.tongue, "private")


def out_of_reach(asked: AskedOfCopilot) -> str | None:
    """Return the reason why the copilot cannot answer the question, or None if it can."""
    match asked.kind:
        case AskedKind.ACT:
            return phrase(asked.tongue, "can_not_act")
        case AskedKind.PRIVATE:
            return phrase(asked.tongue, "can_not_private")
        case _:
            return None


def _instructions(trail: Trail, asked: AskedOfCopilot) -> str:
    """Return the instructions for the task that the question names, or an empty string."""
    found = how_to(asked.text, asked.tongue)
    if found is None:
        return ""
    if found.page is not None:
        trail.point_to(found.page)
    return found.text


async def _documents(trail: Trail, asked: AskedOfCopilot, least: float = 0.0) -> str:
    """Return the text of the best-matching section, or an empty string if none has a score of at
    least `least`. Other matching sections are only cited."""
    wanted = DocumentsWanted(question=asked.text[:_ASKED_CHARS], limit=_SHOWN)
    near = trail.copilot.documents.search(wanted.question, 1)
    if not near or near[0].score < max(NEAR_ENOUGH, least):
        return ""
    sections = (await trail.use(SEARCH_DOCUMENTS, wanted)).sections
    # A section that consists of a table has no sentence to quote.
    first = next((one for one in sections if one.excerpt), sections[0])
    head = phrase(asked.tongue, "document_head", title=first.title, heading=first.heading)
    return f"{head}\n{first.excerpt or phrase(asked.tongue, 'see_also')}"


def _is_about(one: PassageFacts, question: str) -> bool:
    """Return True if an entry in the question's language contains a content word of the question.
    Entries in another language have no words in common with it, and always count."""
    said = set(map(stem, plain_words(f"{one.title} {one.body}")))
    asked = set(map(stem, content_words(question)))
    return one.language != tongue_of(question) or not asked.isdisjoint(said)


def _content(found: ContentFound, trail: Trail, tongue: Tongue) -> str:
    lines: list[str] = []
    if found.knowledge:
        lines.append(phrase(tongue, "knowledge_head"))
        lines += [
            phrase(
                tongue,
                "knowledge_line",
                title=trail.link(CitedKind.KNOWLEDGE, one.knowledge_id, one.title),
                body=_short(one.body),
            )
            for one in found.knowledge[:_SHOWN]
        ]
    if found.templates:
        lines.append(phrase(tongue, "templates_head"))
        lines += [
            phrase(
                tongue,
                "template_line",
                name=trail.link(CitedKind.TEMPLATE, one.template_id, one.name),
                state=term(tongue, "active" if one.is_active else "inactive"),
            )
            for one in found.templates[:_SHOWN]
        ]
    return "\n".join(lines)


def _playbook(one: PlaybookFacts, trail: Trail, tongue: Tongue) -> str:
    rules = "; ".join(
        _rule(kind, rule, trail, tongue) for kind, rule in sorted(one.actions.items())
    )
    return phrase(
        tongue,
        "playbook_line",
        name=trail.link(CitedKind.PLAYBOOK, one.playbook_id, one.name),
        event_type=one.event_type,
        state=term(tongue, "active" if one.is_active else "inactive"),
        threshold=trail.formats.number(one.threshold, 2),
        actions=rules or phrase(tongue, "no_rules"),
    )


def _limits(rule: ActionRule, trail: Trail, tongue: Tongue) -> str:
    limits = rule.limits
    if limits is None:
        return ""
    named = {
        "per_action": limits.per_action,
        "per_customer": limits.per_customer,
        "per_day": limits.per_day,
    }
    return "".join(
        phrase(
            tongue,
            "playbook_limit",
            amount=trail.formats.money(Money(minor=minor, currency=limits.currency)),
            scope=term(tongue, scope),
        )
        for scope, minor in named.items()
        if minor is not None
    )


def _short(body: str) -> str:
    return shortened(" ".join(body.split()), _BODY_CHARS)
