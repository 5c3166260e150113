// Screen 1: the file, what each column is, and how many people could be found by what others may know.
import { html, t, many, fileButton, number, percent, signal, useEffect, useRef } from "../ui.js";
import { table, plan, risk, screen, failure, change, openFile, openPolicy } from "../state.js";
import { Drawer, drawer } from "./drawer.js";

/** The roles in the order of their keys. */
const ROLES = ["identifier", "person", "quasi-identifier", "sensitive", "plain"];
/** The column of which the page asks whether it is harmless though nearly unique. */
const asking = signal(null);

export function Columns() {
  if (!plan.value) return html`<h1>${t("columns.title")}</h1>`;
  const rows = table.value.columns;
  return html`<h1 class="sentence" aria-live="polite">${sentence(rows)}</h1>
    <${Decide} />
    <table class="columns"><caption class="unseen">${t("columns.title")}</caption>
      <thead><tr>${["column", "seems", "role", "risk"].map(name => html`<th key=${name} scope="col">${t(`columns.head.${name}`)}</th>`)}</tr></thead>
      <tbody>${rows.map((one, at) => html`<${Column} key=${at} one=${one} at=${at} />`)}</tbody></table>
    <p>${fileButton(t("columns.policy"), openPolicy, true)} ${fileButton(t("columns.another"), openFile)}</p>
    <${Cautions} /><${Ask} /><${Drawer} />`;
}

function sentence(rows) {
  if (!risk.value) return t("columns.counting");
  const names = risk.value.columns.map(at => rows[at].name);
  if (!names.length) return t("columns.nothing-known");
  const many = names.length > 6 ? [...names.slice(0, 5), t("columns.others", { n: names.length - 5 })] : names;
  return t("columns.found", { n: inHundred(risk.value.share), columns: many.join(" + "), about: risk.value.exact === false ? "≈ " : "" });
}

/** People in a hundred, as one says it: nearly all are not all. */
const inHundred = share => share > 0 && share < 0.005 ? t("columns.less-than-one") : number(Math.min(Math.round(share * 100), share < 1 ? 99 : 100));

/** What nobody has decided yet stands in the way. */
function Decide() {
  const unsure = plan.value.unsure;
  if (!unsure.length) return html`<p><button class="main" disabled=${!risk.value?.columns.length} onClick=${() => { screen.value = "choose"; }}>${t("columns.go-on")}</button></p>`;
  const first = () => document.querySelector(`[data-column="${unsure[0]}"] input`)?.focus();
  return html`<p class="decide" role="status"><strong>${many("columns.decide", unsure.length)}</strong>
    <button onClick=${first}>${t("columns.next-unsure", { name: table.value.columns[unsure[0]].name })}</button></p>`;
}

async function choose(at, role, sure = false) {
  await change({ change: "role", column: at, role, ...(sure ? { sure } : {}) });
  if (failure.value?.kind === "telling") { failure.value = null; asking.value = at; }
}

function Column({ one, at }) {
  const role = plan.value.roles[at], unsure = plan.value.unsure.includes(at);
  const press = event => {
    const chosen = ROLES[Number(event.key) - 1];
    if (!chosen || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(at, chosen);
  };
  return html`<tr data-column=${at} class=${unsure ? "unsure" : ""} onKeyDown=${press}>
    <th scope="row"><span class="name" dir="auto">${one.name}</span><span class="samples" dir="auto">${one.shown.join(", ")}${one.values > one.shown.length ? " …" : ""}</span></th>
    <td class="seems">${t(`columns.kind.${one.kind}`)}${one.detail ? ` (${one.detail})` : ""}<span class="soft"><span lang="en">${one.reason}</span>${unsure ? html`, <strong>${t("columns.unsure")}</strong>` : ""}</span></td>
    <td><${Roles} at=${at} role=${role} name=${one.name} />
      ${role === "quasi-identifier" && html`<button class="small" aria-haspopup="dialog" onClick=${() => { drawer.value = at; }}>${t("columns.steps")}<span class="unseen"> ${one.name}</span></button>`}</td>
    <td class="risk"><${Risk} one=${one} at=${at} /></td></tr>`;
}

function Roles({ at, role, name }) {
  const shown = role === "weight" ? [...ROLES, "weight"] : ROLES;
  return html`<fieldset class="roles"><legend class="unseen">${t("columns.role-of", { name })}</legend>
    ${shown.map((one, key) => html`<label key=${one} class=${one === role ? "chosen" : ""} title=${t(`columns.meaning.${one}`)}>
      <input type="radio" name=${`role-${at}`} checked=${one === role} onClick=${() => choose(at, one)} /><kbd aria-hidden="true">${key < 5 ? key + 1 : ""}</kbd>${t(`columns.role.${one}`)}</label>`)}</fieldset>`;
}

function Risk({ one, at }) {
  const { without, alone = one.unique_share } = risk.value?.by[at] ?? {};
  return html`<span>${t("columns.alone", { share: percent(alone) })}</span>
    ${without !== undefined && html`<span class="soft">${t("columns.without", { before: percent(risk.value.share), after: percent(without) })}</span>`}
    ${without !== undefined && html`<span class="bar" aria-hidden="true"><span class="lost" style=${{ width: `${risk.value.share * 100}%` }}></span><span class="kept" style=${{ width: `${without * 100}%` }}></span></span>`}`;
}

function Cautions() {
  const found = risk.value?.cautions ?? [];
  return found.length ? html`<section class="cautions"><h2>${t("columns.cautions")}</h2><ul>${found.map((one, at) => html`<li key=${at} lang="en">${one.message ?? one.found} <span class="soft">${one.advice}</span></li>`)}</ul></section>` : null;
}

/** Ask before a column that is nearly unique is called harmless. */
function Ask() {
  const dialog = useRef(null), at = asking.value;
  useEffect(() => { if (at !== null) dialog.current?.showModal(); }, [at]);
  if (at === null) return null;
  const one = table.value.columns[at];
  const close = sure => { dialog.current?.close(); asking.value = null; if (sure) choose(at, "plain", true); };
  return html`<dialog ref=${dialog} aria-labelledby="ask" onClose=${() => { asking.value = null; }}>
    <h2 id="ask">${t("columns.ask.title", { name: one.name })}</h2>
    <p>${t("columns.ask.text", { share: percent(one.unique_share), name: one.name })}</p>
    <p><button class="main" autofocus onClick=${() => close(false)}>${t("columns.ask.no")}</button> <button onClick=${() => close(true)}>${t("columns.ask.yes")}</button></p></dialog>`;
}
