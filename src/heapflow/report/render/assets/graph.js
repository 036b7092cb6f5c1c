// The value-flow slice as a picture: layers by distance from the allocation, left to right.
const MOST_DRAWN = 40; // nodes
const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  if (text !== undefined) made.textContent = text;
  return made;
}

// The layer of each node: the longest way to it over edges that close no cycle.
function layersOf(count, edges) {
  const out = Array.from({ length: count }, () => []);
  edges.forEach(([from, to]) => { if (from !== to) out[from].push(to); });
  const state = new Array(count).fill(0);
  const order = [];
  const back = new Set();
  const visit = (start) => {
    const stack = [[start, 0]];
    state[start] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      const next = out[top[0]][top[1]++];
      if (next === undefined) { state[top[0]] = 2; order.push(top[0]); stack.pop(); }
      else if (state[next] === 1) back.add(`${top[0]},${next}`);
      else if (state[next] === 0) { state[next] = 1; stack.push([next, 0]); }
    }
  };
  for (let node = 0; node < count; node += 1) if (!state[node]) visit(node);
  const layer = new Array(count).fill(0);
  order.reverse().forEach((node) => out[node].forEach((next) => {
    if (!back.has(`${node},${next}`)) layer[next] = Math.max(layer[next], layer[node] + 1);
  }));
  return layer;
}

function placeNodes(slice) {
  const layer = layersOf(slice.nodes.length, slice.edges);
  const columns = [];
  layer.forEach((at, node) => { (columns[at] = columns[at] || []).push(node); });
  const boxes = [];
  let x = 10;
  columns.filter(Boolean).forEach((nodes) => {
    const labels = nodes.map((node) => shortened(slice.nodes[node].label));
    const width = Math.max(60, ...labels.map((label) => label.length * 7.4 + 20));
    nodes.forEach((node, index) => {
      boxes[node] = { x, y: 12 + index * 52, width, height: 30, label: labels[index] };
    });
    const guards = slice.edges.filter(([from]) => nodes.includes(from)).map((edge) => edge[2].length);
    x += width + Math.max(50, Math.min(190, Math.max(0, ...guards) * 6.6 + 30));
  });
  return { boxes, width: x, height: 24 + Math.max(...columns.filter(Boolean).map((c) => c.length)) * 52 };
}

const shortened = (text) => (text.length > 30 ? `${text.slice(0, 29)}…` : text);

function drawEdge(from, to, guard) {
  const group = svg("g", {});
  const forward = to.x > from.x;
  const x1 = from.x + (forward ? from.width : from.width / 2);
  const y1 = from.y + (forward ? from.height / 2 : from.height);
  const x2 = to.x + (forward ? 0 : to.width / 2);
  const y2 = to.y + (forward ? to.height / 2 : to.height);
  const bend = forward ? (x2 - x1) / 2 : 0;
  const curve = forward
    ? `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`
    : `M${x1},${y1} C${x1},${y1 + 40} ${x2},${y2 + 40} ${x2},${y2}`;
  group.append(svg("path", { d: curve, "marker-end": "url(#arrow)" }));
  if (guard) {
    const text = svg("text", {
      class: "guard", x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 5, "text-anchor": "middle",
    }, shortened(guard));
    text.append(svg("title", {}, guard));
    group.append(text);
  }
  return group;
}

function drawGraph(slice, onPlace) {
  element("flow").hidden = !slice;
  if (!slice) return;
  if (slice.nodes.length > MOST_DRAWN) {
    element("graph").replaceChildren(make("small", "", `${slice.nodes.length} places: too many for a picture; heapflow graph draws them`));
    return;
  }
  const { boxes, width, height } = placeNodes(slice);
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  picture.append(svg("title", {}, "Value flow from the allocation"));
  const marker = svg("marker", {
    id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto",
  });
  marker.append(svg("path", { d: "M0,0 L8,4 L0,8 z" }));
  picture.append(marker);
  slice.edges.forEach(([from, to, guard]) => picture.append(drawEdge(boxes[from], boxes[to], guard)));
  // Words over lines, whichever was drawn first.
  [...picture.querySelectorAll(".guard")].forEach((one) => picture.append(one));
  slice.nodes.forEach((node, index) => {
    const box = boxes[index];
    const group = svg("g", { class: `node ${node.kind}` });
    group.append(svg("rect", { x: box.x, y: box.y, width: box.width, height: box.height }));
    group.append(svg("text", { x: box.x + 10, y: box.y + 19 }, box.label));
    group.append(svg("title", {}, node.at ? `${node.label}  ${placeText(node.at)}` : node.label));
    if (node.at) group.addEventListener("click", () => onPlace(node.at));
    picture.append(group);
  });
  // A little too wide is shown smaller, much too wide is scrolled.
  if (width < 1.5 * element("graph").clientWidth) picture.style.cssText = "max-width: 100%; height: auto";
  element("graph").replaceChildren(picture);
}
