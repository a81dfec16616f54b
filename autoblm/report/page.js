"use strict";
// render draws a page from its data. Only sections whose data changed are drawn again, so that a
// page that is open keeps its place while a search adds trials.

let page = null;
const drawn = new Map(); // section id -> {json, node, charts}
const table = { sort: "number", down: false, text: "", stage: "", all: false };

const number = x => x === null || x === undefined ? "–" : x.toFixed(3);
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

function drawHeader() {
	const rows = page.rows.map(r => el("tr", { class: r.label.replace(" ", "-") },
		el("th", { scope: "row" }, r.label), el("td", { class: "name" }, r.name),
		el("td", { class: "score" }, r.score),
		el("td", { class: "note" }, r.note, r.detail && el("small", {}, r.detail))));
	const [first, ...rest] = page.verdict;
	document.getElementById("top").replaceChildren(
		el("h1", {}, page.title),
		el("p", { class: "facts" }, page.facts.map(fact => el("span", {}, fact))),
		rows.length || first ? el("div", { class: "headline" },
			rows.length ? el("table", {}, el("caption", { class: "hidden" }, "The kept model"),
				el("tbody", {}, rows)) : "",
			first ? el("p", {}, first) : "",
			rest.length ? details("exact", "How exact are these scores?",
				rest.map(text => el("p", {}, text))) : "") : "");
	document.getElementById("nav").replaceChildren(
		...page.sections.map(s => el("a", { href: "#" + s.id }, s.title)));
	document.getElementById("nav").hidden = page.sections.length < 2;
	document.getElementById("end").replaceChildren(...page.closing.map(text => el("p", {}, text)));
	document.title = page.title;
}

const unfolded = new Set(); // ids of unfolded details

function details(id, summary, content) {
	const node = el("details", { open: unfolded.has(id) }, el("summary", {}, summary), content);
	node.addEventListener("toggle", () => node.open ? unfolded.add(id) : unfolded.delete(id));
	return node;
}

function drawSection(section, node) {
	const charts = [];
	const title = el("h2", { id: section.id + "-title" }, section.title);
	const parts = section.parts.map((part, i) => drawPart(part, section.id + i, charts)).flat();
	const content = section.folded
		? [details(section.id, el("span", {}, "Show"), parts)] : parts;
	node ||= el("section", { id: section.id, "aria-labelledby": title.id });
	fillWith(node, [title, ...content]);
	return { json: JSON.stringify(section), node, charts };
}

// fillWith gives a node these children. It does not move one that it has: an open list or the
// cursor of a field would be lost.
function fillWith(node, children) {
	const at = children.findIndex(c => c.parentNode === node);
	if (at < 0) {
		node.replaceChildren(...children);
		return;
	}
	for (const old of [...node.childNodes]) {
		if (old !== children[at]) old.remove();
	}
	children[at].before(...children.slice(0, at));
	children[at].after(...children.slice(at + 1));
}

function drawPart(part, id, charts) {
	const nodes = [];
	if (part.heading) nodes.push(el("h3", {}, part.heading));
	if (part.text) nodes.push(el("p", {}, part.text));
	if (part.cards) nodes.push(el("div", { class: "cards" }, part.cards.map(drawCard)));
	if (part.chart) nodes.push(drawChart(part.chart, id, charts));
	if (part.trials) nodes.push(drawTrials(part.trials));
	if (part.predictions) nodes.push(el("dl", { class: "predictions" }, part.predictions.map(drawPrediction)));
	if (part.table) nodes.push(drawTable(part.table, id));
	if (part.command) {
		nodes.push(el("p", { class: "purpose" }, part.command.purpose),
			el("pre", { tabindex: 0 }, el("code", {}, part.command.line)));
	}
	return nodes;
}

function drawCard(card) {
	return el("figure", { class: "card" },
		drawStructure(card.structure, 148, `${card.name} as a matrix; ${card.formula}`),
		el("figcaption", {},
			el("strong", {}, card.name), card.tag ? [" ", el("span", { class: "tag" }, card.tag)] : "",
			el("span", { class: "scores" },
				card.scores.map(s => [el("span", {}, s.name + " ", el("b", {}, s.text)), " "])),
			card.models && el("span", { class: "soft" }, card.models),
			details("formula " + card.name, "formula", el("span", { class: "formula" }, card.formula))));
}

function drawPrediction(p) {
	const answer = a => el("span", { class: a.correct ? "hit" : "", title: a.name },
		a.correct ? "✓ " : "", el("bdi", {}, local(a.name)));
	const shown = p.answers.filter(a => a.rank <= 5), missed = p.answers.filter(a => a.rank > 5);
	return el("div", {}, el("dt", { title: p.question }, el("bdi", {}, local(p.question))), el("dd", {},
		el("span", { class: "answers" }, shown.flatMap((a, i) => i === 0 ? [answer(a)] : [", ", answer(a)])),
		missed.length ? el("span", { class: "missed" },
			missed.map(a => el("span", { class: "miss" }, "✗ ", el("bdi", {}, local(a.name)), `, rank ${a.rank}`))) : ""));
}

// local returns the last part of an IRI, and other names as they are.
function local(name) {
	const iri = /^<?[a-z]+:\/\/.*[/#]([^/#<>]+)>?$/.exec(name);
	return iri ? iri[1] : name;
}

function scrolling(caption, content) {
	return el("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: 0 }, content);
}

function drawTable(t, id) {
	const cell = (c, i, tag) => el(tag, {
		class: t.columns[i].number ? "number" : null, scope: tag === "th" ? "row" : null,
	}, c.share ? el("span", { class: "bar", style: `--share: ${c.share.toFixed(1)}%` }) : "",
		c.code ? el("code", {}, c.text) : c.text);
	const grid = rows => scrolling(t.caption, el("table", {}, el("caption", {}, el("span", {}, t.caption)),
		el("thead", {}, el("tr", {}, t.columns.map(c =>
			el("th", { scope: "col", class: c.number ? "number" : null }, c.title)))),
		el("tbody", {}, rows.map(r => el("tr", { class: r.chosen ? "chosen" : null },
			r.cells.map((c, i) => cell(c, i, i === 0 ? "th" : "td")))))));
	const nodes = [];
	if (t.rows && t.rows.length) nodes.push(grid(t.rows));
	if (t.folded) nodes.push(details(id + "-more", t.more, grid(t.folded)));
	return el("div", {}, nodes);
}

// The table of trials.

const shownTrials = 20;
const collator = new Intl.Collator("en", { numeric: true }); // found 2 comes before found 10

function trialColumns(t) {
	const columns = [
		{ key: "number", title: "#", number: true },
		{ key: "structure", title: "structure", show: r => r.structure ? drawStructure(r.structure, 30) : "" },
		{ key: "name", title: "model", show: r => [r.name, r.kept ? [" ", el("span", { class: "tag" }, "kept")] : ""] },
		{ key: "valid", title: t.valid, number: true, show: r => number(r.valid) },
		{ key: "test", title: t.test, number: true, show: r => number(r.test) },
		{ key: "stage", title: "stage" },
		{ key: "dim", title: "d", number: true },
		{ key: "epochs", title: "epochs", number: true },
		{ key: "seconds", title: "seconds", number: true, show: r => r.seconds.toFixed(1) },
		{ key: "note", title: "note" },
	];
	return columns.filter(c => t.rows.some(r => r[c.key] !== undefined && r[c.key] !== null));
}

// drawTrials draws the table of trials, which stays the same element for all states of the page.
function drawTrials(t) {
	trialTable ||= newTrialTable();
	trialTable.show(t);
	return trialTable.node;
}

let trialTable = null;

function newTrialTable() {
	let t = null, columns = [], stages = "";
	const rowNodes = new Map(); // trial number -> {json, node}; drawing thousands of rows takes seconds
	// On a narrow screen a row is not laid out as one of a table, which hides its role.
	const head = el("tr", { role: "row" }), body = el("tbody", { role: "rowgroup" });
	const count = el("p", { class: "soft", "aria-live": "polite" });
	const more = el("button", { type: "button", id: "more", click: () => { table.all = !table.all; fill(); } });
	const filter = el("input", {
		type: "search", id: "filter", placeholder: "name, structure …",
		input: () => { table.text = filter.value; fill(); },
	});
	const stage = el("select", { id: "stage", change: () => { table.stage = stage.value; fill(); } });
	const compare = (a, b) => {
		const x = a[table.sort], y = b[table.sort];
		if (x === y) return a.number - b.number;
		if (x === null || x === undefined) return 1; // missing values are last both ways
		if (y === null || y === undefined) return -1;
		const order = typeof x === "string" ? collator.compare(x, y) : x - y;
		return table.down ? -order : order;
	};
	const matches = r => (!table.stage || r.stage === table.stage) &&
		[r.number, r.name, r.stage, r.structure, r.note].join(" ").toLowerCase()
			.includes(table.text.toLowerCase());
	function rowOf(r) {
		const json = JSON.stringify([r, columns.map(c => c.title)]), old = rowNodes.get(r.number);
		if (old && old.json === json) {
			old.node.classList.remove("found"); // its animation would run again
			return old.node;
		}
		const node = el("tr", {
			id: "trial-" + r.number, class: r.kept ? "chosen" : null, role: "row", tabindex: -1,
		}, columns.map((c, i) => el(i === 0 ? "th" : "td", {
			class: c.number ? "number" : null, scope: i === 0 ? "row" : null,
			role: i === 0 ? "rowheader" : "cell", "data-key": c.key, "data-title": c.title,
		}, c.show ? c.show(r) : r[c.key])));
		rowNodes.set(r.number, { json, node });
		return node;
	}
	function fill() {
		head.replaceChildren(...columns.map(c => el("th", {
			scope: "col", role: "columnheader", class: c.number ? "number" : null,
			"aria-sort": table.sort !== c.key ? null : table.down ? "descending" : "ascending",
		}, el("button", {
			type: "button", id: "sort-" + c.key, click: () => {
				table.down = table.sort === c.key ? !table.down : ["valid", "test"].includes(c.key);
				table.sort = c.key;
				keepFocus(fill);
			},
		}, c.title, el("span", { class: "arrow", "aria-hidden": "true" },
			table.sort === c.key ? (table.down ? "▼" : "▲") : "")))));
		const rows = t.rows.filter(matches).sort(compare);
		const shown = table.all ? rows : rows.slice(0, shownTrials);
		body.replaceChildren(...shown.map(rowOf));
		const all = `${t.rows.length} ${t.rows.length === 1 ? "trial" : "trials"}`;
		count.replaceChildren(rows.length === t.rows.length ? all : `${rows.length} of ${all}`);
		more.hidden = rows.length <= shownTrials;
		more.textContent = table.all ? `Show the first ${shownTrials}` : `Show all ${rows.length}`;
	}
	function show(trials) {
		t = trials;
		columns = trialColumns(t);
		const now = [...new Set(t.rows.map(r => r.stage))];
		if (now.join("\n") !== stages) {
			stages = now.join("\n");
			stage.replaceChildren(el("option", { value: "" }, "all"), ...now.map(s => el("option", { value: s }, s)));
		}
		stage.value = table.stage;
		if (filter.value !== table.text) filter.value = table.text;
		fill();
	}
	const node = el("div", {},
		el("div", { class: "filter" }, el("label", {}, "Filter ", filter), el("label", {}, "Stage ", stage), count),
		scrolling("Trials", el("table", { class: "trials", role: "table" },
			el("thead", { role: "rowgroup" }, head), body)), more);
	return { node, show };
}

// showTrial shows the row of a trial.
function showTrial(n) {
	if (!document.getElementById("trial-" + n)) {
		Object.assign(table, { text: "", stage: "", all: true });
		drawTrials(trialsOf());
	}
	const row = document.getElementById("trial-" + n);
	if (!row) return;
	row.scrollIntoView({ block: "center" });
	row.classList.remove("found");
	void row.offsetWidth; // restart the animation
	row.classList.add("found");
	row.focus({ preventScroll: true });
}

function trialsOf() {
	const part = page.sections.flatMap(s => s.parts).find(p => p.trials);
	return part ? part.trials : { rows: [] };
}

// Charts.

const hiddenSeries = new Set(); // chart and name of the series that a reader has hidden
const colours = 8, styles = ["circle", "triangle", "rect", "rectRot"];

function dataset(series, i, chart) {
	const isOther = series.name === "other", line = series.style !== "dots";
	const c = isOther ? colour("soft") + "60" : colour("s" + (1 + i % colours)); // others are pale
	return {
		label: series.name, data: series.points, series, showLine: line, stepped: series.style === "steps",
		borderColor: c, backgroundColor: c + (line || isOther ? "" : "c0"), borderWidth: line ? 2 : 1,
		borderDash: series.style === "level" ? [6, 4] : [],
		// A colour that repeats has another style.
		pointStyle: line ? "circle" : styles[(i + Math.floor(i / colours)) % styles.length],
		pointRadius: series.style === "line" ? 2 : line ? 0 : chart.x || chart.y ? 5 : 3.5,
		pointHoverRadius: line && series.style !== "line" ? 0 : 7, pointHitRadius: 6, clip: 8,
	};
}

// intervals draws the bands of lines and the error bars of points.
const intervals = {
	id: "intervals",
	beforeDatasetsDraw(chart) {
		const { ctx, scales: { x, y } } = chart;
		chart.data.datasets.forEach((d, i) => {
			const points = d.data.filter(p => p.low !== undefined);
			if (!chart.isDatasetVisible(i) || points.length === 0) return;
			const { left, top, right, bottom } = chart.chartArea;
			ctx.save();
			ctx.beginPath();
			ctx.rect(left, top, right - left, bottom - top);
			ctx.clip();
			ctx.fillStyle = ctx.strokeStyle = d.borderColor;
			ctx.beginPath();
			if (d.showLine) {
				points.forEach(p => ctx.lineTo(x.getPixelForValue(p.x), y.getPixelForValue(p.high)));
				points.reverse().forEach(p => ctx.lineTo(x.getPixelForValue(p.x), y.getPixelForValue(p.low)));
				ctx.globalAlpha = 0.18;
				ctx.fill();
			} else {
				for (const p of points) {
					const h = y.getPixelForValue(p.y), from = x.getPixelForValue(p.low), to = x.getPixelForValue(p.high);
					ctx.moveTo(from, h); ctx.lineTo(to, h);
					for (const end of [from, to]) { ctx.moveTo(end, h - 5); ctx.lineTo(end, h + 5); }
				}
				ctx.lineWidth = 2;
				ctx.stroke();
			}
			ctx.restore();
		});
	},
};

function drawChart(chart, id, charts) {
	const canvas = el("canvas", {
		id: id + "-chart", tabindex: 0, role: "application", "aria-roledescription": "chart",
		"aria-label": chart.label + ". The arrow keys move over its points.",
	});
	const legend = el("div", { class: "legend" });
	const size = isMap(chart) ? " map" : chart.categories ? "" : " tall";
	const box = el("div", { class: "canvas" + size }, canvas);
	if (chart.categories) box.style.height = 64 + 38 * chart.categories.length + "px";
	charts.push(() => makeChart(chart, canvas, legend));
	return el("figure", { class: "chart" }, isMap(chart) && finder(canvas, id), legend, box,
		chart.caption && el("figcaption", {}, chart.caption));
}

// isMap reports whether a chart shows places on a plane, which have no axes.
function isMap(chart) {
	return !chart.x && !chart.y && !chart.categories;
}

// useOneScale gives both axes of a map the same units per pixel, so that distances are not distorted.
function useOneScale(scales, points) {
	const ends = ["x", "y"].map(key => points.map(p => p[key]))
		.map(values => [Math.min(...values), Math.max(...values)]);
	["x", "y"].forEach((key, i) => Object.assign(scales[key], {
		bounds: "data",
		afterDataLimits(scale) {
			const sides = [scale.chart.width, scale.chart.height];
			const unit = 1.08 * Math.max(...ends.map(([low, high], j) => (high - low) / sides[j])) || 1;
			const middle = (ends[i][0] + ends[i][1]) / 2, half = unit * sides[i] / 2;
			Object.assign(scale, { min: middle - half, max: middle + half });
		},
	}));
}

// finder returns a field that marks the points of a map with its text in their name.
function finder(canvas, id) {
	const shown = 5, count = el("p", { role: "status" });
	const find = event => {
		const chart = Chart.getChart(canvas), text = event.target.value.trim().toLowerCase(), found = [];
		chart.data.datasets.forEach((d, datasetIndex) => {
			d.pointRadius = d.data.map((p, index) => {
				if (text === "") return 3.5;
				if (!p.label.toLowerCase().includes(text)) return 1.5;
				found.push({ datasetIndex, index, label: p.label });
				return 7;
			});
		});
		found.sort((a, b) => a.label.length - b.label.length);
		chart.tooltip.setActiveElements(found.slice(0, 1), { x: 0, y: 0 });
		chart.update();
		const names = found.slice(0, shown).map(f => f.label).join(", ");
		count.replaceChildren(visible(text === "" ? "" : found.length === 0 ? "not on this map"
			: names + (found.length > shown ? ` and ${found.length - shown} more` : "")));
	};
	return el("div", { class: "filter" }, el("label", {}, "Find ", el("input", {
		type: "search", id: id + "-find", placeholder: "entity …", input: find,
	})), count);
}

function makeChart(spec, canvas, legend) {
	const soft = colour("soft"), line = colour("line");
	const axis = title => ({
		title: { display: !!title, text: title, color: soft }, ticks: { color: soft, maxRotation: 0 },
		grid: { color: line }, border: { color: line },
	});
	const scales = { x: axis(spec.x), y: axis(spec.y) };
	if (spec.x === "trial" || spec.x === "epoch") scales.x.ticks.precision = 0;
	const points = spec.series.flatMap(s => s.points), lines = spec.series.every(s => s.style === "line");
	for (const [scale, key] of [[scales.x, "x"], [scales.y, "y"]]) {
		const ends = points.map(p => p[key]);
		if ((key === "x") === !!spec.categories) {
			ends.push(...points.flatMap(p => p.low === undefined ? [] : [p.low, p.high]));
		}
		scale.suggestedMin = Math.min(...ends);
		scale.suggestedMax = Math.max(...ends);
		if (spec[key] === "trial") Object.assign(scale, { min: 0, suggestedMax: Math.max(...ends) + 1 });
		else if (lines && key === "x") scale.bounds = "data";
		else scale.grace = "4%";
	}
	if (spec.categories) {
		Object.assign(scales.y, { reverse: true, min: -0.6, max: spec.categories.length - 0.4 });
		scales.y.grid.display = false;
		scales.y.afterBuildTicks = s => { s.ticks = spec.categories.map((_, value) => ({ value })); };
		scales.y.ticks.autoSkip = false;
		scales.y.ticks.callback = v => wrap(spec.categories[v], innerWidth < 600 ? 14 : 30);
	}
	if (isMap(spec)) {
		for (const s of [scales.x, scales.y]) {
			s.ticks.display = s.grid.display = s.grid.drawTicks = s.border.display = false;
		}
		useOneScale(scales, points);
	}
	const keys = spec.series.map(s => canvas.id + " " + s.name);
	const chart = new Chart(canvas, {
		type: "scatter",
		data: {
			datasets: spec.series.map((s, i) => ({ ...dataset(s, i, spec), hidden: hiddenSeries.has(keys[i]) })),
		},
		options: {
			animation: false, maintainAspectRatio: false, scales, layout: { autoPadding: !isMap(spec) },
			interaction: { mode: "nearest", intersect: true },
			plugins: { legend: { display: false }, tooltip: { enabled: false, external: c => tip(c, spec) } },
			onClick: (event, hits) => {
				const p = hits.length && chart.data.datasets[hits[0].datasetIndex].data[hits[0].index];
				if (p && p.trial) showTrial(p.trial);
			},
		},
		plugins: [keepSelection, intervals],
	});
	listenToKeys(chart, spec);
	legend.replaceChildren(...(spec.series.length < 2 && !lines && !spec.categories ? [] : spec.series.map((s, i) =>
		el("button", {
			type: "button", "aria-pressed": String(chart.isDatasetVisible(i)), click: event => {
				const on = !chart.isDatasetVisible(i);
				on ? hiddenSeries.delete(keys[i]) : hiddenSeries.add(keys[i]);
				chart.setDatasetVisibility(i, on);
				event.currentTarget.setAttribute("aria-pressed", on);
				chart.update();
			},
		}, mark(chart.data.datasets[i]), s.name))));
	return chart;
}

// followScroll moves the tooltip of a point that the keys selected, null without one.
let followScroll = null;

// keepSelection ignores what would take the tooltip from the point that the keys selected: the events
// that Chart.js replays, and those of a browser whose page scrolls under a mouse at rest.
const keepSelection = {
	id: "keepSelection",
	beforeEvent(_, { event: { native }, replay }) {
		const isMouse = native && ["mousemove", "mouseout"].includes(native.type);
		return !(followScroll && (replay || isMouse && !native.movementX && !native.movementY));
	},
};

// listenToKeys lets the keys move over the points of a focused chart from left to right. Each
// point has its tooltip and is read aloud.
function listenToKeys(chart, spec) {
	let selected = -1;
	const reachable = () => chart.data.datasets.flatMap((d, datasetIndex) =>
		chart.isDatasetVisible(datasetIndex) && d.pointHoverRadius > 0
			? d.data.map((point, index) => ({ datasetIndex, index, point })) : [])
		.sort((a, b) => a.point.x - b.point.x || a.datasetIndex - b.datasetIndex);
	function select(points, i) {
		selected = i;
		followScroll = i < 0 ? null : () => tip({ chart, tooltip: chart.tooltip }, spec);
		const active = i < 0 ? [] : [points[i]];
		chart.setActiveElements(active);
		chart.tooltip.setActiveElements(active, { x: 0, y: 0 });
		chart.update();
		if (i < 0) return;
		const lines = [...document.querySelectorAll("#tip > div > *")].map(e => e.textContent);
		document.getElementById("said").textContent =
			`${lines.join(", ")}, point ${i + 1} of ${points.length}`;
	}
	chart.canvas.addEventListener("keydown", event => {
		const points = reachable(), last = points.length - 1;
		if (last < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
		const to = {
			ArrowRight: Math.min(selected + 1, last), ArrowLeft: Math.max(selected - 1, 0),
			Home: 0, End: last, Escape: -1,
		}[event.key];
		const trial = selected >= 0 && selected <= last && points[selected].point.trial;
		if (to !== undefined) select(points, to);
		else if (event.key === "Enter" && trial) showTrial(trial);
		else return;
		event.preventDefault();
	});
	chart.canvas.addEventListener("blur", () => {
		if (selected >= 0 && chart.ctx) select([], -1); // a removed chart has no context
	});
}

// mark returns the sign of a series in the legend.
function mark(d) {
	const canvas = el("canvas", { width: 44, height: 28, class: "mark", "aria-hidden": "true" });
	const ctx = canvas.getContext("2d");
	ctx.scale(2, 2);
	ctx.strokeStyle = ctx.fillStyle = d.borderColor;
	ctx.lineWidth = 2;
	if (d.showLine) {
		ctx.setLineDash(d.borderDash);
		ctx.moveTo(1, 7); ctx.lineTo(21, 7); ctx.stroke();
	} else {
		Chart.helpers.drawPoint(ctx, { pointStyle: d.pointStyle, radius: 5, borderWidth: 1.5 }, 11, 7);
	}
	return canvas;
}

// wrap breaks a label into lines.
function wrap(text, width) {
	const lines = [""];
	for (const word of text.split(" ")) {
		const last = lines[lines.length - 1];
		if (last && last.length + word.length >= width) lines.push(word);
		else lines[lines.length - 1] = last ? last + " " + word : word;
	}
	return lines;
}

// tip shows what a reader points at: the structure of a trial, its name and its scores.
function tip({ chart, tooltip }, spec) {
	const node = document.getElementById("tip");
	node.hidden = tooltip.opacity === 0 || !tooltip.dataPoints;
	if (node.hidden) return;
	const { raw, dataset: d } = tooltip.dataPoints[0];
	const row = raw.trial && trialsOf().rows.find(r => r.number === raw.trial), lines = [];
	if (row) {
		lines.push(el("strong", {}, row.name), el("span", {}, `trial ${row.number}, ${row.stage}`));
	} else {
		lines.push(el("strong", {}, raw.label || d.label));
	}
	if (raw.label && d.label !== raw.label) lines.push(el("span", {}, d.label));
	if (spec.x && spec.x !== "trial") lines.push(el("span", {}, `${spec.x} `, el("b", {}, short(raw.x))));
	if (spec.y) lines.push(el("span", {}, `${spec.y} `, el("b", {}, short(raw.y))));
	if (spec.x === "trial" && row && row.test !== null) {
		lines.push(el("span", {}, trialsOf().test + " ", el("b", {}, number(row.test))));
	}
	if (raw.low !== undefined) lines.push(el("span", {}, `${short(raw.low)} to ${short(raw.high)}`));
	node.replaceChildren(row && row.structure ? drawStructure(row.structure, 112) : "",
		el("div", {}, lines));
	const at = chart.canvas.getBoundingClientRect();
	const left = at.left + tooltip.caretX, top = at.top + tooltip.caretY;
	const { width, height } = node.getBoundingClientRect();
	node.style.left = Math.max(4, Math.min(left + 14, innerWidth - width - 12)) + "px";
	node.style.top = (top + 14 + height < innerHeight ? top + 14 : Math.max(4, top - height - 14)) + "px";
}

const short = x => Number.isInteger(x) ? String(x) : x.toFixed(3);

// keepFocus runs f and restores the focus.
function keepFocus(f) {
	const id = document.activeElement && document.activeElement.id;
	f();
	const node = id && document.getElementById(id);
	if (node && node !== document.activeElement) node.focus({ preventScroll: true });
}

function draw() {
	drawHeader();
	const main = document.getElementById("main");
	const ids = new Set(page.sections.map(s => s.id));
	for (const [id, old] of drawn) {
		if (!ids.has(id)) { remove(old); drawn.delete(id); }
	}
	let last = null;
	for (const section of page.sections) {
		const old = drawn.get(section.id);
		let now = old;
		if (!old || old.json !== JSON.stringify(section)) {
			if (old) old.charts.forEach(c => c.destroy());
			now = drawSection(section, old && old.node);
			if (!old) main.insertBefore(now.node, last ? last.nextSibling : main.firstChild);
			now.charts = now.charts.map(make => make());
			drawn.set(section.id, now);
		}
		last = now.node;
	}
	document.getElementById("tip").hidden = true;
	followScroll = null;
}

function remove(old) {
	old.charts.forEach(c => c.destroy());
	old.node.remove();
}

function render(data) {
	page = data;
	keepFocus(draw);
}

// Colours of charts do not follow the style sheet by themselves. Printed pages are light.
function redraw() {
	drawn.forEach(remove);
	drawn.clear();
	draw();
}
function drawForPrint(isPrinted) {
	document.documentElement.classList.toggle("printed", isPrinted);
	if (matchMedia("(prefers-color-scheme: dark)").matches) redraw();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("beforeprint", () => drawForPrint(true));
addEventListener("afterprint", () => drawForPrint(false));
addEventListener("scroll", () => {
	if (followScroll) followScroll();
	else document.getElementById("tip").hidden = true;
}, { passive: true });

Chart.defaults.font.family = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif";
Chart.defaults.font.size = 12.5;
render(JSON.parse(document.getElementById("page").textContent));

if (document.body.dataset.events) live(document.body.dataset.events, render);
