"""The digest that a verdict on a case holds for: of the playbook, the content, the model, the case.

Changed in any of them, what comes of the case may be something else.
"""

import json
from hashlib import sha256
from typing import Final

from domain.cases.case import CaseSpec
from domain.playbooks.playbook import PlaybookSpec

# Neither the name of a playbook nor being on or off is shown to a brain, and which events it
# covers is asked of the pattern itself.
_SPEC: Final = {"threshold", "rulebook"}
_CASE: Final = {"scenario", "expected", "tries", "pass_rate"}


def verdict_digest(spec: PlaybookSpec | None, content: bytes, model: str, case: CaseSpec) -> bytes:
    """`spec`: of the playbook that the case fell to, None if to none. `content`: of
    `store/cases/content_digest.py`. `model`: of `adapters/brain/identity.py`."""
    parts = {
        "playbook": spec and spec.model_dump(mode="json", include=_SPEC),
        "content": content.hex(),
        "model": model,
        "case": case.model_dump(mode="json", include=_CASE),
    }
    return sha256(json.dumps(parts, sort_keys=True).encode()).digest()
