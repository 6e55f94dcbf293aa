// Unpacks DataTables and the table's cells, which are the texts of the CSV, and shows them.
async function unpacked(id) {
  const base64 = document.getElementById(id).textContent;
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const style = document.createElement("style");
style.textContent = await unpacked("style");
document.head.prepend(style); // the page's own style comes after it, and so counts
const library = new Blob([await unpacked("library")], { type: "text/javascript" });
const { default: DataTable } = await import(URL.createObjectURL(library));

// Empty cells, which DataTables takes for these values, come last in either order.
for (const [type, empty] of [["num", -Infinity], ["string", ""]]) {
  const comparing = (sign) => (x, y) =>
    (x === empty) - (y === empty) || sign * ((x > y) - (x < y));
  const { pre } = DataTable.type(type).order;
  DataTable.type(type, "order", { pre, asc: comparing(1), desc: comparing(-1) });
}

const escaped = DataTable.util.escapeHtml;
const BELOW_HEADINGS = 1; // the second line of the table's head
const text = { type: "string", render: { display: escaped } };
const number = {
  type: "num",
  // searched by, an empty cell is no number at all, and so neither above nor below a limit
  render: { display: escaped, filter: (cell) => (cell === "" ? "empty" : cell) },
  columnControl: {
    target: BELOW_HEADINGS,
    content: [{ extend: "searchNumber", excludeLogic: ["empty", "notEmpty"] }],
  },
};

const columns = JSON.parse(await unpacked("data"));
new DataTable("#rows", {
  data: columns[0].cells.map((_, i) => columns.map((column) => column.cells[i])),
  columns: columns.map(({ isNumber }) => (isNumber ? number : text)),
  columnControl: { target: BELOW_HEADINGS, content: ["searchText"] },
  order: [],
  pageLength: 100,
  autoWidth: false,
  layout: { topStart: "info", topEnd: "paging", bottomStart: null, bottomEnd: "paging" },
  language: { entries: { _: "rows", 1: "row" } },
});
document.getElementById("unpacking").remove();
