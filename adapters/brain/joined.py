"""Answers to messages with several intents: one combined answer, with one greeting and one
signature."""

import re
from collections.abc import Sequence
from typing import Final

from adapters.brain.classifier import Classification
from adapters.brain.drafts import OFF_STRENGTH, DraftSources, best_draft
from adapters.brain.grounded_draft import Asking, GroundedDraft
from adapters.brain.knowledge import WELL_COVERED, knowledge_draft
from adapters.brain.relevance import read_question
from domain.agent.brain import BrainRequest, Language
from domain.agent.intent import Intent
from domain.agent.intents.wanted import Wants

_GREETING: Final = re.compile(
    r"\A(?:bonjour|bonsoir|hello|hi|dear|good (?:morning|afternoon))\b[^,.:!\n]{0,60}[,.:!]\s*",
    re.IGNORECASE,
)
# Matches two line ends, then the closing of the letter. For speed, the pattern scans each run of
# white space only once.
_SIGNATURE: Final = re.compile(
    r"(?<!\s)(?=[^\S\n]*\n[^\S\n]*\n)\s++(?:bien à vous|cordialement|bien cordialement|à bientôt"
    r"|(?:kind|best|warm) regards|regards|best wishes|yours sincerely|sincerely)\b[^\n]{0,60}"
    r"(?:\n[^\n]{0,80}){0,2}\s*\Z",
    re.IGNORECASE,
)
_WENT_WRONG: Final = frozenset(
    {
        *(Intent.PARCEL_LATE, Intent.PARCEL_LOST, Intent.DAMAGED_ON_ARRIVAL, Intent.DEFECT),
        *(Intent.MISSING_ITEM, Intent.WRONG_ITEM, Intent.CHARGED_WRONGLY),
    }
)
_REMEDIES: Final = frozenset(
    {Intent.REFUND, Intent.RETURN, Intent.EXCHANGE, Intent.CANCEL_ORDER, Intent.WARRANTY}
)


def joined_draft(
    request: BrainRequest,
    sources: DraftSources,
    seen: Classification,
    asking: Asking,
    wants: Wants,
) -> GroundedDraft | None:
    """Return the combined answer to all intents, or None. An incomplete answer is only a draft for
    a human agent."""
    whole = knowledge_draft(request, seen, asking, sources.answers)
    if whole is not None and whole.strength >= WELL_COVERED:
        return whole
    parts = [
        best_draft(
            request,
            sources,
            seen,
            Asking(
                text=wanted.said,
                question=read_question(wanted.said),
                wanted=wanted,
                covered=asking.covered,
            ),
        )
        for wanted in wants.all
    ]
    found = [part for part in parts if part is not None and part.strength > OFF_STRENGTH]
    if not found:
        return None
    complete = (
        len(found) == len(parts)
        and all(part.strength >= WELL_COVERED for part in found)
        and not _tied(wants)
    )
    return GroundedDraft(
        response=_joined([part.response for part in found], request, seen.language),
        citations=tuple(dict.fromkeys(cited for part in found for cited in part.citations)),
        strength=min(part.strength for part in found) if complete else OFF_STRENGTH,
        evident=complete and all(part.evident for part in found),
    )


def _tied(wants: Wants) -> bool:
    """Return True if the answer to one intent depends on another intent. Intents depend on each
    other if one sentence expresses both, or if one is a problem and the other is its remedy."""
    wanted = set(wants.intents)
    shared = len({want.said for want in wants.all}) < len(wants.all)
    return shared or bool(wanted & _WENT_WRONG and wanted & _REMEDIES)


def _joined(answers: Sequence[str], request: BrainRequest, language: Language) -> str:
    """Combine the answers: the first answer's greeting, each distinct body once, and the last
    answer's signature."""
    distinct = list(dict.fromkeys(answers))
    if len(distinct) == 1:
        return distinct[0]
    framed = request.frame.values(language)
    bare = [request.frame.unframed(answer, language) for answer in distinct]
    first = _GREETING.match(bare[0])
    greeting = first[0].strip() if first else framed["greeting"]
    said = dict.fromkeys(_body(answer, request.brand_name) for answer in bare)
    last = _SIGNATURE.search(bare[-1])
    ending = last[0].strip() if last else framed["sign_off"]
    return "\n\n".join(part for part in (greeting, *said, ending) if part)


def _body(answer: str, brand_name: str) -> str:
    """Return an answer's text without the greeting, the signature and the brand name."""
    text = _SIGNATURE.sub("", _GREETING.sub("", answer)).strip()
    text = text.removesuffix(f"\n\n{brand_name}").strip() if brand_name else text
    return text[:1].upper() + text[1:]
