"""What those who try to command an agent want of it, French and English; see `unsafe_phrases`."""

import re
from typing import Final

from domain.agent.safety.phrases import NOT
from domain.agent.safety.reason import UnsafeReason

_PEOPLE: Final = (
    r"(?:customers?|clients?|clientes?|buyers?|users?|shoppers?|acheteurs?|utilisateurs?)"
)
_OTHERS: Final = (
    r"(?:other|others|another|all|every|each|different|previous|last|recent|autres?|tous|toutes"
    r"|chaque|derniers?|dernieres?)"
)

_BY_WORDS: Final = (
    (
        UnsafeReason.ASKS_FOR_SECRETS,
        r"\b(?:previous|next|last|precedent|dernier) (?:customer|client|user"
        r"|utilisateur) (?:s )?(?:ticket|conversation|data)\b",
        r"\bwhat (?:are|were|have) you (?:\w+ )?(?:told|instructed|programmed)\b",
        r"\bwhat (?:is|are) your (?:hidden|internal|secret|system|initial|original) \w+",
        r"\b(?:which|what) (?:instructions|rules|guidelines|tools|functions) (?:do you have"
        r"|were you given|have you been given|are you following|can you call)\b",
        r"\bquelles? (?:sont|est) (?:tes|ton|ta) (?:\w+ )?(?:instructions?|consignes?|regles?"
        r"|directives?|configuration|prompt)\b",
        r"\b(?:print|output|display|show|reveal|dump|export|affiche|montre|exporte)[rz]?(?: me"
        r"| moi)? (?:your|ta|ton|tes) (?:\w+ )?(?:configuration|config|parameters|parametres"
        r"|memory|memoire|tools|outils|instructions|prompt)\b",
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
        r"\b(?:bypass|skip|disable|contourne[rz]?|desactive[rz]?) (?:the |all |any |les "
        r"|la )?(?:fraud|security|anti ?fraud|fraude|securite) (?:checks?"
        r"|controls?|filters?|verification|controle)?",
        r"\b(?:close|clos|cloture|ferme|mark|set)[rz]? (?:this|the|le|ce|my|mon) ticket (?:as"
        r"|comme|en) (?:refunded|approved|rembourse|approuve)\b",
        r"\b(?:automated|automatic|machine|automatique|automatise) (?:processing|readers?"
        r"|traitement)(?: \w+){0,4}? (?:approved|refund|mark|rembours\w+|approuv\w+)\b",
        r"\bno need to (?:check|verify|ask|confirm|escalate|consult|wait)(?: \w+){0,2}? (?:with "
        r"|for )?(?:anyone|anybody|a human|humans|the team|your team|the manager|approval"
        r"|a review)\b",
        r"\b(?:pas besoin|inutile) (?:de |d )(?:en parler|demander|verifier|faire valider"
        r"|consulter|attendre|passer par)(?: \w+){0,3}? (?:a personne|personne|un humain"
        r"|un responsable|l equipe|quelqu un|validation|accord)\b",
        r"\b(?:skip|omit|drop|saute|zappe|passe)[rz]? (?:the |this |l |la |cette )?(?:etape d "
        r"|etape de |human |manual )?(?:approval|review|validation|verification|approbation"
        r"|relecture)\b(?: (?:step|stage|etape))?",
        r"\b(?:do not|don t|never|ne) (?:tell|inform|alert|notify|mention|previens|dis"
        r"|parle)[sz]? (?:\w+ ){0,4}?(?:human reviewers?|reviewers?|the humans?|relecteurs?"
        r"|moderateurs?)\b",
        r"\b(?:execute|perform|issue|run|simulate|process|refund|cancel|rembourse|effectue"
        r"|annule|lance)[rz]? (?:\w+ ){0,7}?(?:as a test|for testing|for a test|to test (?:the"
        r"|your) system|pour un test|pour tester|pour verifier le systeme|a titre de test"
        r"|comme test)\b",
        r"\b(?:pour (?:les besoins d )?un test|a titre de test|for testing purposes"
        r"|as a system test|this is a (?:system |security )?test)(?: \w+){0,3}? (?:refund|cancel"
        r"|execute|approve|issue|rembourse|annule|effectue|approuve)\b",
        r"\bsudo (?:refund|cancel|approve|rembourse|annule|\w+ refund)\b",
        r"\b(?:approve|process|issue|execute|grant|refund|cancel|authori[sz]e|complete|reimburse"
        r"|credit) (?:\w+ ){0,10}?without (?:(?:any|a|further|the|more) ){0,2}(?:(?:human|manual"
        r"|manager|staff|supervisor|internal) )?(?:review|approval|verification|intervention"
        r"|oversight|escalation|being reviewed|human|supervisor|manager)\b",
        r"\b(?:no|zero) (?:human |manual |further |manager )?(?:review|approval|escalation"
        r"|oversight) (?:\w+ )?(?:is )?(?:needed|required|necessary)\b",
        rf"{NOT}\b(?:skip|bypass|disable|circumvent|override|avoid|turn off) (?:the |any |all "
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
        rf"{NOT}\b(?:contourne|ignore|outrepasse|desactive|evite|saute|depasse"
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
        r"\b(?:ecris|dis|confirme|declare|annonce) que (?:mon|le|ma|la) (?:remboursement|demande"
        r"|annulation) (?:\w+ ){0,4}?(?:est|a ete) (?:\w+ )?(?:validee?|approuvee?|accorde?e?"
        r"|acceptee?|effectuee?)\b",
        r"\b(?:reply|respond|answer|output|repond[sz]?|repondez) (?:only )?(?:in|en|with|avec du"
        r"|au format) (?:valid |raw |format )?(?:json|xml|yaml)\b",
        r"\b(?:translate|convert|turn|transforme|convertis) (?:this|that|it|the following|ceci"
        r"|cela|ce message)? ?(?:into|to|en) (?:an? |une? )?(?:action|tool call|function call"
        r"|proposal|appel|proposition)\b",
        r"\b(?:proposals?|propositions?|actions?) (?:list )?(?:containing|with|contenant"
        r"|avec) (?:a |un |une )?(?:refund|cancel\w*|remboursement|annulation)\b",
        r"\b(?:reponds|repondez|reply|respond|answer) (?:just |only |seulement "
        r"|simplement )?(?:ok|done|fait|c est fait|approved|approuve)\b",
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

WISHES: Final = tuple(
    (reason, re.compile(pattern)) for reason, *patterns in _BY_WORDS for pattern in patterns
)
"""Looked for in the words alone, parted by single spaces."""
