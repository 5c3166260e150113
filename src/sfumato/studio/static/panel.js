// The same work as a policy, a command line and Python.
import { html, t, useEffect, useState } from "./ui.js";
import { request } from "./port.js";
import { policy } from "./state.js";

export function Panel() {
  const [open, setOpen] = useState(false);
  const [written, setWritten] = useState(null);
  const etag = policy.value.etag;
  useEffect(() => { if (open) request("written").then(setWritten, () => setWritten(null)); }, [open, etag]);
  return html`<details class="panel" onToggle=${event => setOpen(event.target.open)}><summary>${t("panel.title")}</summary>
    ${written && ["policy", "command", "python"].map(name => html`<h3>${t(`panel.${name}`)}</h3><pre tabindex="0">${written[name]}</pre>`)}</details>`;
}
