
// The page asks the API of its own server. Its state is in the address:
// #model=…&entity=…&relation=…&end=….
const $ = id => document.getElementById(id);
const shownFacts = 200, allFacts = 100000, shownMatches = 10, shownReasons = 3;
let models = [], current = null, relationsOf = [];
let asked = null; // promise of the relations of the current model
let latest = 0; // number of the last drawn state, so that late answers are dropped

// call returns the answer of the API, or throws an error with its reason.
async function call(path, body) {
	const headers = {};
	const token = sessionStorage.getItem("token");
	if (token) headers.Authorization = "Bearer " + token;
	if (body) headers["Content-Type"] = "application/json";
	const answer = await fetch(path, {
		method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body),
	}).catch(() => { throw new Error("The server does not answer: has it ended?"); });
	const text = await answer.text();
	let value;
	try {
		value = JSON.parse(text);
	} catch {
		throw new Error(`The answer of the server cannot be read (status ${answer.status}).`);
	}
	if (answer.ok) return value;
	const reasons = (value.errors || []).map(e => e.message);
	const fault = new Error([value.detail, ...reasons].join(": "));
	fault.status = answer.status;
	throw fault;
}

const path = (name, values) => name + "?" + new URLSearchParams({ model: current.name, ...values });

// label isolates a label from the text around it, which may run in the other direction.
const label = text => el("bdi", {}, text);

// link returns a link that shows an entity.
function link(entity) {
	const state = new URLSearchParams({ model: current.name, entity });
	return el("a", { href: "#" + state }, label(entity));
}

async function start() {
	try {
		models = (await call("v1/models")).models;
	} catch (fault) {
		if (fault.status !== 401) throw fault;
		$("refused").textContent = sessionStorage.getItem("token") ? "The token is wrong." : "";
		$("key").hidden = false;
		$("token").focus();
		return;
	}
	$("key").hidden = true;
	$("ask").hidden = false;
	$("choice").hidden = models.length < 2;
	$("model").replaceChildren(...models.map(m => el("option", { value: m.name }, m.name)));
	await show();
}

// relations returns those of the current model. After a fault it asks for them again.
async function relations() {
	const answer = asked ||= call(path("v1/relations"));
	try {
		return (await answer).relations;
	} catch (fault) {
		if (asked === answer) asked = null;
		throw fault;
	}
}

// show draws the state in the address. A fault about an earlier state is of no interest.
async function show() {
	const turn = ++latest;
	try {
		await drawState(turn);
	} catch (fault) {
		if (turn !== latest) return;
		$("results").replaceChildren(); // of an earlier state
		throw fault;
	}
}

// drawState draws the state in the address until it is no longer the latest.
async function drawState(turn) {
	const state = new URLSearchParams(location.hash.slice(1));
	const name = state.get("model") || models[0].name;
	const found = models.find(m => m.name === name), model = found || models[0];
	if (model !== current) {
		if (current) $("entity").value = ""; // of another model
		current = model;
		asked = null; // the server may have loaded the model again
	}
	const all = await relations();
	if (turn !== latest) return;
	relationsOf = all;
	$("model").value = model.name;
	drawAbout(model);
	if (!found) throw new Error(`The server has no model ${name}.`);
	const entity = state.get("entity") || null;
	document.title = entity === null ? "AutoBLM" : entity + " · AutoBLM";
	closeList();
	if (entity === null) {
		$("results").replaceChildren(...model.members.map(drawMember));
		if (model.members.length > 0) $("results").append(mapOnDemand());
		return;
	}
	$("entity").value = entity;
	const parts = [el("h2", { tabindex: "-1", id: "shown" }, entity)];
	const columns = el("div", { class: "columns" });
	const facts = model.facts ? await call(path("v1/facts", { entity, limit: shownFacts })) : null;
	if (model.predicts) columns.append(predictions(entity, facts));
	if (model.facts) columns.append(knownFacts(facts, turn));
	if (model.predicts) columns.append(await similar(entity));
	if (model.classifies) columns.append(await classes(entity));
	if (turn !== latest) return;
	$("results").replaceChildren(...parts, columns);
	const choose = $("relation");
	if (choose) choose.dispatchEvent(new Event("change"));
}

function drawAbout(model) {
	const count = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
	const facts = [
		model.dataset, count(model.entities, "entity", "entities"),
		count(model.relations, "relation", "relations"),
		model.members.length > 1 && `ensemble of ${model.members.length}`,
	].filter(Boolean);
	$("title").replaceChildren(visible(model.name));
	$("about").replaceChildren(...facts.map(f => el("span", {}, f)));
	$("status").textContent = model.facts || model.classifies ? ""
		: "The server has no data of this model, so it shows no known facts.";
}

// drawMember shows a model and its structure.
function drawMember(m) {
	const rows = (m.structure || []).map(row => row.join(",")).join(";");
	return el("figure", { class: "chart" }, rows && drawStructure(rows, 148, m.title + " as a matrix"),
		el("figcaption", {}, `${m.title}, dimension ${m.dim}`));
}

// mapOnDemand returns a map of the entities that is drawn when it is opened.
function mapOnDemand() {
	const body = el("div", { id: "map" }, el("p", { class: "soft" }, "…"));
	const details = el("details", {
		toggle: () => details.open && !body.dataset.asked && attempt(async () => {
			body.dataset.asked = "yes";
			body.replaceChildren(...drawMap(await call(path("v1/map", {}))));
		}),
	}, el("summary", {}, "Map of the entities"), body);
	return details;
}

// drawMap draws entities on a plane. The pointer or the arrow keys select one.
function drawMap(map) {
	const side = 600, margin = 8;
	const ends = ["x", "y"].map(axis => map.places.map(p => p[axis]))
		.map(values => [Math.min(...values), Math.max(...values)]);
	// Both axes have one scale, so that distances are not distorted.
	const scale = (side - 2 * margin) / (Math.max(...ends.map(([low, high]) => high - low)) || 1);
	const scaled = (axis, [low, high]) =>
		map.places.map(p => side / 2 + (p[axis] - (low + high) / 2) * scale);
	const x = scaled("x", ends[0]), y = scaled("y", ends[1]).map(v => side - v);
	const groups = [...new Set(map.places.map(p => p.group).filter(Boolean))].sort();
	const kind = p => "group-" + (groups.indexOf(p.group) + 1);
	const points = map.places.map((p, i) =>
		el("rect", { x: x[i] - 3.5, y: y[i] - 3.5, width: 7, height: 7, rx: 3.5, class: kind(p) }));
	const place = el("p", { id: "place", role: "status" }, "Select an entity with the pointer or the arrow keys.");
	let selected = -1;
	// select marks the entity with the least distance, if any.
	function select(distance) {
		let best = -1, least = Infinity;
		points.forEach((_, i) => {
			const d = distance(i);
			if (d < least) [best, least] = [i, d];
		});
		if (best < 0 || best === selected) return;
		points[selected]?.classList.remove("selected");
		points[best].classList.add("selected");
		selected = best;
		const p = map.places[best];
		place.replaceChildren(link(p.entity), ...p.group ? [el("span", { class: "soft" }, " " + p.group)] : []);
	}
	function point(event) {
		const box = svg.getBoundingClientRect(), unit = side / box.width;
		const px = (event.clientX - box.left) * unit, py = (event.clientY - box.top) * unit;
		select(i => Math.hypot(x[i] - px, y[i] - py));
	}
	function press(event) {
		const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
		if (event.key === "Enter" && selected >= 0) return choose(map.places[selected].entity);
		if (!(event.key in arrows)) return;
		event.preventDefault();
		const [dx, dy] = arrows[event.key];
		const fromX = x[selected] ?? side / 2, fromY = y[selected] ?? side / 2;
		select(i => {
			const along = dx * (x[i] - fromX) + dy * (y[i] - fromY);
			const across = Math.abs(dx * (y[i] - fromY) + dy * (x[i] - fromX));
			return along > 0 ? along + 2 * across : Infinity;
		});
	}
	// A mouse opens what it points at. A finger selects, and the link below opens.
	const open = event => event.pointerType === "mouse" && choose(map.places[selected].entity);
	const svg = el("svg", {
		viewBox: `0 0 ${side} ${side}`, class: "map", role: "group", tabindex: "0",
		"aria-label": "Map of the entities", pointermove: point, pointerdown: point, click: open, keydown: press,
	}, points);
	const legend = groups.map((g, i) => el("span", { class: "group-" + (i + 1) }, g));
	return [svg, place, el("p", { class: "map-groups" }, legend), el("p", { class: "soft" }, map.note)];
}

// knownFacts lists the facts of an entity by relation and direction, and has a button for the rest.
function knownFacts(found, turn) {
	const section = el("section", {}, el("h3", {}, "Known facts"));
	const groups = new Map();
	for (const f of found.facts) {
		const isHead = f.head === found.entity;
		const key = (isHead ? "→" : "←") + f.relation;
		if (!groups.has(key)) {
			groups.set(key, { title: isHead ? [label(f.relation), " →"] : ["← ", label(f.relation)], others: [] });
		}
		groups.get(key).others.push(isHead ? f.tail : f.head);
	}
	const list = el("dl", { class: "facts-list" });
	for (const { title, others } of groups.values()) {
		list.append(el("dt", {}, title),
			el("dd", {}, others.flatMap((other, i) => i === 0 ? [link(other)] : [", ", link(other)])));
	}
	section.append(list);
	const rest = found.total - found.facts.length;
	const all = async () => {
		const more = await call(path("v1/facts", { entity: found.entity, limit: allFacts }));
		if (turn === latest) section.replaceWith(knownFacts(more, turn));
	};
	const count = rest.toLocaleString("en");
	if (rest > 0 && found.facts.length < allFacts) {
		section.append(el("button", { type: "button", id: "more", click: () => attempt(all) }, `show ${count} more`));
	} else if (rest > 0) section.append(el("p", { class: "soft" }, `and ${count} more`));
	if (found.total === 0) section.append(el("p", { class: "soft" }, "none in the data"));
	return section;
}

// relationChoice returns a list of all relations, first those of some facts.
function relationChoice(facts, change) {
	const option = r => el("option", { value: r }, r);
	const all = [...relationsOf].sort(new Intl.Collator("en", { numeric: true }).compare);
	const own = new Set(facts ? facts.facts.map(f => f.relation) : []);
	if (own.size === 0 || own.size === all.length) return el("select", { id: "relation", change }, all.map(option));
	return el("select", { id: "relation", change },
		el("optgroup", { label: "in its known facts" }, all.filter(r => own.has(r)).map(option)),
		el("optgroup", { label: "others" }, all.filter(r => !own.has(r)).map(option)));
}

// predictions asks for the answers at one end of a relation: those in the address, or else those of
// a known fact.
function predictions(entity, facts) {
	const relation = relationChoice(facts, ask);
	const end = el("select", { id: "end", change: ask },
		el("option", { value: "tail" }, "its tails"), el("option", { value: "head" }, "its heads"));
	const table = el("div", { id: "answers", "aria-live": "polite" });
	const state = new URLSearchParams(location.hash.slice(1)), fact = facts && facts.facts[0];
	if (relationsOf.includes(state.get("relation"))) {
		relation.value = state.get("relation");
		end.value = state.get("end") === "head" ? "head" : "tail";
	} else if (fact) {
		relation.value = fact.relation;
		end.value = fact.head === entity ? "tail" : "head";
	}
	let turn = 0;
	async function ask() {
		const mine = ++turn;
		history.replaceState(null, "", "#" + new URLSearchParams({
			model: current.name, entity, relation: relation.value, end: end.value,
		}));
		const query = end.value === "tail" ? { head: entity, relation: relation.value }
			: { tail: entity, relation: relation.value };
		try {
			const body = { model: current.name, queries: [query], shares: true };
			const result = (await call("v1/predict", body)).results[0];
			if (mine === turn) table.replaceChildren(answersTable(result, entity));
		} catch (fault) {
			if (mine === turn) table.replaceChildren(el("p", { class: "miss" }, fault.message));
		}
	}
	return el("section", {}, el("h3", {}, "Predictions"),
		el("div", { class: "question" }, el("label", {}, "Relation", relation),
			el("label", {}, "Predict", end)), table);
}

function answersTable(result, entity) {
	if (result.error) return el("p", { class: "miss" }, result.error);
	const { head, relation, tail } = result.query;
	const caption = ["(", label(head ?? "?"), ", ", label(relation), ", ", label(tail ?? "?"), ")"];
	const isCalibrated = result.answers.some(a => a.probability !== undefined);
	const titles = [["rank", true], ["entity", false], ["score", true],
		[isCalibrated ? "probability" : "share", true], ["", false]];
	const percent = x => x === undefined ? "–" : (100 * x).toFixed(1) + " %";
	return el("table", { class: "answers-table" }, el("caption", {}, caption),
		el("thead", {}, el("tr", {}, titles.map(([title, isNumber]) =>
			el("th", { scope: "col", class: isNumber && "number" }, title)))),
		el("tbody", {}, result.answers.map(a => el("tr", {},
			el("td", { class: "number" }, a.rank), el("td", { class: "entity" }, link(a.entity)),
			el("td", { class: "number" }, a.score.toFixed(3)),
			el("td", { class: "number" }, percent(isCalibrated ? a.probability : a.share)),
			el("td", { class: "hit" }, a.known ? "known" : "", current.facts && why(titles.length, {
				head: head ?? a.entity, relation, tail: tail ?? a.entity,
			}, head ? "tail" : "head"))))));
}

// why returns a button that shows the reasons for one end of a triple in a row below.
function why(columns, triple, end) {
	const cell = el("td", { colspan: columns, "aria-live": "polite" });
	const below = el("tr", { class: "because" }, cell);
	const name = `why ${triple.head} ${triple.relation} ${triple.tail}`;
	const button = el("button", {
		type: "button", class: "why", "aria-expanded": "false", "aria-label": name, click: toggle,
	}, "why");
	function toggle() {
		const isOpen = button.getAttribute("aria-expanded") === "true";
		button.setAttribute("aria-expanded", String(!isOpen));
		if (isOpen) return below.remove();
		button.closest("tr").after(below);
		if (cell.childElementCount === 0) reasons(triple, end).then(list => cell.replaceChildren(...list));
	}
	return button;
}

// reasons lists the training triples that speak most for one end of a triple.
async function reasons(triple, end) {
	try {
		const body = { model: current.name, triples: [triple], end, top: shownReasons };
		const because = (await call("v1/explain", body)).results[0].answers[0].because || [];
		if (because.length === 0) return [el("p", { class: "soft" }, "No training triple speaks for it.")];
		return [el("p", { class: "soft" }, "Because of, by approximate influence on the score:"),
			el("ul", {}, because.map(b => el("li", {}, link(b.head), " ", label(b.relation), " ", link(b.tail), " ",
				el("span", { class: "soft" }, b.influence.toFixed(2)))))];
	} catch (fault) {
		return [el("p", { class: "miss" }, fault.message)];
	}
}

// similar lists the entities with the most similar embeddings.
async function similar(entity) {
	const near = (await call(path("v1/neighbors", { entity }))).neighbors;
	return el("section", { id: "similar" }, el("h3", {}, "Similar entities"),
		el("table", { class: "answers-table" },
			el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "entity"),
				el("th", { scope: "col", class: "number" }, "cosine"))),
			el("tbody", {}, near.map(n => el("tr", {}, el("td", {}, link(n.label)),
				el("td", { class: "number" }, n.similarity.toFixed(3)))))));
}

// classes shows the likeliest classes of a node.
async function classes(node) {
	const body = { model: current.name, nodes: [node] };
	const result = (await call("v1/classes", body)).results[0];
	const section = el("section", {}, el("h3", {}, "Classes"));
	if (result.error) section.append(el("p", { class: "miss" }, result.error));
	else section.append(el("table", { class: "answers-table" },
		el("tbody", {}, result.answers.map(a => el("tr", {}, el("td", {}, a.class),
			el("td", { class: "number" }, a.probability.toFixed(3)),
			el("td", { class: "hit" }, a.class === result.label ? "label" : ""))))));
	return section;
}

// The field with completion follows the pattern "combobox" of WAI-ARIA.
let typed = 0;
let listed = ""; // the text whose matches are in the list

async function complete() {
	const mine = ++typed, q = $("entity").value.trim();
	if (q === "") return closeList();
	const found = await call(path("v1/entities", { q, limit: shownMatches }));
	if (mine !== typed) return;
	const options = found.entities.map((entity, i) => el("li", {
		role: "option", id: "option-" + i, "aria-selected": "false",
		mousedown: event => { event.preventDefault(); choose(entity); }, "data-entity": entity,
	}, entity));
	const rest = found.total - found.entities.length;
	const note = found.total === 0 ? "no entity has this in its label"
		: rest > 0 ? `and ${rest.toLocaleString("en")} more` : "";
	$("found").replaceChildren(...options,
		...note ? [el("li", { class: "soft", role: "presentation" }, note)] : []);
	listed = q;
	$("found").hidden = false;
	$("entity").setAttribute("aria-expanded", "true");
}

function closeList() {
	typed++;
	listed = "";
	$("found").hidden = true;
	$("found").replaceChildren();
	$("entity").setAttribute("aria-expanded", "false");
	$("entity").removeAttribute("aria-activedescendant");
}

function choose(entity) {
	closeList();
	location.hash = new URLSearchParams({ model: current.name, entity });
}

// move selects another option of the list.
function move(step) {
	const options = [...$("found").querySelectorAll("[role=option]")];
	if (options.length === 0) return;
	const at = options.findIndex(o => o.getAttribute("aria-selected") === "true");
	const to = at < 0 && step < 0 ? options.length - 1 : (at + step + options.length) % options.length;
	options.forEach((o, i) => o.setAttribute("aria-selected", String(i === to)));
	options[to].scrollIntoView({ block: "nearest" });
	$("entity").setAttribute("aria-activedescendant", options[to].id);
}

$("entity").addEventListener("keydown", event => {
	if (event.key === "ArrowDown" || event.key === "ArrowUp") {
		event.preventDefault();
		if ($("found").hidden) attempt(complete);
		else move(event.key === "ArrowDown" ? 1 : -1);
	} else if (event.key === "Escape" && !$("found").hidden) {
		event.preventDefault(); // the browser would clear the field
		closeList();
	}
});
$("entity").addEventListener("input", () => attempt(complete));
$("entity").addEventListener("blur", closeList);
$("ask").addEventListener("submit", event => {
	event.preventDefault();
	attempt(async () => {
		const text = $("entity").value.trim();
		if (listed !== text) await complete(); // the list is of an earlier text
		if (text === "" || listed !== text) return;
		const options = [...$("found").querySelectorAll("[role=option]")];
		const selected = options.find(o => o.getAttribute("aria-selected") === "true") || options[0];
		choose(selected ? selected.dataset.entity : text);
	});
});
$("model").addEventListener("change", () => {
	location.hash = new URLSearchParams({ model: $("model").value });
});
$("key").addEventListener("submit", event => {
	event.preventDefault();
	sessionStorage.setItem("token", $("token").value);
	attempt(start);
});
addEventListener("hashchange", () => attempt(async () => {
	await show();
	if (document.activeElement === document.body) $("shown")?.focus(); // the link that was followed is gone
}));

// attempt shows the fault of a function.
function attempt(f) {
	f().catch(fault => { $("status").textContent = fault.message; });
}
attempt(start);
