"""The error table: the response status and text for each error. Texts from the API specification
are copied verbatim, in French and with the specification's spelling."""

from typing import Final

from api.error_answer import INTERNAL, ErrorAnswer
from api.route_family import RouteFamily
from domain.billing.errors import (
    CheckoutNotFound,
    InvalidPaymentSignature,
    NotALowerPlan,
    NotForSale,
    PaymentsUnavailable,
    PaymentsUnreachable,
    PlanRequired,
    QuotaExhausted,
    TooManyCheckouts,
)
from domain.cases.errors import (
    CaseNameTaken,
    CaseNotFound,
    CaseRunNotFound,
    CaseRunUnderWay,
    CasesNotGreen,
    InvalidCases,
    SavedCasesFull,
    TooManyCases,
)
from domain.content import errors as content_errors
from domain.core.errors import (
    BodyTooLarge,
    BodyTooSlow,
    CallerBusy,
    CommitUnknown,
    DocumentTooCostly,
    DomainError,
    EngineUnavailable,
    HeadTooLarge,
    InternalError,
    InvalidBody,
    InvalidContent,
    InvalidQuery,
    InvalidRequest,
    MethodNotAllowed,
    RouteNotFound,
    ServerBusy,
    UnsupportedMediaType,
)
from domain.customers.errors import CustomerNotFound
from domain.dashboard import errors as dashboard_errors
from domain.exports.errors import ExportNotAudited, ExportsBusy, InvalidExportFormat
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
    SignInLinkGone,
    TooManyAccounts,
    TooManyInvitations,
)
from domain.inbound.errors import (
    DataRequestNotFound,
    EndpointExists,
    EndpointNotFound,
    InboundAddressUnknown,
    InboundBusy,
    InboundRefused,
    InboundWebhookNotFound,
    InvalidEndpoint,
    WebhookUnreadable,
)
from domain.intake.errors import (
    AttachmentNotFound,
    AttachmentRefused,
    ClientRateLimited,
    CustomerRateLimited,
    EventRoomUsed,
    IdempotencyKeyReused,
    InvalidIdempotencyKey,
    RunInProgress,
    TooManyRequests,
)
from domain.integrations.errors import (
    IntegrationNotFound,
    InvalidIntegration,
    InvalidMailSender,
    InvalidSenderCode,
    MailSenderNotFound,
    MailSenderVerified,
    TooManySenderCodes,
    UnknownProvider,
)
from domain.learning.errors import (
    CorrectionDecided,
    CorrectionNotFound,
    ExampleNotFound,
    TooManyExamples,
)
from domain.playbooks.errors import (
    InvalidPlaybook,
    PatternTaken,
    PlaybookChanged,
    PlaybookNameTaken,
    PlaybookNotFound,
    PlaybookVersionsFull,
    TooManyPlaybookChanges,
    TooManyPlaybooks,
)
from domain.ratings.errors import RatedAnswerNotFound, RatingLinkExpired, RatingLinkUnknown
from domain.reviews.errors import (
    ConversationMovedOn,
    DraftMissing,
    EscalationChanged,
    EscalationClaimed,
    EscalationDecided,
    EscalationNotFound,
    OwnRequest,
    SecondPersonRequired,
)
from domain.runs.errors import (
    AnswerDelayed,
    AnswerTimeout,
    AnswerUnknown,
    ConversationNotFound,
    ConversationTaken,
    InboxViewNotFound,
    InvalidInboxView,
    InvalidTriage,
    NoReviewToReject,
    ReplyNotFound,
    ReplyNotPossible,
    ReplySent,
    RunNotFound,
    TooManyInboxViews,
)
from domain.simulation.errors import (
    InvalidReplay,
    ReplayNotFound,
    ReplayUnderWay,
    SimulationTooLong,
)
from domain.tenants.errors import (
    AccessDenied,
    ApiKeyMissing,
    ClientIdMissing,
    ClientIdRepeated,
    ClientNotFound,
    InsufficientScope,
    InvalidLabel,
    InvalidSettings,
    KeyNotFound,
    KeysUndecided,
    LooseningChanged,
    LooseningDecided,
    LooseningHeld,
    LooseningNotFound,
    MemberNotFound,
    NoClient,
    OwnerStays,
    RoleRequired,
    SecondPersonUnfit,
    TooManyKeys,
    TooManyLoosenings,
    Unauthenticated,
)
from domain.webhooks.errors import (
    DeliveryNotFound,
    DeliveryPending,
    InvalidWebhook,
    TooManyPending,
    TooManyWebhooks,
    WebhookDisabled,
    WebhookEventNotFound,
    WebhookNotFound,
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

_UNAVAILABLE: Final = "Le moteur est momentanément indisponible. Réessayez dans quelques instants."

ANSWERS: Final[dict[type[DomainError], ErrorAnswer]] = {
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
    InboundAddressUnknown: ErrorAnswer(404, "Adresse de webhook inconnue."),
    InboundRefused: ErrorAnswer(401, "Webhook refusé : signature absente, fausse ou trop vieille."),
    WebhookUnreadable: ErrorAnswer(400, "Webhook illisible : {reason}"),
    InboundBusy: ErrorAnswer(503, "Trop de courriers à la fois. Réessayez dans un instant."),
    InboundWebhookNotFound: ErrorAnswer(404, "Webhook entrant introuvable."),
    EndpointNotFound: ErrorAnswer(404, "Cette intégration n'a pas d'adresse de webhook."),
    EndpointExists: ErrorAnswer(
        409, "Cette intégration a déjà une adresse de webhook ; renouvelez-la plutôt."
    ),
    InvalidEndpoint: ErrorAnswer(400, "Adresse de webhook invalide : champ « {reason} »"),
    DataRequestNotFound: ErrorAnswer(404, "Demande de données introuvable."),
    CorrectionNotFound: ErrorAnswer(404, "Correction introuvable."),
    CorrectionDecided: ErrorAnswer(409, "Quelqu'un a déjà décidé de cette correction."),
    ExampleNotFound: ErrorAnswer(404, "Exemple introuvable."),
    TooManyExamples: ErrorAnswer(409, "{limit} exemples au plus : supprimez-en."),
    RatingLinkUnknown: ErrorAnswer(404, "Ce lien n'est pas valable."),
    RatingLinkExpired: ErrorAnswer(410, "Ce lien a expiré."),
    RatedAnswerNotFound: ErrorAnswer(404, "Réponse introuvable dans cette conversation."),
    SecondPersonRequired: ErrorAnswer(
        409, "Vous avez déjà approuvé : une deuxième personne doit le faire."
    ),
    OwnRequest: ErrorAnswer(
        403,
        "Cette demande est la vôtre : vous l'avez saisie, une clé à vous l'a envoyée, ou vous en "
        "êtes le client. Une autre personne doit l'approuver.",
    ),
    SecondPersonUnfit: ErrorAnswer(
        403,
        "Deux membres doivent être d'accord, chacun avec sa propre adresse vérifiée et membre "
        "depuis au moins 24 heures.",
        fields=("why",),
    ),
    LooseningHeld: ErrorAnswer(
        409,
        "Cette modification permet davantage à l'agent : elle attend l'accord d'un autre "
        "propriétaire ou administrateur, ou un jour.",
        fields=("loosening_id", "takes_effect_at"),
    ),
    LooseningNotFound: ErrorAnswer(404, "Modification introuvable."),
    LooseningDecided: ErrorAnswer(409, "Cette modification a déjà été décidée."),
    LooseningChanged: ErrorAnswer(
        409,
        "Les règles ont changé depuis : cette modification assouplirait davantage que ce qu'elle "
        "indique. Annulez-la et redemandez-la.",
    ),
    TooManyLoosenings: ErrorAnswer(
        409, "{limit} modifications attendent déjà : approuvez-en ou annulez-en une d'abord."
    ),
    dashboard_errors.ChangedMeanwhile: ErrorAnswer(
        409, "Modifié entre-temps par quelqu'un d'autre."
    ),
    dashboard_errors.AlreadyPosted: ErrorAnswer(409, "Ce formulaire a déjà été envoyé."),
    dashboard_errors.NotConfirmed: ErrorAnswer(400, "Le nom saisi n'est pas celui attendu."),
    SignInLinkGone: ErrorAnswer(410, "Ce lien a déjà servi, ou il est trop ancien."),
    dashboard_errors.InvalidPreferences: ErrorAnswer(400, "Préférences invalides : {reason}."),
    content_errors.InvalidKnowledgeFile: ErrorAnswer(400, "Fichier de connaissances invalide."),
    ReplayNotFound: ErrorAnswer(404, "Rejeu introuvable."),
    ReplayUnderWay: ErrorAnswer(409, "Un rejeu est déjà en cours. Attendez sa fin ou arrêtez-le."),
    InvalidReplay: ErrorAnswer(400, "Rejeu invalide : {reason}"),
    Unauthenticated: ErrorAnswer(
        401,
        "Non autorisé",
        on={
            RouteFamily.GATEWAY: "Non autorise.",
            RouteFamily.USAGE: "Non autorise.",
            RouteFamily.WIDGET: "Invalid API key",
        },
    ),
    ApiKeyMissing: ErrorAnswer(401, "api_key required"),
    InvalidRequest: ErrorAnswer(400, "Requête HTTP invalide."),
    InvalidBody: ErrorAnswer(400, "Corps de requête invalide : {reason}"),
    ClientIdMissing: ErrorAnswer(
        400, "client_id requis", on={RouteFamily.USAGE: "Missing client_id"}
    ),
    ClientIdRepeated: ErrorAnswer(400, "client_id donné plusieurs fois"),
    InvalidIdempotencyKey: ErrorAnswer(
        400, "Idempotency-Key invalide : 1 à 255 caractères ASCII visibles attendus."
    ),
    InvalidQuery: ErrorAnswer(400, "Paramètre invalide : {reason}"),
    InvalidExportFormat: ErrorAnswer(400, "Format invalide"),
    AccessDenied: ErrorAnswer(403, "Acces refuse."),
    RoleRequired: ErrorAnswer(403, "Votre rôle ne permet pas cette action."),
    InsufficientScope: ErrorAnswer(
        403,
        "Cette clé n'a pas le droit « {scope} ».",
        challenge='Bearer error="insufficient_scope", scope="{scope}"',
    ),
    NoClient: ErrorAnswer(403, "Aucun client associé"),
    ClientNotFound: ErrorAnswer(
        404, "Client non trouve", on={RouteFamily.USAGE: "Client introuvable."}
    ),
    InvalidContent: ErrorAnswer(400, "Contenu invalide : {reason}"),
    content_errors.InvalidSite: ErrorAnswer(400, "Adresse de site invalide : {reason}"),
    content_errors.NoArticles: ErrorAnswer(400, "Articles introuvables : {reason}"),
    InvalidSettings: ErrorAnswer(400, "Paramètres invalides : {reason}"),
    InvalidLabel: ErrorAnswer(400, "Nom de clé invalide : {reason}"),
    InvalidPlaybook: ErrorAnswer(
        400,
        "Playbook invalide : voir `problems`, qui nomme chaque endroit.",
        fields=("problems",),
    ),
    InvalidCases: ErrorAnswer(
        400, "Cas invalide : voir `problems`, qui nomme chaque endroit.", fields=("problems",)
    ),
    InboxViewNotFound: ErrorAnswer(404, "Vue enregistrée introuvable."),
    TooManyInboxViews: ErrorAnswer(409, "{limit} vues enregistrées au plus : supprimez-en une."),
    InvalidInboxView: ErrorAnswer(400, "Vue enregistrée invalide : {reason}"),
    NoReviewToReject: ErrorAnswer(
        409, "L'une des demandes n'a pas de brouillon à rejeter : rien n'a changé."
    ),
    InvalidTriage: ErrorAnswer(400, "Tri de conversation invalide : {reason}"),
    InvalidIntegration: ErrorAnswer(400, "Intégration invalide : champ « {reason} »"),
    content_errors.ContentNotFound: ErrorAnswer(404, "Contenu introuvable."),
    KeyNotFound: ErrorAnswer(404, "Clé introuvable."),
    MemberNotFound: ErrorAnswer(404, "Membre introuvable."),
    SimulationTooLong: ErrorAnswer(
        504, "La simulation a pris trop de temps. Essayez avec moins de messages."
    ),
    PlaybookNotFound: ErrorAnswer(404, "Playbook introuvable."),
    CaseNotFound: ErrorAnswer(404, "Cas introuvable."),
    CaseRunNotFound: ErrorAnswer(404, "Série de cas introuvable."),
    content_errors.SuggestionNotFound: ErrorAnswer(404, "Suggestion introuvable."),
    content_errors.SiteImportNotFound: ErrorAnswer(404, "Import de site introuvable."),
    IntegrationNotFound: ErrorAnswer(404, "Intégration introuvable."),
    CustomerNotFound: ErrorAnswer(404, "Client introuvable."),
    ConversationNotFound: ErrorAnswer(404, "Conversation introuvable."),
    ReplyNotFound: ErrorAnswer(404, "Réponse introuvable ou annulée."),
    AttachmentNotFound: ErrorAnswer(404, "Pièce jointe introuvable."),
    RunNotFound: ErrorAnswer(404, "Exécution introuvable."),
    RouteNotFound: ErrorAnswer(404, "Route introuvable"),
    EscalationNotFound: ErrorAnswer(404, "Demande de validation introuvable."),
    InvalidWebhook: ErrorAnswer(400, "Webhook invalide : {reason}"),
    WebhookNotFound: ErrorAnswer(404, "Webhook introuvable."),
    WebhookEventNotFound: ErrorAnswer(404, "Événement de webhook introuvable."),
    DeliveryNotFound: ErrorAnswer(404, "Livraison introuvable."),
    WebhookDisabled: ErrorAnswer(409, "Ce webhook est désactivé : réactivez-le d'abord."),
    DeliveryPending: ErrorAnswer(409, "Cette livraison n'est pas encore terminée."),
    TooManyPending: ErrorAnswer(
        409, "Trop de livraisons de ce webhook attendent : réessayez plus tard."
    ),
    content_errors.TooMuchContent: ErrorAnswer(409, "{limit} au plus par client."),
    TooManyKeys: ErrorAnswer(409, "{limit} clés actives au plus : révoquez-en une d'abord."),
    TooManyPlaybooks: ErrorAnswer(409, "{limit} playbooks au plus par client."),
    TooManyPlaybookChanges: ErrorAnswer(
        409, "{limit} versions et activations de playbooks au plus par jour : réessayez demain."
    ),
    PlaybookVersionsFull: ErrorAnswer(409, "Plus de place pour des versions de playbooks."),
    TooManyCases: ErrorAnswer(409, "{limit} cas au plus par client."),
    SavedCasesFull: ErrorAnswer(409, "Vos cas enregistrés dépassent {limit} Kio au total."),
    CaseNameTaken: ErrorAnswer(409, "Un autre cas porte déjà ce nom."),
    CaseRunUnderWay: ErrorAnswer(409, "Une série de cas est déjà en cours pour ce client."),
    content_errors.SiteImportUnderWay: ErrorAnswer(
        409, "Un import de site est déjà en cours : attendez qu'il se termine."
    ),
    OwnerStays: ErrorAnswer(409, "Un client a un seul propriétaire, qui le reste."),
    KeysUndecided: ErrorAnswer(
        409, "Ce membre a créé des clés actives : révoquez-les ou gardez-les.", ("keys",)
    ),
    PatternTaken: ErrorAnswer(
        409, "Un autre playbook actif répond déjà à « {pattern} » : désactivez-le d'abord."
    ),
    PlaybookNameTaken: ErrorAnswer(409, "Un autre playbook porte déjà ce nom."),
    CasesNotGreen: ErrorAnswer(
        409,
        "Des cas de test échouent ({failing}) ou n'ont pas été joués ({untried}) sur ce playbook, "
        "ce contenu et ce modèle : jouez-les, ou passez outre avec `override`.",
        fields=("failing", "untried", "cases"),
    ),
    PlaybookChanged: ErrorAnswer(
        409,
        "Le playbook a changé entre-temps : il en est à la version {version}.",
        fields=("version",),
    ),
    content_errors.TooManySuggestions: ErrorAnswer(
        409, "200 suggestions en attente au plus : acceptez-les ou refusez-les d'abord."
    ),
    TooManyWebhooks: ErrorAnswer(409, "100 webhooks au plus par client."),
    MethodNotAllowed: ErrorAnswer(405, "Méthode non autorisée"),
    BodyTooSlow: ErrorAnswer(408, "Corps de requête trop lent : 10 s au plus."),
    RunInProgress: ErrorAnswer(
        409, "Une requête avec cette Idempotency-Key est en cours de traitement."
    ),
    EscalationDecided: ErrorAnswer(409, "Cette demande de validation est close."),
    EscalationClaimed: ErrorAnswer(
        409, "Quelqu'un d'autre s'occupe déjà de cette demande.", fields=("claimed_by",)
    ),
    ConversationTaken: ErrorAnswer(
        409, "Un collègue a pris cette conversation en main.", fields=("taken_by",)
    ),
    ReplySent: ErrorAnswer(409, "Cette réponse est déjà partie : elle ne peut plus être annulée."),
    AttachmentRefused: ErrorAnswer(422, "Ce fichier ne peut pas être joint.", fields=("reason",)),
    ReplyNotPossible: ErrorAnswer(
        409, "Aucune réponse ne peut atteindre l'auteur du dernier message.", fields=("reason",)
    ),
    EscalationChanged: ErrorAnswer(
        409, "Le texte de la réponse a changé : relisez-le avant de l'approuver."
    ),
    ConversationMovedOn: ErrorAnswer(
        409, "Le client a écrit entre-temps : relisez la conversation avant de décider."
    ),
    DraftMissing: ErrorAnswer(409, "L'agent n'a rien rédigé : écrivez la réponse vous-même."),
    BodyTooLarge: ErrorAnswer(413, "Corps de requête trop volumineux : 1 Mio au plus."),
    DocumentTooCostly: ErrorAnswer(
        422, "Document trop long à lire : raccourcissez-le ou simplifiez-le."
    ),
    UnsupportedMediaType: ErrorAnswer(
        415, "Content-Type application/json attendu, en UTF-8 et sans Content-Encoding."
    ),
    IdempotencyKeyReused: ErrorAnswer(
        422, "Idempotency-Key déjà utilisée avec un autre corps de requête."
    ),
    CustomerRateLimited: ErrorAnswer(
        429, "Rate limit: 10 messages/10min depasse pour {customer_email}"
    ),
    ClientRateLimited: ErrorAnswer(429, "Rate limit: 200 messages/heure depasse pour ce client"),
    QuotaExhausted: ErrorAnswer(
        429,
        "Quota de tickets épuisé. Achetez des crédits ou passez à un plan supérieur.",
        fields=("tickets_used", "tickets_limit", "credits_balance", "upgrade_url", "credits_url"),
    ),
    EventRoomUsed: ErrorAnswer(429, "Trop de données d'événements en 24 heures."),
    content_errors.TooManySiteImports: ErrorAnswer(
        429, "{limit} imports de site au plus par 24 heures : réessayez demain."
    ),
    TooManyRequests: ErrorAnswer(429, "Trop de requêtes : {quota} par {window_s} s au plus."),
    CallerBusy: ErrorAnswer(429, "Trop de requêtes à la fois. Réessayez dans un instant."),
    HeadTooLarge: ErrorAnswer(431, "En-têtes trop volumineux : 64 Kio et 100 en-têtes au plus."),
    EngineUnavailable: ErrorAnswer(500, _UNAVAILABLE),
    CommitUnknown: ErrorAnswer(500, _UNAVAILABLE),
    AnswerUnknown: ErrorAnswer(
        500,
        "Le moteur est momentanément indisponible : on ignore si l'événement est enregistré. "
        "Le renvoyer n'est sans risque qu'avec la même Idempotency-Key.",
        fields=("event_id",),
    ),
    AnswerTimeout: ErrorAnswer(
        500,
        "Délai de réponse dépassé : l'événement est enregistré et son traitement continue.",
        fields=("event_id",),
    ),
    AnswerDelayed: ErrorAnswer(
        500,
        "Le moteur est momentanément indisponible : l'événement est enregistré et sera traité. "
        "Ne le renvoyez pas.",
        fields=("event_id",),
    ),
    UnknownProvider: ErrorAnswer(
        500, "Une intégration enregistrée est d'un fournisseur que cette version ne connaît pas."
    ),
    ExportNotAudited: ErrorAnswer(500, "Export refusé : le journal d'audit est inaccessible."),
    InternalError: ErrorAnswer(500, INTERNAL),
    ExportsBusy: ErrorAnswer(503, "Trop d'exports en cours. Réessayez dans quelques instants."),
    ServerBusy: ErrorAnswer(503, "Trop de connexions. Réessayez dans quelques instants."),
}
