// What the visitor reads. `{…}` is filled in.
const WORDS = {
  en: {
    launch: "Chat",
    launchUnread: "Chat, {n} unread",
    close: "Close the chat",
    log: "Conversation",
    welcome: "Hello! How can we help you?",
    label: "Your message",
    send: "Send",
    by: { customer: "You", agent: "Automatic assistant", human: "Customer service" },
    typing: "The assistant is writing…",
    sending: "Sending…",
    unsent: "Not sent yet",
    held: "Waiting for your address",
    dead: "This message could not be sent.",
    unanswered: "Nobody can answer this here at the moment.",
    failed: "Something went wrong on our side. Please write to us again later.",
    again: "Try again",
    offline: "You are offline. Your messages are sent when you are back.",
    unreachable: "We cannot be reached just now. Your messages are kept, and sent again.",
    busy: "Many messages at once. Yours is kept, and sent in a moment.",
    full: "We cannot take more messages just now. Yours is kept here.",
    unavailable: "The chat is not available on this page.",
    waiting: "A person will answer you here.",
    waitingMail: "A person will answer you here, or by mail to {email}.",
    reviewing: "A person is looking at your message.",
    verified: "Confirmed address: {email}",
    ask: "To speak of an order, we need to know that it is yours. Which address did you order with?",
    email: "Your e-mail address",
    sendCode: "Send me a code",
    enter: "If the address is right, a code is on its way to {email}. If none arrives, type the last one you received.",
    code: "The code",
    confirm: "Confirm",
    other: "Another address",
    without: "Continue without a code",
    wrongCode: "This code is wrong or too old.",
    wrongEmail: "This address is not valid.",
    later: "Please try again in a moment.",
    rate: "Was this answer helpful?",
    scores: ["not at all", "a little", "somewhat", "well", "very well"],
    rated: "Thank you.",
  },
  fr: {
    launch: "Discussion",
    launchUnread: "Discussion, {n} non lus",
    close: "Fermer la discussion",
    log: "Conversation",
    welcome: "Bonjour ! Comment pouvons-nous vous aider ?",
    label: "Votre message",
    send: "Envoyer",
    by: { customer: "Vous", agent: "Assistant automatique", human: "Service client" },
    typing: "L’assistant écrit…",
    sending: "Envoi en cours…",
    unsent: "Pas encore envoyé",
    held: "En attente de votre adresse",
    dead: "Ce message n’a pas pu être envoyé.",
    unanswered: "Personne ne peut répondre à ceci pour le moment.",
    failed: "Une erreur est survenue de notre côté. Veuillez nous réécrire plus tard.",
    again: "Réessayer",
    offline: "Vous êtes hors ligne. Vos messages partiront à votre retour.",
    unreachable: "Nous sommes injoignables pour l’instant. Vos messages sont gardés et renvoyés.",
    busy: "Beaucoup de messages à la fois. Le vôtre est gardé et part dans un instant.",
    full: "Nous ne pouvons plus prendre de messages pour l’instant. Le vôtre est gardé ici.",
    unavailable: "La discussion n’est pas disponible sur cette page.",
    waiting: "Une personne vous répondra ici.",
    waitingMail: "Une personne vous répondra ici, ou par e-mail à {email}.",
    reviewing: "Une personne regarde votre message.",
    verified: "Adresse confirmée : {email}",
    ask: "Pour parler d’une commande, nous devons savoir qu’elle est à vous. Avec quelle adresse avez-vous commandé ?",
    email: "Votre adresse e-mail",
    sendCode: "Recevoir un code",
    enter: "Si l’adresse est la bonne, un code est en route vers {email}. S’il n’arrive pas, saisissez le dernier reçu.",
    code: "Le code",
    confirm: "Confirmer",
    other: "Une autre adresse",
    without: "Continuer sans code",
    wrongCode: "Ce code est faux ou trop ancien.",
    wrongEmail: "Cette adresse n’est pas valide.",
    later: "Veuillez réessayer dans un instant.",
    rate: "Cette réponse vous a-t-elle aidé ?",
    scores: ["pas du tout", "peu", "moyennement", "bien", "très bien"],
    rated: "Merci.",
  },
};

/** The tag's language, else the page's, else the browser's, else English. */
function languageOf(given) {
  const wanted = [given, document.documentElement.lang, ...(navigator.languages || [])];
  const known = wanted.map((one) => String(one || "").slice(0, 2).toLowerCase());
  return known.find((one) => Object.keys(WORDS).includes(one)) || "en";
}

/** How the browser's user writes times, where that is in this language: 23/11 or 11/23. */
function regionOf(language) {
  return (navigator.languages || []).find((one) => one.startsWith(language)) || language;
}

function filled(text, facts) {
  return text.replace(/\{(\w+)\}/g, (_, name) => facts[name]);
}
