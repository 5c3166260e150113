// Screen 1: what each column is.
import { html, t } from "../ui.js";

export function Columns() {
  return html`<h1>${t("columns.title")}</h1>`;
}
