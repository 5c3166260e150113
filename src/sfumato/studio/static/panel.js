// The same work as a policy, a command line and Python.
import { html, t, useAnswer, useState } from "./ui.js";
import { request } from "./port.js";
import { policy } from "./state.js";

export function Panel() {
  const [open, setOpen] = useState(false);
  const written = useAnswer(() => open ? request("written") : Promise.resolve(null), [open, policy.value.etag]);
  return html`<details class="panel" onToggle=${event => setOpen(event.target.open)}><summary>${t("panel.title")}</summary>
    ${written?.error ?? ""}${written?.policy && ["policy", "command", "python"].map(name => html`<h3>${t(`panel.${name}`)}</h3><pre tabindex="0">${written[name]}</pre>`)}</details>`;
}
