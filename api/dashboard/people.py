"""Email addresses of users whose ids occur in records."""

from collections.abc import Mapping

from api.dashboard.page import Page
from store.tenants.members import MemberRepository


async def people_of(page: Page) -> Mapping[str, str]:
    """Return the email addresses of a client's members, by user id."""
    async with page.resources.database.reading_across() as connection:
        members = await MemberRepository(connection).all(page.tenant)
    return {member.user_id: member.email for member in members}
