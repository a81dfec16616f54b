// Package controller implements a policy over sequences of symbols: an LSTM that emits one symbol
// after another, like the controller of NAS (Zoph and Le, ICLR 2017). It learns from rewards with
// REINFORCE (Williams, Machine Learning 8, 1992) and a moving-average baseline.
//
// The symbols have no meaning in this package. The search uses them as the entries of a
// structure, row by row.
package controller
