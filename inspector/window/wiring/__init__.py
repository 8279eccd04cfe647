"""What each panel reads of the session, and what it asks of it: one module a subject."""
