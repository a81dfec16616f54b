// live calls receive with each new state of a page, a parsed JSON value, and report with true or
// false when the connection begins or is lost. A hidden page has no connection: browsers allow
// few at a time.
function live(path, version, receive, report) {
	let source = null;
	function open() {
		if (source !== null || document.hidden) return;
		source = new EventSource(path + "?version=" + encodeURIComponent(version));
		source.onopen = () => report(true);
		source.onerror = () => {
			report(false);
			if (source.readyState === EventSource.CLOSED) { // refused; the browser gives up
				source = null;
				setTimeout(open, 5000);
			}
		};
		source.onmessage = (event) => {
			version = event.lastEventId;
			receive(JSON.parse(event.data));
		};
	}
	function close() {
		if (source !== null) source.close();
		source = null;
	}
	document.addEventListener("visibilitychange", () => document.hidden ? close() : open());
	window.addEventListener("pagehide", close);
	window.addEventListener("pageshow", open);
	open();
}
