"""The languages of the game's clients, apart from the code that writes them."""

LANGUAGES = {"python": "Python", "cpp": "C++", "unity": "Unity (C#)", "unreal": "Unreal (C++)"}
"""Key → what to call it."""
