package study

const (
	applicationID = 0x4175424c // "AuBL": tells a study from other SQLite files
	schemaVersion = 4
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
	number    INTEGER PRIMARY KEY,
	stage     TEXT NOT NULL,
	round     INTEGER NOT NULL,
	state     TEXT NOT NULL,
	structure TEXT NOT NULL,
	recipe    TEXT NOT NULL, -- settings and seeds, as JSON
	canonical TEXT NOT NULL,
	features  TEXT NOT NULL, -- SRF, a digit each
	valid_mrr REAL,
	test_mrr  REAL,
	trial     TEXT NOT NULL, -- all of it, as JSON
	checksum  INTEGER NOT NULL,
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
CREATE TABLE best_model (
	structure TEXT NOT NULL, dim INTEGER NOT NULL, dataset TEXT NOT NULL, source TEXT NOT NULL,
	entity_labels TEXT NOT NULL, relation_labels TEXT NOT NULL,
	training TEXT NOT NULL, valid TEXT, test TEXT, -- JSON
	entities BLOB NOT NULL, relations BLOB NOT NULL, -- little-endian float32, row-major
	checksum INTEGER NOT NULL
);`
