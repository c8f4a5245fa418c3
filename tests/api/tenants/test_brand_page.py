"""The brand's settings page."""

import re

from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

FORM = "/app/settings"


async def test_the_color_is_a_code_with_a_picker(front: LiveEngine, shop: Shop) -> None:
    """Without the script, the picker is hidden. The form sends only the code."""
    async with at_pages(front, shop) as owner:
        page = await owner.see(FORM)
        picker = re.search(r'<input type="color"[^>]*>', page)
        assert picker is not None
        assert picker.group().endswith(" hidden>")
        assert "name=" not in picker.group()
        page = await owner.follow(await owner.send(FORM, FORM, {"color": "#1A2b3c"}))
        assert 'id="color" name="color" value="#1a2b3c"' in page
        refused = await owner.follow(await owner.send(FORM, FORM, {"color": "red"}))
        assert "Enter a colour like #1a2b3c" in refused
