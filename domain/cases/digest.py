"""The digest that a verdict on a case is valid for: of playbook, content, model and case.

If any of them changes, the outcome of the case may change.
"""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from pydantic import JsonValue

from domain.cases.case import CaseSpec
from domain.playbooks.playbook import PlaybookSpec

NamesModel = Callable[[], str]
"""Returns the name of the model, as `adapters/brain/identity.py` does. It may read files, so it is
called only if there are cases."""

_CASE: Final = {"scenario", "expected", "tries", "pass_rate"}


def verdict_digest(spec: PlaybookSpec | None, content: bytes, model: str, case: CaseSpec) -> bytes:
    """Return the digest of a verdict. `spec`: the playbook selected for the case, None if there is
    none. `content`: from `store/cases/content_digest.py`. `model`: from a `NamesModel`."""
    parts = {
        "playbook": spec and _rules(spec),
        "content": content.hex(),
        "model": model,
        "case": case.model_dump(mode="json", include=_CASE, exclude_defaults=True),
    }
    return sha256(json.dumps(parts, sort_keys=True).encode()).digest()


def _rules(spec: PlaybookSpec) -> tuple[float, JsonValue]:
    """Return the parts of a playbook that affect a thought.

    Its name and state do not, and its event pattern only selects the cases. Default values are
    omitted, so that a new rule of a later version invalidates no verdict. A case has no review, so
    `during_review` is omitted.
    """
    rules = spec.rulebook.model_dump(mode="json", exclude_defaults=True, exclude={"during_review"})
    return spec.threshold, rules
