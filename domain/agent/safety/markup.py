"""The marks of texts that pretend to be more than a text: another speaker, or a tool's call."""

import re
from typing import Final

from domain.agent.safety.reason import UnsafeReason

_TOOL: Final = (
    r"refund|issue_refund|create_refund|process_refund|refund_order|cancel|cancel_order|approve"
    r"|approve_refund|tag|add_tag|note|add_note|reply_by_email|reply_in_helpdesk|send_email"
    r"|send_mail|update_order|update_customer|execute|rembourser|annuler_commande|run_sql"
)
_BY_MARKUP: Final = (
    (
        UnsafeReason.FAKE_MESSAGE,
        r"<\|[a-z_]{2,30}\|>|<</?sys>>|\[/?inst\]|</?s>\s*\[|<start_of_turn>|<\|im_(?:start|end)",
        r"(?:^|\n)[ \t>*#\-=]{0,10}[\[(<{]{1,3}/?[ ]?(?:system|systeme|developer|developpeur"
        r"|assistant|tool|admin|administrator|administrateur|function|internal|root)[ ]?"
        r"(?:[ :\-][^\]>)}\n]{0,80})?[\])>}]{1,3}",
        r"(?:^|\n)[ \t]{0,4}#{1,6}[ ]?(?:system|systeme|developer|assistant"
        r"|instructions?(?: systeme)?|new instructions?|nouvelles instructions|end of"
        r"|admin)\b[ ]?(?::|message|prompt|override|\n|$)",
        r"(?:^|\n)[ \t>*#\-=]{0,10}(?:system|systeme|developer|developpeur|assistant|tool"
        r"|admin(?:istrator)?|administrateur)(?: message| notice| alert| log| prompt| note"
        r"| override| instruction"
        r"| update)?[ ]?\*{0,2}:\*{0,2}[ \n]{0,3}(?:you|ignore|refund|approve|the (?:agent"
        r"|assistant|customer|user|ai|next|previous|refund)|new |from now|please (?:refund"
        r"|approve|ignore)|tu |vous (?:devez|etes)|rembours|approuv|nouvelle|l'(?:agent"
        r"|assistant|ia)|le client|la demande|all |any |override|grant|issue|execute|customer"
        r"|identity|verification|client|identite|manager|policy|mode)",
        r"(?<!-)-{3,}[ ]?(?:end|fin|begin|debut|start)[^\n-]{0,40}(?:user|customer|client|system"
        r"|prompt|message|instructions|input|utilisateur|systeme)[^\n-]{0,20}-{3,}",
    ),
    (
        UnsafeReason.ASKS_FOR_SECRETS,
        r"\b(?:show|send|give|tell|list|export|donne|envoie|montre|liste"
        r"|communique)[rz]?\b[^\n.?!]{0,40}\b(?:history|orders?|details|address|account|data"
        r"|historique|commandes?|coordonnees|adresse|compte|donnees) (?:of|for|de"
        r"|du client) [\w.+-]{1,64}@",
    ),
    (
        UnsafeReason.FAKE_TOOL_CALL,
        r"</?(?:tool_call|function_call|tool|tools|invoke|function|function_results?|tool_use"
        r"|tool_result|tool_response|action|actions|proposal|proposals|parameter|policy"
        r"|verdict)(?:[ >=/:]|$)",
        r"[\"'](?:tool|tools|function|name|action|actions|tool_name|kind|proposals?|tool_calls?"
        r"|function_call|command|ruling"
        rf"|operation)[\"']\s{{0,5}}:\s{{0,5}}[\[{{]{{0,2}}\s{{0,5}}(?:[\"']kind[\"']\s{{0,3}}:\s{{0,3}})?[\"'](?:{_TOOL})[\"']",
        rf"\b(?:{_TOOL})\((?:\s{{0,3}}\w{{1,40}}\s{{0,3}}="
        r"|\s{0,3}[\"'{]|\s{0,3}\d+\s{0,3}[,)])",
        r"\b(?:issue_refund|create_refund|process_refund|approve_refund|cancel_order"
        r"|refund_order|add_tag|reply_by_email|run_sql|annuler_commande)\b",
        r"(?:^|\n)[ \t\-]{0,6}(?:tool|function|kind|command|tool_call|action_input"
        rf"|proposals?)\s{{0,3}}[:=]\s{{0,3}}[\"']?(?:{_TOOL})\b",
        r"\b(?:refund|cancel|approve)\s{1,3}--[a-z]",
        r"(?:^|\n)[ \t]{0,4}`{3}(?:tool|tool_code|tool_call|function|system|action)",
        r"\bcustomer_verified[\"']?\s{0,3}[:=]",
    ),
    (
        UnsafeReason.HIDDEN_TEXT,
        # The comments of WordPress are part of its texts.
        r"<!--(?!\s{0,5}/?wp:)[^<>]{0,40}\w{3,}[^<>]{0,400}-->",
        r"<[a-z1-6]{1,12}\s[^<>]{0,400}(?:display\s{0,3}:\s{0,3}none"
        r"|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}[01](?:px|pt"
        r"|em)?\s{0,3}[;\"']|opacity\s{0,3}:\s{0,3}0\s{0,3}[;\"']"
        r"|color\s{0,3}:\s{0,3}(?:#fff(?:fff)?|white|transparent)\b)[^<>]{0,400}>[^<]{12,}",
    ),
)

MARKUP: Final = tuple(
    (reason, re.compile(pattern)) for reason, *patterns in _BY_MARKUP for pattern in patterns
)
"""Looked for in the text without accents and in lower case, its marks and lines as they are."""
