// Everything that a page needs once a table is open.
export { Columns as columns } from "./columns.js";
export { Choose as choose } from "./choose.js";
export { HandOut as handout } from "./handout.js";
export { Panel } from "../panel.js";
