"""Messages that only end a conversation."""

import pytest

from domain.agent.intents.closing import LONGEST, closes

CLOSINGS = (
    "Merci, tout est parfait !",
    "c'est bon",
    "ok thanks bye",
    "Merci beaucoup",
    "merci !",
    "Thanks a lot!",
    "Thank you so much for your help",
    "Parfait, merci pour votre aide",
    "Super, merci",
    "ok merci",
    "OK, got it, thanks",
    "All good now, thank you",
    "That's all, thanks!",
    "Great, thank you very much",
    "Merci infiniment, bonne journée",
    "Merci pour votre réponse rapide",
    "Merci pour ces précisions, bonne soirée",
    "J'ai bien reçu mon colis, merci !",
    "The parcel arrived this morning, thanks!",
    "Perfect, cheers",
    "c'est parfait merci",
    "Nickel, merci à vous",
    "d'accord merci",
    "Très bien, merci",
    "Impeccable, merci et bon week-end",
    "Thanks, have a nice day",
    "Thank you for the quick reply!",
    "Brilliant, thanks",
    "Tout est réglé, merci",
    "Problème résolu, merci beaucoup",
    "My issue is resolved, thank you",
    "no worries, thanks",
    "Non merci, c'est bon",
    "Noted, thank you",
    "Bien reçu, merci",
    "Merci 👍",
    "thx",
    "Merci !\nCamille Durand",
    "Hello, all sorted now. Kind regards",
    "Au revoir et merci",
    "Lovely, ta, thanks again",
)
NO_CLOSINGS = (
    "merci pour rien",
    "Thanks for nothing",
    "Merci de me rembourser",
    "Merci de me répondre",
    "Merci d'avance",
    "thanks in advance",
    "ok",
    "oui",
    "yes please",
    "oui merci",
    "yes, thanks",
    "no",
    "c'est bon ?",
    "Merci mais je n'ai toujours rien reçu",
    "Thanks but it's broken",
    "Parfait, et la deuxième commande ?",
    "Merci. Où est ma commande ?",
    "Super service, trois semaines de retard",
    "great, another broken plate",
    "Thanks, waiting for your reply",
    "merci de vérifier",
    "Merci d'annuler ma commande",
    "Thank you for refunding me",
    "That's not good",
    "ce n'est pas parfait",
    "Merci beaucoup 😡",
    "bravo",
    "thanks, please cancel it",
    "Merci, remboursez-moi",
    "ok for the refund, thanks",
    "Thanks. One more thing: can I change the address",
    "Merci de votre réponse",
    "perfect timing, it never came",
    "all good except the lid",
    "tout est bon sauf la taille",
    "hello",
    "Bonjour",
    "merci de patienter",
    "Thank you, I will send the photos",
    "Merci, j'attends le colis",
    "it was great but not now",
    "",
    "1042",
    "Merci, Annulez",
    "谢谢",
)


@pytest.mark.parametrize("text", CLOSINGS)
def test_thanks_alone_close(text: str) -> None:
    assert closes(text)


@pytest.mark.parametrize("text", NO_CLOSINGS)
def test_what_says_anything_else_does_not(text: str) -> None:
    assert not closes(text)


def test_both_tables_have_forty() -> None:
    assert min(len(CLOSINGS), len(NO_CLOSINGS)) >= 40


def test_many_thanks_say_more() -> None:
    assert not closes("merci " * LONGEST)
