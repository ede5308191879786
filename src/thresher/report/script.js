"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const C = data.points.C;
const $ = (id) => document.getElementById(id);
const COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#44aa99", "#999933", "#9977cc"];
const BARS = 12;
const EDGE = { left: 52, right: 10, top: 8, bottom: 24 };
const HEIGHT = 230;

// --- numbers

function short(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? String(Number(value.toPrecision(digits - 1)).toExponential()) : String(Number(value.toPrecision(digits)));
}
const percent = (share) => (100 * share).toFixed(share > 0.999 && share < 1 ? 2 : 1) + " %";
const extent = (values) => [Math.min(...values), Math.max(...values)];

function ticks(low, high, wanted = 5) {
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12) + 1e-300; k++) found.push(k * step);
  return found;
}

function decades(low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / 6)), found = [];
  for (let power = first; power <= last; power += step) found.push(Number("1e" + power));
  return found.length ? found : [low];
}

// --- drawing

function element(name, attributes = {}, parent = null, text = null) {
  const svg = ["svg", "path", "line", "text", "g", "rect", "circle"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

function scale(low, high, from, to, log) {
  const f = log ? Math.log : (v) => v;
  const [a, b] = f(low) === f(high) ? [f(low) - 1, f(high) + 1] : [f(low), f(high)];
  const made = (value) => from + ((f(value) - a) / (b - a)) * (to - from);
  made.back = (place) => { const v = a + ((place - from) / (to - from)) * (b - a); return log ? Math.exp(v) : v; };
  return made;
}

/** An empty chart over C; `draw` is called with its scales whenever the width changes. */
function chart(id, { low, high, log = false, label = short, grid = "grid" }, draw) {
  const place = $(id);
  const redraw = () => {
    const width = place.clientWidth;
    place.drawn = width;
    place.replaceChildren();
    const svg = element("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, role: "img", "aria-label": id }, place);
    const x = scale(...extent(C), EDGE.left, width - EDGE.right, true);
    const y = scale(low, high, HEIGHT - EDGE.bottom, EDGE.top, log);
    for (const value of log ? decades(low, high) : ticks(low, high)) {
      element("line", { class: grid, x1: EDGE.left, x2: width - EDGE.right, y1: y(value), y2: y(value) }, svg);
      element("text", { x: EDGE.left - 6, y: y(value) + 4, "text-anchor": "end" }, svg, label(value));
    }
    for (const value of decades(...extent(C)))
      element("text", { x: x(value), y: HEIGHT - 6, "text-anchor": "middle" }, svg, short(value));
    draw(svg, x, y, place);
    const cursor = element("line", { class: "cursor", y1: EDGE.top, y2: HEIGHT - EDGE.bottom }, svg);
    place.move = (k) => { cursor.setAttribute("x1", x(C[k])); cursor.setAttribute("x2", x(C[k])); };
    place.nearest = (event) => {
      const at = x.back(event.clientX - place.getBoundingClientRect().left);
      return C.reduce((best, c, k) => (Math.abs(Math.log(c / at)) < Math.abs(Math.log(C[best] / at)) ? k : best), 0);
    };
    place.move(current);
  };
  place.addEventListener("pointerdown", (event) => show(place.nearest(event)));
  place.addEventListener("pointermove", (event) => { if (event.buttons) show(place.nearest(event)); });
  place.redraw = redraw;
  new ResizeObserver(() => { if (place.clientWidth !== place.drawn) redraw(); }).observe(place);
  charts.push(place);
  redraw();
}

function line(svg, x, y, values, colour, extra = {}) {
  let path = "", pen = "M";
  values.forEach((value, k) => {
    if (value === null) { pen = "M"; return; }
    path += `${pen}${x(C[k]).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = "L";
  });
  if (C.length === 1) path += "h0";  // a dot
  return element("path", { class: C.length > 1 ? "line" : "line dot", d: path, style: `stroke: ${colour}`, ...extra }, svg);
}

function area(svg, x, y, below, above, name, style = "") {
  const along = (values, order) => order.map((k) => `${x(C[k]).toFixed(1)} ${y(values[k]).toFixed(1)}`).join("L");
  const order = C.map((_, k) => k);
  const path = `M${along(above, order)}L${along(below, order.slice().reverse())}Z`;
  element("path", { class: name, d: path, style }, svg);
}

// --- the charts along C

let current = Math.floor((C.length - 1) / 2);
const charts = [];
const strength = data.names.map((_, j) => Math.max(...data.coef.map((row) => Math.abs(row[j]))));
const byStrength = strength.map((_, j) => j).sort((a, b) => strength[b] - strength[a]);
const colourOf = new Map(byStrength.slice(0, COLOURS.length).map((j, k) => [j, COLOURS[k]]));

function drawPaths() {
  const [low, high] = extent(data.coef.flat().concat(0));
  chart("paths", { low, high: high > low ? high : low + 1 }, (svg, x, y) => {
    for (const j of byStrength.slice().reverse()) {
      const made = line(svg, x, y, data.coef.map((row) => row[j]), colourOf.get(j) ?? "var(--none)");
      element("title", {}, made, data.names[j]);
    }
  });
  const legend = $("paths-legend");
  for (const [j, colour] of colourOf) {
    element("span", { class: "key", style: `background: ${colour}` }, legend);
    element("span", {}, legend, data.names[j]);
  }
  const rest = data.columns - colourOf.size;
  if (rest > 0) element("span", {}, legend, `and ${rest} more`);
}

function drawRejection() {
  const { lower, upper } = data.points, both = lower.map((share, k) => share + upper[k]);
  chart("rejection", { low: 0, high: 1, label: (v) => Math.round(100 * v) + " %" }, (svg, x, y) => {
    area(svg, x, y, lower.map(() => 0), lower, "lower");
    area(svg, x, y, lower, both, "upper");
  });
}

function drawLogarithmic(id, values, reference = null) {
  const seen = values.filter((value) => value > 0).concat(reference ?? []);
  if (!seen.length) seen.push(1e-16, 1);
  const low = 10 ** Math.floor(Math.log10(Math.min(...seen)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...seen)) + 1e-9);
  chart(id, { low, high, log: true }, (svg, x, y) => {
    line(svg, x, y, values.map((value) => (value > 0 ? value : null)), "var(--accent)");
    if (reference) line(svg, x, y, C.map(() => reference), "var(--upper)", { "stroke-dasharray": "5 3" });
  });
}

function drawScore() {
  if (!data.scores) return;
  const { mean, deviation, chosen } = data.scores;
  const above = mean.map((m, k) => m + deviation[k]), below = mean.map((m, k) => m - deviation[k]);
  const [low, high] = extent(above.concat(below));
  chart("score", { low, high: high > low ? high : low + 1 }, (svg, x, y) => {
    area(svg, x, y, below, above, "band", "fill: var(--accent); opacity: 0.18");
    line(svg, x, y, mean, "var(--accent)");
    if (chosen) element("line", { x1: x(chosen), x2: x(chosen), y1: y(low), y2: y(high), style: "stroke: var(--upper); stroke-width: 1.6" }, svg);
  });
}

const FATE = { L: "--lower", U: "--upper", K: "--kink", ".": "--none" };

function drawMap() {
  const rows = data.map[0].length, total = data.fates.LOWER.map((_, k) => Object.values(data.fates).reduce((sum, f) => sum + f[k], 0))[0];
  $("map-note").textContent = rows < total ? `(${rows} of ${total.toLocaleString("en-GB")} rows)` : "";
  chart("map", { low: 0, high: rows, label: (v) => String(Math.round(v)), grid: "" }, (svg, x, y, place) => {
    const left = Math.min(...C.map(x)), width = Math.max(...C.map(x)) - left;
    const canvas = element("canvas", { width: C.length, height: rows }, place);
    Object.assign(canvas.style, { left: left + "px", top: EDGE.top + "px", width: Math.max(width, 8) + "px", height: HEIGHT - EDGE.top - EDGE.bottom + "px" });
    place.append(svg);  // the cursor stays above
    const pen = canvas.getContext("2d"), style = getComputedStyle(place);
    const colour = Object.fromEntries(Object.entries(FATE).map(([letter, name]) => [letter, resolved(style, name)]));
    data.map.forEach((column, k) => [...column].forEach((letter, row) => {
      pen.fillStyle = colour[letter];
      pen.fillRect(k, rows - 1 - row, 1, 1);
    }));
    svg.style.position = "relative";
  });
}

/** Colours of light-dark() as plain colours, which a canvas understands. */
function resolved(style, name) {
  const probe = element("span", { style: `color: var(${name}); display: none` }, document.body);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

// --- one value of C

function fillCards(k) {
  const point = Object.fromEntries(Object.entries(data.points).map(([name, values]) => [name, values[k]]));
  const cards = {
    "relative gap": short(point.gap_bound, 3),
    "primal": short(point.primal, 6),
    "proven before": percent(point.lower + point.upper),
    "rows at the kink": data.fates.KINK[k].toLocaleString("en-GB"),
    ...Object.fromEntries(Object.entries(data.metrics).map(([name, values]) =>
      [name, name.endsWith("accuracy") ? percent(values[k]) : short(values[k])])),
    "time": short(point.milliseconds, 3) + " ms",
    ...(data.scores ? { "mean score": short(data.scores.mean[k]) } : {}),
  };
  $("cards").replaceChildren(...Object.entries(cards).map(([name, value]) => {
    const card = element("div");
    element("dt", {}, card, name);
    element("dd", {}, card, value);
    return card;
  }));
}

function fillFates(k) {
  const total = Object.values(data.fates).reduce((sum, counts) => sum + counts[k], 0);
  const names = { LOWER: "lower", KINK: "kink", UPPER: "upper", undecided: "none" };
  const stack = element("div", { class: "stack" }), counts = element("div", { class: "counts" });
  for (const [name, key] of Object.entries(names)) {
    const count = data.fates[name][k];
    element("span", { class: key, style: `flex: ${count / total} 0 ${count ? "2px" : "0"}` }, stack);
    const entry = element("div", {}, counts);
    element("span", { class: `key ${key}`, style: "margin: 0 0.35rem 0 0" }, entry);
    entry.append(`${name} ${count.toLocaleString("en-GB")} (${percent(count / total)})`);
  }
  $("fates").replaceChildren(stack, counts);
}

function fillBars(k) {
  const row = data.coef[k], order = row.map((_, j) => j).sort((a, b) => Math.abs(row[b]) - Math.abs(row[a]));
  const largest = Math.abs(row[order[0]]) || 1;
  $("bars").replaceChildren(...order.slice(0, BARS).map((j) => {
    const bar = element("div", { class: "bar" }), half = (50 * Math.abs(row[j])) / largest;
    element("b", { title: data.names[j] }, bar, data.names[j]);
    const axis = element("u", {}, bar), side = row[j] < 0 ? "right: 50%" : "left: 50%";
    element("span", { class: row[j] < 0 ? "upper" : "lower", style: `${side}; width: ${half}%` }, axis);
    element("i", {}, bar, short(row[j]));
    return bar;
  }));
}

function fillCoefficients(k) {
  const rows = data.names.map((name, j) => [name, data.coef[k][j]]).concat([["(intercept)", data.points.intercept[k]]]);
  table("coefficients", ["column", "coefficient"], rows.map(([name, value]) => [name, short(value, 7)]));
}

function fillPoints() {
  const names = ["C", "primal", "gap", "gap_bound", "lower", "upper", "iterations", "milliseconds"];
  const header = ["C", "primal", "gap", "gap with rounding", "proven LOWER", "proven UPPER", "steps", "ms"];
  const extra = Object.entries(data.metrics).concat(data.scores ? [["mean score", data.scores.mean]] : []);
  const rows = C.map((_, k) => names.map((name) => short(data.points[name][k], 5))
    .concat(extra.map(([, values]) => short(values[k], 5)), data.status[k]));
  table("points", header.concat(extra.map(([name]) => name), "status"), rows);
  [...$("points").tBodies[0].rows].forEach((row, k) => row.addEventListener("click", () => show(k)));
}

function table(id, header, rows) {
  const head = element("thead"), body = element("tbody"), line = element("tr", {}, head);
  for (const name of header) element("th", { scope: "col" }, line, name);
  for (const row of rows) {
    const made = element("tr", {}, body);
    for (const cell of row) element("td", {}, made, cell);
  }
  $(id).replaceChildren(head, body);
}

function show(k) {
  current = k;
  $("slider").value = k;
  $("C").textContent = $("C-again").textContent = short(C[k]);
  $("status").textContent = `${data.status[k]}: ${data.advice[k]}`;
  fillCards(k);
  fillFates(k);
  fillBars(k);
  fillCoefficients(k);
  [...$("points").tBodies[0].rows].forEach((row, at) => row.classList.toggle("current", at === k));
  for (const place of charts) place.move(k);
}

async function copy(event) {
  const rows = [...$(event.target.dataset.table).rows].map((row) => [...row.cells].map((cell) => cell.textContent).join("\t"));
  const text = rows.join("\n"), said = (word) => { event.target.textContent = word; setTimeout(() => { event.target.textContent = "Copy"; }, 1500); };
  try {
    await navigator.clipboard.writeText(text);
    said("Copied");
  } catch {  // pages from a file may not write to the clipboard everywhere
    const area = element("textarea", {}, document.body);
    area.value = text;
    area.select();
    said(document.execCommand("copy") ? "Copied" : "Select and copy by hand");
    area.remove();
  }
}

// --- go

$("slider").max = C.length - 1;
$("slider").addEventListener("input", (event) => show(Number(event.target.value)));
$("back").addEventListener("click", () => show(Math.max(current - 1, 0)));
$("on").addEventListener("click", () => show(Math.min(current + 1, C.length - 1)));
$("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  $("map").redraw();
});
document.querySelectorAll("button.copy").forEach((button) => button.addEventListener("click", copy));

fillPoints();
drawPaths();
drawRejection();
drawLogarithmic("gap", data.points.gap_bound, data.facts.tol);
drawLogarithmic("time", data.points.milliseconds);
drawScore();
drawMap();
show(data.scores && data.scores.chosen ? Math.max(C.findIndex((c) => Math.abs(c / data.scores.chosen - 1) < 1e-6), 0) : current);
