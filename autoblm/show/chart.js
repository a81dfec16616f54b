// drawChart replaces the image with an id by a chart that shows values when hovered.
function drawChart(id, spec, tries = 100) {
	const image = document.getElementById(id);
	if (!image) { // the notebook has not attached the output yet
		if (tries) setTimeout(drawChart, 50, id, spec, tries - 1);
		return;
	}
	const box = document.createElement("div"), canvas = document.createElement("canvas");
	box.style.cssText = "position:relative;width:640px;max-width:100%;height:400px;background:white";
	box.append(canvas);
	image.replaceWith(box);
	const colors = ["#0072b2", "#d55e00", "#009e73", "#e69f00", "#4d4d4d"];
	const dataset = (s, i) => ({
		label: s.name, data: s.points, showLine: s.style !== "dots",
		stepped: s.style === "steps" && "before",
		borderColor: colors[i % colors.length], backgroundColor: colors[i % colors.length],
		borderDash: s.style === "level" ? [6, 4] : i < colors.length ? [] : [4, 2],
		borderWidth: 2, pointRadius: s.style === "dots" ? 4 : s.style === "line" ? 3 : 0,
	});
	const axis = text => ({ title: { display: true, text }, grace: "4%" });
	const round = v => Number(v.toPrecision(4));
	const tip = c => [
		`${c.dataset.label ? c.dataset.label + ": " : ""}${round(c.raw.y)} at ${round(c.raw.x)}`,
		...(c.raw.label ? [c.raw.label] : []),
	];
	new Chart(canvas, {
		type: "scatter",
		data: { datasets: spec.series.map(dataset) },
		options: {
			animation: false, maintainAspectRatio: false,
			scales: { x: axis(spec.x), y: axis(spec.y) },
			plugins: {
				title: { display: !!spec.label, text: spec.label },
				legend: { labels: { usePointStyle: true } },
				tooltip: { callbacks: { label: tip } },
			},
		},
	});
}
