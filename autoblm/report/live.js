// live calls receive with each new state of the page, a parsed JSON value, and shows in the element
// "live" whether the page is connected. A hidden page has no connection: browsers allow few to
// one server.
function live(path, receive) {
	const address = new URL(path, location.href);
	let source = null;
	const show = text => { document.getElementById("live").textContent = text; };
	function open() {
		if (source !== null || document.hidden) return;
		source = new EventSource(address);
		source.onopen = () => show("live");
		source.onerror = () => {
			show("no connection, trying again");
			if (source.readyState === EventSource.CLOSED) { // refused; the browser gives up
				source = null;
				setTimeout(open, 5000);
			}
		};
		source.onmessage = event => {
			address.searchParams.set("version", event.lastEventId);
			receive(JSON.parse(event.data));
		};
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
