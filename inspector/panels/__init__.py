"""Panels: one widget a file; they get what they show and emit what is asked of them."""
