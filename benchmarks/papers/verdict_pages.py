"""The two pages of verdicts: some twenty headlines, and behind them every claim with its quotation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.papers.experiment import MADE_UP_ALONE, Claim, Paper, Verdict

#: Every paper with its claims and their verdicts.
Judged = Sequence[tuple[Paper, Sequence[tuple[Claim, Verdict]]]]

#: The order in which verdicts are listed; those that are not judged, for whatever reason, come last.
WORDS = ("holds", "mostly", "partly", "a tie", "hardly", "does not hold", "not judged")

LITERAL, OURS = "literal", "ours"


def headline_page(found: Judged) -> Iterator[str]:
    """Yield the lines of the page of headlines."""
    yield "# The papers' experiments, run again"
    yield (
        "\nSfumato's methods come from four papers. Every experiment of theirs is run by one command, and what their "
        "texts say about it is judged by what was measured: verdicts are computed, not written. *Literal* is the "
        "verdict with the paper's own algorithms, as far as its text has them; *ours* with Sfumato's, where these are "
        "stronger. *Mostly* is from 75 % of the compared points on, *partly* from 25 %, *hardly* below; points that "
        "differ by less than half a percent (seconds: 5 %) are ties, and decide nothing. What is *clearly*, *far*, "
        "*much* or *substantially* better is so by half as much again; what is *similar* or *slightly* worse differs "
        "by less. An order of magnitude is met from √10 on. Some of the papers' tables cannot be had, and stand here "
        "made up: verdicts say where nothing else decides, and how they are on real tables alone."
    )
    yield f"\n{counts(found)} [All of them, by verdict](claims.md)."
    for paper, claims in found:
        yield f"\n## [{paper.title}]({paper.name}.md)\n"
        yield "| the paper says | literal | ours | why |"
        yield "|---|---|---|---|"
        yield from headlines(paper, claims)
    yield "\n## [Figures derived a second time](rederived.md)"
    yield (
        "\nA second set of scripts, written from the papers' texts before the first was read, derives eighteen "
        "figures again and compares them with these."
    )
    yield "\n## [Every claim](claims.md)"
    yield (
        "\nEach with its section, its quotation, and all of its forms. `make figures` runs everything again at the "
        'sizes that the pages name; `FIGURES="--jobs 8"` runs experiments side by side, those that measure time alone. '
        "`python -m benchmarks figures --only mondrian-10` runs one experiment, `--full` the papers' own sizes and "
        "budgets, `--quick` small ones, from which nothing is judged; `--pages` writes these pages from the results "
        "beside them. Results carry a digest of the code they rest on: where it differs, nothing is judged until the "
        "experiment is run again."
    )


def counts(found: Judged) -> str:
    """Say how many claims there are, in how many forms, and how they fare."""
    quoted = {(paper.name, claim.section, claim.quote) for paper, claims in found for claim, _ in claims if claim.quote}
    forms = [verdict for _, claims in found for claim, verdict in claims if claim.quote]
    own = sum(not claim.quote for _, claims in found for claim, _ in claims)
    words = [group(verdict) for verdict in forms]
    shown = ", ".join(f"{words.count(word)} {word}" for word in WORDS if word in words)
    alone = sum(verdict.on == MADE_UP_ALONE for verdict in forms)
    resting = f" {alone} of these rest on made-up tables alone." if alone else ""
    return f"{len(quoted)} claims of the papers, judged in {len(forms)} forms: {shown}; and {own} of our own.{resting}"


def group(verdict: Verdict) -> str:
    """The word under which a verdict is listed."""
    return verdict.word if verdict.word in WORDS else WORDS[-1]


def headlines(paper: Paper, claims: Sequence[tuple[Claim, Verdict]]) -> Iterator[str]:
    """Yield a row per headline: the quotation, both verdicts, and what decides."""
    for number, forms in enumerate(by_quote(claims), start=1):
        chosen = {claim.headline: (claim, verdict) for claim, verdict in forms if claim.headline}
        if not chosen:
            continue
        claim, verdict = chosen.get(LITERAL) or chosen[OURS]
        shown = [f"**{chosen[form][1].shown}**" if form in chosen else "" for form in (LITERAL, OURS)]
        # A reason is for what was found; where nothing is judged there is none.
        because = f" {claim.because}" if claim.because and verdict.share is not None else ""
        link = f"[{claim.section}](claims.md#{paper.name}-{number})"
        yield f"| “{cell(claim.quote)}” ({link}) | {' | '.join(shown)} | {cell(verdict.told)}.{cell(because)} |"


def by_quote(claims: Sequence[tuple[Claim, Verdict]]) -> list[list[tuple[Claim, Verdict]]]:
    """The claims of a paper, forms of one quotation together, in the order in which they are registered."""
    groups: dict[tuple[str, str], list[tuple[Claim, Verdict]]] = {}
    for claim, verdict in claims:
        if claim.quote:
            groups.setdefault((claim.section, claim.quote), []).append((claim, verdict))
    return list(groups.values())


def claims_page(found: Judged) -> Iterator[str]:
    """Yield the lines of the page of all claims: first by verdict, with links, then one by one."""
    yield "# Every claim of the four papers"
    yield f"\n{counts(found)} First by how far they hold: open what you look for. Then one by one."
    for word in WORDS:
        yield from band(word, found)
    for paper, claims in found:
        yield f"\n## [{paper.title}]({paper.name}.md)"
        for number, forms in enumerate(by_quote(claims), start=1):
            claim = forms[0][0]
            yield f"\n### {paper.name}-{number}"
            yield f"\n{claim.section}: “{claim.quote}”\n"
            yield from table(forms)
        own = [(claim, verdict) for claim, verdict in claims if not claim.quote]
        if own:
            yield f"\n### {paper.name}: beyond the paper\n"
            yield from table(own)


#: What share of the compared points each word stands for.
SHARES = {
    "holds": "100 %",
    "mostly": "75 to 99 %",
    "partly": "25 to 74 %",
    "a tie": "no point differs",
    "hardly": "1 to 24 %",
    "does not hold": "0 %",
    "not judged": "no share",
}


def band(word: str, found: Judged) -> Iterator[str]:
    """Yield a list that opens: all forms of claims with one verdict, those with the largest share first."""
    rows = [
        (verdict, f"[{paper.name} {number}](#{paper.name}-{number})", claim)
        for paper, claims in found
        for number, forms in enumerate(by_quote(claims), start=1)
        for claim, verdict in forms
        if group(verdict) == word
    ]
    if not rows:
        return
    rows.sort(key=lambda row: -(row[0].share or 0.0))
    yield f"\n<details><summary><b>{word}</b>, {SHARES[word]}: {len(rows)}</summary>\n"
    yield "| share | claim | of |"
    yield "|---:|---|---|"
    for verdict, link, claim in rows:
        whole = f"{100 * (verdict.share or 0):.0f} %"
        share = verdict.reason if verdict.share is None else verdict.shown.partition(", ")[2] or whole
        yield f"| {share} | {cell(claim.sentence)} | {link} |"
    yield "\n</details>"


def table(forms: Sequence[tuple[Claim, Verdict]]) -> Iterator[str]:
    """Yield a table of claims with their verdicts."""
    yield "| claim | verdict | what decides |"
    yield "|---|---|---|"
    for claim, verdict in forms:
        yield f"| {cell(claim.sentence)} | **{verdict.shown}** | {cell(verdict.told)} |"


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return text.replace("|", "\\|")
