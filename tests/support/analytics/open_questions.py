"""Questions that a shop's agent could not answer, in French and English, each with its topic. The
topics were labelled by hand before any clustering was examined."""

from collections.abc import Mapping
from typing import Final

MATTERS: Final[Mapping[str, tuple[str, ...]]] = {
    "gift wrap": (
        "Bonjour, faites-vous des emballages cadeaux ?",
        "Est-il possible d'avoir un emballage cadeau pour Noël ?",
        "Proposez-vous un papier cadeau avec un petit mot ?",
        "Do you offer gift wrapping?",
        "Can you gift wrap my order please, it is a birthday present",
        "Is there a gift wrap option at checkout?",
    ),
    "delivery to Switzerland": (
        "Livrez-vous en Suisse ?",
        "Je suis à Genève, est-ce que vous livrez en Suisse ?",
        "Quels sont les frais de livraison pour la Suisse ?",
        "Do you deliver to Switzerland?",
        "I live in Switzerland, is delivery possible?",
    ),
    "dishwasher": (
        "La tasse passe-t-elle au lave-vaisselle ?",
        "Est-ce que ces assiettes vont au lave-vaisselle ?",
        "Le bol bleu est-il compatible lave-vaisselle et micro-ondes ?",
        "Are the mugs dishwasher safe?",
        "Can I put the blue bowl in the dishwasher?",
    ),
    "bulb": (
        "Quelle ampoule faut-il pour la lampe Lumen ?",
        "La lampe est-elle vendue avec une ampoule ?",
        "Quel type d'ampoule va dans la lampe de bureau ?",
        "Which bulb fits the Lumen lamp?",
        "Does the desk lamp come with a bulb?",
    ),
    "paying in instalments": (
        "Peut-on payer en trois fois sans frais ?",
        "Proposez-vous le paiement en plusieurs fois ?",
        "Je voudrais régler en 4 fois, est-ce possible ?",
        "Can I pay in instalments?",
        "Is it possible to pay in three instalments without fees?",
    ),
    "loyalty points": (
        "Comment utiliser mes points de fidélité ?",
        "Mes points fidélité n'apparaissent pas sur mon compte",
        "Combien de points de fidélité me reste-t-il ?",
        "How do I use my loyalty points?",
        "My loyalty points are missing from my account",
    ),
    "spare parts": (
        "Vendez-vous des pièces détachées pour le mixeur ?",
        "Où trouver une pièce détachée, le couvercle du mixeur est cassé",
        "Je cherche des pièces de rechange pour mon mixeur",
        "Do you sell spare parts for the blender?",
        "I need a spare lid for my blender, do you have spare parts?",
    ),
    "shop's hours": (
        "Quels sont les horaires d'ouverture de la boutique à Lyon ?",
        "Le magasin de Lyon est-il ouvert le dimanche ?",
        "À quelle heure ferme la boutique de Lyon le samedi ?",
        "What are the opening hours of the Lyon store?",
        "Is the Lyon shop open on Sundays?",
    ),
    "allergens": (
        "Vos biscuits contiennent-ils des allergènes comme les noix ?",
        "Y a-t-il du gluten dans les biscuits au chocolat ?",
        "Je suis allergique aux noix, puis-je manger vos biscuits ?",
        "Do the cookies contain nuts or gluten?",
        "I am allergic to nuts, are your cookies safe?",
    ),
    "engraving": (
        "Pouvez-vous graver un prénom sur le bracelet ?",
        "La gravure du bracelet est-elle gratuite ?",
        "Combien de lettres pour la gravure d'un bracelet ?",
        "Can you engrave a name on the bracelet?",
        "How much is engraving on a bracelet?",
    ),
    "company invoice": (
        "J'ai besoin d'une facture au nom de ma société avec le numéro de TVA",
        "Pouvez-vous ajouter notre numéro de TVA sur la facture ?",
        "Facture avec TVA intracommunautaire pour mon entreprise",
        "I need an invoice with our VAT number",
        "Can you add the company VAT number to the invoice?",
    ),
    "assembly": (
        "Le montage de l'étagère est-il inclus ?",
        "Y a-t-il une notice de montage pour l'étagère ?",
        "Avez-vous la notice de montage du bureau en PDF ?",
        "Where can I find the assembly instructions for the shelf?",
        "Are assembly instructions included with the desk?",
    ),
}
