"""Parts that panels are made of. They know no panel, so that panels need not know each other."""
