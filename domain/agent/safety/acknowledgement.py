"""What a customer is told whose matter went to a human before any brain was asked.

It asserts nothing of the matter and promises neither an outcome nor a time.
"""

from typing import Final

from domain.agent.safety.sensitive import SensitiveMatter
from domain.tenants.client_settings import ClientSettings

_FRENCH: Final = "fr"
_ENGLISH: Final = "en"

_BUILT_IN: Final = {
    _FRENCH: (
        "Bonjour,\n\nNous avons bien reçu votre message. Il ne recevra pas de réponse "
        "automatique : une personne de notre équipe le lit en priorité.\n\n{brand}"
    ),
    _ENGLISH: (
        "Hello,\n\nWe have received your message. It will get no automatic answer: a person of our "
        "team looks at it as a matter of priority.\n\n{brand}"
    ),
}
# Follows the merchant's own words too: whoever words them may not have thought of this.
_IN_DANGER: Final = {
    _FRENCH: (
        "Si vous êtes en danger ou si vous pensez à mettre fin à vos jours, vous n'êtes pas "
        "seul : appelez le 3114 en France (gratuit, jour et nuit), le 112 en Europe, le 988 au "
        "Canada ou le numéro d'urgence de votre pays."
    ),
    _ENGLISH: (
        "If you are in danger or thinking of ending your life, you are not alone: call 112 in "
        "Europe, 999 or 116 123 in the UK and Ireland, 988 in the US and Canada, 3114 in France, "
        "or the emergency number of your country."
    ),
}


def acknowledgement(
    settings: ClientSettings, language: str, brand: str, matter: SensitiveMatter
) -> str:
    """The merchant's words in the customer's language, else ours.

    English where it is neither French nor English. `brand`: who it is from.
    """
    spoken = _FRENCH if language == _FRENCH else _ENGLISH
    words = settings.acknowledgement.get(spoken) or _BUILT_IN[spoken].format(brand=brand).strip()
    if matter is SensitiveMatter.SELF_HARM:
        return f"{words}\n\n{_IN_DANGER[spoken]}"
    return words
