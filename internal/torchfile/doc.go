// Package torchfile reads the tensors of files that torch.save wrote, and executes nothing.
//
// Such a file is a zip archive, or before PyTorch 1.6 a sequence of pickles, with one pickle of the
// saved object and one block of bytes per storage. A pickle is a program that may call any function
// of Python. This package knows the calls that make tensors, NumPy arrays and containers, and does
// in Go what they do. Any other class or function is refused by name, or, if the caller accepts its
// name, becomes an [Object] that only holds its arguments and its state.
package torchfile
