// Package dashboard serves the reports of all studies below a folder as web pages. While a search
// runs, its pages are updated by server-sent events.
//
//	server := dashboard.New(dashboard.Options{Folder: "runs", Data: data})
//	listener, err := net.Listen("tcp", "127.0.0.1:8080")
//	err = server.Serve(ctx, listener)
//
// The server reads studies and never writes to them. A page that is open costs a look at the files
// each second. A request names a study by an id from the scan of the folder, never by a path.
package dashboard
