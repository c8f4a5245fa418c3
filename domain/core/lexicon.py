"""Load word lists and phrasings from the YAML file next to the module that uses them.

The file is loaded on first use, once per process, and validated by a pydantic model.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from domain.core.errors import InvalidInput
from domain.core.strict_yaml import read_yaml

_FRAGMENT: Final = re.compile(r"\{\{(\w+)\}\}")
_DEEPEST: Final = 4


class BrokenLexicon(Exception):
    """A data file in this release is invalid. The message contains the file name and the
    position."""


class LexiconFile(BaseModel):
    """The base model of a data file's content. Unknown keys are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Held = TypeVar("Held", bound=LexiconFile)


def lexicon(module: str, model: type[Held]) -> Held:
    """Return the content of a module's data file: the YAML file in the same folder with the same
    name. `module` is its `__file__`. Raises BrokenLexicon."""
    file = Path(module).with_suffix(".yaml")
    try:
        return model.model_validate(read_yaml(file.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BrokenLexicon(f"{file.name}: {place}: {first['msg']}") from error
    except (OSError, InvalidInput) as error:
        raise BrokenLexicon(f"{file.name}: {error}") from error


def expression(text: str, fragments: Mapping[str, str]) -> re.Pattern[str]:
    """Join the lines of a text into one regular expression, and compile it.

    `{{name}}` inserts a fragment, which may contain others. Raises BrokenLexicon for a missing
    fragment or an invalid expression.
    """
    whole = _joined(text)
    try:
        for _ in range(_DEEPEST):
            whole = _FRAGMENT.sub(lambda match: _joined(fragments[match[1]]), whole)
        if _FRAGMENT.search(whole):
            raise BrokenLexicon(f"no end of fragments: {text[:40]}")
        return re.compile(whole)
    except KeyError as error:
        raise BrokenLexicon(f"no fragment {error}: {text[:40]}") from None
    except re.error as error:
        raise BrokenLexicon(f"no expression ({error}): {text[:40]}") from None


def _joined(lines: str) -> str:
    return "".join(lines.splitlines())
