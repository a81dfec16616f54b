// Package kernelspec finds, reads and writes the folders in which Jupyter keeps
// its kernels: https://jupyter-client.readthedocs.io/en/stable/kernels.html.
package kernelspec
