"""Auto-replies and bounces without their headers, and customers' emails that resemble them."""

import pytest

from domain.intake.mail_automatic import is_automatic
from tests.support.intake.normalized import unified


def allowed(subject: str, text: str) -> bool:
    payload = {"from": "jo@x.fr", "subject": subject, "text": text}
    return unified("email.inbound", {**payload}).reply_allowed


@pytest.mark.parametrize(
    "subject",
    [
        "Automatic reply: Your order", "AUTOMATIC REPLY", "Auto-Reply: x", "Autoreply",
        "Out of Office",
        "Out of office: your order 1042", "Out of the office - until 12 May", "Automated response",
        "Réponse automatique : Votre commande", "Message automatique", "Absence du bureau : x",
        "Absent(e) du bureau", "Notification d’absence", "Avis d'absence",
        "Automatische Antwort: Ihre Bestellung", "Abwesenheitsnotiz", "Abwesenheitsnotiz: Paket",
        "Automatische Abwesenheitsnotiz", "Abwesenheitsmeldung",
        "Respuesta automática", "Respuesta automática: Pedido", "Fuera de la oficina: pedido",
        "Risposta automatica: Ordine", "Fuori ufficio", "Automatisch antwoord: Bestelling",
        "Automatisch bericht", "Afwezigheidsbericht", "Resposta automática: Pedido",
        "Fora do escritório", "Odpowiedź automatyczna: Zamówienie", "Autoodpowiedź",
        "Undelivered Mail Returned to Sender", "Undelivered mail", "Returned mail: see transcript",
        "Delivery Status Notification (Failure)", "Mail delivery failed: returning message",
        "failure notice", "Message undeliverable: x", "Rapport de non-remise", "Message non remis",
        "Unzustellbare Nachricht: x", "Correo no entregado", "Messaggio non recapitato: x",
        "Onbestelbaar bericht: x", "Mensagem não entregue", "Niedostarczona wiadomość: x",
        "Nie można dostarczyć wiadomości", "Notificación de estado de entrega (error)",
    ],
)  # fmt: skip
def test_subjects_of_programs(subject: str) -> None:
    assert not allowed(subject, "x")


@pytest.mark.parametrize(
    "text",
    [
        "I am out of the office until May 12. For urgent matters write to ana@x.fr.",
        "Hello,\n\nI am currently out of the office and will return on Monday.\n\nBest, Jo",
        "Thank you for your email. I'm on annual leave until 3 June.",
        "Hi, I'm out of office till Friday with no access to email.",
        "This is an automatically generated message, please do not reply.",
        "This is an automated response. Your request has been received.",
        "Thank you for your order. This is an automated message.",
        "Dear sender, this mailbox is not monitored. Please use our form.",
        "Bonjour,\n\nJe suis absent du bureau jusqu'au 12 mai. En cas d'urgence, voyez Ana.",
        "Je suis absente jusqu’au 3 juin.",
        "Je suis actuellement absent(e) du bureau, de retour le 12.",
        "Bonjour, je suis en congés jusqu'au 25 août inclus.",
        "Je suis en déplacement, de retour lundi.",
        "Ceci est un message automatique, merci de ne pas y répondre.",
        "Bonjour,\nCe message a été envoyé automatiquement.",
        "Merci de ne pas répondre à ce mail.",
        "Nos bureaux sont fermés du 24 décembre au 2 janvier.",
        "Ich bin derzeit nicht im Büro und ab dem 12. Mai wieder erreichbar.",
        "Ich bin bis zum 3. Juni im Urlaub.",
        "Dies ist eine automatische Antwort.",
        "Diese E-Mail wurde automatisch erstellt, bitte antworten Sie nicht.",
        "Estoy fuera de la oficina hasta el 12 de mayo.",
        "Este es un mensaje automático, por favor no responda.",
        "Sono fuori ufficio fino al 12 maggio.",
        "Questo messaggio è stato generato automaticamente.",
        "Ik ben niet op kantoor tot 12 mei.",
        "Dit is een automatisch bericht.",
        "Estou de férias até 12 de maio.",
        "Esta é uma mensagem automática.",
        "Jestem na urlopie do 12 maja.",
        "To jest wiadomość automatyczna.",
        "This is the mail system at host mx.x.fr.\n\nI'm sorry to have to inform you",
        "Delivery to the following recipients failed permanently:\n  jo@x.fr",
        "Your message could not be delivered to one or more recipients.",
        "Votre message n'a pas pu être remis à jo@x.fr.",
        "Ihre Nachricht konnte nicht zugestellt werden.",
        "No se pudo entregar el mensaje a los siguientes destinatarios",
        "Twoja wiadomość nie została dostarczona.",
    ],
)
def test_texts_of_programs(text: str) -> None:
    assert not allowed("Re: Bonjour", text)


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Undeliverable: Your order", "Your message to jo@x.fr: recipient not found."),
        ("Non remis : Votre commande", "Impossible de joindre le destinataire."),
        ("Unzustellbar: Ihre Bestellung", "Der Empfänger wurde nicht gefunden, Postmaster."),
        ("Non recapitabile: Ordine", "Il destinatario non esiste."),
        ("On vacation", "See you soon."),
        ("Abwesend", "Bin wieder da am 12."),
        ("En congés", "A bientôt"),
    ],
)
def test_subject_and_text_together(subject: str, text: str) -> None:
    assert not allowed(subject, text)


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Colis", "Je suis absente jusqu'au 12, pouvez-vous livrer après ?"),
        ("Livraison", "Je serai absent jusqu'au 12 mai, merci de livrer ensuite."),
        ("Parcel", "I am out of the office until Monday, please deliver my parcel on Tuesday."),
        ("Delivery", "I'm on holiday until Friday. Can you hold my order?"),
        ("Paket", "Ich bin bis Montag im Urlaub, bitte das Paket später liefern."),
        ("Pedido", "Estoy de vacaciones hasta el lunes, mi pedido llega mañana."),
        ("Undelivered", "My parcel is marked undelivered, where is it?"),
        ("Undeliverable: parcel", "The driver wrote this on my parcel. Please send it again."),
        ("Non distribué : mon colis", "Le facteur dit que l'adresse est fausse. Que faire ?"),
        ("Unzustellbar: mein Paket", "DHL sagt, die Adresse sei falsch."),
        ("Delivery failure", "The carrier says delivery failed yesterday."),
        ("Mancato recapito", "Il corriere non ha trovato nessuno, cosa devo fare?"),
        ("En vacances", "Je pars en vacances lundi, mon colis arrivera-t-il avant ?"),
        ("On vacation", "My order comes while I am away."),
        ("Re: Automatic reply: x", "No, I want a person."),
        ("Votre robot", 'Je reçois toujours "ceci est un message automatique". Où est mon colis ?'),
        ("Help", "I only ever get: this is an automated message. Where is my order 1042?"),
        ("Office", "I ordered an office chair. It is out of the box and broken."),
        ("Adresse", "Nous avons bien reçu votre message et le colis aussi, merci."),
        ("Bonjour", "Je suis absente de la liste des clients, je ne comprends pas."),
        ("Hi", "I am away from my desk lamp's manual, what is its size?"),
        ("Auto", "Automatic reply was nice, thanks."),
        ("Automatic umbrella", "It does not open."),
        ("x", "I am out of office until May.\n" + "My order is late. " * 100),
    ],
)
def test_honest_mail(subject: str, text: str) -> None:
    assert allowed(subject, text)


def test_a_helpdesk_is_told_of_a_programs_answer_by_its_text() -> None:
    for text, answered in (("Ceci est un message automatique.", False), ("Où est-il ?", True)):
        payload = {"subject": "Automatic reply: x", "comment": text}
        assert unified("zendesk.ticket.created", {**payload}).reply_allowed is answered


@pytest.mark.parametrize(
    "text", ["," * 1_500, ". " * 700, "i am away " * 150, "now " * 375, "\n" * 1_500, "a, " * 500]
)
def test_hostile_text_ends(text: str) -> None:
    is_automatic(text, text)
