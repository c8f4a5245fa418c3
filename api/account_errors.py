"""Error responses of sign-in, payments, mail senders and the widget; part of the table in
`api/errors.py`."""

from typing import Final

from api.error_answer import ErrorAnswer
from domain.billing.errors import (
    CheckoutNotFound,
    InvalidPaymentSignature,
    NotALowerPlan,
    NotForSale,
    PaymentsUnavailable,
    PaymentsUnreachable,
    PlanRequired,
    TooManyCheckouts,
)
from domain.core.errors import DomainError
from domain.identity.errors import (
    AddressNotVerified,
    AddressTaken,
    CrossSiteRequest,
    InvalidAddress,
    InvalidBrandName,
    InvalidCode,
    InvalidRefreshToken,
    InvitationNotFound,
    ProviderAnswerInvalid,
    ProviderUnreachable,
    SessionNotFound,
    SignInInterrupted,
    TooManyAccounts,
    TooManyInvitations,
)
from domain.integrations.errors import (
    InvalidMailSender,
    InvalidSenderCode,
    MailSenderNotFound,
    MailSenderVerified,
    TooManySenderCodes,
)
from domain.widget.errors import (
    ApiKeyNotAccepted,
    InvalidUserSignature,
    InvalidWidget,
    InvalidWidgetCode,
    OriginNotAllowed,
    SessionUnknown,
    TooManyCodes,
    WidgetShareUsed,
)

ACCOUNT_ANSWERS: Final[dict[type[DomainError], ErrorAnswer]] = {
    InvalidCode: ErrorAnswer(401, "Non autorisé"),
    InvalidRefreshToken: ErrorAnswer(401, "Non autorisé"),
    PlanRequired: ErrorAnswer(
        402, "Cette fonctionnalité est réservée au plan Pro et aux plans supérieurs."
    ),
    InvalidAddress: ErrorAnswer(400, "Adresse e-mail invalide."),
    InvalidBrandName: ErrorAnswer(400, "Nom de boutique invalide : 1 à 100 caractères."),
    CrossSiteRequest: ErrorAnswer(403, "Ce formulaire vient d'un autre site."),
    SignInInterrupted: ErrorAnswer(400, "Connexion interrompue : recommencez."),
    AddressNotVerified: ErrorAnswer(
        403, "Votre fournisseur d'identité n'a pas vérifié votre adresse e-mail."
    ),
    AddressTaken: ErrorAnswer(409, "Cette adresse est celle d'un autre compte."),
    TooManyAccounts: ErrorAnswer(429, "Trop de nouveaux comptes : réessayez dans une heure."),
    ProviderAnswerInvalid: ErrorAnswer(
        502, "La réponse du fournisseur d'identité n'est pas valable."
    ),
    ProviderUnreachable: ErrorAnswer(503, "Le fournisseur d'identité ne répond pas. Réessayez."),
    OriginNotAllowed: ErrorAnswer(403, "Ce site ne fait pas partie des origines autorisées."),
    ApiKeyNotAccepted: ErrorAnswer(
        403, "Ce client n'accepte pas de clé API dans le widget : utilisez la clé du widget."
    ),
    SessionUnknown: ErrorAnswer(404, "Conversation introuvable ou terminée."),
    InvalidWidget: ErrorAnswer(400, "Widget invalide : {reason}"),
    TooManyCodes: ErrorAnswer(429, "Trop de codes demandés : réessayez dans une heure."),
    InvalidWidgetCode: ErrorAnswer(401, "Code incorrect ou expiré."),
    InvalidUserSignature: ErrorAnswer(
        401, "Signature de l'utilisateur invalide : user_signature ne signe pas customer_email."
    ),
    WidgetShareUsed: ErrorAnswer(
        429, "Le widget a utilisé sa part des messages de cette boutique. Réessayez plus tard."
    ),
    InvalidMailSender: ErrorAnswer(400, "Adresse d'envoi invalide : champ « {reason} »"),
    InvalidSenderCode: ErrorAnswer(400, "Code incorrect ou expiré."),
    MailSenderNotFound: ErrorAnswer(404, "Aucune adresse d'envoi n'est définie."),
    MailSenderVerified: ErrorAnswer(409, "Cette adresse d'envoi est déjà vérifiée."),
    TooManySenderCodes: ErrorAnswer(409, "5 codes au plus par jour : réessayez demain."),
    SessionNotFound: ErrorAnswer(404, "Session introuvable."),
    InvitationNotFound: ErrorAnswer(404, "Invitation introuvable."),
    CheckoutNotFound: ErrorAnswer(404, "Paiement introuvable."),
    InvalidPaymentSignature: ErrorAnswer(400, "Signature invalide."),
    TooManyCheckouts: ErrorAnswer(409, "Trop de paiements commencés : réessayez dans une heure."),
    NotForSale: ErrorAnswer(409, "Cette offre ne peut pas être achetée ici."),
    NotALowerPlan: ErrorAnswer(409, "Un plan supérieur s'achète : il ne se choisit pas."),
    PaymentsUnavailable: ErrorAnswer(409, "Paiement non configuré."),
    PaymentsUnreachable: ErrorAnswer(
        503, "Le prestataire de paiement ne répond pas : rien n'a été payé. Réessayez."
    ),
    TooManyInvitations: ErrorAnswer(409, "20 invitations au plus par jour."),
}
