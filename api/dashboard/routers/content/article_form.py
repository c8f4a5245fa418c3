"""The fields in an article's editor."""

from api.dashboard.post import Post
from api.schemas.content.content import EntryBody, NewEntryBody
from domain.content.content import KnowledgeChange, check_body, check_line, unchosen_language
from domain.content.suggestion import SuggestedEntry
from domain.simulation.variant import ContentVariant


def entry_in(post: Post) -> NewEntryBody:
    """Return the new article from the form. Raises InvalidBody."""
    return post.body(NewEntryBody, **_fields(post))


def change_in(post: Post) -> KnowledgeChange:
    """Return the change to a saved article from the form. Raises InvalidBody."""
    return post.body(EntryBody, **_fields(post)).change


def addition_of(entry: NewEntryBody) -> ContentVariant:
    """Return the variant in which the client also has this article. Raises InvalidContent if the
    article is invalid."""
    added = SuggestedEntry(
        title=check_line("title", entry.title),
        body=check_body(entry.body),
        language=entry.language,
    )
    return ContentVariant(added=added)


def _fields(post: Post) -> dict[str, str]:
    """Return the form's fields. If no language was chosen, use the language detected from the
    text."""
    fields = {name: post.text(name) for name in ("title", "body", "language")}
    texts = (fields["title"], fields["body"])
    return {
        **fields,
        "language": fields["language"] or unchosen_language(texts, post.page.language),
    }
