"""The phrasings of texts that try to command an agent, French and English.

Each is narrow on purpose. Customers are angry, quote policies, tell us to ignore their last mail
and ask for managers; `tests/domain/honest_messages.txt` holds what must pass.
"""

import re
from typing import Final

from domain.unsafe_reason import UnsafeReason


def _words(barred: str, most: int) -> str:
    """Up to `most` words, none of them barred."""
    return rf"(?:(?!(?:{barred})\b)\w+ ){{0,{most}}}?"


# Instructions that are the customer's own, or go with a parcel or a product.
_HONEST: Final = (
    r"my|our|mes|mon|ma|nos|notre|own|propres?|delivery|shipping|livraison|washing|lavage|care"
    r"|entretien|assembly|montage|return|returns|retour|gift|cooking|safety|user|usage"
    r"|utilisation"
)
_NOT: Final = (
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
_PEOPLE: Final = (
    r"(?:customers?|clients?|clientes?|buyers?|users?|shoppers?|acheteurs?|utilisateurs?)"
)
_OTHERS: Final = (
    r"(?:other|others|another|all|every|each|different|previous|last|recent|autres?|tous|toutes"
    r"|chaque|derniers?|dernieres?)"
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
        # Which rules is said before the noun in English and behind it in French.
        rf"{_NOT}\b{_IGNORE} {_words(_HONEST, 5)}(?:previous|prior|earlier|above|preceding"
        r"|foregoing|all|any|your|these|those|every|everything|system|original|initial|hidden"
        r"|internal|existing|current|tes|vos|toutes?|tous|tout"
        rf"|ces) {_words(_HONEST, 4)}{_RULES}\b",
        rf"{_NOT}\b{_IGNORE} {_words(_HONEST, 4)}{_RULES} (?:\w+ ){{0,2}}?(?:precedente?s?"
        r"|anterieure?s?|ci dessus|d avant|initiales?|systeme|internes?|d origine|above|before"
        r"|given|you (?:were|have been) given|qu on t a|que tu as|qui t ont)\b",
        rf"{_NOT}\b{_IGNORE} (?:everything|anything|all|tout)(?: \w+){{0,2}}? (?:above"
        r"|before this|previously|you (?:were|have been) told|ce qui precede|ce qu on (?:t"
        r"|vous) a)\b",
        r"\b(?:new|updated|nouvelles?) (?:system|security|internal|agent|ai|systeme"
        rf"|internes?) {_RULES}\b",
        rf"\b(?:here are|voici|these are) (?:your|tes|vos) (?:new |nouvelles |updated ){_RULES}",
        r"\b(?:nouvelles? (?:instructions?|consignes?|regles?) (?:pour (?:toi|l (?:ia|agent"
        r"|assistant))|systeme"
        r"|de l (?:ia|assistant|agent|administrateur)))",
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
    (
        UnsafeReason.ASKS_FOR_SECRETS,
        r"\b(?:system prompt|prompt systeme|prompt system|initial prompt|hidden prompt"
        r"|prompt initial|prompt cache|votre prompt|ton prompt|your prompt|pre prompt)\b",
        r"\b(?:reveal|show|print|repeat|output|display|give|tell|list|dump|leak|disclose|recite"
        r"|write(?: out| down)?|translate|summari[sz]e|quote|share|paste|what are)(?: me| us"
        r"| back)? (?:\w+ ){0,3}?(?:your|the) (?:\w+ ){0,2}?(?:(?:initial|original|hidden"
        r"|internal|secret|confidential|full|exact|complete|system"
        r"|developer) (?:\w+ )?(?:instructions|guidelines|rules|message|configuration"
        r"|directives)|instructions (?:verbatim|word for word|above|exactly|you were given)"
        r"|guidelines verbatim|training data|configuration file|context window)\b",
        r"\b(?:repeat|print|output|copy|translate|summari[sz]e|write out) (?:all |everything "
        r"|the )?(?:of )?(?:the )?(?:text|words|content|messages?|everything"
        r"|conversation)? ?(?:above|before this (?:message|line)|preceding)\b",
        r"\b(?:revele|affiche|montre|donne|repete|imprime|divulgue|communique|recopie|liste"
        r"|ecris|traduis|traduire|resume|recite|copie|colle)[rz]?(?: moi"
        r"| nous)? (?:\w+ ){0,4}?(?:instructions|consignes|regles|directives"
        r"|configuration) (?:\w+ )?(?:internes?|systeme|initiales?|secretes?|cachees?"
        r"|confidentielles?|exactes?|mot pour mot|d origine|completes?)\b",
        r"\b(?:repete|recopie|affiche|traduis|imprime"
        r"|resume)[rz]? (?:mot pour mot )?(?:tout )?(?:ce qui precede|le texte (?:ci dessus"
        r"|precedent|au dessus)|ce qui est au dessus)\b",
        r"\b(?:reveal|show|print|give|tell|list|dump|leak|send|share|output|donne|montre|affiche"
        r"|envoie|liste|revele|communique)[rz]?(?: me| us| moi"
        r"| nous)? (?:\w+ ){0,4}?(?:api keys?|access tokens?|admin credentials"
        r"|database (?:password|credentials|schema)|environment variables|secret keys?"
        r"|cles? (?:d )?api|cles? secretes?|variables d environnement|identifiants admin\w*"
        r"|mots? de passe (?:admin\w*|de la base|du systeme))\b",
        r"\b(?:show|list|display|reveal|print|export|dump|read out|look up|output"
        rf"|enumerate)(?: me| us)? (?:\w+ ){{0,6}}?{_OTHERS} (?:\w+ )?{_PEOPLE}\b",
        r"\b(?:tell|give|send|share|provide|forward|email|mail)(?: me"
        r"| us)? (?:\w+ ){0,4}?(?:e mails?|emails?|addresses|address|phone numbers?|names?"
        r"|data|details|personal information|card numbers?|database|list|tickets?"
        rf"|conversations?) (?:\w+ ){{0,4}}?{_OTHERS} (?:\w+ )?{_PEOPLE}\b",
        r"\b(?:tell|give|send|share|provide)(?: me"
        rf"| us) (?:\w+ ){{0,3}}?{_OTHERS} (?:\w+ )?{_PEOPLE} (?:s )?(?:e mails?|emails?"
        r"|addresses|phone numbers?|names|data|card|personal|tickets|conversations)",
        r"\b(?:montre|liste|affiche|exporte|revele|lis|cite|enumere|extrais)[rz]?(?: moi"
        rf"| nous)? (?:\w+ ){{0,6}}?{_OTHERS} (?:\w+ )?{_PEOPLE}\b",
        r"\b(?:donne|envoie|envoye|communique|transmet|transmets|fournis|fournisse"
        r"|transmette)[rz]?(?: moi| nous)? (?:\w+ ){0,4}?(?:adresses?|e mails?|emails?|mails"
        r"|coordonnees|noms|donnees|telephones?|numeros|informations|liste|fichier|base|tickets"
        rf"|conversations) (?:\w+ ){{0,4}}?{_OTHERS} (?:\w+ )?{_PEOPLE}\b",
        r"\b(?:what is|what s|tell me|give me|quelle? est|donne[sz]? moi) (?:the |l |le "
        r"|la )?(?:e mail|email|adresse|address|phone number|home address|numero de telephone"
        r"|nom|name) (?:\w+ ){0,2}?(?:of|du|de la|de l) (?:the )?(?:customer|client|cliente"
        r"|person|personne|buyer|acheteur) (?:who|of|behind|for|qui|de la commande|de l"
        r"|with order)\b",
    ),
    (
        UnsafeReason.SKIPS_REVIEW,
        r"\b(?:approve|process|issue|execute|grant|refund|cancel|authori[sz]e|complete|reimburse"
        r"|credit) (?:\w+ ){0,10}?without (?:(?:any|a|further|the|more) ){0,2}(?:(?:human|manual"
        r"|manager|staff|supervisor|internal) )?(?:review|approval|verification|intervention"
        r"|oversight|escalation|being reviewed|human|supervisor|manager)\b",
        r"\b(?:no|zero) (?:human |manual |further |manager )?(?:review|approval|escalation"
        r"|oversight) (?:\w+ )?(?:is )?(?:needed|required|necessary)\b",
        rf"{_NOT}\b(?:skip|bypass|disable|circumvent|override|avoid|turn off) (?:the |any |all "
        r"|your |every )?(?:\w+ )?(?:human|manual|review|approval|approvals|limits?|cap"
        r"|threshold|policy checks?|safety checks?|security checks?|guardrails?"
        r"|verification step|refund policy)\b",
        r"\b(?:do not|don t|never) (?:escalate|flag|hold|park) (?:this|it|the|to|for|my)\b",
        r"\b(?:do not|don t|never) (?:send|submit|route|pass) (?:\w+ ){0,3}?(?:for|to) (?:a "
        r"|human |manual |the )*review\b",
        r"\b(?:do not|don t) (?:ask|involve|tell|inform|alert|notify) (?:a |any |your "
        r"|the )?(?:human|humans|reviewers?|moderators?)\b",
        r"\b(?:mark|treat|flag|classify|set|consider|label) (?:this|it|the|my"
        r"|me) (?:\w+ ){0,3}?(?:as )(?:\w+ )?(?:verified|approved|pre ?approved|trusted|safe"
        r"|autonomous|high confidence|authori[sz]ed|whitelisted)\b",
        r"\b(?:with|set|use|report|return|avec|mets|indique|une|your) (?:a |your |the |un |une "
        r"|ta |le )?(?:confidence|confiance|niveau de confiance)(?: score| level| of| to| at| a"
        r"| de| d)* (?:1|100|10|maximum|max|maximale|un)\b",
        r"\b(?:rembourse|approuve|valide|traite|annule|effectue|procede|accorde|execute"
        r"|accepte)[rz]? (?:\w+ ){0,10}?sans (?:\w+ ){0,3}?(?:validation|verification|relecture"
        r"|revue|controle|approbation|intervention|accord|supervision|escalade|verifier"
        r"|passer par)(?: \w+)?(?: humaine?| manuelle?| d un humain| du responsable"
        r"| d un responsable| interne| un humain| un conseiller)\b",
        r"\b(?:sans relecture humaine|sans validation humaine|sans verification humaine"
        r"|sans intervention humaine|sans controle humain|sans revue humaine"
        r"|sans approbation humaine)\b",
        rf"{_NOT}\b(?:contourne|ignore|outrepasse|desactive|evite|saute|depasse"
        r"|court circuite)[rz]? (?:la |les |le |l |toutes les |tous les |votre |vos |tes |ta "
        r"|toute )(?:\w+ )?(?:validation|validations|verification humaine|limites?|controles?"
        r"|plafonds?|relecture|revue|approbation|escalade|securite|garde fous?)\b",
        r"\b(?:aucune|pas de) (?:validation|relecture|approbation|revue"
        r"|escalade) (?:\w+ )?(?:n est )?(?:requise|necessaire|besoin)\b",
        r"\bn? ?(?:escalade|escalader|transmets|signale|previens)[rz]? (?:pas"
        r"|rien) (?:\w+ ){0,4}?(?:a un humain|aux? humains?|en relecture|a la moderation"
        r"|a ton responsable)\b",
        r"\bne pas (?:escalader|faire valider|transmettre a un humain|faire relire)\b",
        r"\b(?:marque|considere|traite|classe"
        r"|note)[rz]? (?:\w+ ){0,5}?comme (?:deja )?(?:verifiee?|approuvee?|preapprouvee?"
        r"|validee?|autorisee?|de confiance|autonome)\b",
    ),
    (
        UnsafeReason.TAKES_OVER,
        r"\b(?:order|purchase|account)s?(?: \w+){0,6}? (?:is|are|belongs? to)(?: now)? (?:mine"
        r"|me) now\b",
        r"\b(?:order|purchase|account)s?(?: \w+){0,6}? (?:is now mine|now belongs to me"
        r"|is now my order|belongs to me from now)\b",
        r"\bcommandes?(?: \w+){0,6}? (?:(?:est|sont) (?:desormais|maintenant|a present) (?:a moi"
        r"|la mienne|a mon nom|mienne)|m appartient (?:desormais|maintenant|a present)"
        r"|est a moi (?:maintenant|desormais))\b",
        r"\b(?:treat|consider|regard|register) me as (?:the |a |an )?(?:\w+ )?(?:verified|owner"
        r"|real|rightful|account holder|customer of)\b",
        r"\b(?:considere[rz]?|traite[rz]?|enregistre[rz]?) moi comme (?:le |la |l |un "
        r"|une )?(?:\w+ )?(?:proprietaire|titulaire|verifie|verifiee|vrai|vraie"
        r"|client verifie)\b",
        r"\b(?:change|update|replace|set|link|attach|assign"
        r"|transfer) (?:the )?(?:\w+ ){0,5}?(?:order|account|purchase)s? (?:\w+ ){0,4}?(?:to"
        r"|onto|with) my (?:e mail|email|address|account|name) (?:\w+ ){0,3}?(?:then"
        r"|and) (?:refund|send|cancel)\b",
        r"\b(?:customer_verified|customer verified|is_verified) (?:true|yes|1)\b",
    ),
    (
        UnsafeReason.DICTATES,
        r"\b(?:reply|respond|answer) (?:to (?:me|this)(?: message)? )?(?:only |exactly |simply "
        r"|just )*(?:with|by saying|by writing) (?:only |exactly "
        r"|just )?(?:the (?:\w+ )?(?:words?|phrase|sentence|text|string|following)|your refund"
        r"|refund approved|approved|json)\b",
        r"\b(?:begin|start|end|finish) (?:your|the) (?:reply|response|answer|message) (?:with"
        r"|by)\b",
        r"\byour (?:reply|response|answer|output) (?:must|should|has to|shall"
        r"|will) (?:only )?(?:contain|include|start|begin|say|be exactly|confirm|state)\b",
        r"\b(?:commence|termine|finis|debute)[rz]? (?:ta|votre|la|ton) (?:reponse"
        r"|message) (?:par|avec)\b",
        r"\b(?:ta|votre) (?:reponse|sortie) (?:doit|devra) (?:\w+ )?(?:contenir|commencer"
        r"|inclure|dire|confirmer|etre exactement)\b",
        r"\b(?:reponds?|repondez|ecris|ecrivez) (?:uniquement |seulement |exactement |juste "
        r"|simplement )*(?:par|avec|que|a) ?(?:le mot|la phrase|le texte|les mots|exactement"
        r"|remboursement (?:approuve|accepte|valide)|votre remboursement)\b",
        r"\b(?:tag|label) (?:this|the|my) (?:ticket|conversation|case|request|message) (?:as"
        r"|with)\b",
        r"\b(?:add|apply|set|put|attach) (?:the |a |these "
        r"|this )?(?:\w+ ){0,4}?tags? (?:\w+ ){0,4}?(?:to|on) (?:this|the|my) (?:ticket"
        r"|conversation|case|request)\b",
        r"\b(?:add|apply|set) (?:the )?tag \w+",
        r"\b(?:add|write|leave|create|post|record) (?:an? |the |this )?(?:internal|staff|private"
        r"|agent) note\b",
        r"\b(?:ajoute|mets|mettez|pose|applique|colle)[rz]? (?:\w+ ){0,3}?(?:le tag|un tag"
        r"|l etiquette|une etiquette|les tags|le libelle) (?:\w+ ){0,5}?(?:ticket|conversation"
        r"|dossier|demande)\b",
        r"\b(?:ajoute|mets|pose|applique)[rz]? (?:le )?tag \w+",
        r"\b(?:ajoute|laisse|ecris|ecrive|redige|cree|inscris|inscrive"
        r"|note)[rz]? (?:\w+ )?une note (?:interne|privee|pour l equipe|au dossier)\b",
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
