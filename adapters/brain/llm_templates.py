"""The merchant's templates as a language model sees them, filled with the values of this case."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.agent.brain import BrainRequest, Category, Template
from domain.agent.order_facts import order_values, promise_values
from domain.agent.plan import ACTIONS, ActionKind
from domain.agent.template import fill, names, unreadable

# Maximum number of templates of each kind in one request.
_AT_MOST: Final = 8


@dataclass(frozen=True, slots=True)
class ShownTemplate:
    """A template with its text for the model.

    `missing` are the placeholders without a value, which exclude the template as a source.
    `promises` are the actions that the text reports as done.
    """

    template: Template
    text: str
    missing: tuple[str, ...] = ()
    promises: tuple[ActionKind, ...] = ()


def shown_templates(
    request: BrainRequest, likely: Sequence[Category], language: str
) -> tuple[list[ShownTemplate], list[ShownTemplate]]:
    """Return the filled templates for the likely categories, and those with missing values.

    The shop's values override the caller's values. A template that promises an action is filled
    only if that is available. Within a category, the customer's language comes first. Templates
    with an invalid placeholder are omitted.
    """
    fitting = [one for one in request.templates if one.category in likely]
    fitting.sort(key=lambda one: (likely.index(one.category), one.language != language))
    whole, partial = list[ShownTemplate](), list[ShownTemplate]()
    for template in fitting:
        if min(len(whole), len(partial)) == _AT_MOST:
            break
        if unreadable(template.body) is None:
            shown = _shown(request, template)
            kind = partial if shown.missing else whole
            kind += [shown] if len(kind) < _AT_MOST else []
    return whole, partial


def _shown(request: BrainRequest, template: Template) -> ShownTemplate:
    values = _values(request, template)
    filled = fill(template.body, values)
    used = names(template.body)
    promises = tuple(
        spec.kind for spec in ACTIONS.values() if spec.promise and spec.promise.placeholder in used
    )
    if filled.complete:
        return ShownTemplate(template, filled.text, promises=promises)
    as_written = {name: f"{{{{ {name} }}}}" for name in filled.missing}
    text = fill(template.body, {**values, **as_written}).text
    return ShownTemplate(template, text, filled.missing, promises)


def _values(request: BrainRequest, template: Template) -> dict[str, str]:
    language = template.language
    values = {**request.fields, "brand_name": request.brand_name}
    if request.order is not None:
        values |= order_values(request.order, language, request.today)
    for offer in request.offers:
        values |= promise_values(offer, language)
    return values | request.frame.values(language)
