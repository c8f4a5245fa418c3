"""Use cases of integrations: connections to shops and helpdesks, and the sender of mails."""
