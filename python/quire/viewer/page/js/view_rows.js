// The view of the rows of a table.

import { compute } from "./api.js";
import { files, request, sources, table } from "./files.js";
import { marked } from "./marks.js";
import { change, state } from "./state.js";
import { grouped } from "./units.js";

const PAGE = 100;
let frame = null;

/** Show some rows of the step. */
export async function refresh(shell) {
  const body = { ...request(), first: state.row, count: PAGE };
  return compute("plot", "rows", body, (one) => {
    if (one.kind === "progress") shell.progress(one.share);
    if (one.kind !== "rows") return;
    frame = one;
    draw(shell);
    shell.note(`${files[one.file].label}, step ${one.step}: ${grouped(one.tableRows)} rows in the table`);
  });
}

function cell(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

/** Draw the last rows again. */
export function draw(shell) {
  if (!frame) return;
  const holder = document.createElement("div");
  holder.id = "rows";
  holder.tabIndex = 0;
  const grid = document.createElement("table");
  const head = grid.createTHead().insertRow();
  head.append(cell("th", "row"));
  for (const column of frame.columns) {
    const made = cell("th", column.name);
    made.append(cell("small", marked(column.unit === "1" ? "" : column.unit)));
    made.title = column.description;
    head.append(made);
  }
  const body = grid.createTBody();
  frame.rows.forEach((row, place) => {
    const line = body.insertRow();
    for (const text of [frame.numbers[place], ...row]) line.append(cell("td", text));
  });
  holder.append(grid, pages());
  shell.show(holder);
}

function pages() {
  const made = document.createElement("div");
  made.className = "pages";
  const button = (text, row, isUseful) => {
    const one = cell("button", text);
    one.disabled = !isUseful;
    one.addEventListener("click", () => change({ row }));
    made.append(one);
  };
  const last = frame.first + frame.rows.length;
  button("Previous 100", Math.max(0, frame.first - PAGE), frame.first > 0);
  button("Next 100", frame.first + PAGE, frame.hasMore);
  made.append(frame.rows.length ? `${state.where ? "matches" : "rows"} ${grouped(frame.first)} to ${grouped(last - 1)}` : "no rows");
  return made;
}

/** Return the numbers of the files of the picture. */
export function filesOf() {
  return [frame.file];
}

/** Return no picture: rows are text. */
export function picture() {
  return null;
}

/** Return the rows that are shown as columns. Integers that are no number of the page stay texts. */
export function numbers() {
  const known = new Map(table().columns.map((one) => [one.name, one]));
  const columns = frame.columns.map((one, place) => {
    const texts = frame.rows.map((row) => row[place]);
    const isWhole = /int/.test(known.get(one.name)?.type ?? "");
    const isNumber = known.get(one.name)?.isNumber && !(isWhole && texts.some((text) => !Number.isSafeInteger(Number(text))));
    return { ...one, isWhole: isWhole && isNumber, values: isNumber ? texts.map(Number) : texts };
  });
  return [{ name: "row", isWhole: true, values: frame.numbers.map(Number) }, ...columns];
}

/** Return why nothing can be shown. */
export function reason() {
  if (!sources().length) return "Tick a file to show it.";
  return table().columns.length ? "" : "This step has no table. On the right are its attributes.";
}

/** Return no bins. */
export function bins() {
  return [];
}
