"""The sentences of the demo shop's history, from `fr.toml` and `en.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Language

_HERE: Final = Path(__file__).parent


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TopicWords(_Words):
    """The sentences about a topic. `follow_ups` are questions after an answer about another topic.
    `answers` are the agent's answers from knowledge. `replies` are the members' replies."""

    subjects: tuple[str, ...]
    messages: tuple[str, ...]
    follow_ups: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()


class HistoryWords(_Words):
    """The sentences in one language.

    - `hello`, `hello_named`, `signed`: the frame of a member's text.
    - `comments`, `complaints`: the customers' comments on good and bad answers.
    - `rejections`: the members' reasons for rejecting a draft.
    - `items`: the products, by the names in `PRICES`.
    """

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    hello: str
    hello_named: str
    signed: str
    thanks: tuple[str, ...]
    comments: tuple[str, ...]
    complaints: tuple[str, ...]
    notes: tuple[str, ...]
    rejections: tuple[str, ...]
    items: Mapping[str, str]
    topics: Mapping[str, TopicWords]


@cache
def catalogue(language: Language) -> HistoryWords:
    """Return the sentences in this language. Raises pydantic.ValidationError if the file is
    invalid."""
    return HistoryWords.model_validate(tomllib.loads((_HERE / f"{language}.toml").read_text()))
