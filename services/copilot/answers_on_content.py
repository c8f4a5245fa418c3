"""The embedded copilot's answers about documents, knowledge and playbooks, and its replies to
requests that it cannot fulfil."""

from typing import Final

from domain.agent.rulebook import ActionRule
from domain.copilot.phrases import number, phrase, term
from domain.copilot.question_kind import AskedKind, AskedOfCopilot
from domain.copilot.words import Tongue, content_words, plain_words, stem
from domain.core.money import Money
from services.copilot.answers_on_work import on_order
from services.copilot.copilot_service import Trail
from services.copilot.tools.content_tool import SEARCH_CONTENT, ContentFound, ContentWanted
from services.copilot.tools.documents_tool import SEARCH_DOCUMENTS, DocumentsWanted
from services.copilot.tools.playbooks_tool import READ_PLAYBOOKS, PlaybookFacts, PlaybooksAsked

_BODY_CHARS: Final = 400
_ASKED_CHARS: Final = 500
_SHOWN: Final = 3
# Minimum score for a section of the documents. A section with a lower score shares only a frequent
# word with the question.
NEAR_ENOUGH: Final = 3.0


async def on_help(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer from the section of the documents that best matches the question. If none matches,
    answer from the knowledge base."""
    return await _documents(trail, asked) or await on_knowledge(trail, asked)


async def on_knowledge(trail: Trail, asked: AskedOfCopilot) -> str:
    """Return the answer to a question about a topic: the knowledge entries and templates that match
    it."""
    topic = asked.topic or asked.text
    found = await trail.use(SEARCH_CONTENT, ContentWanted(words=topic[:_ASKED_CHARS]))
    text = _content(found, asked.tongue)
    if text:
        return text
    return phrase(asked.tongue, "no_knowledge", topic=topic[:_ASKED_CHARS])


async def on_anything(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question of unknown kind from the knowledge base and the documents."""
    wanted = ContentWanted(words=asked.text[:_ASKED_CHARS])
    content = _content(await trail.use(SEARCH_CONTENT, wanted), asked.tongue)
    parts = [part for part in (content, await _documents(trail, asked)) if part]
    if parts:
        return "\n\n".join(parts)
    return f"{phrase(asked.tongue, 'nothing_found')}\n{phrase(asked.tongue, 'can_ask')}"


async def on_playbooks(trail: Trail, asked: AskedOfCopilot) -> str:
    """Describe the playbooks whose name or rule the question mentions. If it mentions none,
    describe all playbooks."""
    found, tongue = (await trail.use(READ_PLAYBOOKS, PlaybooksAsked())).playbooks, asked.tongue
    if not found:
        return phrase(tongue, "no_playbooks")
    words = set(map(stem, plain_words(asked.text))) - {"playbook"}
    named = [one for one in found if words & _subjects(one)]
    return "\n".join(_playbook(one, tongue) for one in named or found)


def _subjects(one: PlaybookFacts) -> set[str]:
    """Return the words by which a question may refer to a playbook: its name, and the actions for
    which it has rules."""
    actions = (f"{kind} {term('fr', kind)} {term('en', kind)}" for kind in one.actions)
    return set(map(stem, content_words(" ".join([one.name, *actions]))))


async def on_act(trail: Trail, asked: AskedOfCopilot) -> str:
    """Use the documents to explain how the user can make the requested change. For a change to an
    order, list the past actions on the order."""
    if asked.order is not None:
        return f"{phrase(asked.tongue, 'acts_on_order')}\n\n{await on_order(trail, asked)}"
    documents = await _documents(trail, asked)
    said = phrase(asked.tongue, "acts")
    return f"{said}\n\n{documents}" if documents else said


async def on_abilities(_: Trail, asked: AskedOfCopilot) -> str:
    """Return the answer to a question about the copilot's abilities."""
    return phrase(asked.tongue, "abilities")


async def on_private(_: Trail, asked: AskedOfCopilot) -> str:
    """Return the refusal of a question about confidential data."""
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


async def _documents(trail: Trail, asked: AskedOfCopilot) -> str:
    """Return the text of the best-matching section, or an empty string if none matches. Other
    matching sections are only cited."""
    wanted = DocumentsWanted(question=asked.text[:_ASKED_CHARS], limit=_SHOWN)
    near = trail.copilot.documents.search(wanted.question, 1)
    if not near or near[0].score < NEAR_ENOUGH:
        return ""
    sections = (await trail.use(SEARCH_DOCUMENTS, wanted)).sections
    # A section that consists of a table has no sentence to quote.
    first = next((one for one in sections if one.excerpt), sections[0])
    head = phrase(asked.tongue, "document_head", title=first.title, heading=first.heading)
    return f"{head}\n{first.excerpt or phrase(asked.tongue, 'see_also')}"


def _content(found: ContentFound, tongue: Tongue) -> str:
    lines: list[str] = []
    if found.knowledge:
        lines.append(phrase(tongue, "knowledge_head"))
        lines += [
            phrase(tongue, "knowledge_line", title=one.title, body=_short(one.body))
            for one in found.knowledge[:_SHOWN]
        ]
    if found.templates:
        lines.append(phrase(tongue, "templates_head"))
        lines += [
            phrase(
                tongue,
                "template_line",
                name=one.name,
                state=term(tongue, "active" if one.is_active else "inactive"),
            )
            for one in found.templates[:_SHOWN]
        ]
    return "\n".join(lines)


def _playbook(one: PlaybookFacts, tongue: Tongue) -> str:
    rules = "; ".join(
        phrase(
            tongue,
            "playbook_rule",
            action=term(tongue, kind),
            level=term(tongue, rule.level),
            limits=_limits(rule, tongue),
        )
        for kind, rule in sorted(one.actions.items())
    )
    return phrase(
        tongue,
        "playbook_line",
        name=one.name,
        event_type=one.event_type,
        state=term(tongue, "active" if one.is_active else "inactive"),
        threshold=number(tongue, one.threshold, 2),
        actions=rules or phrase(tongue, "no_rules"),
    )


def _limits(rule: ActionRule, tongue: Tongue) -> str:
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
            amount=str(Money(minor=minor, currency=limits.currency)),
            scope=term(tongue, scope),
        )
        for scope, minor in named.items()
        if minor is not None
    )


def _short(body: str) -> str:
    line = " ".join(body.split())
    return line if len(line) <= _BODY_CHARS else f"{line[:_BODY_CHARS]}…"
