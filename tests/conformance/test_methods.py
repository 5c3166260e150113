"""Every registered method, through every check of the conformance suite."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import sfumato.methods
from sfumato.methods import REGISTRY, FixedLevels, Linear, Method, PrivateLevels
from sfumato.testing import CHECKS


def distinct_methods() -> dict[str, Method]:
    """Return every registered method once, although names such as ``auto`` stand for others."""
    methods: dict[str, Method] = {}
    for name, make in REGISTRY.items():
        if make() not in methods.values():
            methods[name] = make()
    return methods


METHODS = distinct_methods()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conformance(name: str, check) -> None:
    check(METHODS[name])


@pytest.mark.parametrize("name", REGISTRY)
def test_a_method_is_found_by_the_name_that_it_tells(name: str) -> None:
    """A manifest has the method's own name, which must lead back to it; other names stand for variants of it."""
    made = REGISTRY[name]()
    assert type(REGISTRY[made.name]()) is type(made)
    assert REGISTRY[name]() == made


@pytest.mark.parametrize("name", REGISTRY)
def test_a_registered_name_is_one_that_can_be_typed(name: str) -> None:
    assert name == name.lower()
    assert name.replace("-", "").isalnum()


def test_every_method_of_the_package_has_a_name() -> None:
    """Methods are listed by hand, so that none is imported before it is needed; one could be forgotten there."""
    folder, prefix = list(sfumato.methods.__path__), f"{sfumato.methods.__name__}."
    modules = [importlib.import_module(found.name) for found in pkgutil.walk_packages(folder, prefix)]
    classes = {kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass)}
    methods = {kind for kind in classes if issubclass(kind, Method) and "name" in vars(kind)}
    # Levels and mappings of one's own are for Python, where they can be said; private levels come with their model.
    assert methods - {Linear, FixedLevels, PrivateLevels} == {type(make()) for make in REGISTRY.values()}
