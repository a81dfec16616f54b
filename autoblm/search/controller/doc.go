// Package controller is a policy over sequences of symbols: an LSTM that emits
// one symbol after another, in the way of the controller of NAS (Zoph and Le,
// ICLR 2017), and learns from rewards by REINFORCE (Williams, Machine Learning
// 8, 1992) with a moving-average baseline.
//
// What it emits means nothing to it. The search has it write the entries of a
// structure, row by row.
package controller
