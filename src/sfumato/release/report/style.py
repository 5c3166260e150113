"""The style sheet of reports: for light and dark themes, narrow screens, and print."""

from __future__ import annotations

from sfumato.common.charts.theme import DARK, LIGHT, Palette, dark_rules


def _variables(palette: Palette) -> str:
    return (
        f"--paper: {palette.paper}; --ink: {palette.ink}; --muted: {palette.muted}; "
        f"--line: {palette.grid}; --accent: {palette.accent}; --alarm: {palette.third};"
    )


_LAYOUT = """
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%;
  font: 17px/1.6 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
body { margin: 0 auto; padding: 0 1.5rem 4rem; max-width: 54rem; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; font-weight: 600; margin: 0; text-wrap: balance; }
h1 { font-size: 2.1rem; letter-spacing: -0.01em; }
h2 { font-size: 1.6rem; }
h3 { font-size: 1.08rem; margin-bottom: 0.5rem; }
p { margin: 0 0 0.8rem; max-width: 46rem; }
a { color: var(--accent); }
header { padding: 3.5rem 0 1rem; }
.subject { color: var(--muted); margin: 0.3rem 0 0; overflow-wrap: anywhere; }
nav { border-block: 1px solid var(--line); margin-bottom: 1rem; padding: 0.6rem 0; font-size: 0.9rem; }
nav ol { list-style: none; display: flex; flex-wrap: wrap; gap: 0.4rem 1.4rem; margin: 0; padding: 0; }
nav a { text-decoration: none; padding: 0.25rem 0; display: inline-block; }
nav a:hover { text-decoration: underline; }
.skip { position: absolute; left: -200rem; }
.skip:focus { position: static; }
section { padding-top: 3rem; }
.lead { color: var(--muted); font-size: 1.06rem; margin: 0.3rem 0 1.6rem; }
.part, .limit { margin-top: 2rem; }
.limit h3 { margin-bottom: 0.2rem; }
.limit p { margin-bottom: 0.3rem; }
.good, .bad { max-width: none; font-size: 1.25rem; font-weight: 600; padding: 0.9rem 1.1rem; border-radius: 0.4rem;
  border-inline-start: 0.4rem solid var(--accent); background: color-mix(in srgb, var(--accent) 9%, var(--paper)); }
.bad { border-color: var(--alarm); background: color-mix(in srgb, var(--alarm) 12%, var(--paper)); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.4rem, 1fr)); gap: 1.2rem;
  margin: 1.6rem 0 0; }
.card { display: flex; flex-direction: column; border-top: 2px solid var(--line); padding-top: 0.6rem; }
.card dt { order: 2; font-size: 0.92rem; line-height: 1.35; }
.card dd { margin: 0; }
.card .value { order: 1; font-size: 1.75rem; line-height: 1.2; font-weight: 600; font-variant-numeric: tabular-nums; }
.card .note { order: 3; }
.note { color: var(--muted); font-size: 0.86rem; line-height: 1.45; margin: 0.3rem 0 0; }
figure { margin: 2.2rem 0 0; break-inside: avoid; }
figcaption { font-weight: 600; margin-bottom: 0.6rem; overflow-wrap: anywhere; }
figure svg { display: block; width: 100%; height: auto; max-width: 46rem; overflow: visible; }
figure svg text { font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
table { border-collapse: collapse; font-size: 0.92rem; line-height: 1.45; width: 100%; }
th, td { text-align: start; vertical-align: top; font-weight: 400; padding: 0.4rem 1.2rem 0.4rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; unicode-bidi: isolate; }
thead th { font-weight: 600; border-bottom-color: var(--muted); overflow-wrap: normal; }
th:last-child, td:last-child { padding-inline-end: 0; }
.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.wide { overflow-x: auto; margin: 0.4rem 0 0.8rem; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: 0.92rem; padding: 0.15rem 0; overflow-wrap: anywhere; }
ul { padding-inline-start: 1.1rem; margin: 0.6rem 0; max-width: 46rem; }
li { margin-bottom: 0.3rem; overflow-wrap: anywhere; }
pre { background: color-mix(in srgb, var(--ink) 6%, var(--paper)); border-radius: 0.4rem; padding: 0.9rem 1.1rem;
  font: 0.84rem/1.55 ui-monospace, "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.8rem 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--muted);
  font-size: 0.86rem; }
""".strip()

_PRINT = """
@page { margin: 18mm 16mm; }
html { font-size: 10.5pt; }
body { max-width: none; padding: 0; }
header { padding-top: 0; }
nav, .skip, summary { display: none; }
section { padding-top: 1.6rem; }
h2, h3, figcaption, .lead { break-after: avoid; }
figure, .card, .limit, tr { break-inside: avoid; }
figure svg { max-width: 150mm; max-height: 200mm; }
.wide { overflow: visible; }
pre { border: 1px solid var(--line); }
a { color: inherit; text-decoration: none; }
""".strip()

#: Everything about the look of a report. Paper in a printer is light.
RULES = "\n".join(
    [
        f":root {{ color-scheme: light dark; {_variables(LIGHT)} }}",
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }}",
        f"{dark_rules('figure svg')} }}",
        _LAYOUT,
        f"@media print {{ :root {{ color-scheme: light; }}\n{_PRINT} }}",
    ]
)
