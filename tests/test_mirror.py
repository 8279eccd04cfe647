"""The tests lie where the modules lie, so that each is found from the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Tests of several modules at once are named by what they are about.
SCENARIOS = {
    "core/agent/test_memory_checks.py",
    "core/nodes/test_kinds.py",
    "core/retrieve/test_bounded.py",
    "core/test_readme.py",
    "core/test_tavern.py",
    "inspector/cli/test_snippet.py",
    "inspector/panels/test_all_panels.py",
    "inspector/test_pyside.py",
    "inspector/widgets/test_table_looks.py",
}


def without_module(repo: Path) -> set[str]:
    """Test modules, but those of the whole window, that mirror no module."""
    return {
        test.relative_to(repo / "tests").as_posix()
        for package in ("core", "inspector")
        for test in (repo / "tests" / package).rglob("test_*.py")
        if test.parent != repo / "tests" / "inspector" / "window"
        and not (
            repo / test.relative_to(repo / "tests").with_name(test.name.removeprefix("test_"))
        ).exists()
    }


def test_every_test_module_mirrors_a_module_or_is_a_known_scenario(repo: Path) -> None:
    assert without_module(repo) - SCENARIOS == set()


def test_the_marker_of_the_types_is_in_both_packages(repo: Path) -> None:
    assert all((repo / package / "py.typed").exists() for package in ("core", "inspector"))
