// Editors: the fields of cells.

function shown(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

// read returns the value of an editor: undefined if it is not one.
function read(cell, text) {
  if (text.trim() === "") return null;
  switch (cell.kind) {
    case "number": return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "bool": return text === "true";
    case "values": try { return JSON.parse(text); } catch { return undefined; }
    default: return text;
  }
}

const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

function change(id, value) {
  if (same(value, page.cells.get(id).source)) delete page.changes[id];
  else page.changes[id] = value ?? null;
  refresh();
}

// slider returns the bounds of a slider: the range where it is small, else an eighth to eight times the value.
function slider(cell) {
  if (cell.kind !== "number" || !cell.bounded) return null;
  if (cell.max <= 100) return {min: cell.min, max: cell.max, at: v => v, of: v => v, step: cell.whole ? 1 : (cell.max - cell.min) / 200};
  const middle = cell.source > 0 ? cell.source : cell.default > 0 ? cell.default : null;
  if (!middle) return null;
  const low = Math.max(cell.min, middle / 8), high = Math.min(cell.max, middle * 8);
  const round = v => cell.whole ? Math.round(v) : Number(v.toPrecision(2));
  return {
    min: 0, max: 100, step: 1, at: v => 100 * Math.log(Math.max(low, v) / low) / Math.log(high / low),
    of: x => round(low * Math.pow(high / low, x / 100)),
  };
}

// editor makes the field of a cell.
function editor(cell, name) {
  const box = make("div", {className: "cell"}), label = {"aria-label": name, id: "cell-" + page.editors.size};
  let field;
  if (cell.kind === "choice" || cell.kind === "bool") {
    const options = cell.kind === "bool" ? ["true", "false"] : cell.one_of;
    const none = cell.default !== undefined && cell.default !== "" ? `default (${cell.default})` : "not given";
    field = make("select", label, make("option", {value: ""}, none), ...options.map(o => make("option", {value: o}, o)));
  } else {
    field = make("input", {...label, type: cell.kind === "number" ? "number" : "text", autocomplete: "off"});
    if (cell.kind === "number") field.step = "any";
    if (cell.default !== undefined && cell.default !== null) field.placeholder = shown(cell.default);
  }
  const range = slider(cell);
  const knob = range && make("input", {
    type: "range", min: range.min, max: range.max, step: range.step, "aria-label": name + ", slider",
  });
  const was = make("span", {className: "was", hidden: true});
  const back = make("button", {type: "button", className: "back", hidden: true, "aria-label": name + ": back to the source"}, "↺");
  const wrong = make("span", {className: "wrong", hidden: true, id: field.id + "-wrong"});
  const unit = cell.unit ? make("span", {className: "unit"}, cell.unit) : null;
  box.append(...[field, unit, back, knob, was, wrong].filter(Boolean));
  const entered = () => {
    const value = read(cell, field.value);
    if (value === undefined) return problem("is not a value: write JSON, such as {\"15\": 1.6} or [1, 2]");
    change(cell.id, value);
  };
  const problem = text => {
    wrong.textContent = text || "";
    wrong.hidden = !text;
    text ? field.setAttribute("aria-describedby", wrong.id) : field.removeAttribute("aria-describedby");
    field.setAttribute("aria-invalid", text ? "true" : "false");
  };
  field.addEventListener("input", entered);
  back.addEventListener("click", () => { change(cell.id, cell.source); field.focus(); });
  if (knob) knob.addEventListener("input", () => { field.value = shown(range.of(Number(knob.value))); entered(); });
  const show = view => {
    const changed = cell.id in page.changes;
    const value = changed ? page.changes[cell.id] : cell.source;
    if (document.activeElement !== field || !same(read(cell, field.value), value) && shown(read(cell, field.value)) !== shown(value))
      field.value = shown(value);
    if (view.derived[cell.id] !== undefined) field.placeholder = shown(view.derived[cell.id]);
    const number = value ?? view.derived[cell.id] ?? cell.default;
    if (knob && document.activeElement !== knob && typeof number === "number") knob.value = range.at(number);
    box.classList.toggle("changed", changed);
    back.hidden = !changed;
    was.hidden = !changed && !cell.from;
    const entry = view.changed.find(c => c.id === cell.id);
    was.textContent = entry ? "was " + entry.from : cell.from ? "from " + cell.from : "";
    problem(view.errors[cell.id]);
  };
  page.editors.set(cell.id, [...(page.editors.get(cell.id) || []), show]);
  return box;
}

const badge = (level, word) => make("b", {className: level}, word);

function fields(ids, title) {
  const box = make("div", {className: "fields"});
  for (const id of ids) {
    const cell = page.cells.get(id), name = title ? `${title}: ${cell.label}` : cell.label;
    box.append(make("div", {className: "field always", title: cell.doc},
      make("span", {className: "label"}, cell.label), editor(cell, cell.unit ? `${name} in ${cell.unit}` : name)));
  }
  return box;
}

// lazily fills a part that is closed when it is opened first.
function lazily(summary, fill) {
  const part = make("details", {}, make("summary", {}, summary));
  part.addEventListener("toggle", () => {
    if (part.open && part.children.length === 1) {
      part.append(fill());
      if (page.view) show(page.view);
    }
  });
  return part;
}
