"use strict";

// A column has a title, the value to sort by, and the elements to show. Unreadable studies have a
// note in place of the columns with results.
const columns = [
	{ title: "Study", value: (s) => s.name, show: nameOf },
	{ title: "Graph", value: (s) => s.dataset, result: true },
	{ title: "Task", value: (s) => s.task, result: true },
	{ title: "State", value: (s) => s.state, show: stateOf },
	{ title: "Structures", value: (s) => s.trained, show: progressOf, number: true, result: true },
	{ title: "Trials", value: (s) => s.trials, number: true, result: true },
	{ title: "Kept model", value: (s) => s.kept, show: (s) => [s.kept || "–"], result: true },
	{ title: "Score", value: (s) => s.valid, show: scoreOf, number: true, result: true },
	{ title: "Changed", value: (s) => s.changed, show: ageOf, number: true },
];
const order = { column: columns.length - 1, descending: true };
let studies = [];

function element(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
	e.append(...children);
	return e;
}

// isRead reports whether the contents of a study are known.
function isRead(s) {
	return s.trained !== undefined;
}

function nameOf(s) {
	return [isRead(s) && !s.no_page ? element("a", { href: "/study/" + s.id }, s.name) : s.name];
}

function stateOf(s) {
	return [element("span", { class: "state " + s.state }, s.state),
		...(s.note ? [element("small", {}, s.note)] : [])];
}

function progressOf(s) {
	const text = s.amount.replace(/ structures?$/, "");
	if (s.state === "finished") return [text]; // it may end before its budget
	return [text, element("progress", { value: s.trained, max: s.budget, "aria-hidden": "true" })];
}

function scoreOf(s) {
	if (s.valid === null) return ["–"];
	const parts = [`valid ${s.metric} ${s.valid.toFixed(3)}`];
	if (s.test !== null) parts.push(element("small", {}, `test ${s.test.toFixed(3)}`));
	return parts;
}

function ageOf(s) {
	const time = new Date(1000 * s.changed);
	return [element("time", { datetime: time.toISOString(), title: time.toLocaleString() },
		age(Date.now() / 1000 - s.changed))];
}

function age(seconds) {
	if (seconds < 60) return "now";
	for (const [unit, length] of [["d", 86400], ["h", 3600], ["min", 60]]) {
		if (seconds >= length) return `${Math.floor(seconds / length)} ${unit} ago`;
	}
}

function compare(a, b) {
	const value = columns[order.column].value, x = value(a), y = value(b);
	let sign = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
	if (x == null || y == null) return (x == null) - (y == null); // missing values last
	if (order.descending) sign = -sign;
	return sign || a.name.localeCompare(b.name);
}

function rowOf(s) {
	const row = element("tr", { "data-id": s.id });
	for (const c of columns.filter((c) => isRead(s) || !c.result)) {
		const cell = element("td", { "data-title": c.title });
		if (c.number) cell.className = "number";
		cell.append(...(c.show ? c.show(s) : [String(c.value(s))]));
		if (!isRead(s) && c.title === "State") {
			cell.colSpan = columns.length - 2;
			cell.className = "error";
		}
		row.append(cell);
	}
	return row;
}

function matches(s, words) {
	const text = [s.name, s.dataset, s.task, s.state, s.note, s.kept].join(" ").toLowerCase();
	return words.every((word) => text.includes(word));
}

function render() {
	const words = document.getElementById("filter").value.toLowerCase().split(/\s+/);
	const shown = studies.filter((s) => matches(s, words)).sort(compare);
	const focused = document.activeElement.closest("tr[data-id]");
	document.querySelector(".studies tbody").replaceChildren(...shown.map(rowOf));
	if (focused) document.querySelector(`tr[data-id="${focused.dataset.id}"] a`)?.focus();
	document.querySelectorAll(".studies th").forEach((th, i) => {
		const direction = order.descending ? "descending" : "ascending";
		th.setAttribute("aria-sort", i === order.column ? direction : "none");
	});
	const count = shown.length === studies.length ? "" : `${shown.length} of `;
	const noun = studies.length === 1 ? "study" : "studies";
	document.getElementById("count").textContent = `${count}${studies.length} ${noun}`;
	document.getElementById("empty").hidden = studies.length > 0;
	document.querySelector(".studies").hidden = studies.length === 0;
}

function sortBy(i) {
	order.descending = i === order.column ? !order.descending : Boolean(columns[i].number);
	order.column = i;
	render();
}

columns.forEach((c, i) => {
	const button = element("button", { type: "button" }, c.title);
	button.addEventListener("click", () => sortBy(i));
	const th = element("th", { scope: "col" }, button);
	if (c.number) th.className = "number";
	document.querySelector(".studies thead tr").append(th);
});
document.getElementById("filter").addEventListener("input", render);

const first = JSON.parse(document.getElementById("data").textContent);
studies = first.studies;
render();
setInterval(render, 20000); // for the ages
live("/events?version=" + first.version, (list) => {
	studies = list;
	render();
});
