// Screen 3: page one of the report, who gets the release and what for, and the files.
import { html, t, fileButton, percent, signal, useEffect, useState } from "../ui.js";
import { download, post, trouble } from "../port.js";
import { plan, made, running, failure, change, run, refresh, openFile, screen } from "../state.js";

/** The files, and whether they are for everybody or for the owner of the table only. */
const FILES = { release: "publish", report: "publish", certificate: "publish", policy: "private" };
const closing = signal(false);

/** Page one comes first; the report and the certificate follow. */
const make = () => run("make", {}, refresh).then(refresh);

export function HandOut() {
  const found = made.value, idle = !running.value, unsure = plan.value.unsure.length > 0;
  useEffect(() => { if (!found && running.value?.name !== "make" && !unsure) make(); }, []);
  return html`<h1 class="unseen">${t("handout.title")}</h1>
    ${unsure && html`<p class="notice bad">${t("handout.undecided")} <button onClick=${() => { screen.value = "columns"; }}>${t("handout.to-columns")}</button></p>`}
    ${found && (found.stale || idle && !found.complete) && html`<p class="notice stale" role="status">${t(`handout.${found.stale ? "stale" : "incomplete"}`)} ${idle && html`<button class="main" onClick=${make}>${t("handout.again")}</button>`}</p>`}
    ${!found && idle && !unsure && html`<p><button class="main" onClick=${make}>${t("handout.make")}</button></p>`}
    <div class="sheet-and-side">
      ${found ? html`<${Sheet} found=${found} />` : html`<p class="soft">${t("handout.nothing")}</p>`}
      <aside aria-label=${t("handout.name")}><${About} />${found && html`<${Files} found=${found} />`}<${NextMonth} /><${Erase} /></aside>
    </div>`;
}

/** Page one of the report. */
function Sheet({ found }) {
  const page = found.page;
  return html`<article class="sheet ${found.state} ${found.stale ? "old" : ""}" aria-label=${t("handout.sheet")}>
    <p class="state"><span class="sign" aria-hidden="true">${{ green: "✓", amber: "!", red: "✕" }[found.state]}</span> <span lang="en">${page.headline}</span></p>
    <dl class="figures" lang="en">${page.figures.map(one => html`<div key=${one.name} class=${one.alarming ? "alarming" : ""}><dt>${one.name}</dt><dd class="value">${one.value}</dd><dd class="soft">${one.meaning}</dd></div>`)}</dl>
    <h2>${t("handout.safe")}</h2><p lang="en">${page.safe}</p>
    <h2>${t("handout.useful")}</h2><p lang="en">${page.useful}</p>
    ${page.lost.map(([name, share]) => html`<p key=${name} class="loss"><span dir="auto">${name}</span> <span class="bar" aria-hidden="true"><span class="lost" style=${{ width: `${share * 100}%` }}></span></span> ${percent(share)}</p>`)}
    <h2>${t("handout.remains")}</h2>
    <ul class="concerns">${page.concerns.map((one, at) => html`<${Concern} key=${at} one=${one} decided=${!found.undecided.includes(one.key)} />`)}</ul>
    ${page.rests_on.length > 0 && html`<h2>${t("handout.rests-on")}</h2>${page.rests_on.map(([word, said]) => html`<p key=${word} lang="en"><em>${word}</em> ${said}</p>`)}`}
    ${page.example.rows.length > 0 && html`<h2>${t("handout.example")}</h2><div class="scroll" tabindex="0" role="region" aria-label=${t("handout.example")}><table><thead><tr>${page.example.columns.map(name => html`<th key=${name} scope="col" dir="auto">${name}</th>`)}</tr></thead>
      <tbody>${page.example.rows.map((row, at) => html`<tr key=${at}>${row.map((cell, place) => html`<td key=${place} dir="auto">${cell ?? "–"}</td>`)}</tr>`)}</tbody></table></div>`}
    <p class="soft" lang="en">${page.checked}</p></article>`;
}

/** Something to consider; an open one has to be decided before anything can be downloaded. */
function Concern({ one, decided }) {
  return html`<li class=${one.open ? "open" : ""}><span lang="en"><strong>${one.title}.</strong> ${one.found} <span class="soft">${one.helps}</span></span>
    ${one.open && html`<label class="decision"><input type="checkbox" checked=${decided}
      onChange=${event => change({ change: "decide", concern: one.key, decided: event.target.checked })} /> ${t("handout.decided")}</label>`}</li>`;
}

function About() {
  return html`<section><h2>${t("handout.about")}</h2>${["title", "recipient", "purpose"].map(name => html`<${Field} key=${name} name=${name} said=${plan.value[name]} />`)}</section>`;
}

/** A text of the plan; what is being typed stays while other things change. */
function Field({ name, said }) {
  const [text, setText] = useState(said);
  useEffect(() => { setText(said); }, [said]);
  const write = () => { if (text !== said) change({ change: "describe", [name]: text }); };
  return html`<label class="field">${t(`handout.field.${name}`)}<input type="text" maxlength="500" value=${text} onInput=${event => setText(event.target.value)} onChange=${write} /></label>`;
}

function Files({ found }) {
  const fetch = name => download(name).catch(error => { failure.value = { kind: error.kind, message: "" }; refresh(); });
  return html`<section><h2>${t("handout.files")}</h2>
    ${!found.downloadable && html`<p role="status">${t(found.stale ? "handout.why-stale" : found.undecided.length ? "handout.why-undecided" : "handout.why-red", { n: found.undecided.length })}</p>`}
    <ul class="files">${Object.entries(FILES).map(([name, mark]) => html`<li key=${name}>
      <button disabled=${!found.downloadable || !found.files.includes(name)} onClick=${() => fetch(name)}>${t(`handout.file.${name}`)}</button>
      <span class="mark ${mark}">${t(`handout.${mark}`)}</span><span class="soft">${name === "report" && found.lacking ? found.lacking : found.complete || found.files.includes(name) ? t(`handout.what.${name}`) : t("handout.writing")}</span></li>`)}</ul></section>`;
}

/** The same plan for another table of the same shape. */
function NextMonth() {
  return html`<section><h2>${t("handout.next.title")}</h2><p class="soft">${t("handout.next.text")}</p>
    ${fileButton(t("columns.choose"), file => { screen.value = "columns"; openFile(file, true); })}</section>`;
}

function Erase() {
  return html`<section>${closing.value ? html`<p role="alert">${t("handout.erase.sure")}</p>
      <p><button class="danger" onClick=${() => post("/api/close").then(() => { trouble.value = "closed"; }, () => {})}>${t("handout.erase.yes")}</button> <button onClick=${() => { closing.value = false; }}>${t("handout.erase.no")}</button></p>`
    : html`<p><button onClick=${() => { closing.value = true; }}>${t("handout.erase.button")}</button></p>`}</section>`;
}
