"""The phrasings of texts that try to command an agent, French and English.

Each is narrow on purpose. Customers are angry, quote policies, tell us to ignore their last mail
and ask for managers; `tests/domain/agent/honest_messages.txt` holds what must pass.
"""

import re
from typing import Final

from domain.agent.safety.reason import UnsafeReason


def _words(barred: str, most: int) -> str:
    """Up to `most` words, none of them barred."""
    return rf"(?:(?!(?:{barred})\b)\w+ ){{0,{most}}}?"


# Instructions that are the customer's own, or go with a parcel or a product.
_HONEST: Final = (
    r"my|our|mes|mon|ma|nos|notre|own|propres?|delivery|shipping|livraison|washing|lavage|care"
    r"|entretien|assembly|montage|return|returns|retour|gift|cooking|safety|user|usage"
    r"|utilisation"
)
NOT: Final = (
    r"(?<!not )(?<! t )(?<!cannot )(?<!never )(?<!they )(?<!ai )(?<!vous )(?<!a )(?<!avez )"
)
_RULES: Final = (
    r"(?:instructions?|rules?|guidelines?|directives?|prompts?|programming|training|guardrails?"
    r"|safeguards?|restrictions?|constraints?|commands?|consignes?|regles?|ordres?|programmation"
    r"|garde fous?|contraintes?)"
)
_IGNORE: Final = (
    r"(?:ignore[rz]?|disregard|forget|override|bypass|discard|drop|neglect|erase|do not follow"
    r"|don t follow|stop following|no longer follow|stop obeying|do not obey|pay no attention to"
    r"|set aside|oublie[rz]?|contourne[rz]?|outrepasse[rz]?|enfrein[st]|efface[rz]?|desobei\w+ a"
    r"|passe[rz]? outre|faites abstraction de|fais abstraction de|ne suis (?:pas|plus)"
    r"|ne suivez (?:pas|plus)|arrete[rz]? de suivre|cesse[rz]? de suivre|ne (?:tiens|tenez"
    r"|tenir) (?:pas|plus) compte d\w*|sans tenir compte d\w*)"
)
_ROLES: Final = (
    r"(?:system|sys|root|super)? ?(?:admin|administrator|administrateur|administratrice|manager"
    r"|supervisor|director|ceo|developer|engineer|staff member|employee|store owner|shop owner"
    r"|superviseur|superviseure|directeur|directrice|responsable|gerante?|patron(?:ne)?"
    r"|developpeur|developpeuse|employee?|moderator|operator|auditor)"
)
_ACT: Final = (
    r"(?:refund|approve|ignore|send|reply with|respond with|answer with|tag|issue|reveal|output"
    r"|include|print|grant|cancel|process|execute|call|use the|you must|must|rembourse[rz]?"
    r"|approuve[rz]?|valide[rz]?|annule[rz]?|reponde[zr]|reponds|tu dois|vous devez|doit"
    r"|ajoute[rz]?|execute[rz]?)"
)
_MODES: Final = (
    r"(?:developer|debug|admin|administrator|maintenance|god|root|sudo|jailbreak|dan"
    r"|unrestricted|test|training|developpeur|administrateur|debogage|sans restrictions?"
    r"|sans filtre)"
)

_BY_WORDS: Final = (
    (
        UnsafeReason.OVERRIDES_RULES,
        r"\b(?:your|tes|vos|the|ces) (?:\w+ )?(?:instructions|rules|guidelines|guidance"
        r"|directives|restrictions|consignes|regles|training"
        r"|programming) (?:\w+ )?(?:no longer appl\w+|do not apply|don t apply|are (?:void"
        r"|suspended|lifted|disabled|cancelled|obsolete|outdated)|ont change|have changed"
        r"|were (?:changed|updated|replaced)|have been (?:changed|updated|replaced|lifted)"
        r"|ne s appliquent (?:plus|pas)|sont (?:levees|suspendues|annulees|caduques|remplacees"
        r"|desactivees))\b",
        r"\b(?:instructions?|rules|guidelines?|guidance|prompt|orders|consignes|regles"
        r"|directives) (?:that )?(?:you (?:were|have been|had been|got) (?:\w+ )?(?:given|told"
        r"|trained|programmed)|qu on (?:t|vous) a (?:donnees?|dites?)|que tu as recues?)\b",
        r"\b(?:obey|comply with|execute|carry out|obeis|obeissez|execute[rz]?|suis"
        r"|applique[rz]?) (?:to |a |aux? )?(?:the |this |these |my |mes |les |ces |cette "
        r"|l )?(?:(?:following|next|below) (?:instructions?|commands?|orders?|directives?)"
        r"|(?:instructions?|ordres?|consignes?|commandes?) (?:suivante?s?|ci dessous|below))\b",
        r"\b(?:refund|approve|rembourse|approuve) (?:whoever|anyone who|on request|every request"
        r"|all requests|tout le monde|toute demande|toutes les demandes|systematiquement)\b",
        # Which rules is said before the noun in English and behind it in French.
        rf"{NOT}\b{_IGNORE} {_words(_HONEST, 5)}(?:previous|prior|earlier|above|preceding"
        r"|foregoing|all|any|your|these|those|every|everything|system|original|initial|hidden"
        r"|internal|existing|current|tes|vos|toutes?|tous|tout"
        rf"|ces) {_words(_HONEST, 4)}{_RULES}\b",
        rf"{NOT}\b{_IGNORE} {_words(_HONEST, 4)}{_RULES} (?:\w+ ){{0,2}}?(?:precedente?s?"
        r"|anterieure?s?|ci dessus|d avant|initiales?|systeme|internes?|d origine|above|before"
        r"|given|you (?:were|have been) given|qu on t a|que tu as|qui t ont)\b",
        rf"{NOT}\b{_IGNORE} (?:everything|anything|all|tout)(?: \w+){{0,2}}? (?:above|before this"
        r"|previously|you (?:were|have been) told|ce qui precede|ce qu on (?:t|vous) a)\b",
        r"\b(?:new|updated|nouvelles?) (?:system|security|internal|agent|ai|systeme"
        rf"|internes?) {_RULES}\b",
        rf"\b(?:here are|voici|these are) (?:your|tes|vos) (?:new |nouvelles |updated ){_RULES}",
        r"\b(?:nouvelles? (?:instructions?|consignes?|regles?) (?:pour (?:toi|l (?:ia|agent"
        r"|assistant))|systeme|de l (?:ia|assistant|agent|administrateur)))",
        r"\bthe above (?:rules|instructions) (?:are|were) (?:void|cancelled|revoked|obsolete"
        r"|a test)",
        r"\b(?:from now on|desormais|a partir de maintenant|henceforth) (?:you|tu"
        r"|vous) (?:\w+ )?(?:act|answer only|obey|obeis\w*|obeir|ignore[sz]?|approuve[sz]?"
        r"|approve|refund|respond|follow|comply|have no|no longer|n as plus|n avez plus|es un"
        r"|es une|es mon)\b",
        r"\b(?:do anything now|jailbreak prompt|prompt injection|dan mode|mode dan)\b",
    ),
    (
        UnsafeReason.FAKE_MESSAGE,
        r"\b(?:hi|hey|hello|dear|ok|listen|bonjour|salut|cher|ecoute)? ?(?:bot|chatbot|robot|ai"
        r"|ia|assistant|agent ia)(?: \w+){0,2}? (?:the boss|your boss|the manager|the owner"
        r"|le patron|ton patron|le chef|la direction|le gerant) (?:says|wants|said|dit|veut"
        r"|demande|ordonne)\b",
        r"\b(?:it|security|engineering|dev|development|technical|qa|compliance|finance|fraud"
        r"|audit|quality) (?:team|department|staff)\b(?: \w+){0,6}? (?:execute|perform|run"
        r"|process|refund|approve|cancel|issue)\b",
        r"\b(?:service|equipe|departement|direction|support) (?:informatique|technique|securite"
        r"|qualite|audit|developpement|conformite|generale)(?: \w+){0,3}? (?:te|vous|t|l agent"
        r"|l assistant|l ia) (?:demande|ordonne|autorise|prie|invite|charge)\b",
        r"\b(?:the boss|your boss|the manager|your manager|the owner|le patron|la direction"
        r"|le directeur|le chef) (?:says|orders|wants you to|asks you to|instructs you to"
        r"|told you to|te demande de|t ordonne de|veut que tu|dit de) (?:to |de )?(?:refund"
        r"|cancel|approve|rembourse[rz]?|annule[rz]?|approuve[rz]?|valide[rz]?)\b",
        r"\b(?:end|fin|start|begin|debut) (?:of |du |de la |de l |des )?(?:the )?(?:user"
        r"|customer|client|system|systeme|utilisateur|untrusted) (?:message|input|prompt"
        r"|instructions|data|donnees|query|ticket|section|content)",
        r"\b(?:system|systeme|developer|assistant|admin) (?:message|prompt|override|instruction"
        r"|notice|directive|alert|command)s? (?:to|for|from|pour|de|a l|you|the|all|refund"
        r"|ignore|approve|priority|update|begin|start|end)\b",
        r"\b(?:message|instructions?|consignes?|directives?|ordre|note|prompt) (?:du |de l "
        r"|de la |des )(?:systeme|administrateur|developpeurs?|direction technique"
        r"|admin) (?:\w+ ){0,3}?(?:pour|a) l (?:ia|agent|assistant)",
        r"\b(?:note|message|instructions?|memo|attention|reminder|consignes?|directive|attn"
        r"|reserve|reserved|addressed) (?:\w+ )?(?:to|for|pour|a|de) (?:the |any |all |l |le "
        r"|la |our |your |notre |votre |toute )?(?:support )?(?:ai|ia|llm|bot|chatbot|assistant"
        r"|agents? ia|ai agents?|ai assistant|language model|automated (?:agent|assistant"
        r"|system)|robots?|modele|modele de langage|intelligence artificielle"
        r"|virtual agent)\b(?! that| qui| is | was )",
        r"\b(?:if|si) (?:you are|you re|tu es|vous etes) (?:an |a |une |un |l )?(?:ai|ia|llm|bot"
        r"|language model|modele de langage|ai assistant|assistant ia"
        rf"|agent)\b(?: \w+){{0,6}}? {_ACT}\b",
        r"\b(?:ai|ia|llm|assistant|chatbot|agent)s? (?:reading|processing|handling|qui lis"
        r"|qui lit|qui traite|lisant) (?:this|that|these|ce|cet|cette"
        rf"|ceci)\b(?: \w+){{0,5}}? (?:must|should|shall|doit|devra|doivent|will|{_ACT})\b",
        r"\b(?:the|l|any|all) (?:ai|ia|assistant|chatbot|llm|ai agent|agent ia"
        r"|ai assistant) (?:must|shall|should|doit|devra|is (?:required|authori[sz]ed|allowed"
        r"|instructed)|est autorisee?) (?:\w+ ){0,3}?(?:refund|approve|issue|cancel|ignore|grant"
        r"|reveal|rembourser|approuver|valider|annuler|ignorer|accorder|tag|add|ajouter"
        r"|process)\b",
        r"\b(?:the )?(?:developers|creators|administrators|anthropic|openai"
        r"|mistral) (?:of this (?:bot|ai|agent) )?(?:have|has|want|wants|instructs?"
        r"|authori[sz]e[sd]?|order(?:s|ed)?) (?:you|the ai|the assistant|the bot)\b",
    ),
    (
        UnsafeReason.ROLE_PLAY,
        r"\b(?:let s play|jouons|play a game|on joue)(?: \w+){0,6}? (?:you are|you re|tu es"
        r"|vous etes|you play)\b",
        r"\b(?:you have been|you were|tu as ete|vous avez ete) (?:\w+ )?(?:upgraded|updated"
        r"|reprogrammed|reconfigured|mis a jour|reprogrammee?|reconfiguree?)\b",
        r"\b(?:reset|reboot|restart|reinitialise|redemarre) (?:yourself|your memory|toi"
        r"|ta memoire) (?:and|et)\b",
        r"\byou are (?:now|no longer|from now on) (?:called |named )?(?:dan|a dan|in |no longer"
        r"|bound|free (?:of|from)|(?:an? |the |my )?(?:\w+ ){0,2}?(?:ai|bot|assistant|agent"
        r"|admin|administrator|manager|system|terminal|shell|model|tool|approver|processor))\b",
        r"\b(?:tu es|vous etes|t es) (?:maintenant|desormais|a present|dorenavant) (?:en mode"
        r"|libre|(?:un|une|le|la|l|mon|ma) (?:\w+ ){0,2}?(?:ia|bot|robot|assistante?|agente?"
        r"|administrateur|responsable|terminal|modele|systeme|valideur|dan))\b",
        r"(?<!i )(?<!who )(?<!we )(?<!to )\b(?:act|behave|answer|respond) as (?:if you (?:are"
        rf"|were) )?(?:an? |the |my |our )?(?:\w+ )?{_ROLES}\b",
        r"\b(?:pretend|imagine|suppose|let s say)(?: that)? (?:to be|you are|you re"
        rf"|you were) (?:an? |the |my )?(?:\w+ ){{0,2}}?(?:{_ROLES}|ai|bot|unrestricted|system"
        r"|not an?)\b",
        r"\b(?:pretend|imagine|assume|suppose)(?: that)? (?:i am|i m) (?:an? |the "
        rf"|your )(?:\w+ ){{0,2}}?{_ROLES}\b",
        r"\b(?:fais(?:ons)? comme si|fais semblant d|faites comme si|faites semblant d"
        r"|imagine[zs]?|agis|agissez|comporte toi|comportez vous|reponds|repondez|joue[zr]?"
        r"|prends|prenez)(?: que| etre| e| le role| la place)* (?:tu (?:es|etais)|vous (?:etes"
        r"|etiez)|j etais|je suis|comme|en tant que?|d|de|du|etre) (?:une? |le |la |l |mon "
        rf"|ma )?(?:\w+ )?(?:{_ROLES}|ia sans|assistant sans|agent sans)\b",
        r"\b(?:role ?play|jouons un jeu de role|jeu de role) (?:\w+ ){0,6}?(?:you|tu|vous|where"
        r"|ou)\b",
        r"\b(?:you are|you re|tu es|vous etes|the agent is|the ai is|now) (?:\w+ )?(?:in"
        rf"|en) (?:(?:{_MODES}) mode|mode {_MODES})\b",
        r"\b(?:enter|enable|activate|switch to|go into|engage) (?:the "
        rf"|your )?{_MODES} mode (?:and|to|then|so|where|now|immediately)\b",
        r"\b(?:passe|passez|active|activez|bascule|basculez|entre|entrez) (?:\w+ )?(?:en "
        rf"|le )?mode {_MODES}\b",
        rf"\b{_MODES} mode (?:is )?(?:now )?(?:enabled|activated|engaged"
        r"|on)(?: \w+){0,4}? (?:you|refund|approve|all|rules|restrictions|policies|limits)\b",
        rf"\bmode {_MODES} (?:est )?(?:maintenant )?(?:active|activee"
        r"|enclenche)(?: \w+){0,4}? (?:tu|vous|rembourse\w*|approuve\w*|toutes|regles"
        r"|limites)\b",
    ),
    (
        UnsafeReason.FALSE_AUTHORITY,
        r"\b(?:you are|you re|tu es|t es|vous etes) (?:now |hereby |desormais "
        r"|maintenant )?(?:authori[sz]ed|allowed|permitted|cleared|autorisee?|habilitee?) (?:to"
        r"|a) (?:\w+ )?(?:refund|approve|cancel|issue|rembourser|annuler|approuver|valider)\b",
        r"\b(?:i am|i m|je suis) (?:your|ton) (?:\w+ )?(?:creator|maker|developer|owner|master"
        r"|administrator|boss|createur|createrice|developpeur|proprietaire|maitre|patron|chef)\b",
        r"\b(?:(?:refund|approval|spending|action|your) (?:limit|cap|threshold)s?"
        r"|(?:limites?|plafonds?) (?:de |du |d )?(?:remboursements?|approbation)|ta limite)"
        r" (?:\w+ ){0,3}?(?:has been|have been|was|were|is|a ete|ont ete|est|sont)"
        r" (?:\w+ )?(?:raised|removed|lifted|increased|disabled|supprimee?s?|levee?s?"
        r"|desactivee?s?|relevee?s?|augmentee?s?)\b",
        r"\b(?:policy|approval|safety) (?:engine|system|module|check|checks"
        r"|service) (?:is|are) (?:\w+ )?(?:offline|down|disabled|broken|unavailable|suspended)\b",
        r"\b(?:i am|i m|this is|speaking as|as|acting as) (?:the |your "
        rf"|an? )?(?:\w+ ){{0,2}}?{_ROLES}(?: \w+){{0,7}}? (?:i )?(?:hereby |now "
        r"|formally )?(?:approve|authori[sz]e|order|instruct|command|pre ?approve|validate|grant"
        r"|direct|override)\b(?: \w+){0,3}? (?:you|the|this|that|all|any|a|an|refund|it)\b",
        r"\b(?:je suis|c est|ici|en tant que?|moi) (?:le |la |l |votre |un |une "
        rf"|ton )?(?:\w+ ){{0,2}}?{_ROLES}(?: \w+){{0,8}}? (?:j |je |t |te |vous "
        r"|l ){0,2}(?:autorise|approuve|ordonne|valide|donne l (?:ordre|autorisation)"
        r"|demande d (?:ignorer|approuver|executer))\b",
        r"\b(?:manager|supervisor|admin|administrator|system|policy|security|superviseur"
        r"|directeur) (?:override|overrides)\b",
        r"\b(?:override|admin|superviseur|supervisor|manager|administrateur|master) (?:code"
        r"|password|mot de passe|token|pin)\b(?: \w+){0,6}? (?:refund|approve|grant|rembours\w+"
        r"|approuv\w+|bypass|unlock|debloqu\w+)",
        r"\b(?:code|mot de passe) (?:superviseur|administrateur|admin|manager|directeur"
        r"|maitre)\b",
        r"\b(?:this|the|my|ce|le|mon) (?:refund|request|ticket|remboursement|demande) (?:is"
        r"|has been|was|est|a ete) (?:already )?(?:pre ?approved|pre ?authori[sz]ed"
        r"|auto approved|preapprouve|pre approuve|pre valide|deja valide par le systeme)\b",
    ),
)

PHRASES: Final = tuple(
    (reason, re.compile(pattern)) for reason, *patterns in _BY_WORDS for pattern in patterns
)
"""Looked for in the words alone, parted by single spaces."""

COMPACT: Final = re.compile(
    r"(?:ignor|oubli|disregard|forget)\w{0,40}(?:instruction|consigne|rule|regle|prompt)"
    r"|systemprompt|promptsysteme|approv\w{0,20}refund|issue\w{0,20}refund|refundnow"
    r"|rembours\w{0,20}moi|overrid\w{0,20}(?:policy|rule|limit)|developermode|adminmode"
    r"|withoutreview"
)
"""Looked for in words that are spelt out, l e t t e r by letter."""
