// The drawer of a column: its steps with their counts, edited live, read from and written to files.
import { html, t, fileButton, number, signal, useEffect, useRef, useState } from "../ui.js";
import { request } from "../port.js";
import { table, policy, change, failure } from "../state.js";

/** The number of the column whose steps are shown, or null. */
export const drawer = signal(null);

export function Drawer() {
  const at = drawer.value, dialog = useRef(null);
  const [found, setFound] = useState(null);
  const [wrong, setWrong] = useState("");
  const etag = policy.value?.etag;
  const asked = useRef(0), wrongly = error => setWrong(error.error?.message || t("failure.other"));
  const ask = hierarchy => {
    const turn = ++asked.current, hear = then => answer => { if (turn === asked.current) then(answer); };
    request("steps", { columns: [at], ...(hierarchy ? { hierarchy } : {}) }).then(hear(answer => { setFound(answer); setWrong(""); }), hear(wrongly));
  };
  useEffect(() => { if (at !== null) { dialog.current?.showModal(); ask(); } else setFound(null); }, [at, etag]);
  if (at === null) return null;
  const name = table.value.columns[at].name;
  const use = hierarchy => change({ change: "hierarchy", column: at, hierarchy });
  const tools = { at, ask, use, wrongly };
  return html`<dialog ref=${dialog} class="drawer" aria-labelledby="drawer-title" onClose=${() => { drawer.value = null; }}>
    <div class="head"><h2 id="drawer-title" dir="auto">${t("drawer.title", { name })}</h2><button onClick=${() => dialog.current.close()}>${t("failure.close")}</button></div>
    ${wrong && html`<p class="notice bad" role="alert">${wrong}</p>`}
    ${found && html`<p class="soft">${t("drawer.chain")}</p><ol class="chain">${found.chain.map((one, step) => html`<li key=${step} dir="auto">${one}</li>`)}</ol>
      <ul class="levels" aria-live="polite">${found.levels.map((one, step) => html`<li key=${step}><strong dir="auto">${found.chain[step]}</strong>: ${t(one.groups === 1 ? "drawer.one-group" : one.smallest === 1 ? "drawer.groups-alone" : "drawer.groups", { groups: number(one.groups), smallest: number(one.smallest) })}</li>`)}</ul>
      ${found.edit.widths && html`<${Widths} widths=${found.edit.widths} type=${found.type} ...${tools} />`}
      ${found.edit.groups && html`<${Groups} groups=${found.edit.groups} ...${tools} />`}
      ${!found.edit.widths && !found.edit.groups && html`<p class="soft">${t("drawer.other")}</p>`}`}
    <p class="row"><button onClick=${() => use(null)}>${t("drawer.reset")}</button>
      <button onClick=${() => save(at, wrongly)}>${t("drawer.save")}</button>
      ${fileButton(t("drawer.read"), file => read(at, file, use, wrongly))}</p></dialog>`;
}

/** Write the steps to a file; they hold values of the table, so the file is made in this tab. */
async function save(at, wrongly) {
  const found = await request("steps_file", { columns: [at] }).catch(wrongly);
  if (!found) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([found.text], { type: "text/csv" }));
  link.download = `steps-${at + 1}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function read(at, file, use, wrongly) {
  await request("steps_read", { columns: [at], text: await file.text() }).then(use, wrongly);
}

/** The widths of the steps of numbers; every change is shown at once. */
function Widths({ widths, type, ask, use }) {
  const [text, setText] = useState(widths.join(", "));
  const record = () => ({ type, ...(text.trim() ? { widths: text.split(/[,;\s]+/).filter(Boolean).map(Number) } : {}) });
  useEffect(() => { setText(widths.join(", ")); }, [widths.join()]);
  useEffect(() => {
    if (text === widths.join(", ")) return undefined;
    const timer = setTimeout(() => ask(record()), 200);
    return () => clearTimeout(timer);
  }, [text]);
  return html`<label class="field">${t("drawer.widths")}<input type="text" inputmode="decimal" value=${text} onInput=${event => setText(event.target.value)} /></label>
    ${!widths.length && html`<p class="soft">${t("drawer.free")}</p>`}
    <p><button class="main" onClick=${() => use(record())}>${t("drawer.use")}</button></p>`;
}

/** Categories in groups: drag a value onto a group, or tick values and press the group's name. */
function Groups({ groups, at, use, wrongly }) {
  const [ticked, setTicked] = useState([]);
  const [name, setName] = useState("");
  const move = (values, group) => values.length && group && request("regroup", { columns: [at], values, group })
    .then(use).then(() => setTicked([]), wrongly);
  const tick = id => setTicked(ticked.includes(id) ? ticked.filter(one => one !== id) : [...ticked, id]);
  const drop = group => event => { event.preventDefault(); move([Number(event.dataTransfer.getData("text/plain"))], group); };
  const shown = groups.reduce((count, one) => count + one.values.length, 0);
  return html`<h3>${t("drawer.group")}</h3><p class="soft">${t("drawer.group-help")}</p>
    <form class="row" onSubmit=${event => { event.preventDefault(); move(ticked, name); setName(""); }}>
      <label class="field">${t("drawer.new")}<input type="text" maxlength="100" value=${name} onInput=${event => setName(event.target.value)} /></label>
      <button disabled=${!ticked.length || !name.trim()}>${t("drawer.move", { group: name || "…" })}</button></form>
    <ul class="groups">${groups.map(({ group, values }) => html`<li key=${group} onDragOver=${event => event.preventDefault()} onDrop=${drop(group)}>
      ${values.length === 1 && values[0].value === group ? html`<span class="soft">${t("drawer.alone")}</span>`
        : html`<button class="small" dir="auto" disabled=${!ticked.length} onClick=${() => move(ticked, group)}>${group}<span class="unseen"> ${t("drawer.move", { group })}</span></button>`}
      ${values.map(one => html`<label key=${one.id} class="value" draggable="true" onDragStart=${event => event.dataTransfer.setData("text/plain", String(one.id))}>
        <input type="checkbox" checked=${ticked.includes(one.id)} onChange=${() => tick(one.id)} /> <span dir="auto">${one.value}</span> <span class="soft">${number(one.rows)}</span></label>`)}</li>`)}</ul>
    ${shown >= 400 && html`<p class="soft">${t("drawer.more", { n: number(shown) })}</p>`}`;
}
