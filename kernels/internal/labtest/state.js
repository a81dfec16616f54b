({
  Kernel: document.querySelector(".jp-Toolbar-kernelName")?.textContent.trim() ?? "",
  Status: document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status ?? "",
  Cells: [...document.querySelectorAll(".jp-Notebook .jp-CodeCell")].map(cell => {
    const all = selector => [...cell.querySelectorAll(".jp-OutputArea-output" + selector)];
    return {
      Prompt: cell.querySelector(".jp-InputPrompt").textContent.trim(),
      Text: all("").map(output => output.textContent).join("\n"),
      Errors: all('[data-mime-type="application/vnd.jupyter.error"], .jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]')
        .map(output => output.textContent),
      Tables: all(" table").length,
      Pictures: all(" img").map(img => ({Width: img.naturalWidth, Height: img.naturalHeight})),
    };
  }),
})
