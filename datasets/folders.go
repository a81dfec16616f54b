package datasets

// Folders are where a benchmark is looked for, best first: in $AUTOBLM_DATA/NAME
// and in the cache. They need not exist.
func Folders(name string) []string { return benchmarkFolders(name) }
