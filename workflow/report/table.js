// Shows a table page by page: tens of thousands of rows at once would take the browser seconds. The cells are the texts of the CSV.
"use strict";
const ROWS_SHOWN = 100;
const at = (id) => document.getElementById(id);

function made(tag, text = "", className = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  element.className = className;
  return element;
}

async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// A test of cells, from what was typed under a heading.
function accepting(typed, isNumber) {
  if (typed === "") return () => true;
  if (!isNumber) {
    const wanted = typed.replace(/^=/, "");
    return (cell) => (typed === wanted ? cell.includes(wanted) : cell === wanted);
  }
  const [, sign, digits] = typed.match(/^(<=|>=|<|>|=|)\s*(\S+)$/) ?? [];
  const limit = Number(digits);
  const holds = {
    "": (x) => x === limit, "=": (x) => x === limit,
    "<": (x) => x < limit, "<=": (x) => x <= limit, ">": (x) => x > limit, ">=": (x) => x >= limit,
  }[sign];
  return (cell) => cell !== "" && holds !== undefined && holds(Number(cell));
}

function start(table) {
  const columns = Object.keys(table);
  const rows = table[columns[0]].map((_, i) => columns.map((name) => table[name][i]));
  const isNumber = columns.map((_, i) => rows.every((row) => !isNaN(row[i])));
  let sortedBy = null, ascending = true, found = rows, first = 0;

  function show() {
    const page = found.slice(first, first + ROWS_SHOWN);
    const lines = page.map((row) => {
      const line = made("tr");
      line.append(...row.map((cell, i) => made("td", cell, isNumber[i] ? "number" : "")));
      return line;
    });
    document.querySelector("#rows tbody").replaceChildren(...lines);
    const range = page.length ? `Rows ${first + 1} to ${first + page.length} of ${found.length}` : "No rows";
    at("shown").textContent = range + (found.length < rows.length ? `, found among ${rows.length}` : "");
    at("previous").disabled = first === 0;
    at("next").disabled = first + ROWS_SHOWN >= found.length;
  }

  function turn(by) {
    first += by;
    show();
  }

  // Cells that are empty come last in either order.
  function compare(a, b) {
    const [x, y] = [a[sortedBy], b[sortedBy]];
    if (x === "" || y === "") return (x === "") - (y === "");
    const order = isNumber[sortedBy] ? x - y : (x > y) - (x < y);
    return ascending ? order : -order;
  }

  function update() {
    const tests = filters.map((input, i) => accepting(input.value.trim(), isNumber[i]));
    found = rows.filter((row) => tests.every((accepts, i) => accepts(row[i])));
    if (sortedBy !== null) found.sort(compare);
    first = 0;
    show();
  }

  const headings = columns.map((name, i) => {
    const heading = made("th", "", isNumber[i] ? "number" : "");
    const button = made("button");
    button.append(...name.split(/(?<=_)/).flatMap((part) => [part, made("wbr")])); // long names take two lines
    button.onclick = () => {
      ascending = sortedBy === i ? !ascending : true;
      sortedBy = i;
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      update();
    };
    heading.append(button);
    return heading;
  });
  const filters = columns.map((name) => Object.assign(made("input"), { oninput: update, ariaLabel: `find in ${name}` }));
  const filterCells = filters.map((input, i) => {
    const cell = made("th", "", isNumber[i] ? "number" : "");
    cell.append(input);
    return cell;
  });
  for (const cells of [headings, filterCells]) {
    const line = made("tr");
    line.append(...cells);
    document.querySelector("#rows thead").append(line);
  }
  at("previous").onclick = () => turn(-ROWS_SHOWN);
  at("next").onclick = () => turn(ROWS_SHOWN);
  show();
}

unpacked(at("data").textContent).then(start);
