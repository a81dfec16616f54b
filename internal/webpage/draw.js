"use strict";

// el returns an element. Attributes that are functions are event listeners.
function el(tag, attributes = {}, ...children) {
	const svg = ["svg", "rect", "text", "g", "tspan"].includes(tag);
	const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
		: document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === "function") node.addEventListener(name, value);
		else if (value !== null && value !== undefined && value !== false) {
			node.setAttribute(name, value === true ? "" : value);
		}
	}
	for (const child of children.flat(Infinity)) {
		if (child !== null && child !== undefined && child !== false && child !== "") {
			node.append(typeof child === "object" ? child : visible(String(child)));
		}
	}
	return node;
}

// visible escapes characters that change the direction of text, and control characters.
function visible(text) {
	const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
	return text.replace(hidden, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

// drawStructure returns the matrix of a structure: a colour for each chunk of the relation;
// outlined blocks have a minus sign. Small ones have no labels.
function drawStructure(text, side, label) {
	const rows = text.split(";").map(row => row.split(",").map(Number));
	const k = rows.length, small = side < 60, head = small ? 0 : 16;
	const cell = (side - head) / k, gap = small ? 0.5 : 1.5;
	const svg = el("svg", {
		width: side, height: side, viewBox: `0 0 ${side} ${side}`, class: "structure",
		role: "img", "aria-label": label || "structure " + text,
	});
	const write = (x, y, letter, index, kind) => svg.append(el("text", { x, y, class: kind },
		letter, el("tspan", { dy: 2.5, "font-size": "75%" }, index)));
	rows.forEach((row, i) => {
		if (!small) {
			write(head / 2, head + (i + 0.5) * cell + 3.5, "h", i + 1, "chunk");
			write(head + (i + 0.5) * cell, 11, "t", i + 1, "chunk");
		}
		row.forEach((value, j) => {
			const x = head + j * cell, y = head + i * cell, inset = value < 0 ? gap + 1 : gap;
			const kind = value === 0 ? "none" : (value > 0 ? "plus" : "minus") + " c" + Math.abs(value);
			svg.append(el("rect", {
				x: x + inset, y: y + inset, width: cell - 2 * inset, height: cell - 2 * inset,
				rx: small ? 0.5 : 2, class: kind,
			}));
			if (value !== 0 && !small) {
				write(x + cell / 2, y + cell / 2 + 3.5, (value < 0 ? "−" : "") + "r", Math.abs(value),
					"label " + kind);
			}
		});
	});
	return svg;
}
