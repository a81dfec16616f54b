// Package labtest opens notebooks in a real JupyterLab, for tests, and works them
// as people do: in a browser, by the menus.
//
// It takes the JupyterLab of the Python that the variable AUTOBLM_JUPYTERLAB names,
// or jupyter-lab from the PATH, and Chromium or Chrome from the PATH. Where one of
// them is missing the test is skipped. Pictures of the page go to the folder that
// AUTOBLM_SCREENSHOTS names, if it names one.
package labtest
