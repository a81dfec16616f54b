// Package webpage has what all pages share: their looks, and how they draw elements.
package webpage

import _ "embed" // the files

var (
	// StyleSheet is the style sheet of all pages.
	//
	//go:embed style.css
	StyleSheet string
	// DrawScript has functions that make elements from data, never from HTML, and draw structures.
	//
	//go:embed draw.js
	DrawScript string
)
