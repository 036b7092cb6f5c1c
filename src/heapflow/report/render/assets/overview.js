// The overview: first what was not analysed, then where the findings are.
function drawOverview() {
  const page = element("overview");
  page.replaceChildren();
  data.gaps.forEach(([title, lines]) => {
    const box = make("section", "gaps");
    box.append(make("h2", "", `${title}: ${lines.length}`));
    const list = make("ul");
    lines.slice(0, 200).forEach((line) => list.append(make("li", "where", line)));
    if (lines.length > 200) list.append(make("li", "", `and ${lines.length - 200} more`));
    box.append(list);
    page.append(box);
  });
  const active = data.findings.filter((finding) => !finding.suppressed);
  const said = data.gaps.length ? "in what was analysed" : "everything was analysed";
  page.append(make("h2", "", `${active.length} finding${active.length === 1 ? "" : "s"}, ${said}`));
  const tables = make("div", "tables");
  tables.append(tableOf("file", active, (f) => fileOf(f.at), (value) => { element("file").value = value; filters.file = value.toLowerCase(); }));
  tables.append(tableOf("rule", active, (f) => f.rule, (value) => filters.rules.add(value)));
  tables.append(tableOf("confidence", active, (f) => f.confidence, null));
  page.append(tables);
  const about = make("pre", "about", [...data.summary, "", `heapflow ${data.version}`, data.made, data.command].join("\n"));
  page.append(about);
}

function tableOf(title, findings, key, onChoice) {
  const counts = new Map();
  findings.forEach((finding) => counts.set(key(finding), (counts.get(key(finding)) || 0) + 1));
  const table = make("table");
  const head = make("tr");
  head.append(make("th", "", `by ${title}`), make("th", "", ""));
  table.append(head);
  [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).forEach(([value, number]) => {
    const row = make("tr");
    const name = make("td", "where");
    const link = make(onChoice ? "a" : "span", "", value);
    if (onChoice) link.addEventListener("click", () => { clearFilters(); onChoice(value); pressChips(); applyFilters(); if (shown.length) choose(shown[0]); });
    name.append(link);
    row.append(name, make("td", "number", String(number)));
    table.append(row);
  });
  return table;
}

function pressChips() {
  document.querySelectorAll("#rules button").forEach((chip) => chip.setAttribute("aria-pressed", String(filters.rules.has(chip.dataset.value))));
}

function showOverview() {
  chosen = null;
  element("finding").hidden = true;
  element("nothing").hidden = true;
  element("overview").hidden = false;
  history.replaceState(null, "", "#");
  drawRows();
}
