"""The commands that judge a table and a release: ``risk``, ``attack``, ``report``, ``utility``, ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options as given
from sfumato.cli.exits import explained

Population = Annotated[
    str | None,
    typer.Option(
        "--population",
        metavar="FILE|NUMBER",
        help="Whom the people were drawn from: a table of them, their number, or (below 1) the share that was drawn.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option("--weights", metavar="COLUMN", help="How many people of the population each row stands for."),
]
Thresholds = Annotated[
    list[float] | None,
    typer.Option("--threshold", metavar="RISK", help="Report who is above this risk, such as 0.09 (repeat)."),
]
UniquesUpTo = Annotated[
    int | None,
    typer.Option("--uniques", metavar="N", help="Also find who is unique by at most N columns, with SUDA's scores."),
]
Drivers = Annotated[bool, typer.Option("--drivers", help="Also say which columns drive the risk.")]


@given.asking(only={"quasi_identifiers", "sensitive", "person", "hierarchies", "policy"} | given.FILE)
def risk(
    place: given.Place,
    asked: given.Asked,
    table: given.Table = None,
    read_as: given.From = None,
    population: Population = None,
    weights: Weights = None,
    threshold: Thresholds = None,
    drivers: Drivers = False,
    uniques: UniquesUpTo = None,
    as_json: given.AsJson = False,
) -> None:
    """Say how likely it is that people in a table are found, and what drives that.

    For example: sfumato risk patients.csv --qi age --qi zip --sensitive disease --drivers
    """
    with explained():
        from sfumato.cli.request import Given  # noqa: PLC0415
        from sfumato.cli.risk import Beyond, show_risk  # noqa: PLC0415

        beyond = Beyond(population, weights, threshold or (), drivers, uniques)
        show_risk(asked, Given(place, read_as, table), beyond, as_json=as_json)


Original = Annotated[
    Path, typer.Argument(metavar="ORIGINAL", help="The table that the release was made from; - for stdin.")
]
Released = Annotated[Path, typer.Argument(metavar="RELEASE", help="The released file, whoever made it.")]
Knows = Annotated[
    list[str] | None,
    typer.Option(
        "--knows", metavar="COLUMN", help="A quasi-identifier that the attacker knows (repeat); all by default."
    ),
]
Chosen = Annotated[
    list[str] | None, typer.Option("--attack", metavar="NAME", help="Try this attack only (repeat for more).")
]
Previous = Annotated[
    list[Path] | None,
    typer.Option("--previous", metavar="FILE", help="Another release of the same people (repeat)."),
]
Control = Annotated[
    Path | None,
    typer.Option("--control", metavar="FILE", help="People who are not in the original, to compare with."),
]
Targets = Annotated[int, typer.Option("--targets", metavar="N", help="How many people are attacked.")]
Show = Annotated[
    int, typer.Option("--show", metavar="N", help="Show the values of up to N people who are found for certain.")
]


@given.asking(only={"quasi_identifiers", "sensitive", "hierarchies", "k", "l", "policy", "seed"} | given.FILE)
def attack(
    original: Original,
    release: Released,
    asked: given.Asked,
    table: given.Table = None,
    read_as: given.From = None,
    knows: Knows = None,
    attacks: Chosen = None,
    previous: Previous = None,
    control: Control = None,
    targets: Targets = 1_000,
    show: Show = 0,
    as_json: given.AsJson = False,
) -> None:
    """Attack a release as somebody would who knows some columns of the people in it; exit 1 if a promise is broken.

    For example: sfumato attack patients.csv release.csv --qi age --qi zip --sensitive disease -k 10
    """
    with explained():
        from sfumato.cli.attack import Means, show_attacks  # noqa: PLC0415
        from sfumato.cli.request import Given  # noqa: PLC0415

        means = Means(knows, attacks or (), previous or (), control, targets, show)
        show_attacks(asked, Given(str(original), read_as, table), release, means, as_json=as_json)


def report(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file that the release was made with.")],
    original: Original,
    release: Released,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The report to write.")] = Path(
        "report.html"
    ),
    quiet: given.Quiet = False,
) -> None:
    """Write a report about a released file: one HTML page that answers what the person who signs has to know.

    Exit code 0 if every promise of the policy holds, 1 if not. For example: sfumato report policy.toml patients.csv
    release.csv -o report.html
    """
    with explained():
        from sfumato.cli.report import run  # noqa: PLC0415

        run(policy, original, release, output, quiet)


Label = Annotated[
    str | None,
    typer.Option(
        "--label", metavar="COLUMN", help="The column that a classifier is to learn; by default a sensitive one."
    ),
]
HeldOut = Annotated[
    Path | None,
    typer.Option(
        "--held-out", metavar="FILE", help="Original rows that are not in the release, to test a classifier on."
    ),
]


@given.asking(only={"quasi_identifiers", "sensitive", "hierarchies", "policy", "seed"} | given.FILE)
def utility(
    original: Original,
    release: Released,
    asked: given.Asked,
    table: given.Table = None,
    read_as: given.From = None,
    label: Label = None,
    held_out: HeldOut = None,
    as_json: given.AsJson = False,
) -> None:
    """Measure what is left of a table in its release, whoever made it, in figures and sentences.

    For example: sfumato utility patients.csv release.csv --qi age --qi zip --hierarchy zip=prefix --sensitive disease
    """
    with explained():
        from sfumato.cli.request import Given  # noqa: PLC0415
        from sfumato.cli.utility import show_utility  # noqa: PLC0415

        show_utility(asked, Given(str(original), read_as, table), release, label, held_out, as_json=as_json)


Sizes = Annotated[str, typer.Option("-k", metavar="K,K,…", help="Every k to try.")]
Methods = Annotated[
    list[str], typer.Option("--method", metavar="NAME,NAME,…", help="The methods to try; 'sfumato methods' lists them.")
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", help="For every cell, of methods that take a limit."),
]
WithUtility = Annotated[
    bool, typer.Option("--utility", help="Also measure what is left of the table; it takes longer.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw loss against k, as .svg, .png or a page (.html)."),
]
#: What every cell of a comparison shares.
SHARED = {
    *("quasi_identifiers", "sensitive", "person", "identifiers", "plain", "rest", "hierarchies", "l", "t", "privacy"),
    *("suppression", "missing", "ends", "seed", "separator", "encoding", "sheet", "layout", "na", "policy"),
}


@given.asking(only=SHARED)
def compare(
    place: given.Place,
    asked: given.Asked,
    k: Sizes = "2,5,10,50",
    methods: Methods = ["auto", "hilbert", "mondrian"],  # noqa: B006
    time_limit: TimeLimit = None,
    with_utility: WithUtility = False,
    plot: Plot = None,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Try several methods at several k on one table, which is read once: what each loses, takes and achieves.

    For example: sfumato compare patients.csv --qi age --qi zip --rest drop -k 2,5,10,50 --method auto,best,mondrian
    """
    with explained():
        from sfumato.cli.utility import Tried, show_comparison  # noqa: PLC0415

        tried = Tried(k, methods, time_limit, with_utility, plot)
        show_comparison(asked, place, tried, as_json=as_json, quiet=quiet)
