// The findings: filters, and a list that holds only the rows that can be seen.
const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const ROW = 80;
const filters = { text: "", file: "", function: "", rules: new Set(), levels: new Set() };
let shown = []; // indices into data.findings, in the order of the list
let entries = []; // what the list holds: an index, or the heading of a group
let chosen = null; // index into data.findings

const fileOf = (at) => data.files[at[0]];
const placeText = (at) => (at.length > 5 ? `${fileOf(at)}:${at[4]}+${at[5]}` : `${fileOf(at)}:${at[1]}`);

data.findings.forEach((finding) => {
  const functions = new Set([finding.at[4], finding.lost[4], ...finding.steps.map((s) => s.at[4])]);
  finding.functions = [...functions].filter(Boolean).map((name) => name.toLowerCase());
  finding.paths = [...new Set([fileOf(finding.at), fileOf(finding.lost)])].map((p) => p.toLowerCase());
  finding.words = [finding.message, finding.rule, finding.variable, finding.allocator,
    placeText(finding.at), finding.at[4], ...finding.steps.map((s) => s.says)].join("\n").toLowerCase();
});

function matches(finding) {
  if (filters.rules.size && !filters.rules.has(finding.rule)) return false;
  const level = finding.suppressed ? "suppressed" : finding.level;
  if (filters.levels.size ? !filters.levels.has(level) : finding.suppressed) return false;
  if (filters.file && !finding.paths.some((path) => path.includes(filters.file))) return false;
  if (filters.function && !finding.functions.some((f) => f.includes(filters.function))) return false;
  return !filters.text || filters.text.split(/\s+/).every((word) => finding.words.includes(word));
}

function applyFilters() {
  shown = data.findings.map((_, index) => index).filter((index) => matches(data.findings[index]));
  sortShown();
  element("shown").textContent = `${shown.length} of ${data.findings.length} findings`;
  element("rows").style.height = `${entries.length * ROW}px`;
  element("list").scrollTop = Math.max(0, entries.indexOf(chosen) * ROW - element("list").clientHeight / 2);
  drawRows();
}

const KEYS_OF_ORDER = {
  file: (finding) => fileOf(finding.at), rule: (finding) => finding.rule, function: (finding) => finding.at[4],
};

// Sort what is shown; ties stay as reported. Groups get a heading of their own.
function sortShown() {
  const key = KEYS_OF_ORDER[element("sort").value];
  const of = (index) => key(data.findings[index]);
  if (key) shown.sort((a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : a - b));
  const title = key || ((finding) => `${finding.in_tests ? "in tests, " : ""}${finding.confidence} confidence, ${finding.level}s`);
  entries = [];
  shown.forEach((index, position) => {
    const name = title(data.findings[index]);
    const before = position ? title(data.findings[shown[position - 1]]) : null;
    if (element("grouped").checked && name !== before) entries.push({ title: name });
    entries.push(index);
  });
}

function drawRows() {
  const list = element("list");
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
  const last = Math.min(entries.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 5);
  const rows = [];
  for (let position = first; position < last; position += 1) rows.push(makeRow(position));
  element("rows").replaceChildren(...rows);
}

function makeRow(position) {
  const index = entries[position];
  if (typeof index === "object") {
    const heading = make("div", "row group", index.title || "(none)");
    heading.style.top = `${position * ROW}px`;
    return heading;
  }
  const finding = data.findings[index];
  const row = make("div", "row" + (finding.suppressed ? " suppressed" : ""));
  row.style.top = `${position * ROW}px`;
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", String(index === chosen));
  row.setAttribute("aria-setsize", shown.length);
  row.setAttribute("aria-posinset", shown.indexOf(index) + 1);
  row.dataset.index = index;
  const what = make("div", "what");
  what.append(make("span", `dot ${finding.level}`), ...sentence(finding.message));
  what.title = finding.message;
  const where = make("div", "where", `${placeText(finding.at)}${finding.at[4] ? ` in ${finding.at[4]}` : ""}`
    + (finding.in_tests ? " · in tests" : "") + (finding.blocks > 1 ? ` · ${finding.blocks} blocks` : ""));
  where.title = where.textContent;
  row.append(what, where);
  return row;
}

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// Text with `code` in backticks as nodes.
function sentence(text) {
  return text.split("`").map((part, index) => (index % 2 ? make("code", "", part) : part));
}

function countBy(key) {
  const counts = new Map();
  data.findings.forEach((finding) => counts.set(key(finding), (counts.get(key(finding)) || 0) + 1));
  return counts;
}

function makeChips(holder, set, counts, order) {
  order.filter((name) => counts.get(name)).forEach((name) => {
    const chip = make("button", "", `${name} ${counts.get(name)}`);
    chip.type = "button";
    chip.dataset.value = name;
    chip.setAttribute("aria-pressed", "false");
    chip.addEventListener("click", () => {
      if (!set.delete(name)) set.add(name);
      chip.setAttribute("aria-pressed", String(set.has(name)));
      applyFilters();
    });
    holder.append(chip);
  });
}

function makeFilters() {
  makeChips(element("rules"), filters.rules, countBy((f) => f.rule), Object.keys(data.rules));
  makeChips(element("levels"), filters.levels,
    countBy((f) => (f.suppressed ? "suppressed" : f.level)), ["error", "warning", "note", "suppressed"]);
  const names = (values) => [...new Set(values)].filter(Boolean).sort().map((value) => {
    const option = make("option");
    option.value = value;
    return option;
  });
  element("file-names").append(...names(data.findings.map((f) => fileOf(f.at))));
  element("function-names").append(...names(data.findings.map((f) => f.at[4])));
  ["text", "file", "function"].forEach((name) => {
    element(name).addEventListener("input", () => {
      filters[name] = element(name).value.trim().toLowerCase();
      applyFilters();
    });
  });
  ["sort", "grouped"].forEach((id) => element(id).addEventListener("change", applyFilters));
  element("filters").addEventListener("submit", (event) => event.preventDefault());
  element("list").addEventListener("scroll", drawRows, { passive: true });
  new ResizeObserver(drawRows).observe(element("list"));
}

function clearFilters() {
  ["text", "file", "function"].forEach((name) => { filters[name] = ""; element(name).value = ""; });
  filters.rules.clear();
  filters.levels.clear();
  document.querySelectorAll(".chips button").forEach((c) => c.setAttribute("aria-pressed", "false"));
  applyFilters();
}
