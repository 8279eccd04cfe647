"""Files, whole or not at all: JSON with places, findings, sidecars, progress, child processes."""
