"""Item models and delegates: they show, they decide nothing."""
