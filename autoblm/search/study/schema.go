package study

import (
	"fmt"
	"hash/crc32"
)

const (
	applicationID = 0x4175424c // "AuBL" marks studies among SQLite files
	formatVersion = 1          // of the tables below
)

// schema has a checksum in each row of the values that are read back. SQLite checks the structure
// of a file, not its values.
const schema = `
CREATE TABLE about (
	description TEXT NOT NULL, -- identity and settings, as JSON
	run         TEXT NOT NULL, -- source, budget, command, default model and end of the last run, as JSON
	plan        TEXT NOT NULL, -- JSON; null for a search without a plan
	checksum    INTEGER NOT NULL
);
CREATE TABLE trials (
	number     INTEGER PRIMARY KEY,
	stage      TEXT NOT NULL,
	round      INTEGER NOT NULL,
	state      TEXT NOT NULL,
	structure  TEXT NOT NULL,
	recipe     TEXT NOT NULL, -- settings and seeds, as JSON
	score      REAL,
	test_score REAL,
	trial      TEXT NOT NULL, -- the whole trial, as JSON
	checksum   INTEGER NOT NULL,
	UNIQUE (stage, structure, recipe)
);
CREATE TABLE rounds (
	number       INTEGER PRIMARY KEY,
	random_state BLOB NOT NULL,
	proposed     INTEGER NOT NULL,
	repeats      INTEGER NOT NULL,
	seconds      REAL NOT NULL,
	checksum     INTEGER NOT NULL
);
CREATE TABLE artifacts (
	trial    INTEGER NOT NULL, -- 0 for the best model
	name     TEXT NOT NULL,    -- of a file in the folder of the model
	content  BLOB NOT NULL,
	checksum INTEGER NOT NULL,
	PRIMARY KEY (trial, name)
);`

// best is the number under which table artifacts has the best model. Trials count from 1.
const best = 0

// checksum returns the CRC-32 of the values of a row.
func checksum(values ...any) int64 {
	sum := crc32.NewIEEE()
	for _, value := range values {
		switch value := value.(type) {
		case []byte:
			fmt.Fprintf(sum, "%d:", len(value))
			_, _ = sum.Write(value)
		case string:
			fmt.Fprintf(sum, "%d:%s", len(value), value)
		default:
			fmt.Fprintf(sum, "%v;", value)
		}
	}
	return int64(sum.Sum32())
}
