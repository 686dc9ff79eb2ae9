// Editors: the fields of cells.

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

// shown writes a value into a field: sizes in whole GiB, other numbers with six digits.
function shown(value, unit) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  return String(unit === "GiB" && value >= 10 ? Math.round(value) : Number(value.toPrecision(6)));
}

// valueOf returns the value of a cell with the changes of the page.
const valueOf = cell => cell.id in page.changes ? page.changes[cell.id] : page.edited.values[cell.id] ?? cell.source ?? null;

// editor makes the field of a cell.
function editor(cell, name) {
  const box = make("div", {className: "cell"}), label = {"aria-label": name, id: "cell-" + page.editors.length};
  const back = make("button", {type: "button", className: "back", hidden: true, "aria-label": name + ": back to the source"}, "↺");
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

// fieldOf makes the field of a kind of cell, with functions that read and write it.
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
    const none = cell.default !== undefined && cell.default !== "" && cell.default !== null ? `default (${cell.default})` : "not given";
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

// lazily fills a part that is closed when it is opened first.
function lazily(summary, fill) {
  const part = make("details", {}, make("summary", {}, summary));
  part.addEventListener("toggle", () => {
    if (part.open && part.children.length === 1) {
      part.append(fill());
      page.editors.forEach(show => show());
    }
  });
  return part;
}

// line is the throughput of a link over its full width: a slider with marks at the source and at what is needed.
function line(section) {
  const cell = page.cells.get(section.scope + "/throughput_mbps");
  const middle = cell.source || 1000, low = middle / 10, high = middle * 10;
  const at = v => 100 * Math.min(1, Math.max(0, Math.log(v / low) / Math.log(high / low)));
  const knob = make("input", {type: "range", min: 0, max: 100, step: 0.5, "aria-label": section.title + ": throughput, slider"});
  knob.addEventListener("input", () => change(cell.id, Number((low * Math.pow(high / low, knob.value / 100)).toPrecision(2))));
  const marks = make("div", {className: "marks"});
  page.editors.push(() => {
    const value = valueOf(cell);
    if (document.activeElement !== knob && typeof value === "number") knob.value = at(value);
  });
  page.views.push(view => {
    const need = (view.answer.links[section.scope.slice(5)] || {}).value;
    const of = [[cell.source, "source", "source"]];
    if (need) of.push([need, "needed " + thousands(Math.ceil(need)), view.complete ? "need" : "need old"]);
    marks.replaceChildren(...of.map(([v, text, name]) => {
      const mark = make("span", {className: "mark " + name}, text);
      mark.style.left = at(v) + "%";
      mark.classList.toggle("end", at(v) > 70);
      return mark;
    }));
  });
  return make("div", {className: "line"}, knob, marks);
}
