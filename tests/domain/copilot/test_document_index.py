"""The search in the product's documents, with the released documents."""

from adapters.copilot.document_files import FOR_DEVELOPERS, document_index
from domain.copilot.documents import DocumentIndex
from tests.support.core.each import each


def test_sections() -> None:
    index = DocumentIndex.of(
        {"a.md": "# Title\nintro\n\n## One thing\nfirst\n\n```\n# no heading\n```\n\n## Two\n"}
    )

    assert len(index) == 2
    (found,) = index.search("thing")
    assert found.section.place == "docs/a.md#one-thing"
    assert found.section.title == "Title"
    assert index.search("the of and") == index.search("") == ()


@each(
    [
        ("How do I rotate a secret?", "docs/webhooks.md#replacing-a-secret"),
        ("Comment renouveler le secret d'un webhook ?", "docs/webhooks.md#replacing-a-secret"),
        ("How do I invite a colleague?", "docs/accounts.md#invitations"),
        ("How is a webhook signature verified?", "docs/webhooks.md#verifying"),
        ("Comment inviter un collègue ?", "docs/accounts.md#invitations"),
    ]
)
def test_the_place_is_among_the_first_three(question: str, place: str) -> None:
    assert place in [one.section.place for one in document_index().search(question)]


@each(
    [
        "Comment valider une demande ?",
        "How do I approve a review?",
        "How do I take over a conversation?",
        "Combien de temps gardez-vous les fichiers joints ?",
        "What does the agent do with an angry customer?",
        "Quels modèles de réponse utiliser ?",
    ]
)
def test_a_teams_question_finds_no_page_for_developers(question: str) -> None:
    """A support lead cannot use a page of HTTP requests."""
    found = {one.section.page for one in document_index().search(question, 5)}
    assert not found & FOR_DEVELOPERS


def test_the_copilots_own_page_is_found_by_its_name() -> None:
    """It quotes questions of every kind, and would otherwise match many."""
    index = document_index()
    asked = ("Refund order 1042", "Who waits longest?", "Is Shopify connected?")
    found = [one.section.page for question in asked for one in index.search(question)]

    assert "copilot.md" not in found
    assert index.search("What may the copilot read?")[0].section.page == "copilot.md"
