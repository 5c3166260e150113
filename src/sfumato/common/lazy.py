"""Lazy exports: a submodule is imported on first access, since most requests need few of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from sfumato.errors import did_you_mean


def on_demand(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package.

    Parameters
    ----------
    package
        The name of the package.
    homes
        The module that each name of the package is in, or is.

    Examples
    --------
    >>> from sfumato.errors import listed
    >>> find = on_demand("sfumato.common.lazy", {"listed": "sfumato.errors"})
    >>> find("listed") is listed
    True
    >>> find("unheard_of")
    Traceback (most recent call last):
        ...
    AttributeError: module 'sfumato.common.lazy' has no attribute 'unheard_of'
    """

    def find(name: str) -> Any:
        if name not in homes:
            hint = "" if name.startswith("_") else did_you_mean(name, homes)
            raise AttributeError(f"module {package!r} has no attribute {name!r}. {hint}".removesuffix(". "))
        module = import_module(homes[name])
        found = module if module.__name__ == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, found)  # the next access does not come here
        return found

    return find
