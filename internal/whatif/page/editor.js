// Input fields of the cells.

const byId = id => document.getElementById(id);

// make creates an element with attributes and children.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in element && key !== "list" && key !== "form") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
  return element;
}

const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const thousands = (n, digits = 0) => n.toLocaleString("en-US", {maximumFractionDigits: digits});

// shown formats a value for a field: sizes from 10 GiB in whole GiB, other numbers with up to six significant digits.
function shown(value, unit) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  return String(unit === "GiB" && value >= 10 ? Math.round(value) : Number(value.toPrecision(6)));
}

// valueOf returns the value of a cell, including changes made on the page.
const valueOf = cell => cell.id in page.changes ? page.changes[cell.id] : page.edited.values[cell.id] ?? cell.source ?? null;

// editor creates the field of a cell.
function editor(cell, name) {
  const box = make("div", {className: "cell", "data-cell": cell.id}), label = {"aria-label": name, id: "cell-" + page.editors.length};
  const back = make("button", {type: "button", className: "back", hidden: true, "aria-label": name + ": reset to source"}, "↺");
  const was = make("span", {className: "was", hidden: true});
  const wrong = make("span", {className: "wrong", hidden: true, id: label.id + "-wrong"});
  const unit = cell.unit ? make("span", {className: "unit"}, cell.unit) : null;
  const {field, read, write} = fieldOf(cell, label);
  box.append(...[field, unit, back, was, wrong].filter(Boolean));
  const entered = () => {
    const value = read();
    if (value === undefined) return problem("must be a number");
    change(cell.id, value);
  };
  const problem = text => {
    wrong.textContent = text || "";
    wrong.hidden = !text;
    if (text) field.setAttribute("aria-describedby", wrong.id);
    else field.removeAttribute("aria-describedby");
    if (field.tagName !== "DIV") field.setAttribute("aria-invalid", text ? "true" : "false");
  };
  field.addEventListener("input", entered);
  back.addEventListener("click", () => { change(cell.id, cell.source ?? null); field.focus(); });
  page.editors.push(() => {
    const value = valueOf(cell), changed = page.edited.changed.find(c => c.id === cell.id);
    if (document.activeElement !== field || !same(read(), value)) write(value);
    box.classList.toggle("changed", Boolean(changed));
    back.hidden = was.hidden = !changed;
    was.textContent = changed ? "was " + changed.from : "";
    problem(page.edited.wrong[cell.id]);
  });
  return box;
}

// fieldOf creates the field for a kind of cell, with functions that read and write it.
function fieldOf(cell, label) {
  if (cell.kind === "choices") {
    const boxes = cell.one_of.map(one => make("input", {type: "checkbox", value: one}));
    const field = make("div", {...label, role: "group", className: "toggles", tabIndex: -1},
      ...boxes.map(box => make("label", {}, box, box.value)));
    return {
      field, read: () => { const on = boxes.filter(b => b.checked).map(b => b.value); return on.length ? on : null; },
      write: value => boxes.forEach(b => { b.checked = (value || []).includes(b.value); }),
    };
  }
  if (cell.kind === "choice" || cell.kind === "bool") {
    const none = cell.default !== undefined && cell.default !== "" && cell.default !== null ? `default (${cell.default})` : "not set";
    const field = make("select", label, make("option", {value: ""}, none),
      ...(cell.kind === "bool" ? ["true", "false"] : cell.one_of || []).map(o => make("option", {value: o}, o)));
    return {
      field, read: () => field.value === "" ? null : cell.kind === "bool" ? field.value === "true" : field.value,
      write: value => { field.value = value === null ? "" : String(value); },
    };
  }
  const numeric = cell.kind === "number";
  const field = make("input", {...label, type: numeric ? "number" : "text", autocomplete: "off", readOnly: cell.kind === "shown"});
  if (numeric) field.step = "any";
  if (cell.default !== undefined && cell.default !== null) field.placeholder = shown(cell.default);
  let written = null;
  return {
    field,
    read: () => {
      const text = field.value.trim();
      if (text === "") return numeric && field.validity.badInput ? undefined : null;
      if (!numeric) return text;
      return written && written.text === text ? written.value : Number.isFinite(Number(text)) ? Number(text) : undefined;
    },
    write: value => {
      field.value = shown(value, cell.unit);
      written = {text: field.value, value};
      field.title = typeof value === "number" && String(value) !== field.value ? String(value) : "";
    },
  };
}

const badge = (level, word) => make("b", {className: level}, word);

function fields(ids, title) {
  const box = make("div", {className: "fields"});
  for (const id of ids) {
    const cell = page.cells.get(id), name = `${title}: ${cell.label}${cell.unit ? " in " + cell.unit : ""}`;
    box.append(make("div", {className: "field", title: cell.doc}, make("span", {className: "label"}, cell.label), editor(cell, name)));
  }
  return box;
}

// lazily creates a collapsed section with the fields of cells, and fills it when it is first opened.
function lazily(summary, ids, title) {
  const part = make("details", {}, make("summary", {}, summary));
  const fill = () => {
    if (part.children.length > 1) return;
    part.append(fields(ids, title));
    page.editors.forEach(show => show());
  };
  part.addEventListener("toggle", () => { if (part.open) fill(); });
  ids.forEach(id => page.closed.set(id, () => { part.open = true; fill(); }));
  return part;
}

// visit moves the focus to the field of a cell, and opens the section that contains it.
function visit(id) {
  if (page.closed.has(id)) page.closed.get(id)();
  const box = document.querySelector(`[data-cell="${CSS.escape(id)}"]`);
  box.scrollIntoView({block: "center"});
  box.firstElementChild.focus({preventScroll: true});
}

// line creates a full-width editor for a number: a curve of the share of time within the RPO, and a slider with marks
// and the same scale. The curve handles clicks and drags, and the slider handles the keyboard.
function line(cell, title, marksOf) {
  const link = cell.id !== growth, middle = cell.source || 1000, low = link ? middle / 10 : 0, high = link ? middle * 10 : Math.max(100, 2 * cell.source);
  const at = v => 100 * Math.min(1, Math.max(0, link ? Math.log(v / low) / Math.log(high / low) : v / high));
  const value = x => Number((link ? low * Math.pow(high / low, x / 100) : high * x / 100).toPrecision(2));
  const knob = make("input", {type: "range", min: 0, max: 100, step: 0.5, "aria-label": `${title}: ${cell.label}, slider`});
  const text = () => knob.setAttribute("aria-valuetext", `${valueOf(cell) ?? "not set"} ${cell.unit}`);
  const set = x => change(cell.id, value(Math.min(100, Math.max(0, x))));
  knob.addEventListener("input", () => set(Number(knob.value)));
  const marks = make("div", {className: "marks"}), plot = drawn("svg", {viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img"});
  const top = make("span", {className: "top"}, "100%"), bottom = make("span", {className: "bottom"});
  const box = make("div", {className: "curve", hidden: true}, plot, top, bottom);
  const point = event => {
    const {left, width} = plot.getBoundingClientRect();
    set(100 * (event.clientX - left) / width);
  };
  plot.addEventListener("pointerdown", event => { plot.setPointerCapture(event.pointerId); point(event); });
  plot.addEventListener("pointermove", event => { if (plot.hasPointerCapture(event.pointerId)) point(event); });
  const marker = drawn("line", {class: "marker", y1: 0, y2: 40});
  page.editors.push(() => {
    const v = valueOf(cell);
    if (typeof v !== "number") return;
    if (document.activeElement !== knob) knob.value = at(v);
    marker.setAttribute("x1", at(v));
    marker.setAttribute("x2", at(v));
    text();
  });
  page.views.push(view => marks.replaceChildren(...marksOf(view).map(([v, words, name]) => {
    const mark = make("span", {className: "mark " + name}, words);
    mark.style.left = at(v) + "%";
    mark.classList.toggle("end", at(v) > 70);
    return mark;
  })));
  page.lines.push({
    cell, answers: new Map(),
    needed: view => link && (view.answer.links[cell.id.split("/")[1]] || {}).value || 0,
    draw: all => {
      const points = all.filter(p => p.x >= low && p.x <= high);
      box.hidden = points.length < 2;
      if (box.hidden) return;
      const floor = Math.floor(Math.min(99, ...points.map(p => p.share))), y = share => 38 - 36 * (share - floor) / (100 - floor);
      bottom.textContent = floor + "%";
      const words = p => `${thousands(p.x, 1)} ${cell.unit}: ${Math.floor(p.share * 100) / 100}% (${p.tier})`;
      const ends = [{...points[0], x: low}, ...points, {...points[points.length - 1], x: high}];
      plot.setAttribute("aria-label", `${box.dataset.title}: ${words(points[0])} to ${words(points[points.length - 1])}`);
      plot.replaceChildren(drawn("title", {}, points.map(words).join("\n")),
        drawn("polyline", {points: (link ? ends : points).map(p => `${at(p.x)},${y(p.share)}`).join(" ")}), marker);
    },
  });
  box.dataset.title = link ? "Share of time within the RPO, by throughput" : "Share of time within the RPO after one year, by growth";
  box.prepend(make("p", {className: "label"}, box.dataset.title));
  return make("div", {className: "line"}, box, knob, marks);
}

const growth = "plan/growth_percent_per_year";

// drawn creates an SVG element.
function drawn(name, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(text);
  return element;
}

// linkMarks returns marks for a link's source value and the throughput that it needs.
const linkMarks = cell => view => {
  const need = (view.answer.links[cell.id.split("/")[1]] || {}).value, source = [[cell.source, "source", "source"]];
  return need ? [...source, [need, "needed " + thousands(Math.ceil(need)), view.complete ? "need" : "need old"]] : source;
};
