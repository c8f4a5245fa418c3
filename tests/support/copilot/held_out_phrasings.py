"""Paraphrases of the trial's questions, written before the words that identify the topics, by the
same author. Other people's questions would score lower."""

from typing import Final

# The topic of each question, as in `trial_questions.py`, with three paraphrases per language.
HELD_OUT: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "refunds",
        (
            "How much money went back to customers today?",
            "List today's refunds by the agent",
            "Did the agent give any money back today?",
            "Combien a-t-on rendu aux clients aujourd'hui ?",
            "Liste des remboursements de l'agent pour aujourd'hui",
            "Des remboursements ont-ils été faits aujourd'hui ?",
        ),
    ),
    (
        "gaps",
        (
            "What do people ask that we can't answer?",
            "Where is our knowledge missing something?",
            "Any unanswered topics I should write an article about?",
            "À quelles questions l'agent ne sait-il pas répondre ?",
            "Sur quels sujets nous manque-t-il un article ?",
            "Qu'est-ce que les clients demandent et qui reste sans réponse ?",
        ),
    ),
    (
        "volume",
        (
            "Number of tickets since the start of the month?",
            "How many requests did we get this month?",
            "What's our ticket count for November?",
            "Nombre de tickets depuis le début du mois ?",
            "On a reçu combien de demandes ce mois-ci ?",
            "Quel volume de tickets avons-nous eu ce mois ?",
        ),
    ),
    (
        "limits",
        (
            "How much can the agent refund on its own?",
            "Up to which amount are refunds automatic?",
            "What's the ceiling for refunds without approval?",
            "Jusqu'à combien l'agent peut-il rembourser seul ?",
            "Quel est le plafond des remboursements automatiques ?",
            "À partir de quel montant un remboursement doit-il être approuvé ?",
        ),
    ),
    (
        "knowledge",
        (
            "When is the shop open?",
            "At what time do we close on Saturdays?",
            "What do we tell customers about our opening times?",
            "À quelle heure ouvre la boutique ?",
            "Sommes-nous ouverts le samedi ?",
            "Que disons-nous aux clients sur nos heures d'ouverture ?",
        ),
    ),
    (
        "unhappy",
        (
            "What did customers complain about today?",
            "Summarise the negative messages of the day",
            "Any unhappy customers right now?",
            "De quoi se sont plaints les clients aujourd'hui ?",
            "Résume les messages négatifs de la journée",
            "Qui est mécontent en ce moment ?",
        ),
    ),
    (
        "attention",
        (
            "What should I do first this morning?",
            "Is there anything I have to take care of?",
            "What is on my plate?",
            "Que dois-je faire en premier ce matin ?",
            "Y a-t-il quelque chose à traiter ?",
            "Qu'ai-je à faire aujourd'hui ?",
        ),
    ),
    (
        "waiting",
        (
            "Who has waited the longest for a reply?",
            "What are the oldest open tickets?",
            "Show the longest waits in the queue",
            "Qui patiente depuis le plus longtemps ?",
            "Quels sont les plus vieux tickets ouverts ?",
            "Montre les attentes les plus longues",
        ),
    ),
    (
        "automation",
        (
            "What share of tickets did the agent solve alone this week?",
            "How much did the agent handle without us this week?",
            "Percentage automated over the week?",
            "Quelle part des tickets l'agent a-t-il traitée seul cette semaine ?",
            "Quel pourcentage est automatisé cette semaine ?",
            "Combien l'agent a-t-il résolu sans nous cette semaine ?",
        ),
    ),
    (
        "why",
        (
            "Why is this one waiting for a person?",
            "What made the agent escalate this conversation?",
            "For what reason wasn't this ticket answered automatically?",
            "Pourquoi ce message attend-il quelqu'un ?",
            "Qu'est-ce qui a poussé l'agent à escalader cette conversation ?",
            "Pour quel motif ce ticket n'a-t-il pas reçu de réponse automatique ?",
        ),
    ),
    (
        "satisfaction",
        (
            "What's our CSAT for the month?",
            "What ratings did customers give this month?",
            "Are people happy with the answers this month?",
            "Quel est notre CSAT du mois ?",
            "Quelles notes les clients ont-ils données ce mois-ci ?",
            "Les clients sont-ils contents des réponses ce mois-ci ?",
        ),
    ),
    (
        "webhooks",
        (
            "Do any webhooks have a problem?",
            "Which endpoints stopped receiving events?",
            "Are our webhook deliveries getting through?",
            "Y a-t-il un webhook en panne ?",
            "Quels points de réception ne reçoivent plus les événements ?",
            "Les webhooks arrivent-ils bien ?",
        ),
    ),
    (
        "quota",
        (
            "How many tickets can we still use?",
            "Will our allowance last until the end of the month?",
            "Remaining tickets on our plan?",
            "Combien de tickets nous reste-t-il dans le forfait ?",
            "Notre forfait tiendra-t-il jusqu'à la fin du mois ?",
            "Quelle part du quota avons-nous consommée ?",
        ),
    ),
    (
        "policy_changes",
        (
            "Has anybody modified the rules lately?",
            "Show the latest edits to our policy",
            "What is different in the playbooks since last week?",
            "Quelqu'un a-t-il modifié les règles récemment ?",
            "Montre les dernières modifications de la politique",
            "Qu'y a-t-il de nouveau dans les playbooks ?",
        ),
    ),
    (
        "articles",
        (
            "What are the most cited knowledge entries?",
            "Which pieces of knowledge does the agent rely on most?",
            "Top articles this month",
            "Quelles fiches l'agent cite-t-il le plus ?",
            "Sur quels articles l'agent s'appuie-t-il le plus souvent ?",
            "Le palmarès des articles",
        ),
    ),
    (
        "refunds_by_reason",
        (
            "Why did we give money back, by topic?",
            "What were the reasons for our refunds?",
            "Break the refunds down by cause",
            "Pour quelles raisons avons-nous remboursé ?",
            "Répartition des remboursements par raison",
            "Quelles sont les causes de nos remboursements ?",
        ),
    ),
    (
        "unhappy",
        (
            "Who is furious today?",
            "Are there annoyed customers?",
            "Show me the upset customers of today",
            "Qui est furieux aujourd'hui ?",
            "Y a-t-il des clients énervés ?",
            "Montre-moi les clients fâchés du jour",
        ),
    ),
    (
        "customer",
        (
            "What have we told camille.durand@example.com?",
            "Show our last reply to camille.durand@example.com",
            "What was said to camille.durand@example.com?",
            "Que lui a-t-on dit, à camille.durand@example.com ?",
            "Montre notre dernière réponse à camille.durand@example.com",
            "Quelle réponse a reçue camille.durand@example.com ?",
        ),
    ),
)
