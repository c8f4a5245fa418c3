// The texts that the visitor reads. `{…}` are placeholders.
const WORDS = {
  en: {
    launch: "Chat",
    launchUnread: "Chat, {n} unread",
    close: "Close the chat",
    log: "Conversation",
    welcome: "Hello! How can we help you?",
    label: "Your message",
    send: "Send",
    by: { customer: "You", agent: "AI assistant", human: "Customer service" },
    typing: "The assistant is typing…",
    sending: "Sending…",
    unsent: "Not sent yet",
    held: "Waiting for your email",
    dead: "This message could not be sent.",
    unanswered: "We can’t answer this here at the moment.",
    failed: "Something went wrong on our side. Please write to us again later.",
    again: "Try again",
    offline: "You’re offline. Your messages are sent when you’re back.",
    unreachable: "We can’t be reached right now. Your messages are kept and sent again.",
    busy: "Many messages at once. Yours is kept, and sent in a moment.",
    full: "Please try again in a few minutes. Your message is kept here.",
    unavailable: "The chat is not available on this page.",
    waiting: "Our team will answer you here.",
    waitingMail: "Our team will answer you here, or by email to {email}.",
    reviewing: "Our team is looking at your message.",
    verified: "Confirmed email: {email}",
    ask: "Which email did you order with? We’ll send a code to protect your order.",
    email: "Your email",
    sendCode: "Send code",
    enter: "We’ve sent a code to {email}, if that email is right. If none arrives, enter the last one you received.",
    code: "Code",
    confirm: "Confirm",
    other: "Use another email",
    without: "Continue without a code",
    wrongCode: "That code has expired or isn’t right.",
    wrongEmail: "This email isn’t valid.",
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
    by: { customer: "Vous", agent: "Assistant IA", human: "Service client" },
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
    full: "Veuillez réessayer dans quelques minutes. Votre message est gardé ici.",
    unavailable: "La discussion n’est pas disponible sur cette page.",
    waiting: "Notre équipe vous répondra ici.",
    waitingMail: "Notre équipe vous répondra ici, ou par e-mail à {email}.",
    reviewing: "Notre équipe regarde votre message.",
    verified: "E-mail confirmé : {email}",
    ask: "Pour protéger vos commandes, confirmez votre e-mail. Avec lequel avez-vous commandé ?",
    email: "Votre adresse e-mail",
    sendCode: "Recevoir un code",
    enter: "Un code est en route vers {email}, si l’adresse est la bonne. S’il n’arrive pas, saisissez le dernier reçu.",
    code: "Le code",
    confirm: "Confirmer",
    other: "Une autre adresse",
    without: "Continuer sans code",
    wrongCode: "Ce code est incorrect ou a expiré.",
    wrongEmail: "Cette adresse n’est pas valide.",
    later: "Veuillez réessayer dans un instant.",
    rate: "Cette réponse vous a-t-elle aidé ?",
    scores: ["pas du tout", "peu", "moyennement", "bien", "très bien"],
    rated: "Merci.",
  },
};

/** Return the first known language among those of the tag, page and browser, or English. */
function languageOf(given) {
  const wanted = [given, document.documentElement.lang, ...(navigator.languages || [])];
  const known = wanted.map((one) => String(one || "").slice(0, 2).toLowerCase());
  return known.find((one) => Object.keys(WORDS).includes(one)) || "en";
}

/** Return the browser's locale for this language. It determines the date format. */
function regionOf(language) {
  return (navigator.languages || []).find((one) => one.startsWith(language)) || language;
}

function filled(text, facts) {
  return text.replace(/\{(\w+)\}/g, (_, name) => facts[name]);
}
