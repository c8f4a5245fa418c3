"""Word lists and phrasings as data: a YAML file next to the module that uses it.

The file is loaded on first use, once per process, and validated by a model.
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
    """A data file of this version is invalid. The message names the file and the position."""


class LexiconFile(BaseModel):
    """The content of a data file. Unknown keys are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Held = TypeVar("Held", bound=LexiconFile)


def lexicon(module: str, model: type[Held]) -> Held:
    """Return the contents of the YAML file that is next to a module and has the module's name.

    `module`: the module's `__file__`. Raises BrokenLexicon.
    """
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
    """Return the joined lines of a text as one regular expression.

    `{{name}}` inserts a fragment, which may contain other fragments. Raises BrokenLexicon.
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
