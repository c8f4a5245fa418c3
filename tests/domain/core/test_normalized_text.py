"""Unicode normalization takes linear time, and equals Python's for ordinary texts."""

import unicodedata
from time import thread_time
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from domain.core.text import UnicodeForm, normalized
from tests.support.core.each import each

FORMS: Final = st.sampled_from(list(UnicodeForm))
# Letters, marks, Hangul jamo, half-width kana and characters that expand, between ASCII characters.
LETTERS: Final = st.text(st.sampled_from("e\u0301\u0327\u0315\u1112\u1161\u11abｶ\uff9eﬁﷺ\u0344éß"))
# Python needs 10 s for this text, because it sorts the marks in quadratic time.
MARKS: Final = "\u0315\u0327" * 50_000


@each([(form,) for form in UnicodeForm])
def test_a_run_of_marks_costs_linear_time(form: UnicodeForm) -> None:
    started = thread_time()

    normalized(f"a{MARKS}", form)

    assert thread_time() - started < 1


@given(st.text(max_size=512) | LETTERS.filter(lambda text: len(text) <= 512), FORMS)
def test_a_short_text_is_normalized_as_python_does(text: str, form: UnicodeForm) -> None:
    assert normalized(text, form) == unicodedata.normalize(form.value, text)


@given(st.lists(LETTERS, min_size=1, max_size=20), st.integers(230, 260), FORMS)
def test_a_long_text_with_spaces_is_normalized_as_python_does(
    words: list[str], repeated: int, form: UnicodeForm
) -> None:
    text = " ".join(words * repeated)

    assert normalized(text, form) == unicodedata.normalize(form.value, text)
