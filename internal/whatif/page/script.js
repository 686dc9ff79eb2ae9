// The page shows the engine's answers. All computation and all verdicts come from the engine.

const page = {
  layout: null, cells: new Map(), closed: new Map(), editors: [], views: [], changes: {}, edited: null, view: null, first: null,
  cache: new Map(), undo: [], redo: [], kept: {}, quick: null, module: null, slow: null, running: null, found: null,
  lines: [], drawing: null, fits: {answers: new Map()},
};

// svg creates the Trusted Types policy for charts, the only markup that is inserted unescaped. The engine escapes their
// text.
const svg = window => {
  const policy = {createHTML: text => text, createScriptURL: address => address};
  return window.trustedTypes ? window.trustedTypes.createPolicy("vsla", policy) : policy;
};

// change sets a cell. Changes to the same cell within two seconds are undone together.
const change = (id, value) => alter({...page.changes, [id]: value ?? null}, id);

function alter(changes, id) {
  const now = Date.now();
  if (!id || id !== alter.id || now - alter.time > 2000) page.undo.push(page.changes);
  alter.id = id;
  alter.time = now;
  page.redo = [];
  page.changes = changes;
  refresh();
}

function step(from, to) {
  if (!from.length) return;
  to.push(page.changes);
  page.changes = from.pop();
  alter.id = null;
  refresh();
}

function build(layout) {
  page.layout = layout;
  layout.cells.forEach(cell => page.cells.set(cell.id, cell));
  byId("from").textContent = `From ${layout.source}. `;
  byId("notes").textContent = layout.notes.join(" ");
  byId("open").replaceChildren(...layout.open.map(o => make("li", {}, make("b", {className: "unknown"}, o.name), " " + o.text)));
  byId("yaml").hidden = !layout.tiers_file;
  buildTiers(layout);
  for (const section of layout.sections) {
    const link = section.scope.startsWith("link/"), part = make("section", {}, make("h2", {}, section.title));
    const id = link ? section.scope + "/throughput_mbps" : growth, cell = page.cells.get(id);
    if (cell && id.startsWith(section.scope + "/"))
      part.append(line(cell, section.title, link ? linkMarks(cell) : () => cell.source ? [[cell.source, "source", "source"]] : []));
    part.append(fields(section.cells, section.title));
    if (section.more.length) part.append(lazily(`More inputs: ${section.title}`, section.more, section.title));
    byId(link ? "links" : "others").append(part);
  }
  byId("cost-tier").append(...layout.rows.map(row => make("option", {value: row.scope.slice(5)}, row.title)));
  byId("vms").hidden = !layout.named;
}

function buildTiers({columns, rows, empty}) {
  const unit = c => c.unit ? ` in ${c.unit}` : "";
  const head = make("tr", {}, make("th", {scope: "col"}, "Tier"),
    ...columns.map(c => make("th", {scope: "col"}, c.label, unit(c))), make("th", {scope: "col"}, "Does it hold?"));
  const body = make("tbody");
  for (const row of rows) {
    const line = make("tr", {}, make("th", {scope: "row"}, row.title));
    for (const c of columns) {
      const id = row.cells[c.name];
      line.append(make("td", {"data-label": c.label + unit(c)}, id ? editor(page.cells.get(id), `${row.title}: ${c.label}${unit(c)}`) : "–"));
    }
    row.verdict = make("td", {"data-label": "Does it hold?", className: "verdict"});
    line.append(row.verdict);
    body.append(line);
    if (row.more.length) byId("more").append(lazily(`More inputs of ${row.title}`, row.more, row.title));
  }
  for (const name of empty)
    body.append(make("tr", {className: "none"}, make("th", {scope: "row"}, name), make("td", {colSpan: columns.length + 1}, "no VMs")));
  byId("table").append(make("table", {}, make("caption", {}, "Promises and verdicts by tier"), make("thead", {}, head), body,
    make("tfoot", {}, total(columns))));
  byId("set-name").append(...columns.filter(c => rows.some(r => (page.cells.get(r.cells[c.name]) || {}).kind === "number"))
    .map(c => make("option", {value: c.name}, c.label)));
  byId("set-name").value = "rpo_minutes";
  const units = () => { byId("set-unit").textContent = (columns.find(c => c.name === byId("set-name").value) || {}).unit || ""; };
  byId("set-name").onchange = units;
  units();
}

// total creates the row of totals. Editing its number of VMs scales all tiers.
function total(columns) {
  const field = make("input", {type: "number", min: 0, step: 1, "aria-label": "Number of VMs in all tiers"});
  const texts = {vm_count: field, vm_size_gib: make("span"), daily_change_percent: make("span")};
  field.addEventListener("change", async () => {
    if (field.value === "" || Number(field.value) === page.edited.total.vms) return;
    const {changes} = await page.quick.ask({do: "scale", changes: page.changes, number: Number(field.value)});
    alter(changes);
  });
  page.editors.push(() => {
    const t = page.edited.total;
    if (document.activeElement !== field) field.value = t.vms;
    texts.vm_size_gib.textContent = t.gib >= 1024 ? thousands(t.gib / 1024, 1) + " TiB" : thousands(t.gib) + " GiB";
    texts.daily_change_percent.textContent = thousands(t.change_gib) + " GiB per day";
  });
  return make("tr", {}, make("th", {scope: "row"}, "Total"),
    ...columns.map(c => make("td", {"data-label": c.label}, texts[c.name] || "")), make("td"));
}

// show updates the page with a view. In an incomplete view, pending figures are those of the last complete view.
function show(view) {
  const partial = !view.complete;
  page.view = view;
  if (!page.first || !page.first.complete && !page.edited.changed.length) page.first = view;
  document.body.classList.remove("computing");
  byId("headline").className = "headline " + view.level;
  byId("headline").textContent = view.headline;
  document.title = document.title.split(" · ")[0] + " · " + view.headline.split(".")[0];
  byId("loads").replaceChildren(...view.loads.map(text => make("p", {}, text)));
  byId("not-counted").textContent = view.not_counted || "";
  strip(view);
  for (const row of page.layout.rows) {
    const one = view.promises.find(p => p.scope === row.scope);
    if (one) row.verdict.replaceChildren(badge(one.level, one.word), make("span", {className: "small", title: "lowest share of time within the RPO"},
      one.within + (one.late !== "0" && one.late !== "–" ? `, ${one.late} late` : "")));
  }
  byId("list").replaceChildren(...[...view.promises, ...view.others].map(one => card(one, partial)));
  charts(view.charts);
  page.views.forEach(draw => draw(view));
  vms();
  compare();
  announce();
  if (view.complete) lines();
}

// lines requests the tiers that would suit late VMs, and the curve of each line. A curve is not requested again if only
// its own input changes.
async function lines() {
  if (!page.slow) return;
  const token = page.drawing = {}, view = page.view, key = page.edited.fragment, changes = page.changes;
  const ask = async (of, key, request) => {
    if (!of.answers.has(key)) {
      await page.slow.started;
      const answer = await page.slow.ask({...request, changes});
      if (page.drawing !== token || answer.error) return null;
      of.answers.set(key, answer);
    }
    return of.answers.get(key);
  };
  if (view.worst.some(vm => vm.within) && await ask(page.fits, key, {do: "fits"})) vms();
  for (const one of page.lines) {
    if (page.drawing !== token) return;
    const {[one.cell.id]: own, ...others} = changes;
    const answer = await ask(one, JSON.stringify(others), {do: "curve", name: one.cell.id, number: one.needed(view)});
    if (answer) one.draw(answer.points);
  }
  if (page.drawing === token) page.drawing = null;
}

// strip shows the figures. Next to a changed figure, it shows the value in the source, or in scenario A if A is kept.
function strip(view) {
  const base = page.kept.A ? page.kept.A.view : page.first, of = page.kept.A ? "in A" : "in the source";
  byId("strip").replaceChildren(...view.strip.map((f, i) => {
    const before = base.strip[i], old = f.pending && page.strip && page.strip[i];
    const now = old || f, moved = !f.pending && before.text !== f.text;
    const was = make("dd", {className: "was"});
    if (moved) {
      const up = f.value !== null && before.value !== null ? Math.sign(f.value - before.value) : 0;
      const word = up === 0 ? "" : (up < 0) === f.less ? "better" : "worse";
      was.append(make("span", {className: word}, up > 0 ? "▲ " : up < 0 ? "▼ " : "", word), ` was ${before.text} ${of}`);
    }
    return make("div", {className: "figure" + (f.pending ? " old" : ""), "data-id": f.id}, make("dt", {}, f.label),
      make("dd", {title: now.value === null ? "" : String(now.value)}, make("strong", {}, f.pending && !old ? "…" : now.text),
        now.of ? make("span", {className: "of"}, " " + now.of) : null), was);
  }));
  if (view.complete) page.strip = view.strip;
}

function card(one, partial) {
  const article = make("article", {className: partial ? "partial" : ""}, make("h3", {}, one.title, " ", one.word ? badge(one.level, one.word) : null),
    make("p", {}, one.told));
  if (one.reason) article.append(make("p", {className: "reason"}, one.reason));
  if (one.buttons.length)
    article.append(make("p", {className: "buttons remedies"}, ...one.buttons.map(b => {
      const button = make("button", {type: "button"}, b.text);
      button.addEventListener("click", () => alter({...page.changes, ...b.changes}));
      return button;
    })));
  if (one.until) article.append(make("p", {}, "With growth: " + one.until));
  article.append(make("dl", {className: "facts"}, ...one.facts.map(f => make("div", {title: f.exact || ""}, make("dt", {}, f.key), make("dd", {}, f.value)))));
  if (one.how.length) article.append(make("details", {}, make("summary", {}, "Explanation"), ...one.how.map(text => make("p", {}, text))));
  return article;
}

function charts(drawn) {
  const text = drawn.map(c => c.wide).join();
  if (charts.text === text) return;
  charts.text = text;
  byId("figures").hidden = drawn.length === 0;
  byId("charts").replaceChildren(...drawn.map(c => {
    const wide = make("div", {className: "wide"}), narrow = make("div", {className: "narrow"});
    wide.innerHTML = page.trusted.createHTML(c.wide);
    narrow.innerHTML = page.trusted.createHTML(c.narrow);
    return make("figure", {}, make("figcaption", {}, c.title), wide, narrow, c.inputs && make("p", {className: "buttons"}, ...c.inputs.map(i => {
      const button = make("button", {type: "button"}, i.text);
      button.addEventListener("click", () => visit(i.id));
      return button;
    })));
  }));
}

// vms lists the excluded VMs and the search results. Without a search, it lists the worst VMs instead of results.
function vms() {
  if (!page.layout.named) return;
  const out = page.changes.without || [], listed = byId("find").value.trim() === "" ? page.view.worst : [];
  const all = [...(page.found || []), ...listed.filter(vm => !(page.found || []).some(f => f.id === vm.id))];
  const body = make("tbody"), late = all.some(vm => vm.within);
  const columns = ["Exclude", "VM", "Tier", "Size", "Change", ...late ? ["Late: within RPO, oldest", "Would hold in tier"] : []];
  for (const vm of all) {
    const box = make("input", {type: "checkbox", checked: out.includes(vm.id), "aria-label": "Exclude " + vm.name});
    box.addEventListener("change", () => leaveOut(vm.id, box.checked));
    const answer = page.fits.answers.get(page.edited.fragment), fits = answer && answer.fits[vm.id];
    const td = (i, child) => make("td", {"data-label": columns[i]}, child);
    body.append(make("tr", {className: box.checked ? "out" : ""}, td(0, box), make("th", {scope: "row"}, vm.name), td(2, vm.tier), td(3, vm.size),
      td(4, vm.change), ...late ? [td(5, vm.within ? `${vm.within}, ${vm.oldest}` : ""),
        td(6, !vm.within ? "" : fits === undefined ? "…" : fits || "none")] : []));
  }
  const focused = document.activeElement && document.activeElement.getAttribute("aria-label");
  byId("vm-list").replaceChildren(all.length === 0 ? make("p", {}, "No VM matches.") : make("table", {},
    make("thead", {}, make("tr", {}, ...columns.map(t => make("th", {scope: "col"}, t)))), body));
  if (focused && focused.startsWith("Exclude "))
    [...byId("vm-list").querySelectorAll("input")].filter(i => i.getAttribute("aria-label") === focused).forEach(i => i.focus());
}

function leaveOut(id, out) {
  const names = (page.changes.without || []).filter(name => name !== id);
  if (out) names.push(id);
  const {without, ...rest} = page.changes;
  alter(names.length ? {...rest, without: names} : rest);
}

async function find() {
  page.found = (await page.quick.ask({do: "find", changes: page.changes, text: byId("find").value.trim()})).vms;
  if (page.view) vms();
}

// announce reports the verdict to screen readers once typing pauses.
function announce() {
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => {
    const text = byId("headline").textContent;
    if (byId("status").textContent !== text) byId("status").textContent = text;
  }, 700);
}

// refresh updates the edited values immediately, then computes. If several changes arrive during a request, it applies
// only the last one.
async function refresh() {
  if (refresh.busy) { refresh.again = true; return; }
  refresh.busy = true;
  cancel();
  do {
    refresh.again = false;
    const edited = await page.quick.ask({do: "edit", changes: page.changes});
    if (!refresh.again) showEdited(edited);
  } while (refresh.again);
  refresh.busy = false;
  if ((page.changes.without || []).length || page.found) await find();
  compute();
}

// scenarios returns the source, the kept scenarios, and the current state of the page.
function scenarios() {
  const all = [["Source", {view: page.first, changed: []}]];
  for (const name of ["A", "B"]) if (page.kept[name]) all.push([name, page.kept[name]]);
  all.push(["Now", {view: page.view, changed: page.edited.changed}]);
  return all;
}

function compare() {
  const all = scenarios();
  for (const name of ["A", "B"]) document.querySelector(`[data-open=${name}]`).hidden = !page.kept[name];
  const rows = page.first.strip.map((f, i) => [f.label, ...all.map(([, s]) => s.view.strip[i].pending ? "…" : s.view.strip[i].text)]);
  rows.unshift(["Promises", ...all.map(([, s]) => s.view.headline.split(".")[0])]);
  rows.push(["Changed", ...all.map(([, s]) => s.changed.map(c => `${c.label}: ${c.from} → ${c.to}`).join("; ") || "–")]);
  compare.rows = rows;
  byId("compare").replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, make("td"), ...all.map(([name]) => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...rows.map(([label, ...cells]) => make("tr", {}, make("th", {scope: "row"}, label), ...cells.map(c => make("td", {}, c)))))));
}

function minutes() {
  const plain = text => text.replace(/[|\\`*_<>\[\]]/g, "\\$&"), names = scenarios().map(([name]) => name);
  const row = cells => `| ${cells.join(" | ")} |`;
  return [`# ${plain(document.title.split(" · ")[0])}: ${plain(page.layout.source)}, ${new Date().toISOString().slice(0, 10)}`, "",
    row(["", ...names]), row(["", ...names].map(() => "---")), ...compare.rows.map(cells => row(cells.map(plain))), "",
    plain(page.view.headline), ""].join("\n");
}

function keep(name) {
  if (page.running || Object.keys(page.edited.wrong).length) return say("Wait until the plan is computed.");
  page.kept[name] = {view: page.view, changes: page.changes, changed: page.edited.changed};
  show(page.view);
  say(`Kept as ${name}.`);
}

function say(text) { byId("status").textContent = text; }

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function give(text, title, file) {
  byId("out-title").textContent = title;
  byId("text").value = text;
  byId("out").hidden = false;
  byId("out").dataset.file = file;
  byId("text").focus();
  byId("text").select();
}

async function written(format, title, file) {
  const {text, error} = await page.quick.ask({do: "write", format, changes: page.changes});
  give(error || text, title, file);
}

function wire() {
  const on = (id, what, event = "click") => byId(id).addEventListener(event, what);
  on("undo", () => step(page.undo, page.redo));
  on("redo", () => step(page.redo, page.undo));
  on("reset", () => alter({}));
  on("cost", cost, "submit");
  on("find", find, "input");
  on("set-all", event => {
    event.preventDefault();
    const value = byId("set-value").value;
    if (value === "") return say("Enter a value for all tiers.");
    const ids = page.layout.rows.map(row => row.cells[byId("set-name").value]).filter(Boolean);
    alter({...page.changes, ...Object.fromEntries(ids.map(id => [id, Number(value)]))});
  }, "submit");
  document.querySelectorAll("[data-times]").forEach(button => button.addEventListener("click", async () => {
    const [kind, name, number] = button.dataset.times.split(" ");
    const {changes, error} = await page.quick.ask({do: "times", changes: page.changes, kind, name, number: Number(number)});
    error ? say(error) : alter(changes);
  }));
  document.querySelectorAll("[data-keep]").forEach(b => b.addEventListener("click", () => keep(b.dataset.keep)));
  document.querySelectorAll("[data-open]").forEach(b => b.addEventListener("click", () => alter(page.kept[b.dataset.open].changes)));
  on("minutes", () => give(minutes(), "Minutes", "what-if.md"));
  on("link", async () => { if (await copied(location.href)) say("Link copied. It opens this file with these values."); else give(location.href, "Link", "link.txt"); });
  on("hcl", () => written("hcl", "Terraform configuration", "what-if.tf"));
  on("yaml", () => written("tiers", "tiers.yaml", "tiers.yaml"));
  on("close", () => { byId("out").hidden = true; byId("minutes").focus(); });
  on("copy", async () => {
    byId("text").select();
    if (await copied(byId("text").value) || document.execCommand("copy")) say("Copied.");
  });
  on("save", () => {
    const link = make("a", {href: URL.createObjectURL(new Blob([byId("text").value])), download: byId("out").dataset.file});
    link.click();
    URL.revokeObjectURL(link.href);
  });
  addEventListener("hashchange", open);
}

// open applies the changes encoded in the URL fragment.
async function open() {
  if (!page.layout) return;
  if (page.edited && location.hash.slice(1) === page.edited.fragment) return;
  const {changes, error} = await page.quick.ask({do: "link", fragment: location.hash.slice(1)});
  page.changes = changes || {};
  await refresh();
  if (error) say(error[0].toUpperCase() + error.slice(1) + ".");
}

// wait starts the engine of a page that was written without an input, and waits for a file.
async function wait(address) {
  page.address = address;
  page.quick = engine(address, {module: byId("module").textContent});
  wire();
  acceptFiles();
  document.documentElement.dataset.shown = Math.round(performance.now());
  page.module = (await page.quick.started).module;
  byId("module").remove();
  byId("file-input").disabled = false;
  document.documentElement.dataset.ready = Math.round(performance.now());
}

async function start() {
  page.trusted = svg(window);
  const script = [...document.scripts].pop().textContent;
  const address = page.trusted.createScriptURL(URL.createObjectURL(new Blob([script], {type: "text/javascript"})));
  if (byId("model").textContent === "") return wait(address);
  const first = JSON.parse(await unpackedText(byId("first").textContent));
  page.first = first.view;
  page.edited = first.edited;
  page.cache.set("", first.view);
  build(first.layout);
  for (const one of page.lines) {
    const points = (first.view.curves || {})[one.cell.id];
    if (!points) continue;
    one.answers.set("{}", {points});
    one.draw(points);
  }
  if (location.hash.length <= 1) { showEdited(first.edited); show(first.view); } else page.view = first.view;
  document.documentElement.dataset.shown = Math.round(performance.now());
  const model = byId("model").textContent;
  page.quick = engine(address, {module: byId("module").textContent, model});
  wire();
  const {module} = await page.quick.started;
  byId("module").remove();
  page.spawn = () => {
    const slow = engine(address, {module, model});
    slow.started.catch(() => {});
    return slow;
  };
  page.slow = page.spawn();
  if (location.hash.length > 1) await open();
  else lines();
  document.documentElement.dataset.ready = Math.round(performance.now());
}

if (typeof document === "undefined") answerRequests();
else start().catch(error => {
  byId("headline").className = "headline misses";
  byId("headline").textContent = "The page cannot compute in this browser: " + error.message +
    ". Save the file and open it in a current browser.";
});
