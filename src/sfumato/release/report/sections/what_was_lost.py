"""What was lost: by every measure, column by column, and in the rows that are gone."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.common.charts import charts
from sfumato.common.html import Content, Markup, folded, joined
from sfumato.loss import METRICS
from sfumato.release.report.bins import HIDDEN, MISSING
from sfumato.release.report.columns import ColumnFacts
from sfumato.release.report.facts import LEAST, ReportFacts
from sfumato.release.report.limits import left_out
from sfumato.release.report.parts import figure, figures, items, listing, named, paragraph, percent, section, subsection

#: How many columns get their own picture, those that lost most first; the others are in the table only.
MOST_PICTURES = 8

#: How many times more frequent a value must be among the suppressed rows to be reported.
STANDS_OUT = 1.5


def section_lost(found: ReportFacts) -> Markup:
    """What readers of the release cannot see any more."""
    return section(
        "lost",
        "What was lost",
        "What readers of the published table can no longer see, and whether somebody else could have kept more of it.",
        _whole(found),
        _columns(found),
        _suppressed(found),
        _utility(found),
        _measures(found),
    )


def _whole(found: ReportFacts) -> Content:
    """State the loss as a whole, with the lower bound beside it."""
    gcp, bound = found.losses.get("gcp"), found.bound
    if not found.may.losses:
        return paragraph(f"What was lost is {found.may.not_told}.")
    if gcp is None:
        return None
    said = f"The table lost {percent(gcp)} of its detail (GCP {gcp:.4f}: 0 is nothing, 1 is everything)."
    if not bound:
        return paragraph(said)
    sure = (
        ""
        if bound.sampled is None
        else f", with {bound.confidence:.0%} confidence from a sample of {bound.sampled:,} rows"
    )
    said += f" No release with groups of this size, by any method, can lose less than {percent(float(bound))}{sure}."
    return paragraph(said, f" This one loses {gcp / bound:.1f} times that." if gcp < 100 * bound else "")


def _measures(found: ReportFacts) -> Content:
    """Every measure with its direction and its range."""
    rows = []
    for name, value in found.losses.items():
        metric = METRICS.get(name)
        if metric is not None:
            upper = "any number" if metric.upper is None else f"0 to {metric.upper:g}"
            better = "higher is better" if metric.higher_is_better else "lower is better"
            rows.append((f"{metric.title or name} ({name})", float(f"{value:.5g}"), upper, better))
    measures = listing(("measure", "value", "range", "direction"), rows)
    return folded("What was lost, by every measure", measures) if rows else None


def _columns(found: ReportFacts) -> Content:
    """Every quasi-identifier before and after, as a picture for those that lost most."""
    whole = [figure(charts.loss_by_column(found.by_column, found.losses.get("gcp")))] if found.by_column else []
    if not found.columns:
        return figures(whole) if whole else None
    ranked = sorted(found.columns.values(), key=lambda one: -found.by_column.get(one.name, one.lost))
    pictures = [figure(one.picture, _beside(one)) for one in ranked[:MOST_PICTURES]]
    said = (
        "Each picture has the bins and names that the published table itself shows; on a scale, areas are shares, so "
        "that wide bins do not look fuller than they are. What hides behind a wide cell is spread evenly over the bins "
        "that it may be in, as a reader would have to do."
    )
    rest = [(named(one.name), one.kept, found.by_column.get(one.name, one.lost)) for one in ranked[MOST_PICTURES:]]
    headers = ("column", "share of the distribution in its place", "share of detail lost")
    more = joined(paragraph("The other columns:"), listing(headers, rest)) if rest else None
    return subsection("Before and after", paragraph(said), figures([*whole, *pictures]), more)


def _beside(column: ColumnFacts) -> str | None:
    """Say what is not on the scale of a picture: hidden and missing values."""
    if column.scale is None:
        return None
    shares = zip(column.labels, column.before, column.after, strict=True)
    said = [
        f"{label}: {percent(before)} before, {percent(after)} after"
        for label, before, after in shares
        if label in {HIDDEN, MISSING}
    ]
    return f"Not on the scale: {'; '.join(said)}." if said else None


def _suppressed(found: ReportFacts) -> Content:
    """Report how many rows were suppressed, and what they have in common."""
    total = found.suppressed.get("total", 0)
    if not found.may.losses:
        return subsection("Rows left out", paragraph(f"{left_out(found)} rows are not published."))
    if not total:
        return subsection("Rows left out", paragraph("No row was left out."))
    missing = found.suppressed.get("missing", 0)
    missing = missing if found.may.allows(missing) and found.may.allows(total - missing) else 0
    said = f"{total:,} of {found.rows_in:,} rows ({percent(total / max(1, found.rows_in))}) are not published."
    why = (
        f" {missing:,} of them lack a value; the rest would have kept their groups too small or too wide."
        if missing
        else ""
    )
    common = list(_in_common(found))
    end = "" if common else " They are too few, or too much like the others, to say what they have in common."
    return subsection("Rows left out", paragraph(said, why, end), items(common))


def _in_common(found: ReportFacts) -> Iterator[str]:
    gone = found.suppressed.get("by_method", 0)
    for column in found.columns.values():
        label = _outstanding(column, LEAST / max(gone, LEAST))
        if label is not None:
            at = column.labels.index(label)
            yield (
                f"{percent(column.gone[at])} of them have {named(column.name)} {label}, "
                f"which {percent(column.before[at])} of all rows have."
            )


def _outstanding(column: ColumnFacts, least: float) -> str | None:
    """The bin that stands out most among the suppressed rows, if one does and is not a handful of people."""
    pairs = zip(column.labels, column.before, column.gone, strict=False)
    more = {
        label: gone - before
        for label, before, gone in pairs
        if gone > STANDS_OUT * before and gone > 0.1 and gone >= least
    }
    return max(more, key=lambda label: more[label], default=None)


def _utility(found: ReportFacts) -> Content:
    """Report what the release is still useful for, where that was measured."""
    if found.utility is None:
        return None
    rows = [
        (
            one.name.replace("_", " "),
            float(f"{one.value:.4g}"),
            "higher" if one.higher_is_better else "lower",
            one.sentence,
        )
        for one in found.utility.values()
    ]
    return subsection("What it is still good for", listing(("measure", "value", "better", "what it means"), rows))
