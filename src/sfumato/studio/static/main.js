// The shell: the bar with the three screens, what is wrong, what is running, and the screen itself.
import { html, render, t, language, signal, speak, useEffect } from "./ui.js";
import { enter, trouble } from "./port.js";
import { screen, table, policy, running, refresh, step, openGiven, offers } from "./state.js";
import { Trouble, Running, Failure } from "./states.js";
import { Begin } from "./screens/begin.js";

/** The screens in their order, and what they are made of: loaded once the page stands. */
const SCREENS = ["columns", "choose", "handout"];
const loaded = signal({});

function Bar() {
  const [other, said] = language.value === "en" ? ["de", "Deutsch"] : ["en", "English"];
  return html`<header class="bar">
    <strong class="brand">Sfumato</strong>
    <span class="file">${table.value ? `${table.value.name} · ` : ""}${t("shell.stays")}</span>
    <nav aria-label=${t("shell.screens")}>
      ${SCREENS.map((name, at) => html`<button key=${name} class="tab" disabled=${at > 0 && (!policy.value || policy.value.plan.unsure.length > 0)}
        aria-current=${screen.value === name ? "page" : null} onClick=${() => { screen.value = name; }}>${at + 1} ${t(`${name}.name`)}</button>`)}
    </nav>
    <span class="tools">
      <button disabled=${!policy.value?.undo} onClick=${() => step("undo")}>${t("shell.undo")}</button>
      <button disabled=${!policy.value?.redo} onClick=${() => step("redo")}>${t("shell.redo")}</button>
      <button lang=${other} onClick=${() => speak(other)}>${said}</button>
    </span>
  </header>`;
}

function Page() {
  useEffect(() => {
    const press = event => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.matches?.("input[type=text]")) return;
      event.preventDefault();
      const name = event.shiftKey ? "redo" : "undo";
      if (policy.value?.[name]) step(name);
    };
    addEventListener("keydown", press);
    // A file that misses its place must not take the page's.
    for (const name of ["dragover", "drop"]) addEventListener(name, event => event.preventDefault());
  }, []);
  const { Panel, [screen.value]: Screen } = loaded.value;
  if (trouble.value && trouble.value !== "gone") return html`<main><${Trouble} /></main>`;
  return html`<${Bar} /><${Trouble} />
    <main id="main"><${Failure} /><${Running} />${!table.value || (!policy.value && !running.value) ? html`<${Begin} />` : Screen && html`<${Screen} />`}${policy.value && Panel && html`<${Panel} />`}</main>`;
}

export async function start(token, nonce) {
  render(html`<${Page} />`, document.getElementById("page"));
  if (!await enter(token, nonce)) return;
  import("./screens/all.js").then(screens => { loaded.value = screens; });
  await refresh();
  if (!table.value && offers.value.given) await openGiven();
}
