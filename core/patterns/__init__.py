"""Regular expressions of strangers, matched in bounded time."""
