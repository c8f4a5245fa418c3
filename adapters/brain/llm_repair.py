"""The request to a model to rewrite a rejected draft."""

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from adapters.brain.llm_prompt import delimited
from domain.agent.guard_finding import FindingReason, GuardFinding
from domain.agent.pseudonyms import Pseudonyms

_FINDINGS: Final = 20
_WHY: Final = {
    FindingReason.NO_SOURCE: "in none of the sources",
    FindingReason.NOT_CITED: "states something, but no source is named",
    FindingReason.MISQUOTED: "the source that it names does not contain the words in quote",
    FindingReason.NOT_SUPPORTED: "the words in quote do not say this",
    FindingReason.CONTRADICTED: "the words in quote, or the order, say the opposite",
    FindingReason.PLACEHOLDER: "a placeholder without its value",
    FindingReason.FINISHED: "reports as done what is not among the actions taken",
    FindingReason.PROMISE: "a promise that neither a named source nor an action taken supports",
    FindingReason.LIABILITY: "admits a fault, without a source",
    FindingReason.DISCOUNT: "grants a discount, without a source",
    FindingReason.LEGAL: "speaks of the law, without a source",
}


def repair_prompt(findings: Sequence[GuardFinding], pseudonyms: Pseudonyms) -> str:
    """Return the user's turn with the words of the draft that failed. The words are passed as data
    because a draft may repeat a stranger's words. `RULES` explains this to the model."""
    data: JsonValue = {
        "failed": [
            {"words": pseudonyms.hide_folded(one.words), "why": _WHY[one.reason]}
            for one in findings[:_FINDINGS]
        ],
    }
    return delimited(data)
