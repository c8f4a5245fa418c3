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
        text="Hello,\n\nYour code for the chat of the site that you are visiting is 012345. It is "
        "valid for 10 minutes, once, in the window that asked for it.\n\nIf you asked for nothing, "
        "ignore this message and pass the code on to nobody: it opens your orders.\n",
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
        "Bonjour,\n\nVotre code pour la messagerie du site que vous consultez est 012345. Il est "
        "valable 10 minutes, une seule fois, dans la fenêtre où il a été demandé.\n\nSi vous "
        "n'avez rien demandé, ignorez ce message et ne communiquez ce code à personne : il donne "
        "accès à vos commandes.\n"
    )
