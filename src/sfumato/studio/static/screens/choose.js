// Screen 2: how safe, at what price.
import { html, t } from "../ui.js";

export function Choose() {
  return html`<h1>${t("choose.title")}</h1>`;
}
