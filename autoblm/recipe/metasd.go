package recipe

var metaSD = family{
	name:   "metasd-base",
	about:  "the ComplEx that MetaSD distils (Li et al., 2022): DURA with relation prediction",
	source: "pldlgb/MetaSD, metasd.py and scripts",
	note: "Only the base: not MetaSD itself, which also learns from a pruned copy of the model. " +
		bestNote,
	training: training(reciprocal),
}
