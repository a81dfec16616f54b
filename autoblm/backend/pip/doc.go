// Package pip reads indexes of Python packages as pip would, with its settings: the index
// that the user has chosen, mirrors, proxies, certificates, credentials.
//
// The settings are those of pip's documentation: its files of configuration, a later one of
// global, user, environment's and PIP_CONFIG_FILE before an earlier one, then variables
// PIP_...; of each file the section [install] before [global]. An index is asked by the
// protocol of PEP 691, or PEP 503 where it knows no other. Nothing of Python is run, so what
// needs it, a keyring, is not asked.
package pip
