"""The style sheet of reports: for light and dark themes, narrow screens, and print."""

from __future__ import annotations

from sfumato.common.charts.theme import DARK, LIGHT, Palette, dark_rules


def _variables(palette: Palette) -> str:
    return (
        f"--paper: {palette.paper}; --ink: {palette.ink}; --muted: {palette.muted}; "
        f"--line: {palette.grid}; --accent: {palette.accent}; --good: {palette.second}; --check: {palette.before}; "
        f"--alarm: {palette.third};"
    )


_LAYOUT = """
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%;
  font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
body { margin: 0 auto; padding: 0 1.25rem 3rem; max-width: 72rem; overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.25; font-weight: 600; margin: 0; text-wrap: balance; overflow-wrap: anywhere; }
h4 { text-wrap: wrap; }
h1 { font-size: 1.6rem; letter-spacing: -0.01em; }
h2 { font-size: 1.5rem; }
h3 { font-size: 1.1rem; margin-bottom: 0.5rem; }
h4 { font-size: 1rem; }
p { margin: 0 0 0.7rem; max-width: 48rem; }
a { color: var(--accent); }
header { padding: 1.4rem 0 0; }
nav { border-block: 1px solid var(--line); margin-top: 1.4rem; padding: 0.5rem 0; font-size: 0.9rem; }
nav ol { list-style: none; display: flex; flex-wrap: wrap; gap: 0.4rem 1.4rem; margin: 0; padding: 0; }
nav li { margin: 0; }
nav a { text-decoration: none; padding: 0.25rem 0; display: inline-block; }
nav a:hover { text-decoration: underline; }
.skip, .unseen { position: absolute; left: -200rem; }
.skip:focus { position: static; }
section { padding-top: 2.4rem; }
.lead { color: var(--muted); margin: 0.3rem 0 1.2rem; }
.part { margin-top: 1.6rem; }
.limits { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 1rem 2rem; }
.limit { font-size: 0.94rem; border-inline-start: 0.2rem solid var(--line); padding-inline-start: 0.8rem; }
.limit.is-warning { border-color: var(--check); }
.limit.is-error { border-color: var(--alarm); }
.limit p { margin-bottom: 0.25rem; }
.tag { color: var(--muted); font-size: 0.84rem; font-weight: 400; margin-inline-start: 0.6rem; }
.note { color: var(--muted); font-size: 0.86rem; line-height: 1.4; margin: 0.3rem 0 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20.5rem), 1fr)); gap: 1.4rem 1.6rem;
  margin-top: 1rem; align-items: start; }
.figures:empty { display: none; }
figure { margin: 0; break-inside: avoid; min-width: 0; }
figcaption { font-weight: 600; font-size: 0.94rem; line-height: 1.35; margin-bottom: 0.5rem; overflow-wrap: anywhere; }
figure svg { display: block; max-width: 100%; height: auto; overflow: visible; }
figure svg text { font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
table { border-collapse: collapse; font-size: 0.9rem; line-height: 1.4; width: 100%; }
th, td { text-align: start; vertical-align: top; font-weight: 400; padding: 0.3rem 1rem 0.3rem 0;
  border-bottom: 1px solid var(--line); unicode-bidi: isolate; min-width: 4.5rem; }
thead th { font-weight: 600; border-bottom-color: var(--muted); }
th:last-child, td:last-child { padding-inline-end: 0; }
.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.wide { overflow-x: auto; margin: 0.4rem 0 0.8rem; }
.wide td:last-child { min-width: 9rem; }
.part > table td { overflow-wrap: anywhere; }
details { margin: 0.4rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: 0.9rem; padding: 0.15rem 0; overflow-wrap: anywhere; }
ul { padding-inline-start: 1.1rem; margin: 0.5rem 0; max-width: 48rem; }
li { margin-bottom: 0.3rem; overflow-wrap: anywhere; }
pre { background: color-mix(in srgb, var(--ink) 6%, var(--paper)); border-radius: 0.4rem; padding: 0.8rem 1rem;
  font: 0.84rem/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.7rem 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
footer { margin-top: 3rem; padding-top: 0.8rem; border-top: 1px solid var(--line); color: var(--muted);
  font-size: 0.86rem; }
""".strip()

#: Page one alone, so that another page can show it too.
PAGE_ONE = """
.one { padding-top: 0.4rem; font-size: 0.92rem; line-height: 1.4; }
.one p { margin: 0; max-width: none; }
.one .about { display: flex; flex-wrap: wrap; gap: 0.2rem 2rem; color: var(--muted); overflow-wrap: anywhere; }
.one .about strong { color: var(--ink); font-weight: 600; }
.one .blank { display: inline-block; width: 8rem; border-bottom: 1px solid var(--muted); height: 1em; }
.one .state { display: flex; align-items: center; gap: 0.8rem; font-size: 1.2rem; line-height: 1.3; font-weight: 600;
  margin: 0.6rem 0 0.9rem; padding: 0.6rem 0.9rem; border-radius: 0.3rem; border: 1px solid var(--state);
  border-inline-start-width: 0.5rem; background: color-mix(in srgb, var(--state) 14%, var(--paper)); }
.one .green { --state: var(--good); }
.one .amber { --state: var(--check); }
.one .red { --state: var(--alarm); }
.one .sign { flex: none; width: 1.7rem; height: 1.7rem; border-radius: 50%; border: 2px solid var(--state);
  text-align: center; line-height: 1.45rem; font-size: 1.05rem; }
.one .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.8rem 1.2rem;
  margin: 0 0 0.9rem; }
.one .card { display: flex; flex-direction: column; border-top: 3px solid var(--line); padding-top: 0.35rem; }
.one .alarming { border-color: var(--check); }
.one .card dt { order: 2; line-height: 1.3; }
.one .card dd { margin: 0; }
.one .card .value { order: 1; font-size: 1.5rem; line-height: 1.2; font-weight: 600;
  font-variant-numeric: tabular-nums; }
.one .card .note { order: 3; font-size: 0.82rem; line-height: 1.3; margin-top: 0.1rem; }
.one .rows { margin: 0; }
.one .rows > div { display: grid; grid-template-columns: 5.2rem minmax(0, 1fr); gap: 0 1rem; padding: 0.4rem 0;
  border-top: 1px solid var(--line); }
.one .rows > div > dt { font-weight: 600; }
.one .rows > div > dd { margin: 0; min-width: 0; }
.one ul { list-style: none; padding: 0; margin: 0; max-width: none; }
.one li { padding-inline-start: 1.1rem; position: relative; margin-bottom: 0.25rem; }
.one li::before { content: "·"; position: absolute; inset-inline-start: 0.2rem; font-weight: 700; }
.one li.open::before { content: "▲"; color: var(--check); font-size: 0.72em; inset-inline-start: 0; top: 0.25em; }
.one em { font-style: normal; color: var(--muted); }
.one .people { display: block; height: 1.25rem; max-width: 100%; margin-top: 0.25rem; fill: var(--line);
  stroke: var(--muted); stroke-width: 0.5; }
.one .people .found { fill: var(--ink); stroke: var(--ink); }
.one .losses { display: flex; flex-wrap: wrap; gap: 0 1.6rem; }
.one .bar { width: 5rem; height: 0.7em; vertical-align: middle; }
.one .bar .whole { fill: var(--line); }
.one .bar .part { fill: var(--accent); }
.one .wide { margin: 0; }
.one table { font-size: 0.86rem; line-height: 1.3; width: auto; }
.one th, .one td { padding: 0.1rem 1rem 0.1rem 0; min-width: 0; white-space: nowrap; }
.one .decision { display: flex; flex-wrap: wrap; gap: 0.5rem 1.3rem; align-items: baseline; }
.one .box { display: inline-block; width: 0.85em; height: 0.85em; border: 1.5px solid var(--ink);
  margin-inline-end: 0.4em; vertical-align: -0.05em; }
.one .checked { overflow-wrap: anywhere; border-top: 1px solid var(--line); padding-top: 0.4rem; margin-top: 0; }
@media screen and (min-width: 64rem) {
  .one .pairs { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2.4rem;
    grid-template-rows: auto auto 1fr; }
  .one .pairs > div { display: block; }
  .one .remains { grid-column: 2; grid-row: 1 / span 3; }
}
@media (max-width: 34rem) {
  .one .rows > div { grid-template-columns: minmax(0, 1fr); }
  .one .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
""".strip()

_PRINT = """
@page { size: A4; margin: 13mm 14mm 15mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; color: #55626c; } }
html { font-size: 9.2pt; }
body { max-width: none; padding: 0; }
header { padding-top: 0; }
nav, .skip, summary { display: none; }
section { padding-top: 1.1rem; }
.one { padding-top: 0.3rem; font-size: 9pt; break-after: page; break-inside: avoid; }
.one .card .value { font-size: 1.3rem; }
.one .cards { grid-template-columns: repeat(5, minmax(0, 1fr)); }
.one .state, .one .bar, .one .people { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.one .decision { padding-top: 0.8rem; }
.part { margin-top: 0.9rem; }
.figures { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.8rem 1rem; }
h2, h3, h4, figcaption, .lead { break-after: avoid; }
figure, .card, .limit, tr { break-inside: avoid; }
.limits { gap: 0.6rem 1.4rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
table, p, .limit { font-size: 0.94em; }
.wide { overflow: visible; }
th, td { padding-block: 0.15rem; }
tbody th, .part > table td { overflow-wrap: anywhere; }
tbody th { min-width: 6rem; }
th summary { display: list-item; }
.one tbody th { min-width: 0; }
pre { border: 1px solid var(--line); font-size: 0.74rem; columns: 2; }
a { color: inherit; text-decoration: none; }
""".strip()

#: Everything about the look of a report. Paper in a printer is light.
RULES = "\n".join(
    [
        f":root {{ color-scheme: light dark; {_variables(LIGHT)} }}",
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }}",
        f"{dark_rules('figure svg')} }}",
        _LAYOUT,
        PAGE_ONE,
        f"@media print {{ :root {{ color-scheme: light; }}\n{_PRINT} }}",
    ]
)
