// Package notebook reads and writes Jupyter notebooks of format 4
// (https://nbformat.readthedocs.io). What it does not know it keeps as it is,
// so a notebook that Jupyter saved is written back byte for byte.
package notebook
