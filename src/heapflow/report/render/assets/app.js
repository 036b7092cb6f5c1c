// The page: which finding and step are shown, by click, key and address.
let step = 0;
let drawnFile = null;

const current = () => data.findings[chosen];

function choose(index, keepAddress) {
  chosen = index;
  step = 0;
  drawnFile = null;
  const finding = current();
  element("nothing").hidden = true;
  element("overview").hidden = true;
  element("finding").hidden = false;
  element("message").replaceChildren(...sentence(finding.message));
  drawFacts(finding);
  drawSteps(finding);
  drawNotes(finding);
  drawGraph(finding.slice, showPlace);
  element("about-title").textContent = `About ${finding.rule}`;
  element("about-page").textContent = data.rules[finding.rule].page;
  if (!keepAddress) history.replaceState(null, "", `#${finding.id}`);
  showStep(Math.max(0, finding.steps.findIndex((one) => one.kind === "allocated")));
  drawRows();
}

function drawFacts(finding) {
  const facts = element("facts");
  const level = make("span", finding.level, finding.level);
  const rule = make("span", "tag", finding.rule);
  rule.title = data.rules[finding.rule].brief;
  facts.replaceChildren(level, rule, make("span", "where", placeText(finding.at)));
  if (finding.at[4]) facts.append(make("span", "", `in ${finding.at[4]}`));
  const confidence = make("span", "", `${finding.confidence} confidence`);
  confidence.title = [finding.outcome, ...finding.bounds].join(", ");
  facts.append(confidence);
  if (finding.state) facts.append(make("span", "tag", finding.state));
  if (finding.blocks > 1) facts.append(make("span", "tag", `${finding.blocks} blocks`));
  if (finding.in_tests) facts.append(make("span", "tag", "in tests"));
  if (finding.suppressed) facts.append(make("span", "tag", `suppressed by ${finding.suppressed}`));
}

function drawSteps(finding) {
  element("steps").replaceChildren(...finding.steps.map((one, index) => {
    const item = make("li");
    item.dataset.step = index;
    const body = make("div");
    body.append(...sentence(one.says), make("small", "where", `${placeText(one.at)}${one.at[4] ? ` in ${one.at[4]}` : ""}`));
    item.append(make("span", `badge ${one.kind}`, String(index + 1)), body);
    return item;
  }));
}

function drawNotes(finding) {
  const notes = element("notes");
  notes.replaceChildren();
  const says = (text) => {
    const line = make("small", "", "");
    line.append(...sentence(text));
    notes.append(line);
  };
  if (finding.example) says(finding.example);
  const list = (title, places) => {
    if (!places.length) return;
    notes.append(make("small", "", title));
    places.forEach((at) => {
      const link = make("a", "where", placeText(at));
      link.addEventListener("click", () => showPlace(at));
      notes.append(link);
    });
  };
  list("Other paths lose it at", finding.elsewhere);
  list("Other paths free it at", finding.frees);
  list("Lost in the same way, allocated at", finding.also);
  list("Lost with it, allocated at", finding.with);
  finding.believes.forEach(says);
  notes.hidden = !notes.children.length;
}

function showFile(file) {
  if (drawnFile === file) return;
  drawSource(current(), file);
  drawnFile = file;
}

function showPlace(at) {
  showFile(at[0]);
  scrollToLine(at[1]);
}

function showStep(index) {
  const finding = current();
  if (!finding.steps.length) { showPlace(finding.at); return; }
  step = Math.min(Math.max(index, 0), finding.steps.length - 1);
  const { at } = finding.steps[step];
  showFile(at[0]);
  document.querySelectorAll("#steps li, #code .mark").forEach((one) => {
    const here = one.dataset.step === String(step);
    one.classList.toggle("now", here);
    if (one.tagName === "LI") one.toggleAttribute("aria-current", here);
    if (one.tagName === "LI" && here) { one.setAttribute("aria-current", "step"); one.scrollIntoView({ block: "nearest" }); }
  });
  document.querySelectorAll("#code .code-line.now").forEach((one) => one.classList.remove("now"));
  const line = element("code").querySelector(`[data-line="${at[1]}"]`);
  if (line) line.classList.add("now");
  scrollToLine(at[1], line || element("code").querySelector(`[data-step="${step}"]`));
  element("position").textContent = `step ${step + 1} of ${finding.steps.length}`;
  element("previous").disabled = step === 0;
  element("next").disabled = step === finding.steps.length - 1;
}

function chooseNext(direction) {
  if (!shown.length) return;
  const position = shown.indexOf(chosen);
  const next = position < 0 ? 0 : Math.min(Math.max(position + direction, 0), shown.length - 1);
  choose(shown[next]);
  const list = element("list");
  const row = entries.indexOf(shown[next]);
  if (row * ROW < list.scrollTop) list.scrollTop = row * ROW;
  if ((row + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (row + 1) * ROW - list.clientHeight;
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

const KEYS = {
  j: () => chooseNext(1), k: () => chooseNext(-1),
  ArrowDown: () => chooseNext(1), ArrowUp: () => chooseNext(-1),
  n: () => showStep(step + 1), p: () => showStep(step - 1),
  ArrowRight: () => showStep(step + 1), ArrowLeft: () => showStep(step - 1),
  o: showOverview, t: switchTheme, "?": () => element("help").showModal(),
  "/": () => element("text").focus(), Escape: clearFilters,
};

function onKey(event) {
  const typing = event.target.tagName === "INPUT";
  if (event.ctrlKey || event.metaKey || event.altKey || element("help").open) return;
  if (typing && event.key === "Escape") { event.target.blur(); clearFilters(); return; }
  if (typing || !KEYS[event.key]) return;
  const steps = ["n", "p", "ArrowRight", "ArrowLeft"].includes(event.key);
  if (steps && chosen === null) return;
  event.preventDefault();
  KEYS[event.key]();
}

function drawHeader() {
  const counts = Object.entries(data.levels).map(([level, number]) =>
    make("span", level, `${number} ${level}${number === 1 ? "" : "s"}`));
  element("counts").replaceChildren(...(counts.length ? counts : [make("span", "", "no findings")]));
  if (!data.complete) element("counts").append(make("span", "not-analysed", "not everything was analysed"));
  element("made").textContent = [`version ${data.version}`, data.made, data.command].filter(Boolean).join(" · ");
  element("made").title = element("made").textContent;
  element("summary").textContent = [...data.summary, ...data.unused.map((u) => `unused suppression ${u}`)].join("\n");
  element("run").open = false;
  element("nothing").textContent = data.findings.length
    ? "Choose a finding; ? lists the keys." : data.summary.join("\n");
}

function chooseByAddress() {
  const wanted = location.hash.slice(1);
  const index = data.findings.findIndex((finding) => finding.id === wanted);
  if (index >= 0) choose(index, true);
  else if (chosen === null && shown.length && !data.gaps.length) choose(shown[0], true);
  else if (chosen === null) showOverview();
}

makeFilters();
drawHeader();
drawOverview();
applyFilters();
chooseByAddress();
applyFilters();
document.addEventListener("keydown", onKey);
addEventListener("hashchange", chooseByAddress);
element("list").addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) choose(Number(row.dataset.index));
});
["steps", "code"].forEach((id) => element(id).addEventListener("click", (event) => {
  const mark = event.target.closest("[data-step]");
  if (mark) showStep(Number(mark.dataset.step));
}));
element("previous").addEventListener("click", () => showStep(step - 1));
element("next").addEventListener("click", () => showStep(step + 1));
element("overview-button").addEventListener("click", showOverview);
element("theme").addEventListener("click", switchTheme);
element("help-button").addEventListener("click", () => element("help").showModal());
document.documentElement.dataset.ready = "yes";
