"""Every registered method, through every check of the conformance suite."""

from __future__ import annotations

import pytest

from sfumato.methods import REGISTRY, Method
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


def test_every_registered_name_makes_a_method_that_is_checked() -> None:
    assert {type(make()) for make in REGISTRY.values()} == {type(method) for method in METHODS.values()}


@pytest.mark.parametrize("name", REGISTRY)
def test_a_registered_name_is_one_that_can_be_typed(name: str) -> None:
    assert name == name.lower()
    assert name.replace("-", "").isalnum()
