"""Files, whole or not at all: JSON with places, findings, sidecars, work, child processes."""
