// live calls receive with each new state of the page, a parsed JSON value, and shows in the element
// with an id whether the page is connected and current. A hidden page has no connection: browsers
// allow few to one server.
function live(path, receive, id = "live") {
	const address = new URL(path, location.href), status = document.getElementById(id);
	let source = null;
	function show(text, problem) {
		status.textContent = text;
		status.classList.toggle("problem", problem);
	}
	function open() {
		if (source !== null || document.hidden) return;
		source = new EventSource(address);
		source.onopen = () => show("live", false);
		source.onerror = () => {
			show("no connection, trying again", true);
			if (source.readyState === EventSource.CLOSED) { // refused; the browser gives up
				source = null;
				setTimeout(open, 5000);
			}
		};
		source.onmessage = event => {
			address.searchParams.set("version", event.lastEventId);
			receive(JSON.parse(event.data));
		};
		source.addEventListener("problem", event => {
			const problem = JSON.parse(event.data);
			show(problem ? "not up to date: " + problem : "live", problem !== "");
		});
	}
	function close() {
		if (source !== null) source.close();
		source = null;
	}
	document.addEventListener("visibilitychange", () => document.hidden ? close() : open());
	addEventListener("pagehide", close);
	addEventListener("pageshow", open);
	open();
}
