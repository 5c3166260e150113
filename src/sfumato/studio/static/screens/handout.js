// Screen 3: what is handed out.
import { html, t } from "../ui.js";

export function HandOut() {
  return html`<h1>${t("handout.title")}</h1>`;
}
