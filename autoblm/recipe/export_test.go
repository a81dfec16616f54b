package recipe

// Converted converts weights for tests that import packages above this one.
var Converted = converted
