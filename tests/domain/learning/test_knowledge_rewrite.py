"""A correction carried over to a knowledge entry: what a person wrote in its place."""

import pytest

from domain.learning.knowledge_rewrite import rewritten_entry

BODY = "Le retour coûte 5 €.\n\nIl se fait sous 14 jours."
DRAFT = f"Bonjour,\n\nNotre réponse :\n\n{BODY}\n\nÉcrivez-nous.\n\nLa boutique"
NEW = "Le retour est gratuit.\n\nIl se fait sous 30 jours."


@pytest.mark.parametrize(
    ("draft", "sent", "expected"),
    [
        (DRAFT, DRAFT, BODY),
        (DRAFT, DRAFT.replace(BODY, NEW), NEW),
        (DRAFT, DRAFT.replace(BODY, NEW).replace("Écrivez-nous.\n\n", ""), NEW),
        (DRAFT, f"Bonjour,\n\nNotre réponse :\n\n{NEW}", NEW),
        (DRAFT, DRAFT.replace("Bonjour,", "Bonjour Zoé,"), None),
        (DRAFT, "Bonjour,\n\nNotre réponse :\n\nLa boutique", None),
        ("Bonjour,\n\nLe retour coûte 5 €.", "Bonjour,\n\nGratuit.", None),
    ],
    ids=["same", "new", "shorter end", "no end", "other opening", "struck out", "half quoted"],
)
def test_what_becomes_of_the_entry(draft: str, sent: str, expected: str | None) -> None:
    assert rewritten_entry(BODY, draft, sent) == expected
