"""Enter in a field activates the form's first button, which neither discards nor publishes
anything."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import api.dashboard.pages

TEMPLATES: Final = Path(api.dashboard.pages.__file__).parent / "templates"
PARTS: Final = re.compile(r"<form\b|</form>|\bunsent\(|\bbutton_form\(")
FORM: Final = re.compile(r"<form\b.*?</form>", re.DOTALL)
BUTTON: Final = re.compile(r"<button\b[^>]*>")
FIELD: Final = re.compile(r'\bfield\(|\barea\(|<input(?![^>]*type="(?:hidden|checkbox)")')
GRAVE: Final = re.compile(r'\bdanger\b|value="(?:publish|reject|delete)"|/drafts/drop')


def test_no_form_is_within_a_form() -> None:
    """A browser drops the inner form, and its button becomes the outer form's: "Discard draft" had
    become the first button of the draft's form."""
    wrong = []
    for path, text in _templates():
        depth = 0
        for part in PARTS.finditer(text):
            if part[0] == "</form>":
                depth -= 1
            elif depth:
                wrong.append((path, part[0]))
            elif part[0] == "<form":
                depth += 1
        assert depth == 0, path
    assert wrong == []


def test_the_first_of_several_buttons_is_harmless() -> None:
    wrong = []
    for path, text in _templates():
        for form in FORM.findall(text):
            buttons = BUTTON.findall(form)
            if len(buttons) > 1 and FIELD.search(form) and GRAVE.search(buttons[0]):
                wrong.append((path, buttons[0]))
    assert wrong == []


def _templates() -> Iterator[tuple[str, str]]:
    for path in sorted(TEMPLATES.rglob("*.html")):
        yield str(path.relative_to(TEMPLATES)), path.read_text()
