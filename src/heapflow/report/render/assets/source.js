// One file with its line numbers, colours, and the steps of the chosen finding in it.
const KEYWORDS = new Set(("break case const continue default do else extern for goto if inline register "
  + "restrict return sizeof static struct switch typedef union enum volatile while").split(" "));
const TYPES = new Set(("void char short int long float double signed unsigned bool _Bool size_t ssize_t "
  + "FILE NULL uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t").split(" "));
const TOKEN = new RegExp([
  "(\\/\\*[^]*?(?:\\*\\/|$)|\\/\\/[^\\n]*)", // comment
  "(\"(?:[^\"\\\\\\n]|\\\\[^])*\"?|'(?:[^'\\\\\\n]|\\\\[^])*'?)", // string, character
  "(^[ \\t]*#[ \\t]*\\w+)", // directive
  "([A-Za-z_]\\w*)",
  "(\\b\\d[\\w.]*)",
].join("|"), "gm");
const parsedSources = new Map();

function escapeText(text) {
  return text.replace(/[&<>]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[char]);
}

// The text as HTML lines; a colour that spans lines is opened again on each.
function highlight(text) {
  let html = "";
  let end = 0;
  for (const token of text.matchAll(TOKEN)) {
    html += escapeText(text.slice(end, token.index));
    end = token.index + token[0].length;
    const name = token[1] ? "c" : token[2] ? "s" : token[3] ? "x" : token[5] ? "n"
      : KEYWORDS.has(token[4]) ? "k" : TYPES.has(token[4]) ? "y" : "";
    const inner = escapeText(token[0]);
    html += name ? inner.split("\n").map((part) => `<span class="${name}">${part}</span>`).join("\n") : inner;
  }
  return (html + escapeText(text.slice(end))).split("\n");
}

// Lines by number, with `gap` where some are left out; null if the source was not there.
function sourceLines(number) {
  if (!parsedSources.has(number)) {
    const block = element(`source-${number}`);
    const parts = block ? JSON.parse(block.textContent) : [];
    const lines = [];
    parts.forEach(([first, text], index) => {
      if (index || first > 1) lines.push({ gap: true });
      const raw = text.split("\n");
      highlight(text).forEach((html, at) => lines.push({ number: first + at, html, raw: raw[at] }));
    });
    parsedSources.set(number, lines.length ? lines : null);
  }
  return parsedSources.get(number);
}

function markElement(mark, line) {
  const holder = make("div", `mark ${mark.kind}`);
  const indent = mark.at[2] ? (line.raw || "").slice(0, mark.at[2] - 1).replace(/[^\t]/g, " ") : "";
  const says = make("span", "says");
  if (mark.number) {
    holder.dataset.step = mark.number - 1;
    says.append(make("span", `badge ${mark.kind}`, String(mark.number)));
  }
  says.append(...sentence(mark.says));
  holder.append(make("span", "indent", indent), says);
  return holder;
}

function lineElement(line, marked) {
  if (line.gap) return make("div", "gap", "…");
  const row = make("div", "code-line" + (marked ? " has-step" : ""));
  row.dataset.line = line.number;
  const code = make("span", "text");
  code.innerHTML = line.html;
  row.append(make("span", "number", String(line.number)), code);
  return row;
}

// Show a file with the finding's steps and frees that lie in it.
function drawSource(finding, file) {
  const code = element("code");
  element("file-name").textContent = data.files[file];
  const lines = sourceLines(file);
  if (lines === null) {
    const holder = make("div", "gap", "The source of this file was not found.");
    code.replaceChildren(holder, ...finding.steps.map((step, index) => ({ ...step, number: index + 1 }))
      .filter((step) => step.at[0] === file).map((step) => markElement(step, {})));
    return;
  }
  const marks = new Map();
  const add = (mark) => {
    if (mark.at[0] === file) marks.set(mark.at[1], [...(marks.get(mark.at[1]) || []), mark]);
  };
  finding.steps.forEach((step, index) => add({ ...step, number: index + 1 }));
  const said = new Set(finding.steps.filter((s) => s.kind === "freed-on-other-path").map((s) => s.at[1]));
  finding.frees.filter((at) => !said.has(at[1]))
    .forEach((at) => add({ at, kind: "free", says: "other paths free it here" }));
  const holder = make("div", "lines");
  lines.forEach((line) => {
    const here = marks.get(line.number) || [];
    holder.append(lineElement(line, here.length), ...here.map((mark) => markElement(mark, line)));
  });
  code.replaceChildren(holder);
}

function scrollToLine(number, target) {
  const code = element("code");
  const row = target || code.querySelector(`[data-line="${number}"]`);
  if (!row) return;
  const from = row.getBoundingClientRect().top - code.getBoundingClientRect().top;
  code.scrollTop += from - code.clientHeight / 3;
}
