
// The workers of a cluster. A column has a title and the elements to show.
const workerColumns = [
	{ title: "Worker", show: (w) => [w.name] },
	{ title: "Computes with", show: (w) => [w.arithmetic, element("small", {}, threads(w.threads))] },
	{ title: "Trains", show: trialOf },
	{ title: "Since", show: (w) => [age((Date.now() - Date.parse(w.since)) / 1000)], number: true },
	{ title: "Trained", show: (w) => [w.trained.toLocaleString("en")], number: true },
	{ title: "Errors", show: errorsOf, number: true },
];
let cluster = null;

function threads(n) {
	return n === 1 ? "1 thread" : `${n} threads`;
}

function trialOf(w) {
	if (!w.trial) return [element("span", { class: "state" }, "idle")];
	const share = w.share || 0;
	return [element("span", { class: "state running" }, w.dataset),
		element("small", {}, `trial ${w.trial.slice(0, 8)}, ${Math.round(100 * share)} %`),
		element("progress", { value: share, max: 1, "aria-hidden": "true" })];
}

function errorsOf(w) {
	if (!w.failed) return ["0"];
	return [String(w.failed), element("small", { class: "error" }, w.error || "")];
}

function renderCluster() {
	if (cluster === null) return;
	const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
	const facts = [count(cluster.workers.length, "worker"), count(cluster.waiting, "trial") + " waiting",
		`${cluster.training} in training`];
	if (cluster.rate !== null) facts.push(count(cluster.rate, "trial") + " an hour");
	if (cluster.failed > 0) facts.push(count(cluster.failed, "error"));
	document.getElementById("queue").textContent = facts.join(", ");
	document.querySelector(".workers tbody").replaceChildren(...cluster.workers.map((w) => {
		const row = element("tr", {});
		for (const c of workerColumns) {
			const cell = element("td", { "data-title": c.title });
			if (c.number) cell.className = "number";
			cell.append(...c.show(w));
			row.append(cell);
		}
		return row;
	}));
	document.querySelector(".workers").hidden = cluster.workers.length === 0;
	document.getElementById("no-workers").hidden = cluster.workers.length > 0;
}

for (const c of workerColumns) {
	const th = element("th", { scope: "col" }, c.title);
	if (c.number) th.className = "number";
	document.querySelector(".workers thead tr").append(th);
}
setInterval(renderCluster, 20000); // for the ages
live("/cluster/events", (state) => {
	cluster = state;
	renderCluster();
}, "cluster-live");
