"""The phrasings of claims, as patterns from the YAML file next to this module."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from domain.core.lexicon import BrokenLexicon, LexiconFile, expression, lexicon


class ClaimKind(StrEnum):
    """The kind of a claim about the merchant: that an action is `finished`, or a `promise` of an
    action."""

    FINISHED = "finished"
    PROMISE = "promise"
    LIABILITY = "liability"
    DISCOUNT = "discount"
    LEGAL = "legal"


class ClaimMatter(StrEnum):
    """The subject of a claim. `done`: an action that the claim does not name."""

    REFUND = "refund"
    CANCEL_ORDER = "cancellation"
    RESEND = "resend"
    ADDRESS = "address"
    CREDIT = "credit"
    ORDER = "order"
    DELIVERY = "delivery"
    ENQUIRY = "enquiry"
    HANDOVER = "handover"
    MESSAGE = "message"
    GUARANTEE = "guarantee"
    DONE = "done"


Phrasing = tuple[ClaimKind, ClaimMatter | None, re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class ClaimPhrasings:
    """The patterns of claims.

    `anywhere` and `stated` match anywhere in a sentence. A match of `stated` next to a match of
    `rule` is a promise if it addresses the customer. Otherwise, it is not a claim. `opening`
    matches at the start of a clause. A clause that matches both `spoken` and `personal` is a claim
    unless it also matches `harmless`. The other patterns match the context of a claim.
    """

    anywhere: tuple[Phrasing, ...]
    stated: tuple[Phrasing, ...]
    opening: tuple[Phrasing, ...]
    spoken: tuple[Phrasing, ...]
    personal: re.Pattern[str]
    harmless: re.Pattern[str]
    asks: re.Pattern[str]
    covers: re.Pattern[str]
    rule: re.Pattern[str]
    condition: re.Pattern[str]
    courteous: re.Pattern[str]
    denial: re.Pattern[str]
    told: Mapping[ClaimMatter, re.Pattern[str]]


_Listed = dict[ClaimMatter, tuple[str, ...]]


class _File(LexiconFile):
    fragments: dict[str, str]
    finished: _Listed
    stated: _Listed
    foretold: _Listed
    opening: _Listed
    promise: _Listed
    abroad: _Listed
    liability: tuple[str, ...]
    discount: tuple[str, ...]
    legal: tuple[str, ...]
    asks: str
    covers: str
    denies: str
    reports: str
    rule: str
    condition: str
    courteous: str
    denial: str
    told: dict[ClaimMatter, str]
    spoken: dict[ClaimMatter, str]
    personal: str
    harmless: str


@cache
def claim_phrasings() -> ClaimPhrasings:
    """Return the patterns from the YAML file. Raises BrokenLexicon if the file is invalid."""
    file = lexicon(__file__, _File)

    def whole(*texts: str) -> re.Pattern[str]:
        """Return a pattern that matches any of these texts as whole words."""
        found = expression(f"(?<!\\S)(?:{'|'.join(texts)})(?!\\S)", file.fragments)
        if found.search("") is not None:
            raise BrokenLexicon(f"matches nothing at all: {texts[0][:40]}")
        return found

    def listed(kind: ClaimKind, *lists: _Listed) -> tuple[Phrasing, ...]:
        return tuple(
            (kind, matter, whole(*texts)) for one in lists for matter, texts in one.items()
        )

    # A claim does not count if one of these phrases precedes it, with at most a few words in
    # between.
    around = "|".join((file.covers, file.denies, file.reports))
    return ClaimPhrasings(
        anywhere=(
            *listed(ClaimKind.FINISHED, file.finished, file.abroad),
            *listed(ClaimKind.PROMISE, file.promise),
            (ClaimKind.LIABILITY, None, whole(*file.liability)),
            (ClaimKind.DISCOUNT, None, whole(*file.discount)),
            (ClaimKind.LEGAL, None, whole(*file.legal)),
        ),
        stated=(
            *listed(ClaimKind.FINISHED, file.stated),
            *listed(ClaimKind.PROMISE, file.foretold),
        ),
        opening=listed(ClaimKind.FINISHED, file.opening),
        spoken=tuple(
            (ClaimKind.PROMISE, matter, whole(text)) for matter, text in file.spoken.items()
        ),
        personal=whole(file.personal),
        harmless=whole(file.harmless),
        asks=whole(file.asks),
        covers=whole(around),
        rule=whole(file.rule),
        condition=whole(file.condition),
        courteous=whole(file.courteous),
        denial=whole(file.denial),
        told={matter: whole(text) for matter, text in file.told.items()},
    )
