"""``sfumato.frontier``: what each k costs and what it protects, point by point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from sfumato.api.policy import Policy
from sfumato.common import parameters
from sfumato.common.progress import ProgressOption
from sfumato.common.threads import at_most
from sfumato.errors import ParameterError
from sfumato.run.frontier import SIZES, Frontier, checked_sizes
from sfumato.run.request import FrontierArguments, Request, spelled_out
from sfumato.run.where import in_memory, opened
from sfumato.table.schema import Schema


@spelled_out
def frontier(
    data: object,
    schema: Schema | None = None,
    *,
    k: Sequence[int] | int = SIZES,
    bounds: bool = True,
    progress: ProgressOption = False,
    **arguments: Unpack[FrontierArguments],
) -> Frontier:
    """Compute what each k costs and what it protects, point by point, on a table that is read and encoded once.

    The result is an iterator. It begins at k = 10 and goes outwards: 10, 5, 20, 2, 50 and so on. Each point is that of
    a release that was made and verified; of a table with many rows an estimate from a sample comes first. At the end
    each point comes once more with the loss that no release can beat. Leave the loop at any time; another loop goes on
    where it ended.

    Parameters
    ----------
    k
        Every k to try.
    bounds
        Whether to compute what no release can beat, too, which takes longer than the points.
    data, schema, quasi_identifiers, sensitive, person, identifiers, plain, rest, weights, l, t, privacy,
    preset, method, refine, suppression, missing, intervals, ends, keep_order, seed, na, confirm, strict,
    transform, pseudonymize, sample, engine, memory, temporary, threads, progress, separator, encoding, sheet, layout,
    decimal, dates, skip
        As in `anonymize`; all models hold at every point. A frontier works in memory.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.datasets.census(2_000)
    >>> frontier = sf.frontier(people.table, people.schema, k=[5, 10, 20], seed=1, bounds=False)
    >>> [point.k for point in frontier]
    [10, 5, 20]
    >>> release = frontier.release(10)
    >>> release.verification.k >= 10
    True
    """
    return frontier_for(data, Policy.of("frontier", schema, **arguments), k, bounds=bounds, progress=progress)


def frontier_for(
    data: object,
    request: Request,
    k: Sequence[int] | int = SIZES,
    *,
    bounds: bool = True,
    progress: ProgressOption = False,
) -> Frontier:
    """Compute a frontier with all options of a request; a k that it asks for is the least."""
    sizes = checked_sizes(request.caller, k)
    parameters.flag(request.caller, "bounds", bounds)
    with at_most(request.threads):
        data = opened(data, request)
        if not in_memory(data, request):
            raise ParameterError(
                "A frontier makes several releases of one table in memory, and this one does not fit, or an engine was "
                "asked for. Draw a sample (sample=0.1), or allow more memory (memory='8GB')."
            )
    return Frontier.of(data, request, sizes, bounds=bounds, progress=progress)
