"""The verdict digest: a hash of the playbook, content, model and case behind a verdict.

A change to any of them may change the outcome of the case. A verdict is therefore valid only while
the digest stays the same.
"""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from pydantic import JsonValue

from domain.cases.case import CaseSpec
from domain.playbooks.playbook import PlaybookSpec

NamesModel = Callable[[], str]
"""A function that returns the name of the model, as in `adapters/brain/identity.py`. The function
may read files, so it is called only if there are cases."""

_CASE: Final = {"scenario", "expected", "tries", "pass_rate"}


def verdict_digest(spec: PlaybookSpec | None, content: bytes, model: str, case: CaseSpec) -> bytes:
    """Return the digest for which a verdict on a case is valid.

    `spec` is the playbook selected for the case, or None. `content` is the digest from
    `store/cases/content_digest.py`. `model` comes from a `NamesModel`.
    """
    return digest_of(rules_text(spec), content, model, case)


def digest_of(rules: str, content: bytes, model: str, case: CaseSpec) -> bytes:
    """Return the verdict digest like `verdict_digest`. `rules` is the playbook's `rules_text`, so
    that many cases of one playbook share its serialization."""
    written = _text(case.model_dump(mode="json", include=_CASE, exclude_defaults=True))
    # The keys are in alphabetical order, as in the digests of earlier versions.
    text = (
        f'{{"case": {written}, "content": {_text(content.hex())}, "model": {_text(model)}, '
        f'"playbook": {rules}}}'
    )
    return sha256(text.encode()).digest()


def rules_text(spec: PlaybookSpec | None) -> str:
    """Return the parts of a playbook that affect the agent's result, as JSON."""
    return _text(spec and _rules(spec))


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _rules(spec: PlaybookSpec) -> tuple[float, JsonValue]:
    """Return the parts of a playbook that affect the agent's result.

    Defaults are omitted, so that a rule added in a later version does not invalidate verdicts.
    `during_review` is omitted because a case has no open review.
    """
    rules = spec.rulebook.model_dump(mode="json", exclude_defaults=True, exclude={"during_review"})
    return spec.threshold, rules
