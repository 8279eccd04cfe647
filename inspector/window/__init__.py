"""The main window: composition, docks, menus, wiring."""
