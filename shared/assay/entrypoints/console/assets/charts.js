// Draws each chart from the table inside its figure, in the colours of the page. Without it the table stays alone.
const COLOURS = ["--chart-1", "--chart-2", "--chart-3", "--chart-4", "--chart-5", "--chart-6"];

function readTable(table) {
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows];
  const read = (cell) => (cell.textContent.trim() === "" ? null : Number(cell.textContent));
  const columns = names.map((_, at) =>
    rows.map((row) => (at === 0 ? Date.parse(row.querySelector("time").dateTime) / 1000 : read(row.cells[at]))),
  );
  return { names, columns };
}

const format = (seconds) => new Date(seconds * 1000).toISOString(); // in UTC, as the table has it
const label = (seconds) => (format(seconds).endsWith("T00:00:00.000Z") ? format(seconds).slice(5, 10) : format(seconds).slice(11, 16));

function draw(figure) {
  const { names, columns } = readTable(figure.querySelector("table"));
  if (columns[0].length < 2) return;
  const style = getComputedStyle(figure);
  const text = style.getPropertyValue("--pico-color").trim();
  const grid = style.getPropertyValue("--pico-muted-border-color").trim();
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  const place = document.createElement("div");
  place.className = "plot";
  place.setAttribute("aria-hidden", "true"); // the table says the same
  figure.querySelector("figcaption").after(place);
  const series = names.map((label, at) =>
    at === 0
      ? { label: "UTC", value: (_, seconds) => (seconds === null ? "" : format(seconds).slice(0, 16).replace("T", " ")) }
      : { label, stroke: style.getPropertyValue(COLOURS[(at - 1) % COLOURS.length]).trim(), width: 2 },
  );
  const size = () => ({ width: Math.max(place.clientWidth, 200), height: 256 });
  const axes = [{ ...axis, values: (_, splits) => splits.map(label) }, { ...axis, size: 64 }];
  const tzDate = (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC");
  const plot = new uPlot({ ...size(), series, axes, tzDate }, columns, place);
  new ResizeObserver(() => plot.setSize(size())).observe(place);
}

let places = [];
function drawAll() {
  for (const old of places) old.remove();
  for (const figure of document.querySelectorAll("[data-chart]")) draw(figure);
  places = [...document.querySelectorAll("[data-chart] .plot")];
}

drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
