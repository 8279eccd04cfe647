"""What the model would read: Mustache, placement, lint, dialogs."""
