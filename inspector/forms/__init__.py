"""The parameters of a node as a form."""
