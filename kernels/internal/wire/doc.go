// Package wire is the form that messages have between a Jupyter client and a
// kernel: signed lists of frames. It is version 5 of the protocol at
// https://jupyter-client.readthedocs.io/en/stable/messaging.html.
package wire
