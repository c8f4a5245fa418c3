"""Validate a variant's references to the client's playbooks, and resolve them."""

from domain.playbooks.errors import PatternTaken
from domain.simulation.variant import Variant
from store.core.repository import TenantRepository
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.versions import PlaybookVersions


class TriedVariants(TenantRepository):
    async def check(self, variant: Variant) -> None:
        """Check that the playbooks of a variant exist. Raises PlaybookNotFound for an unknown
        playbook or version.

        Raises PatternTaken for a draft that an active playbook of the same event type would hide.
        """
        playbooks = PlaybookRepository(self._connection, self._tenant)
        for other in variant.others:
            await playbooks.read(other.playbook_id)
        if variant.playbook_id is None:
            if variant.draft is None:
                return
            pattern = variant.draft.event_type
            for one in await playbooks.active():
                if one.event_type == pattern:
                    raise PatternTaken(pattern, one.name)
        elif variant.version is None:
            await playbooks.read(variant.playbook_id)
        else:
            versions = PlaybookVersions(self._connection, self._tenant)
            await versions.read(variant.playbook_id, variant.version)

    async def resolve(self, variant: Variant) -> Variant:
        """Return the variant with its playbook as a draft that replaces the stored one. Raises
        PlaybookNotFound.

        As after publication, only the draft then matches its events. A threshold given with a
        playbook id applies to that playbook.
        """
        if variant.playbook_id is None:
            return variant
        spec = variant.draft
        if spec is None and variant.version is not None:
            versions = PlaybookVersions(self._connection, self._tenant)
            spec = (await versions.read(variant.playbook_id, variant.version)).spec
        standing = await PlaybookRepository(self._connection, self._tenant).read(
            variant.playbook_id
        )
        spec = spec or standing.spec
        if variant.threshold is not None:
            spec = spec.model_copy(update={"threshold": variant.threshold})
        return variant.model_copy(update={"draft": spec, "version": None, "threshold": None})
