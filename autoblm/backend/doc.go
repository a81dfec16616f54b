// Package backend finds, chooses, opens and installs the compute backends of GoMLX.
//
// A backend has a name: "go" is GoMLX's own backend; "xla:cpu" and "xla:cuda" are XLA
// with an installed PJRT plugin; "xla:" with an absolute path is XLA with that plugin.
// Options follow after commas, as in "xla:cuda,tf32=false,preallocate=false". The option devices=4
// uses four devices of this process, and shard spreads every model over them; see [Devices].
//
// [Choose] chooses between the requested backend and those that are available. It never
// replaces a backend that a call or a variable names. [List] reports all backends and why
// some cannot be used. Only [Install] downloads anything.
//
// XLA needs cgo. A program built without cgo, or with the tag noxla, has only the
// backend "go".
//
// Install unpacks wheels with go-xla's installer, but downloads them itself.
// The installer reads only pypi.org, and does not check digests of the plugin for the
// CPU. It cannot be cancelled, stores error pages as files, and prints to standard
// output. Install reads the index that PIP_INDEX_URL names, and only accepts files with a
// pinned SHA-256 digest. Proxies and certificates come from HTTPS_PROXY, SSL_CERT_FILE
// and the system. Credentials are part of the address of the index.
package backend
