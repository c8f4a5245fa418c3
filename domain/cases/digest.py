"""The digest that a verdict on a case holds for: of the playbook, the content, the model, the case.

Changed in any of them, what comes of the case may be something else.
"""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from pydantic import JsonValue

from domain.cases.case import CaseSpec
from domain.playbooks.playbook import PlaybookSpec

NamesModel = Callable[[], str]
"""Names what thinks, as `adapters/brain/identity.py` does. It may read files: it is asked only
where there are cases."""

_CASE: Final = {"scenario", "expected", "tries", "pass_rate"}


def verdict_digest(spec: PlaybookSpec | None, content: bytes, model: str, case: CaseSpec) -> bytes:
    """`spec`: of the playbook that the case fell to, None if to none. `content`: of
    `store/cases/content_digest.py`. `model`: of a `NamesModel`."""
    parts = {
        "playbook": spec and _rules(spec),
        "content": content.hex(),
        "model": model,
        "case": case.model_dump(mode="json", include=_CASE, exclude_defaults=True),
    }
    return sha256(json.dumps(parts, sort_keys=True).encode()).digest()


def _rules(spec: PlaybookSpec) -> tuple[float, JsonValue]:
    """What a thought depends on: not the name or being on, and which events the playbook covers is
    asked of its pattern. What a rulebook leaves as usual is left out: a key that a later version of
    the service knows besides voids no verdict. A case has no review, so `during_review` is left
    out."""
    rules = spec.rulebook.model_dump(mode="json", exclude_defaults=True, exclude={"during_review"})
    return spec.threshold, rules
