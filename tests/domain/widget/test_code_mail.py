"""The email with a visitor's code."""

from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName
from domain.widget.code_mail import visitor_code_mail

SERVICE = ServiceName()


def test_the_whole_mail() -> None:
    mail = visitor_code_mail(
        "CODE",
        to="jean@free.example",
        language="en",
        code="012345",
        minutes=10,
        service=SERVICE,
    )
    assert mail == OutgoingMail(
        name="widget.code",
        to="jean@free.example",
        from_name=SERVICE.name,
        subject="Your code: 012345",
        text="Hello,\n\nYour code: 012345\n\nEnter it in the chat where you asked for it. It is "
        "valid for 10 minutes, once.\n\nYou did not ask for a code? Ignore this message, and give "
        "the code to no one: it opens your orders.\n",
        auto_submitted="auto-generated",
    )
    french = visitor_code_mail(
        "CODE",
        to="jean@free.example",
        language="fr",
        code="012345",
        minutes=10,
        service=SERVICE,
    )
    assert french.subject == "Votre code : 012345"
    assert french.text == (
        "Bonjour,\n\nVotre code : 012345\n\nSaisissez-le dans la discussion où vous l'avez "
        "demandé. Il est valable 10 minutes, une seule fois.\n\nVous n'avez rien demandé ? Ignorez "
        "ce message, et ne donnez ce code à personne : il donne accès à vos commandes.\n"
    )
