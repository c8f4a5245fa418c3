"""Placeholders of templates as shown to members."""

from collections.abc import Mapping
from itertools import pairwise

from domain.agent.macro import gaps_in
from domain.agent.template import placeholders_in


def named_placeholders(body: str, names: Mapping[str, str]) -> str:
    """Return a template's text with each known placeholder as its name in brackets, such as “[order
    number]”. `names`: the names by placeholder. Other placeholders stay as they are."""
    spans = placeholders_in(body)
    pieces = [body[: spans[0][0]] if spans else body]
    for (start, end), (following, _) in pairwise((*spans, (len(body), 0))):
        name = body[start:end].strip("{} ").partition("|")[0].strip()
        shown = f"[{names[name]}]" if name in names else body[start:end]
        pieces += [shown, body[end:following]]
    return "".join(pieces)


def named_gaps(text: str, names: Mapping[str, str]) -> str:
    """Return an inserted template with each unfilled placeholder as its name: “[order number]” for
    “[order_number]”."""
    for gap in gaps_in(text):
        text = text.replace(f"[{gap}]", f"[{names.get(gap, gap.replace('_', ' '))}]")
    return text
