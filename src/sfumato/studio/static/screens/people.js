// The tabs of screen 2: rows before and after, what a neighbour knows, what columns lost, what is left for use.
import { html, t, many, number, share, signal, useAnswer, useRef, useState } from "../ui.js";
import { table, running, run } from "../state.js";
import { request } from "../port.js";

/** The people of the last answer, and the plan and the k that they are of. */
const people = signal({});
const column = name => table.value.columns.findIndex(one => one.name === name);

/** What is asked about the release of a k waits until the handle rests. */
const REST = 150;

/** The same people before and after, cell by cell. */
export function Rows({ point, of }) {
  const answer = useAnswer(() => request("people", { k: point.k }).then(found => ({ ...found, of, k: point.k, table: table.value.id })), [of, point.k, point.gcp], REST);
  // The people of this table stay until the next ones are there, and are called what they are.
  const found = answer ?? (people.value.table === table.value.id ? people.value : {});
  const [why, setWhy] = useState(null), asked = useRef(0);
  if (found.error) return html`<p role="alert" lang="en">${found.error}</p>`;
  if (!found.people) return html`<p class="soft">${t("choose.waiting")}</p>`;
  people.value = found;
  const old = found.k !== point.k || found.of !== of;
  const ask = async (one, name) => {
    setWhy({ name, lines: [t("choose.asking")] });
    const turn = ++asked.current;
    const lines = await request("why", { k: point.k, row: one.row, column: column(name) }).then(found => found.lines, error => [error.error?.message || t("failure.other")]);
    if (turn === asked.current) setWhy({ name, lines });
  };
  return html`${old ? html`<p class="decide" role="status">${t("choose.old")}</p>` : html`<p class="soft">${t("choose.same")}</p>`}
    <div class="why" role="status">${why ? html`<strong>${t("choose.why", { name: why.name })}</strong> <span lang="en">${why.lines.join(" ")}</span>` : t("choose.why-help")}</div>
    <div class="scroll" tabindex="0" role="region" aria-label=${t("choose.tab.rows")}><table class="same"><thead><tr>${found.columns.map(name => html`<th key=${name} scope="col" dir="auto">${name}</th>`)}<th scope="col">${t("choose.like")}</th></tr></thead>
      <tbody>${found.people.map(one => html`<tr key=${one.row}>${found.columns.map(name => html`<td key=${name}><${Cell} one=${one} name=${name} ask=${found.known.includes(name) && !old ? ask : null} /></td>`)}
        <td class="soft">${one.after ? t("choose.others", { n: number(one.alike - 1) }) : t("choose.gone")}</td></tr>`)}</tbody></table></div>`;
}

function Cell({ one, name, ask }) {
  const before = one.before[name] ?? "–", after = one.after ? one.after[name] ?? "–" : null;
  if (after === null) return html`<span class="soft gone" dir="auto">${before}</span>`;
  if (before === after || !ask) return html`<span dir="auto">${after}</span>`;
  return html`<span class="soft" dir="auto">${before}</span> <button class="cell" dir="auto" aria-label=${t("choose.cell", { name, before, after })} onClick=${() => ask(one, name)}>${after}</button>`;
}

/** Type what a neighbour knows: how many candidates remain? */
export function Attack({ point, of }) {
  const met = people.value.of === of ? people.value : {}, shown = met.columns ?? Object.keys(point.by_attribute);
  const [known, setKnown] = useState({});
  const asked = Object.fromEntries(Object.entries(known).filter(([, said]) => said.trim()));
  const found = useAnswer(() => Object.keys(asked).length ? request("knows", { k: point.k, known: asked }) : Promise.resolve(null), [of, point.k, point.gcp, JSON.stringify(asked)], REST);
  const take = () => {
    const some = met.people;
    const one = some[Math.floor(Math.random() * some.length)];
    setKnown(Object.fromEntries(met.known.map(name => [column(name), one.before[name] ?? ""])));
  };
  return html`<p class="soft">${t("choose.attack")} ${met.people && html`<button class="small" onClick=${take}>${t("choose.somebody")}</button>`}</p>
    <div class="candidates" role="status">${found?.error ? found.error : found ? html`<strong class="figure">${number(found.before)} → ${number(found.after)}</strong> ${t(found.people ? "choose.candidates-people" : "choose.candidates", { before: number(found.before), after: number(found.after) })}
      ${Object.entries(found.secrets).map(([name, one]) => one.after !== null && html`<span key=${name}> ${t("choose.secret", { name, before: one.before === null ? "–" : share(one.before), after: share(one.after) })}</span>`)}
      ${found.left_out ? ` ${many("choose.among", found.left_out)}` : ""}` : t("choose.attack-help")}</div>
    <div class="fields">${shown.map(name => html`<label key=${name} class="field"><span dir="auto">${name}</span><input type="text" maxlength="200" value=${known[column(name)] ?? ""} onInput=${event => setKnown({ ...known, [column(name)]: event.target.value })} /></label>`)}</div>`;
}

/** What every column lost. */
export function Lost({ point }) {
  const lost = Object.entries(point.by_attribute).sort((one, two) => two[1] - one[1]);
  return html`<p class="soft">${t("choose.lost")}</p><table><thead><tr><th scope="col">${t("columns.head.column")}</th><th scope="col">${t("choose.detail")}</th></tr></thead>
    <tbody>${lost.map(([name, value]) => html`<tr key=${name}><th scope="row" dir="auto">${name}</th><td><span class="loss">${share(value)}<meter aria-label=${name} min="0" max="1" value=${value}></meter></span></td></tr>`)}</tbody></table>`;
}

/** What is left for analyses: measured when asked for. */
export function Use({ point }) {
  const [found, setFound] = useState(null);
  const measure = async () => {
    const value = await run("use", { k: point.k });
    if (value) setFound({ k: point.k, ...value });
  };
  return html`<p class="soft">${t("choose.use")}</p>
    ${found && html`<p class=${found.k === point.k ? "" : "soft"}>${found.k === point.k ? "" : t("choose.use-old", { k: number(found.k) })}</p><ul>${found.measures.map(one => html`<li key=${one.name} lang="en">${one.sentence}</li>`)}</ul>`}
    <p><button disabled=${running.value !== null} onClick=${measure}>${t("choose.measure")}</button></p>`;
}
