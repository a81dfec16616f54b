package study

const (
	applicationID = 0x4175424c // "AuBL": tells a study from other SQLite files
	formatVersion = 1          // of the tables below
)

// Each row has a checksum of what is read from it again, because SQLite itself
// would take a number that has changed on the disk for another number.
const schema = `
CREATE TABLE about (
	description TEXT NOT NULL, -- JSON
	source      TEXT NOT NULL, -- these two are those of the last run
	budget      INTEGER NOT NULL,
	checksum    INTEGER NOT NULL
);
CREATE TABLE trials (
	number     INTEGER PRIMARY KEY,
	stage      TEXT NOT NULL,
	round      INTEGER NOT NULL,
	state      TEXT NOT NULL,
	structure  TEXT NOT NULL,
	recipe     TEXT NOT NULL, -- settings and seeds, as JSON
	canonical  TEXT NOT NULL,
	features   TEXT NOT NULL, -- SRF, a digit each
	score      REAL,
	test_score REAL,
	trial      TEXT NOT NULL, -- all of it, as JSON
	checksum   INTEGER NOT NULL,
	UNIQUE (stage, structure, recipe)
);
CREATE INDEX trials_by_class ON trials (canonical);
CREATE TABLE rounds (
	number       INTEGER PRIMARY KEY,
	random_state BLOB NOT NULL,
	proposed     INTEGER NOT NULL,
	repeats      INTEGER NOT NULL,
	seconds      REAL NOT NULL,
	checksum     INTEGER NOT NULL
);
` + artifactTable + artifactsTable

// artifactTable has the folder of the best model, file by file.
const artifactTable = `
CREATE TABLE artifact (
	name     TEXT PRIMARY KEY,
	content  BLOB NOT NULL,
	checksum INTEGER NOT NULL
);`

// artifactsTable has what trials have left for an ensemble, file by file.
const artifactsTable = `
CREATE TABLE artifacts (
	trial    INTEGER NOT NULL,
	name     TEXT NOT NULL,
	content  BLOB NOT NULL,
	checksum INTEGER NOT NULL,
	PRIMARY KEY (trial, name)
);`
