(page => {
  const window = document.querySelector(".jp-Notebook .jp-WindowedPanel-outer");
  window.scrollTop = page * window.clientHeight;
  return window.scrollTop + window.clientHeight >= window.scrollHeight - 1;
})(%d)
