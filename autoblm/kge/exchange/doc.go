// Package exchange writes embeddings in the formats of other programs, and reads models and
// embeddings that they wrote, see docs/models.md.
package exchange
