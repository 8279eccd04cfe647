"""Help texts of the parameters that several node types have."""

INPUT_HELP = (
    "Text to search with: the player's message or an earlier node's output. "
    "Empty = the player's message."
)
SOURCE_HELP = "Name that templates use for these results (knowledge_NAME). Empty = the node's name."
