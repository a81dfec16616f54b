package completion

// Choose is the choice by itself.
var Choose = choose
